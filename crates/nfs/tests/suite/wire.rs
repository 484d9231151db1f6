//! Bytes as they may come from anybody: cut anywhere, changed anywhere, of any length. No panic, no hang, and no I/O that ends twice
//! or with more bytes than were asked for.

use std::io::{self, IoSlice, IoSliceMut};

use plimsoll_nfs::proc::{Handle, Sizes, Stable};
use plimsoll_nfs::receive::Receiver;
use plimsoll_nfs::rpc::{LAST_FRAGMENT, begin_reply};
use plimsoll_nfs::socket::Wire;
use plimsoll_nfs::status;
use plimsoll_nfs::table::ways::Balance;
use plimsoll_nfs::table::{Ask, Common, TURN, Table, Work};
use plimsoll_nfs::xdr::Put;

const BYTES: u32 = 40_000;

/// Gives so many bytes at once of what is in it.
#[derive(Default)]
struct Canned<'a> {
    bytes: &'a [u8],
    step: usize,
    /// How many bytes were waited for, each time.
    gathered: Vec<usize>,
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

    fn gather(&mut self, bytes: usize) -> io::Result<()> {
        self.gathered.push(bytes);
        Ok(())
    }
}

/// A read, a write that waits for a COMMIT, and a COMMIT, all sent; their numbers are one turn, and 0, 1 and 2.
fn table() -> Table<Vec<u8>> {
    let mut table = Table::new(common(), 3, BYTES);
    for (work, slot, len) in [(Work::Read, 0, BYTES), (Work::Write, 1, BYTES), (Work::Commit, 2, 0)] {
        let ask = Ask { work, slot, offset_bytes: 0, skip: 0, len };
        table.submit(&ask, Some(vec![7; len as usize]));
    }
    send_all(&mut table, 0);
    table
}

fn common() -> Common {
    let sizes = Sizes { read_bytes_max: 1 << 20, write_bytes_max: 1 << 20 };
    Common {
        file: Handle::new(b"file").expect("it is short"),
        credential: vec![0; 16],
        sizes,
        stable: Stable::Unstable,
        writable: true,
        turn: 0,
        ways: 1,
        balance: Balance::default(),
    }
}

fn send_all(table: &mut Table<Vec<u8>>, now_ns: u64) {
    while table.has_to_send(0) {
        send(table, 0, now_ns);
    }
}

fn send_over(table: &mut Table<Vec<u8>>, way: usize) {
    send(table, way, 0);
}

fn send(table: &mut Table<Vec<u8>>, way: usize, now_ns: u64) {
    let all = |pieces: &[IoSlice]| Ok::<_, ()>(pieces.iter().map(|piece| piece.len()).sum());
    table.send_with(way, now_ns, all).expect("all is taken");
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
    [record(read, TURN), record(written, TURN | 1), record(committed, TURN | 2)].concat()
}

/// Feeds all of it; the results by slot, and whether it was taken for garbled.
fn feed(bytes: &[u8], step: usize) -> ([Option<i32>; 3], bool) {
    let (mut table, mut receiver) = (table(), Receiver::default());
    let (mut wire, mut results, mut garbled) =
        (Canned { bytes, step, ..Canned::default() }, [None; 3], false);
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

/// What is waited for while the answer to one of so many reads of 1 MiB comes, 310,000 bytes at once.
fn gathered(reads: u32, patient: bool) -> Vec<usize> {
    const LARGE: u32 = 1 << 20;
    let mut table = Table::new(common(), reads, LARGE);
    for slot in 0..reads {
        let ask = Ask { work: Work::Read, slot, offset_bytes: 0, skip: 0, len: LARGE };
        table.submit(&ask, Some(vec![0; LARGE as usize]));
    }
    send_all(&mut table, 0);
    let data = |out: &mut Vec<u8>| {
        [0, 0, LARGE, 0].iter().for_each(|&word| out.put_u32(word));
        out.put_opaque(&vec![9; LARGE as usize]);
    };
    let answer = record(data, TURN);
    let mut wire = Canned { bytes: &answer, step: 310_000, ..Canned::default() };
    let mut receiver = Receiver::default();
    while !wire.bytes.is_empty() {
        receiver.receive(&mut wire, &mut table, patient, || 0).expect("it is an answer");
    }
    assert_eq!(table.take_done().map(|done| done.result).collect::<Vec<_>>(), [LARGE as i32]);
    wire.gathered
}

#[test]
fn the_rest_of_a_large_read_is_waited_for_at_once_where_others_are_behind_it() {
    let first = (1 << 20) - (1024 - 48);
    assert_eq!(gathered(2, true), [first, first - 310_000, first - 620_000]);
    assert_eq!(gathered(2, false), [0; 0], "who must not wait does not");
    assert_eq!(gathered(1, true), [0; 0], "a read that is alone is copied while it comes");
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
        assert_eq!(feed(&record(body, TURN), 4096), ([None; 3], true), "{told} of {there}");
    }
}

/// The READ is put off at that time, asked again at once, and sent; what ended.
fn put_off(table: &mut Table<Vec<u8>>, xid: u32, now_ns: u64) -> Vec<i32> {
    let (index, _) = table.expected(0, xid).expect("it waits for its answer");
    table.fail(index, status::JUKEBOX, now_ns);
    table.wake(u64::MAX);
    send_all(table, now_ns);
    table.take_done().map(|done| done.result).collect()
}

#[test]
fn what_is_put_off_for_too_long_has_failed() {
    let mut table = table();
    for (turn, after_s) in [(1, 0), (2, 1), (3, 60)] {
        assert_eq!(put_off(&mut table, turn * TURN, (5 + after_s) * 1_000_000_000), [0; 0], "{after_s} s");
    }
    assert_eq!(put_off(&mut table, 4 * TURN, 66_000_000_000), [-libc::EAGAIN]);
}

#[test]
fn a_request_is_overdue_after_its_time_and_after_twice_that_when_it_was_sent_again() {
    let mut table = table();
    assert!(!table.is_overdue(0, 100, 100) && table.is_overdue(0, 100, 101), "it was sent at 0");
    table.start_over(0, libc::ETIMEDOUT, false);
    table.ping(0);
    send_all(&mut table, 1000);
    // The next number of the request that is free.
    feed_into(&mut table, &record(|_| (), TURN | 3));
    send_all(&mut table, 1000);
    assert_eq!(table.counts().resent, 3);
    assert!(!table.is_overdue(0, 100, 1200) && table.is_overdue(0, 100, 1201));
}

fn feed_into(table: &mut Table<Vec<u8>>, bytes: &[u8]) {
    let mut wire = Canned { bytes, step: usize::MAX, ..Canned::default() };
    Receiver::default().receive(&mut wire, table, false, || 0).expect("it is an answer");
}

#[test]
fn what_is_sent_again_goes_over_a_way_on_which_somebody_answers() {
    let mut table = table();
    table.start_over(0, libc::ETIMEDOUT, false);
    assert!(!table.has_way() && !table.has_to_send(0), "all waits");
    table.ping(0);
    table.ping(0);
    send_all(&mut table, 10);
    assert_eq!(table.counts().resent, 0, "but for the question whether anybody is there");
    feed_into(&mut table, &record(|_| (), TURN | 3));
    assert!(table.has_way() && table.has_to_send(0));
    send_all(&mut table, 20);
    assert_eq!(table.counts().resent, 3);
}

#[test]
fn requests_go_over_the_way_with_the_fewest_or_over_one_after_the_other() {
    for (balance, busy) in [(Balance::LeastOutstanding, 1), (Balance::RoundRobin, 3)] {
        let mut table = Table::new(Common { ways: 2, balance, ..common() }, 8, BYTES);
        let read = |table: &mut Table<Vec<u8>>, slot| {
            table.submit(&Ask { work: Work::Read, slot, offset_bytes: 0, skip: 0, len: 8 }, Some(vec![0; 8]));
            let way = (0..2).find(|&way| table.has_to_send(way)).expect("it goes somewhere");
            send_over(table, way);
            way
        };
        let first: Vec<usize> = (0..2).map(|slot| read(&mut table, slot)).collect();
        assert_eq!(first, [0, 1]);
        // The first way answers at once from now on, and the second one never.
        let mut on_second = 1;
        for slot in 2..6 {
            let xid = (slot - 1) * TURN;
            if let Some((index, _)) = table.expected(0, xid) {
                table.refuse(index, libc::EIO);
                assert_eq!(table.take_done().count(), 1);
            }
            on_second += read(&mut table, slot);
        }
        assert_eq!(on_second, busy, "{balance:?}");
    }
}

#[test]
fn unknown_numbers_are_passed_over() {
    let body = |out: &mut Vec<u8>| out.extend_from_slice(&[5; 5000]);
    let bytes = [record(body, 0), record(body, u32::MAX), record(body, 2 * TURN), answers()].concat();
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
