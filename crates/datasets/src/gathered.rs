//! Rows of a group of reports on their way from the process that reads them to the one that writes the files.
//!
//! The bytes are a head in JSON, with its length before it, and behind it a stream of Arrow (its IPC format) for each table. Both
//! processes are of one version: nothing else needs to understand them.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_select::concat::concat_batches;
use serde_json::{Value, json};

use crate::Error;
use crate::identity::{Identity, Source};
use crate::pile::Pile;
use crate::tables::Rows;

/// Batches that follow each other become one of at least so many rows: each costs time on the way, besides its rows.
const BATCH_ROWS_MIN: usize = 4096;
const LENGTH_BYTES: usize = 8;

/// Reports whose rows wait to be sent.
#[derive(Default)]
pub struct Gathered {
    identities: Vec<Arc<Identity>>,
    piles: BTreeMap<String, Pile>,
}

/// A table's batch, and for each report that it has rows of, which one and how many.
type Batch = (RecordBatch, Vec<(usize, usize)>);

impl Gathered {
    /// Takes in tables of one more report, the next by number, be they none.
    ///
    /// # Errors
    ///
    /// Never, as batches are sound.
    pub fn add(&mut self, identity: &Arc<Identity>, tables: Vec<Rows<'_>>) -> Result<(), Error> {
        self.identities.push(Arc::clone(identity));
        for rows in tables {
            self.piles.entry(rows.table).or_default().add(identity, rows.own)?;
        }
        Ok(())
    }

    /// All of it.
    ///
    /// # Errors
    ///
    /// Never, as batches are sound.
    pub fn into_bytes(self) -> Result<Vec<u8>, Error> {
        let mut tables = Vec::new();
        let mut streams = Vec::new();
        for (table, pile) in self.piles {
            let batches = numbered(&self.identities, pile.into_batches()?)?;
            let begin = streams.len();
            put_stream(&batches, &mut streams)?;
            let sources: Vec<_> = batches.iter().map(|(_, sources)| sources).collect();
            tables.push(json!([table, streams.len() - begin, sources]));
        }
        let identities: Vec<Value> = self.identities.iter().map(|one| shown(one)).collect();
        let head = json!([identities, tables]).to_string();
        let mut made = (head.len() as u64).to_le_bytes().to_vec();
        made.extend_from_slice(head.as_bytes());
        made.append(&mut streams);
        Ok(made)
    }
}

/// With the numbers of the reports in place of the reports, and few batches.
fn numbered(
    identities: &[Arc<Identity>],
    batches: Vec<(RecordBatch, Vec<Source>)>,
) -> Result<Vec<Batch>, Error> {
    let mut made = Vec::new();
    let mut waiting: (Vec<RecordBatch>, Vec<(usize, usize)>) = Default::default();
    let mut number = 0;
    for (rows, sources) in batches {
        for (identity, count) in sources {
            // Rows come in the order of the reports.
            while !Arc::ptr_eq(&identities[number], &identity) {
                number += 1;
            }
            waiting.1.push((number, count));
        }
        waiting.0.push(rows);
        if waiting.0.iter().map(RecordBatch::num_rows).sum::<usize>() >= BATCH_ROWS_MIN {
            made.push(joined(std::mem::take(&mut waiting))?);
        }
    }
    if !waiting.0.is_empty() {
        made.push(joined(waiting)?);
    }
    Ok(made)
}

fn joined((batches, sources): (Vec<RecordBatch>, Vec<(usize, usize)>)) -> Result<Batch, Error> {
    Ok((concat_batches(&batches[0].schema(), &batches)?, sources))
}

fn put_stream(batches: &[Batch], out: &mut Vec<u8>) -> Result<(), Error> {
    let Some((first, _)) = batches.first() else { return Ok(()) };
    let mut writer = StreamWriter::try_new(out, first.schema_ref())?;
    for (rows, _) in batches {
        writer.write(rows)?;
    }
    Ok(writer.finish()?)
}

fn shown(one: &Identity) -> Value {
    json!([one.report, one.db_name, one.instance, one.begin_time, one.end_time, one.begin_snap, one.end_snap])
}

type Shown =
    (Option<String>, Option<String>, Option<String>, Option<i64>, Option<i64>, Option<i64>, Option<i64>);
type Head = (Vec<Shown>, Vec<(String, usize, Vec<Vec<(usize, usize)>>)>);

fn identity(shown: Shown) -> Arc<Identity> {
    let (report, db_name, instance, begin_time, end_time, begin_snap, end_snap) = shown;
    Arc::new(Identity { report, db_name, instance, begin_time, end_time, begin_snap, end_snap })
}

/// A table, and its rows with the reports that they are from.
pub(crate) type TableRows = (String, Vec<(RecordBatch, Vec<Source>)>);

/// The rows again, without those of the reports that are left out, by number.
pub(crate) fn rows_of(gathered: &[u8], left_out: &[usize]) -> Result<Vec<TableRows>, Error> {
    let (head, mut streams) = parted(gathered).ok_or(Error::Gathered)?;
    let (identities, tables): Head = serde_json::from_slice(head).map_err(|_| Error::Gathered)?;
    let identities: Vec<_> = identities.into_iter().map(identity).collect();
    let mut made = Vec::new();
    for (table, length, sources) in tables {
        let (stream, rest) = streams.split_at_checked(length).ok_or(Error::Gathered)?;
        streams = rest;
        let mut all = Vec::new();
        for (batch, sources) in StreamReader::try_new(Cursor::new(stream), None)?.zip(sources) {
            all.extend(kept(batch?, &sources, &identities, left_out)?);
        }
        made.push((table, all));
    }
    Ok(made)
}

fn parted(gathered: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = gathered.split_at_checked(LENGTH_BYTES)?;
    let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
    rest.split_at_checked(length)
}

/// The rows of a batch but for those left out; none where there are no others.
fn kept(
    rows: RecordBatch,
    sources: &[(usize, usize)],
    identities: &[Arc<Identity>],
    left_out: &[usize],
) -> Result<Option<(RecordBatch, Vec<Source>)>, Error> {
    if sources.iter().map(|(_, count)| count).sum::<usize>() != rows.num_rows() {
        return Err(Error::Gathered);
    }
    let mut pieces = Vec::new();
    let mut named = Vec::new();
    let mut at = 0;
    for (number, count) in sources {
        if !left_out.contains(number) {
            named.push((Arc::clone(identities.get(*number).ok_or(Error::Gathered)?), *count));
            pieces.push(rows.slice(at, *count));
        }
        at += count;
    }
    if pieces.len() == sources.len() {
        return Ok(Some((rows, named)));
    }
    let Some(first) = pieces.first() else { return Ok(None) };
    Ok(Some((concat_batches(&first.schema(), &pieces)?, named)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Own;
    use crate::{Kind, batch_of};

    fn named(report: &str) -> Arc<Identity> {
        Arc::new(Identity { report: Some(report.to_owned()), begin_snap: Some(7), ..Identity::default() })
    }

    fn numbers(table: &str, values: std::ops::Range<i64>) -> Rows<'static> {
        let rows: Vec<_> = values.map(|value| vec![json!(value)]).collect();
        let batch = batch_of(&[("value".to_owned(), Kind::Whole)], &rows).unwrap();
        Rows { table: table.to_owned(), own: Own::Batch(batch) }
    }

    /// Three reports, of which the second has no rows of `b`, and the last is long.
    fn gathered() -> Vec<u8> {
        let mut all = Gathered::default();
        all.add(&named("x"), vec![numbers("a", 0..2), numbers("b", 0..3)]).unwrap();
        all.add(&named("y"), vec![numbers("a", 2..3)]).unwrap();
        all.add(&named("z"), vec![numbers("a", 3..6000), numbers("b", 3..4)]).unwrap();
        all.into_bytes().unwrap()
    }

    /// A table, its reports with how many rows each has, and how many rows there are.
    type Told = (String, Vec<(String, usize)>, usize);

    fn told(left_out: &[usize]) -> Vec<Told> {
        let name = |(one, count): Source| (one.report.clone().unwrap(), count);
        let table = |(table, batches): TableRows| {
            let rows = batches.iter().map(|(rows, _)| rows.num_rows()).sum();
            (table, batches.into_iter().flat_map(|(_, sources)| sources).map(name).collect(), rows)
        };
        rows_of(&gathered(), left_out).unwrap().into_iter().map(table).collect()
    }

    fn of(name: &str, count: usize) -> (String, usize) {
        (name.to_owned(), count)
    }

    #[test]
    fn rows_come_back_with_their_reports() {
        let a = ("a".to_owned(), vec![of("x", 2), of("y", 1), of("z", 5997)], 6000);
        assert_eq!(told(&[]), [a, ("b".to_owned(), vec![of("x", 3), of("z", 1)], 4)]);
    }

    #[test]
    fn reports_are_left_out_with_their_rows() {
        let a = ("a".to_owned(), vec![of("y", 1), of("z", 5997)], 5998);
        assert_eq!(told(&[0]), [a, ("b".to_owned(), vec![of("z", 1)], 1)]);
        assert_eq!(told(&[0, 1, 2]), [("a".to_owned(), vec![], 0), ("b".to_owned(), vec![], 0)]);
    }

    #[test]
    fn what_is_cut_off_is_told_and_never_read_in_part() {
        let whole = gathered();
        for length in (0..whole.len() - 8).step_by(97) {
            assert!(rows_of(&whole[..length], &[]).is_err(), "{length} of {}", whole.len());
        }
    }
}
