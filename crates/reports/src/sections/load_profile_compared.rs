use super::view::{Shape, View, number, text};

/// Load of both periods of a compare-period report.
pub static VIEW: View = View {
    name: "load_profile_compared",
    about: "what the database did in two periods, by second and transaction",
    titles: &["loadprofile", "loadprofile*", "workloadrepositorycompareperiodreport*", "%diff:"],
    shape: Shape::Rows,
    columns: &[
        text("statistic", &[("", 1.0)]),
        number("first_per_second", &[("1stpersec", 1.0)]),
        number("second_per_second", &[("2ndpersec", 1.0)]),
        number("per_second_difference_percent", &[("%diff", 1.0)]),
        number("first_per_transaction", &[("1stpertxn", 1.0)]),
        number("second_per_transaction", &[("2ndpertxn", 1.0)]),
        number("per_transaction_difference_percent", &[("%diff@2", 1.0)]),
    ],
};

#[cfg(test)]
mod tests {
    use super::super::testing::{html, rows};
    use super::VIEW;

    #[test]
    fn both_periods_stand_side_by_side() {
        let headings = ["", "1st per sec", "2nd per sec", "%Diff", "1st per txn", "2nd per txn", "%Diff"];
        let page = html(
            "Load Profile",
            &headings,
            &[&["Redo size:", "1,200.5", "1,100.1", "-8.4", "12.0", "11.0", "-8.3"]],
        );
        assert_eq!(
            rows(&VIEW, &page),
            [
                "statistic=Redo size first_per_second=1200.5 second_per_second=1100.1 per_second_difference_percent=-8.4 \
              first_per_transaction=12 second_per_transaction=11 per_transaction_difference_percent=-8.3"
            ]
        );
    }
}
