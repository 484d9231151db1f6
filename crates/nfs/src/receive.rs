//! From the bytes of a connection to answers: records whole or in fragments, many of them in what came at once, and long data
//! received straight where it belongs.

use std::io::{self, IoSliceMut};
use std::ops::DerefMut;

use crate::limits::{
    GATHERED_BYTES_MAX, GATHERED_BYTES_MIN, RECORD_BYTES_MAX, REPLY_HEAD_BYTES_MAX, STAGING_BYTES,
};
use crate::proc::{self, ReadHead};
use crate::rpc::{self, LAST_FRAGMENT, Refusal};
use crate::socket::Wire;
use crate::table::{Table, Work};
use crate::xdr::{Read, Reader, Unread, padding};

/// What came cannot be an answer; nothing behind it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Garbled;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A record's mark comes next.
    Mark,
    /// So much is left of a record of one piece, whose head has not come whole.
    Head(usize),
    /// Data of a READ: so much is there, so much comes; then filler, and whether the file ends.
    Data { request: u32, at: u32, left: u32, end: bool },
    /// Bytes that nobody wants.
    Skip(usize),
    /// So much is left of a fragment, and whether it is the last one.
    Fragment(usize, bool),
    /// The mark of the next fragment.
    NextFragment,
}

/// What a record, or the beginning of one, says.
enum Meaning {
    /// Nobody waits for it.
    Stray,
    /// A READ was done; its data begins after so many bytes.
    Data { request: u32, head: ReadHead, head_bytes: usize },
    /// Everything else; it has been settled.
    Settled,
}

/// The receiving end of one connection.
pub struct Receiver {
    /// Over which way what it receives comes.
    way: usize,
    staging: Vec<u8>,
    begin: usize,
    end: usize,
    state: State,
    /// A record that came in fragments.
    whole: Vec<u8>,
}

impl Default for Receiver {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Receiver {
    /// For one of the ways to a server.
    pub fn new(way: usize) -> Self {
        let staging = vec![0; STAGING_BYTES];
        Self { way, staging, begin: 0, end: 0, state: State::Mark, whole: Vec::new() }
    }

    /// Forgets what came, for a new connection.
    pub fn start_over(&mut self) {
        (self.begin, self.end, self.state) = (0, 0, State::Mark);
        self.whole.clear();
    }

    /// Receives once and settles all that is complete. The bytes that came, 0 at the end of the connection; `InvalidData` where they
    /// cannot be answers.
    pub fn receive<B: DerefMut<Target = [u8]>>(
        &mut self,
        wire: &mut impl Wire,
        table: &mut Table<B>,
        patient: bool,
        now_ns: impl FnOnce() -> u64,
    ) -> io::Result<usize> {
        let came = self.bring(wire, table, patient)?;
        let now_ns = now_ns();
        table.tell_time(now_ns);
        self.settle(table, now_ns).map_err(|Garbled| io::Error::from(io::ErrorKind::InvalidData))?;
        Ok(came)
    }

    fn bring<B: DerefMut<Target = [u8]>>(
        &mut self,
        wire: &mut impl Wire,
        table: &mut Table<B>,
        patient: bool,
    ) -> io::Result<usize> {
        self.staging.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        // Fragments are put together anyway, so that nothing is won by receiving little.
        let in_fragments = matches!(self.state, State::Fragment(..) | State::NextFragment);
        let straight = table.reads_straight(self.way) && !in_fragments;
        let room_bytes = if straight { self.end + REPLY_HEAD_BYTES_MAX } else { self.staging.len() };
        let room = &mut self.staging[self.end..room_bytes];
        let State::Data { request, at, left, end } = self.state else {
            let came = wire.receive(&mut [IoSliceMut::new(room)], patient)?;
            self.end += came;
            return Ok(came);
        };
        // A read that is alone is copied while it comes, so that it ends sooner.
        let gathers = patient && left as usize >= GATHERED_BYTES_MIN && table.reads_more(self.way);
        if gathers {
            wire.gather((left as usize).min(GATHERED_BYTES_MAX))?;
        }
        let data = table.room(request, at, left);
        let came = wire.receive(&mut [IoSliceMut::new(data), IoSliceMut::new(room)], patient && !gathers)?;
        let direct = came.min(left as usize);
        self.end += came - direct;
        self.state = State::Data { request, at: at + direct as u32, left: left - direct as u32, end };
        Ok(came)
    }

    fn settle<B: DerefMut<Target = [u8]>>(
        &mut self,
        table: &mut Table<B>,
        now_ns: u64,
    ) -> Result<(), Garbled> {
        while self.step(table, now_ns)? {}
        Ok(())
    }

    /// Goes one step on with what came; false when more has to come first.
    fn step<B: DerefMut<Target = [u8]>>(
        &mut self,
        table: &mut Table<B>,
        now_ns: u64,
    ) -> Result<bool, Garbled> {
        let there = self.end - self.begin;
        match self.state {
            State::Mark | State::NextFragment => self.mark(),
            State::Head(left) => self.head(left, table, now_ns),
            State::Data { request, at, left, end } => {
                let part = there.min(left as usize);
                table.room(request, at, part as u32).copy_from_slice(self.taken(part));
                let (at, left) = (at + part as u32, left - part as u32);
                self.state = State::Data { request, at, left, end };
                if left == 0 {
                    table.read(request, at, end);
                    self.state = State::Skip(padding(at as usize));
                }
                Ok(left == 0)
            }
            State::Skip(left) => {
                let part = there.min(left);
                self.taken(part);
                self.state = if part == left { State::Mark } else { State::Skip(left - part) };
                Ok(part == left)
            }
            State::Fragment(left, last) => {
                let part = there.min(left);
                self.whole.extend_from_slice(&self.staging[self.begin..self.begin + part]);
                self.begin += part;
                self.state = State::Fragment(left - part, last);
                if part < left {
                    return Ok(false);
                }
                self.state = if last { State::Mark } else { State::NextFragment };
                if last {
                    self.whole_record(table, now_ns)?;
                }
                Ok(true)
            }
        }
    }

    fn taken(&mut self, bytes: usize) -> &[u8] {
        self.begin += bytes;
        &self.staging[self.begin - bytes..self.begin]
    }

    fn mark(&mut self) -> Result<bool, Garbled> {
        if self.end - self.begin < 4 {
            return Ok(false);
        }
        let mark = u32::from_be_bytes(self.taken(4).try_into().expect("four bytes were taken"));
        let (bytes, last) = ((mark & !LAST_FRAGMENT) as usize, mark & LAST_FRAGMENT != 0);
        if self.state == State::Mark {
            self.whole.clear();
        }
        if self.whole.len() + bytes > RECORD_BYTES_MAX {
            return Err(Garbled);
        }
        let single = self.state == State::Mark && last;
        self.state = if single { State::Head(bytes) } else { State::Fragment(bytes, last) };
        Ok(true)
    }

    fn head<B: DerefMut<Target = [u8]>>(
        &mut self,
        left: usize,
        table: &mut Table<B>,
        now_ns: u64,
    ) -> Result<bool, Garbled> {
        let there = (self.end - self.begin).min(left);
        let bytes = &self.staging[self.begin..self.begin + there];
        match meaning(self.way, bytes, left, table, now_ns) {
            Err(Unread::Short) if there < left && there < REPLY_HEAD_BYTES_MAX => Ok(false),
            Err(_) => Err(Garbled),
            Ok(Meaning::Stray) => {
                table.note_stray();
                self.state = State::Skip(left);
                Ok(true)
            }
            Ok(Meaning::Data { request, head, head_bytes }) => {
                self.begin += head_bytes;
                self.state = State::Data { request, at: 0, left: head.data_bytes, end: head.end };
                Ok(true)
            }
            Ok(Meaning::Settled) => {
                self.begin += left;
                self.state = State::Mark;
                Ok(true)
            }
        }
    }

    fn whole_record<B: DerefMut<Target = [u8]>>(
        &mut self,
        table: &mut Table<B>,
        now_ns: u64,
    ) -> Result<(), Garbled> {
        match meaning(self.way, &self.whole, self.whole.len(), table, now_ns) {
            Err(_) => return Err(Garbled),
            Ok(Meaning::Stray) => table.note_stray(),
            Ok(Meaning::Settled) => {}
            Ok(Meaning::Data { request, head, head_bytes }) => {
                let data = &self.whole[head_bytes..head_bytes + head.data_bytes as usize];
                table.room(request, 0, head.data_bytes).copy_from_slice(data);
                table.read(request, head.data_bytes, head.end);
            }
        }
        Ok(())
    }
}

/// What the beginning of a record of so many bytes says, and settles it where it brings no data. `Short` when more must come.
fn meaning<B: DerefMut<Target = [u8]>>(
    way: usize,
    bytes: &[u8],
    record_bytes: usize,
    table: &mut Table<B>,
    now_ns: u64,
) -> Read<Meaning> {
    let mut reader = Reader::new(bytes);
    let (xid, outcome) = rpc::read_reply(&mut reader)?;
    let Some((request, work)) = table.expected(way, xid) else { return Ok(Meaning::Stray) };
    let answer = match (outcome, work) {
        // Whatever is said to it, somebody is there.
        (_, Work::Ping) => Ok(Answer::There),
        (Err(refusal), _) => Err(Err(refusal)),
        (Ok(()), Work::Read) => match proc::read_head(&mut reader)? {
            Ok(head) => {
                let head_bytes = bytes.len() - reader.left();
                let data_bytes = head.data_bytes as usize;
                let whole = head_bytes + data_bytes + padding(data_bytes) == record_bytes;
                if !whole || head.data_bytes > table.wanted_bytes(request) {
                    return Err(Unread::Bad);
                }
                return Ok(Meaning::Data { request, head, head_bytes });
            }
            Err(status) => Err(Ok(status)),
        },
        (Ok(()), Work::Write) => match proc::read_written(&mut reader)? {
            Ok(written) => Ok(Answer::Written(written)),
            Err(status) => Err(Ok(status)),
        },
        (Ok(()), Work::Commit) => match proc::read_committed(&mut reader)? {
            Ok(verifier) => Ok(Answer::Committed(verifier)),
            Err(status) => Err(Ok(status)),
        },
    };
    // An answer without data ends where its record does.
    if bytes.len() - reader.left() != record_bytes {
        return Err(Unread::Bad);
    }
    settle(table, request, answer, now_ns);
    Ok(Meaning::Settled)
}

enum Answer {
    There,
    Written(proc::Written),
    Committed(proc::Verifier),
}

fn settle<B: DerefMut<Target = [u8]>>(
    table: &mut Table<B>,
    request: u32,
    answer: Result<Answer, Result<u32, Refusal>>,
    now_ns: u64,
) {
    match answer {
        Ok(Answer::There) => table.pinged(request),
        Ok(Answer::Written(written)) => table.written(request, written),
        Ok(Answer::Committed(verifier)) => table.committed(request, verifier),
        Err(Ok(status)) => table.fail(request, status, now_ns),
        Err(Err(refusal)) => table.refuse(request, refusal.errno()),
    }
}
