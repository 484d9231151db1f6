//! Linux's asynchronous interface: many I/Os for one system call, files and buffers registered beforehand.

use std::fs::File;
use std::io;

use super::null::idle_until;
use super::{Completion, Engine, Io, Kind, Opened, Setup};
use crate::clock::{Clock, RealClock};
use crate::error::{CoreError, Result, errno_text};
use crate::limits::{ATTENTION_NS_MAX, RING_DEPTH_MAX};
use crate::result::Note;
use crate::sys::memory::Arena;
use crate::sys::ring::{self, Granted, Mode, Ring};
use crate::sys::thread;

/// Registry entry.
pub struct IoUring;

impl Kind for IoUring {
    fn name(&self) -> &'static str {
        "io_uring"
    }

    fn title(&self) -> &'static str {
        "asynchronous, one ring for each job"
    }

    fn help(&self) -> &'static str {
        "One thread and one ring for each job; up to depth I/Os are under way at once, and one system call submits and \
         reaps many. Files and buffers are registered, the ring has a single issuer and defers its work to the moments \
         when it waits. What an older kernel lacks is left out, and a note says so. Where a file system cannot take an \
         I/O without blocking, the kernel hands it to worker threads, which costs much more: a note says that too."
    }

    fn real(&self) -> bool {
        true
    }

    fn probe(&self) -> Result<()> {
        ring::build(1).map(drop).map_err(|error| refused(&error))
    }

    fn depth_max(&self) -> u32 {
        RING_DEPTH_MAX
    }

    fn open(&self, setup: &Setup) -> Result<Opened> {
        let arena = Arena::new(setup.depth as usize, setup.block_bytes_max as usize)?;
        let files: Vec<&File> = setup.targets.iter().map(|target| &target.file).collect();
        let (ring, granted) = Ring::open(&files, setup.depth, arena).map_err(|error| refused(&error))?;
        Ok(Opened::real(Box::new(State { ring, granted, thread: thread::id() })))
    }
}

/// Says why there is no ring, and which engine works instead.
fn refused(error: &io::Error) -> CoreError {
    let hint = match error.raw_os_error() {
        Some(libc::ENOSYS) => {
            "This kernel has no io_uring, or one older than Linux 5.11. Use --engine psync."
        }
        Some(libc::EPERM | libc::EACCES) => {
            "It is switched off here: look at sysctl kernel.io_uring_disabled and at the container's seccomp profile, \
             or use --engine psync."
        }
        Some(libc::ENOMEM) => "Raise the limit on locked memory (ulimit -l), or use --engine psync.",
        _ => "Use --engine psync.",
    };
    CoreError::kernel("engine-unavailable", "could not set up io_uring", error).hint(hint)
}

/// A wait ends when one in so many of the I/Os under way has completed, or `REAP_BATCH_MAX`: each waking costs this thread
/// and whoever completes I/Os for it. With n of them taken at once an I/O waits for (n - 1) / 2 others, so that a latency
/// grows by less than a twentieth. Measured on a loop device at depth 32: 9 % more I/Os a second, 9 % less processor
/// time each.
const REAP_SHARE: u32 = 10;
const REAP_BATCH_MAX: u32 = 8;

/// Completions to wait for; one as long as fewer than 20 I/Os are under way.
fn wanted(in_flight: u32) -> u32 {
    (in_flight / REAP_SHARE).clamp(1, REAP_BATCH_MAX)
}

struct State {
    ring: Ring,
    granted: Granted,
    thread: i32,
}

impl Engine for State {
    fn submit(&mut self, io: &Io) {
        self.ring.push(io);
    }

    fn reap(&mut self, deadline_ns: u64, done: &mut Vec<Completion>) -> Result<()> {
        if self.ring.in_flight() == 0 {
            idle_until(deadline_ns);
            return Ok(());
        }
        let patience_ns = deadline_ns.saturating_sub(RealClock.now_ns()).min(ATTENTION_NS_MAX);
        let waited = self.ring.wait(wanted(self.ring.in_flight()), patience_ns);
        self.ring.reap(done);
        waited.map_err(|error| {
            CoreError::kernel("engine-failed", "io_uring failed while the run was under way", &error)
                .hint("Use --engine psync.")
        })
    }

    fn buffer_mut(&mut self, slot: u32) -> Option<&mut [u8]> {
        Some(self.ring.buffer_mut(slot))
    }

    fn workers_ns(&self) -> Option<u64> {
        thread::workers(Some(self.thread)).processor_ns
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = fallbacks(&self.granted);
        let workers = thread::workers(Some(self.thread)).punted_to;
        if workers > 0 {
            let message = format!(
                "the kernel handed i/os to {workers} worker threads (io-wq), because the file system could not take them \
                 without blocking; that costs processor time and latency, and --engine psync may be faster here"
            );
            notes.push(Note { code: "io-wq-punted", message });
        }
        notes
    }
}

fn fallbacks(granted: &Granted) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut tell = |code, message: String| notes.push(Note { code, message });
    match granted.mode {
        Mode::DeferredPlain | Mode::Deferred => {}
        Mode::Cooperative => tell(
            "io-uring-not-deferred",
            "this kernel is older than 6.1 and cannot defer the ring's work; completions cost a little more"
                .into(),
        ),
        Mode::Basic => tell(
            "io-uring-basic",
            "this kernel is older than 5.19; completions interrupt the measuring thread and cost more".into(),
        ),
    }
    if let Err(error) = &granted.files {
        let reason = errno_text(error);
        tell(
            "io-uring-files-not-registered",
            format!("files could not be registered: {reason}; each i/o costs more"),
        );
    }
    if let Err(error) = &granted.buffers {
        let reason = errno_text(error);
        tell(
            "io-uring-buffers-not-registered",
            format!(
                "buffers could not be registered: {reason}; each i/o costs more; a higher ulimit -l may help"
            ),
        );
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(granted: &Granted) -> Vec<&'static str> {
        fallbacks(granted).iter().map(|note| note.code).collect()
    }

    #[test]
    fn every_fallback_is_told_with_its_reason() {
        let best = Granted { mode: Mode::DeferredPlain, files: Ok(()), buffers: Ok(()) };
        assert_eq!(codes(&best), Vec::<&str>::new());
        let refused = |errno| Err(io::Error::from_raw_os_error(errno));
        let worst =
            Granted { mode: Mode::Basic, files: refused(libc::EMFILE), buffers: refused(libc::ENOMEM) };
        let told = ["io-uring-basic", "io-uring-files-not-registered", "io-uring-buffers-not-registered"];
        assert_eq!(codes(&worst), told);
        assert!(fallbacks(&worst)[2].message.contains("cannot allocate memory"));
    }

    #[test]
    fn few_under_way_are_reaped_one_by_one_and_many_in_batches() {
        let asked = [1, 8, 19, 20, 32, 64, 80, 128, 1000].map(wanted);
        assert_eq!(asked, [1, 1, 1, 2, 3, 6, 8, 8, 8]);
    }

    #[test]
    fn a_kernel_that_refuses_names_the_engine_that_works() {
        for errno in [libc::ENOSYS, libc::EPERM, libc::ENOMEM, libc::EMFILE] {
            let error = refused(&io::Error::from_raw_os_error(errno));
            assert_eq!((error.id, error.errno), ("engine-unavailable", Some(errno)));
            assert!(error.hint.is_some_and(|hint| hint.contains("--engine psync")));
        }
    }
}
