use super::view::{Shape, View, number, text};

/// What older reports print below the load.
pub static VIEW: View = View {
    name: "load_ratios",
    about: "a ratio below the load profile, to 11.1 and in Statspack",
    titles: &["loadprofile"],
    shape: Shape::Pairs(&[
        "%blockschangedperread",
        "recursivecall%",
        "rollbackpertransaction%",
        "rowspersort",
    ]),
    columns: &[text("statistic", &[("", 1.0)]), number("value", &[])],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::rows;

    #[test]
    fn pairs_below_the_load_are_ratios() {
        let text = "
Load Profile
~~~~~~~~~~~~                            Per Second       Per Transaction
                                   ---------------       ---------------
                  Redo size:              3,684.70             32,170.25

  % Blocks changed per Read:    0.91    Recursive Call %:    25.13
";
        let expected =
            ["statistic=% Blocks changed per Read value=0.91", "statistic=Recursive Call % value=25.13"];
        assert_eq!(rows(&VIEW, text), expected);
    }

    #[test]
    fn another_label_has_lost_its_own_title() {
        let text = "
Load Profile
~~~~~~~~~~~~                            Per Second       Per Transaction
                                   ---------------       ---------------
                  Redo size:              3,684.70             32,170.25

            Buffer Nowait %:   99.95       Redo NoWait %:   99.99
";
        let report = crate::read(text.as_bytes().to_vec());
        let codes: Vec<_> = report.tables.problems.iter().map(|problem| problem.code).collect();
        assert_eq!(codes, ["label-unknown", "label-unknown"]);
        assert!(report.typed.iter().all(|typed| typed.view.name != VIEW.name || typed.rows() == 0));
    }
}
