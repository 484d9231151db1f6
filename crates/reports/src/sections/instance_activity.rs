use super::view::{Shape, View, aggregate, number, text, title};

/// Counters of the instance.
pub static VIEW: View = View {
    name: "instance_activity",
    about: "a counter of the instance in the interval, or at both snapshots; key and other statistics in lists of their own",
    titles: &[
        "instanceactivitystats",
        "keyinstanceactivitystats",
        "otherinstanceactivitystats",
        "instanceactivitystats-absolutevalues",
        "instanceactivitystats-threadactivity",
        "systemstatistics(global)",
        "systemstatistics(absolutevalues)",
    ],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("statistic", 1.0), ("*", 1.0)]),
        title("list"),
        number("total", &[("total", 1.0)]),
        number("per_s", &[("persecond", 1.0)]),
        number("per_txn", &[("pertrans", 1.0)]),
        number("begin_value", &[("beginvalue", 1.0), ("*begin", 1.0)]),
        number("end_value", &[("endvalue", 1.0), ("*end", 1.0)]),
        number("per_hour", &[("perhour", 1.0)]),
        number("instances_avg_per_s", &[("persecondaverage", 1.0)]).about("of a cluster"),
        number("instances_stddev_per_s", &[("persecondstddev", 1.0)]),
        number("instances_min_per_s", &[("persecondmin", 1.0)]),
        number("instances_max_per_s", &[("persecondmax", 1.0)]),
        aggregate(),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn counters_and_values_are_told_apart() {
        let text = "
Instance Activity Stats  DB/Inst: ABC/abc  Snaps: 1-2

Statistic                                      Total     per Second    per Trans
--------------------------------- ------------------ -------------- ------------
physical reads                             1,000,017       27,000.5          2.5
          -------------------------------------------------------------
";
        let row =
            "statistic=physical reads list=Instance Activity Stats total=1000017 per_s=27000.5 per_txn=2.5";
        assert_eq!(rows(&VIEW, text), [row]);
        let title = "Instance Activity Stats - Absolute Values";
        let page =
            html(title, &["Statistic", "Begin Value", "End Value"], &[&["logons current", "15", "16"]]);
        let row = format!("statistic=logons current list={title} begin_value=15 end_value=16");
        assert_eq!(rows(&VIEW, &page), [row]);
    }

    #[test]
    fn values_of_several_instances_stand_sideways() {
        let title = "System Statistics (Absolute Values)";
        let page = html(title, &["I#", "Sessions Begin", "Sessions End"], &[&["1", "78", "82"]]);
        let row = format!("instance_number=1 statistic=Sessions list={title} begin_value=78 end_value=82");
        assert_eq!(rows(&VIEW, &page), [row]);
    }
}
