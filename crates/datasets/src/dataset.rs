//! Rows of many reports, table by table, until there are enough of them for a file.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use arrow_array::{Array, RecordBatch};
use arrow_select::concat::concat_batches;
use rayon::prelude::*;

use plimsoll_reports::Report;
use plimsoll_reports::sections::Typed;

use crate::Error;
use crate::csv::Csv;
use crate::gathered;
use crate::identity::{Identity, Named, Source};
use crate::parquet::File;
use crate::tables::{self, Own, Rows};

/// Of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `latches/part-00000.parquet`, a folder for each table.
    Parquet,
    /// `latches.csv`, a file for each table.
    Csv {
        /// Whether texts that a spreadsheet would run get a quote in front.
        escape_formulas: bool,
    },
}

/// How much may wait in memory, and how large a file becomes, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Rows of one table that become a row group, or lines, as soon as they are so many.
    pub rows_of_table_max: usize,
    /// Rows of all tables together.
    pub rows_max: usize,
    /// One Parquet file, which is then full.
    pub file_min: usize,
}

/// Bytes to be put behind what the file of that path holds already.
#[derive(Debug)]
pub struct Part {
    /// Within the folder of all files.
    pub path: String,
    /// What to put there.
    pub bytes: Vec<u8>,
}

/// One output while it grows.
pub struct Dataset {
    format: Format,
    limits: Limits,
    piles: BTreeMap<String, Pile>,
    files: BTreeMap<String, File>,
    /// The file to which a row group is being added.
    encoding: Option<Receiver<(String, Result<File, Error>)>>,
    /// By table, how many Parquet files are whole.
    whole: BTreeMap<String, usize>,
    /// Tables whose CSV has its headings.
    begun: HashSet<String>,
    parts: Vec<Part>,
}

impl Dataset {
    /// Nothing yet.
    pub fn new(format: Format, limits: Limits) -> Self {
        Self {
            format,
            limits,
            piles: BTreeMap::new(),
            files: BTreeMap::new(),
            encoding: None,
            whole: BTreeMap::new(),
            begun: HashSet::new(),
            parts: Vec::new(),
        }
    }

    /// Takes in tables of one report; returns what is to be written.
    ///
    /// # Errors
    ///
    /// Never, as batches are sound.
    pub fn add(&mut self, identity: &Arc<Identity>, tables: Vec<Rows<'_>>) -> Result<Vec<Part>, Error> {
        for rows in tables {
            self.piles.entry(rows.table.clone()).or_default().add(identity, rows.own)?;
            self.write_if_many(&rows.table)?;
        }
        self.shrink()?;
        Ok(std::mem::take(&mut self.parts))
    }

    /// Takes in what was gathered of several reports, without those that are left out, by number; returns what is to be written.
    ///
    /// # Errors
    ///
    /// Bytes that `Gathered` did not make.
    pub fn add_gathered(&mut self, gathered: &[u8], left_out: &[usize]) -> Result<Vec<Part>, Error> {
        for (table, batches) in gathered::rows_of(gathered, left_out)? {
            for (rows, sources) in batches {
                self.piles.entry(table.clone()).or_default().add_batch(rows, sources)?;
                self.write_if_many(&table)?;
            }
        }
        self.shrink()?;
        Ok(std::mem::take(&mut self.parts))
    }

    fn write_if_many(&mut self, table: &str) -> Result<(), Error> {
        let waiting_bytes = self.piles.get(table).map_or(0, Pile::size_bytes);
        if waiting_bytes >= self.limits.rows_of_table_max { self.write(table) } else { Ok(()) }
    }

    /// Writes until what waits of all tables is within its limit.
    fn shrink(&mut self) -> Result<(), Error> {
        while self.piles.values().map(Pile::size_bytes).sum::<usize>() > self.limits.rows_max {
            let largest = self.piles.iter().max_by_key(|(_, pile)| pile.size_bytes());
            let Some((table, _)) = largest else { break };
            self.write(&table.clone())?;
        }
        Ok(())
    }

    /// Writes rows that have all their columns already, as the table of all reports has.
    ///
    /// # Errors
    ///
    /// Never, as batches are sound.
    pub fn add_whole(&mut self, table: &str, rows: RecordBatch) -> Result<(), Error> {
        self.put(table, vec![rows])
    }

    /// All that is left.
    ///
    /// # Errors
    ///
    /// Never, as batches are sound.
    pub fn finish(mut self) -> Result<Vec<Part>, Error> {
        self.settle()?;
        if self.format == Format::Parquet {
            self.finish_parquet()?;
        } else {
            let tables: Vec<String> = self.piles.keys().cloned().collect();
            for table in tables {
                self.write(&table)?;
            }
        }
        Ok(self.parts)
    }

    /// Closes all files, each with what waits of its table, on all processors.
    fn finish_parquet(&mut self) -> Result<(), Error> {
        let mut left: BTreeMap<_, (Option<File>, Pile)> = std::mem::take(&mut self.files)
            .into_iter()
            .map(|(table, file)| (table, (Some(file), Pile::default())))
            .collect();
        for (table, pile) in std::mem::take(&mut self.piles) {
            left.entry(table).or_default().1 = pile;
        }
        let closed = left.into_par_iter().map(|(table, (file, pile))| {
            let content = closed_file(&table, file, pile)?;
            Ok((table, content))
        });
        for (table, content) in closed.collect::<Result<Vec<_>, Error>>()? {
            self.push_part(&table, content);
        }
        Ok(())
    }

    /// Makes a row group, or lines, of what waits of a table.
    fn write(&mut self, table: &str) -> Result<(), Error> {
        let Some(pile) = self.piles.remove(table) else { return Ok(()) };
        self.put(table, pile.named(table)?)
    }

    fn put(&mut self, table: &str, rows: Vec<RecordBatch>) -> Result<(), Error> {
        match self.format {
            Format::Parquet => self.put_parquet(table, rows),
            Format::Csv { escape_formulas } => {
                let csv = Csv { escape_formulas };
                let mut text = String::new();
                if self.begun.insert(table.to_owned()) {
                    csv.headings(rows[0].schema_ref(), &mut text);
                }
                rows.iter().for_each(|batch| csv.lines(batch, &mut text));
                self.parts.push(Part { path: format!("{table}.csv"), bytes: text.into_bytes() });
                Ok(())
            }
        }
    }

    /// Has a row group encoded while the next reports are taken in; one at a time, so that memory is bounded.
    fn put_parquet(&mut self, table: &str, rows: Vec<RecordBatch>) -> Result<(), Error> {
        self.settle()?;
        let mut file = match self.files.remove(table) {
            Some(file) => file,
            None => File::new(rows[0].schema())?,
        };
        let (sender, receiver) = mpsc::channel();
        let table = table.to_owned();
        rayon::spawn(move || {
            let added = file.add(&rows).map(|()| file);
            // Nobody listens where the whole output was given up.
            let _ = sender.send((table, added));
        });
        self.encoding = Some(receiver);
        Ok(())
    }

    /// Waits for the row group that is being encoded, hands it on, and closes its file where that is full then.
    fn settle(&mut self) -> Result<(), Error> {
        let Some(receiver) = self.encoding.take() else { return Ok(()) };
        let (table, file) = receiver.recv().map_err(|_| Error::Ended)?;
        let mut file = file?;
        if file.size_bytes() < self.limits.file_min {
            self.push_part(&table, file.take_bytes()?);
            self.files.insert(table, file);
            return Ok(());
        }
        self.push_part(&table, file.finish()?);
        *self.whole.entry(table).or_default() += 1;
        Ok(())
    }

    /// Of the Parquet file of a table that is not whole yet.
    fn push_part(&mut self, table: &str, bytes: Vec<u8>) {
        let number = self.whole.get(table).unwrap_or(&0);
        let path = format!("{table}/part-{number:05}.parquet");
        self.parts.push(Part { path, bytes });
    }
}

/// What is left of a file, which gets the rest of its rows.
fn closed_file(table: &str, file: Option<File>, pile: Pile) -> Result<Vec<u8>, Error> {
    let rows = pile.named(table)?;
    let file = match (file, rows.first()) {
        (Some(file), None) => Some(file),
        (file, Some(first)) => {
            let mut file = file.map_or_else(|| File::new(first.schema()), Ok)?;
            file.add(&rows)?;
            Some(file)
        }
        (None, None) => None,
    };
    file.map_or_else(|| Ok(Vec::new()), File::finish)
}

/// The tables of one report that are wanted, each with how many rows it has, as a Parquet file.
///
/// # Errors
///
/// Never, as batches are sound.
pub fn files_of(
    identity: &Arc<Identity>,
    report: &Report,
    wanted: &[String],
) -> Result<Vec<(String, usize, Vec<u8>)>, Error> {
    let file = |rows: Rows<'_>| {
        let count = rows.own.count();
        let mut pile = Pile::default();
        pile.add(identity, rows.own)?;
        let named = pile.named(&rows.table)?;
        let mut file = File::new(named[0].schema())?;
        file.add(&named)?;
        Ok((rows.table, count, file.finish()?))
    };
    tables::of(report, wanted)?.into_iter().map(file).collect()
}

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

    fn add_batch(&mut self, rows: RecordBatch, sources: Vec<Source>) -> Result<(), Error> {
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

    fn size_bytes(&self) -> usize {
        self.batches_bytes + self.few.size_bytes()
    }

    /// All of it in order.
    pub(crate) fn into_batches(mut self) -> Result<Vec<(RecordBatch, Vec<Source>)>, Error> {
        self.join()?;
        Ok(self.batches)
    }

    /// All of it in order, with what names the reports.
    fn named(self, table: &str) -> Result<Vec<RecordBatch>, Error> {
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
