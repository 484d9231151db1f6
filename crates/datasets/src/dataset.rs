//! Rows of many reports, table by table, until there are enough of them for a file.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use arrow_array::RecordBatch;
use rayon::prelude::*;

use plimsoll_reports::Report;

use crate::Error;
use crate::csv::Csv;
use crate::gathered;
use crate::identity::Identity;
use crate::parquet::File;
use crate::pile::Pile;
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
