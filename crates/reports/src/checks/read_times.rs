use super::figure::{Figure, Range};
use super::pages::{Pages, Sheet};
use super::{Check, Say, Violation};
use crate::model::Row;
use crate::value::Suffix;

/// A read of a tablespace or file takes about as long as sessions wait for one. On some platforms these tables print seconds where the
/// waits say milliseconds.
pub static CHECK: Check = Check {
    name: "read_times",
    about: "reads of a tablespace or file take no second and more where sessions waited a hundredth of that for one",
    code: "implausible-value",
    find,
};

const TITLES: &[&str] = &["tablespaceio", "fileio"];
const WAITS: &[&str] = &["foregroundwaitevents"];
const EVENTS: [&str; 2] = ["dbfilesequentialread", "cellsingleblockphysicalread"];
/// A slow tablespace is ten or twenty times slower than a database's usual one.
const TIMES_MAX: f64 = 100.0;
/// Where most reads are from a cache, those from a disk may take a hundred times as long, and are still fast.
const READ_MS_MIN: f64 = 1000.0;

fn find(pages: &Pages<'_>, say: Say<'_>) {
    let Some(waited) = waited(pages) else { return };
    let limit = Range::exact((waited.range.most * TIMES_MAX).max(READ_MS_MIN));
    for sheet in pages.sheets(TITLES) {
        let Some(column) = sheet.column(&["avrd(ms)", "avreads(ms)"]) else { continue };
        for row in sheet.rows() {
            let Some(read) = milliseconds(&sheet, *row, column) else { continue };
            if !read.range.is_at_most(limit) {
                let message = format!("a read takes {}, and sessions waited {} for one", read.place, waited.place);
                say(Violation::of(&read, message));
            }
        }
    }
}

/// What sessions waited for a single block on average.
fn waited<'a>(pages: &'a Pages<'a>) -> Option<Figure<'a>> {
    pages.sheets(WAITS).find_map(|sheet| {
        let column = sheet.column(&["avgwait(ms)", "waitavg(ms)", "avgwait"])?;
        let row = EVENTS.iter().find_map(|event| sheet.row(event))?;
        milliseconds(&sheet, row, column).filter(|waited| waited.range.most > 0.0)
    })
}

/// A time in milliseconds: a bare number is of these, others say their unit.
fn milliseconds<'a>(sheet: &Sheet<'a>, row: Row, column: usize) -> Option<Figure<'a>> {
    let suffix = sheet.cell(row, column)?.suffix;
    let figure = sheet.figure(row, column)?;
    let factor = if suffix.is_time() { 1e3 } else { 1.0 };
    (suffix == Suffix::None || suffix.is_time())
        .then(|| Figure { range: figure.range.scaled(factor), ..figure })
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::CHECK;

    fn said(read: &str, heading: &str, waited: &str) -> Vec<String> {
        let reads: &[&str] = &["Tablespace", "Reads", "Av Rds/s", "Av Rd(ms)"];
        let waits: &[&str] = &["Event", "Waits", "Total Wait Time (s)", heading];
        let rows: [&[&str]; 2] =
            [&["USERS", "90", "2", read], &["db file sequential read", "50", "1", waited]];
        let tables =
            [("Tablespace IO Stats", reads, &rows[..1]), ("Foreground Wait Events", waits, &rows[1..])];
        found(&CHECK, &tables)
    }

    #[test]
    fn reads_of_many_seconds_beside_short_waits_cannot_be() {
        let found = said("18,110.07", "Avg wait (ms)", "2.07");
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("'18,110.07'") && found[0].contains("'2.07'"), "{}", found[0]);
        assert_eq!(said("18,110.07", "Avg wait", "2.07ms").len(), 1);
        assert_eq!(said("18,110.07", "Avg wait", "1.2 s"), [""; 0]);
    }

    #[test]
    fn slow_ones_may_be() {
        assert_eq!(said("150.00", "Avg wait (ms)", "2.07"), [""; 0]);
        assert_eq!(said("11.00", "Avg wait", "4.42us"), [""; 0]);
    }
}
