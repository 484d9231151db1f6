//! A load on a file whose blocks say their number, and what came of it.

use plimsoll_nfs::open::{Found, find};
use plimsoll_nfs::pipe::{Patience, Pipe, Wish};
use plimsoll_nfs::proc::Stable;
use plimsoll_nfs::server::Server;
use plimsoll_nfs::table::{Ask, Done, Work};
use plimsoll_nfs::url::Url;

pub const BLOCK_BYTES: u32 = 8192;
pub const BLOCKS: u64 = 128;
/// Turns of the loop, of at most 50 ms each, after which a load counts as hung.
const TURNS_MAX: u32 = 4000;

/// Contents of one block; never zero, and unlike any other's.
pub fn block(number: u64) -> Vec<u8> {
    (number + 1).to_be_bytes().repeat(BLOCK_BYTES as usize / 8)
}

/// A server with the file `data`, whose blocks say their number.
pub fn served() -> Server {
    served_on(1)
}

/// The same on so many addresses.
pub fn served_on(paths: u8) -> Server {
    let server = Server::start_on(paths).expect("a port is free");
    server.add("data", own_uid(), 0, (0..BLOCKS).flat_map(block).collect());
    server
}

pub fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

pub fn found(server: &Server) -> Found {
    find(&Url::parse(&server.url("/export/data")).expect("the server's own url")).expect("the file is there")
}

pub fn wish() -> Wish {
    let patience = Patience::default();
    Wish { depth: 8, block_bytes_max: 4 * BLOCK_BYTES, stable: Stable::File, writable: true, patience }
}

/// The same for a server that falls silent. A slow machine may take longer than that for an answer: a test counts no more than that
/// a connection was made anew.
pub fn impatient() -> Wish {
    Wish { patience: Patience { answer_ns: 300_000_000, ..Patience::default() }, ..wish() }
}

pub fn opened(server: &Server, wish: &Wish) -> Pipe<Vec<u8>> {
    Pipe::open(found(server), wish).expect("the pipe opens")
}

/// Does I/Os of `blocks` blocks each, one at each of `firsts`, as many at once as the pipe can; the result of each in order, and
/// what its buffer held afterwards.
pub fn perform(
    pipe: &mut Pipe<Vec<u8>>,
    depth: u32,
    work: Work,
    firsts: &[u64],
    blocks: u32,
) -> Vec<(i32, Vec<u8>)> {
    let bytes = blocks * BLOCK_BYTES;
    let mut results = vec![None; firsts.len()];
    let mut free: Vec<u32> = (0..depth).collect();
    let mut which = vec![0; depth as usize];
    let (mut next, mut left) = (0, firsts.len());
    for _ in 0..TURNS_MAX {
        while next < firsts.len()
            && let Some(slot) = free.pop()
        {
            let first = firsts[next];
            let data = match work {
                Work::Write => (first..first + u64::from(blocks)).flat_map(written).collect(),
                _ => vec![0; bytes as usize],
            };
            which[slot as usize] = next;
            let len = if work == Work::Commit { 0 } else { bytes };
            let ask = Ask { work, slot, offset_bytes: first * u64::from(BLOCK_BYTES), skip: 0, len };
            pipe.submit(&ask, Some(data));
            next += 1;
        }
        pipe.reap(u64::MAX, |Done { slot, result, buffer }| {
            let place = &mut results[which[slot as usize]];
            assert!(place.is_none(), "an i/o ends once");
            *place = Some((result, buffer.expect("the buffer comes back")));
            free.push(slot);
            left -= 1;
        });
        if left == 0 {
            return results.into_iter().map(|result| result.expect("each has ended")).collect();
        }
    }
    panic!("{left} i/os hang");
}

/// What a write puts into a block.
pub fn written(number: u64) -> Vec<u8> {
    block(number + 1_000_000)
}

/// Reads every block and sees that each brought what it holds.
pub fn read_all(pipe: &mut Pipe<Vec<u8>>, depth: u32) {
    let firsts: Vec<u64> = (0..BLOCKS).collect();
    for (first, (result, data)) in firsts.iter().zip(perform(pipe, depth, Work::Read, &firsts, 1)) {
        assert_eq!(result, BLOCK_BYTES as i32, "block {first}");
        assert!(data == block(*first), "block {first} brought another one's bytes");
    }
}

/// Writes every block and sees that the server's disk has each.
pub fn write_all(server: &Server, pipe: &mut Pipe<Vec<u8>>, depth: u32) {
    let firsts: Vec<u64> = (0..BLOCKS).collect();
    for (first, (result, _)) in firsts.iter().zip(perform(pipe, depth, Work::Write, &firsts, 1)) {
        assert_eq!(result, BLOCK_BYTES as i32, "block {first}");
    }
    check_written(server);
}

pub fn check_written(server: &Server) {
    let durable = server.durable("data").expect("the file is there");
    for number in 0..BLOCKS {
        let begin = number as usize * BLOCK_BYTES as usize;
        assert!(
            durable[begin..begin + BLOCK_BYTES as usize] == written(number),
            "block {number} is not on the disk"
        );
    }
}
