//! The one table model that text and HTML reports become: report, tables, rows, cells.
//!
//! Nothing is copied out of the report: a cell is a place in its text. Cells of all tables stand in one vector, rows in another,
//! so that a report of 40,000 cells is a handful of allocations.

use std::sync::Arc;

use bytestring::ByteString;

use crate::bounds::{Bound, COLUMN_BYTES, Room};
use crate::numbers::Numbers;
pub use crate::problems::Problem;
use crate::problems::Problems;
use crate::value::{self, Decimal, Suffix};

/// A piece of the report's text, in bytes from its begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub start: u32,
    /// How long it is.
    pub len: u32,
}

impl Span {
    /// From one byte up to another.
    pub fn between(start: usize, end: usize) -> Self {
        Self { start: start as u32, len: (end - start) as u32 }
    }
}

/// The decoded text of a report, and pieces that do not stand in it as they are, such as a cell with entities.
#[derive(Debug, Default)]
pub struct Text {
    source: ByteString,
    made: String,
}

impl Text {
    /// Of a decoded report.
    pub fn new(source: impl Into<ByteString>) -> Self {
        Self { source: source.into(), made: String::new() }
    }

    /// The report as it was decoded.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The words of a place.
    pub fn get(&self, span: Span) -> &str {
        words_at(&self.source, &self.made, span)
    }

    /// The two parts, so that one can grow while the other is read.
    pub fn parts(&mut self) -> (&str, Made<'_>) {
        (&self.source, Made { begin: self.source.len(), words: &mut self.made })
    }
}

fn words_at<'a>(source: &'a str, made: &'a str, span: Span) -> &'a str {
    let start = span.start as usize;
    let (from, start) = if start < source.len() { (source, start) } else { (made, start - source.len()) };
    from.get(start..start + span.len as usize).unwrap_or("")
}

/// Words of cells that do not stand in the report as they are.
pub struct Made<'a> {
    begin: usize,
    words: &'a mut String,
}

impl Made<'_> {
    /// The words of a place, there or in the source.
    pub fn get<'b>(&'b self, source: &'b str, span: Span) -> &'b str {
        words_at(source, self.words, span)
    }

    /// Keeps them.
    pub fn keep(&mut self, words: &str) -> Span {
        let start = self.begin + self.words.len();
        self.words.push_str(words);
        Span::between(start, start + words.len())
    }
}

/// Words without white space at their ends, and where they stand; a no-break space is white as well.
pub fn trimmed(words: &str, span: Span) -> (&str, Span) {
    let kept = words.trim_ascii_start();
    let start = span.start as usize + words.len() - kept.len();
    let kept = kept.trim_ascii_end();
    let is_ascii = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii);
    if is_ascii(kept.as_bytes().first()) && is_ascii(kept.as_bytes().last()) {
        return (kept, Span::between(start, start + kept.len()));
    }
    let darker = kept.trim_start();
    let start = start + kept.len() - darker.len();
    let kept = darker.trim_end();
    (kept, Span::between(start, start + kept.len()))
}

/// Room is made at once for what so long a report holds.
const BYTES_USUAL: usize = 4 << 20;

/// So much of a title is kept: no report has a longer one, and each of its tables has it.
const TITLE_CHARACTERS_MAX: usize = 200;

/// Words as a title, cut where they are too long for one.
pub fn title_of(words: &str) -> &str {
    let end = words.char_indices().nth(TITLE_CHARACTERS_MAX).map_or(words.len(), |(at, _)| at);
    &words[..end]
}

/// What became of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A number, with its unit where one is printed.
    Typed,
    /// Words.
    Text,
    /// Nothing is printed. Unknown, and not zero.
    Blank,
    /// A number too wide for its column: `####`.
    Overflow,
    /// Should be a number and cannot be read as one.
    Failed,
}

impl Status {
    /// Each, at its own place.
    pub const ALL: [Self; 5] = [Self::Typed, Self::Text, Self::Blank, Self::Overflow, Self::Failed];

    /// As outputs name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Typed => "typed",
            Self::Text => "text",
            Self::Blank => "blank",
            Self::Overflow => "overflow",
            Self::Failed => "failed",
        }
    }
}

/// One cell.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Its words, trimmed.
    pub span: Span,
    /// The number as printed, without its suffix. Only with [`Status::Typed`].
    pub number: f64,
    /// The line of the file that it begins in, from 1.
    pub line: u32,
    /// The column of the table, from 0.
    pub column: u16,
    /// What became of it.
    pub status: Status,
    /// What follows the number.
    pub suffix: Suffix,
}

impl Cell {
    /// From the words at a place.
    #[inline(always)]
    pub fn read(words: &str, span: Span, line: u32, column: usize, decimal: Decimal) -> Self {
        let (words, span) = trimmed(words, span);
        let words = words.as_bytes();
        let (status, number, suffix) = match value::parse(words, decimal) {
            _ if words.is_empty() => (Status::Blank, 0.0, Suffix::None),
            Some((number, suffix)) => (Status::Typed, number, suffix),
            None if value::is_overflow(words) => (Status::Overflow, 0.0, Suffix::None),
            None => (Status::Text, 0.0, Suffix::None),
        };
        Self { span, number, line, column: column as u16, status, suffix }
    }

    /// The number in units of the suffix: `18K` is 18,000, or 18,432 where K is 1024. None where there is none.
    pub fn scaled(&self, kilo: f64) -> Option<f64> {
        (self.status == Status::Typed).then(|| self.number * self.suffix.factor(kilo))
    }
}

/// The cells of one row: a range of the report's cells.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The first cell's index.
    pub first: u32,
    /// How many.
    pub len: u32,
}

/// One table as printed.
#[derive(Debug, Default)]
pub struct Table {
    /// The heading it stands under.
    pub title: String,
    /// Whether another table came since its title, which may be that table's alone.
    pub stray: bool,
    /// The words of HTML's `summary`; empty where there are none.
    pub summary: String,
    /// Headings, stacked ones joined by a space; tables of one kind share them.
    pub columns: Arc<[String]>,
    /// The first row's index.
    pub first_row: u32,
    /// How many rows.
    pub row_count: u32,
    /// The line of the file that it begins in, from 1.
    pub line: u32,
    /// Whether lines are lost between its rows and the end of its section, so that nobody knows whose rows these are.
    pub is_torn: bool,
    /// The typed view that reads it; empty where none does.
    pub view: &'static str,
}

/// The tables of a report while they are read, and afterwards.
#[derive(Debug, Default)]
pub struct Tables {
    /// In the order of the report.
    pub tables: Vec<Table>,
    /// Of all tables.
    pub rows: Vec<Row>,
    /// Of all rows.
    pub cells: Vec<Cell>,
    /// Those of them that are not as wide as the headings over them, in order.
    pub odd_rows: Vec<u32>,
    /// What was found wrong.
    pub problems: Problems,
    /// How the report writes decimals.
    pub decimal: Decimal,
    /// What may still come of it.
    pub room: Room,
    /// Whether a bound is met, so that nothing more may come of what is read at the moment.
    pub is_full: bool,
    /// What became of the numbers that are printed.
    pub numbers: Numbers,
}

impl Tables {
    /// Says so where numbers are printed that nothing holds.
    pub fn require_numbers_read(&mut self) {
        let numbers = self.numbers;
        let Some(line) = numbers.unread_line else { return };
        let printed = self.printed();
        if !numbers.are_lost(printed) {
            return;
        }
        let message = format!(
            "{} of {} numbers stand in no table, head, finding or note that is known here, the first in this line",
            numbers.unread, printed
        );
        self.problem("numbers-unread", line, "", message);
    }

    /// The rows of a table.
    pub fn rows_of(&self, table: &Table) -> &[Row] {
        &self.rows[table.first_row as usize..(table.first_row + table.row_count) as usize]
    }

    /// The cells of a row.
    pub fn cells_of(&self, row: Row) -> &[Cell] {
        &self.cells[row.first as usize..(row.first + row.len) as usize]
    }

    /// Makes room for what a report of so many bytes usually holds, by how many of them a row and a cell take.
    pub fn reserve(&mut self, bytes: usize, row_bytes: usize, cell_bytes: usize) {
        let usual_bytes = bytes.min(BYTES_USUAL);
        self.rows.reserve(usual_bytes / row_bytes);
        self.cells.reserve(usual_bytes / cell_bytes);
    }

    /// Begins a row; cells that are pushed belong to it until the next one begins.
    pub fn begin_row(&mut self) {
        self.rows.push(Row { first: self.cells.len() as u32, len: 0 });
    }

    /// Adds a cell to the row that was begun last.
    pub fn push(&mut self, words: &str, span: Span, line: u32, column: usize) {
        let cell = Cell::read(words, span, line, column, self.decimal);
        self.cells.push(cell);
        if let Some(row) = self.rows.last_mut() {
            row.len += 1;
        }
    }

    /// Takes back the last row where it has no cells.
    pub fn end_row(&mut self) {
        if self.rows.last().is_some_and(|row| row.len == 0) {
            self.rows.pop();
        }
    }

    /// Adds a table, whose rows were added last.
    pub fn push_table(&mut self, table: Table) {
        let line = table.line;
        let names: usize = table.columns.iter().map(|name| name.len() + COLUMN_BYTES).sum();
        self.tables.push(table);
        self.charge(Bound::Tables, 1, line);
        self.charge(Bound::ColumnNames, names, line);
    }

    /// Something came at a line: where there is too much of it, nothing more may come.
    #[inline]
    pub fn charge(&mut self, bound: Bound, count: usize, line: u32) {
        if !self.room.take(bound, count) {
            self.meet(bound, line);
        }
    }

    /// There is too much of something at a line: nothing more may come.
    #[cold]
    pub fn meet(&mut self, bound: Bound, line: u32) {
        self.is_full = true;
        self.say_met(bound, line);
    }

    /// Says that there is too much of something, once.
    pub fn say_met(&mut self, bound: Bound, line: u32) {
        if let Some(message) = self.room.meet(bound) {
            let code = "page-unlikely";
            self.problems.put_first(Problem { code, line: Some(line), section: None, message, loses: true });
        }
    }

    /// Counts all lines from where the report begins in its file.
    pub fn begin_at(&mut self, first_line: u32) {
        let above = first_line.saturating_sub(1);
        if above == 0 {
            return;
        }
        let problems = self.problems.lines_mut();
        let tables = self.tables.iter_mut().map(|table| &mut table.line);
        let cells = self.cells.iter_mut().map(|cell| &mut cell.line);
        let numbers = self.numbers.unread_line.as_mut();
        problems.chain(tables).chain(cells).chain(numbers).for_each(|line| *line += above);
    }

    /// How many numbers are printed. Of a page, whose tags have numbers as well, those in cells are counted by cell.
    pub fn printed(&self) -> u32 {
        if self.numbers.printed > 0 {
            return self.numbers.printed;
        }
        let is_number = |cell: &&Cell| !matches!(cell.status, Status::Text | Status::Blank);
        let in_cells = self.cells.iter().filter(is_number).count() as u32;
        in_cells + self.numbers.notes + self.numbers.unread
    }

    /// Says that something is wrong.
    pub fn problem(&mut self, code: &'static str, line: u32, section: &str, message: String) {
        self.problems.push(Problem {
            code,
            line: Some(line),
            section: (!section.is_empty()).then(|| section.to_owned()),
            message,
            loses: true,
        });
    }
}
