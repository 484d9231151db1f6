//! Where threads run and where their memory is, and until when.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The size of pages that is asked for; huge ones are had where the kernel has some together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// Those of every program.
    Small,
    /// Transparent huge pages (`MADV_HUGEPAGE`, madvise(2)).
    Huge {
        /// How large the kernel makes them.
        page_bytes: usize,
    },
}

/// Where threads run, and where each has memory of its own.
#[derive(Debug, Clone)]
pub struct Place {
    /// One thread for each.
    pub cpus: Vec<usize>,
    /// The node of their memory; none: wherever the kernel takes it, which is near to who touches it first.
    pub node: Option<usize>,
    /// The size of pages that is asked for.
    pub pages: Pages,
}

/// When work ends.
#[derive(Debug, Clone, Copy)]
pub struct Until<'a> {
    /// How long it is measured.
    pub runtime: Duration,
    /// Set: at once, also where it is not measured yet.
    pub stop: &'a AtomicBool,
}

impl Until<'_> {
    /// Whether what began at `start` is to end.
    pub fn is_over(self, start: Instant) -> bool {
        start.elapsed() >= self.runtime || self.is_stopped()
    }

    /// Whether somebody wants it to end before it is measured.
    pub fn is_stopped(self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// An error where it is to end before it is measured.
    pub fn check(self) -> io::Result<()> {
        if self.is_stopped() { Err(interrupted()) } else { Ok(()) }
    }
}

/// That it was to end before it was measured.
pub fn interrupted() -> io::Error {
    io::Error::from_raw_os_error(libc::EINTR)
}
