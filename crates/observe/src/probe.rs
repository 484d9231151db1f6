//! The probe in the kernel: loaded, attached, read, and gone with the process that has it, however that ends.

use aya::maps::{MapData, PerCpuArray};
use aya::{Btf, Ebpf, EbpfLoader, include_bytes_aligned};
use plimsoll_engine::error::Result;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::kernel::{attach, attach_nothing, has_event, kernel_types, map, refused, unread};
use crate::layout::{Key, RawKey, RawRow, Row, read_key, read_row};
use crate::obstacles::Surroundings;
use crate::tables::{self, Tables};

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
    /// I/Os whose end the kernel did not tell, and which are in rows without their latency: their requests were used again.
    pub untimed: u64,
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
    tables: Tables<RawKey, RawRow>,
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
        let tables = Tables::of(&mut programs)?;
        Ok(Self { programs, begin, tables })
    }

    /// The tracepoint that tells who made a request; without one it is who handed it to the disk, which may be the kernel.
    pub fn begin(&self) -> Option<&'static str> {
        self.begin
    }

    /// From here on rows belong to the reading after the next. It takes no time to speak of, so that counters of others can be
    /// read right before and right after it; on a processor at work an I/O may still come to either side.
    pub fn cut(&mut self) -> Result<()> {
        self.tables.cut()
    }

    /// What was counted until the last cut, or until now where there was none since the reading before.
    pub fn read(&mut self) -> Result<Reading> {
        self.tables.empty()?;
        let counts = self.counts()?;
        let rows = self.tables.give();
        Ok(Reading { rows: rows.iter().map(|(key, row)| (read_key(key), read_row(row))).collect(), counts })
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
            untimed: sum(6)?,
        })
    }
}

fn load(types: &Btf, room: Room, queue_comes_first: bool) -> Result<Ebpf> {
    EbpfLoader::new()
        .btf(Some(types))
        .override_global("queue_comes_first", &u32::from(queue_comes_first), true)
        .map_max_entries("pending", room.requests)
        .map_max_entries(tables::NAMES[0], room.rows)
        .map_max_entries(tables::NAMES[1], room.rows)
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

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::*;
    use crate::layout::Operation;

    const BLOCK_BYTES: u64 = 4_096;
    /// More than a disk has requests, so that each is used again.
    const ALL_REQUESTS: u64 = 3_000;

    /// A process of its own that reads a file past the page cache, one block after the other; gives its number.
    fn read_directly(path: &Path, blocks: u64) -> u32 {
        let (from, blocks) = (format!("if={}", path.display()), format!("count={blocks}"));
        let words = [&from, "of=/dev/null", "bs=4096", &blocks, "iflag=direct", "status=none"];
        let mut reader = Command::new("dd").args(words).spawn().expect("dd, of Debian's coreutils");
        let pid = reader.id();
        assert!(reader.wait().expect("its end").success());
        pid
    }

    fn file_of(blocks: u64) -> PathBuf {
        // Cargo has a folder of the target's for integration tests alone.
        let path = std::env::temp_dir().join(format!("untimed-{}", std::process::id()));
        let mut file = File::create(&path).expect("a file");
        file.write_all(&vec![7; (blocks * BLOCK_BYTES) as usize]).expect("written");
        file.sync_all().expect("on its disk");
        path
    }

    #[test]
    fn an_io_whose_end_is_not_told_is_counted_once_its_request_is_used_again() {
        if !Surroundings::default().obstacles().is_empty() {
            return;
        }
        const UNTOLD: u64 = 64;
        let path = file_of(ALL_REQUESTS);
        let mut probe = Probe::start(Room::default()).expect("a probe");
        let program: &mut aya::programs::BtfTracePoint =
            probe.programs.program_mut(NEEDED[1]).expect("ours").try_into().expect("its kind");
        program.unload().expect("taken off");
        let unseen = read_directly(&path, UNTOLD);
        attach(&mut probe.programs, NEEDED[1], kernel_types().expect("types")).expect("put back");
        read_directly(&path, ALL_REQUESTS);
        let reading = probe.read().expect("a reading");
        fs::remove_file(path).expect("removed");
        let theirs = reading.rows.iter().filter(|(key, _)| {
            key.operation == Operation::Read
                && key.file == crate::layout::File::Unknown
                && key.owner.is_some_and(|owner| owner.pid == unseen)
        });
        let rows: Vec<&Row> = theirs.map(|(_, row)| row).collect();
        let (ios, bytes) = rows.iter().fold((0, 0), |sum, row| (sum.0 + row.ios, sum.1 + row.bytes));
        let timed: u64 = rows.iter().flat_map(|row| row.latency_us()).map(|(_, ios)| ios).sum();
        assert_eq!((ios, bytes, timed), (UNTOLD, UNTOLD * BLOCK_BYTES, 0), "{:?}", reading.counts);
        assert!(reading.counts.untimed >= UNTOLD);
    }
}
