//! Rows of many reports, table by table, until there are enough of them for a file.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use arrow_array::{Array, RecordBatch};
use arrow_select::concat::concat_batches;
use rayon::prelude::*;

use plimsoll_reports::Report;

use crate::Error;
use crate::csv::Csv;
use crate::identity::{Identity, Named, Source};
use crate::parquet::File;
use crate::tables::{self, Rows};

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

/// How much may wait in memory, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Rows of one table that become a row group, or lines, as soon as they are so many.
    pub rows_of_table_max: usize,
    /// Rows of all tables together.
    pub rows_max: usize,
    /// One Parquet file, which is then full.
    pub file_min: usize,
    /// All Parquet files together that are not full yet.
    pub files_max: usize,
}

/// Bytes to be put behind what the file of that path holds already; Parquet files come whole.
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
    pub fn add(&mut self, identity: &Arc<Identity>, tables: Vec<Rows>) -> Result<Vec<Part>, Error> {
        for rows in tables {
            let pile = self.piles.entry(rows.table.clone()).or_default();
            pile.add(identity, rows.batch)?;
            if pile.size_bytes >= self.limits.rows_of_table_max {
                self.write(&rows.table)?;
            }
        }
        while self.piles.values().map(|pile| pile.size_bytes).sum::<usize>() > self.limits.rows_max {
            let largest = self.piles.iter().max_by_key(|(_, pile)| pile.size_bytes);
            let Some((table, _)) = largest else { break };
            self.write(&table.clone())?;
        }
        Ok(std::mem::take(&mut self.parts))
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
            self.push_file(&table, content);
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

    /// Waits for the row group that is being encoded, and closes files that are full then.
    fn settle(&mut self) -> Result<(), Error> {
        let Some(receiver) = self.encoding.take() else { return Ok(()) };
        let (table, file) = receiver.recv().map_err(|_| Error::Ended)?;
        let file = file?;
        if file.size_bytes() >= self.limits.file_min {
            return self.close(&table, file);
        }
        self.files.insert(table, file);
        if self.files.values().map(File::size_bytes).sum::<usize>() > self.limits.files_max {
            let largest = self.files.iter().max_by_key(|(_, file)| file.size_bytes());
            let table = largest.map(|(table, _)| table.clone()).unwrap_or_default();
            if let Some(file) = self.files.remove(&table) {
                self.close(&table, file)?;
            }
        }
        Ok(())
    }

    fn close(&mut self, table: &str, file: File) -> Result<(), Error> {
        let content = file.finish()?;
        self.push_file(table, content);
        Ok(())
    }

    fn push_file(&mut self, table: &str, bytes: Vec<u8>) {
        let number = self.whole.entry(table.to_owned()).or_default();
        let path = format!("{table}/part-{number:05}.parquet");
        *number += 1;
        self.parts.push(Part { path, bytes });
    }
}

/// The bytes of a file that gets the rest of its rows.
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
    let file = |rows: Rows| {
        let count = rows.batch.num_rows();
        let mut pile = Pile::default();
        pile.add(identity, rows.batch)?;
        let named = pile.named(&rows.table)?;
        let mut file = File::new(named[0].schema())?;
        file.add(&named)?;
        Ok((rows.table, count, file.finish()?))
    };
    tables::of(report, wanted)?.into_iter().map(file).collect()
}

/// So many small batches are made into one: each column of each of them costs memory and time of its own, however few its rows.
const SMALL_MAX: usize = 16;
/// Batches of fewer rows are small.
const SMALL_ROWS_MAX: usize = 1024;
/// What a column of a batch costs besides its values, in bytes.
const COLUMN_BYTES: usize = 250;

/// What waits of one table: batches, each with the reports that its rows are from, and behind them the small ones that came last.
#[derive(Default)]
struct Pile {
    batches: Vec<(RecordBatch, Vec<Source>)>,
    small: Vec<(RecordBatch, Vec<Source>)>,
    size_bytes: usize,
}

impl Pile {
    fn add(&mut self, identity: &Arc<Identity>, rows: RecordBatch) -> Result<(), Error> {
        self.size_bytes +=
            rows.num_columns() * COLUMN_BYTES + rows.columns().iter().map(size_bytes).sum::<usize>();
        let is_small = rows.num_rows() < SMALL_ROWS_MAX;
        let source = (Arc::clone(identity), rows.num_rows());
        self.small.push((rows, vec![source]));
        if !is_small || self.small.len() >= SMALL_MAX {
            self.join()?;
        }
        Ok(())
    }

    /// Makes one batch of the small ones, but for a large one that came last.
    fn join(&mut self) -> Result<(), Error> {
        let last = self.small.pop_if(|(rows, _)| rows.num_rows() >= SMALL_ROWS_MAX);
        if let Some((first, _)) = self.small.first() {
            let joined = concat_batches(&first.schema(), self.small.iter().map(|(rows, _)| rows))?;
            self.size_bytes -= (self.small.len() - 1) * joined.num_columns() * COLUMN_BYTES;
            let sources = self.small.drain(..).flat_map(|(_, sources)| sources).collect();
            self.batches.push((joined, sources));
        }
        self.batches.extend(last);
        Ok(())
    }

    /// All of it in order, with what names the reports.
    fn named(mut self, table: &str) -> Result<Vec<RecordBatch>, Error> {
        self.join()?;
        let Some((first, _)) = self.batches.first() else { return Ok(Vec::new()) };
        let named = Named::new(table, first.schema_ref());
        self.batches.iter().map(|(rows, sources)| Ok(named.rows(rows, sources)?)).collect()
    }
}

fn size_bytes(column: &Arc<dyn Array>) -> usize {
    column.to_data().get_slice_memory_size().unwrap_or_else(|_| column.get_array_memory_size())
}
