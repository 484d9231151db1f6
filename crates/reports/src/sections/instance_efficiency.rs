use super::view::{Shape, View, number, text};

/// Hit ratios and their like.
pub static VIEW: View = View {
    name: "instance_efficiency",
    about: "a ratio of the instance, best at 100 %",
    titles: &[
        "instanceefficiencypercentages(target#%)",
        "instanceefficiencyindicators",
        "instanceefficiencypercentages",
    ],
    shape: Shape::Pairs(&[
        "buffernowait%",
        "redonowait%",
        "bufferhit%",
        "in-memorysort%",
        "optimalw/aexec%",
        "libraryhit%",
        "softparse%",
        "executetoparse%",
        "latchhit%",
        "parsecputoparseelapsd%",
        "%non-parsecpu",
        "flashcachehit%",
    ]),
    columns: &[text("statistic", &[("", 1.0)]), number("percent", &[])],
};

#[cfg(test)]
mod tests {
    use super::VIEW;
    use crate::sections::testing::{html, rows};

    #[test]
    fn each_pair_of_a_line_is_a_row() {
        let text = "
Instance Efficiency Percentages (Target 100%)
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
            Buffer Nowait %:   99.95       Redo NoWait %:   99.99
Parse CPU to Parse Elapsd %:   35.59     % Non-Parse CPU:
";
        let page = html(
            "Instance Efficiency Percentages (Target 100%)",
            &[],
            &[
                &["Buffer Nowait %:", "99.95", "Redo NoWait %:", "99.99"],
                &["Parse CPU to Parse Elapsd %:", "35.59", "% Non-Parse CPU:", ""],
            ],
        );
        let expected = [
            "statistic=Buffer Nowait % percent=99.95",
            "statistic=Redo NoWait % percent=99.99",
            "statistic=Parse CPU to Parse Elapsd % percent=35.59",
            "statistic=% Non-Parse CPU",
        ];
        assert_eq!(rows(&VIEW, text), expected);
        assert_eq!(rows(&VIEW, &page), expected);
    }
}
