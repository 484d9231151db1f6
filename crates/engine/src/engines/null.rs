//! Completes every I/O at once without doing it: what remains is our own cost.

use super::{Engine, Kind, Opened, Setup};
use crate::clock::{Clock, RealClock};
use crate::error::Result;
use crate::io::Io;
use crate::limits::ATTENTION_NS_MAX;
use crate::sys::completion::Completion;
use crate::sys::memory::Buffer;

/// Registry entry.
pub struct Null;

impl Kind for Null {
    fn name(&self) -> &'static str {
        "null"
    }

    fn title(&self) -> &'static str {
        "does nothing, measures ourselves"
    }

    fn help(&self) -> &'static str {
        "Every I/O completes at once and moves no byte, so the CPU time per I/O is the cost of the tool \
         itself. The target is never opened."
    }

    fn real(&self) -> bool {
        false
    }

    fn open(&self, setup: &Setup) -> Result<Opened> {
        Ok(Opened::real(Box::new(State { taken: Vec::with_capacity(setup.depth as usize) }), Vec::new()))
    }
}

struct State {
    taken: Vec<Completion>,
}

impl Engine for State {
    fn submit(&mut self, io: &Io, buffer: Option<Buffer>) {
        self.taken.push(Completion { slot: io.slot, result: io.len_bytes as i32, buffer });
    }

    fn reap(&mut self, deadline_ns: u64, done: &mut Vec<Completion>) -> Result<()> {
        if self.taken.is_empty() {
            idle_until(deadline_ns);
        }
        done.append(&mut self.taken);
        Ok(())
    }
}

/// Sleeps until the deadline, or for as long as a thread may be out of reach.
pub(super) fn idle_until(deadline_ns: u64) {
    let attention_ns = RealClock.now_ns() + ATTENTION_NS_MAX;
    RealClock.sleep_until(deadline_ns.min(attention_ns));
}
