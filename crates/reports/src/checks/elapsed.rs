use super::figure::Range;
use super::pages::{Pages, Sheet, is_label};
use super::{Check, Say, Violation};
use crate::dates;

/// The time that is printed as elapsed lies between the snapshots.
pub static CHECK: Check = Check {
    name: "elapsed",
    about: "the elapsed time is the time from the first snapshot to the last one",
    code: "identity-violated",
    find,
};

/// A moment is cut to its last digit, so that a difference of two is off by less than one of them.
const SECOND: f64 = 1.0;
const MINUTE: f64 = 60.0;

fn find(pages: &Pages<'_>, say: Say<'_>) {
    one(pages).into_iter().chain(sampled(pages)).for_each(&mut *say);
    pages.head().for_each(|sheet| cluster(&sheet, say));
}

/// Of one instance.
fn one(pages: &Pages<'_>) -> Option<Violation> {
    let elapsed = pages.duration("elapsed")?;
    let (sheet, begin, end) =
        pages.head().find_map(|sheet| Some((sheet, sheet.row("beginsnap")?, sheet.row("endsnap")?)))?;
    let column = sheet.column(&["snaptime"])?;
    let words = |row| sheet.cell(row, column).map(|cell| sheet.words(cell));
    compare(words(begin)?, words(end)?, elapsed.range).then(|| {
        let (begin, end) = (words(begin).unwrap_or_default(), words(end).unwrap_or_default());
        Violation::of(
            &elapsed,
            format!(
                "the elapsed time {} is not that from the snapshot of '{begin}' to that of '{end}'",
                elapsed.place
            ),
        )
    })
}

/// Of the samples of ASH.
fn sampled(pages: &Pages<'_>) -> Option<Violation> {
    let elapsed = pages.duration("elapsedtime")?;
    let moment = |label| pages.head().find_map(|sheet| behind(&sheet, label));
    let (begin, end) = (moment("analysisbegintime")?, moment("analysisendtime")?);
    let message = || format!("the elapsed time {} is not that from '{begin}' to '{end}'", elapsed.place);
    compare(begin, end, elapsed.range).then(|| Violation::of(&elapsed, message()))
}

/// The words behind a label that begins a row.
fn behind<'a>(sheet: &Sheet<'a>, label: &str) -> Option<&'a str> {
    let mut words = sheet.cells(sheet.row(label)?).iter().map(|cell| sheet.words(cell));
    words.find(|words| is_label(words, label))?;
    words.find(|words| !words.is_empty())
}

/// Of each instance of a cluster.
fn cluster(sheet: &Sheet<'_>, say: Say<'_>) {
    let columns = ["beginsnaptime", "endsnaptime", "elapsedtime(min)"].map(|name| sheet.column(&[name]));
    let [Some(begin), Some(end), Some(elapsed)] = columns else { return };
    let violations = sheet.rows().iter().filter_map(|row| {
        let words = |column| sheet.cell(*row, column).map(|cell| sheet.words(cell));
        let figure = sheet.figure(*row, elapsed)?;
        let (begin, end) = (words(begin)?, words(end)?);
        let message = || format!("the elapsed time {} is not that from '{begin}' to '{end}'", figure.place);
        compare(begin, end, figure.range.scaled(MINUTE)).then(|| Violation::of(&figure, message()))
    });
    violations.for_each(say);
}

/// Whether the seconds contradict the moments.
fn compare(begin: &str, end: &str, elapsed_s: Range) -> bool {
    let (Some(first), Some(last)) = (seconds(begin), seconds(end)) else { return false };
    let off = if begin.matches([':', '.']).count() > 1 { SECOND } else { MINUTE };
    !Range::around(last - first, off).meets(elapsed_s)
}

fn seconds(words: &str) -> Option<f64> {
    dates::read(words).as_deref().and_then(dates::seconds)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOUR, found};
    use super::CHECK;

    #[test]
    fn an_hour_is_an_hour() {
        assert_eq!(found(&CHECK, &[HOUR]), [""; 0]);
        let rows: &[&[&str]] = &[
            &["Begin Snap:", "7", "31-Jan-23 23:30:00"],
            &["End Snap:", "8", "01-Feb-23 00:30:00"],
            &["Elapsed:", "", "61.00 (mins)"],
        ];
        let said = found(&CHECK, &[("report for", &["", "Snap Id", "Snap Time"], rows)]);
        assert!(said[0].contains("61.00 (mins)") && said[0].contains("31-Jan-23 23:30:00"), "{said:?}");
    }

    #[test]
    fn samples_of_ash_are_of_the_time_between_their_ends() {
        let report = |elapsed| {
            let rows: &[&[&str]] = &[
                &["Analysis Begin Time:", "31-Jan-23 23:30:00", "V$ACTIVE_SESSION_HISTORY"],
                &["Analysis End Time:", "01-Feb-23 00:30:00", "V$ACTIVE_SESSION_HISTORY"],
                &["Elapsed Time:", elapsed, ""],
            ];
            found(&CHECK, &[("ASH Report For SHOP/shop1", &["", "Sample Time", "Data Source"], rows)])
        };
        assert_eq!(report("60.0 (mins)"), [""; 0]);
        for wrong in ["61.0 (mins)", "-60.0 (mins)", "600.0 (mins)"] {
            let said = report(wrong);
            assert!(said[0].contains(wrong) && said[0].contains("31-Jan-23 23:30:00"), "{said:?}");
        }
    }

    #[test]
    fn the_text_of_ash_is_held_to_the_same() {
        let report = |elapsed| {
            let text = format!(
                "ASH Report For SHOP/shop1\n\n          Analysis Begin Time:   27-Apr-11 07:45:00\n            \
                 Analysis End Time:   27-Apr-11 08:15:00\n                 Elapsed Time:        {elapsed} (mins)\n            \
                 Begin Data Source:   V$ACTIVE_SESSION_HISTORY\n                 Sample Count:      25,697\n"
            );
            crate::read(text.into_bytes()).tables.problems
        };
        assert!(report("30.0").iter().all(|problem| !problem.message.contains("elapsed")));
        assert!(report("31.0").iter().any(|problem| problem.message.contains("27-Apr-11 07:45:00")));
    }

    #[test]
    fn moments_of_a_cluster_are_cut_to_minutes() {
        let headings: &[&str] = &["I#", "Begin Snap Time", "End Snap Time", "Elapsed Time(min)"];
        let rows: &[&[&str]] = &[
            &["1", "01-Feb-23 10:00", "01-Feb-23 10:30", "29.20"],
            &["2", "01-Feb-23 10:00", "01-Feb-23 10:30", "28.90"],
        ];
        let said = found(&CHECK, &[("Database Instances Included In Report", headings, rows)]);
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("28.90"));
    }
}
