//! Every cell of a report as Arrow, whether a typed view reads it or not.

use std::sync::{Arc, LazyLock};

use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, DictionaryArray, Int8Array, RecordBatch, StringArray, UInt16Array, UInt32Array};
use arrow_schema::ArrowError;

use crate::model::{Cell, Status};
use crate::report::Report;
use crate::value::Suffix;

/// Table, row, column, line, words, status, number and unit of each cell.
///
/// # Errors
///
/// Never, as all columns are equally long.
pub fn batch(report: &Report) -> Result<RecordBatch, ArrowError> {
    let cells = &report.tables.cells;
    let words_bytes = cells.iter().map(|cell| cell.span.len as usize).sum();
    let mut columns = Columns::with_capacity(cells.len(), words_bytes);
    for (index, table) in report.tables.tables.iter().enumerate() {
        for (number, row) in report.tables.rows_of(table).iter().enumerate() {
            for cell in report.tables.cells_of(*row) {
                columns.push(index as u32, number as u32, report.text.get(cell.span), cell);
            }
        }
    }
    columns.finish()
}

/// Every report lists the same words, so that those of many reports are joined without a look at them.
static STATUSES: LazyLock<ArrayRef> = LazyLock::new(|| listed(Status::ALL.map(Status::name)));
static UNITS: LazyLock<ArrayRef> =
    LazyLock::new(|| listed(Suffix::ALL.map(|one| one.name().unwrap_or_default())));

fn listed<const N: usize>(words: [&str; N]) -> ArrayRef {
    Arc::new(StringArray::from(words.to_vec()))
}

struct Columns {
    table: Vec<u32>,
    row: Vec<u32>,
    column: Vec<u16>,
    line: Vec<u32>,
    text: StringBuilder,
    status: Vec<i8>,
    number: Float64Builder,
    unit: Vec<Option<i8>>,
}

impl Columns {
    fn with_capacity(cells: usize, words_bytes: usize) -> Self {
        Self {
            table: Vec::with_capacity(cells),
            row: Vec::with_capacity(cells),
            column: Vec::with_capacity(cells),
            line: Vec::with_capacity(cells),
            text: StringBuilder::with_capacity(cells, words_bytes),
            status: Vec::with_capacity(cells),
            number: Float64Builder::with_capacity(cells),
            unit: Vec::with_capacity(cells),
        }
    }

    fn push(&mut self, table: u32, row: u32, words: &str, cell: &Cell) {
        self.table.push(table);
        self.row.push(row);
        self.column.push(cell.column);
        self.line.push(cell.line);
        self.text.append_value(words);
        self.status.push(cell.status as i8);
        self.number.append_option((cell.status == Status::Typed).then_some(cell.number));
        self.unit.push(cell.suffix.name().map(|_| cell.suffix as i8));
    }

    fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let listed =
            |keys: Int8Array, words: &ArrayRef| DictionaryArray::<Int8Type>::try_new(keys, Arc::clone(words));
        let columns: [(&str, ArrayRef, bool); 8] = [
            ("table_index", Arc::new(UInt32Array::from(self.table)), false),
            ("row_index", Arc::new(UInt32Array::from(self.row)), false),
            ("column_index", Arc::new(UInt16Array::from(self.column)), false),
            ("line", Arc::new(UInt32Array::from(self.line)), false),
            ("text", Arc::new(self.text.finish()), false),
            ("status", Arc::new(listed(Int8Array::from(self.status), &STATUSES)?), false),
            ("number", Arc::new(self.number.finish()), true),
            ("unit", Arc::new(listed(Int8Array::from(self.unit), &UNITS)?), true),
        ];
        RecordBatch::try_from_iter_with_nullable(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_words_stand_at_their_own_places() {
        assert!(Status::ALL.iter().enumerate().all(|(at, status)| *status as usize == at));
        assert!(Suffix::ALL.iter().enumerate().all(|(at, suffix)| *suffix as usize == at));
    }
}
