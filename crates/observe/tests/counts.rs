//! The probe in a real kernel, against what this process does itself. Where no probe is to be had, each test says why and ends.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plimsoll_observe::layout::{File as Whose, Key, Operation, Row};
use plimsoll_observe::obstacles::Surroundings;
use plimsoll_observe::probe::{Probe, Room};

const BYTES: usize = 1 << 20;

/// What two tests write at the same time may lie side by side, and go to the disk as one request.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_impossible() -> bool {
    let obstacles = Surroundings::default().obstacles();
    obstacles.iter().for_each(|obstacle| eprintln!("skipped: {obstacle}"));
    !obstacles.is_empty()
}

/// Writes a file of its own and has it on its disk; gives its number. Whatever others wrote before is there first: what lies beside
/// each other on a disk may become one request, which is that of its first file.
fn write_through(name: &str) -> (PathBuf, u64) {
    assert!(Command::new("sync").status().expect("sync, of Debian's coreutils").success());
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let mut file = File::create(&path).expect("a file in the target folder");
    file.write_all(&vec![7; BYTES]).expect("written");
    file.sync_all().expect("on its disk");
    let inode = file.metadata().expect("its number").ino();
    (path, inode)
}

fn written_to(inode: u64, rows: &[(Key, Row)]) -> (u64, u64) {
    let ours = rows.iter().filter(|(key, _)| {
        key.operation == Operation::Write
            && matches!(key.file, Whose::Inode { inode: found, .. } if found == inode)
    });
    ours.fold((0, 0), |(ios, bytes), (_, row)| (ios + row.ios, bytes + row.bytes))
}

#[test]
fn what_a_file_is_written_is_counted_under_its_number() {
    let _alone = alone();
    if is_impossible() {
        return;
    }
    let mut probe = Probe::start(Room::default()).expect("a probe");
    let (path, inode) = write_through("counted");
    let reading = probe.read().expect("a reading");
    fs::remove_file(path).expect("removed");
    let (ios, bytes) = written_to(inode, &reading.rows);
    assert_eq!(bytes, BYTES as u64, "{reading:#?}");
    assert!(ios > 0);
    assert_eq!((reading.counts.lost_requests, reading.counts.lost_rows), (0, 0));
    let again = probe.read().expect("another reading");
    assert_eq!(written_to(inode, &again.rows), (0, 0), "a reading gives what is new");
}

#[test]
fn what_there_is_no_room_for_is_counted_as_lost() {
    let _alone = alone();
    if is_impossible() {
        return;
    }
    let mut probe = Probe::start(Room { requests: 1, rows: 1 }).expect("a probe");
    let (path, _) = write_through("crowded");
    fs::remove_file(path).expect("removed");
    let reading = probe.read().expect("a reading");
    assert!(reading.rows.len() <= 1);
    let lost = reading.counts.lost_requests + reading.counts.lost_rows;
    assert!(lost > 0, "a file's data and its file system's own are two rows: {reading:#?}");
}

/// A process of its own that reads one block of the file past the page cache; gives its number.
fn read_once(path: &Path) -> u32 {
    let from = format!("if={}", path.display());
    let words = [&from, "of=/dev/null", "bs=4096", "count=1", "iflag=direct", "status=none"];
    let mut reader = Command::new("dd").args(words).spawn().expect("dd, of Debian's coreutils");
    let pid = reader.id();
    assert!(reader.wait().expect("its end").success());
    pid
}

/// Of that file alone.
fn read_by(pid: u32, file: u64, rows: &[(Key, Row)]) -> (u64, u64) {
    let theirs = rows.iter().filter(|(key, _)| {
        key.operation == Operation::Read
            && matches!(key.file, Whose::Inode { inode, .. } if inode == file)
            && key.owner.is_some_and(|owner| owner.pid == pid)
    });
    theirs.fold((0, 0), |(ios, bytes), (_, row)| (ios + row.ios, bytes + row.bytes))
}

#[test]
fn there_is_room_again_after_each_reading_however_many_come_and_go() {
    let _alone = alone();
    if is_impossible() {
        return;
    }
    const ROWS: u32 = 128;
    const READERS: usize = 8;
    let mut probe = Probe::start(Room { rows: ROWS, ..Room::default() }).expect("a probe");
    let (path, inode) = write_through("passed");
    let before = probe.read().expect("a reading").counts.lost_rows;
    // Programs that keep a disk busy meanwhile take rows as well, and where these leave none, what is lost may be theirs. Nor does
    // the kernel tell of the end of each request then. So there are more rounds than it takes on a quiet machine.
    let (rounds, wanted, mut seen, mut lost) =
        (20 * ROWS as usize / READERS, 3 * ROWS as usize / 2, 0, before);
    for round in 0..rounds {
        let readers: Vec<_> = (0..READERS).map(|_| read_once(&path)).collect();
        let reading = probe.read().expect("a reading");
        let counts = reading.counts;
        let is_full = reading.rows.len() >= ROWS as usize;
        assert!(
            counts.lost_rows == lost || is_full,
            "round {round}: {counts:?}, {} rows",
            reading.rows.len()
        );
        assert_eq!(counts.lost_requests, 0, "round {round}: {counts:?}");
        lost = counts.lost_rows;
        seen += readers.iter().filter(|&&pid| read_by(pid, inode, &reading.rows) == (1, 4_096)).count();
        if seen > wanted {
            break;
        }
    }
    fs::remove_file(path).expect("removed");
    assert!(seen > wanted, "{seen} of {} readers were seen", rounds * READERS);
}

#[test]
fn what_ends_behind_a_cut_belongs_to_the_reading_after_the_next() {
    let _alone = alone();
    if is_impossible() {
        return;
    }
    let mut probe = Probe::start(Room::default()).expect("a probe");
    let (before, inode_before) = write_through("before");
    probe.cut().expect("a cut");
    let (behind, inode_behind) = write_through("behind");
    let (first, second) = (probe.read().expect("a reading"), probe.read().expect("another reading"));
    for path in [before, behind] {
        fs::remove_file(path).expect("removed");
    }
    let bytes = |inode| [&first, &second].map(|reading| written_to(inode, &reading.rows).1);
    assert_eq!(bytes(inode_before), [BYTES as u64, 0], "{first:?} {second:?}");
    assert_eq!(bytes(inode_behind), [0, BYTES as u64]);
}
