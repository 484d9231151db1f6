//! When a run starts, measures and ends: ground for pace, streams and records.

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
