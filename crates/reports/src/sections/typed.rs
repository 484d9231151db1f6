//! The rows of one view in one report.
//!
//! They are kept row by row in a few vectors, as most views of a report have a handful of rows; Arrow's columns are built when
//! somebody asks for them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
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

    /// Makes room for so many rows more.
    pub fn reserve(&mut self, rows: usize) {
        self.heads.reserve(rows);
        self.values.reserve(rows * self.view.columns.len());
        self.origins.reserve(rows * self.view.columns.len());
    }

    /// A row begins; as many values as the view has columns must follow.
    pub fn begin(&mut self, table: usize, line: u32, instance: Option<i64>) {
        self.heads.push(Head { table: table as u32, line, instance });
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

    /// Whether the last row has numbers and none of the words that name it, in a view whose rows have names first.
    pub fn lacks_names(&self) -> bool {
        let columns = self.view.columns;
        if !columns.first().is_some_and(|first| first.value.is_words()) {
            return false;
        }
        let row = &self.values[self.values.len() - columns.len()..];
        let is_nameless = !row.iter().any(|value| matches!(value, Value::Words(..)));
        let of_instance = self.heads.last().is_some_and(|head| head.instance.is_some());
        is_nameless && !of_instance && row.iter().any(|value| matches!(value, Value::Number(_)))
    }

    /// As Arrow: the table's index, the line, the instance, then the view's columns.
    ///
    /// # Errors
    ///
    /// Never, as all columns are equally long.
    pub fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let known = SCHEMAS.get(self.view.name).cloned();
        let arrays = self.head_columns().into_iter().chain(self.columns()).collect();
        RecordBatch::try_new(known.unwrap_or_else(|| schema_of(self.view)), arrays)
    }

    fn head_columns(&self) -> [ArrayRef; 3] {
        let tables = self.heads.iter().map(|head| head.table);
        let places: ScalarBuffer<u32> = tables.chain(self.heads.iter().map(|head| head.line)).collect();
        let place = |at| UInt32Array::new(places.slice(at * self.rows(), self.rows()), None);
        let instances: Int64Array = self.heads.iter().map(|head| head.instance).collect();
        [Arc::new(place(0)), Arc::new(place(1)), Arc::new(instances)]
    }

    /// The view's own columns. Most views have a handful of rows, so that allocations would cost the most: all columns share them.
    fn columns(&self) -> Vec<ArrayRef> {
        let (rows, width) = (self.rows(), self.view.columns.len());
        let mut shared = Shared::for_columns(width, rows, self.words.len());
        for (at, column) in self.view.columns.iter().enumerate() {
            let values = self.values.chunks_exact(width).map(|row| row[at]);
            if column.value.is_words() {
                shared.words(values, &self.words);
            } else {
                shared.numbers(values);
            }
        }
        shared.arrays(rows)
    }
}

/// What the columns of one batch are pieces of.
struct Shared {
    /// Whether each value is known, column by column.
    known: BooleanBufferBuilder,
    /// How many values have come.
    seen: usize,
    numbers: Vec<f64>,
    words: Vec<u8>,
    /// Of each column of words: 0, and where the words of each row end behind its own first ones.
    ends: Vec<i32>,
    columns: Vec<Piece>,
}

/// Where a column begins among the numbers, or among the words and their ends.
enum Piece {
    Numbers(usize),
    Words { words: usize, ends: usize },
}

impl Shared {
    fn for_columns(width: usize, rows: usize, words: usize) -> Self {
        let values = width * rows;
        let mut known = BooleanBufferBuilder::new(values);
        known.append_n(values, false);
        Self {
            known,
            seen: 0,
            numbers: Vec::with_capacity(values),
            words: Vec::with_capacity(words),
            ends: Vec::with_capacity(values + width),
            columns: Vec::with_capacity(width),
        }
    }

    fn see(&mut self, is_known: bool) {
        if is_known {
            self.known.set_bit(self.seen, true);
        }
        self.seen += 1;
    }

    fn numbers(&mut self, values: impl Iterator<Item = Value>) {
        self.columns.push(Piece::Numbers(self.numbers.len()));
        for value in values {
            let number = if let Value::Number(number) = value { Some(number) } else { None };
            self.see(number.is_some());
            self.numbers.push(number.unwrap_or_default());
        }
    }

    fn words(&mut self, values: impl Iterator<Item = Value>, source: &str) {
        let first = self.words.len();
        self.columns.push(Piece::Words { words: first, ends: self.ends.len() });
        self.ends.push(0);
        for value in values {
            let place =
                if let Value::Words(from, to) = value { Some(from as usize..to as usize) } else { None };
            self.see(place.is_some());
            self.words.extend_from_slice(place.map_or(&[], |place| &source.as_bytes()[place]));
            self.ends.push((self.words.len() - first) as i32);
        }
    }

    fn arrays(mut self, rows: usize) -> Vec<ArrayRef> {
        let (known, numbers) = (self.known.finish(), ScalarBuffer::from(self.numbers));
        let (words, ends) = (Buffer::from(self.words), ScalarBuffer::from(self.ends));
        let array = |(at, piece): (usize, &Piece)| -> ArrayRef {
            let nulls = NullBuffer::new(known.slice(at * rows, rows));
            let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
            match *piece {
                Piece::Numbers(from) => Arc::new(Float64Array::new(numbers.slice(from, rows), nulls)),
                Piece::Words { words: from, ends: first } => {
                    let ends = OffsetBuffer::new(ends.slice(first, rows + 1));
                    let words = words.slice_with_length(from, ends[rows] as usize);
                    Arc::new(StringArray::new(ends, words, nulls))
                }
            }
        };
        self.columns.iter().enumerate().map(array).collect()
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
