//! Rows of one table that wait for more of them.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_select::concat::concat_batches;

use plimsoll_reports::sections::Typed;

use crate::Error;
use crate::identity::{Identity, Named, Source};
use crate::tables::Own;

/// So many rows are a batch of their own: each column of a batch costs memory and time besides its rows.
const BATCH_ROWS_MIN: usize = 1024;
/// Rows of typed views that are fewer become one batch when they are so many: few enough to stay in a processor's cache.
const TYPED_ROWS_MIN: usize = 256;
/// So many small batches become one.
const SMALL_MAX: usize = 16;
/// What a column of a batch costs besides its values, in bytes.
const COLUMN_BYTES: usize = 250;

/// What waits of one table: batches, each with the reports that its rows are from, and behind them the rows that are few yet.
#[derive(Default)]
pub(crate) struct Pile {
    batches: Vec<(RecordBatch, Vec<Source>)>,
    batches_bytes: usize,
    few: Few,
    few_sources: Vec<Source>,
}

impl Pile {
    pub(crate) fn add(&mut self, identity: &Arc<Identity>, rows: Own<'_>) -> Result<(), Error> {
        let source = (Arc::clone(identity), rows.count());
        if rows.count() >= BATCH_ROWS_MIN {
            self.join()?;
            self.push(rows.into_batch()?, vec![source]);
            return Ok(());
        }
        self.few.add(rows);
        self.few_sources.push(source);
        if self.few.is_enough() { self.join() } else { Ok(()) }
    }

    pub(crate) fn add_batch(&mut self, rows: RecordBatch, sources: Vec<Source>) -> Result<(), Error> {
        self.join()?;
        self.push(rows, sources);
        Ok(())
    }

    /// Makes one batch of the rows that are few.
    fn join(&mut self) -> Result<(), Error> {
        if let Some(joined) = std::mem::take(&mut self.few).into_batch()? {
            let sources = std::mem::take(&mut self.few_sources);
            self.push(joined, sources);
        }
        Ok(())
    }

    fn push(&mut self, rows: RecordBatch, sources: Vec<Source>) {
        self.batches_bytes += batch_bytes(&rows);
        self.batches.push((rows, sources));
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.batches_bytes + self.few.size_bytes()
    }

    /// All of it in order.
    pub(crate) fn into_batches(mut self) -> Result<Vec<(RecordBatch, Vec<Source>)>, Error> {
        self.join()?;
        Ok(self.batches)
    }

    /// All of it in order, with what names the reports.
    pub(crate) fn named(self, table: &str) -> Result<Vec<RecordBatch>, Error> {
        let batches = self.into_batches()?;
        let Some((first, _)) = batches.first() else { return Ok(Vec::new()) };
        let named = Named::new(table, first.schema_ref());
        batches.iter().map(|(rows, sources)| Ok(named.rows(rows, sources)?)).collect()
    }
}

/// Rows of one table that are too few for a batch of their own.
#[derive(Default)]
enum Few {
    #[default]
    None,
    Typed(Typed),
    Batches(Vec<RecordBatch>, usize),
}

impl Few {
    fn add(&mut self, rows: Own<'_>) {
        match (&mut *self, rows) {
            (Self::Typed(all), Own::Typed(typed)) => all.append(typed),
            (Self::None, Own::Typed(typed)) => {
                let mut all = Typed::new(typed.view);
                all.append(typed);
                *self = Self::Typed(all);
            }
            (Self::None, Own::Batch(batch)) => {
                let size_bytes = batch_bytes(&batch);
                *self = Self::Batches(vec![batch], size_bytes);
            }
            (Self::Batches(all, size_bytes), Own::Batch(batch)) => {
                *size_bytes += batch_bytes(&batch);
                all.push(batch);
            }
            (Self::Typed(_), Own::Batch(_)) | (Self::Batches(..), Own::Typed(_)) => {
                unreachable!("a table is a typed view, or never is")
            }
        }
    }

    fn is_enough(&self) -> bool {
        match self {
            Self::None => false,
            Self::Typed(typed) => typed.rows() >= TYPED_ROWS_MIN,
            Self::Batches(batches, _) => batches.len() >= SMALL_MAX,
        }
    }

    fn size_bytes(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Typed(typed) => typed.size_bytes(),
            Self::Batches(_, size_bytes) => *size_bytes,
        }
    }

    fn into_batch(self) -> Result<Option<RecordBatch>, Error> {
        Ok(match self {
            Self::None => None,
            Self::Typed(typed) => Some(typed.batch()?),
            Self::Batches(batches, _) => Some(concat_batches(&batches[0].schema(), &batches)?),
        })
    }
}

fn batch_bytes(rows: &RecordBatch) -> usize {
    rows.num_columns() * COLUMN_BYTES + rows.columns().iter().map(size_bytes).sum::<usize>()
}

fn size_bytes(column: &Arc<dyn Array>) -> usize {
    column.to_data().get_slice_memory_size().unwrap_or_else(|_| column.get_array_memory_size())
}

#[cfg(test)]
mod tests {
    use plimsoll_reports::sections;

    use super::*;

    /// A report's rows of a view with words and numbers, some of them unknown.
    fn typed(report: usize, rows: usize) -> Typed {
        let view = sections::ALL.iter().find(|view| view.name == "cache_sizes");
        let mut made = Typed::new(view.expect("a view of that name"));
        for row in 0..rows {
            made.begin(report, row as u32, (row % 2 == 0).then_some(row as i64));
            if row % 3 > 0 {
                made.words(0, &format!("cache {row} of {report}"));
            }
            if report.is_multiple_of(2) {
                made.number(1, (report * 100 + row) as f64);
            }
        }
        made
    }

    fn pile<'a>(reports: impl Iterator<Item = Own<'a>>) -> RecordBatch {
        let mut made = Pile::default();
        for (at, rows) in reports.enumerate() {
            let identity = Identity { report: Some(format!("report {at}")), ..Identity::default() };
            made.add(&Arc::new(identity), rows).unwrap();
        }
        let batches = made.named("cache_sizes").unwrap();
        concat_batches(&batches[0].schema(), &batches).unwrap()
    }

    #[test]
    fn rows_of_views_are_the_same_gathered_as_arrow_or_not() {
        let counts = [1, 3, TYPED_ROWS_MIN, 2, BATCH_ROWS_MIN, 5, 0, TYPED_ROWS_MIN - 1, 7];
        let all: Vec<Typed> = counts.iter().enumerate().map(|(at, rows)| typed(at, *rows)).collect();
        let gathered = pile(all.iter().map(Own::Typed));
        let as_arrow = pile(all.iter().map(|one| Own::Batch(one.batch().unwrap())));
        assert_eq!(gathered.num_rows(), counts.iter().sum::<usize>());
        assert_eq!(gathered, as_arrow);
    }
}
