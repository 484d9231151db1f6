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
    /// By column, whether any row has a value.
    filled: Vec<bool>,
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

impl Value {
    /// The same, where so many bytes more stand before the words.
    fn behind(self, shift: u32) -> Self {
        match self {
            Self::Words(from, to) => Self::Words(from + shift, to + shift),
            other => other,
        }
    }
}

impl Typed {
    /// No rows yet.
    pub fn new(view: &'static View) -> Self {
        Self {
            view,
            heads: Vec::new(),
            values: Vec::new(),
            filled: vec![false; view.columns.len()],
            words: String::new(),
            origins: Origins::default(),
        }
    }

    /// Takes in the rows of another of the same view, but not where they are printed.
    pub fn append(&mut self, other: &Self) {
        let shift = self.words.len() as u32;
        self.heads.extend_from_slice(&other.heads);
        self.values.extend(other.values.iter().map(|value| value.behind(shift)));
        self.words.push_str(&other.words);
        self.filled.iter_mut().zip(&other.filled).for_each(|(filled, others)| *filled |= others);
    }

    /// How much memory its rows take, but for where they are printed.
    pub fn size_bytes(&self) -> usize {
        size_of_val(&self.heads[..]) + size_of_val(&self.values[..]) + self.words.len()
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

    /// A row begins, of which nothing is known yet.
    pub fn begin(&mut self, table: usize, line: u32, instance: Option<i64>) {
        self.heads.push(Head { table: table as u32, line, instance });
        let width = self.view.columns.len();
        self.values.resize(self.values.len() + width, Value::Unknown);
        self.origins.begin(width);
    }

    /// The line of the last row.
    pub fn line(&self) -> u32 {
        self.heads.last().map_or(0, |head| head.line)
    }

    /// The cell that says a value of the last row.
    pub fn origin(&mut self, at: usize, cell: usize) {
        self.origins.set(at, self.view.columns.len(), cell);
    }

    /// The last row's value in a column of numbers.
    pub fn number(&mut self, at: usize, number: f64) {
        self.set(at, Value::Number(number));
    }

    /// The last row's value in a column of words.
    pub fn words(&mut self, at: usize, words: &str) {
        let from = self.words.len();
        self.words.push_str(words);
        self.set(at, Value::Words(from as u32, self.words.len() as u32));
    }

    fn set(&mut self, at: usize, value: Value) {
        self.filled[at] = true;
        let first = self.values.len() - self.view.columns.len();
        self.values[first + at] = value;
    }

    /// The words of a column, each with the line of its row.
    pub fn words_of(&self, at: usize) -> impl Iterator<Item = (u32, &str)> {
        let values = self.values.iter().skip(at).step_by(self.view.columns.len());
        self.heads.iter().zip(values).filter_map(|(head, value)| match value {
            Value::Words(from, to) => Some((head.line, &self.words[*from as usize..*to as usize])),
            _ => None,
        })
    }

    /// Whether the last row has numbers and none of the words that name it, in a view whose rows have names first.
    pub fn lacks_names(&self) -> bool {
        let columns = self.view.columns;
        if !columns.first().is_some_and(|first| first.value.is_words()) {
            return false;
        }
        let row = &self.values[self.values.len() - columns.len()..];
        if matches!(row[0], Value::Words(..)) {
            return false;
        }
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
        let filled = self.filled.iter().filter(|filled| **filled).count();
        let mut shared = Shared::for_columns(filled, rows, self.words.len());
        for (at, column) in self.view.columns.iter().enumerate() {
            let values = self.values.chunks_exact(width).map(|row| row[at]);
            match (column.value.is_words(), self.filled[at]) {
                (true, true) => shared.words(values, &self.words),
                (false, true) => shared.numbers(values),
                (true, false) => shared.columns.push(Piece::NoWords),
                (false, false) => shared.columns.push(Piece::NoNumbers),
            }
        }
        shared.arrays(rows)
    }
}

/// What the columns of one batch are pieces of.
struct Shared {
    /// Whether each value is known, column by column, of those that have values.
    known: BooleanBufferBuilder,
    /// How many values have come.
    seen: usize,
    numbers: Vec<f64>,
    words: Vec<u8>,
    /// Of each column of words: 0, and where the words of each row end behind its own first ones.
    ends: Vec<i32>,
    columns: Vec<Piece>,
}

/// Where a column's values begin among all that are known or not, and among the numbers, or the words and their ends.
enum Piece {
    Numbers { values: usize, numbers: usize },
    Words { values: usize, words: usize, ends: usize },
    NoNumbers,
    NoWords,
}

impl Shared {
    fn for_columns(filled: usize, rows: usize, words: usize) -> Self {
        let values = filled * rows;
        let mut known = BooleanBufferBuilder::new(values);
        known.append_n(values, false);
        Self {
            known,
            seen: 0,
            numbers: Vec::with_capacity(values),
            words: Vec::with_capacity(words),
            ends: Vec::with_capacity(values + filled),
            columns: Vec::with_capacity(filled),
        }
    }

    fn see(&mut self, is_known: bool) {
        if is_known {
            self.known.set_bit(self.seen, true);
        }
        self.seen += 1;
    }

    fn numbers(&mut self, values: impl Iterator<Item = Value>) {
        self.columns.push(Piece::Numbers { values: self.seen, numbers: self.numbers.len() });
        for value in values {
            let number = if let Value::Number(number) = value { Some(number) } else { None };
            self.see(number.is_some());
            self.numbers.push(number.unwrap_or_default());
        }
    }

    fn words(&mut self, values: impl Iterator<Item = Value>, source: &str) {
        let first = self.words.len();
        self.columns.push(Piece::Words { values: self.seen, words: first, ends: self.ends.len() });
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
        let nulls = |values: usize| {
            Some(NullBuffer::new(known.slice(values, rows))).filter(|nulls| nulls.null_count() > 0)
        };
        let (mut no_numbers, mut no_words) = (None::<ArrayRef>, None::<ArrayRef>);
        let array = |piece: &Piece| -> ArrayRef {
            match *piece {
                Piece::Numbers { values, numbers: from } => {
                    Arc::new(Float64Array::new(numbers.slice(from, rows), nulls(values)))
                }
                Piece::Words { values, words: from, ends: first } => {
                    let ends = OffsetBuffer::new(ends.slice(first, rows + 1));
                    let words = words.slice_with_length(from, ends[rows] as usize);
                    Arc::new(StringArray::new(ends, words, nulls(values)))
                }
                Piece::NoNumbers => {
                    no_numbers.get_or_insert_with(|| Arc::new(Float64Array::new_null(rows))).clone()
                }
                Piece::NoWords => {
                    no_words.get_or_insert_with(|| Arc::new(StringArray::new_null(rows))).clone()
                }
            }
        };
        self.columns.iter().map(array).collect()
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
        Field::new("table_index", DataType::UInt32, false),
        Field::new("line", DataType::UInt32, false),
        Field::new("instance_number", DataType::Int64, true),
    ];
    Arc::new(Schema::new(shared.into_iter().chain(own).collect::<Vec<_>>()))
}
