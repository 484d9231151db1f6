//! Where time comes from: the machine's monotonic clock, or a number that a simulator moves.

use std::cell::Cell;
use std::rc::Rc;

use rustix::thread::{ClockId as SleepClock, clock_nanosleep_absolute};
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Nanoseconds in one second.
pub const NS_PER_S: u64 = 1_000_000_000;

/// Tells the time of a run in nanoseconds from an arbitrary start.
pub trait Clock {
    /// The present, in nanoseconds; never goes back.
    fn now_ns(&self) -> u64;
    /// True when time moves by itself, so that other threads can tell the time of the run as well.
    fn is_real(&self) -> bool;
}

/// CLOCK_MONOTONIC, which network time corrections slew but never set back.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealClock;

impl Clock for RealClock {
    fn now_ns(&self) -> u64 {
        let now = clock_gettime(ClockId::Monotonic);
        now.tv_sec as u64 * NS_PER_S + now.tv_nsec as u64
    }

    fn is_real(&self) -> bool {
        true
    }
}

impl RealClock {
    /// Sleeps until the clock shows `deadline_ns`; returns at once when that is past.
    pub fn sleep_until(&self, deadline_ns: u64) {
        let request =
            Timespec { tv_sec: (deadline_ns / NS_PER_S) as i64, tv_nsec: (deadline_ns % NS_PER_S) as i64 };
        // A signal may end the sleep early; callers look at the clock again anyway.
        let _ = clock_nanosleep_absolute(SleepClock::Monotonic, &request);
    }
}

/// Wall-clock nanoseconds since 1970, for the record of when a run was made.
pub fn unix_ns() -> u64 {
    let now = clock_gettime(ClockId::Realtime);
    now.tv_sec as u64 * NS_PER_S + now.tv_nsec as u64
}

/// Virtual time: stands still until the simulated engine moves it.
#[derive(Debug, Clone, Default)]
pub struct VirtualClock(Rc<Cell<u64>>);

impl VirtualClock {
    /// Moves time forward to `ns`; a moment in the past changes nothing.
    pub fn advance_to(&self, ns: u64) {
        self.0.set(self.0.get().max(ns));
    }
}

impl Clock for VirtualClock {
    fn now_ns(&self) -> u64 {
        self.0.get()
    }

    fn is_real(&self) -> bool {
        false
    }
}

/// Seconds as nanoseconds, for durations that the specification gives in seconds.
pub fn ns_from_s(seconds: f64) -> u64 {
    (seconds * NS_PER_S as f64).round() as u64
}

/// Nanoseconds as seconds.
pub fn s_from_ns(ns: u64) -> f64 {
    ns as f64 / NS_PER_S as f64
}
