//! The kernel's older asynchronous interface (linux/aio_abi.h) by its four system calls, with the buffers of the I/Os that
//! are under way. The kernel keeps pointers into those, so nobody else has them meanwhile, and the queue waits for them
//! before it lets go.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

use super::batch::Batch;
use super::memory::{Buffer, Lent};
use crate::clock::{Clock, RealClock};
use crate::io::FlushCall;
use crate::io::{Action, Io};
use crate::sys::completion::Completion;

/// So many I/Os go to the kernel at once; as with the ring, more would leave a device idle while the next are prepared.
const SUBMIT_BATCH: usize = Batch::LEN_MAX;
/// How long a queue that is dropped waits for I/Os that are under way, and how long at once.
const DRAIN_NS_MAX: u64 = 10_000_000_000;
const DRAIN_WAIT_NS: u64 = 100_000_000;

const CMD_PREAD: u16 = 0;
const CMD_PWRITE: u16 = 1;
const CMD_FSYNC: u16 = 2;
const CMD_FDSYNC: u16 = 3;

/// struct iocb on a little-endian machine; on a big-endian one the kernel swaps `key` and `rw_flags`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct ControlBlock {
    data: u64,
    #[cfg(target_endian = "little")]
    key: u32,
    rw_flags: i32,
    #[cfg(target_endian = "big")]
    key: u32,
    opcode: u16,
    priority: i16,
    file: u32,
    buffer: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    eventfd: u32,
}

/// struct io_event.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Event {
    data: u64,
    block: u64,
    result: i64,
    result2: i64,
}

/// A context of the kernel.
struct Context(libc::c_ulong);

impl Context {
    fn new(depth: u32) -> io::Result<Self> {
        let mut id: libc::c_ulong = 0;
        // SAFETY: the call writes one number, to `id`.
        let result = unsafe { libc::syscall(libc::SYS_io_setup, libc::c_ulong::from(depth), &raw mut id) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(Self(id)) }
    }

    /// How many of the blocks the kernel took, from the first; an error is the first one's.
    ///
    /// # Safety
    /// The buffers named in the blocks must live until their events were taken.
    unsafe fn submit(&self, blocks: &[*mut ControlBlock]) -> io::Result<usize> {
        // SAFETY: `blocks` holds that many pointers to blocks of the kernel's layout; the rest is the caller's promise.
        let result = unsafe {
            libc::syscall(libc::SYS_io_submit, self.0, blocks.len() as libc::c_long, blocks.as_ptr())
        };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as usize) }
    }

    fn events(&self, want: usize, events: &mut [Event], patience_ns: u64) -> io::Result<usize> {
        let patience = Duration::from_nanos(patience_ns);
        let mut timeout = libc::timespec {
            tv_sec: patience.as_secs() as libc::time_t,
            tv_nsec: patience.subsec_nanos().into(),
        };
        // SAFETY: the kernel writes at most `events.len()` events of its own layout, and reads one timespec.
        let result = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.0,
                want as libc::c_long,
                events.len() as libc::c_long,
                events.as_mut_ptr(),
                &raw mut timeout,
            )
        };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as usize) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is this value's own, and nobody uses it any more.
        unsafe {
            libc::syscall(libc::SYS_io_destroy, self.0);
        }
    }
}

/// Whether the kernel has the interface and grants one I/O.
pub fn probe() -> io::Result<()> {
    Context::new(1).map(drop)
}

/// A queue of asynchronous I/Os.
pub struct Queue {
    context: Option<Context>,
    /// Of each slot the buffer, while its I/O is queued or under way.
    lent: Vec<Option<Lent>>,
    files: Vec<i32>,
    /// One for each slot.
    blocks: Vec<ControlBlock>,
    /// What came since the last submission.
    batch: Batch,
    /// Slots whose blocks the kernel has not taken yet.
    queued: Vec<u32>,
    events: Vec<Event>,
    /// I/Os that ended before they began.
    refused: Vec<Completion>,
    /// I/Os that the kernel works on.
    in_flight: usize,
}

impl Queue {
    /// A queue for `depth` I/Os on `files`. With `merge` the kernel may make one of neighbouring I/Os.
    pub fn open(files: &[&File], depth: u32, merge: bool) -> io::Result<Self> {
        let slots = depth as usize;
        Ok(Self {
            context: Some(Context::new(depth)?),
            lent: (0..depth).map(|_| None).collect(),
            files: files.iter().map(|file| file.as_raw_fd()).collect(),
            blocks: vec![ControlBlock::default(); slots],
            batch: Batch::new(SUBMIT_BATCH, merge),
            queued: Vec::with_capacity(slots),
            events: vec![Event::default(); slots],
            refused: Vec::with_capacity(slots),
            in_flight: 0,
        })
    }

    /// True when nothing is queued, under way or refused.
    pub fn is_idle(&self) -> bool {
        self.in_flight == 0 && self.queued.is_empty() && self.refused.is_empty()
    }

    /// Queues one I/O; the kernel is told when a batch is full, or by the next wait.
    pub fn push(&mut self, io: &Io, buffer: Option<Buffer>) {
        let lent = &mut self.lent[io.slot as usize];
        assert!(lent.is_none(), "slot {} has an i/o under way", io.slot);
        *lent = buffer.map(Buffer::lend);
        if self.batch.touches(io) {
            self.submit();
        }
        let lent = &self.lent[io.slot as usize];
        let address = lent.as_ref().map_or(0, |lent| lent.at(io.skip_bytes, io.len_bytes) as u64);
        let (opcode, rw_flags) = command(io.action);
        let moves = !matches!(io.action, Action::Flush(_));
        self.blocks[io.slot as usize] = ControlBlock {
            data: io.slot.into(),
            rw_flags,
            opcode,
            file: self.files[io.target as usize] as u32,
            // A flush takes neither place nor memory; the kernel refuses one that names any.
            buffer: if moves { address } else { 0 },
            bytes: if moves { io.len_bytes.into() } else { 0 },
            offset: if moves { io.offset_bytes as i64 } else { 0 },
            ..ControlBlock::default()
        };
        self.queued.push(io.slot);
        self.batch.add(io);
        if self.batch.is_full() {
            self.submit();
        }
    }

    /// Tells the kernel what is queued. What it refuses completes with its error; what it has no room for stays queued.
    fn submit(&mut self) {
        self.batch.clear();
        while !self.queued.is_empty() {
            let blocks: &mut [ControlBlock] = &mut self.blocks;
            let base = blocks.as_mut_ptr();
            let mut batch = [std::ptr::null_mut(); SUBMIT_BATCH];
            let taken = self.queued.len().min(SUBMIT_BATCH);
            for (pointer, &slot) in batch.iter_mut().zip(&self.queued[..taken]) {
                // SAFETY: there is one block for each slot, so the pointer stays within the vector.
                *pointer = unsafe { base.add(slot as usize) };
            }
            let context = self.context.as_ref().expect("the context is only taken in drop");
            // SAFETY: the buffers are lent until their I/Os have completed.
            match unsafe { context.submit(&batch[..taken]) } {
                Ok(0) => return,
                Ok(count) => {
                    self.in_flight += count;
                    self.queued.drain(..count);
                }
                Err(error) if error.raw_os_error() == Some(libc::EAGAIN) && self.in_flight > 0 => return,
                Err(error) => {
                    let result = -error.raw_os_error().unwrap_or(libc::EIO);
                    let slot = self.queued.remove(0);
                    // SAFETY: the kernel has not taken the I/O.
                    let buffer = unsafe { give_back(&mut self.lent, slot) };
                    self.refused.push(Completion { slot, result, buffer });
                }
            }
        }
    }

    /// Submits what is queued, waits for at least one completion, at most `patience_ns`, and appends all there are. Where
    /// the wait fails after I/Os were refused, the error is that of the first one, which came before.
    pub fn wait(&mut self, patience_ns: u64, done: &mut Vec<Completion>) -> io::Result<()> {
        self.submit();
        let refusal = self.refused.first().map(|first| first.result);
        done.append(&mut self.refused);
        if self.in_flight == 0 {
            return Ok(());
        }
        let (want, patience_ns) = if refusal.is_some() { (0, 0) } else { (1, patience_ns) };
        let context = self.context.as_ref().expect("the context is only taken in drop");
        let events = match context.events(want, &mut self.events, patience_ns) {
            Ok(events) => events,
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => 0,
            Err(error) => {
                return Err(refusal.map_or(error, |result| io::Error::from_raw_os_error(-result)));
            }
        };
        self.in_flight -= events;
        let lent = &mut self.lent;
        done.extend(self.events[..events].iter().map(|event| {
            let slot = event.data as u32;
            // SAFETY: the kernel has completed the I/O.
            let buffer = unsafe { give_back(lent, slot) };
            Completion { slot, result: event.result as i32, buffer }
        }));
        Ok(())
    }
}

/// The buffer of a slot, where it has one.
///
/// # Safety
/// The kernel has completed the slot's I/O, or never took it.
unsafe fn give_back(lent: &mut [Option<Lent>], slot: u32) -> Option<Buffer> {
    // SAFETY: this is the caller's promise.
    lent[slot as usize].take().map(|lent| unsafe { lent.back() })
}

fn command(action: Action) -> (u16, i32) {
    match action {
        Action::Read => (CMD_PREAD, 0),
        Action::Write => (CMD_PWRITE, 0),
        Action::WriteDurably => (CMD_PWRITE, libc::RWF_DSYNC),
        Action::Flush(FlushCall::Fsync) => (CMD_FSYNC, 0),
        Action::Flush(FlushCall::Fdatasync) => (CMD_FDSYNC, 0),
    }
}

impl Drop for Queue {
    /// The kernel may still write into buffers. Those with which it is not done in time stay lent, and the context is left
    /// to it: to destroy that would wait for ever.
    fn drop(&mut self) {
        self.queued.clear();
        let mut done = Vec::new();
        let until_ns = RealClock.now_ns() + DRAIN_NS_MAX;
        while self.in_flight > 0 && RealClock.now_ns() < until_ns {
            if self.wait(DRAIN_WAIT_NS, &mut done).is_err() {
                break;
            }
        }
        if self.in_flight > 0 {
            std::mem::forget(self.context.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_that_fails_after_a_refusal_tells_the_refusal() {
        let file = File::open("/proc/self/exe").expect("this very test can be read");
        let depth = SUBMIT_BATCH as u32;
        let buffers = Buffer::carve(SUBMIT_BATCH, 512).expect("there is memory");
        let Ok(mut queue) = Queue::open(&[&file], depth, true) else {
            return eprintln!("there is no libaio here");
        };
        queue.files.push(-1);
        for (slot, buffer) in (0..depth).zip(buffers) {
            let target = u32::from(slot == 0);
            let io =
                Io { slot, action: Action::Read, target, offset_bytes: 0, skip_bytes: 0, len_bytes: 512 };
            queue.push(&io, Some(buffer));
        }
        // Without its context every wait fails with EINVAL; to destroy it waits for the I/Os under way.
        queue.context.take();
        queue.context = Some(Context(0));
        let told = queue.wait(0, &mut Vec::new()).expect_err("there is no context to wait for");
        assert_eq!(told.raw_os_error(), Some(libc::EBADF));
        let later = queue.wait(0, &mut Vec::new()).expect_err("there still is none");
        assert_eq!(later.raw_os_error(), Some(libc::EINVAL));
    }
}
