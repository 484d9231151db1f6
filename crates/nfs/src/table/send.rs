//! Requests as bytes, and which of them are sent.

use std::io::IoSlice;
use std::ops::DerefMut;

use super::{FILLER, State, Stretch, TURN, Table, Work};
use crate::limits::PIECES_SENT_MAX;
use crate::proc;
use crate::rpc::{LAST_FRAGMENT, begin_call};
use crate::xdr::padding;

impl<B: DerefMut<Target = [u8]>> Table<B> {
    /// Makes the bytes of a request, or of what is left of it, under a new number.
    pub(super) fn encode(&mut self, index: u32) {
        let (request, common) = (&mut self.requests[index as usize], &self.common);
        request.state = State::Queued;
        request.xid = (request.xid.wrapping_add(TURN) & !(TURN - 1)) | index;
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
            Work::Ping => {
                begin_call(head, request.xid, proc::NULL, &common.credential);
                0
            }
        };
        let record_bytes = head.len() - 4 + data_bytes + padding(data_bytes);
        head[..4].copy_from_slice(&(LAST_FRAGMENT | record_bytes as u32).to_be_bytes());
    }

    /// Hands what waits to be sent over a way to `send`, which says how many bytes it took.
    pub fn send_with<E>(
        &mut self,
        way: usize,
        now_ns: u64,
        send: impl FnOnce(&[IoSlice]) -> Result<usize, E>,
    ) -> Result<(), E> {
        let mut pieces = [IoSlice::new(&[]); PIECES_SENT_MAX];
        let (mut used, mut skipped) = (0, self.ways.of(way).sent_bytes);
        for &index in self.ways.of(way).queue.iter().take(PIECES_SENT_MAX / 3) {
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
        self.note_sent(way, sent, now_ns);
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

    fn note_sent(&mut self, way: usize, bytes: usize, now_ns: u64) {
        self.ways.of_mut(way).sent_bytes += bytes;
        while let Some(&index) = self.ways.of(way).queue.front() {
            let whole: usize = self.parts(index).iter().map(|part| part.len()).sum();
            let own = self.ways.of_mut(way);
            let request = &mut self.requests[index as usize];
            if own.sent_bytes > 0 {
                request.first_ns.get_or_insert(now_ns);
            }
            if own.sent_bytes < whole {
                return;
            }
            own.sent_bytes -= whole;
            own.queue.pop_front();
            request.state = State::Sent(now_ns);
            self.counts.resent += u64::from(std::mem::take(&mut request.again));
        }
    }
}
