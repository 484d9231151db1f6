//! The tables of one report: its typed views, the list of its tables, every cell, and its problems.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray, UInt32Array};
use plimsoll_reports::sections::Typed;
use plimsoll_reports::{Report, cells, summary};

use crate::Error;

/// A row per table.
pub const TABLES: &str = "report_tables";
/// A row per cell.
pub const CELLS: &str = "report_cells";
/// Columns of cells that rise from row to row, or from cell to cell, and are written as differences.
pub const COUNTED: [&str; 4] = ["table_index", "row_index", "column_index", "line"];
/// A column of cells in which few words stand twice: a dictionary of them would be as long as the column.
pub const VARIED: &str = "text";
/// Columns of cells in which nobody looks for the least and the greatest.
pub const UNORDERED: [&str; 3] = ["text", "status", "unit"];

/// Rows of a table.
pub struct Rows<'a> {
    /// Of which.
    pub table: String,
    /// The rows themselves.
    pub own: Own<'a>,
}

/// Rows with a table's own columns.
pub enum Own<'a> {
    /// As a report keeps those of a typed view: a batch of few of them would cost more than they do.
    Typed(&'a Typed),
    /// As Arrow.
    Batch(RecordBatch),
}

impl Own<'_> {
    /// How many.
    pub fn count(&self) -> usize {
        match self {
            Self::Typed(typed) => typed.rows(),
            Self::Batch(batch) => batch.num_rows(),
        }
    }

    /// As Arrow.
    ///
    /// # Errors
    ///
    /// Never, as all columns are equally long.
    pub fn into_batch(self) -> Result<RecordBatch, Error> {
        match self {
            Self::Typed(typed) => Ok(typed.batch()?),
            Self::Batch(batch) => Ok(batch),
        }
    }
}

/// The tables of a report that are wanted and have rows; all of them where none is named.
///
/// # Errors
///
/// Never, as all columns are equally long.
pub fn of<'a>(report: &'a Report, wanted: &[String]) -> Result<Vec<Rows<'a>>, Error> {
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|one| one == name);
    let views = report.typed.iter().filter(|typed| is_wanted(typed.view.name));
    let mut all: Vec<_> = views.map(view).collect();
    if is_wanted(TABLES) {
        all.push(Rows { table: TABLES.to_owned(), own: Own::Batch(list(report)?) });
    }
    if is_wanted(CELLS) {
        all.push(Rows { table: CELLS.to_owned(), own: Own::Batch(cells::batch(report)?) });
    }
    all.retain(|rows| rows.own.count() > 0);
    Ok(all)
}

fn view(typed: &Typed) -> Rows<'_> {
    Rows { table: typed.view.name.to_owned(), own: Own::Typed(typed) }
}

/// The list of tables.
///
/// # Errors
///
/// Never, as all columns are equally long.
pub fn list(report: &Report) -> Result<RecordBatch, Error> {
    let tables = &report.tables.tables;
    let headings = tables.iter().map(|table| serde_json::Value::from(&*table.columns).to_string());
    let columns: [(&str, ArrayRef); 7] = [
        ("table_index", Arc::new(UInt32Array::from_iter_values(0..tables.len() as u32))),
        ("title", Arc::new(StringArray::from_iter_values(tables.iter().map(|table| &table.title)))),
        ("name", Arc::new(StringArray::from_iter_values(tables.iter().map(summary::name_of)))),
        ("typed", Arc::new(BooleanArray::from_iter(tables.iter().map(|table| Some(!table.view.is_empty()))))),
        ("columns", Arc::new(StringArray::from_iter_values(headings))),
        (
            "row_count",
            Arc::new(Int64Array::from_iter_values(tables.iter().map(|table| table.row_count as i64))),
        ),
        ("line", Arc::new(Int64Array::from_iter_values(tables.iter().map(|table| i64::from(table.line))))),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}
