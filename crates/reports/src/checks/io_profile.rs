use super::pages::Pages;
use super::{Check, Say, Violation};
use crate::value::MIB;

/// The IO profile is made of the instance's statistics.
pub static CHECK: Check = Check {
    name: "io_profile",
    about: "what the IO profile says per second is what the instance's statistics say, and both directions add up",
    code: "identity-violated",
    find,
};

/// The row, the columns in question, the statistic and how many of its units make one of the row's.
const SAME: &[(&str, &[&str], &str, f64)] = &[
    ("totalrequests", READ, "physicalreadtotaliorequests", 1.0),
    ("totalrequests", WRITTEN, "physicalwritetotaliorequests", 1.0),
    ("databaserequests", READ, "physicalreadiorequests", 1.0),
    ("databaserequests", WRITTEN, "physicalwriteiorequests", 1.0),
    ("total(mb)", READ, "physicalreadtotalbytes", MIB),
    ("total(mb)", WRITTEN, "physicalwritetotalbytes", MIB),
    ("database(mb)", READ, "physicalreadbytes", MIB),
    ("database(mb)", WRITTEN, "physicalwritebytes", MIB),
    ("database(blocks)", READ, "physicalreads", 1.0),
    ("database(blocks)", WRITTEN, "physicalwrites", 1.0),
];
const READ: &[&str] = &["readpersecond", "read/second"];
const WRITTEN: &[&str] = &["writepersecond", "write/second"];
const BOTH: &[&str] = &["read+writepersecond", "read+write/second"];

fn find(pages: &Pages<'_>, say: Say<'_>) {
    statistics(pages, say);
    sums(pages, say);
}

fn statistics(pages: &Pages<'_>, say: Say<'_>) {
    let found = pages.sheets(&["ioprofile"]).flat_map(|sheet| {
        SAME.iter().filter_map(move |(label, columns, name, units)| {
            let shown = sheet.labelled_rate(label, sheet.column(columns)?)?;
            let counted = pages.per_second(name)?;
            let same = shown.range.scaled(*units).meets(counted.range);
            let message = || format!("the IO profile's {} is not {}", shown.place, counted.place);
            (!same).then(|| Violation::of(&shown, message()))
        })
    });
    found.for_each(say);
}

fn sums(pages: &Pages<'_>, say: Say<'_>) {
    let found = pages.sheets(&["ioprofile"]).flat_map(|sheet| {
        let columns = [BOTH, READ, WRITTEN].map(|names| sheet.column(names));
        sheet.rows().iter().filter_map(move |row| {
            let [both, read, written] = columns.map(|column| sheet.rate(*row, column?));
            let (both, read, written) = (both?, read?, written?);
            let same = both.range.meets(read.range.plus(written.range));
            let message = || format!("{} is not the sum of {} and {}", both.place, read.place, written.place);
            (!same).then(|| Violation::of(&both, message()))
        })
    });
    found.for_each(say);
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::CHECK;

    fn profile(row: &'static [&'static str]) -> Vec<String> {
        let headings: &[&str] = &["", "Read+Write Per Second", "Read per Second", "Write Per Second"];
        let activity: &[&[&str]] = &[&["physical read total bytes", "9", "1,048,600.4"]];
        let activity =
            ("Instance Activity Stats", &["Statistic", "Total", "per Second"] as &[&str], activity);
        found(&CHECK, &[("IO Profile", headings, &[row]), activity])
    }

    #[test]
    fn directions_add_up_and_are_those_of_the_statistics() {
        assert_eq!(profile(&["Total (MB):", "1.6", "1.0", "0.5"]), [""; 0]);
        assert!(profile(&["Total (MB):", "1.9", "1.0", "0.5"])[0].contains("not the sum"));
        assert!(profile(&["Total (MB):", "3.0", "2.0", "1.0"])[0].contains("physical read total bytes"));
    }
}
