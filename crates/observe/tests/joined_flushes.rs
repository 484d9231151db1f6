//! Calls of a function that has the name of PostgreSQL's, of which some sleep so that others can join (`commit_delay`), in a real
//! kernel. Where no probe is to be had, the test says why and ends.

// The name of a function is what is looked for, and nothing else in this program has it.
#![allow(unsafe_code)]
// The kernel's clock is what is tested here, and nothing simulates that.
#![allow(clippy::disallowed_methods)]

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use plimsoll_observe::commit::{CommitProbe, Kind, Reading, Room, Row};
use plimsoll_observe::obstacles::Surroundings;

const SLEPT: Duration = Duration::from_millis(50);
const CALLS: u64 = 4;

/// Who has it flushes.
static LOCK: Mutex<u64> = Mutex::new(0);

/// The first of two that are called at once sleeps, so that the other can join, and flushes; the other waits and finds it done.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn XLogFlush(log: &File, wanted: u64) {
    let mut flushed = LOCK.lock().expect("whole");
    if *flushed < wanted {
        thread::sleep(SLEPT);
        std::os::unix::fs::FileExt::write_all_at(log, &[7; 4_096], 0).expect("written");
        log.sync_data().expect("flushed");
        *flushed = wanted;
    }
}

fn ours(reading: &Reading, kind: Kind) -> Row {
    let own = std::process::id();
    let found = reading.rows.iter().find(|(key, _)| key.owner.pid == own && key.kind == kind);
    found.map(|(_, row)| row.clone()).unwrap_or_else(|| panic!("a row of this process: {reading:#?}"))
}

#[test]
fn who_sleeps_so_that_others_join_is_told_apart_from_who_waits_for_it() {
    let obstacles = Surroundings::default().obstacles();
    obstacles.iter().for_each(|obstacle| eprintln!("skipped: {obstacle}"));
    if !obstacles.is_empty() {
        return;
    }
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("flushed-{}", std::process::id()));
    let log = File::create(&path).expect("a file in the target folder");
    let mut probe = CommitProbe::start(Room::default()).expect("a probe");
    probe.see_log_flushes(&std::env::current_exe().expect("this program")).expect("seen");
    for call in 1..=CALLS {
        thread::scope(|scope| {
            (0..2).for_each(|_| drop(scope.spawn(|| XLogFlush(&log, call))));
        });
    }
    let reading = probe.read().expect("a reading");
    fs::remove_file(&path).expect("removed");
    assert_eq!((reading.counts.log_flushes_begun, reading.counts.log_flushes_ended), (2 * CALLS, 2 * CALLS));
    let leader = ours(&reading, Kind::Leader);
    assert_eq!((leader.commits, leader.parts.sum_ns()), (CALLS, leader.total_ns), "{leader:?}");
    assert!(leader.slept_ns >= CALLS * SLEPT.as_nanos() as u64 / 2, "{leader:?}");
    assert!(leader.slept_ns <= leader.behind_ns && leader.behind_ns <= leader.parts.queue_ns, "{leader:?}");
    // On a busy machine the second may come when the first is done.
    for (_, row) in reading.rows.iter().filter(|(key, _)| key.kind == Kind::Follower) {
        assert_eq!((row.slept_ns, row.parts.sum_ns()), (0, row.total_ns), "{row:?}");
        assert!(row.behind_ns <= row.parts.queue_ns, "{row:?}");
    }
}
