use super::view::{Shape, View, aggregate, number, text};

/// Messages of a cluster's instances.
pub static VIEW: View = View {
    name: "rac_messaging",
    about: "messages between instances: how many, how they went and how long they took; a unit stands in the name",
    titles: &[
        "globalcacheandenqueueservices-messagingstatistics",
        "globalcacheandenqueuemessagingstatistics",
        "globalmessagingstatistics",
        "globalmessagingstatistics(global)",
    ],
    shape: Shape::Pairs(&[]),
    columns: &[
        text("statistic", &[("*", 1.0), ("statistic", 1.0)]),
        aggregate(),
        number("instances_avg_per_s", &[("persecondaverage", 1.0)]).about("of a cluster"),
        number("instances_stddev_per_s", &[("persecondstddev", 1.0)]),
        number("instances_min_per_s", &[("persecondmin", 1.0)]),
        number("instances_max_per_s", &[("persecondmax", 1.0)]),
        number("per_second", &[("persecond", 1.0)]),
        number("per_transaction", &[("pertrans", 1.0)]),
        number("value", &[("*", 1.0), ("total", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn counts_and_times_share_their_columns() {
        let report = html(
            "Global Messaging Statistics",
            &["Statistic", "Total", "per Second", "per Trans"],
            &[&["acks for commit", "478", "0.13", "16.48"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            ["statistic=acks for commit per_second=0.13 per_transaction=16.48 value=478"]
        );
        let report = html(
            "Global Cache and Enqueue Services - Messaging Statistics",
            &[],
            &[&["Avg message sent queue time (ms):", "0.2"]],
        );
        assert_eq!(rows(&VIEW, &report), ["statistic=Avg message sent queue time (ms) value=0.2"]);
        let heads = ["Statistic", "Total", "per Second", "per Second Average", "per Second Max"];
        let report = html("Global Messaging Statistics (Global)", &heads, &[&["acks", "98", "0.59", "0.29", "0.30"]]);
        assert_eq!(
            rows(&VIEW, &report),
            ["statistic=acks instances_avg_per_s=0.29 instances_max_per_s=0.3 per_second=0.59 value=98"]
        );
        let report = html("Global Messaging Statistics", &["I#", "Queue Time (us) Sent"], &[&["1", "5607"]]);
        assert_eq!(rows(&VIEW, &report), ["instance_number=1 statistic=Queue Time (us) Sent value=5607"]);
    }
}
