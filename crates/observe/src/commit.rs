//! The probe of commits: what each waited for, counted in the kernel by `bpf/commit.bpf.c`.

use std::collections::HashMap;
use std::path::Path;

use aya::maps::{MapData, MapError, PerCpuArray, PerCpuHashMap, PerCpuValues};
use aya::programs::UProbe;
use aya::programs::uprobe::{UProbeLinkId, UProbeScope};
use aya::{Ebpf, EbpfLoader, include_bytes_aligned};
use plimsoll_engine::error::Result;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::calls;
use crate::kernel::{attach, kernel_types, map, refused, unread};
use crate::layout::{LATENCY_BUCKETS, Owner, spread};
use crate::obstacles::Surroundings;

static OBJECT: &[u8] = include_bytes_aligned!("../bpf/commit.bpf.o");

/// The ends of a commit come last, so that none is seen whose begin was not.
const EVENTS: [&str; 5] = ["sched_process_exit", "sched_switch", "sched_wakeup", "sys_exit", "sys_enter"];
/// What PostgreSQL calls for a commit.
const LOG_FLUSH: &str = "XLogFlush";
/// What is called where it begins and where it ends.
const LOG_FLUSH_PROGRAMS: [&str; 2] = ["log_flush_ends", "log_flush_begins"];

/// Parts of a commit, in the order of `enum part`.
pub const PARTS: usize = 6;
const COUNTERS: usize = 5 + PARTS;
const COMMAND_AT: usize = 2 * COUNTERS;
const LATENCY_AT: usize = COMMAND_AT + 4;
/// Half words of a row: its counters, the name of the command, the buckets.
const ROW_HALVES: usize = LATENCY_AT + LATENCY_BUCKETS;

type RawKey = [u64; 2];
type RawRow = [u32; ROW_HALVES];

/// How many threads with commits and how many rows there is room for.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Threads that ever made a commit, and live.
    pub threads: u32,
    /// Processes and kinds.
    pub rows: u32,
}

impl Default for Room {
    fn default() -> Self {
        Self { threads: 16_384, rows: 4_096 }
    }
}

/// Which commits a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What one thread of any process does from its first write to a file to the end of the file's flush.
    Sync,
    /// A call of PostgreSQL's XLogFlush that flushed the log itself.
    Leader,
    /// One that waited while another did.
    Follower,
    /// One that found all of it done.
    Nothing,
}

impl Kind {
    fn of(number: u32) -> Self {
        match number {
            1 => Self::Leader,
            2 => Self::Follower,
            3 => Self::Nothing,
            _ => Self::Sync,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Leader => "leader",
            Self::Follower => "follower",
            Self::Nothing => "nothing",
        }
    }
}

/// Whose commits, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The process.
    pub owner: Owner,
    /// Which of its commits.
    pub kind: Kind,
}

/// What time was spent on, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts {
    /// Waiting until others let it go on, and sleeping.
    pub queue_ns: u64,
    /// Waiting for writes of its own.
    pub write_ns: u64,
    /// Waiting for the flush, and for writes that are synchronous.
    pub flush_ns: u64,
    /// Able to run, without a processor.
    pub run_queue_ns: u64,
    /// On a processor.
    pub processor_ns: u64,
    /// Waiting for anything else.
    pub other_ns: u64,
}

impl Parts {
    /// All of them together.
    pub fn sum_ns(&self) -> u64 {
        self.queue_ns + self.write_ns + self.flush_ns + self.run_queue_ns + self.processor_ns + self.other_ns
    }
}

/// What commits of one key amount to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Commits that ended well.
    pub commits: u64,
    /// Those whose flush failed; nothing else is known of them.
    pub errors: u64,
    /// From begin to end, all of them together.
    pub total_ns: u64,
    /// What that was spent on.
    pub parts: Parts,
    /// How often one was given a processor.
    pub dispatches: u64,
    /// Flushes and synchronous writes.
    pub flushes: u64,
    /// Name of the process.
    pub command: String,
    latency: Vec<u32>,
}

impl Row {
    /// From begin to end in microseconds, each time with how many commits took it; those of a bucket are spread over it.
    pub fn latency_us(&self) -> Vec<(f64, u64)> {
        let counted = self.latency.iter().enumerate().filter(|(_, count)| **count > 0);
        counted.flat_map(|(bucket, count)| spread(bucket, u64::from(*count))).collect()
    }
}

/// Commits that are in no row, and whether the probe of PostgreSQL ever fired.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Commits whose thread there was no room to remember.
    pub lost_threads: u64,
    /// Commits that there was no row for.
    pub lost_rows: u64,
    /// Calls of XLogFlush that began.
    pub log_flushes_begun: u64,
    /// Those that ended.
    pub log_flushes_ended: u64,
}

/// What was counted since the reading before.
#[derive(Debug)]
pub struct Reading {
    /// Keys with what was added to them; those without a new commit are left out.
    pub rows: Vec<(Key, Row)>,
    /// What is in no row, since the probe began.
    pub counts: Counts,
}

/// A probe at work; dropping it takes it out of the kernel.
#[derive(Debug)]
pub struct CommitProbe {
    programs: Ebpf,
    log_flush: Vec<(&'static str, UProbeLinkId)>,
    read: HashMap<RawKey, RawRow>,
}

impl CommitProbe {
    /// Loads and attaches it; fails with the first obstacle, else with what the kernel says.
    pub fn start(room: Room) -> Result<Self> {
        if let Some(obstacle) = Surroundings::default().obstacles().into_iter().next() {
            return Err(obstacle);
        }
        // Kernels before 5.11 count the maps against this limit; where it may not be raised, the kernel will say so itself.
        let _ = setrlimit(Resource::Memlock, Rlimit { current: None, maximum: None });
        let types = kernel_types()?;
        let synchronous_flag = libc::O_DSYNC.cast_unsigned();
        let mut programs = EbpfLoader::new()
            .btf(Some(types))
            .override_global("calls", &calls::by_number(), true)
            .override_global("synchronous_flag", &synchronous_flag, true)
            .map_max_entries("threads", room.threads)
            .map_max_entries("rows", room.rows)
            .load(OBJECT)
            .map_err(|error| refused("its maps", &error))?;
        for name in EVENTS {
            attach(&mut programs, name, types)?;
        }
        for name in LOG_FLUSH_PROGRAMS {
            log_flush_program(&mut programs, name)
                .load()
                .map_err(|error| refused(&format!("its program {name}"), &error))?;
        }
        Ok(Self { programs, log_flush: Vec::new(), read: HashMap::new() })
    }

    /// From now on calls of XLogFlush in this program are commits of their own, apart from the others.
    pub fn see_log_flushes(&mut self, executable: &Path) -> Result<()> {
        for name in LOG_FLUSH_PROGRAMS {
            let link = self.attach_log_flush(name, executable)?;
            self.log_flush.push((name, link));
        }
        Ok(())
    }

    fn attach_log_flush(&mut self, name: &str, executable: &Path) -> Result<UProbeLinkId> {
        let program = log_flush_program(&mut self.programs, name);
        program.attach(LOG_FLUSH, executable, UProbeScope::AllProcesses).map_err(|error| {
            refused(&format!("its program {name} at {LOG_FLUSH} of {}", executable.display()), &error)
        })
    }

    /// Calls of XLogFlush in all programs cost nothing any more, and are not told apart.
    pub fn leave_log_flushes(&mut self) -> Result<()> {
        for (name, link) in self.log_flush.drain(..) {
            log_flush_program(&mut self.programs, name)
                .detach(link)
                .map_err(|error| refused(&format!("to take away its program {name}"), &error))?;
        }
        Ok(())
    }

    /// What was counted since the reading before, or since the start.
    pub fn read(&mut self) -> Result<Reading> {
        let now = self.cumulated()?;
        let changed = now.iter().filter_map(|(key, row)| {
            let earlier = self.read.get(key);
            let added = read_row(row, earlier.unwrap_or(&[0; ROW_HALVES]));
            (added.commits + added.errors > 0).then(|| (read_key(key), added))
        });
        let rows = changed.collect();
        self.read = now;
        Ok(Reading { rows, counts: self.counts()? })
    }

    fn cumulated(&self) -> Result<HashMap<RawKey, RawRow>> {
        let rows: PerCpuHashMap<&MapData, RawKey, RawRow> = map(&self.programs, "rows")?;
        let read = |entry: std::result::Result<(RawKey, PerCpuValues<RawRow>), MapError>| {
            let (key, processors) = entry.map_err(|error| unread(&error))?;
            Ok((key, sum_of(&processors)))
        };
        rows.iter().map(read).collect()
    }

    fn counts(&self) -> Result<Counts> {
        let counts: PerCpuArray<&MapData, u64> = map(&self.programs, "counts")?;
        let sum = |which: u32| -> Result<u64> {
            Ok(counts.get(&which, 0).map_err(|error| unread(&error))?.iter().sum())
        };
        Ok(Counts {
            lost_threads: sum(0)?,
            lost_rows: sum(1)?,
            log_flushes_begun: sum(2)?,
            log_flushes_ended: sum(3)?,
        })
    }
}

fn log_flush_program<'a>(programs: &'a mut Ebpf, name: &str) -> &'a mut UProbe {
    let program = programs.program_mut(name).expect("a program of our object");
    program.try_into().expect("a probe of a program's function")
}

fn read_key([started_ns, process_and_kind]: &RawKey) -> Key {
    let owner = Owner { pid: *process_and_kind as u32, started_ns: *started_ns };
    Key { owner, kind: Kind::of((process_and_kind >> 32) as u32) }
}

fn counter_of(raw: &RawRow, counter: usize) -> u64 {
    u64::from(raw[2 * counter]) | u64::from(raw[2 * counter + 1]) << 32
}

/// The rows of all processors as one.
fn sum_of(processors: &[RawRow]) -> RawRow {
    let mut sum = [0; ROW_HALVES];
    for counter in 0..COUNTERS {
        let total: u64 = processors.iter().map(|raw| counter_of(raw, counter)).sum();
        (sum[2 * counter], sum[2 * counter + 1]) = (total as u32, (total >> 32) as u32);
    }
    if let Some(named) = processors.iter().find(|raw| raw[COMMAND_AT] != 0) {
        sum[COMMAND_AT..LATENCY_AT].copy_from_slice(&named[COMMAND_AT..LATENCY_AT]);
    }
    for (bucket, count) in sum.iter_mut().enumerate().skip(LATENCY_AT) {
        *count = processors.iter().fold(0, |sum, raw| sum.wrapping_add(raw[bucket]));
    }
    sum
}

/// What a row has more than an earlier one.
fn read_row(raw: &RawRow, earlier: &RawRow) -> Row {
    let added = |counter: usize| counter_of(raw, counter) - counter_of(earlier, counter);
    Row {
        commits: added(0),
        errors: added(1),
        total_ns: added(2),
        parts: Parts {
            queue_ns: added(3),
            write_ns: added(4),
            flush_ns: added(5),
            run_queue_ns: added(6),
            processor_ns: added(7),
            other_ns: added(8),
        },
        dispatches: added(9),
        flushes: added(10),
        command: command_of(raw),
        latency: raw[LATENCY_AT..]
            .iter()
            .zip(&earlier[LATENCY_AT..])
            .map(|(now, then)| now.wrapping_sub(*then))
            .collect(),
    }
}

fn command_of(raw: &RawRow) -> String {
    let halves = &raw[COMMAND_AT..LATENCY_AT];
    let bytes: Vec<u8> =
        halves.iter().flat_map(|half| half.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(counters: [u64; COUNTERS], command: &[u8; 8]) -> RawRow {
        let mut row = [0; ROW_HALVES];
        for (at, counter) in counters.into_iter().enumerate() {
            (row[2 * at], row[2 * at + 1]) = (counter as u32, (counter >> 32) as u32);
        }
        for (half, bytes) in row[COMMAND_AT..].iter_mut().zip(command.chunks_exact(4)) {
            *half = u32::from_le_bytes(bytes.try_into().expect("chunks of four bytes"));
        }
        row
    }

    #[test]
    fn a_key_is_read_field_by_field() {
        let key = read_key(&[5_000, 2 << 32 | 4_711]);
        assert_eq!(key, Key { owner: Owner { pid: 4_711, started_ns: 5_000 }, kind: Kind::Follower });
        assert_eq!([0, 1, 2, 3].map(|kind| Kind::of(kind).name()), ["sync", "leader", "follower", "nothing"]);
    }

    #[test]
    fn rows_of_processors_are_added_and_what_was_read_before_is_left_out() {
        let first = raw([1, 0, 5 << 32, 1, 2, 3, 4, 5, 6, 7, 8], b"\0\0\0\0\0\0\0\0");
        let second = raw([2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], b"mariadbd");
        let row = read_row(&sum_of(&[first, second]), &first);
        assert_eq!((row.commits, row.errors, row.total_ns), (2, 1, 1));
        assert_eq!((row.parts.sum_ns(), row.dispatches, row.flushes), (6, 1, 1));
        assert_eq!(row.command, "mariadbd");
    }

    #[test]
    fn a_bucket_that_went_round_is_still_counted_right() {
        let mut before = raw([0; COUNTERS], &[0; 8]);
        let mut after = before;
        (before[LATENCY_AT], after[LATENCY_AT]) = (u32::MAX, 1);
        let row = read_row(&after, &before);
        assert_eq!(row.latency_us().iter().map(|(_, count)| count).sum::<u64>(), 2);
    }
}
