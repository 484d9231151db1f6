//! An io_uring with the buffers of the I/Os that are under way. The kernel keeps pointers into those, so nobody else has
//! them meanwhile, and the ring waits for them before it lets go.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use io_uring::types::{Fd, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{EnterFlags, IoUring, opcode, squeue};

use super::batch::Batch;
use super::memory::{Buffer, Lent};
use crate::clock::{Clock, NS_PER_S, RealClock};
use crate::io::FlushCall;
use crate::io::{Action, Io};
use crate::sys::completion::Completion;

/// How the ring was set up, best first; the kernel refuses what it does not know with EINVAL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One thread submits, and completions are worked on when it asks for them (Linux 6.1). No array between queue and
    /// kernel (Linux 6.6).
    DeferredPlain,
    /// As before, with the array.
    Deferred,
    /// Completions do not interrupt the thread (Linux 5.19).
    Cooperative,
    /// The oldest form.
    Basic,
}

/// Ways in which a wait ends that mean no harm: the time is over, a signal came, or completions are to be reaped first.
const PASSING: [i32; 4] = [libc::ETIME, libc::EINTR, libc::EBUSY, libc::EAGAIN];
/// How long a ring that is dropped waits at once, and how many times, for I/Os that are under way.
const DRAIN_WAIT_NS: u64 = 100_000_000;
const DRAIN_WAITS_MAX: u32 = 100;

/// How long a polled read may take when polling is tried out.
const POLLED_READ_NS_MAX: u64 = 2_000_000_000;

/// Queued I/Os go to the kernel an eighth of the depth at once, within these bounds. Fewer cost more system calls; more
/// leave a device that has just finished everything idle while the next I/Os are prepared. Measured on virtio-blk at depth
/// 32, medians of 5 to 10 runs: all at once 71,000 I/Os a second, 8 at once 78,000 and the least processor time, one by
/// one 82,000 and a fifth more processor time. On a loop device in memory at depth 32, 4 at once gave 3 % more than 8, and
/// 2 at once less.
const SUBMIT_SHARE: u32 = 8;
const SUBMIT_MIN: u32 = 4;
const SUBMIT_MAX: u32 = Batch::LEN_MAX as u32;

const MODES: [Mode; 4] = [Mode::DeferredPlain, Mode::Deferred, Mode::Cooperative, Mode::Basic];

/// What the kernel granted.
#[derive(Debug)]
pub struct Granted {
    /// Form of the ring.
    pub mode: Mode,
    /// Files are registered, so that they are not looked up each time; the error says why not.
    pub files: io::Result<()>,
    /// Buffers are registered, so that their pages are not looked up each time; the error says why not.
    pub buffers: io::Result<()>,
}

/// A ring at work.
pub struct Ring {
    ring: IoUring,
    /// Of each slot the buffer, while its I/O is under way.
    lent: Vec<Option<Lent>>,
    files: Vec<i32>,
    fixed_files: bool,
    fixed_buffers: bool,
    in_flight: u32,
    /// What is queued.
    batch: Batch,
    /// The first error that submissions in between met; the next wait tells.
    refused: Option<io::Error>,
}

/// Sets up a ring as well as this kernel can.
pub fn build(entries: u32) -> io::Result<(IoUring, Mode)> {
    let mut refused = io::Error::from_raw_os_error(libc::EINVAL);
    for mode in MODES {
        let mut builder = IoUring::builder();
        builder.setup_cqsize(entries.next_power_of_two() * 2);
        match mode {
            Mode::DeferredPlain => builder.setup_single_issuer().setup_defer_taskrun().setup_no_sqarray(),
            Mode::Deferred => builder.setup_single_issuer().setup_defer_taskrun(),
            Mode::Cooperative => builder.setup_coop_taskrun(),
            Mode::Basic => &mut builder,
        };
        match builder.build(entries) {
            // Waits need a time limit, which came with Linux 5.11.
            Ok(ring) if !ring.params().is_feature_ext_arg() => {
                return Err(io::Error::from_raw_os_error(libc::ENOSYS));
            }
            Ok(ring) => return Ok((ring, mode)),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => refused = error,
            Err(error) => return Err(error),
        }
    }
    Err(refused)
}

/// Reads the first `bytes` of a file on a ring that polls for completions (IOPOLL); the error says why that cannot be.
pub fn read_polled(file: &File, bytes: u32) -> io::Result<()> {
    let buffer = Buffer::new(bytes as usize).map_err(|_| io::Error::from_raw_os_error(libc::ENOMEM))?.lend();
    let mut ring: IoUring = IoUring::builder().setup_iopoll().build(1)?;
    let entry = opcode::Read::new(Fd(file.as_raw_fd()), buffer.at(0, bytes), bytes).build();
    // SAFETY: the buffer is used by nobody else, and is only given back when the read has completed.
    let pushed = unsafe { ring.submission().push(&entry) };
    pushed.expect("the ring has one free entry");
    let until_ns = RealClock.now_ns() + POLLED_READ_NS_MAX;
    let mut submit = 1;
    let result = loop {
        // SAFETY: no argument is passed, so the kernel reads no memory of ours but the queue.
        let entered = unsafe {
            ring.submitter().enter::<libc::sigset_t>(submit, 0, EnterFlags::GETEVENTS.bits(), None)
        };
        submit -= entered.as_ref().map_or(0, |&taken| taken as u32).min(submit);
        if let Some(completion) = ring.completion().next() {
            break completion.result();
        }
        if entered.as_ref().is_err_and(|error| !is_passing(error)) || RealClock.now_ns() > until_ns {
            return Err(entered.err().unwrap_or_else(|| io::Error::from_raw_os_error(libc::ETIMEDOUT)));
        }
    };
    // SAFETY: the read has completed.
    drop(unsafe { buffer.back() });
    if result < 0 { Err(io::Error::from_raw_os_error(-result)) } else { Ok(()) }
}

impl Ring {
    /// A ring for `depth` I/Os on `files` with these buffers, of which there is one for each and which were made together.
    /// With `merge` the kernel may make one of neighbouring I/Os.
    pub fn open(
        files: &[&File],
        depth: u32,
        buffers: &mut [Buffer],
        merge: bool,
    ) -> io::Result<(Self, Granted)> {
        let (ring, mode) = build(depth)?;
        // Saves a look-up at each system call; old kernels do without.
        let _ = ring.submitter().register_ring_fd();
        let files: Vec<i32> = files.iter().map(|file| file.as_raw_fd()).collect();
        let granted_files = ring.submitter().register_files(&files);
        let vector =
            |buffer: &mut Buffer| libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
        let vectors: Vec<libc::iovec> = buffers.iter_mut().map(vector).collect();
        // SAFETY: the kernel holds on to the pages themselves; it uses them for I/Os alone, whose buffers are lent.
        let granted_buffers = unsafe { ring.submitter().register_buffers(&vectors) };
        let (fixed_files, fixed_buffers) = (granted_files.is_ok(), granted_buffers.is_ok());
        let granted = Granted { mode, files: granted_files, buffers: granted_buffers };
        Ok((
            Self {
                ring,
                lent: (0..depth).map(|_| None).collect(),
                files,
                fixed_files,
                fixed_buffers,
                in_flight: 0,
                batch: Batch::new((depth / SUBMIT_SHARE).clamp(SUBMIT_MIN, SUBMIT_MAX) as usize, merge),
                refused: None,
            },
            granted,
        ))
    }

    /// I/Os that were pushed and have not completed.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Queues one I/O; the kernel is told when a batch is full, or by the next wait.
    pub fn push(&mut self, io: &Io, buffer: Option<Buffer>) {
        let lent = &mut self.lent[io.slot as usize];
        assert!(lent.is_none(), "slot {} has an i/o under way", io.slot);
        *lent = buffer.map(Buffer::lend);
        let place = lent.as_ref().map_or((std::ptr::null_mut(), 0), |lent| {
            (lent.at(io.skip_bytes, io.len_bytes), lent.index() as u16)
        });
        if self.batch.touches(io) {
            self.submit();
        }
        let entry = self.entry(io, place).user_data(io.slot.into());
        // SAFETY: the buffer is lent until the I/O has completed. Without one the address is null, which the kernel refuses.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        pushed.expect("the queue has as many entries as there are slots");
        self.in_flight += 1;
        self.batch.add(io);
        if self.batch.is_full() {
            self.submit();
        }
    }

    fn submit(&mut self) {
        self.batch.clear();
        if let Some(error) = self.ring.submit().err().filter(|error| !is_passing(error)) {
            self.refused.get_or_insert(error);
        }
    }

    fn entry(&self, io: &Io, (address, index): (*mut u8, u16)) -> squeue::Entry {
        let (file, flags) = if self.fixed_files {
            (Fd(io.target as i32), squeue::Flags::FIXED_FILE)
        } else {
            (Fd(self.files[io.target as usize]), squeue::Flags::empty())
        };
        let (len, offset) = (io.len_bytes, io.offset_bytes);
        let durably = |durable: bool| if durable { libc::RWF_DSYNC } else { 0 };
        let entry = match (io.action, self.fixed_buffers) {
            (Action::Read, true) => opcode::ReadFixed::new(file, address, len, index).offset(offset).build(),
            (Action::Read, false) => opcode::Read::new(file, address, len).offset(offset).build(),
            (Action::Write | Action::WriteDurably, true) => {
                opcode::WriteFixed::new(file, address, len, index)
                    .offset(offset)
                    .rw_flags(durably(io.action == Action::WriteDurably))
                    .build()
            }
            (Action::Write | Action::WriteDurably, false) => opcode::Write::new(file, address, len)
                .offset(offset)
                .rw_flags(durably(io.action == Action::WriteDurably))
                .build(),
            (Action::Flush(FlushCall::Fsync), _) => opcode::Fsync::new(file).build(),
            (Action::Flush(FlushCall::Fdatasync), _) => {
                opcode::Fsync::new(file).flags(FsyncFlags::DATASYNC).build()
            }
        };
        entry.flags(flags)
    }

    /// Tells the kernel what is queued and waits for at least `want` completions, at most `patience_ns`.
    pub fn wait(&mut self, want: u32, patience_ns: u64) -> io::Result<()> {
        if let Some(error) = self.refused.take() {
            return Err(error);
        }
        self.batch.clear();
        let queued = self.ring.submission().len() as u32;
        let submitter = self.ring.submitter();
        let result = if patience_ns == 0 {
            // A deferred ring works on completions only when GETEVENTS is asked for, which `submit` does not do.
            // SAFETY: no argument is passed, so the kernel reads no memory of ours but the queue.
            unsafe { submitter.enter::<libc::sigset_t>(queued, 0, EnterFlags::GETEVENTS.bits(), None) }
        } else {
            let timeout = Timespec::new().sec(patience_ns / NS_PER_S).nsec((patience_ns % NS_PER_S) as u32);
            submitter.submit_with_args(want as usize, &SubmitArgs::new().timespec(&timeout))
        };
        match result {
            Ok(_) => Ok(()),
            Err(error) if is_passing(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Appends all completions that there are.
    pub fn reap(&mut self, done: &mut Vec<Completion>) {
        let before = done.len();
        let lent = &mut self.lent;
        done.extend(self.ring.completion().map(|entry| {
            let slot = entry.user_data() as u32;
            // SAFETY: the kernel has completed the I/O that the buffer was lent to.
            let buffer = lent[slot as usize].take().map(|lent| unsafe { lent.back() });
            Completion { slot, result: entry.result(), buffer }
        }));
        self.in_flight -= (done.len() - before) as u32;
    }
}

fn is_passing(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|errno| PASSING.contains(&errno))
}

impl Drop for Ring {
    /// The kernel may still write into buffers. Those with which it is not done in time stay lent, for good.
    fn drop(&mut self) {
        let mut done = Vec::new();
        for _ in 0..DRAIN_WAITS_MAX {
            if self.in_flight == 0 {
                return;
            }
            let waited = self.wait(1, DRAIN_WAIT_NS);
            self.reap(&mut done);
            if waited.is_err() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(slot: u32) -> Io {
        Io { slot, action: Action::Read, target: 0, offset_bytes: 0, skip_bytes: 0, len_bytes: 512 }
    }

    /// A ring with a single issuer refuses whoever else submits.
    #[test]
    fn the_first_refusal_is_told_although_later_submissions_work() {
        let file = File::open("/proc/self/exe").expect("this very test can be read");
        let mut buffers = Buffer::carve(16, 512).expect("there is memory");
        let Ok((mut ring, granted)) = Ring::open(&[&file], 16, &mut buffers, true) else {
            return eprintln!("there is no io_uring here");
        };
        if !matches!(granted.mode, Mode::Deferred | Mode::DeferredPlain) {
            return eprintln!("this kernel's rings take submissions of every thread");
        }
        let stranger = std::thread::spawn(move || {
            let own = buffers.drain(..SUBMIT_MIN as usize).collect::<Vec<_>>();
            (0..).zip(own).for_each(|(slot, buffer)| ring.push(&read(slot), Some(buffer)));
            (ring, buffers)
        });
        let (mut ring, buffers) = stranger.join().expect("to be refused is no panic");
        (SUBMIT_MIN..).zip(buffers).for_each(|(slot, buffer)| ring.push(&read(slot), Some(buffer)));
        assert!(ring.wait(1, 0).is_err(), "the refusal is told");
        let mut done = Vec::new();
        while done.len() < 16 {
            ring.wait(1, NS_PER_S).expect("the refusal is told once");
            ring.reap(&mut done);
        }
        assert!(done.iter().all(|completion| completion.result == 512));
    }
}
