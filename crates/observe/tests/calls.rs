//! The probe of calls in a real kernel, against what this process calls itself. Where no probe is to be had, the test says why and ends.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use plimsoll_observe::call::{CallProbe, Operation, Reading, Room};
use plimsoll_observe::obstacles::Surroundings;

const BLOCK: usize = 4096;
const WRITES: u64 = 40;
const READS: u64 = 90;
const FLUSHES: u64 = 7;

fn is_impossible() -> bool {
    let obstacles = Surroundings::default().obstacles();
    obstacles.iter().for_each(|obstacle| eprintln!("skipped: {obstacle}"));
    !obstacles.is_empty()
}

/// Calls, bytes and failures of this process on that file.
fn counted(reading: &Reading, inode: u64, operation: Operation) -> (u64, u64, u64) {
    let ours = reading.rows.iter().filter(|(key, _)| {
        key.owner.pid == std::process::id() && key.file.1 == inode && key.operation == operation
    });
    ours.fold((0, 0, 0), |sum, (_, row)| {
        let timed: u64 = row.latency_us().iter().map(|(_, calls)| calls).sum();
        assert_eq!(timed, row.calls, "each has a time");
        (sum.0 + row.calls, sum.1 + row.bytes, sum.2 + row.errors)
    })
}

#[test]
fn each_call_is_counted_with_what_it_moved_and_sockets_are_left_out() {
    if is_impossible() {
        return;
    }
    let mut probe = CallProbe::start(Room::default()).expect("a probe");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("called-{}", std::process::id()));
    let file =
        OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path).expect("a file");
    let inode = file.metadata().expect("its number").ino();
    let mut block = vec![7; BLOCK];
    for number in 0..WRITES {
        file.write_all_at(&block, number * BLOCK as u64).expect("written");
    }
    for number in 0..READS {
        // Beyond the end a call reads nothing, and is a call all the same.
        let read = file.read_at(&mut block, number * BLOCK as u64).expect("read");
        assert_eq!(read, if number < WRITES { BLOCK } else { 0 });
    }
    for _ in 0..FLUSHES {
        file.sync_data().expect("on its disk");
    }
    let reader = fs::File::open(&path).expect("a file");
    assert!(reader.write_at(&block, 0).is_err(), "it is open for reading");
    let (mut one, mut other) = UnixStream::pair().expect("sockets");
    one.write_all(&block).expect("sent");
    other.read_exact(&mut block).expect("received");
    probe.cut().expect("a cut");
    file.read_at(&mut block, 0).expect("read behind the cut");
    let reading = probe.read().expect("a reading");
    fs::remove_file(path).expect("removed");
    assert_eq!((reading.counts.lost_threads, reading.counts.lost_rows), (0, 0));
    let bytes = WRITES * BLOCK as u64;
    assert_eq!(counted(&reading, inode, Operation::Write), (WRITES + 1, bytes, 1), "{reading:#?}");
    assert_eq!(counted(&reading, inode, Operation::Read), (READS, bytes, 0));
    assert_eq!(counted(&reading, inode, Operation::Flush), (FLUSHES, 0, 0));
    let ours = || reading.rows.iter().filter(|(key, _)| key.owner.pid == std::process::id());
    assert!(ours().all(|(_, row)| !row.command.is_empty()));
    let largest = ours().filter(|(key, _)| key.file.1 != inode).map(|(_, row)| row.bytes).max();
    assert!(largest.unwrap_or(0) < BLOCK as u64, "what went through the socket is in no row");
    let behind = probe.read().expect("another reading");
    assert_eq!(counted(&behind, inode, Operation::Read), (1, BLOCK as u64, 0));
}
