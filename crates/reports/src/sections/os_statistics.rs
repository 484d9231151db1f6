use super::view::{Shape, View, number, text};

/// Counters of the operating system, in the units that its name for them tells: times in hundredths of a second.
pub static VIEW: View = View {
    name: "os_statistics",
    about: "a counter of the operating system in the interval",
    titles: &["operatingsystemstatistics", "osstatistics"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("statistic", 1.0), ("statisticname", 1.0)]),
        number("value", &[("value", 1.0), ("total", 1.0)]),
        number("end_value", &[("endvalue", 1.0)])
            .about("of what is no counter, where it differs from the begin"),
        number("per_s", &[("persecond", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn totals_are_values() {
        let page =
            html("Operating System Statistics", &["Statistic", "Value", "End Value"], &[&["LOAD", "1", "2"]]);
        assert_eq!(rows(&VIEW, &page), ["statistic=LOAD value=1 end_value=2"]);
        let text = "
OS Statistics  DB/Inst: ABC/abc  Snaps: 74-75

Statistic                                  Total     per Second
------------------------- ---------------------- --------------
BUSY_TIME                              1,490,571           17.2
          -------------------------------------------------------------
";
        assert_eq!(rows(&VIEW, text), ["statistic=BUSY_TIME value=1490571 per_s=17.2"]);
    }
}
