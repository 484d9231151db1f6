use super::view::{Shape, View, aggregate, number, text};

/// How long a cluster took for its blocks.
pub static VIEW: View = View {
    name: "rac_workload",
    about: "how long a cluster took for its blocks; the unit stands in the name",
    titles: &[
        "globalcacheandenqueueservices-workloadcharacteristics",
        "globalcacheandenqueueworkloadcharacteristics",
        "globallatencycharacteristics",
    ],
    shape: Shape::Pairs(&[]),
    columns: &[text("statistic", &[("*", 1.0)]), aggregate(), number("value", &[("*", 1.0)])],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn an_instance_and_a_cluster_say_the_same() {
        let report = html(
            "Global Cache and Enqueue Services - Workload Characteristics",
            &[],
            &[&["Avg global enqueue get time (ms):", "1.9"]],
        );
        assert_eq!(rows(&VIEW, &report), ["statistic=Avg global enqueue get time (ms) value=1.9"]);
        let report = html(
            "Global Latency Characteristics",
            &["I#", "GE Get Time (us)", "CR Blocks Log Flush CR Srvd %"],
            &[&["1", "20", "0.82"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "instance_number=1 statistic=GE Get Time (us) value=20",
                "instance_number=1 statistic=CR Blocks Log Flush CR Srvd % value=0.82"
            ]
        );
    }
}
