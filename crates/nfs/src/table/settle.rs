//! What an answer does to the request that it is for: its I/O has ended, goes on, or is asked for again.

use std::ops::DerefMut;

use super::{NOBODY, Request, State, Stretch, Table, Work};
use crate::limits::{JUKEBOX_NS, PUT_OFF_NS_MAX, REWRITES_MAX};
use crate::proc::{Stable, Verifier, Written};
use crate::status;

impl<B: DerefMut<Target = [u8]>> Table<B> {
    /// Notes an answer to nothing that was asked.
    pub fn note_stray(&mut self) {
        self.counts.strays += 1;
    }

    /// How many bytes a READ may bring.
    pub fn wanted_bytes(&self, index: u32) -> u32 {
        self.requests[index as usize].rest.len
    }

    /// Where the bytes `at..at + len` of a READ belong.
    pub fn room(&mut self, index: u32, at: u32, len: u32) -> &mut [u8] {
        let Request { slot, rest, .. } = self.requests[index as usize];
        assert!(at + len <= rest.len, "a read stays within what was asked for");
        let begin = (rest.skip + at) as usize;
        let buffer = self.slots[slot as usize].buffer.as_deref_mut().unwrap_or_default();
        &mut buffer[begin..begin + len as usize]
    }

    /// A READ was answered with so many bytes, which are where they belong.
    pub fn read(&mut self, index: u32, bytes: u32, end: bool) {
        self.note_answer(index, bytes);
        let request = &mut self.requests[index as usize];
        let rest = &mut request.rest;
        (rest.offset_bytes, rest.skip, rest.len) =
            (rest.offset_bytes + u64::from(bytes), rest.skip + bytes, rest.len - bytes);
        if rest.len == 0 {
            return self.piece_ended(index, 0);
        }
        if end {
            let (slot, skip) = (request.slot, rest.skip);
            let slot = &mut self.slots[slot as usize];
            slot.end = slot.end.min(skip);
            return self.piece_ended(index, 0);
        }
        // A server that brings nothing and says that there is more would be asked for ever.
        if bytes == 0 {
            return self.piece_ended(index, libc::EPROTO);
        }
        self.counts.short_reads += 1;
        self.enqueue(index);
    }

    /// A request failed with that status.
    pub fn fail(&mut self, index: u32, failed: u32, now_ns: u64) {
        self.note_answer(index, 0);
        if failed != status::JUKEBOX {
            return self.piece_ended(index, status::errno(failed));
        }
        self.counts.put_off += 1;
        let request = &mut self.requests[index as usize];
        let since_ns = *request.put_off_ns.get_or_insert(now_ns);
        if now_ns.saturating_sub(since_ns) > PUT_OFF_NS_MAX {
            return self.piece_ended(index, status::errno(failed));
        }
        request.state = State::PutOff(now_ns + JUKEBOX_NS);
        self.put_off += 1;
    }

    /// The server did not do what was asked at all.
    pub fn refuse(&mut self, index: u32, errno: i32) {
        self.note_answer(index, 0);
        self.piece_ended(index, errno);
    }

    /// A WRITE was answered.
    pub fn written(&mut self, index: u32, written: Written) {
        self.note_answer(index, written.bytes);
        let request = &mut self.requests[index as usize];
        if written.bytes == 0 || written.bytes > request.rest.len {
            return self.piece_ended(index, libc::EPROTO);
        }
        let less_durable = written.stable < self.common.stable;
        self.counts.less_durable += u64::from(less_durable);
        if less_durable || written.stable == Stable::Unstable {
            if request.verifier.is_some_and(|earlier| earlier != written.verifier) {
                return self.rewrite(index);
            }
            request.verifier = Some(written.verifier);
        }
        let rest = &mut request.rest;
        rest.offset_bytes += u64::from(written.bytes);
        rest.skip += written.bytes;
        rest.len -= written.bytes;
        if rest.len > 0 {
            self.counts.short_writes += 1;
            return self.enqueue(index);
        }
        if request.verifier.is_none() {
            return self.piece_ended(index, 0);
        }
        request.state = State::Unstable;
        self.unstable.push(index);
    }

    /// Writes all of a request again: the server has lost its beginning.
    fn rewrite(&mut self, index: u32) {
        let request = &mut self.requests[index as usize];
        request.rewrites += 1;
        if request.rewrites > REWRITES_MAX {
            return self.piece_ended(index, libc::EIO);
        }
        (request.rest, request.verifier) = (request.whole, None);
        self.counts.rewritten += 1;
        self.enqueue(index);
    }

    /// A COMMIT was answered.
    pub fn committed(&mut self, index: u32, verifier: Verifier) {
        self.note_answer(index, 0);
        self.counts.commits += 1;
        if self.requests[index as usize].slot == NOBODY {
            self.settle_covered(|request| request.verifier == Some(verifier), 0);
        }
        self.piece_ended(index, 0);
    }

    /// Ends the writes that a COMMIT covered: with `errno` where it failed, else well where they are `safe`; all others are
    /// written again.
    fn settle_covered(&mut self, safe: impl Fn(&Request) -> bool, errno: i32) {
        self.committing = false;
        while let Some(index) = self.covered.pop() {
            if errno != 0 || safe(&self.requests[index as usize]) {
                self.piece_ended(index, errno);
            } else {
                self.rewrite(index);
            }
        }
    }

    /// Sends a COMMIT for the writes that wait for one, if none is under way.
    pub fn commit_what_waits(&mut self) {
        if self.committing || self.unstable.is_empty() {
            return;
        }
        std::mem::swap(&mut self.unstable, &mut self.covered);
        for &index in &self.covered {
            self.requests[index as usize].state = State::Covered;
        }
        self.committing = true;
        self.begin(Work::Commit, NOBODY, Stretch { offset_bytes: 0, skip: 0, len: 0 });
    }

    pub(super) fn piece_ended(&mut self, index: u32, errno: i32) {
        let slot = self.requests[index as usize].slot;
        self.free_request(index);
        if slot == NOBODY {
            if errno != 0 {
                self.settle_covered(|_| false, errno);
            }
            return;
        }
        let own = &mut self.slots[slot as usize];
        if own.errno == 0 {
            own.errno = errno;
        }
        own.left -= 1;
        if own.left == 0 {
            self.end(slot);
        }
    }
}
