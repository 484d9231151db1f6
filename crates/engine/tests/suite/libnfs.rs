//! What the engine that calls libnfs reads and writes, byte by byte; `tests/contract/test_libnfs.py` has the rest. Nothing is tried
//! where no libnfs is installed.

use crate::common::*;
use plimsoll_engine::io::{Action, FlushCall, Io};
use plimsoll_engine::over_libnfs::place_of;
use plimsoll_engine::sys::completion::Completion;
use plimsoll_engine::sys::libnfs::{File, probe};
use plimsoll_engine::sys::memory::Buffer;
use plimsoll_nfs::open::find;
use plimsoll_nfs::server::{Faults, Server};
use plimsoll_nfs::url::Url;

const BLOCKS: u64 = FILE_BYTES / BLOCK_BYTES as u64;
const DEPTH: u32 = 8;

fn served() -> Server {
    let server = Server::start().expect("a port is free");
    let data = (0..BLOCKS).flat_map(block_of).collect();
    server.add("data", rustix::process::geteuid().as_raw(), 0, data);
    server
}

fn opened(server: &Server, writable: bool) -> File {
    let found =
        find(&Url::parse(&server.url("/export/data")).expect("the server's own")).expect("it is there");
    let place = place_of(&found, 1, writable);
    let file = File::open(&place, DEPTH).expect("it may be opened");
    let told = file.told().expect("it is open");
    assert_eq!((told.inode, told.size_bytes), (found.attributes.fileid, FILE_BYTES));
    file
}

fn io(slot: u32, action: Action, block: u64) -> Io {
    let offset_bytes = block * u64::from(BLOCK_BYTES);
    Io { slot, action, target: 0, offset_bytes, skip_bytes: 0, len_bytes: BLOCK_BYTES }
}

/// Submits one I/O for each buffer and waits for all.
fn through(file: &mut File, ios: Vec<(Io, Option<Buffer>)>) -> Vec<Completion> {
    let (count, mut done) = (ios.len(), Vec::new());
    for (io, buffer) in ios {
        file.submit(&io, buffer);
    }
    while done.len() < count {
        file.wait(50_000_000, &mut done);
    }
    done
}

fn buffers() -> Vec<Buffer> {
    Buffer::carve(DEPTH as usize, BLOCK_BYTES as usize).expect("there is memory")
}

#[test]
fn what_is_read_is_what_the_file_holds() {
    if probe().is_err() {
        return;
    }
    let server = served();
    let mut file = opened(&server, false);
    let blocks = [0, BLOCKS - 1, 3, 3, 7, 1, 2, 5];
    let place = |(slot, buffer): (usize, Buffer)| (io(slot as u32, Action::Read, blocks[slot]), Some(buffer));
    let done = through(&mut file, buffers().into_iter().enumerate().map(place).collect());
    for completion in done {
        assert_eq!(completion.result, BLOCK_BYTES as i32);
        let block = block_of(blocks[completion.slot as usize]);
        assert!(completion.buffer.expect("it came back")[..] == block[..], "slot {}", completion.slot);
    }
    let mut bytes = vec![0; BLOCK_BYTES as usize];
    assert_eq!(file.read_at(u64::from(BLOCK_BYTES), &mut bytes).expect("it is there"), bytes.len());
    assert!(bytes[..] == block_of(1)[..]);
}

#[test]
fn what_is_written_is_on_the_servers_disk_when_it_is_answered() {
    if probe().is_err() {
        return;
    }
    let server = served();
    let mut file = opened(&server, true);
    let place = |(slot, mut buffer): (usize, Buffer)| {
        buffer.fill(slot as u8 + 1);
        (io(slot as u32, Action::Write, slot as u64), Some(buffer))
    };
    let done = through(&mut file, buffers().into_iter().enumerate().map(place).collect());
    assert!(done.iter().all(|completion| completion.result == BLOCK_BYTES as i32));
    assert_eq!((server.seen().writes, server.seen().commits), ([0, 0, u64::from(DEPTH)], 0));
    let durable = server.durable("data").expect("it is there");
    for (slot, block) in durable.chunks(BLOCK_BYTES as usize).take(DEPTH as usize).enumerate() {
        assert!(block.iter().all(|&byte| byte == slot as u8 + 1), "block {slot}");
    }
    let flushed = through(&mut file, vec![(io(0, Action::Flush(FlushCall::Fsync), 0), None)]);
    assert_eq!((flushed[0].result, server.seen().commits), (0, 1));
}

#[test]
fn each_io_comes_back_once_when_the_connection_is_cut() {
    if probe().is_err() {
        return;
    }
    let server = served();
    let mut file = opened(&server, false);
    server.set(Faults { cut: Some(1), ..Faults::default() });
    let place = |(slot, buffer): (usize, Buffer)| {
        let action = if slot == 0 { Action::Flush(FlushCall::Fsync) } else { Action::Read };
        (io(slot as u32, action, slot as u64), Some(buffer))
    };
    let done = through(&mut file, buffers().into_iter().enumerate().map(place).collect());
    let mut slots: Vec<u32> = done.iter().map(|completion| completion.slot).collect();
    slots.sort_unstable();
    assert_eq!(slots, (0..DEPTH).collect::<Vec<_>>());
    assert!(done.iter().all(|completion| completion.buffer.is_some()));
    assert!(file.is_gone() && file.failure().is_some());
    assert_eq!(through(&mut file, vec![(io(0, Action::Read, 0), None)])[0].result, -libc::ENOTCONN);
}
