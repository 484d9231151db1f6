//! The rows of one view in one report.
//!
//! They are kept row by row in a few vectors, as most views of a report have a handful of rows; Arrow's columns are built when
//! somebody asks for them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, UInt32Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::origins::Origins;
use super::view::View;

/// The rows of one view in one report.
pub struct Typed {
    /// Which.
    pub view: &'static View,
    heads: Vec<Head>,
    /// As many as the view has columns, for each row.
    values: Vec<Value>,
    words: String,
    origins: Origins,
}

/// What every view's rows begin with.
#[derive(Clone, Copy)]
struct Head {
    table: u32,
    line: u32,
    instance: Option<i64>,
}

#[derive(Clone, Copy)]
enum Value {
    Unknown,
    Number(f64),
    /// From and up to these bytes of the view's words.
    Words(u32, u32),
}

impl Typed {
    /// No rows yet.
    pub fn new(view: &'static View) -> Self {
        Self {
            view,
            heads: Vec::new(),
            values: Vec::new(),
            words: String::new(),
            origins: Origins::default(),
        }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.heads.len()
    }

    /// Where its values are printed.
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// A row begins; as many values as the view has columns must follow.
    pub fn begin(&mut self, table: usize, line: u32, instance: Option<i64>) {
        self.heads.push(Head { table: table as u32, line, instance });
        self.values.reserve(self.view.columns.len());
    }

    /// The next value's cell, where one says it.
    pub fn origin(&mut self, cell: Option<usize>) {
        self.origins.push(cell);
    }

    /// The next value of a column of numbers.
    pub fn number(&mut self, number: Option<f64>) {
        self.values.push(number.map_or(Value::Unknown, Value::Number));
    }

    /// The next value of a column of words.
    pub fn words(&mut self, words: Option<&str>) {
        let value = words.map_or(Value::Unknown, |words| {
            let from = self.words.len();
            self.words.push_str(words);
            Value::Words(from as u32, self.words.len() as u32)
        });
        self.values.push(value);
    }

    /// As Arrow: the table's index, the line, the instance, then the view's columns.
    ///
    /// # Errors
    ///
    /// Never, as all columns are equally long.
    pub fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let heads = self.heads.iter();
        let tables: UInt32Array = heads.clone().map(|head| Some(head.table)).collect();
        let lines: UInt32Array = heads.clone().map(|head| Some(head.line)).collect();
        let instances: Int64Array = heads.map(|head| head.instance).collect();
        let mut arrays: Vec<ArrayRef> = vec![Arc::new(tables), Arc::new(lines), Arc::new(instances)];
        for (at, column) in self.view.columns.iter().enumerate() {
            arrays.push(if column.value.is_words() { self.words_of(at) } else { self.numbers_of(at) });
        }
        let known = SCHEMAS.get(self.view.name).cloned();
        RecordBatch::try_new(known.unwrap_or_else(|| schema_of(self.view)), arrays)
    }

    fn values_of(&self, column: usize) -> impl Iterator<Item = Value> {
        self.values.iter().skip(column).step_by(self.view.columns.len()).copied()
    }

    fn numbers_of(&self, column: usize) -> ArrayRef {
        let number = |value| if let Value::Number(number) = value { Some(number) } else { None };
        Arc::new(self.values_of(column).map(number).collect::<Float64Array>())
    }

    fn words_of(&self, column: usize) -> ArrayRef {
        let len = |value| if let Value::Words(from, to) = value { (to - from) as usize } else { 0 };
        let mut words = StringBuilder::with_capacity(self.rows(), self.values_of(column).map(len).sum());
        for value in self.values_of(column) {
            let Value::Words(from, to) = value else {
                words.append_null();
                continue;
            };
            words.append_value(&self.words[from as usize..to as usize]);
        }
        Arc::new(words.finish())
    }
}

/// The schemas of all views, which every report's tables share.
static SCHEMAS: LazyLock<HashMap<&str, SchemaRef>> =
    LazyLock::new(|| super::ALL.iter().map(|view| (view.name, schema_of(view))).collect());

fn schema_of(view: &View) -> SchemaRef {
    let own = view.columns.iter().map(|column| {
        let kind = if column.value.is_words() { DataType::Utf8 } else { DataType::Float64 };
        Field::new(column.name, kind, true)
    });
    let shared = [
        Field::new("table", DataType::UInt32, false),
        Field::new("line", DataType::UInt32, false),
        Field::new("instance_number", DataType::Int64, true),
    ];
    Arc::new(Schema::new(shared.into_iter().chain(own).collect::<Vec<_>>()))
}
