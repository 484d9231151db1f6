//! What becomes of requests whose connection is silent or lost.

use std::ops::DerefMut;

use super::{Request, State, Table, Work};
use crate::limits::TRIES_MAX;

impl<B: DerefMut<Target = [u8]>> Table<B> {
    /// Whether a request that was sent over that way before that moment waits for its answer.
    pub fn waits_since(&self, way: usize, before_ns: u64) -> bool {
        self.requests.iter().any(|request| {
            request.way == way && matches!(request.state, State::Sent(since_ns) if since_ns < before_ns)
        })
    }

    /// When the first request was sent over that way that waits for its answer.
    pub fn asked_ns(&self, way: usize) -> Option<u64> {
        let sent = |request: &Request| match request.state {
            State::Sent(since_ns) if request.way == way => Some(since_ns),
            _ => None,
        };
        self.requests.iter().filter_map(sent).min()
    }

    /// When the I/O was first asked for, over whichever way, that waits longest for an answer.
    pub fn unanswered_since_ns(&self) -> Option<u64> {
        let first = |request: &Request| match request.state {
            State::Sent(_) | State::Queued if request.work != Work::Ping => request.first_ns,
            _ => None,
        };
        self.requests.iter().filter_map(first).min()
    }

    /// Whether a request was sent over that way for so long and has no answer, although the way may work. One that was sent again is
    /// waited for twice as long each time.
    pub fn is_overdue(&self, way: usize, late_ns: u64, now_ns: u64) -> bool {
        self.requests.iter().any(|request| match request.state {
            State::Sent(since_ns) if request.way == way => {
                since_ns.saturating_add(late_ns << request.tries.min(8)) < now_ns
            }
            _ => false,
        })
    }

    /// Whether anything was answered over a way since it was last lost, and nothing that was sent twice waits any more.
    pub fn has_caught_up(&self, way: usize) -> bool {
        let waits = |request: &Request| request.state != State::Free && request.tries > 0;
        self.ways.of(way).answered_ns > 0 && !self.requests.iter().any(waits)
    }

    /// A way's connection is gone: what was asked over it is asked over another one, or waits for one. With `limited`, what was asked
    /// often enough has failed with `errno`.
    pub fn start_over(&mut self, way: usize, errno: i32, limited: bool) {
        let own = self.ways.lose(way);
        for index in 0..self.requests.len() as u32 {
            let request = &mut self.requests[index as usize];
            let was_sent = match request.state {
                State::Sent(_) => true,
                State::Queued => own == Some(index),
                _ => continue,
            };
            if request.way != way {
                continue;
            }
            if request.work == Work::Ping {
                self.free_request(index);
            } else if !was_sent {
                self.enqueue(index);
            } else if limited && request.tries + 1 >= TRIES_MAX {
                self.piece_ended(index, errno);
            } else {
                (request.tries, request.again) = (request.tries + 1, true);
                if let Some(slot) = self.slots.get_mut(request.slot as usize) {
                    slot.again = true;
                }
                self.enqueue(index);
            }
        }
    }

    /// Nobody answers any more: all that is under way has failed.
    pub fn give_up(&mut self, errno: i32) {
        self.ways.clear();
        self.unstable.clear();
        self.covered.clear();
        (self.committing, self.put_off) = (false, 0);
        for ask in self.order.give_up() {
            self.slots[ask.slot as usize].errno = errno;
            self.end(ask.slot);
        }
        for index in 0..self.requests.len() as u32 {
            if self.requests[index as usize].state != State::Free {
                self.piece_ended(index, errno);
            }
        }
    }
}
