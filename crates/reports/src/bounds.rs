//! What a report may make of memory: every bound in one place, with its reason.
//!
//! Whoever reads files of strangers must not take more than a small multiple of their length. So what a reader makes of a report is
//! counted while it is read; one that meets a bound is told of (`page-unlikely`, with the line and the bound) and not read further.
//! The most that known reports have stands with each number: no real one comes near.

use crate::kind::Form;

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
}

impl Bound {
    const ALL: [Self; 12] = [
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
    ];

    /// How much of it a report of so many bytes may have.
    pub fn max(self, form: Form, bytes: usize) -> usize {
        match (self, form) {
            (Self::Nesting, _) => NESTING_MAX,
            (Self::Tables, _) => TABLES_MAX,
            (Self::Cells, Form::Html) => CELLS_FREE + bytes / HTML_CELL_BYTES,
            (Self::Cells, Form::Text) => CELLS_FREE + bytes / TEXT_CELL_BYTES,
            (Self::HeadingRows, _) => HEADING_ROWS_MAX,
            (Self::ColumnNames, _) => COLUMN_NAMES_BYTES_MAX,
            (Self::Lines, Form::Html) => LINES_FREE + bytes / HTML_LINE_BYTES,
            (Self::Lines, Form::Text) => LINES_FREE + bytes / TEXT_LINE_BYTES,
            (Self::Line, _) => LINE_BYTES_MAX,
            (Self::Tabs, _) => TABS_BYTES_FREE + bytes * TABS_FACTOR_MAX,
            (Self::Findings, _) => FINDINGS_BYTES_FREE + 2 * bytes,
            (Self::ViewValues, _) => VIEW_VALUES_FREE + bytes / VIEW_VALUE_BYTES,
            (Self::ViewWords, _) => VIEW_WORDS_BYTES_FREE + 2 * bytes,
            (Self::Instances, _) => INSTANCES_MAX,
        }
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
        };
        format!("{what}, which no database prints: {so}")
    }
}

const NOT_FURTHER: &str = "nothing is read from here on";
const NO_VIEWS: &str = "tables have no typed view from here on";

/// What a report may still have.
#[derive(Debug)]
pub struct Room {
    max: [usize; Bound::ALL.len()],
    left: [usize; Bound::ALL.len()],
    is_met: [bool; Bound::ALL.len()],
}

impl Room {
    /// Of a report of so many bytes.
    pub fn of(form: Form, bytes: usize) -> Self {
        let max = Bound::ALL.map(|bound| bound.max(form, bytes));
        Self { max, left: max, is_met: Default::default() }
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
        Self::of(Form::default(), 0)
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
        let mut room = Room::of(Form::Html, 1200);
        assert_eq!(room.left(Bound::Cells), CELLS_FREE + 100);
        assert!(room.take(Bound::Cells, CELLS_FREE + 100));
        assert!(!room.take(Bound::Cells, 1));
        let said = room.meet(Bound::Cells).unwrap_or_default();
        assert!(said.starts_with("more than 200,100 cells in a report of this length"), "{said}");
        assert_eq!(room.meet(Bound::Cells), None);
    }
}
