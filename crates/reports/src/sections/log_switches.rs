use super::view::{Shape, View, number, text};

/// How often the redo log was switched.
pub static VIEW: View = View {
    name: "log_switches",
    about: "switches of the redo log, derived from its sequence numbers",
    titles: &["instanceactivitystats-threadactivity", "instanceactivitystats"],
    shape: Shape::Rows,
    columns: &[
        number("switches_per_hour", &[("perhour", 1.0)]),
        number("switches", &[("total", 1.0)]),
        text("statistic", &[("statistic", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn statspack_prints_them_among_instance_activity() {
        let heads = ["Statistic", "Total", "per Hour"];
        let cells: [&[&str]; 1] = [&["log switches (derived)", "3", "2.99"]];
        let row = ["switches_per_hour=2.99 switches=3 statistic=log switches (derived)"];
        assert_eq!(rows(&VIEW, &html("Instance Activity Stats", &heads, &cells)), row);
        assert_eq!(rows(&VIEW, &html("Instance Activity Stats - Thread Activity", &heads, &cells)), row);
        let heads = ["Statistic", "Total", "per Second"];
        assert!(rows(&VIEW, &html("Instance Activity Stats", &heads, &cells)).is_empty());
    }
}
