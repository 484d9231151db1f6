//! CSV: texts stand in quotes, nothing between two commas is null, times are local times without a zone.

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float64Type, Int8Type, Int32Type, Int64Type, TimestampMillisecondType, UInt16Type, UInt32Type,
};
use arrow_array::{Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Schema, TimeUnit};

use crate::spreadsheets::{QUOTE, begins_formula};

/// How rows become lines.
#[derive(Clone, Copy)]
pub struct Csv {
    /// Whether texts that a spreadsheet would run get a quote in front.
    pub escape_formulas: bool,
}

impl Csv {
    /// The line of headings.
    pub fn headings(self, columns: &Schema, out: &mut String) {
        for (at, field) in columns.fields().iter().enumerate() {
            separate(at, out);
            self.text(field.name(), out);
        }
        out.push('\n');
    }

    /// A line for each row.
    pub fn lines(self, rows: &RecordBatch, out: &mut String) {
        let columns: Vec<Column<'_>> = rows.columns().iter().map(|column| Column::of(column)).collect();
        for row in 0..rows.num_rows() {
            for (at, column) in columns.iter().enumerate() {
                separate(at, out);
                self.value(column, row, out);
            }
            out.push('\n');
        }
    }

    fn value(self, column: &Column<'_>, row: usize, out: &mut String) {
        // A String takes whatever is written to it.
        let _ = match column {
            Column::Words(words) if words.is_valid(row) => {
                self.text(words.value(row), out);
                Ok(())
            }
            Column::Listed(keys, words) => {
                if let Some(key) = keys(row) {
                    self.text(words.value(key), out);
                }
                Ok(())
            }
            Column::Real(numbers) if numbers.is_valid(row) => write!(out, "{}", numbers.value(row)),
            Column::Whole(whole) => whole(row).map_or(Ok(()), |number| write!(out, "{number}")),
            Column::Time(times) if times.is_valid(row) => times
                .value_as_datetime(row)
                .map_or(Ok(()), |time| write!(out, "\"{}\"", time.format("%Y-%m-%dT%H:%M:%S"))),
            Column::Truth(truths) if truths.is_valid(row) => write!(out, "{}", truths.value(row)),
            _ => Ok(()),
        };
    }

    fn text(self, text: &str, out: &mut String) {
        out.push('"');
        if self.escape_formulas && begins_formula(text) {
            out.push(QUOTE);
        }
        for (at, piece) in text.split('"').enumerate() {
            if at > 0 {
                out.push_str("\"\"");
            }
            out.push_str(piece);
        }
        out.push('"');
    }
}

fn separate(at: usize, out: &mut String) {
    if at > 0 {
        out.push(',');
    }
}

type Picked<'a, T> = Box<dyn Fn(usize) -> Option<T> + 'a>;

/// A column as its own type.
enum Column<'a> {
    Words(&'a StringArray),
    Listed(Picked<'a, usize>, &'a StringArray),
    Real(&'a arrow_array::Float64Array),
    Whole(Picked<'a, i64>),
    Time(&'a arrow_array::TimestampMillisecondArray),
    Truth(&'a arrow_array::BooleanArray),
}

impl<'a> Column<'a> {
    fn of(column: &'a dyn Array) -> Self {
        match column.data_type() {
            DataType::Utf8 => Self::Words(column.as_string()),
            DataType::Float64 => Self::Real(column.as_primitive::<Float64Type>()),
            DataType::Int64 => whole(column.as_primitive::<Int64Type>()),
            DataType::UInt32 => whole(column.as_primitive::<UInt32Type>()),
            DataType::UInt16 => whole(column.as_primitive::<UInt16Type>()),
            DataType::Boolean => Self::Truth(column.as_boolean()),
            DataType::Timestamp(TimeUnit::Millisecond, None) => {
                Self::Time(column.as_primitive::<TimestampMillisecondType>())
            }
            DataType::Dictionary(key, _) if **key == DataType::Int8 => {
                let listed = column.as_dictionary::<Int8Type>();
                Self::Listed(Box::new(|row| listed.key(row)), listed.values().as_string())
            }
            DataType::Dictionary(_, _) => {
                let listed = column.as_dictionary::<Int32Type>();
                Self::Listed(Box::new(|row| listed.key(row)), listed.values().as_string())
            }
            other => unreachable!("no table has a column of {other}"),
        }
    }
}

fn whole<T>(numbers: &arrow_array::PrimitiveArray<T>) -> Column<'_>
where
    T: arrow_array::ArrowPrimitiveType,
    i64: From<T::Native>,
{
    Column::Whole(Box::new(|row| numbers.is_valid(row).then(|| i64::from(numbers.value(row)))))
}
