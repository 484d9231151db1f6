use super::figure::Range;
use super::pages::{Pages, Sheet};
use super::{Check, Say, Violation};
use crate::model::{Cell, Row, Status};
use crate::words::plain;

/// Every wait fell into one bucket of its histogram.
pub static CHECK: Check = Check {
    name: "histogram_sums",
    about: "the shares of a wait histogram are those of all its waits",
    code: "identity-violated",
    find,
};

/// Titles are compared whole: tables of a part of the buckets have more words, as `(up to 32 ms)`.
const TITLES: &[&str] = &["waiteventhistogram"];
const ALL_PERCENT: f64 = 100.0;

fn find(pages: &Pages<'_>, say: Say<'_>) {
    let whole = pages.sheets(TITLES).filter(|sheet| !sheet.table.title.to_lowercase().contains("up to"));
    whole.for_each(|sheet| violations(&sheet, say));
}

fn violations(sheet: &Sheet<'_>, say: Say<'_>) {
    let headings: Vec<String> = sheet.table.columns.iter().map(|heading| plain(heading)).collect();
    let is_bucket = |heading: &String| heading.contains(['<', '>']) && heading.contains('%');
    let buckets: Vec<bool> = headings.iter().map(is_bucket).collect();
    let count = buckets.iter().filter(|is_bucket| **is_bucket).count();
    if count >= BUCKETS_MIN {
        sheet.rows().iter().filter_map(|row| violation(sheet, *row, &buckets, count)).for_each(say);
    }
}

/// Fewer are no histogram.
const BUCKETS_MIN: usize = 4;

/// A blank bucket holds no waits; one that is cut to its width holds some that nobody can count.
fn violation(sheet: &Sheet<'_>, row: Row, buckets: &[bool], count: usize) -> Option<Violation> {
    let is_bucket = |cell: &&Cell| buckets.get(cell.column as usize) == Some(&true);
    let cells = || sheet.cells(row).iter().filter(is_bucket);
    if cells().any(|cell| cell.status == Status::Overflow) {
        return None;
    }
    let columns = || cells().map(|cell| cell.column as usize);
    let shares: Vec<_> = columns().filter_map(|column| sheet.range(row, column)).collect();
    let blank = Range { least: 0.0, most: 0.05 }.scaled((count - shares.len()) as f64);
    let sum = shares.iter().fold(blank, |sum, share| sum.plus(*share));
    if sum.meets(Range::exact(ALL_PERCENT)) {
        return None;
    }
    let first = columns().find_map(|column| sheet.figure(row, column))?;
    let share: f64 = shares.iter().map(|share| (share.least + share.most) / 2.0).sum();
    let message = format!("the shares of the row that begins with {} add up to {share:.1} %", first.place);
    Some(Violation::of(&first, message))
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::CHECK;

    fn said(shares: [&str; 4]) -> Vec<String> {
        let [a, b, c, d] = shares;
        let headings: &[&str] = &[
            "Event",
            "Total Waits",
            "% of Waits &lt;1ms",
            "% of Waits &lt;2ms",
            "% of Waits &lt;4ms",
            "% of Waits &gt;4ms",
        ];
        found(&CHECK, &[("Wait Event Histogram", headings, &[&["log file sync", "700", a, b, c, d]])])
    }

    #[test]
    fn all_waits_are_a_hundred_percent() {
        assert_eq!(said(["33.3", "33.3", "33.3", ""]), [""; 0]);
        assert!(said(["33.3", "33.3", "3.3", ""])[0].contains("69.9 %"));
        assert_eq!(said(["33.3", "###", "3.3", ""]), [""; 0]);
    }
}
