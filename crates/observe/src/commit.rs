//! The probe of commits: what each waited for, counted in the kernel by `bpf/commit.bpf.c`.

use std::collections::{HashMap, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use aya::maps::{HashMap as KernelMap, MapData};
use aya::programs::UProbe;
use aya::programs::uprobe::{UProbeLinkId, UProbeScope};
use aya::{Ebpf, include_bytes_aligned};
use plimsoll_engine::error::{CoreError, Result};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::calls;
use crate::kernel::{SmallPages, attach, counted, kernel_types, loader, map, refused, text_of, unread};
use crate::layout::{LATENCY_BUCKETS, Owner, spread};
use crate::obstacles::Surroundings;
use crate::tables::{self, Tables};

static OBJECT: &[u8] = include_bytes_aligned!("../bpf/commit.bpf.o");

/// The ends of a commit come last, so that none is seen whose begin was not.
const EVENTS: [&str; 5] = ["sched_process_exit", "sched_switch", "sched_wakeup", "sys_exit", "sys_enter"];
/// A function of PostgreSQL, and the programs that are called where a call of it begins and where it ends.
struct Watched {
    function: &'static str,
    begins: &'static str,
    ends: &'static str,
}

const LOG_FLUSH: Watched =
    Watched { function: "XLogFlush", begins: "log_flush_begins", ends: "log_flush_ends" };
const STANDBY_WAIT: Watched =
    Watched { function: "SyncRepWaitForLSN", begins: "standby_wait_begins", ends: "standby_wait_ends" };

/// Parts of a commit, in the order of `enum part`.
pub const PARTS: usize = 6;
const COUNTERS: usize = 7 + PARTS;
const COMMAND_AT: usize = 2 * COUNTERS;
const TITLE_AT: usize = COMMAND_AT + 4;
const LATENCY_AT: usize = TITLE_AT + 32;
/// Half words of a row: its counters, the name of the command, the title, the buckets.
const ROW_HALVES: usize = LATENCY_AT + LATENCY_BUCKETS;

type RawKey = [u64; 2];
type RawRow = [u32; ROW_HALVES];
/// What is seen of a thread, as words: its state, an account, and commits.
type RawThread = [u64; COMMITS_AT + COMMITS * COMMIT_WORDS];
const COMMITS: usize = 3;
const ACCOUNT_WORDS: usize = 3 + PARTS;
const COMMIT_WORDS: usize = 4 + ACCOUNT_WORDS;
const COMMITS_AT: usize = 7 + ACCOUNT_WORDS;

/// How many threads with commits and how many rows there is room for.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Threads that ever made a commit, and live.
    pub threads: u32,
    /// Processes and kinds between two readings.
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
    /// A call of its SyncRepWaitForLSN that waited for a synchronous standby.
    Standby,
}

impl Kind {
    fn of(number: u32) -> Self {
        match number {
            1 => Self::Leader,
            2 => Self::Follower,
            3 => Self::Nothing,
            4 => Self::Standby,
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
            Self::Standby => "standby",
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
    /// Waiting for writes of its own, also for those that are synchronous.
    pub write_ns: u64,
    /// Waiting for the flush.
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
    /// Those whose write or flush failed; nothing else is known of them.
    pub errors: u64,
    /// From begin to end, all of them together.
    pub total_ns: u64,
    /// What that was spent on.
    pub parts: Parts,
    /// How often one was given a processor.
    pub dispatches: u64,
    /// Flushes and synchronous writes.
    pub flushes: u64,
    /// Of the queue, in nanoseconds: while others flushed, and asleep. In the rest of it nobody else flushed.
    pub behind_ns: u64,
    /// Of that, in nanoseconds: asleep, so that others can join.
    pub slept_ns: u64,
    /// Name of the process.
    pub command: String,
    /// What it showed as its first argument when its first commit under this command ended, cut where it is long; empty where that
    /// could not be read.
    pub title: String,
    latency: Vec<u32>,
}

impl Row {
    /// Commits that took longer than the steps of the distribution reach; there they are where the last step begins.
    pub fn beyond(&self) -> u64 {
        self.latency.last().copied().map_or(0, u64::from)
    }

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

/// A commit that has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnderWay {
    /// Whose it is.
    pub owner: Owner,
    /// The thread's number.
    pub thread: u32,
    /// What it would be if it ended now.
    pub kind: Kind,
    /// For how long.
    pub for_ns: u64,
    /// The part of a commit that it is in.
    pub part: &'static str,
}

/// Programs in the kernel that see functions of PostgreSQL.
#[derive(Default)]
struct Links {
    begins: Vec<(&'static str, UProbeLinkId)>,
    ends: Vec<(&'static str, UProbeLinkId)>,
    /// By file of the program and by function, where ends are seen.
    with_ends: HashSet<(u64, u64, &'static str)>,
}

/// A probe at work; dropping it takes it out of the kernel.
pub struct CommitProbe {
    programs: Ebpf,
    tables: Tables<RawKey, RawRow>,
    links: Links,
    threads_max: usize,
}

impl CommitProbe {
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
        let synchronous_flag = libc::O_DSYNC.cast_unsigned();
        let mut programs = loader
            .btf(Some(types))
            .override_global("calls", &calls::by_number(), true)
            .override_global("synchronous_flag", &synchronous_flag, true)
            .map_max_entries("threads", room.threads)
            .map_max_entries(tables::NAMES[0], room.rows)
            .map_max_entries(tables::NAMES[1], room.rows)
            .load(OBJECT)
            .map_err(|error| refused("its maps", &error))?;
        for name in EVENTS {
            attach(&mut programs, name, types)?;
        }
        let tables = Tables::of(&mut programs)?;
        Ok(Self { programs, tables, links: Links::default(), threads_max: room.threads as usize })
    }

    /// From now on calls of XLogFlush in this program are commits of their own, apart from the others.
    pub fn see_log_flushes(&mut self, executable: &Path) -> Result<()> {
        self.see(&LOG_FLUSH, executable)
    }

    /// From now on waits for a synchronous standby in this program are seen.
    pub fn see_standby_waits(&mut self, executable: &Path) -> Result<()> {
        self.see(&STANDBY_WAIT, executable)
    }

    /// Ends are seen first, so that no call is taken for one that never ended.
    fn see(&mut self, watched: &Watched, executable: &Path) -> Result<()> {
        let file = executable.metadata().map_err(|error| {
            CoreError::kernel("probe-refused", format!("could not read {}", executable.display()), &error)
        })?;
        let place = (file.dev(), file.ino(), watched.function);
        if !self.links.with_ends.contains(&place) {
            let link = self.attach_function(watched.function, watched.ends, executable)?;
            self.links.ends.push((watched.ends, link));
            self.links.with_ends.insert(place);
        }
        let link = self.attach_function(watched.function, watched.begins, executable)?;
        self.links.begins.push((watched.begins, link));
        Ok(())
    }

    fn attach_function(
        &mut self,
        function: &'static str,
        name: &str,
        executable: &Path,
    ) -> Result<UProbeLinkId> {
        let program = program_of_function(&mut self.programs, name);
        let told = || format!("its program {name} at {function} of {}", executable.display());
        if program.fd().is_err() {
            program.load().map_err(|error| refused(&format!("its program {name}"), &error))?;
        }
        program
            .attach(function, executable, UProbeScope::AllProcesses)
            .map_err(|error| refused(&told(), &error))
    }

    /// Calls that begin from now on, in all programs, are not told apart; those under way are still seen to their end.
    pub fn leave_log_flushes(&mut self) -> Result<()> {
        detach(&mut self.programs, &mut self.links.begins)
    }

    /// Calls cost nothing any more; those under way are lost.
    pub fn let_log_flushes_go(&mut self) -> Result<()> {
        self.links.with_ends.clear();
        detach(&mut self.programs, &mut self.links.ends)
    }

    /// What was counted since the reading before, or since the start.
    pub fn read(&mut self) -> Result<Reading> {
        self.tables.empty()?;
        let counts = self.counts()?;
        let rows = self.tables.give();
        Ok(Reading { rows: rows.iter().map(|(key, row)| (read_key(key), read_row(row))).collect(), counts })
    }

    /// Commits that have begun and not ended: calls of PostgreSQL's functions, and flushes.
    pub fn under_way(&self) -> Result<Vec<UnderWay>> {
        let threads: KernelMap<&MapData, u32, RawThread> = map(&self.programs, "threads")?;
        // Where threads end meanwhile the kernel may begin anew: each counts once, and there is an end to it.
        let entries = threads.iter().take(2 * self.threads_max);
        let found: HashMap<u32, RawThread> =
            entries.collect::<std::result::Result<_, _>>().map_err(|error| unread(&error))?;
        let now_ns = now_ns();
        Ok(found.iter().filter_map(|(number, thread)| under_way(*number, thread, now_ns)).collect())
    }

    fn counts(&self) -> Result<Counts> {
        let [lost_threads, lost_rows, log_flushes_begun, log_flushes_ended] = counted(&self.programs)?;
        Ok(Counts { lost_threads, lost_rows, log_flushes_begun, log_flushes_ended })
    }
}

fn detach(programs: &mut Ebpf, links: &mut Vec<(&'static str, UProbeLinkId)>) -> Result<()> {
    for (name, link) in links.drain(..) {
        program_of_function(programs, name)
            .detach(link)
            .map_err(|error| refused(&format!("to take away its program {name}"), &error))?;
    }
    Ok(())
}

fn program_of_function<'a>(programs: &'a mut Ebpf, name: &str) -> &'a mut UProbe {
    let program = programs.program_mut(name).expect("a program of our object");
    program.try_into().expect("a probe of a program's function")
}

/// The kernel's clock, as its programs read it.
fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// What a thread has under way, where it is certain to be a commit: a call of a function, or a flush.
fn under_way(thread: u32, raw: &RawThread, now_ns: u64) -> Option<UnderWay> {
    const WITHIN_LOG_FLUSH: u8 = 1;
    const WITHIN_STANDBY_WAIT: u8 = 2;
    let [.., function, call, place, ends_with_call] = raw[2].to_le_bytes();
    let [begun, current, has_transferred, ..] = raw[3].to_le_bytes();
    let has_transferred = has_transferred != 0;
    let is_current_begun = u32::from(begun).checked_shr(u32::from(current)).unwrap_or(0) & 1 != 0;
    let begin_ns = *raw.get(COMMITS_AT + usize::from(current) * COMMIT_WORDS)?;
    let kind = match function {
        WITHIN_STANDBY_WAIT => Kind::Standby,
        WITHIN_LOG_FLUSH if has_transferred => Kind::Leader,
        WITHIN_LOG_FLUSH => Kind::Follower,
        _ => Kind::Sync,
    };
    let is_commit = function != 0 || (ends_with_call != 0 && calls::is_transfer(call));
    (is_current_begun && is_commit).then(|| UnderWay {
        owner: Owner { pid: raw[2] as u32, started_ns: raw[1] },
        thread,
        kind,
        for_ns: now_ns.saturating_sub(begin_ns),
        part: part_of(call, place),
    })
}

/// As in `bpf/commit.bpf.c`.
fn part_of(call: u8, place: u8) -> &'static str {
    const ON_PROCESSOR: u8 = 0;
    const READY: u8 = 1;
    match place {
        ON_PROCESSOR => "processor",
        READY => "run queue",
        _ => calls::part_of(call),
    }
}

fn read_key([started_ns, process_and_kind]: &RawKey) -> Key {
    let owner = Owner { pid: *process_and_kind as u32, started_ns: *started_ns };
    Key { owner, kind: Kind::of((process_and_kind >> 32) as u32) }
}

fn counter_of(raw: &RawRow, counter: usize) -> u64 {
    u64::from(raw[2 * counter]) | u64::from(raw[2 * counter + 1]) << 32
}

fn read_row(raw: &RawRow) -> Row {
    let counted = |counter: usize| counter_of(raw, counter);
    Row {
        commits: counted(0),
        errors: counted(1),
        total_ns: counted(2),
        parts: Parts {
            queue_ns: counted(3),
            write_ns: counted(4),
            flush_ns: counted(5),
            run_queue_ns: counted(6),
            processor_ns: counted(7),
            other_ns: counted(8),
        },
        dispatches: counted(9),
        flushes: counted(10),
        behind_ns: counted(11),
        slept_ns: counted(12),
        command: text_of(&raw[COMMAND_AT..TITLE_AT]),
        title: text_of(&raw[TITLE_AT..LATENCY_AT]),
        latency: raw[LATENCY_AT..].to_vec(),
    }
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
        let names = [0, 1, 2, 3, 4].map(|kind| Kind::of(kind).name());
        assert_eq!(names, ["sync", "leader", "follower", "nothing", "standby"]);
    }

    #[test]
    fn a_row_is_read_field_by_field() {
        let mut halves = raw([3, 1, 5 << 32, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], b"mariadbd");
        halves[TITLE_AT] = u32::from_le_bytes(*b"/usr");
        (halves[LATENCY_AT], halves[ROW_HALVES - 1]) = (1, 2);
        let row = read_row(&halves);
        assert_eq!((row.commits, row.errors, row.total_ns), (3, 1, 5 << 32));
        assert_eq!((row.parts.sum_ns(), row.dispatches, row.flushes), (21, 7, 8));
        assert_eq!((row.behind_ns, row.slept_ns), (9, 10));
        assert_eq!((row.command.as_str(), row.title.as_str()), ("mariadbd", "/usr"));
        assert_eq!(row.latency_us().iter().map(|(_, count)| count).sum::<u64>(), 3);
        assert_eq!(row.beyond(), 2);
    }

    fn thread([function, call, place, ends_with_call]: [u8; 4], has_transferred: bool) -> RawThread {
        let mut raw = [0; COMMITS_AT + COMMITS * COMMIT_WORDS];
        (raw[1], raw[COMMITS_AT], raw[COMMITS_AT + COMMIT_WORDS]) = (7, 500, 1_000);
        raw[2] = u64::from_le_bytes([0x67, 0x12, 0, 0, function, call, place, ends_with_call]);
        raw[3] = u64::from_le_bytes([0b011, 1, u8::from(has_transferred), 0, 0, 0, 0, 0]);
        raw
    }

    #[test]
    fn what_is_under_way_tells_what_it_is_and_where_it_waits() {
        let of = |state, has_transferred| under_way(4_712, &thread(state, has_transferred), 5_000);
        let leader = of([1, 3, 2, 1], true).expect("a call");
        assert_eq!((leader.owner.pid, leader.owner.started_ns, leader.for_ns), (4_711, 7, 4_000));
        assert_eq!((leader.thread, leader.kind, leader.part), (4_712, Kind::Leader, "flush"));
        let follower = of([1, 4, 2, 0], false).expect("a call");
        assert_eq!((follower.kind, follower.part), (Kind::Follower, "queue"));
        let standby = of([2, 4, 1, 0], false).expect("a call");
        assert_eq!((standby.kind, standby.part), (Kind::Standby, "run queue"));
        let synchronous = of([0, 1, 2, 1], true).expect("a synchronous write");
        assert_eq!((synchronous.kind, synchronous.part), (Kind::Sync, "write"));
    }

    #[test]
    fn a_write_without_a_flush_and_what_has_ended_are_not_under_way() {
        assert_eq!(under_way(1, &thread([0, 0, 2, 0], true), 5_000), None);
        let mut ended = thread([1, 3, 2, 1], true);
        ended[3] = 0b101 | 1 << 8;
        assert_eq!(under_way(1, &ended, 5_000), None, "another is");
    }
}
