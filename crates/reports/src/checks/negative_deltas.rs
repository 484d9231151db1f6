use std::collections::HashMap;

use super::figure::{Figure, is_negative};
use super::pages::{Pages, Sheet};
use super::{Check, Say, Violation};
use crate::model::Row;
use crate::words::plain;

/// Counters only grow. One that shrinks between two snapshots began anew or overflowed.
pub static CHECK: Check = Check {
    name: "negative_deltas",
    about: "counters do not shrink between two snapshots",
    code: "negative-delta",
    find,
};

/// Tables of counters.
const TITLES: &[&str] = &[
    "top#",
    "foregroundwait",
    "backgroundwait",
    "waitevents",
    "tablespaceio",
    "fileio",
    "iostatby",
    "timemodel",
    "bufferpoolstatistics",
    "latchstatistics",
    "latchactivity",
    "enqueue",
    "segmentsby",
    "bufferwait",
    "instanceactivitystats",
    "keyinstanceactivitystats",
    "otherinstanceactivitystats",
    "loadprofile",
    "ioprofile",
];
/// Columns that are no counters: shares and differences of them.
const NO_COUNTERS: &[&str] = &["%", "diff", "value", "trend"];
/// Statistics that say how much there is at the moment, and fall when sessions end or clocks are set.
const LEVELS: &[&str] =
    &["current", "memory", "allocated", "cursorsopen", "time", "clock", "scn", "queued", "in-memory", "im"];

fn find(pages: &Pages<'_>, say: Say<'_>) {
    pages.sheets(TITLES).for_each(|sheet| violations(&sheet, say));
}

fn violations(sheet: &Sheet<'_>, say: Say<'_>) {
    let statistics = sheet.column(&["statistic"]).is_some();
    let mut known = HashMap::new();
    let mut counts = |column: usize| *known.entry(column).or_insert_with(|| counts(sheet, column));
    let found = sheet.rows().iter().filter_map(|row| {
        let column = sheet.negative(*row).into_iter().find(|column| counts(*column))?;
        (!statistics || !is_level(sheet, *row)).then(|| sheet.figure(*row, column)).flatten()
    });
    let message = |figure: &Figure<'_>| format!("the counter {} is below zero", figure.place);
    found.map(|figure| Violation::of(&figure, message(&figure))).for_each(say);
}

/// Whether a column is one of counters.
fn counts(sheet: &Sheet<'_>, column: usize) -> bool {
    let heading = sheet.table.columns.get(column).map(|heading| plain(heading));
    heading.is_some_and(|heading| !NO_COUNTERS.iter().any(|word| heading.contains(word)))
}

fn is_level(sheet: &Sheet<'_>, row: Row) -> bool {
    let label = plain(sheet.label(row));
    LEVELS.iter().any(|word| label.contains(word))
}

impl Sheet<'_> {
    /// The columns of a row whose numbers are below zero.
    fn negative(&self, row: Row) -> Vec<usize> {
        let cells = self.cells(row).iter().filter(|cell| is_negative(cell));
        cells.map(|cell| cell.column as usize).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::CHECK;

    #[test]
    fn counters_do_not_shrink_and_levels_may() {
        let rows: &[&[&str]] = &[
            &["physical reads", "-1,200", "-0.33"],
            &["session pga memory", "-9,000", "-2.50"],
            &["user calls", "12", "0.00"],
        ];
        let said = found(&CHECK, &[("Instance Activity Stats", &["Statistic", "Total", "per Second"], rows)]);
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("physical reads"));
    }

    #[test]
    fn minus_nothing_is_nothing() {
        let headings: &[&str] = &["Tablespace", "Reads", "Av Rd(ms)"];
        assert_eq!(found(&CHECK, &[("Tablespace IO Stats", headings, &[&["USERS", "3", "-0.0"]])]), [""; 0]);
        assert_eq!(found(&CHECK, &[("Tablespace IO Stats", headings, &[&["USERS", "-3", "0.0"]])]).len(), 1);
    }
}
