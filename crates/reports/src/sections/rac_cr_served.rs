use super::view::{Shape, View, aggregate, number, text};

/// Blocks for consistent reads that were served.
pub static VIEW: View = View {
    name: "rac_cr_served",
    about: "what was asked of an instance for consistent reads and what became of it",
    titles: &["globalcrservedstats", "globalcrserverstatistics", "crblocksservedstatistics"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("statistic", 1.0), ("*", 1.0)]),
        aggregate(),
        number("total", &[("total", 1.0), ("*", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn an_instance_and_a_cluster_say_the_same() {
        let report =
            html("Global CR Served Stats", &["Statistic", "Total"], &[&["CR Block Requests", "175"]]);
        assert_eq!(rows(&VIEW, &report), ["statistic=CR Block Requests total=175"]);
        let report = html(
            "Global CR Server Statistics",
            &["I#", "Block Requests CR", "Results Zero"],
            &[&["Sum", "34", "0"]],
        );
        assert_eq!(
            rows(&VIEW, &report),
            [
                "statistic=Block Requests CR aggregate=Sum total=34",
                "statistic=Results Zero aggregate=Sum total=0"
            ]
        );
    }
}
