//! Rows that come from outside as JSON: what a caller knows of its reports.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
    TimestampMillisecondArray,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use serde_json::Value;

use crate::Error;

/// What a column holds; null in any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A whole number.
    Whole,
    /// A number.
    Real,
    /// True or false.
    Truth,
    /// A local time, given as milliseconds.
    Time,
}

impl Kind {
    /// By the word for it.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "text" => Self::Text,
            "whole" => Self::Whole,
            "real" => Self::Real,
            "truth" => Self::Truth,
            "time" => Self::Time,
            _ => return None,
        })
    }

    fn data_type(self) -> DataType {
        match self {
            Self::Text => DataType::Utf8,
            Self::Whole => DataType::Int64,
            Self::Real => DataType::Float64,
            Self::Truth => DataType::Boolean,
            Self::Time => DataType::Timestamp(TimeUnit::Millisecond, None),
        }
    }
}

/// Rows, each a list of as many values as there are columns.
///
/// # Errors
///
/// A value that its column cannot hold.
pub fn batch_of(columns: &[(String, Kind)], rows: &[Vec<Value>]) -> Result<RecordBatch, Error> {
    let fields = columns.iter().map(|(name, kind)| Field::new(name, kind.data_type(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let arrays = columns.iter().enumerate().map(|(at, (name, kind))| column(name, *kind, at, rows));
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    Ok(RecordBatch::try_new_with_options(schema, arrays.collect::<Result<_, _>>()?, &options)?)
}

fn column(name: &str, kind: Kind, at: usize, rows: &[Vec<Value>]) -> Result<ArrayRef, Error> {
    let values = || rows.iter().map(|row| row.get(at).unwrap_or(&Value::Null));
    if let Some(odd) = values().find(|value| !fits(kind, value)) {
        return Err(Error::Value(name.to_owned(), odd.to_string()));
    }
    Ok(match kind {
        Kind::Text => Arc::new(values().map(Value::as_str).collect::<StringArray>()),
        Kind::Whole => Arc::new(values().map(Value::as_i64).collect::<Int64Array>()),
        Kind::Real => Arc::new(values().map(Value::as_f64).collect::<Float64Array>()),
        Kind::Truth => Arc::new(values().map(Value::as_bool).collect::<BooleanArray>()),
        Kind::Time => Arc::new(values().map(Value::as_i64).collect::<TimestampMillisecondArray>()),
    })
}

fn fits(kind: Kind, value: &Value) -> bool {
    value.is_null()
        || match kind {
            Kind::Text => value.is_string(),
            Kind::Whole | Kind::Time => value.as_i64().is_some(),
            Kind::Real => value.is_number(),
            Kind::Truth => value.is_boolean(),
        }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use serde_json::json;

    use super::*;

    #[test]
    fn values_that_do_not_fit_are_told() {
        let columns = [("line".to_owned(), Kind::Whole)];
        let error = batch_of(&columns, &[vec![json!("seven")]]).unwrap_err();
        assert_eq!(error.to_string(), "column line cannot hold \"seven\"");
    }

    #[test]
    fn nulls_stay_nulls() {
        let columns = [("name".to_owned(), Kind::Text), ("line".to_owned(), Kind::Whole)];
        let made = batch_of(&columns, &[vec![json!("a"), Value::Null], vec![Value::Null, json!(7)]]).unwrap();
        assert_eq!((made.num_rows(), made.column(0).null_count(), made.column(1).null_count()), (2, 1, 1));
    }

    #[test]
    fn no_rows_have_columns_all_the_same() {
        assert_eq!(batch_of(&[("name".to_owned(), Kind::Text)], &[]).unwrap().num_columns(), 1);
    }
}
