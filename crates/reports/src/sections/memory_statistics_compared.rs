use super::view::{Shape, View, number, text};

/// Memory in both periods of a compare-period report.
pub static VIEW: View = View {
    name: "memory_statistics_compared",
    about: "memory in two periods, in the unit that its name tells",
    titles: &["memorystatistics"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("", 1.0), ("statistic", 1.0), ("statisticname", 1.0)]),
        number("first_value", &[("1st", 1.0), ("1stvalue", 1.0)]),
        number("second_value", &[("2nd", 1.0), ("2ndvalue", 1.0)]),
        number("first_begin_value", &[("1stbegin", 1.0), ("begin1st", 1.0)]),
        number("first_end_value", &[("1stend", 1.0), ("end1st", 1.0)]),
        number("second_begin_value", &[("2ndbegin", 1.0), ("begin2nd", 1.0)]),
        number("second_end_value", &[("2ndend", 1.0), ("end2nd", 1.0)]),
        number("difference", &[("diff", 1.0)]),
        number("difference_percent", &[("%diff", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn both_periods_stand_side_by_side() {
        let page = html(
            "Memory Statistics",
            &["", "1st", "2nd", "Diff", "%Diff"],
            &[&["Host Mem (MB):", "7,673.1", "7,673.1", "0.0", "0.0"], &["PGA use (MB):", "120.5", "241.0", "120.5", "100.0"]],
        );
        let expected = [
            "statistic=Host Mem (MB) first_value=7673.1 second_value=7673.1 difference=0 difference_percent=0",
            "statistic=PGA use (MB) first_value=120.5 second_value=241 difference=120.5 difference_percent=100",
        ];
        assert_eq!(rows(&VIEW, &page), expected);
    }

    #[test]
    fn each_period_may_have_its_begin_and_end() {
        let headings = ["", "1st Begin", "1st End", "2nd Begin", "2nd End"];
        let page = html("Memory Statistics", &headings, &[&["SGA use (MB):", "512.0", "512.0", "600.0", "640.0"]]);
        let expected = "statistic=SGA use (MB) first_begin_value=512 first_end_value=512 second_begin_value=600 second_end_value=640";
        assert_eq!(rows(&VIEW, &page), [expected]);
    }
}
