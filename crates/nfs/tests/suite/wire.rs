//! Bytes as they may come from anybody: cut anywhere, changed anywhere, of any length. No panic, no hang, and no I/O that ends twice
//! or with more bytes than were asked for.

use std::io::{self, IoSlice, IoSliceMut};

use plimsoll_nfs::proc::{Handle, Sizes, Stable};
use plimsoll_nfs::receive::Receiver;
use plimsoll_nfs::rpc::{LAST_FRAGMENT, begin_reply};
use plimsoll_nfs::socket::Wire;
use plimsoll_nfs::table::{Ask, Common, Table, Work};
use plimsoll_nfs::xdr::Put;

const BYTES: u32 = 40_000;

/// Gives so many bytes at once of what is in it.
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

/// A read, a write that waits for a COMMIT, and a COMMIT, all sent; their numbers are 0x10000, 0x10001 and 0x10002.
fn table() -> Table<Vec<u8>> {
    let sizes = Sizes { read_bytes_max: 1 << 20, write_bytes_max: 1 << 20 };
    let common = Common {
        file: Handle::new(b"file").expect("it is short"),
        credential: vec![0; 16],
        sizes,
        stable: Stable::Unstable,
        writable: true,
        turn: 0,
    };
    let mut table = Table::new(common, 3, BYTES);
    for (work, slot, len) in [(Work::Read, 0, BYTES), (Work::Write, 1, BYTES), (Work::Commit, 2, 0)] {
        let ask = Ask { work, slot, offset_bytes: 0, skip: 0, len };
        table.submit(&ask, Some(vec![7; len as usize]));
    }
    while table.has_to_send() {
        let all = |pieces: &[IoSlice]| Ok::<_, ()>(pieces.iter().map(|piece| piece.len()).sum());
        table.send_with(0, all).expect("all is taken");
    }
    table
}

fn record(body: impl Fn(&mut Vec<u8>), xid: u32) -> Vec<u8> {
    let mut out = vec![0; 4];
    begin_reply(&mut out, xid, Ok(()));
    body(&mut out);
    let mark = LAST_FRAGMENT | (out.len() - 4) as u32;
    out[..4].copy_from_slice(&mark.to_be_bytes());
    out
}

/// Right answers to all three.
fn answers() -> Vec<u8> {
    let read = |out: &mut Vec<u8>| {
        [0, 0, BYTES, 0].iter().for_each(|&word| out.put_u32(word));
        out.put_opaque(&[9; BYTES as usize]);
    };
    let written = |out: &mut Vec<u8>| [0, 0, 0, BYTES, 0, 1, 2].iter().for_each(|&word| out.put_u32(word));
    let committed = |out: &mut Vec<u8>| [0, 0, 0, 1, 2].iter().for_each(|&word| out.put_u32(word));
    [record(read, 0x10000), record(written, 0x10001), record(committed, 0x10002)].concat()
}

/// Feeds all of it; the results by slot, and whether it was taken for garbled.
fn feed(bytes: &[u8], step: usize) -> ([Option<i32>; 3], bool) {
    let (mut table, mut receiver) = (table(), Receiver::default());
    let (mut wire, mut results, mut garbled) = (Canned { bytes, step }, [None; 3], false);
    while !wire.bytes.is_empty() && !garbled {
        garbled = receiver.receive(&mut wire, &mut table, false, || 0).is_err();
        for done in table.take_done() {
            let place = &mut results[done.slot as usize];
            assert!(place.is_none(), "an i/o ends once");
            assert!(done.result <= BYTES as i32, "no more than was asked for");
            *place = Some(done.result);
        }
        table.commit_what_waits();
    }
    (results, garbled)
}

#[test]
fn right_answers_are_understood_in_whatever_pieces_they_come() {
    let bytes = answers();
    for step in [1, 2, 3, 5, 64, 1000, 4096, 40_001, usize::MAX] {
        assert_eq!(feed(&bytes, step), ([Some(BYTES as i32), None, Some(0)], false), "{step} bytes at once");
    }
}

#[test]
fn answers_that_are_cut_end_nothing_that_had_not_come_whole() {
    let bytes = answers();
    let ends: Vec<usize> =
        (0..300).chain((300..bytes.len()).step_by(997)).chain(bytes.len() - 200..bytes.len()).collect();
    let read_ends = 4 + 24 + 20 + BYTES as usize;
    for end in ends {
        let (results, garbled) = feed(&bytes[..end], 700);
        assert!(!garbled, "cut at {end}");
        assert_eq!(results[0].is_some(), end >= read_ends, "cut at {end}");
        assert_eq!(results[2], None, "cut at {end}");
    }
}

#[test]
fn any_byte_may_be_wrong() {
    let right = answers();
    let heads = (0..80).chain(right.len() - 150..right.len());
    for at in heads {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut bytes = right.clone();
            bytes[at] = value;
            let (results, _) = feed(&bytes, 4096);
            assert!(results[0].is_none_or(|result| result <= BYTES as i32));
        }
    }
}

#[test]
fn lengths_that_cannot_be_are_garbled_and_cost_no_memory() {
    for mark in [u32::MAX, LAST_FRAGMENT - 1, 0xC000_0000, 0x7000_0000] {
        let mut bytes = mark.to_be_bytes().to_vec();
        bytes.extend_from_slice(&[0; 64]);
        assert_eq!(feed(&bytes, 10), ([None; 3], true), "{mark:x}");
    }
    // A READ that brings more than was asked for, or more than its record holds.
    for (told, there) in [(BYTES + 4, BYTES + 4), (1 << 31, 16), (u32::MAX, 16), (16, 32)] {
        let body = |out: &mut Vec<u8>| {
            [0, 0, told, 0, told].iter().for_each(|&word| out.put_u32(word));
            out.extend_from_slice(&vec![1; there as usize]);
        };
        assert_eq!(feed(&record(body, 0x10000), 4096), ([None; 3], true), "{told} of {there}");
    }
}

#[test]
fn unknown_numbers_are_passed_over() {
    let body = |out: &mut Vec<u8>| out.extend_from_slice(&[5; 5000]);
    let bytes = [record(body, 0), record(body, u32::MAX), record(body, 0x20000), answers()].concat();
    assert_eq!(feed(&bytes, 600), ([Some(BYTES as i32), None, Some(0)], false));
}

#[test]
fn fragments_without_bytes_are_passed_over() {
    let answers = answers();
    let mut bytes = [0; 4000].to_vec();
    bytes.extend_from_slice(&answers[4..]);
    // 1000 empty fragments, then the first answer as the last one.
    let last = u32::from_be_bytes(answers[..4].try_into().expect("a mark"));
    bytes.splice(4000..4000, last.to_be_bytes());
    assert_eq!(feed(&bytes, 512), ([Some(BYTES as i32), None, Some(0)], false));
}
