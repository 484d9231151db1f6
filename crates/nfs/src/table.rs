//! The I/Os that are under way and the requests that they are made of. It knows no socket: a sender takes bytes out of it, a
//! receiver puts answers into it.
//!
//! An I/O that is longer than the server takes at once is several requests at the same time. A write that the server only keeps in
//! memory has ended when a COMMIT that was sent after its answer says that nothing was lost meanwhile; one COMMIT stands for all such
//! writes, and until then their data is at hand to be written again.

mod settle;

use std::collections::VecDeque;
use std::io::IoSlice;
use std::ops::DerefMut;

use crate::limits::{PIECES_SENT_MAX, REQUESTS_MAX, STRAIGHT_BYTES_MIN, TRIES_MAX};
use crate::proc::{self, Handle, Sizes, Stable, Verifier};
use crate::rpc::{LAST_FRAGMENT, begin_call};
use crate::xdr::padding;

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
    slot: u32,
    work: Work,
    state: State,
    /// All of it.
    whole: Stretch,
    /// What is still to be moved.
    rest: Stretch,
    tries: u32,
    rewrites: u32,
    /// Since when the server puts it off.
    put_off_ns: Option<u64>,
    /// Of its first part that is only in the server's memory.
    verifier: Option<Verifier>,
    head: Vec<u8>,
}

impl Request {
    fn is_large_read(&self) -> bool {
        self.work == Work::Read && self.whole.len >= STRAIGHT_BYTES_MIN
    }
}

struct Slot<B> {
    buffer: Option<B>,
    /// Requests that have not ended.
    left: u32,
    begin: u32,
    /// Where the bytes in the buffer end that have been moved without a gap.
    end: u32,
    errno: i32,
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
}

/// All that is under way.
pub struct Table<B> {
    common: Common,
    requests: Vec<Request>,
    free: Vec<u32>,
    slots: Vec<Slot<B>>,
    queue: VecDeque<u32>,
    /// Bytes of the first in the queue that are sent.
    sent_bytes: usize,
    unstable: Vec<u32>,
    covered: Vec<u32>,
    committing: bool,
    put_off: usize,
    /// When the request was sent that was sent last of all that were answered.
    answered_ns: u64,
    /// READs under way that are received straight into their buffer.
    large_reads: usize,
    done: Vec<Done<B>>,
    counts: Counts,
}

/// Pieces that one I/O is cut into.
fn pieces(block_bytes: u32, sizes: Sizes) -> usize {
    block_bytes.max(1).div_ceil(sizes.read_bytes_max.min(sizes.write_bytes_max)) as usize
}

/// Whether so many I/Os of that size can be under way on one connection.
pub fn fits(depth: u32, block_bytes: u32, sizes: Sizes) -> bool {
    (depth as usize).saturating_mul(pieces(block_bytes, sizes)) < REQUESTS_MAX
}

impl<B: DerefMut<Target = [u8]>> Table<B> {
    /// With room for so many I/Os of at most that size, which must [fit](fits).
    pub fn new(common: Common, depth: u32, block_bytes_max: u32) -> Self {
        let requests = depth as usize * pieces(block_bytes_max, common.sizes) + 1;
        assert!(requests <= REQUESTS_MAX, "{requests} requests on one connection");
        let nothing = Stretch { offset_bytes: 0, skip: 0, len: 0 };
        let request = |_| Request {
            xid: u32::from(common.turn) << 16,
            slot: NOBODY,
            work: Work::Read,
            state: State::Free,
            whole: nothing,
            rest: nothing,
            tries: 0,
            rewrites: 0,
            put_off_ns: None,
            verifier: None,
            head: Vec::with_capacity(256 + common.credential.len()),
        };
        let slot = |_| Slot { buffer: None, left: 0, begin: 0, end: 0, errno: 0 };
        Self {
            requests: (0..requests).map(request).collect(),
            free: (0..requests as u32).rev().collect(),
            slots: (0..depth).map(slot).collect(),
            queue: VecDeque::with_capacity(requests),
            sent_bytes: 0,
            unstable: Vec::with_capacity(requests),
            covered: Vec::with_capacity(requests),
            committing: false,
            put_off: 0,
            answered_ns: 0,
            large_reads: 0,
            done: Vec::with_capacity(depth as usize),
            counts: Counts::default(),
            common,
        }
    }

    /// Begins to read or write bytes of the file.
    pub fn submit(&mut self, ask: &Ask, buffer: Option<B>) {
        let Ask { work, slot, offset_bytes, skip, len } = *ask;
        self.slots[slot as usize] = Slot { buffer, left: 0, begin: skip, end: skip + len, errno: 0 };
        if work == Work::Write && !self.common.writable {
            self.slots[slot as usize].errno = libc::EBADF;
            return self.end(slot);
        }
        let sizes = self.common.sizes;
        let piece_bytes = match work {
            Work::Read => sizes.read_bytes_max,
            Work::Write => sizes.write_bytes_max,
            Work::Commit => u32::MAX,
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
        (request.tries, request.rewrites) = (0, 0);
        (request.put_off_ns, request.verifier) = (None, None);
        self.large_reads += usize::from(request.is_large_read());
        self.enqueue(index);
    }

    /// Puts a request, or what is left of it, at the end of the queue, under a new number.
    fn enqueue(&mut self, index: u32) {
        let (request, common) = (&mut self.requests[index as usize], &self.common);
        request.state = State::Queued;
        request.xid = (request.xid.wrapping_add(1 << 16) & !0xffff) | index;
        let Stretch { offset_bytes, len, .. } = request.rest;
        let (head, file) = (&mut request.head, &common.file);
        head.clear();
        head.extend_from_slice(&[0; 4]);
        let data_bytes = match request.work {
            Work::Read => {
                begin_call(head, request.xid, proc::READ, &common.credential);
                proc::put_read(head, file, offset_bytes, len);
                0
            }
            Work::Write => {
                begin_call(head, request.xid, proc::WRITE, &common.credential);
                proc::put_write(head, file, offset_bytes, len, common.stable);
                len as usize
            }
            Work::Commit => {
                begin_call(head, request.xid, proc::COMMIT, &common.credential);
                proc::put_commit(head, file);
                0
            }
        };
        let record_bytes = head.len() - 4 + data_bytes + padding(data_bytes);
        head[..4].copy_from_slice(&(LAST_FRAGMENT | record_bytes as u32).to_be_bytes());
        self.queue.push_back(index);
    }

    /// Whether anything waits to be sent.
    pub fn has_to_send(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.free.len() == self.requests.len()
    }

    /// Whether anything under way is so large that it is worth to be received where it belongs.
    pub fn reads_straight(&self) -> bool {
        self.large_reads > 0
    }

    /// Hands what waits to be sent to `send`, which says how many bytes it took.
    pub fn send_with<E>(
        &mut self,
        now_ns: u64,
        send: impl FnOnce(&[IoSlice]) -> Result<usize, E>,
    ) -> Result<(), E> {
        let mut pieces = [IoSlice::new(&[]); PIECES_SENT_MAX];
        let (mut used, mut skipped) = (0, self.sent_bytes);
        for &index in self.queue.iter().take(PIECES_SENT_MAX / 3) {
            for part in self.parts(index) {
                let passed = skipped.min(part.len());
                skipped -= passed;
                if passed < part.len() {
                    pieces[used] = IoSlice::new(&part[passed..]);
                    used += 1;
                }
            }
        }
        let sent = send(&pieces[..used])?;
        self.note_sent(sent, now_ns);
        Ok(())
    }

    /// Head, data and filler of a request.
    fn parts(&self, index: u32) -> [&[u8]; 3] {
        let request = &self.requests[index as usize];
        if request.work != Work::Write {
            return [&request.head, &[], &[]];
        }
        let buffer = self.slots[request.slot as usize].buffer.as_deref().unwrap_or_default();
        let (begin, len) = (request.rest.skip as usize, request.rest.len as usize);
        [&request.head, &buffer[begin..begin + len], &FILLER[..padding(len)]]
    }

    fn note_sent(&mut self, bytes: usize, now_ns: u64) {
        self.sent_bytes += bytes;
        while let Some(&index) = self.queue.front() {
            let whole: usize = self.parts(index).iter().map(|part| part.len()).sum();
            if self.sent_bytes < whole {
                return;
            }
            self.sent_bytes -= whole;
            self.queue.pop_front();
            self.requests[index as usize].state = State::Sent(now_ns);
        }
    }

    /// The request that waits for the answer of that number, which has come.
    pub fn expected(&mut self, xid: u32) -> Option<(u32, Work)> {
        let index = xid & 0xffff;
        let request = self.requests.get(index as usize)?;
        let State::Sent(since_ns) = request.state else { return None };
        if request.xid != xid {
            return None;
        }
        self.answered_ns = self.answered_ns.max(since_ns);
        Some((index, request.work))
    }

    fn end(&mut self, slot: u32) {
        let own = &mut self.slots[slot as usize];
        let result = if own.errno == 0 { (own.end - own.begin) as i32 } else { -own.errno };
        self.done.push(Done { slot, result, buffer: own.buffer.take() });
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

    /// Whether a request that was sent before that moment waits for its answer.
    pub fn waits_since(&self, before_ns: u64) -> bool {
        let waits =
            |request: &Request| matches!(request.state, State::Sent(since_ns) if since_ns < before_ns);
        self.requests.iter().any(waits)
    }

    /// Whether a request waits for its answer although one that was sent so much later has its own.
    pub fn is_overtaken(&self, late_ns: u64) -> bool {
        let overtaken = |request: &Request| match request.state {
            State::Sent(since_ns) => since_ns.saturating_add(late_ns) < self.answered_ns,
            _ => false,
        };
        self.requests.iter().any(overtaken)
    }

    /// The connection is gone: all that was asked is asked again, or has failed with `errno` where that was done often enough.
    pub fn start_over(&mut self, errno: i32) {
        let sent_in_part = if self.sent_bytes > 0 { self.queue.front().copied() } else { None };
        self.queue.clear();
        self.sent_bytes = 0;
        for index in 0..self.requests.len() as u32 {
            let request = &mut self.requests[index as usize];
            match request.state {
                State::Queued if sent_in_part != Some(index) => self.enqueue(index),
                State::Queued | State::Sent(_) if request.tries + 1 < TRIES_MAX => {
                    request.tries += 1;
                    self.counts.resent += 1;
                    self.enqueue(index);
                }
                State::Queued | State::Sent(_) => self.piece_ended(index, errno),
                _ => {}
            }
        }
    }

    /// Nobody answers any more: all that is under way has failed.
    pub fn give_up(&mut self, errno: i32) {
        self.queue.clear();
        self.sent_bytes = 0;
        self.unstable.clear();
        self.covered.clear();
        (self.committing, self.put_off) = (false, 0);
        for index in 0..self.requests.len() as u32 {
            if self.requests[index as usize].state != State::Free {
                self.piece_ended(index, errno);
            }
        }
    }

    /// What happened on the way.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}
