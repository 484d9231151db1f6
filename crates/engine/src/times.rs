//! When a run starts, measures and ends: ground for pace, streams and records.

use crate::clock::{Clock, RealClock, s_from_ns, unix_ns};
use crate::error::{CoreError, Result};

/// The moments of a run, in nanoseconds of its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// The first I/O may start.
    pub start_ns: u64,
    /// Warm-up is over: what starts from here on counts.
    pub measure_ns: u64,
    /// Nothing starts from here on; `u64::MAX` when only a count ends the run.
    pub end_ns: u64,
    /// Length of one window of the series.
    pub window_ns: u64,
}

/// When the threads may begin, by the run's clock: at once, or at a moment of the wall clock that is to come. Fails with
/// `begin-missed` where it is past, so that nothing is measured that was meant to be measured together.
pub fn begin_ns(begin_unix_ns: Option<u64>) -> Result<u64> {
    let (now_ns, now_unix_ns) = (RealClock.now_ns(), unix_ns());
    let Some(begin_unix_ns) = begin_unix_ns else { return Ok(now_ns) };
    let missed = || {
        let late_s = s_from_ns(now_unix_ns - begin_unix_ns);
        CoreError::new("begin-missed", format!("it was ready {late_s:.3} s after the moment of its begin"))
    };
    begin_unix_ns.checked_sub(now_unix_ns).map(|wait_ns| now_ns + wait_ns).ok_or_else(missed)
}
