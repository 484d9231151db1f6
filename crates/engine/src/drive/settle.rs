//! What a lane does with an I/O that came back: record it, flush after it, go on with its rest, or count it as failed.

use super::{Driver, Slot};
use crate::control::Halt;
use crate::error::errno_text;
use crate::io::{Action, Io};
use crate::limits::{FAILED_IOS_MAX, IO_ERRORS_KEPT_MAX};
use crate::result::IoError;
use crate::spec::ClassSpec;
use crate::sys::completion::Completion;

impl Driver<'_> {
    #[inline]
    pub(super) fn settle(&mut self, completion: Completion, now_ns: u64) {
        let Completion { slot, result, buffer } = completion;
        if let Some(home) = self.buffers.get_mut(slot as usize) {
            *home = buffer;
        }
        let entry = &mut self.slots[slot as usize];
        if result > 0 {
            self.totals.moved.note(entry.io.action, result as u64);
        }
        if result == entry.io.len_bytes as i32 {
            entry.done_bytes += result as u32;
            if entry.io.action != Action::Read && self.flushes(slot) {
                return;
            }
            return self.succeed(slot, now_ns);
        }
        if result > 0 && self.resubmit(slot, result as u32) {
            return;
        }
        self.fail(slot, result);
    }

    /// Makes a class's writes durable after so many of them; the last one lasts until that is done.
    fn flushes(&mut self, slot: u32) -> bool {
        let entry = &mut self.slots[slot as usize];
        let class = &mut self.classes[entry.class as usize];
        let Some(flush) = class.spec.flush.filter(|_| !matches!(entry.io.action, Action::Flush(_))) else {
            return false;
        };
        class.unflushed += 1;
        if class.unflushed < flush.every {
            return false;
        }
        class.unflushed = 0;
        entry.io = Io { action: Action::Flush(flush.call), len_bytes: 0, ..entry.io };
        let io = entry.io;
        self.hand_over(&io);
        true
    }

    /// A slot is free again.
    #[inline]
    fn release(&mut self, slot: u32, now_ns: u64) {
        let client = &mut self.clients[self.slots[slot as usize].client as usize];
        client.free.push(slot);
        self.in_flight -= 1;
        if client.think_ns > 0 && !self.closed {
            client.not_before_ns = now_ns.saturating_add(client.think_ns);
        }
    }

    #[inline]
    fn succeed(&mut self, slot: u32, now_ns: u64) {
        self.release(slot, now_ns);
        let Slot { intended_ns, submitted_ns, block, done_bytes, class, short, .. } =
            self.slots[slot as usize];
        self.totals.ios += 1;
        self.totals.failed_in_a_row = 0;
        self.totals.bytes += u64::from(done_bytes);
        if self.in_time {
            self.recorder.note_completed(class);
        }
        let Some(tally) = self.recorder.tally(class, intended_ns) else { return };
        if tally.ios == 0 {
            tally.first_ns = now_ns;
        }
        tally.ios += 1;
        tally.last_ns = now_ns;
        tally.bytes += u64::from(done_bytes);
        tally.short_ios += u64::from(short);
        tally.visited.insert(block);
        tally.latency.record((now_ns - intended_ns).max(1));
        if let Some(service) = &mut tally.service {
            service.record((now_ns - submitted_ns).max(1));
        }
    }

    /// Asks for the rest of a short I/O, from the last boundary that the target accepts; false when nothing would be
    /// gained.
    #[cold]
    fn resubmit(&mut self, slot: u32, moved_bytes: u32) -> bool {
        let slot = &mut self.slots[slot as usize];
        let target = self.targets.get(slot.io.target as usize);
        let unit = target.map_or(1, |target| target.alignment.offset_bytes);
        let gained = moved_bytes / unit * unit;
        if gained == 0 || gained >= slot.io.len_bytes {
            return false;
        }
        slot.short = true;
        slot.done_bytes += gained;
        slot.io.offset_bytes += u64::from(gained);
        slot.io.skip_bytes += gained;
        slot.io.len_bytes -= gained;
        let io = slot.io;
        self.hand_over(&io);
        true
    }

    #[cold]
    pub(super) fn fail(&mut self, slot: u32, result: i32) {
        self.release(slot, self.clock.now_ns());
        let slot = self.slots[slot as usize];
        self.totals.errors += 1;
        if let Some(tally) = self.recorder.tally(slot.class, slot.intended_ns) {
            tally.errors += 1;
            tally.short_ios += u64::from(slot.short);
        }
        if self.totals.io_errors.len() < IO_ERRORS_KEPT_MAX {
            let class = self.classes[slot.class as usize].spec;
            self.totals.io_errors.push(io_error(class, slot.io.offset_bytes, result));
        }
        self.totals.failed_in_a_row += 1;
        if self.totals.failed_in_a_row >= FAILED_IOS_MAX || self.engine.is_gone() {
            self.control.halt(Halt::Failing);
        }
    }
}

fn io_error(class: &ClassSpec, offset: u64, result: i32) -> IoError {
    let (errno, message) = if result < 0 {
        (Some(-result), errno_text(&std::io::Error::from_raw_os_error(-result)))
    } else {
        (None, "the target ended before the block did".to_owned())
    };
    IoError { class: class.name.clone(), op: class.op.as_str(), offset, errno, message }
}
