//! What the threads of a run share while it is under way: the word to end, and figures for whoever polls.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Why lanes shall end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Halt {
    /// They shall not.
    No = 0,
    /// Someone asked.
    Stopped = 1,
    /// The backlog waited too long.
    GaveUp = 2,
    /// Every one of the last I/Os failed.
    Failing = 3,
    /// Another lane broke.
    Broken = 4,
}

/// Shared by all threads of a run.
#[derive(Debug, Default)]
pub struct Control {
    halt: AtomicU8,
}

impl Control {
    /// Asks all lanes to end; the first reason stays.
    pub fn halt(&self, reason: Halt) {
        let _ = self.halt.compare_exchange(0, reason as u8, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether and why lanes shall end.
    #[inline]
    pub fn halted(&self) -> Halt {
        match self.halt.load(Ordering::Relaxed) {
            0 => Halt::No,
            1 => Halt::Stopped,
            2 => Halt::GaveUp,
            3 => Halt::Failing,
            _ => Halt::Broken,
        }
    }
}

/// What one lane shows to whoever polls; on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Gauge {
    /// Present of the run's clock.
    pub now_ns: AtomicU64,
    /// Successful I/Os since the start, warm-up included.
    pub ios: AtomicU64,
    /// Failed I/Os.
    pub errors: AtomicU64,
    /// Bytes moved.
    pub bytes: AtomicU64,
}
