//! What a report may make of memory: every bound in one place, with its reason.
//!
//! Whoever reads files of strangers must not take more than a small multiple of their length. So what a reader makes of a report is
//! counted while it is read; one that meets a bound is told of (`page-unlikely`, with the line and the bound) and not read further.
//! The most that known reports have stands with each number: no real one comes near.

use crate::kind::Form;
use crate::limits::FILE_REPORTS_MAX;

/// Tables in tables. Oracle's pages have none in another; a page that tables lay out has two or three.
pub const NESTING_MAX: usize = 32;
/// Tables of a report. Known ones have 170; each takes one to two kilobytes until it is told.
pub const TABLES_MAX: usize = 10_000;
/// Cells that any report may have, however short it is.
pub const CELLS_FREE: usize = 200_000;
/// Beyond those, one cell for so many bytes of a page: known ones have one for 56. A cell takes 40 bytes of memory.
pub const HTML_CELL_BYTES: usize = 12;
/// The same of a text, which has no tags: known ones have one for 13.
pub const TEXT_CELL_BYTES: usize = 8;
/// Columns of a table in HTML: the widest of a cluster have a few for each of its instances, 37 in known ones.
pub const HTML_COLUMNS_MAX: usize = 1000;
/// Columns of a table in text: no page has room for more; known ones have 52.
pub const TEXT_COLUMNS_MAX: usize = 500;
/// Rows of headings above each other in HTML: known tables have three.
pub const HEADING_ROWS_MAX: usize = 100;
/// Bytes that the names of all columns take, with `COLUMN_BYTES` for each: 62 KB in known reports. A heading that spans columns is
/// repeated in the name of each.
pub const COLUMN_NAMES_BYTES_MAX: usize = 16 << 20;
/// What a column takes besides its name.
pub const COLUMN_BYTES: usize = 24;
/// Of a file with several reports, each may have one table, one instance and one problem for so many bytes, whatever the others have:
/// known ones have a table for 560, and far less of the others.
pub const TABLE_BYTES: usize = 256;
/// The same of one byte of column names: known reports have one for 12.
pub const COLUMN_NAMES_SHARE: usize = 4;
/// Lines that any report may have, however short it is.
pub const LINES_FREE: usize = 200_000;
/// Beyond those, one line for so many bytes of a page: known ones have one for 44, and one cell may stand in each.
pub const HTML_LINE_BYTES: usize = 8;
/// The same of a text: known ones have one for 55. Each takes 50 to 150 bytes of memory.
pub const TEXT_LINE_BYTES: usize = 16;
/// The longest line of text: SQL*Plus writes 32,767 characters at most, of up to 4 bytes each. Pages may be one line.
pub const LINE_BYTES_MAX: usize = 256 << 10;
/// Bytes that any text may have when its tabs are spaces, however short it is.
pub const TABS_BYTES_FREE: usize = 1 << 20;
/// Beyond those, it may be so many times longer than with tabs: one stands for eight spaces at most, and words stand between.
pub const TABS_FACTOR_MAX: usize = 4;
/// Bytes of ADDM's findings besides twice the report's length: each recommendation has the words of its finding.
pub const FINDINGS_BYTES_FREE: usize = 16 << 20;
/// Values of typed views that any report may have: rows times columns, whether a cell feeds them or not.
pub const VIEW_VALUES_FREE: usize = 500_000;
/// Beyond those, one value for so many bytes: known reports have one for 9. A value takes 28 bytes of memory.
pub const VIEW_VALUE_BYTES: usize = 4;
/// Bytes of words in typed views besides twice the report's length: a title or a heading may stand in each row.
pub const VIEW_WORDS_BYTES_FREE: usize = 16 << 20;
/// Instances of a cluster: Oracle supports a hundred.
pub const INSTANCES_MAX: usize = 1000;
/// Bytes of what a head says, such as a host's name: what is longer was never meant, and is unknown.
pub const HEAD_WORDS_BYTES_MAX: usize = 1000;
/// Problems of a report that are told one by one: the most in known reports is nine, and nobody reads thousands.
pub const PROBLEMS_MAX: usize = 5000;
/// Bytes of one problem's message: what it quotes of the report may be of any length.
pub const MESSAGE_BYTES_MAX: usize = 2000;
/// Characters of a title, a label, a heading or a number that a check quotes: those of known reports have 64 at most.
pub const QUOTED_CHARACTERS_MAX: usize = 120;

/// Something that is counted, or measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// How deep tables stand in tables.
    Nesting,
    /// Tables.
    Tables,
    /// Cells, those of headings among them.
    Cells,
    /// Rows of headings of one table.
    HeadingRows,
    /// Bytes of the names of columns.
    ColumnNames,
    /// Lines.
    Lines,
    /// The length of a line of text.
    Line,
    /// The length of a text whose tabs are spaces.
    Tabs,
    /// Bytes of ADDM's findings.
    Findings,
    /// Values of typed views.
    ViewValues,
    /// Bytes of words in typed views.
    ViewWords,
    /// Instances of a cluster.
    Instances,
    /// Problems that are told one by one.
    Problems,
    /// Reports of a file.
    Reports,
}

impl Bound {
    const ALL: [Self; 14] = [
        Self::Nesting,
        Self::Tables,
        Self::Cells,
        Self::HeadingRows,
        Self::ColumnNames,
        Self::Lines,
        Self::Line,
        Self::Tabs,
        Self::Findings,
        Self::ViewValues,
        Self::ViewWords,
        Self::Instances,
        Self::Problems,
        Self::Reports,
    ];

    /// What the reports of a file may have together, however short they are.
    fn free(self) -> usize {
        match self {
            Self::Nesting => NESTING_MAX,
            Self::Tables => TABLES_MAX,
            Self::Cells => CELLS_FREE,
            Self::HeadingRows => HEADING_ROWS_MAX,
            Self::ColumnNames => COLUMN_NAMES_BYTES_MAX,
            Self::Lines => LINES_FREE,
            Self::Line => LINE_BYTES_MAX,
            Self::Tabs => TABS_BYTES_FREE,
            Self::Findings => FINDINGS_BYTES_FREE,
            Self::ViewValues => VIEW_VALUES_FREE,
            Self::ViewWords => VIEW_WORDS_BYTES_FREE,
            Self::Instances => INSTANCES_MAX,
            Self::Problems => PROBLEMS_MAX,
            Self::Reports => FILE_REPORTS_MAX,
        }
    }

    /// What a report of so many bytes may have besides.
    fn earned(self, form: Form, bytes: usize) -> usize {
        match (self, form) {
            (Self::Tables | Self::Instances | Self::Problems, _) => bytes / TABLE_BYTES,
            (Self::Cells, Form::Html) => bytes / HTML_CELL_BYTES,
            (Self::Cells, Form::Text) => bytes / TEXT_CELL_BYTES,
            (Self::ColumnNames, _) => bytes / COLUMN_NAMES_SHARE,
            (Self::Lines, Form::Html) => bytes / HTML_LINE_BYTES,
            (Self::Lines, Form::Text) => bytes / TEXT_LINE_BYTES,
            (Self::Tabs, _) => bytes * TABS_FACTOR_MAX,
            (Self::Findings | Self::ViewWords, _) => 2 * bytes,
            (Self::ViewValues, _) => bytes / VIEW_VALUE_BYTES,
            (Self::Nesting | Self::HeadingRows | Self::Line | Self::Reports, _) => 0,
        }
    }

    /// Whether no report may have more than is free, however long it is: what it earns lets others in its file have their own.
    fn is_fixed(self) -> bool {
        matches!(self, Self::Tables | Self::ColumnNames | Self::Instances | Self::Problems)
    }

    /// What there is too much of, and what follows, in a sentence.
    fn message(self, max: usize) -> String {
        let max = grouped(max);
        let (what, so) = match self {
            Self::Nesting => (format!("tables in tables, more than {max} deep"), NOT_FURTHER),
            Self::Tables => (format!("more than {max} tables"), NOT_FURTHER),
            Self::Cells => (format!("more than {max} cells in a report of this length"), NOT_FURTHER),
            Self::HeadingRows => (format!("more than {max} rows of headings in a table"), NOT_FURTHER),
            Self::ColumnNames => (format!("more than {max} bytes of column names"), NOT_FURTHER),
            Self::Lines => (format!("more than {max} lines in a report of this length"), NOT_FURTHER),
            Self::Line => (format!("a line of more than {max} bytes"), NOT_FURTHER),
            Self::Tabs => (format!("tabs for more than {max} bytes in a report of this length"), NOT_FURTHER),
            Self::Findings => (format!("more than {max} bytes of findings"), NOT_FURTHER),
            Self::ViewValues => (format!("more than {max} values of typed views"), NO_VIEWS),
            Self::ViewWords => (format!("more than {max} bytes of words in typed views"), NO_VIEWS),
            Self::Instances => (format!("more than {max} instances"), "the others are left out"),
            Self::Problems => (format!("more than {max} problems"), "the others are left out"),
            Self::Reports => (format!("more than {max} reports in a file"), "the others are left out"),
        };
        format!("{what}, which no database prints: {so}")
    }
}

const NOT_FURTHER: &str = "nothing is read from here on";
const NO_VIEWS: &str = "tables have no typed view from here on";

/// As much of each bound as a place has.
type Counts = [usize; Bound::ALL.len()];

/// What the reports of a file may have however short they are, as far as those before have left it.
pub struct Free(Counts);

impl Free {
    /// Takes what a report had beyond what it earned.
    pub fn spend(&mut self, room: &Room) {
        for (at, free) in self.0.iter_mut().enumerate() {
            let had = room.max[at] - room.left[at];
            *free = free.saturating_sub(had.saturating_sub(room.earned[at]));
        }
    }
}

impl Default for Free {
    fn default() -> Self {
        Self(Bound::ALL.map(Bound::free))
    }
}

/// What a report may still have.
#[derive(Debug)]
pub struct Room {
    max: Counts,
    earned: Counts,
    left: Counts,
    is_met: [bool; Bound::ALL.len()],
}

impl Room {
    /// Of a report of so many bytes in a file.
    pub fn of(form: Form, bytes: usize, free: &Free) -> Self {
        let earned = Bound::ALL.map(|bound| bound.earned(form, bytes));
        let max = Bound::ALL.map(|bound| {
            let max = free.0[bound as usize] + earned[bound as usize];
            if bound.is_fixed() { max.min(bound.free()) } else { max }
        });
        Self { max, earned, left: max, is_met: Default::default() }
    }

    /// How much is left.
    pub fn left(&self, bound: Bound) -> usize {
        self.left[bound as usize]
    }

    /// Takes so much of it, or all that is left: whether it was there.
    #[inline]
    pub fn take(&mut self, bound: Bound, count: usize) -> bool {
        let left = &mut self.left[bound as usize];
        let is_there = count <= *left;
        *left = left.saturating_sub(count);
        is_there
    }

    /// What to say of a bound that is met; None where that is said already.
    pub fn meet(&mut self, bound: Bound) -> Option<String> {
        let is_known = std::mem::replace(&mut self.is_met[bound as usize], true);
        (!is_known).then(|| bound.message(self.max[bound as usize]))
    }
}

impl Default for Room {
    fn default() -> Self {
        Self::of(Form::default(), 0, &Free::default())
    }
}

/// As people write it: `10,000`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let lead = digits.len() % 3;
    let (first, rest) = digits.split_at(lead);
    let threes = rest.as_bytes().chunks(3).map(|three| String::from_utf8_lossy(three).into_owned());
    let groups = (lead > 0).then(|| first.to_owned()).into_iter().chain(threes);
    groups.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([1, 100, 1000, 16_777_216].map(grouped), ["1", "100", "1,000", "16,777,216"]);
    }

    #[test]
    fn bounds_stand_at_their_own_places() {
        for (at, bound) in Bound::ALL.into_iter().enumerate() {
            assert_eq!(bound as usize, at, "{bound:?}");
        }
    }

    #[test]
    fn what_is_taken_is_no_longer_there_and_a_bound_is_met_once() {
        let mut room = Room::of(Form::Html, 1200, &Free::default());
        assert_eq!(room.left(Bound::Cells), CELLS_FREE + 100);
        assert!(room.take(Bound::Cells, CELLS_FREE + 100));
        assert!(!room.take(Bound::Cells, 1));
        let said = room.meet(Bound::Cells).unwrap_or_default();
        assert!(said.starts_with("more than 200,100 cells in a report of this length"), "{said}");
        assert_eq!(room.meet(Bound::Cells), None);
    }

    #[test]
    fn reports_of_a_file_share_what_is_free() {
        let mut free = Free::default();
        let mut room = Room::of(Form::Html, 1200, &free);
        room.take(Bound::Cells, 99);
        free.spend(&room);
        assert_eq!(Room::of(Form::Html, 0, &free).left(Bound::Cells), CELLS_FREE);
        room.take(Bound::Cells, CELLS_FREE);
        free.spend(&room);
        assert_eq!(Room::of(Form::Html, 2400, &free).left(Bound::Cells), 201);
    }

    #[test]
    fn no_report_has_more_tables_than_it_may_alone_and_each_has_its_own() {
        let mut free = Free::default();
        for _ in 0..10 {
            let mut room = Room::of(Form::Html, TABLES_MAX * TABLE_BYTES, &free);
            assert!(room.take(Bound::Tables, TABLES_MAX) && !room.take(Bound::Tables, 1));
            free.spend(&room);
        }
        let mut room = Room::of(Form::Html, 0, &free);
        assert!(room.take(Bound::Tables, TABLES_MAX));
        free.spend(&room);
        assert!(!Room::of(Form::Html, TABLE_BYTES - 1, &free).take(Bound::Tables, 1));
    }
}
