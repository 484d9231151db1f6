//! How checks find printed numbers: by the titles of tables, the labels of rows and the headings of columns.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::figure::{Figure, Place, Range};
use crate::header::Header;
use crate::model::{Cell, Row, Status, Table, Tables, Text};
use crate::sections::for_title;
use crate::value;
use crate::words::is_plain;

/// A report under check.
pub struct Pages<'a> {
    /// Its words.
    pub text: &'a Text,
    /// Its tables.
    pub tables: &'a Tables,
    /// Its head.
    pub header: &'a Header,
    titles: Vec<Rc<str>>,
    /// The rows of the instance's statistics: the table of each, and what it begins with.
    statistics: Vec<(usize, Row, &'a str)>,
    /// Which of them says what was asked for by its name: a table may ask for each of its rows, and a report have many such tables.
    named: RefCell<HashMap<&'static str, Option<usize>>>,
}

/// Titles of the tables of statistics. From 12.1.0.2 on the first ones have a table of their own.
pub const STATISTICS: &[&str] =
    &["instanceactivitystats", "keyinstanceactivitystats", "otherinstanceactivitystats"];

/// One of its tables.
#[derive(Clone, Copy)]
pub struct Sheet<'a> {
    pages: &'a Pages<'a>,
    /// The table.
    pub table: &'a Table,
}

impl<'a> Pages<'a> {
    /// Of a report.
    pub fn new(text: &'a Text, tables: &'a Tables, header: &'a Header) -> Self {
        let titles: Vec<_> = tables.tables.iter().map(|table| for_title(&table.title).plain).collect();
        let statistics = rows_of_statistics(text, tables, &titles);
        Self { text, tables, header, titles, statistics, named: RefCell::default() }
    }

    /// What the instance did per second, by the statistic's name in lower case without spaces.
    pub fn per_second(&'a self, name: &'static str) -> Option<Figure<'a>> {
        let known = self.named.borrow().get(name).copied();
        let at = known.unwrap_or_else(|| {
            let found = (0..self.statistics.len()).find(|at| self.is_rate_of(*at, name));
            self.named.borrow_mut().insert(name, found);
            found
        });
        self.rate_of(at?)
    }

    fn is_rate_of(&'a self, at: usize, name: &str) -> bool {
        is_label(self.statistics[at].2, name) && self.rate_of(at).is_some()
    }

    fn rate_of(&'a self, at: usize) -> Option<Figure<'a>> {
        let (table, row, _) = self.statistics[at];
        let sheet = Sheet { pages: self, table: &self.tables.tables[table] };
        sheet.rate(row, sheet.column(&["persecond"])?)
    }

    /// Tables whose title begins with one of these, in lower case without spaces.
    pub fn sheets(&'a self, titles: &'static [&'static str]) -> impl Iterator<Item = Sheet<'a>> {
        let named = self.titles.iter().zip(&self.tables.tables);
        named
            .filter(move |(title, _)| titles.iter().any(|known| title.starts_with(known)))
            .map(|(_, table)| Sheet { pages: self, table })
    }

    /// All tables up to the load profile: the head.
    pub fn head(&'a self) -> impl Iterator<Item = Sheet<'a>> {
        let named = self.titles.iter().zip(&self.tables.tables);
        named
            .take_while(|(title, _)| !title.starts_with("loadprofile"))
            .take(crate::header::TABLES_MAX)
            .map(|(_, table)| Sheet { pages: self, table })
    }

    /// The seconds behind `Elapsed:` in the head, or behind another label there.
    pub fn duration(&'a self, label: &str) -> Option<Figure<'a>> {
        self.head().find_map(|sheet| sheet.first_duration(label))
    }
}

fn rows_of_statistics<'a>(text: &'a Text, tables: &Tables, titles: &[Rc<str>]) -> Vec<(usize, Row, &'a str)> {
    let named = |at: &usize| STATISTICS.iter().any(|title| titles[*at].starts_with(title));
    let rows = |at: usize| tables.rows_of(&tables.tables[at]).iter().map(move |row| (at, *row));
    let labelled = |(at, row)| (at, row, first_words(text, tables, row));
    (0..titles.len()).filter(named).flat_map(rows).map(labelled).collect()
}

fn first_words<'a>(text: &'a Text, tables: &Tables, row: Row) -> &'a str {
    let mut words = tables.cells_of(row).iter().map(|cell| text.get(cell.span));
    words.find(|words| !words.is_empty()).unwrap_or_default()
}

impl<'a> Sheet<'a> {
    /// Its rows.
    pub fn rows(&self) -> &'a [Row] {
        self.pages.tables.rows_of(self.table)
    }

    /// The column under one of these headings, in lower case without spaces.
    pub fn column(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.table.columns.iter().position(|heading| is_plain(heading, name)))
    }

    /// The row's first words.
    pub fn label(&self, row: Row) -> &'a str {
        first_words(self.pages.text, self.pages.tables, row)
    }

    /// The first row with a label, in lower case without spaces and colons.
    pub fn row(&self, label: &str) -> Option<Row> {
        self.rows().iter().copied().find(|row| is_label(self.label(*row), label))
    }

    /// The number in a column of a row.
    pub fn figure(&self, row: Row, column: usize) -> Option<Figure<'a>> {
        self.figure_in(row, column, 1e3)
    }

    /// The same in bytes or other units of 1024.
    pub fn figure_in(&self, row: Row, column: usize, kilo: f64) -> Option<Figure<'a>> {
        let cell = self.cell(row, column)?;
        let range = Range::of(cell, self.words(cell), self.pages.tables.decimal, kilo)?;
        Some(self.placed(row, cell, range))
    }

    /// The number in the row of a label.
    pub fn labelled(&self, label: &str, column: usize) -> Option<Figure<'a>> {
        self.figure(self.row(label)?, column)
    }

    /// What the number in a column of a row can stand for.
    pub fn range(&self, row: Row, column: usize) -> Option<Range> {
        let cell = self.cell(row, column)?;
        Range::of(cell, self.words(cell), self.pages.tables.decimal, 1e3)
    }

    /// A rate, which may have been rounded twice.
    pub fn rate(&self, row: Row, column: usize) -> Option<Figure<'a>> {
        let cell = self.cell(row, column)?;
        let range = Range::of_rate(cell, self.words(cell), self.pages.tables.decimal, 1e3)?;
        Some(self.placed(row, cell, range))
    }

    /// The rate in the row of a label.
    pub fn labelled_rate(&self, label: &str, column: usize) -> Option<Figure<'a>> {
        self.rate(self.row(label)?, column)
    }

    /// What a rate can stand for.
    pub fn rate_range(&self, row: Row, column: usize) -> Option<Range> {
        let cell = self.cell(row, column)?;
        Range::of_rate(cell, self.words(cell), self.pages.tables.decimal, 1e3)
    }

    /// All columns under one heading.
    pub fn columns(&self, name: &str) -> Vec<usize> {
        let headings = self.table.columns.iter().enumerate();
        headings.filter(|(_, heading)| is_plain(heading, name)).map(|(at, _)| at).collect()
    }

    /// The cells of a row.
    pub fn cells(&self, row: Row) -> &'a [Cell] {
        self.pages.tables.cells_of(row)
    }

    /// The cell.
    pub fn cell(&self, row: Row, column: usize) -> Option<&'a Cell> {
        let cells = self.pages.tables.cells_of(row);
        let is_it = |cell: &&Cell| cell.column as usize == column;
        // Most rows have all their cells.
        cells.get(column).filter(is_it).or_else(|| cells.iter().find(is_it))
    }

    /// A range with the place of its cell.
    pub fn placed(&self, row: Row, cell: &Cell, range: Range) -> Figure<'a> {
        let place = Place {
            words: self.words(cell),
            section: &self.table.title,
            label: self.label(row),
            heading: self.table.columns.get(cell.column as usize).map_or("", String::as_str),
            line: cell.line,
        };
        Figure { range, place }
    }

    /// The words of a cell.
    pub fn words(&self, cell: &Cell) -> &'a str {
        self.pages.text.get(cell.span)
    }

    fn first_duration(&self, label: &str) -> Option<Figure<'a>> {
        self.rows().iter().find_map(|row| self.duration(*row, label))
    }

    /// The row's seconds behind a label: `60.22 (mins)`.
    fn duration(&self, row: Row, label: &str) -> Option<Figure<'a>> {
        let cells = self.pages.tables.cells_of(row);
        let is_label = |cell: &Cell| cell.status == Status::Text && is_label(self.words(cell), label);
        let at = cells.iter().position(is_label)?;
        let cell = cells[at + 1..].iter().find(|cell| cell.status != Status::Blank)?;
        let (number, unit) = self.words(cell).split_once('(')?;
        let per_unit = crate::header::seconds_of(unit)?;
        let number = number.trim();
        let parsed = value::parse(number.as_bytes(), self.pages.tables.decimal)?;
        let bare = Cell { status: Status::Typed, number: parsed.0, suffix: parsed.1, ..*cell };
        let range = Range::of(&bare, number, self.pages.tables.decimal, 1e3)?;
        Some(self.placed(row, cell, range.scaled(per_unit)))
    }
}

/// Whether words are a label, which is in lower case without spaces and colons.
pub fn is_label(words: &str, label: &str) -> bool {
    is_plain(words.trim_end_matches([':', ' ']), label)
}
