//! Any bytes as what an NFS server answers, in steps of any length, to a READ, a WRITE that waits for a COMMIT, and a COMMIT. Each
//! ends at most once, with no more bytes than were asked for, and what is garbled ends the connection.
#![no_main]

use std::io::{self, IoSlice, IoSliceMut};

use libfuzzer_sys::fuzz_target;
use plimsoll_nfs::proc::{Handle, Sizes, Stable};
use plimsoll_nfs::receive::Receiver;
use plimsoll_nfs::socket::Wire;
use plimsoll_nfs::table::ways::Balance;
use plimsoll_nfs::table::{Ask, Common, Table, Work};

/// Bytes of each I/O; the READ is in two requests, one of which is received straight into its buffer.
const BYTES: u32 = 40_000;
const READ_BYTES_MAX: u32 = 36_000;

struct Canned<'a> {
    bytes: &'a [u8],
    step: usize,
}

impl Wire for Canned<'_> {
    fn send(&mut self, pieces: &[IoSlice]) -> io::Result<usize> {
        Ok(pieces.iter().map(|piece| piece.len()).sum())
    }

    fn receive(&mut self, pieces: &mut [IoSliceMut], _: bool) -> io::Result<usize> {
        let mut came = 0;
        for piece in pieces {
            let part = piece.len().min(self.bytes.len()).min(self.step - came);
            piece[..part].copy_from_slice(&self.bytes[..part]);
            self.bytes = &self.bytes[part..];
            came += part;
        }
        Ok(came)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&step, bytes)) = bytes.split_first() else { return };
    let mut wire = Canned { bytes, step: usize::from(step).pow(2) + 1 };
    let (mut table, mut receiver, mut ended) = (asked(), Receiver::default(), [false; 3]);
    while !wire.bytes.is_empty() {
        send(&mut table);
        let came = receiver.receive(&mut wire, &mut table, false, || 0);
        for done in table.take_done() {
            assert!(!std::mem::replace(&mut ended[done.slot as usize], true), "an i/o ends once");
            assert!(done.result <= BYTES as i32 && done.buffer.is_some(), "{}", done.result);
        }
        if came.is_err() {
            receiver.start_over();
            table.start_over(0, 1, true);
            table.ping(0);
        }
        table.commit_what_waits();
    }
    table.give_up(1);
    for done in table.take_done() {
        assert!(!std::mem::replace(&mut ended[done.slot as usize], true), "an i/o ends once");
    }
    assert_eq!(ended, [true; 3], "in the end each has ended");
});

fn asked() -> Table<Vec<u8>> {
    let sizes = Sizes { read_bytes_max: READ_BYTES_MAX, write_bytes_max: BYTES };
    let file = Handle::new(b"file").expect("it is short");
    let stable = Stable::Unstable;
    let balance = Balance::default();
    let common = Common { file, credential: vec![0; 16], sizes, stable, writable: true, turn: 0, ways: 1, balance };
    let mut table = Table::new(common, 3, BYTES);
    for (work, slot, len) in [(Work::Read, 0, BYTES), (Work::Write, 1, BYTES), (Work::Commit, 2, 0)] {
        table.submit(&Ask { work, slot, offset_bytes: 0, skip: 0, len }, Some(vec![7; len as usize]));
    }
    table
}

fn send(table: &mut Table<Vec<u8>>) {
    while table.has_to_send(0) {
        let all = |pieces: &[IoSlice]| Ok::<_, ()>(pieces.iter().map(|piece| piece.len()).sum());
        table.send_with(0, 0, all).expect("all is taken");
    }
}
