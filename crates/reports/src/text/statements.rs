//! The words of SQL statements that stand below the rows of a table which are about them.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::page::Line;
use crate::model::{Cell, Made, Row, Table, Tables};

/// Lines of statements are cut at one of these widths, and there without regard to words.
const CUT_BYTES: [usize; 2] = [64, 80];

/// Which rows have statements below them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Below {
    /// None.
    Nothing,
    /// Rows of figures: all other lines are words of a statement, though they may have gaps where columns end.
    Figures,
    /// Rows of names and figures: a line that fits no column begins a statement, and a blank one ends it.
    Names,
}

impl Below {
    /// As it is in the section with this title.
    pub fn of(title: &str) -> Self {
        let begins =
            |words: &str| title.get(..words.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(words));
        if begins("sql ordered by") {
            Self::Figures
        } else if begins("top sql") {
            Self::Names
        } else {
            Self::Nothing
        }
    }
}

/// One of them, while its lines come.
pub(super) struct Statement {
    row: usize,
    pub(super) words: String,
    pub(super) line: u32,
}

impl Statement {
    /// Of no row's own, from a line on.
    pub(super) fn new(line: u32) -> Self {
        Self { row: 0, words: String::new(), line }
    }

    /// One line more.
    pub(super) fn add(&mut self, words: &str) {
        let last = self.words.rsplit('\n').next().unwrap_or_default();
        if !self.words.is_empty() && !CUT_BYTES.contains(&last.len()) {
            self.words.push('\n');
        }
        self.words.push_str(words);
    }

    /// The program that ran it, where the line above it names one, and its words.
    fn parts(&self) -> (&str, &str) {
        let words = self.words.trim();
        let module = words.strip_prefix("Module: ").and_then(|words| words.split_once('\n'));
        module.map_or(("", words), |(name, words)| (name.trim(), words.trim()))
    }
}

/// Statements of one table, in the order of its rows.
#[derive(Default)]
pub struct Statements {
    said: Vec<Statement>,
    /// Whether the next line may go on with the last one.
    open: bool,
    /// The first line that is no SQL but figures: rows of a table whose headings are lost.
    figures_at: Option<u32>,
}

/// A line of so many figures, and of nothing else but a name of a statement, is a row.
const FIGURES_MIN: usize = 5;

fn is_row(words: &str) -> bool {
    let is_figure = |word: &&str| {
        word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
            && !word.ends_with(',')
    };
    let figures = words.split_ascii_whitespace().take_while(is_figure).count();
    let rest = words.split_ascii_whitespace().skip(figures).collect::<Vec<_>>();
    let is_name = |word: &&str| word.len() == 13 && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    figures >= FIGURES_MIN && rest.len() < 2 && rest.iter().all(is_name)
}

impl Statements {
    /// Whether the last one has not ended.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// One line more of the statement that belongs to a row.
    pub fn say(&mut self, row: usize, line: Line<'_>) {
        if !std::mem::replace(&mut self.open, true) && self.said.last().is_none_or(|last| last.row != row) {
            self.said.push(Statement { row, words: String::new(), line: line.number });
        }
        self.said.last_mut().expect("one is open").add(line.words);
        if self.figures_at.is_none() && is_row(line.words) {
            self.figures_at = Some(line.number);
        }
    }

    /// The first line among them that is a row of figures.
    pub fn figures_at(&self) -> Option<u32> {
        self.figures_at
    }

    /// The last one ends.
    pub fn end(&mut self) {
        self.open = false;
    }

    /// Puts a table and its rows, whose cells are counted from 0, to the others; each row with its statement in columns behind its own.
    pub fn put(self, mut table: Table, rows: &[Row], cells: &[Cell], made: &mut Made<'_>, out: &mut Tables) {
        if self.said.is_empty() {
            let first = out.cells.len() as u32;
            out.rows.extend(rows.iter().map(|row| Row { first: row.first + first, len: row.len }));
            out.cells.extend_from_slice(cells);
        } else {
            let mut columns = table.columns.to_vec();
            let mut statements = self.columns(&mut columns);
            table.columns = columns.into();
            for (at, row) in rows.iter().enumerate() {
                out.rows.push(Row { first: out.cells.len() as u32, len: row.len });
                out.cells.extend_from_slice(&cells[row.first as usize..(row.first + row.len) as usize]);
                statements.end_row(at, made, out);
            }
        }
        out.push_table(table);
    }

    fn columns(self, columns: &mut Vec<String>) -> StatementColumns {
        let mut column = |name: &str| {
            columns.push(name.to_owned());
            columns.len() - 1
        };
        let has_modules = self.said.iter().any(|statement| !statement.parts().0.is_empty());
        let module = has_modules.then(|| column("SQL Module"));
        StatementColumns { module, text: column("SQL Text"), rest: self.said.into_iter().peekable() }
    }
}

/// The columns of statements while the rows of their table are written.
struct StatementColumns {
    module: Option<usize>,
    text: usize,
    rest: Peekable<IntoIter<Statement>>,
}

impl StatementColumns {
    /// Ends a row with its statement, if it has one.
    fn end_row(&mut self, row: usize, made: &mut Made<'_>, out: &mut Tables) {
        while let Some(statement) = self.rest.next_if(|statement| statement.row == row) {
            let (name, words) = statement.parts();
            for (column, words) in [(self.module, name), (Some(self.text), words)] {
                if let Some(column) = column {
                    let span = made.keep(words);
                    out.push(words, span, statement.line, column);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(lines: &[&str]) -> Statement {
        let mut statement = Statement { row: 0, words: String::new(), line: 1 };
        lines.iter().for_each(|line| statement.add(line));
        statement
    }

    #[test]
    fn titles_say_where_statements_stand() {
        assert_eq!(Below::of("SQL ordered by Gets"), Below::Figures);
        assert_eq!(Below::of("Top SQL with Top Events"), Below::Names);
        assert_eq!(Below::of("Load Profile"), Below::Nothing);
    }

    #[test]
    fn a_line_that_was_cut_at_the_width_is_joined_without_a_break() {
        let cut = "x".repeat(64);
        assert_eq!(said(&[&cut, "from dual"]).words, format!("{cut}from dual"));
        assert_eq!(said(&["select 1", "from dual"]).words, "select 1\nfrom dual");
    }

    #[test]
    fn a_row_has_one_statement() {
        let mut statements = Statements::default();
        let mut say = |row: usize, words: &'static str| statements.say(row, Line::alone(words, 1));
        say(0, "select 1");
        say(0, "from dual");
        statements.end();
        statements.say(0, Line::alone("where 2 > 1", 3));
        statements.end();
        statements.say(1, Line::alone("commit", 4));
        let words: Vec<&str> = statements.said.iter().map(|said| said.words.as_str()).collect();
        assert_eq!(words, ["select 1\nfrom dual\nwhere 2 > 1", "commit"]);
    }

    #[test]
    fn a_row_of_figures_is_no_sql() {
        let line_of = |words: &'static str| {
            let mut statements = Statements::default();
            statements.say(0, Line::alone("select 1", 6));
            statements.say(0, Line::alone(words, 7));
            statements.figures_at()
        };
        assert_eq!(line_of("     .3     1  25.2  0.5  73.1  24.4  2.1  1jbbrvuwc11zr"), Some(7));
        assert_eq!(line_of("  1,234 56 7.8 9 10"), Some(7));
        assert_eq!(line_of("values (1, 2, 3, 4, 5)"), None);
        assert_eq!(line_of("1, 2, 3, 4, 5, 6"), None);
        assert_eq!(line_of("1 2 3 4 5 from dual where"), None);
    }

    #[test]
    fn a_module_stands_on_a_line_above() {
        assert_eq!(said(&["Module: sqlplus", "select 1"]).parts(), ("sqlplus", "select 1"));
        assert_eq!(said(&["select 1", "Module: sqlplus"]).parts(), ("", "select 1\nModule: sqlplus"));
    }
}
