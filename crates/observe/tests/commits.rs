//! The probe of commits in a real kernel, against what this process does itself. Where none is to be had, each test says why and
//! ends.

// The kernel's clock is what is tested here, and nothing simulates that.
#![allow(clippy::disallowed_methods)]

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use plimsoll_observe::commit::{CommitProbe, Kind, Reading, Room, Row};
use plimsoll_observe::obstacles::Surroundings;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

const COMMITS: u64 = 50;
const BLOCK: [u8; 4_096] = [7; 4_096];

fn probe(room: Room) -> Option<CommitProbe> {
    let obstacles = Surroundings::default().obstacles();
    obstacles.iter().for_each(|obstacle| eprintln!("skipped: {obstacle}"));
    obstacles.is_empty().then(|| CommitProbe::start(room).expect("a probe"))
}

/// A file of its own, gone at the end.
struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    fn new(name: &str, flags: i32) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let file = OpenOptions::new().create(true).write(true).truncate(true).custom_flags(flags).open(&path);
        Self { path, file: file.expect("a file in the target folder") }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// What commits of this process alone amount to; its tests run one after the other.
fn ours(reading: &Reading) -> Row {
    let own = std::process::id();
    let found = reading.rows.iter().find(|(key, _)| key.owner.pid == own && key.kind == Kind::Sync);
    found.map(|(_, row)| row.clone()).unwrap_or_else(|| panic!("a row of this process: {reading:#?}"))
}

fn flush(log: &Log) {
    log.file.write_all_at(&BLOCK, 0).expect("written");
    log.file.sync_data().expect("flushed");
}

/// The kernel may lack memory for a row at its first moment, and then counts it as lost.
fn until_there_is_a_row(probe: &mut CommitProbe) {
    let log = Log::new("first", 0);
    for _ in 0..100 {
        flush(&log);
        if probe.read().expect("a reading").rows.iter().any(|(key, _)| key.owner.pid == std::process::id()) {
            return;
        }
    }
    panic!("no row came in 100 commits");
}

fn writes_and_flushes(probe: &mut CommitProbe) {
    let log = Log::new("flushed", 0);
    let began = Instant::now();
    for at in 0..COMMITS {
        log.file.write_all_at(&BLOCK, at * 4_096).expect("written");
        log.file.sync_data().expect("flushed");
    }
    let elapsed_ns = u64::try_from(began.elapsed().as_nanos()).expect("a short time");
    let row = ours(&probe.read().expect("a reading"));
    assert_eq!((row.commits, row.flushes, row.errors), (COMMITS, COMMITS, 0));
    assert_eq!(row.parts.sum_ns(), row.total_ns, "{row:?}");
    assert!(row.total_ns <= elapsed_ns, "{row:?} in {elapsed_ns} ns");
    assert!(row.parts.flush_ns > 0 && row.parts.processor_ns > 0, "{row:?}");
    assert_eq!(row.parts.queue_ns, 0);
    assert_eq!(row.latency_us().iter().map(|(_, count)| count).sum::<u64>(), COMMITS);
    assert!(probe.read().expect("another").rows.iter().all(|(key, _)| key.owner.pid != std::process::id()));
}

/// Such a write needs no flush, and one that is not synchronous is no commit.
fn synchronous_writes(probe: &mut CommitProbe) {
    let (synchronous, usual) = (Log::new("synchronous", libc::O_DSYNC), Log::new("usual", 0));
    for at in 0..COMMITS {
        usual.file.write_all_at(&BLOCK, at * 4_096).expect("written");
        synchronous.file.write_all_at(&BLOCK, at * 4_096).expect("written");
    }
    let row = ours(&probe.read().expect("a reading"));
    assert_eq!(
        (row.commits, row.flushes, row.parts.flush_ns),
        (COMMITS, COMMITS, 0),
        "the wait is the write's"
    );
    assert_eq!(row.parts.sum_ns(), row.total_ns);
}

/// Of a file that nobody may write any more.
fn writes_that_fail(probe: &mut CommitProbe) {
    let memory = memfd_create("sealed", MemfdFlags::ALLOW_SEALING).expect("a file in memory");
    let path = format!("/proc/self/fd/{}", memory.as_raw_fd());
    let file = OpenOptions::new().write(true).custom_flags(libc::O_DSYNC).open(path).expect("the same file");
    file.write_all_at(&BLOCK, 0).expect("written");
    fcntl_add_seals(&memory, SealFlags::WRITE).expect("sealed");
    for _ in 0..COMMITS {
        assert!(file.write_all_at(&BLOCK, 0).is_err());
    }
    let row = ours(&probe.read().expect("a reading"));
    assert_eq!((row.commits, row.errors, row.flushes), (1, COMMITS, 1));
}

/// Whether a thread of this process waits; 0: it has yet to say which it is.
fn is_asleep(thread: i32) -> bool {
    let told = fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap_or_default();
    told.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('S'))
}

/// Between write and flush the thread waits until another one says so: that is the queue. Behind others it was where these flushed
/// meanwhile.
fn waits_for_another(probe: &mut CommitProbe) {
    let row = queue_behind(probe, || ());
    assert_eq!((row.commits, row.behind_ns), (4, 0), "{row:?}");
    let other = Log::new("other", 0);
    let row = queue_behind(probe, || flush(&other));
    assert_eq!(row.commits, 8, "four of them of the other thread");
    assert!(row.behind_ns > 0 && row.behind_ns <= row.parts.queue_ns, "{row:?}");
}

/// Who holds a lock and flushes at its end alone: only that flush is what others wait behind.
fn waits_for_a_lock_before_others_flush(probe: &mut CommitProbe) {
    let other = Log::new("other", 0);
    let flushing_ns = AtomicU64::new(0);
    let row = queue_behind(probe, || {
        for _ in 0..2 {
            thread::sleep(HELD);
            let began = Instant::now();
            flush(&other);
            let took_ns = u64::try_from(began.elapsed().as_nanos()).expect("a short time");
            flushing_ns.fetch_add(took_ns, Ordering::SeqCst);
        }
        thread::sleep(HELD);
    });
    assert_eq!(row.commits, 12, "eight of them of the other thread");
    assert!(row.behind_ns > 0 && row.behind_ns <= flushing_ns.into_inner(), "{row:?}");
    assert!(row.parts.queue_ns - row.behind_ns >= 4 * 3 * HELD.as_nanos() as u64, "{row:?}");
}

const HELD: Duration = Duration::from_millis(20);

/// Four commits that wait while another thread does its work.
fn queue_behind(probe: &mut CommitProbe, work: impl Fn()) -> Row {
    const WAIT: Duration = Duration::from_millis(5);
    let log = Log::new("queued", 0);
    for _ in 0..4 {
        let (tell, told) = mpsc::channel();
        let writer = AtomicI32::new(0);
        let committing = thread::scope(|scope| {
            let (log, told, writer) = (&log, told, &writer);
            let thread = scope.spawn(move || {
                log.file.write_all_at(&BLOCK, 0).expect("written");
                writer.store(rustix::thread::gettid().as_raw_nonzero().get(), Ordering::SeqCst);
                told.recv().expect("told");
                log.file.sync_data()
            });
            // A busy machine may let it wait for a processor first.
            while !is_asleep(writer.load(Ordering::SeqCst)) {
                thread::yield_now();
            }
            thread::sleep(WAIT);
            work();
            tell.send(()).expect("somebody waits");
            thread.join().expect("ended")
        });
        committing.expect("flushed");
    }
    let row = ours(&probe.read().expect("a reading"));
    assert_eq!(row.parts.sum_ns(), row.total_ns);
    assert!(row.parts.queue_ns > 0, "{row:?}");
    row
}

/// What a thread did before it slept, or wrote to another file, is not part of it.
fn begins_with_the_first_write_of_its_file(probe: &mut CommitProbe) {
    const SLEPT: Duration = Duration::from_millis(200);
    let (log, other) = (Log::new("log", 0), Log::new("other", 0));
    log.file.write_all_at(&BLOCK, 0).expect("written");
    thread::sleep(SLEPT);
    other.file.write_all_at(&BLOCK, 0).expect("written");
    log.file.sync_data().expect("flushed");
    let row = ours(&probe.read().expect("a reading"));
    assert_eq!((row.commits, row.parts.write_ns), (1, 0));
    let asleep_ns = row.total_ns - row.parts.flush_ns - row.parts.run_queue_ns - row.parts.processor_ns;
    assert!(asleep_ns < SLEPT.as_nanos() as u64, "{row:?}");
}

/// Time of a commit that is neither the disk's nor taken by others that want a processor: what a test itself spends.
fn own_ns(row: &Row) -> u64 {
    row.total_ns - row.parts.write_ns - row.parts.flush_ns - row.parts.run_queue_ns
}

/// A file that is gone has nothing to do with a later one, though the kernel may use its memory and its number again.
fn a_later_file_is_another(probe: &mut CommitProbe) {
    for _ in 0..TIMES {
        let earlier = Log::new("again", 0);
        earlier.file.write_all_at(&BLOCK, 0).expect("written");
        drop(earlier);
        spin();
        flush(&Log::new("again", 0));
    }
    let row = ours(&probe.read().expect("a reading"));
    assert_eq!(row.commits, TIMES);
    assert!(own_ns(&row) < SPUN.as_nanos() as u64, "{row:?}");
}

/// Commits of one thread that are under way at once last from the first write to each file to its own flush.
fn several_files_at_once(probe: &mut CommitProbe) {
    let logs = ["a", "b", "c", "d"].map(|name| Log::new(name, 0));
    let [a, b, c, d] = &logs;
    let cases: [(&str, &dyn Fn(), u64, u64); 5] = [
        (
            "one file",
            &|| {
                write(a);
                spin();
                sync(a)
            },
            1,
            1,
        ),
        (
            "another is flushed meanwhile",
            &|| {
                write(a);
                spin();
                sync(b);
                sync(a)
            },
            2,
            1,
        ),
        (
            "two at once",
            &|| {
                write(a);
                write(b);
                spin();
                sync(a);
                sync(b)
            },
            2,
            2,
        ),
        (
            "another is written meanwhile",
            &|| {
                write(a);
                spin();
                write(b);
                sync(a)
            },
            1,
            1,
        ),
        (
            "two others are written meanwhile",
            &|| {
                write(a);
                write(c);
                spin();
                write(d);
                sync(a)
            },
            1,
            1,
        ),
    ];
    for (what, work, commits, long) in cases {
        let began = Instant::now();
        (0..TIMES).for_each(|_| work());
        let elapsed_ns = u64::try_from(began.elapsed().as_nanos()).expect("a short time");
        let row = ours(&probe.read().expect("a reading"));
        assert_eq!((row.commits, row.flushes, row.errors), (commits * TIMES, commits * TIMES, 0), "{what}");
        assert_eq!(row.parts.sum_ns(), row.total_ns, "{what}: {row:?}");
        assert!(row.total_ns >= long * TIMES * SPUN.as_nanos() as u64, "{what}: {row:?}");
        assert!(row.total_ns <= commits * elapsed_ns, "{what}: {row:?} in {elapsed_ns} ns");
    }
    // The one that began first is forgotten where three others are under way.
    [a, b, c].into_iter().for_each(write);
    spin();
    write(d);
    sync(a);
    let row = ours(&probe.read().expect("a reading"));
    assert!(row.commits == 1 && own_ns(&row) < SPUN.as_nanos() as u64, "{row:?}");
}

fn write(log: &Log) {
    log.file.write_all_at(&BLOCK, 0).expect("written");
}

fn sync(log: &Log) {
    log.file.sync_data().expect("flushed");
}

const SPUN: Duration = Duration::from_millis(20);
const TIMES: u64 = 10;

/// To sleep or to wait would end a commit.
fn spin() {
    let began = Instant::now();
    while began.elapsed() < SPUN {}
}

/// What a thread does between a write and a flush of the same file, told to begin by the second function of a pair that this
/// thread calls when the first waits.
fn between_write_and_flush(wait: impl FnOnce() + Send, tell: impl FnOnce(), is_written_again: bool) {
    let log = Log::new("between", 0);
    let waiting = AtomicI32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            log.file.write_all_at(&BLOCK, 0).expect("written");
            waiting.store(rustix::thread::gettid().as_raw_nonzero().get(), Ordering::SeqCst);
            wait();
            if is_written_again {
                log.file.write_all_at(&BLOCK, 0).expect("written");
            }
            log.file.sync_data().expect("flushed");
        });
        while !is_asleep(waiting.load(Ordering::SeqCst)) {
            thread::yield_now();
        }
        thread::sleep(WAITED);
        tell();
    });
}

const WAITED: Duration = Duration::from_millis(100);

/// A thread that reads what comes waits for something to do; so does one that waits for another and then writes, or that waits
/// until its time is over.
fn waits_for_something_to_do(probe: &mut CommitProbe) {
    let (mut reader, mut writer) = std::io::pipe().expect("a pipe");
    let wait_for_bytes = || reader.read_exact(&mut [0]).expect("read");
    between_write_and_flush(wait_for_bytes, || writer.write_all(&[7]).expect("told"), false);
    let (tell, told) = mpsc::channel();
    between_write_and_flush(move || told.recv().expect("told"), || tell.send(()).expect("heard"), true);
    let (kept, never) = mpsc::channel::<()>();
    between_write_and_flush(
        move || assert!(never.recv_timeout(2 * WAITED).is_err()),
        || drop(kept.clone()),
        false,
    );
    let row = ours(&probe.read().expect("a reading"));
    assert_eq!((row.commits, row.parts.queue_ns), (3, 0), "{row:?}");
    assert!(own_ns(&row) < WAITED.as_nanos() as u64, "{row:?}");
}

fn tells_its_title(probe: &mut CommitProbe) {
    flush(&Log::new("titled", 0));
    let row = ours(&probe.read().expect("a reading"));
    let words = fs::read("/proc/self/cmdline").expect("a command line");
    let first = words.split(|byte| *byte == 0).next().expect("a first word");
    let told = row.title.as_bytes();
    assert!(!told.is_empty() && first.starts_with(told), "{:?}", row.title);
    assert!(probe.under_way().expect("a look").iter().all(|one| one.owner.pid != std::process::id()));
}

/// In one test: other tests of this process would be commits of its as well.
#[test]
fn commits_are_counted_exactly_and_their_parts_are_the_whole() {
    let Some(mut probe) = probe(Room::default()) else { return };
    until_there_is_a_row(&mut probe);
    writes_and_flushes(&mut probe);
    synchronous_writes(&mut probe);
    writes_that_fail(&mut probe);
    waits_for_another(&mut probe);
    waits_for_a_lock_before_others_flush(&mut probe);
    begins_with_the_first_write_of_its_file(&mut probe);
    several_files_at_once(&mut probe);
    a_later_file_is_another(&mut probe);
    waits_for_something_to_do(&mut probe);
    tells_its_title(&mut probe);
    let counts = probe.read().expect("a reading").counts;
    assert_eq!((counts.lost_threads, counts.log_flushes_begun), (0, 0));

    drop(probe);
    what_there_is_no_room_for_is_counted_as_lost();
    rows_are_given_back();
}

/// Others of this host commit too, which is why there is room for more than a few.
fn rows_are_given_back() {
    const ROWS: u32 = 64;
    let mut probe = probe(Room { rows: ROWS, ..Room::default() }).expect("a probe");
    let log = Log::new("of-many", 0);
    let mut seen = 0;
    for number in 0..2 * ROWS {
        let flushed = Command::new("sync").arg("--data").arg(&log.path).status().expect("a program");
        assert!(flushed.success());
        if number % 8 == 7 {
            let rows = probe.read().expect("a reading").rows;
            seen += rows.iter().filter(|(_, row)| row.command == "sync").count();
        }
    }
    let counts = probe.read().expect("a reading").counts;
    assert_eq!((counts.lost_rows, seen >= 2 * ROWS as usize), (0, true), "{seen} processes");
}

fn what_there_is_no_room_for_is_counted_as_lost() {
    let mut probe = probe(Room { threads: 1, rows: 1 }).expect("a probe");
    const WRITES: u64 = 10_000;
    let logs = ["first", "second", "third"].map(|name| Log::new(name, 0));
    let (begun, wait) = (std::sync::Barrier::new(3), std::sync::Barrier::new(3));
    thread::scope(|scope| {
        for log in &logs {
            scope.spawn(|| {
                flush(log);
                begun.wait();
                flush(log);
                wait.wait();
                (0..WRITES).for_each(|_| log.file.write_all_at(&BLOCK, 0).expect("written"));
            });
        }
    });
    let counts = probe.read().expect("a reading").counts;
    assert!(counts.lost_threads > 0, "three threads have no room in one place: {counts:?}");
    assert!(counts.lost_threads < WRITES, "writes that nobody flushes are no commits: {counts:?}");
}
