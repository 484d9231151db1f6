//! The probe in the kernel: loaded, attached, read, and gone with the process that has it, however that ends.
//!
//! The kernel has two tables of rows. A reading makes the one that rests the one that is added to, waits until nobody adds to the
//! other any more, and empties that: nothing is lost or counted twice, and there is room for new rows after each reading.

use aya::maps::{Array, ArrayOfMaps, HashMap, MapData, PerCpuArray};
use aya::{Btf, Ebpf, EbpfLoader, include_bytes_aligned};
use plimsoll_engine::error::Result;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::kernel::{attach, attach_nothing, has_event, kernel_types, map, refused, taken, unread};
use crate::layout::{Key, RawKey, RawRow, Row, read_key, read_row};
use crate::obstacles::Surroundings;

static OBJECT: &[u8] = include_bytes_aligned!("../bpf/block.bpf.o");

/// Without these there is nothing to count.
const NEEDED: [&str; 2] = ["block_rq_issue", "block_rq_complete"];
/// What tells when a request was made, and by whom; kernels before 6.5 have the second, where a scheduler of the disk gets it.
const BEGINS: [&str; 2] = ["block_io_start", "block_rq_insert"];
/// Forgets requests that became part of others; without it a begin could be taken for another request's.
const MERGE: &str = "block_rq_merge";
/// Requests that a disk gave back.
const REQUEUE: &str = "block_rq_requeue";
/// Loads only where the tracepoints have the queue before the request.
const SECOND_ARGUMENT: (&str, &str) = ("second_argument", "block_rq_issue");

/// How many requests and rows there is room for; others are counted as lost.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Requests between begin and end at one moment.
    pub requests: u32,
    /// Combinations of owner, operation, disk and file between two readings.
    pub rows: u32,
}

impl Default for Room {
    fn default() -> Self {
        Self { requests: 16_384, rows: 8_192 }
    }
}

/// Events that are in no row, since the probe began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that there was no room to remember: each is an I/O that is missing.
    pub lost_requests: u64,
    /// I/Os that there was no row for.
    pub lost_rows: u64,
    /// Their bytes.
    pub lost_row_bytes: u64,
    /// Ends without a begin: the write that carried a flush, what was under way when the probe began, and where the begin of
    /// requests is not told (Linux 6.5 does) requests for a flush.
    pub orphans: u64,
    /// Requests that a disk gave back and got again.
    pub requeued: u64,
    /// Requests that became part of others.
    pub merged: u64,
}

/// What was counted until the last cut, since the one before.
#[derive(Debug)]
pub struct Reading {
    /// Each key once.
    pub rows: Vec<(Key, Row)>,
    /// What is in no row, since the probe began.
    pub counts: Counts,
}

/// A probe at work; dropping it takes it out of the kernel.
pub struct Probe {
    programs: Ebpf,
    /// The tracepoint that tells of the begin of requests, where the kernel has one.
    begin: Option<&'static str>,
    rows: [HashMap<MapData, RawKey, RawRow>; 2],
    in_use: Array<MapData, u32>,
    ended: ArrayOfMaps<MapData, Array<MapData, u32>>,
    /// Which of the rows rest since the last cut, as long as they have not been read.
    resting: Option<u32>,
    /// Rows that were taken out of the kernel by a reading that failed behind them.
    taken: Vec<(Key, Row)>,
    used: u32,
}

impl Probe {
    /// Loads and attaches it; fails with the first obstacle, else with what the kernel says.
    pub fn start(room: Room) -> Result<Self> {
        if let Some(obstacle) = Surroundings::default().obstacles().into_iter().next() {
            return Err(obstacle);
        }
        // Kernels before 5.11 count the maps against this limit; where it may not be raised, the kernel will say so itself.
        let _ = setrlimit(Resource::Memlock, Rlimit { current: None, maximum: None });
        let types = kernel_types()?;
        let mut programs = load(types, room, false)?;
        if attach_nothing(&mut programs, SECOND_ARGUMENT, types).is_ok() {
            programs = load(types, room, true)?;
        }
        let begin = attach_begin(&mut programs, types)?;
        for name in [REQUEUE, NEEDED[1], NEEDED[0]] {
            attach(&mut programs, name, types)?;
        }
        let rows = [taken(&mut programs, "rows_0")?, taken(&mut programs, "rows_1")?];
        let (in_use, ended) = (taken(&mut programs, "in_use")?, taken(&mut programs, "ended")?);
        Ok(Self { programs, begin, rows, in_use, ended, resting: None, taken: Vec::new(), used: 0 })
    }

    /// The tracepoint that tells who made a request; without one it is who handed it to the disk, which may be the kernel.
    pub fn begin(&self) -> Option<&'static str> {
        self.begin
    }

    /// From here on rows belong to the reading after the next. It takes no time to speak of, so that counters of others can be
    /// read right before and right after it; on a processor at work an I/O may still come to either side.
    pub fn cut(&mut self) -> Result<()> {
        if self.resting.is_some() {
            return Ok(());
        }
        let next = 1 - self.used;
        self.in_use.set(0, next, 0).map_err(|error| unread(&error))?;
        self.resting = Some(self.used);
        self.used = next;
        Ok(())
    }

    /// What was counted until the last cut, or until now where there was none since the reading before.
    pub fn read(&mut self) -> Result<Reading> {
        self.cut()?;
        // The kernel waits until no program is at work any more that found the rows in use.
        self.ended.set(0, &self.in_use, 0).map_err(|error| unread(&error))?;
        if let Some(resting) = self.resting {
            empty(&mut self.rows[resting as usize], &mut self.taken)?;
        }
        let counts = self.counts()?;
        self.resting = None;
        Ok(Reading { rows: std::mem::take(&mut self.taken), counts })
    }

    fn counts(&self) -> Result<Counts> {
        let counts: PerCpuArray<&MapData, u64> = map(&self.programs, "counts")?;
        let sum = |which: u32| -> Result<u64> {
            Ok(counts.get(&which, 0).map_err(|error| unread(&error))?.iter().sum())
        };
        Ok(Counts {
            lost_requests: sum(0)?,
            lost_rows: sum(1)?,
            lost_row_bytes: sum(2)?,
            orphans: sum(3)?,
            requeued: sum(4)?,
            merged: sum(5)?,
        })
    }
}

/// Takes out what there is; a row is either taken or still there, also where that fails.
fn empty(rows: &mut HashMap<MapData, RawKey, RawRow>, taken: &mut Vec<(Key, Row)>) -> Result<()> {
    let keys: Vec<RawKey> =
        rows.keys().collect::<std::result::Result<_, _>>().map_err(|error| unread(&error))?;
    for key in keys {
        let row = rows.get(&key, 0).map_err(|error| unread(&error))?;
        rows.remove(&key).map_err(|error| unread(&error))?;
        taken.push((read_key(&key), read_row(&row)));
    }
    Ok(())
}

fn load(types: &Btf, room: Room, queue_comes_first: bool) -> Result<Ebpf> {
    EbpfLoader::new()
        .btf(Some(types))
        .override_global("queue_comes_first", &u32::from(queue_comes_first), true)
        .map_max_entries("pending", room.requests)
        .map_max_entries("rows_0", room.rows)
        .map_max_entries("rows_1", room.rows)
        .load(OBJECT)
        .map_err(|error| refused("its maps", &error))
}

fn attach_begin(programs: &mut Ebpf, types: &Btf) -> Result<Option<&'static str>> {
    if !has_event(MERGE, types) {
        return Ok(None);
    }
    let Some(begin) = BEGINS.into_iter().find(|name| has_event(name, types)) else { return Ok(None) };
    attach(programs, MERGE, types)?;
    attach(programs, begin, types)?;
    Ok(Some(begin))
}
