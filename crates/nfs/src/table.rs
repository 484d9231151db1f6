//! The I/Os that are under way and the requests that they are made of. It knows no socket: a sender takes bytes out of it, a
//! receiver puts answers into it.
//!
//! An I/O that is longer than the server takes at once is several requests at the same time. A write that the server only keeps in
//! memory has ended when a COMMIT that was sent after its answer says that nothing was lost meanwhile; one COMMIT stands for all such
//! writes, and until then their data is at hand to be written again.
//!
//! A request goes over one of the [ways] to the server; what had no answer when a way was lost goes over another one, or waits for
//! one. Writes to the same bytes follow each other ([order]).

mod lost;
mod order;
mod send;
mod settle;
pub mod ways;

use std::ops::DerefMut;

use crate::limits::{DOUBT_NS, PATHS_MAX, REQUESTS_MAX, STRAIGHT_BYTES_MIN};
use crate::proc::{Handle, Sizes, Stable, Verifier};

use order::Order;
use ways::{Balance, Ways};

/// The slot of a COMMIT that belongs to no single I/O.
const NOBODY: u32 = u32::MAX;
const FILLER: [u8; 3] = [0; 3];

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Brings bytes.
    Read,
    /// Takes bytes.
    Write,
    /// Makes what was taken durable.
    Commit,
    /// Does nothing: whether anybody is there (NULL).
    Ping,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    /// Waits for its turn to be sent, perhaps in part.
    Queued,
    /// Waits for its answer since then.
    Sent(u64),
    /// Was put off by the server, and is asked again then.
    PutOff(u64),
    /// Was written, and no COMMIT that covers it is under way.
    Unstable,
    /// The COMMIT under way covers it.
    Covered,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    offset_bytes: u64,
    /// Where in the buffer.
    skip: u32,
    len: u32,
}

#[derive(Debug)]
struct Request {
    xid: u32,
    /// Over which way it goes.
    way: usize,
    /// Whether it was sent before, over a connection that was lost.
    again: bool,
    slot: u32,
    work: Work,
    state: State,
    /// All of it.
    whole: Stretch,
    /// What is still to be moved.
    rest: Stretch,
    tries: u32,
    rewrites: u32,
    /// When the first of its bytes were sent first, over whichever way.
    first_ns: Option<u64>,
    /// Since when the server puts it off.
    put_off_ns: Option<u64>,
    /// Of its first part that is only in the server's memory.
    verifier: Option<Verifier>,
    head: Vec<u8>,
}

impl Request {
    fn is_large_read(&self) -> bool {
        is_large_read(self.work, self.whole)
    }
}

fn is_large_read(work: Work, whole: Stretch) -> bool {
    work == Work::Read && whole.len >= STRAIGHT_BYTES_MIN
}

struct Slot<B> {
    buffer: Option<B>,
    /// Requests that have not ended.
    left: u32,
    begin: u32,
    /// Where the bytes in the buffer end that have been moved without a gap.
    end: u32,
    errno: i32,
    /// First byte in the file, where it is a write whose bytes are claimed.
    claimed: Option<u64>,
    /// Whether any of it was sent over a connection that was lost.
    again: bool,
}

/// An I/O to be done.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// What it does.
    pub work: Work,
    /// Which slot it occupies until it has ended.
    pub slot: u32,
    /// First byte in the file.
    pub offset_bytes: u64,
    /// First byte in its buffer.
    pub skip: u32,
    /// How many bytes.
    pub len: u32,
}

/// An I/O that has ended.
#[derive(Debug)]
pub struct Done<B> {
    /// Its slot.
    pub slot: u32,
    /// Bytes moved, or a negative error number.
    pub result: i32,
    /// Its memory.
    pub buffer: Option<B>,
}

/// What happened on the way that latencies do not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Reads that brought less than was asked for, and were continued.
    pub short_reads: u64,
    /// Writes of which the server took less than was asked for, and that were continued.
    pub short_writes: u64,
    /// Requests that the server put off (NFS3ERR_JUKEBOX).
    pub put_off: u64,
    /// Blocks that were written again because the server had lost them.
    pub rewritten: u64,
    /// Requests that were sent again after a connection was lost.
    pub resent: u64,
    /// COMMITs that were answered.
    pub commits: u64,
    /// Answers to nothing that was asked.
    pub strays: u64,
    /// Writes that the server took less durably than it was asked to.
    pub less_durable: u64,
    /// Writes that waited for an earlier one to the same bytes.
    pub held: u64,
}

/// What all requests have in common.
pub struct Common {
    /// The file.
    pub file: Handle,
    /// Who asks.
    pub credential: Vec<u8>,
    /// What the server takes at once.
    pub sizes: Sizes,
    /// How durable a write is to be when it is answered.
    pub stable: Stable,
    /// Whether anything may be written.
    pub writable: bool,
    /// Where numbers of requests begin, so that a server that remembers answers does not take them for those of another run.
    pub turn: u16,
    /// Over how many ways it is asked.
    pub ways: usize,
    /// How requests are dealt out to them.
    pub balance: Balance,
}

/// All that is under way.
pub struct Table<B> {
    common: Common,
    requests: Vec<Request>,
    free: Vec<u32>,
    slots: Vec<Slot<B>>,
    ways: Ways,
    order: Order,
    unstable: Vec<u32>,
    covered: Vec<u32>,
    committing: bool,
    put_off: usize,
    /// The time, as far as it has been told.
    now_ns: u64,
    done: Vec<Done<B>>,
    counts: Counts,
}

/// Pieces that one I/O is cut into.
fn pieces(block_bytes: u32, sizes: Sizes) -> usize {
    block_bytes.max(1).div_ceil(sizes.read_bytes_max.min(sizes.write_bytes_max)) as usize
}

/// One bit above the number of a request in a transaction number; what stands above counts how often it was used.
pub const TURN: u32 = REQUESTS_MAX as u32;

/// Whether so many I/Os of that size can be told apart.
pub fn fits(depth: u32, block_bytes: u32, sizes: Sizes) -> bool {
    (depth as usize).saturating_mul(pieces(block_bytes, sizes)) + 1 + PATHS_MAX <= REQUESTS_MAX
}

impl<B: DerefMut<Target = [u8]>> Table<B> {
    /// With room for so many I/Os of at most that size, which must [fit](fits).
    pub fn new(common: Common, depth: u32, block_bytes_max: u32) -> Self {
        let requests = depth as usize * pieces(block_bytes_max, common.sizes) + 1 + PATHS_MAX;
        assert!(requests <= REQUESTS_MAX, "{requests} requests at once");
        let nothing = Stretch { offset_bytes: 0, skip: 0, len: 0 };
        let request = |_| Request {
            xid: u32::from(common.turn).wrapping_mul(TURN),
            way: 0,
            again: false,
            slot: NOBODY,
            work: Work::Read,
            state: State::Free,
            whole: nothing,
            rest: nothing,
            tries: 0,
            rewrites: 0,
            first_ns: None,
            put_off_ns: None,
            verifier: None,
            head: Vec::with_capacity(256 + common.credential.len()),
        };
        let slot =
            |_| Slot { buffer: None, left: 0, begin: 0, end: 0, errno: 0, claimed: None, again: false };
        Self {
            requests: (0..requests).map(request).collect(),
            free: (0..requests as u32).rev().collect(),
            slots: (0..depth).map(slot).collect(),
            ways: Ways::new(common.ways, common.balance, requests),
            order: Order::new(depth as usize),
            unstable: Vec::with_capacity(requests),
            covered: Vec::with_capacity(requests),
            committing: false,
            put_off: 0,
            now_ns: 0,
            done: Vec::with_capacity(depth as usize),
            counts: Counts::default(),
            common,
        }
    }

    /// Begins to read or write bytes of the file; a write waits while an earlier one to the same bytes is under way.
    pub fn submit(&mut self, ask: &Ask, buffer: Option<B>) {
        let Ask { work, slot, offset_bytes, skip, len } = *ask;
        let own = &mut self.slots[slot as usize];
        *own = Slot { buffer, left: 0, begin: skip, end: skip + len, errno: 0, claimed: None, again: false };
        if work != Work::Write {
            return self.cut(ask);
        }
        if !self.common.writable {
            own.errno = libc::EBADF;
            return self.end(slot);
        }
        if self.order.claim_or_wait(ask) {
            self.slots[slot as usize].claimed = Some(offset_bytes);
            return self.cut(ask);
        }
        self.counts.held += 1;
    }

    /// Makes the requests that an I/O consists of.
    fn cut(&mut self, ask: &Ask) {
        let Ask { work, slot, offset_bytes, skip, len } = *ask;
        let sizes = self.common.sizes;
        let piece_bytes = match work {
            Work::Read => sizes.read_bytes_max,
            Work::Write => sizes.write_bytes_max,
            Work::Commit | Work::Ping => u32::MAX,
        };
        let mut at = 0;
        loop {
            let stretch = Stretch {
                offset_bytes: offset_bytes + u64::from(at),
                skip: skip + at,
                len: (len - at).min(piece_bytes),
            };
            self.slots[slot as usize].left += 1;
            self.begin(work, slot, stretch);
            at += stretch.len;
            if at >= len {
                return;
            }
        }
    }

    fn begin(&mut self, work: Work, slot: u32, whole: Stretch) {
        let index = self.free.pop().expect("there is a request for each piece of each i/o");
        let request = &mut self.requests[index as usize];
        (request.slot, request.work, request.whole, request.rest) = (slot, work, whole, whole);
        (request.tries, request.rewrites, request.again) = (0, 0, false);
        (request.first_ns, request.put_off_ns, request.verifier) = (None, None, None);
        self.enqueue(index);
    }

    /// Puts a request, or what is left of it, at the end of a way's queue.
    fn enqueue(&mut self, index: u32) {
        self.encode(index);
        let request = &mut self.requests[index as usize];
        request.way = self.ways.put(index, request.is_large_read());
    }

    /// Whether anything waits to be sent over a way.
    pub fn has_to_send(&self, way: usize) -> bool {
        !self.ways.of(way).queue.is_empty()
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.free.len() == self.requests.len() && self.order.is_empty()
    }

    /// Whether anything asked over a way is so large that it is worth to be received where it belongs.
    pub fn reads_straight(&self, way: usize) -> bool {
        self.ways.of(way).large_reads > 0
    }

    /// Whether more than one so large is asked over it.
    pub fn reads_more(&self, way: usize) -> bool {
        self.ways.of(way).large_reads > 1
    }

    /// The request that waits for the answer of that number, which has come over that way.
    pub fn expected(&mut self, way: usize, xid: u32) -> Option<(u32, Work)> {
        let index = xid & (TURN - 1);
        let request = self.requests.get(index as usize)?;
        let State::Sent(since_ns) = request.state else { return None };
        if request.xid != xid || request.way != way {
            return None;
        }
        if request.work != Work::Ping {
            self.ways.note_answer(way, since_ns);
        }
        Some((index, request.work))
    }

    fn end(&mut self, slot: u32) {
        let own = &mut self.slots[slot as usize];
        let result = if own.errno == 0 { (own.end - own.begin) as i32 } else { -own.errno };
        let claimed = own.claimed.take();
        let free_ns = if own.again { self.now_ns + DOUBT_NS } else { 0 };
        self.done.push(Done { slot, result, buffer: own.buffer.take() });
        if let Some(begin) = claimed {
            self.order.release(begin, free_ns);
            self.begin_what_waited();
        }
    }

    /// Begins writes that waited for bytes that are free by now.
    fn begin_what_waited(&mut self) {
        while let Some(ask) = self.order.next() {
            self.slots[ask.slot as usize].claimed = Some(ask.offset_bytes);
            self.cut(&ask);
        }
    }

    /// Tells the time; answers that come next came then.
    pub fn tell_time(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
    }

    /// The time that was told last.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// I/Os that have ended since they were asked for last.
    pub fn take_done(&mut self) -> std::vec::Drain<'_, Done<B>> {
        self.done.drain(..)
    }

    /// Whether any has ended.
    pub fn has_done(&self) -> bool {
        !self.done.is_empty()
    }

    /// Asks again for what the server put off until now.
    pub fn wake(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
        if self.order.forget_doubts(now_ns) {
            self.begin_what_waited();
        }
        if self.put_off == 0 {
            return;
        }
        for index in 0..self.requests.len() {
            if matches!(self.requests[index].state, State::PutOff(until_ns) if until_ns <= now_ns) {
                self.put_off -= 1;
                self.enqueue(index as u32);
            }
        }
    }

    /// What happened on the way.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}
