//! Any bytes as what an NFS server answers over one of two paths, in steps of any length, to a READ, a WRITE that waits for a COMMIT,
//! a second WRITE to the same bytes, and a COMMIT. Each ends at most once, with no more bytes than were asked for, and what is garbled
//! ends the connection: what was asked over it goes over the other path.
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
const IOS: usize = 4;
const WAYS: usize = 2;

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

/// What has ended, each once.
#[derive(Default)]
struct Ended([bool; IOS]);

impl Ended {
    fn take(&mut self, table: &mut Table<Vec<u8>>) {
        for done in table.take_done() {
            assert!(!std::mem::replace(&mut self.0[done.slot as usize], true), "an i/o ends once");
            assert!(done.result <= BYTES as i32 && done.buffer.is_some(), "{}", done.result);
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    // How many bytes come at once, and how many of them over the first way.
    let [step, high, low, bytes @ ..] = bytes else { return };
    let first = usize::from(u16::from_be_bytes([*high, *low]));
    let (one, other) = bytes.split_at(first.min(bytes.len()));
    let step = usize::from(*step).pow(2) + 1;
    let mut wires = [Canned { bytes: one, step }, Canned { bytes: other, step }];
    let mut receivers = [Receiver::new(0), Receiver::new(1)];
    let (mut table, mut ended, mut now_ns) = (asked(), Ended::default(), 0);
    while wires.iter().any(|wire| !wire.bytes.is_empty()) {
        for way in 0..WAYS {
            now_ns += 100_000_000;
            send(&mut table, way, now_ns);
            if wires[way].bytes.is_empty() {
                continue;
            }
            let came = receivers[way].receive(&mut wires[way], &mut table, false, || now_ns);
            ended.take(&mut table);
            if came.is_err() {
                receivers[way].start_over();
                table.start_over(way, 1, true);
                table.ping(way);
            }
            table.wake(now_ns);
            table.commit_what_waits();
        }
    }
    table.give_up(1);
    ended.take(&mut table);
    assert_eq!(ended.0, [true; IOS], "in the end each has ended");
    assert!(table.is_idle(), "and nothing is left");
});

fn asked() -> Table<Vec<u8>> {
    let common = Common {
        file: Handle::new(b"file").expect("it is short"),
        credential: vec![0; 16],
        sizes: Sizes { read_bytes_max: READ_BYTES_MAX, write_bytes_max: BYTES },
        stable: Stable::Unstable,
        writable: true,
        turn: 0,
        ways: WAYS,
        balance: Balance::default(),
    };
    let mut table = Table::new(common, IOS as u32, BYTES);
    let works = [(Work::Read, BYTES), (Work::Write, BYTES), (Work::Write, BYTES), (Work::Commit, 0)];
    for (slot, (work, len)) in (0..).zip(works) {
        table.submit(&Ask { work, slot, offset_bytes: 0, skip: 0, len }, Some(vec![7; len as usize]));
    }
    table
}

fn send(table: &mut Table<Vec<u8>>, way: usize, now_ns: u64) {
    while table.has_to_send(way) {
        let all = |pieces: &[IoSlice]| Ok::<_, ()>(pieces.iter().map(|piece| piece.len()).sum());
        table.send_with(way, now_ns, all).expect("all is taken");
    }
}
