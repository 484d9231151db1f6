use super::pages::Pages;
use super::{Check, Say, Violation};

/// The load profile is made of the instance's statistics.
pub static CHECK: Check = Check {
    name: "load_profile",
    about: "what the load profile says per second is what the instance's statistics say",
    code: "identity-violated",
    find,
};

/// Labels of several releases, and the statistic behind each.
const SAME: &[(&str, &str)] = &[
    ("redosize", "redosize"),
    ("redosize(bytes)", "redosize"),
    ("logicalreads", "sessionlogicalreads"),
    ("logicalread(blocks)", "sessionlogicalreads"),
    ("blockchanges", "dbblockchanges"),
    ("physicalreads", "physicalreads"),
    ("physicalread(blocks)", "physicalreads"),
    ("physicalwrites", "physicalwrites"),
    ("physicalwrite(blocks)", "physicalwrites"),
    ("readiorequests", "physicalreadiorequests"),
    ("writeiorequests", "physicalwriteiorequests"),
    ("usercalls", "usercalls"),
    ("parses", "parsecount(total)"),
    ("parses(sql)", "parsecount(total)"),
    ("hardparses", "parsecount(hard)"),
    ("hardparses(sql)", "parsecount(hard)"),
    ("logons", "logonscumulative"),
    ("executes", "executecount"),
    ("executes(sql)", "executecount"),
];

fn find(pages: &Pages<'_>, say: Say<'_>) {
    let found = pages.sheets(&["loadprofile"]).flat_map(|sheet| {
        let column = sheet.column(&["persecond"]);
        SAME.iter().filter_map(move |(label, name)| {
            let (shown, counted) = (sheet.labelled_rate(label, column?)?, pages.per_second(name)?);
            let message = || format!("the load profile's {} is not {}", shown.place, counted.place);
            (!shown.range.meets(counted.range)).then(|| Violation::of(&shown, message()))
        })
    });
    found.for_each(say);
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::CHECK;

    #[test]
    fn one_statistic_has_one_value() {
        let profile: &[&[&str]] = &[&["Redo size (bytes):", "1,204.5"], &["Logons:", "0.2"]];
        let activity: &[&[&str]] =
            &[&["redo size", "4,336,200", "1,204.52"], &["logons cumulative", "9", "0.31"]];
        let said = found(
            &CHECK,
            &[
                ("Load Profile", &["", "Per Second"], profile),
                ("Instance Activity Stats", &["Statistic", "Total", "per Second"], activity),
            ],
        );
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("'0.2'") && said[0].contains("'0.31'"), "{said:?}");
    }
}
