//! From tables as printed to the rows of their views.

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder, UInt32Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use std::sync::Arc;

use super::view::{Column, Shape, Value, View, plain};
use crate::model::{Cell, Problem, Row, Status, Table, Tables, Text};
use crate::value::Suffix;

/// The rows of one view in one report.
pub struct Typed {
    /// Which.
    pub view: &'static View,
    table: UInt32Builder,
    line: UInt32Builder,
    instance: Int64Builder,
    columns: Vec<Data>,
    rows: usize,
}

enum Data {
    Text(StringBuilder),
    Number(Float64Builder),
}

/// Reads every table that a view knows. Cells that should be numbers and are none are marked as failed.
pub fn apply(text: &Text, tables: &mut Tables) -> Vec<Typed> {
    let mut typed: Vec<Typed> = Vec::new();
    for index in 0..tables.tables.len() {
        let Some(view) = super::for_title(&tables.tables[index].title) else { continue };
        let layout = Layout::of(view, &tables.tables[index]);
        if !layout.is_known(view) {
            continue;
        }
        tables.tables[index].view = view.name;
        let at = typed.iter().position(|typed| typed.view.name == view.name).unwrap_or_else(|| {
            typed.push(Typed::new(view));
            typed.len() - 1
        });
        Filling { text, tables, layout: &layout, into: &mut typed[at] }.run(index);
    }
    typed
}

/// Which column of the table feeds which of the view.
struct Layout {
    /// For each column of the view: the table's column, and what one of a bare number stands for.
    sources: Vec<Option<(u16, f64)>>,
    instance: Option<u16>,
    /// The table's columns that become rows, with what their headings say.
    unpivoted: Vec<(u16, String)>,
}

/// Headings of the column that says which instance a row is about.
const INSTANCE_HEADINGS: [&str; 4] = ["i#", "inst#", "instno", "instance#"];

impl Layout {
    fn of(view: &View, table: &Table) -> Self {
        let headings: Vec<String> = table.columns.iter().map(|heading| plain(heading)).collect();
        let sources = view.columns.iter().map(|column| source(column, &headings)).collect();
        let instance = headings
            .iter()
            .position(|heading| INSTANCE_HEADINGS.contains(&heading.as_str()))
            .map(|at| at as u16);
        let unpivoted = match view.shape {
            Shape::Unpivot(begins) => unpivoted(table, begins),
            _ => Vec::new(),
        };
        Self { sources, instance, unpivoted }
    }

    /// Whether enough of the view's columns are there to trust that the table is one of its own.
    fn is_known(&self, view: &View) -> bool {
        let found = self.sources.iter().flatten().count();
        match view.shape {
            Shape::Pairs => true,
            Shape::Unpivot(_) => self.sources[0].is_some() && !self.unpivoted.is_empty(),
            Shape::Titled(_) => found >= 2,
            Shape::Rows => self.sources[0].is_some() && found >= 2.min(view.columns.len()),
        }
    }
}

fn source(column: &Column, headings: &[String]) -> Option<(u16, f64)> {
    column.headings.iter().find_map(|(known, bare)| {
        let (name, time) =
            known.split_once('@').map_or((*known, 1), |(name, time)| (name, time.parse().unwrap_or(1)));
        let mut found = headings.iter().enumerate().filter(|(_, heading)| heading.as_str() == name);
        found.nth(time - 1).map(|(at, _)| (at as u16, *bare))
    })
}

fn unpivoted(table: &Table, begins: &[&str]) -> Vec<(u16, String)> {
    let columns = table.columns.iter().enumerate();
    columns
        .filter_map(|(at, heading)| {
            let rest = begins.iter().find_map(|begin| heading.strip_prefix(begin))?;
            (!rest.trim().is_empty()).then(|| (at as u16, rest.trim().to_owned()))
        })
        .collect()
}

struct Filling<'a> {
    text: &'a Text,
    tables: &'a mut Tables,
    layout: &'a Layout,
    into: &'a mut Typed,
}

impl Filling<'_> {
    fn run(&mut self, index: usize) {
        let table = &self.tables.tables[index];
        let (first, count) = (table.first_row as usize, table.row_count as usize);
        for row in first..first + count {
            let row = self.tables.rows[row];
            if self.is_rule(row) {
                continue;
            }
            match self.into.view.shape {
                Shape::Rows => self.row(index, row, None),
                Shape::Pairs => self.pairs(index, row),
                Shape::Unpivot(_) => self.unpivot(index, row),
                Shape::Titled(begin) => {
                    let title = self.tables.tables[index].title.trim();
                    let rest = title.get(begin.len()..).unwrap_or(title).trim().to_owned();
                    self.row(index, row, Some(&rest));
                }
            }
        }
    }

    /// A row of dashes above a sum.
    fn is_rule(&self, row: Row) -> bool {
        let words = self.tables.cells_of(row).iter().map(|cell| self.text.get(cell.span));
        let mut said = words.filter(|words| !words.is_empty()).peekable();
        said.peek().is_some() && said.all(|words| words.len() > 1 && words.bytes().all(|byte| byte == b'-'))
    }

    fn row(&mut self, index: usize, row: Row, title: Option<&str>) {
        self.begin(index, row);
        for at in 0..self.into.columns.len() {
            if let (0, Some(title)) = (at, title) {
                self.into.columns[0].push_words(Some(title));
                continue;
            }
            let cell =
                self.layout.sources[at].and_then(|(column, bare)| Some((self.cell_at(row, column)?, bare)));
            self.put(at, cell);
        }
    }

    fn unpivot(&mut self, index: usize, row: Row) {
        let keys = self.into.columns.len() - 2;
        for (column, name) in &self.layout.unpivoted {
            let Some(cell) = self.cell_at(row, *column) else { continue };
            if self.tables.cells[cell].status == Status::Blank {
                continue;
            }
            self.begin(index, row);
            for at in 0..keys {
                let key = self.layout.sources[at]
                    .and_then(|(column, bare)| Some((self.cell_at(row, column)?, bare)));
                self.put(at, key);
            }
            self.into.columns[keys].push_words(Some(name));
            self.put(keys + 1, Some((cell, 1.0)));
        }
    }

    fn pairs(&mut self, index: usize, row: Row) {
        let cells: Vec<usize> = (row.first as usize..(row.first + row.len) as usize).collect();
        for pair in cells.chunks_exact(2) {
            if self.tables.cells[pair[0]].status != Status::Blank {
                self.begin(index, row);
                self.put(0, Some((pair[0], 1.0)));
                self.put(1, Some((pair[1], 1.0)));
            }
        }
    }

    fn begin(&mut self, index: usize, row: Row) {
        let line = self.tables.cells_of(row).first().map_or(0, |cell| cell.line);
        let instance = self.layout.instance.and_then(|column| self.cell_at(row, column));
        let instance = instance.and_then(|cell| self.tables.cells[cell].scaled(1e3));
        self.into.table.append_value(index as u32);
        self.into.line.append_value(line);
        self.into.instance.append_option(instance.map(|number| number as i64));
        self.into.rows += 1;
    }

    fn cell_at(&self, row: Row, column: u16) -> Option<usize> {
        let at = self.tables.cells_of(row).iter().position(|cell| cell.column == column)?;
        Some(row.first as usize + at)
    }

    fn put(&mut self, at: usize, cell: Option<(usize, f64)>) {
        let column = &self.into.view.columns[at];
        match &mut self.into.columns[at] {
            Data::Text(words) => {
                let said = cell.map(|(cell, _)| self.text.get(self.tables.cells[cell].span));
                words.append_option(said.filter(|words| !words.is_empty()).map(label));
            }
            Data::Number(numbers) => {
                let read =
                    cell.map(|(cell, bare)| read(&self.tables.cells[cell], self.text, column.value, bare));
                numbers.append_option(read.clone().and_then(Result::ok).flatten());
                if let (Some(Err(())), Some((cell, _))) = (read, cell) {
                    self.fail(cell, column);
                }
            }
        }
    }

    fn fail(&mut self, cell: usize, column: &Column) {
        let words =
            self.text.get(self.tables.cells[cell].span).chars().take(WORDS_SHOWN_MAX).collect::<String>();
        self.tables.cells[cell].status = Status::Failed;
        self.tables.problems.push(Problem {
            code: "cell-failed",
            line: Some(self.tables.cells[cell].line),
            section: Some(self.into.view.name.to_owned()),
            message: format!("'{words}' is no number, as {} must be", column.name),
            loses: true,
        });
    }
}

/// So much of a cell is quoted in a problem.
const WORDS_SHOWN_MAX: usize = 40;

/// A label without the colon that it ends in.
fn label(words: &str) -> &str {
    words.strip_suffix(':').unwrap_or(words)
}

/// The number of a cell in the view's unit; None where none is printed.
///
/// # Errors
///
/// Where words are printed that are no number, and not `N/A`.
fn read(cell: &Cell, text: &Text, value: Value, bare: f64) -> Result<Option<f64>, ()> {
    match cell.status {
        Status::Typed => Ok(convert(cell, value, bare)),
        Status::Blank | Status::Overflow => Ok(None),
        Status::Text | Status::Failed if is_nothing(text.get(cell.span)) => Ok(None),
        Status::Text | Status::Failed => Err(()),
    }
}

fn is_nothing(words: &str) -> bool {
    words.eq_ignore_ascii_case("n/a") || words == "*" || words == "-" || words.eq_ignore_ascii_case("null")
}

fn convert(cell: &Cell, value: Value, bare: f64) -> Option<f64> {
    let suffix = cell.suffix;
    match value {
        Value::Text => None,
        Value::Number => cell.scaled(1e3).map(|number| number * bare),
        Value::Bytes if suffix == Suffix::None => Some(cell.number * bare),
        Value::Bytes => cell.scaled(1024.0),
        Value::Time(per_second) if suffix.is_time() => cell.scaled(1e3).map(|seconds| seconds * per_second),
        Value::Time(_) => cell.scaled(1e3).map(|number| number * bare),
    }
}

impl Data {
    fn push_words(&mut self, words: Option<&str>) {
        match self {
            Self::Text(builder) => builder.append_option(words),
            Self::Number(builder) => builder.append_null(),
        }
    }
}

impl Typed {
    fn new(view: &'static View) -> Self {
        let columns = view.columns.iter().map(|column| match column.value {
            Value::Text => Data::Text(StringBuilder::new()),
            _ => Data::Number(Float64Builder::new()),
        });
        Self {
            view,
            table: UInt32Builder::new(),
            line: UInt32Builder::new(),
            instance: Int64Builder::new(),
            columns: columns.collect(),
            rows: 0,
        }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// As Arrow: the table's index, the line, the instance, then the view's columns.
    ///
    /// # Errors
    ///
    /// Never, as all columns are equally long.
    pub fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let mut columns: Vec<(&str, ArrayRef, bool)> = vec![
            ("table", Arc::new(self.table.finish_cloned()), false),
            ("line", Arc::new(self.line.finish_cloned()), false),
            ("instance_number", Arc::new(self.instance.finish_cloned()), true),
        ];
        for (column, data) in self.view.columns.iter().zip(&self.columns) {
            let array: ArrayRef = match data {
                Data::Text(words) => Arc::new(words.finish_cloned()),
                Data::Number(numbers) => Arc::new(numbers.finish_cloned()),
            };
            columns.push((column.name, array, true));
        }
        RecordBatch::try_from_iter_with_nullable(columns)
    }
}
