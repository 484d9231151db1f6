//! Every cell of a report as Arrow, whether a typed view reads it or not.

use std::sync::Arc;

use arrow_array::builder::{
    Float64Builder, StringBuilder, StringDictionaryBuilder, UInt16Builder, UInt32Builder,
};
use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;

use crate::model::{Cell, Status};
use crate::report::Report;

/// Table, row, column, line, words, status, number and unit of each cell.
///
/// # Errors
///
/// Never, as all columns are equally long.
pub fn batch(report: &Report) -> Result<RecordBatch, ArrowError> {
    let mut columns = Columns::with_capacity(report.tables.cells.len());
    for (index, table) in report.tables.tables.iter().enumerate() {
        for (number, row) in report.tables.rows_of(table).iter().enumerate() {
            for cell in report.tables.cells_of(*row) {
                columns.push(index as u32, number as u32, report.text.get(cell.span), cell)?;
            }
        }
    }
    columns.finish()
}

struct Columns {
    table: UInt32Builder,
    row: UInt32Builder,
    column: UInt16Builder,
    line: UInt32Builder,
    text: StringBuilder,
    status: StringDictionaryBuilder<Int8Type>,
    number: Float64Builder,
    unit: StringDictionaryBuilder<Int8Type>,
}

impl Columns {
    fn with_capacity(cells: usize) -> Self {
        Self {
            table: UInt32Builder::with_capacity(cells),
            row: UInt32Builder::with_capacity(cells),
            column: UInt16Builder::with_capacity(cells),
            line: UInt32Builder::with_capacity(cells),
            text: StringBuilder::with_capacity(cells, cells * 8),
            status: StringDictionaryBuilder::new(),
            number: Float64Builder::with_capacity(cells),
            unit: StringDictionaryBuilder::new(),
        }
    }

    fn push(&mut self, table: u32, row: u32, words: &str, cell: &Cell) -> Result<(), ArrowError> {
        self.table.append_value(table);
        self.row.append_value(row);
        self.column.append_value(cell.column);
        self.line.append_value(cell.line);
        self.text.append_value(words);
        self.status.append(cell.status.name())?;
        self.number.append_option((cell.status == Status::Typed).then_some(cell.number));
        self.unit.append_option(cell.suffix.name());
        Ok(())
    }

    fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let columns: [(&str, ArrayRef, bool); 8] = [
            ("table", Arc::new(self.table.finish()), false),
            ("row", Arc::new(self.row.finish()), false),
            ("column", Arc::new(self.column.finish()), false),
            ("line", Arc::new(self.line.finish()), false),
            ("text", Arc::new(self.text.finish()), false),
            ("status", Arc::new(self.status.finish()), false),
            ("number", Arc::new(self.number.finish()), true),
            ("unit", Arc::new(self.unit.finish()), true),
        ];
        RecordBatch::try_from_iter_with_nullable(columns)
    }
}
