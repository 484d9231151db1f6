//! The probe of calls: how long reads, writes and flushes of files take for who asks for them, counted in the kernel by
//! `bpf/call.bpf.c`.

use aya::include_bytes_aligned;
use libc::c_long;
use plimsoll_engine::error::Result;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::calls::CALLS;
use crate::kernel::{SmallPages, attach, counted, kernel_types, loader, refused, text_of};
use crate::layout::{DeviceNumber, LATENCY_BUCKETS, Owner, device_number, spread};
use crate::obstacles::Surroundings;
use crate::tables::{self, Tables};

static OBJECT: &[u8] = include_bytes_aligned!("../bpf/call.bpf.o");

/// The begin of a call comes last, so that none is kept whose end is not seen.
const EVENTS: [&str; 3] = ["sched_process_exit", "sys_exit", "sys_enter"];

const COUNTERS: usize = 4;
const COMMAND_AT: usize = 2 * COUNTERS;
const LATENCY_AT: usize = COMMAND_AT + 4;
/// Half words of a row: its counters, the name of the command, the buckets.
const ROW_HALVES: usize = LATENCY_AT + LATENCY_BUCKETS;

type RawKey = [u64; 4];
type RawRow = [u32; ROW_HALVES];

/// What a call does with its file, in the order of `enum operation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Waits until what was written is durable: fsync, fdatasync.
    Flush,
}

impl Operation {
    const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Flush];

    fn number(self) -> u8 {
        match self {
            Self::Read => 1,
            Self::Write => 2,
            Self::Flush => 3,
        }
    }

    /// As it is told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Flush => "flush",
        }
    }

    /// The system calls that do it; each names its file by its first argument.
    fn calls(self) -> &'static [c_long] {
        match self {
            Self::Read => {
                &[libc::SYS_read, libc::SYS_pread64, libc::SYS_readv, libc::SYS_preadv, libc::SYS_preadv2]
            }
            Self::Write => &[
                libc::SYS_write,
                libc::SYS_pwrite64,
                libc::SYS_writev,
                libc::SYS_pwritev,
                libc::SYS_pwritev2,
            ],
            Self::Flush => &[libc::SYS_fsync, libc::SYS_fdatasync],
        }
    }
}

/// What each system call does, by its number; 0 is nothing that is counted.
fn by_number() -> [u8; CALLS] {
    let mut operations = [0; CALLS];
    for operation in Operation::ALL {
        for number in operation.calls().iter().filter_map(|number| usize::try_from(*number).ok()) {
            operations[number] = operation.number();
        }
    }
    operations
}

/// How many threads and how many rows there is room for.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Threads that ever made a call, and live.
    pub threads: u32,
    /// Combinations of owner, operation and file between two readings.
    pub rows: u32,
}

impl Default for Room {
    fn default() -> Self {
        Self { threads: 16_384, rows: 8_192 }
    }
}

/// Whose calls, what for, and of which file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The process.
    pub owner: Owner,
    /// What was called for.
    pub operation: Operation,
    /// The file system's device, and the file's number in it.
    pub file: (DeviceNumber, u64),
    /// Whether the file is open for direct I/O.
    pub is_direct: bool,
    /// Whether each write to it is durable when its call ends (O_DSYNC, O_SYNC).
    pub is_synchronous: bool,
}

/// What calls of one key amount to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Those that ended.
    pub calls: u64,
    /// What they read or wrote.
    pub bytes: u64,
    /// Those that failed.
    pub errors: u64,
    /// From begin to end of all of them.
    pub total_ns: u64,
    /// The process's name when the first of them ended.
    pub command: String,
    latency: Vec<u32>,
}

impl Row {
    /// Microseconds from begin to end, each with how many calls took it; those of a bucket are spread over it.
    pub fn latency_us(&self) -> Vec<(f64, u64)> {
        let buckets = self.latency.iter().enumerate();
        buckets.flat_map(|(bucket, count)| spread(bucket, u64::from(*count))).collect()
    }
}

/// Calls that are in no row, since the probe began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of threads that there was no room to remember.
    pub lost_threads: u64,
    /// Those that there was no row for.
    pub lost_rows: u64,
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
pub struct CallProbe {
    programs: aya::Ebpf,
    tables: Tables<RawKey, RawRow>,
}

impl CallProbe {
    /// Loads and attaches it; fails with the first obstacle, else with what the kernel says.
    pub fn start(room: Room) -> Result<Self> {
        if let Some(obstacle) = Surroundings::default().obstacles().into_iter().next() {
            return Err(obstacle);
        }
        // Kernels before 5.11 count the maps against this limit; where it may not be raised, the kernel will say so itself.
        let _ = setrlimit(Resource::Memlock, Rlimit { current: None, maximum: None });
        let _small = SmallPages::kept();
        let mut loader = loader();
        let types = &kernel_types(OBJECT)?;
        let mut programs = loader
            .btf(Some(types))
            .override_global("operations", &by_number(), true)
            .override_global("direct_flag", &libc::O_DIRECT.cast_unsigned(), true)
            .override_global("synchronous_flag", &libc::O_DSYNC.cast_unsigned(), true)
            .map_max_entries("threads", room.threads)
            .map_max_entries(tables::NAMES[0], room.rows)
            .map_max_entries(tables::NAMES[1], room.rows)
            .load(OBJECT)
            .map_err(|error| refused("its maps", &error))?;
        for name in EVENTS {
            attach(&mut programs, name, types)?;
        }
        let tables = Tables::of(&mut programs)?;
        Ok(Self { programs, tables })
    }

    /// From here on rows belong to the reading after the next.
    pub fn cut(&mut self) -> Result<()> {
        self.tables.cut()
    }

    /// What was counted until the last cut, or until now where there was none since the reading before.
    pub fn read(&mut self) -> Result<Reading> {
        self.tables.empty()?;
        let counts = self.counts()?;
        let rows = self.tables.give();
        let read = rows.iter().filter_map(|(key, row)| Some((read_key(key)?, read_row(row))));
        Ok(Reading { rows: read.collect(), counts })
    }

    fn counts(&self) -> Result<Counts> {
        let [lost_threads, lost_rows] = counted(&self.programs)?;
        Ok(Counts { lost_threads, lost_rows })
    }
}

fn read_key([started_ns, inode, process_and_device, how]: &RawKey) -> Option<Key> {
    let [operation, flags, ..] = how.to_le_bytes();
    let operation = Operation::ALL.into_iter().find(|one| one.number() == operation)?;
    let owner = Owner { pid: *process_and_device as u32, started_ns: *started_ns };
    let has = |flag: u8| flags & flag != 0;
    Some(Key {
        owner,
        operation,
        file: (device_number((process_and_device >> 32) as u32), *inode),
        is_direct: has(1),
        is_synchronous: has(2),
    })
}

fn read_row(raw: &RawRow) -> Row {
    let counted = |at: usize| u64::from(raw[2 * at]) | u64::from(raw[2 * at + 1]) << 32;
    Row {
        calls: counted(0),
        bytes: counted(1),
        errors: counted(2),
        total_ns: counted(3),
        command: text_of(&raw[COMMAND_AT..LATENCY_AT]),
        latency: raw[LATENCY_AT..].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_is_known_by_its_number() {
        let operations = by_number();
        let of = |number: c_long| operations[usize::try_from(number).expect("a number")];
        assert_eq!((of(libc::SYS_pread64), of(libc::SYS_write), of(libc::SYS_fdatasync)), (1, 2, 3));
        assert_eq!(of(libc::SYS_getpid), 0);
    }

    #[test]
    fn a_key_is_read_field_by_field() {
        let raw = [9, 77, 42 | 0x0080_0003 << 32, u64::from_le_bytes([2, 3, 0, 0, 0, 0, 0, 0])];
        let key = read_key(&raw).expect("a key");
        assert_eq!((key.owner, key.operation), (Owner { pid: 42, started_ns: 9 }, Operation::Write));
        assert_eq!(key.file, ((8, 3), 77));
        assert_eq!((key.is_direct, key.is_synchronous), (true, true));
        assert_eq!(read_key(&[9, 77, 42, 0]), None);
    }

    #[test]
    fn a_row_is_read_field_by_field_beyond_32_bits() {
        let mut raw = [0; ROW_HALVES];
        for (at, counter) in [3_u64, 5 << 32, 1, 7 << 32].into_iter().enumerate() {
            (raw[2 * at], raw[2 * at + 1]) = (counter as u32, (counter >> 32) as u32);
        }
        raw[COMMAND_AT] = u32::from_le_bytes(*b"fio\0");
        raw[LATENCY_AT + 1] = 3;
        let row = read_row(&raw);
        assert_eq!((row.calls, row.bytes, row.errors, row.total_ns), (3, 5 << 32, 1, 7 << 32));
        assert_eq!(row.command, "fio");
        assert_eq!(row.latency_us().iter().map(|(_, calls)| calls).sum::<u64>(), 3);
    }
}
