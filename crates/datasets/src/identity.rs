//! What names a report in the rows that are from it, so that each file alone says what it is about.

use std::sync::Arc;

use arrow_array::builder::{Int32BufferBuilder, Int64Builder, TimestampMillisecondBuilder};
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};

use crate::tables::CELLS;

/// What names a report. Instants are local times of the reported host, in milliseconds as if its clock showed UTC.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// The beginning of the SHA-256 of its bytes.
    pub report: Option<String>,
    /// The database.
    pub db_name: Option<String>,
    /// The instance; none in reports over several.
    pub instance: Option<String>,
    /// Begin of the interval.
    pub begin_time: Option<i64>,
    /// End of the interval.
    pub end_time: Option<i64>,
    /// Number of the snapshot at the begin.
    pub begin_snap: Option<i64>,
    /// Number of the snapshot at the end.
    pub end_snap: Option<i64>,
}

/// A report, and how many rows that follow each other are from it.
pub type Source = (Arc<Identity>, usize);

const COLUMNS: usize = 7;

fn column(at: usize, sources: &[Source]) -> ArrayRef {
    match at {
        0 => words(sources, |one| one.report.as_deref()),
        1 => words(sources, |one| one.db_name.as_deref()),
        2 => words(sources, |one| one.instance.as_deref()),
        3 => times(sources, |one| one.begin_time),
        4 => times(sources, |one| one.end_time),
        5 => numbers(sources, |one| one.begin_snap),
        _ => numbers(sources, |one| one.end_snap),
    }
}

fn field(at: usize) -> Field {
    let words = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let time = || DataType::Timestamp(TimeUnit::Millisecond, None);
    let (name, kind) = match at {
        0 => ("report", words()),
        1 => ("db_name", words()),
        2 => ("instance", words()),
        3 => ("begin_time", time()),
        4 => ("end_time", time()),
        5 => ("begin_snap", DataType::Int64),
        _ => ("end_snap", DataType::Int64),
    };
    Field::new(name, kind, true)
}

/// Puts what names the report in front of a table's own columns; an own column of such a name wins. Cells name the report alone, as
/// there are tens of thousands in each.
#[derive(Clone)]
pub struct Named {
    schema: SchemaRef,
    front: Vec<usize>,
}

impl Named {
    /// For the rows of this table.
    pub fn new(table: &str, own: &Schema) -> Self {
        let most = if table == CELLS { 1 } else { COLUMNS };
        let front: Vec<usize> = (0..most).filter(|at| own.index_of(field(*at).name()).is_err()).collect();
        let fields = front.iter().map(|at| Arc::new(field(*at))).chain(own.fields().iter().cloned());
        Self { schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())), front }
    }

    /// The rows with their reports, which are as many.
    pub fn rows(&self, own: &RecordBatch, sources: &[Source]) -> Result<RecordBatch, ArrowError> {
        let front = self.front.iter().map(|at| column(*at, sources));
        RecordBatch::try_new(Arc::clone(&self.schema), front.chain(own.columns().iter().cloned()).collect())
    }
}

/// Each text once, and for each row which it is.
fn words(sources: &[Source], pick: impl Fn(&Identity) -> Option<&str>) -> ArrayRef {
    let mut keys = Int32BufferBuilder::new(count(sources));
    let mut values: Vec<&str> = Vec::new();
    let mut is_known = Vec::with_capacity(count(sources));
    for (identity, rows) in sources {
        let text = pick(identity);
        let known = text.map(|text| values.iter().rposition(|value| *value == text));
        let key = known.map_or(0, |known| {
            known.unwrap_or_else(|| {
                values.push(text.unwrap_or_default());
                values.len() - 1
            })
        });
        keys.append_n(*rows, key as i32);
        is_known.resize(is_known.len() + rows, text.is_some());
    }
    let keys = Int32Array::new(keys.finish().into(), Some(is_known.into()));
    Arc::new(DictionaryArray::new(keys, Arc::new(StringArray::from(values))))
}

fn times(sources: &[Source], pick: impl Fn(&Identity) -> Option<i64>) -> ArrayRef {
    let mut made = TimestampMillisecondBuilder::with_capacity(count(sources));
    for (identity, rows) in sources {
        (0..*rows).for_each(|_| made.append_option(pick(identity)));
    }
    Arc::new(made.finish())
}

fn numbers(sources: &[Source], pick: impl Fn(&Identity) -> Option<i64>) -> ArrayRef {
    let mut made = Int64Builder::with_capacity(count(sources));
    for (identity, rows) in sources {
        (0..*rows).for_each(|_| made.append_option(pick(identity)));
    }
    Arc::new(made.finish())
}

fn count(sources: &[Source]) -> usize {
    sources.iter().map(|(_, rows)| rows).sum()
}
