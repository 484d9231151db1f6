//! Linux's asynchronous interface: many I/Os for one system call, files and buffers registered beforehand.

use std::fs::File;
use std::io;

use super::null::idle_until;
use super::{Engine, Kind, Opened, Setup};
use crate::clock::{Clock, RealClock};
use crate::error::{CoreError, Result, errno_text};
use crate::io::Io;
use crate::limits::{ATTENTION_NS_MAX, RING_DEPTH_MAX};
use crate::result::Note;
use crate::sys::completion::Completion;
use crate::sys::memory::Buffer;
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
        "One thread and one ring for each job; up to depth I/Os are outstanding at once, and one system call submits and \
         reaps many. Files and buffers are registered, the ring has a single issuer and defers its work to the moments \
         when it waits. What an older kernel lacks is left out, and a note says so. Where a file system cannot take an \
         I/O without blocking, the kernel hands it to worker threads, which costs much more: a note says that too."
    }

    fn real(&self) -> bool {
        true
    }

    fn kernel_workers(&self) -> bool {
        true
    }

    fn probe(&self) -> Result<()> {
        ring::build(1).map(drop).map_err(|error| refused(&error))
    }

    fn depth_max(&self) -> u32 {
        RING_DEPTH_MAX
    }

    fn open(&self, setup: &Setup) -> Result<Opened> {
        let mut buffers = Buffer::carve(setup.depth as usize, setup.block_bytes_max as usize)?;
        let files: Vec<&File> = setup.targets.iter().map(|target| &target.file).collect();
        let (ring, granted) = Ring::open(&files, setup.depth, &mut buffers, setup.spec.merge)
            .map_err(|error| refused(&error))?;
        let state = State { ring, pace: Pace::default(), reaped: 0, granted, thread: thread::id() };
        Ok(Opened::real(Box::new(state), buffers))
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

/// A wait asks for one in so many of the outstanding I/Os, and for `BATCH_MAX` at most: each waking costs this thread and
/// whoever completes I/Os for it.
const BATCH_SHARE: u32 = 16;
const BATCH_MAX: u32 = 8;
/// An I/O that has completed is kept waiting for others no longer than this, as they came lately. Fast I/Os among slow
/// ones would look slow otherwise.
const BATCH_DELAY_NS: u64 = 20_000;
/// One in so many parts of what is known of the pace is the last wait's.
const PACE_PARTS: u64 = 8;

/// How completions come, and how many of them to wait for at once.
#[derive(Default)]
struct Pace {
    /// From one completion to the next, over the last waits.
    interval_ns: Option<u64>,
    last_ns: u64,
}

impl Pace {
    /// So many completions came since the last time.
    fn see(&mut self, now_ns: u64, completions: usize) {
        let elapsed_ns = now_ns.saturating_sub(self.last_ns);
        self.last_ns = now_ns;
        let each_ns = elapsed_ns / completions.max(1) as u64;
        let known = |before_ns: u64| (before_ns * (PACE_PARTS - 1) + each_ns) / PACE_PARTS;
        self.interval_ns = Some(self.interval_ns.map_or(elapsed_ns, known));
    }

    /// Completions to wait for; one as long as few I/Os are outstanding or they come slowly.
    fn wanted(&self, in_flight: u32) -> u32 {
        let Some(interval_ns) = self.interval_ns else { return 1 };
        let soon = 1 + BATCH_DELAY_NS / interval_ns.max(1);
        (in_flight / BATCH_SHARE).min(BATCH_MAX).min(soon as u32).max(1)
    }
}

struct State {
    ring: Ring,
    pace: Pace,
    /// How many completions the last wait brought.
    reaped: usize,
    granted: Granted,
    thread: i32,
}

impl Engine for State {
    fn submit(&mut self, io: &Io, buffer: Option<Buffer>) {
        self.ring.push(io, buffer);
    }

    fn reap(&mut self, deadline_ns: u64, done: &mut Vec<Completion>) -> Result<()> {
        if self.ring.in_flight() == 0 {
            idle_until(deadline_ns);
            return Ok(());
        }
        let now_ns = RealClock.now_ns();
        self.pace.see(now_ns, self.reaped);
        let patience_ns = deadline_ns.saturating_sub(now_ns).min(ATTENTION_NS_MAX);
        let waited = self.ring.wait(self.pace.wanted(self.ring.in_flight()), patience_ns);
        let before = done.len();
        self.ring.reap(done);
        self.reaped = done.len() - before;
        waited.map_err(|error| {
            CoreError::kernel("engine-failed", "io_uring failed while the run was under way", &error)
                .hint("Use --engine psync.")
        })
    }

    fn workers_ns(&self) -> Option<u64> {
        thread::workers(Some(self.thread)).processor_ns
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = fallbacks(&self.granted);
        let workers = thread::workers(Some(self.thread)).punted_to;
        if workers > 0 {
            let message = format!(
                "the kernel handed I/Os to {workers} worker threads (io-wq), because the file system could not take them \
                 without blocking; that costs CPU time and latency, and --engine psync may be faster here"
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

    fn paced(interval_ns: u64) -> Pace {
        let mut pace = Pace::default();
        (1..100).for_each(|wait| pace.see(wait * 4 * interval_ns, 4));
        pace
    }

    #[test]
    fn few_under_way_are_reaped_one_by_one_and_many_in_batches() {
        let asked = [1, 8, 19, 20, 32, 64, 80, 128, 1000].map(|in_flight| paced(1_000).wanted(in_flight));
        assert_eq!(asked, [1, 1, 1, 1, 2, 4, 5, 8, 8]);
    }

    #[test]
    fn nobody_waits_for_completions_that_come_slowly() {
        assert_eq!([5_000, 15_000, 25_000, 1_000_000].map(|each| paced(each).wanted(128)), [5, 2, 1, 1]);
        assert_eq!(Pace::default().wanted(128), 1);
    }

    #[test]
    fn the_pace_follows_what_came_last() {
        let mut pace = paced(1_000);
        let stalled_ns = 99 * 4 * 1_000 + 10_000_000;
        pace.see(stalled_ns, 1);
        assert_eq!(pace.wanted(128), 1);
        (1..100).for_each(|wait| pace.see(stalled_ns + wait * 4_000, 4));
        assert_eq!(pace.wanted(128), 8);
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
