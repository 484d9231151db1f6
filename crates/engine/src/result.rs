//! What a run leaves: one row for each class, of the whole run and of each window, and what was noticed.

use serde::Serialize;

use crate::connections::{Outage, PathResult};
use crate::io::Action;
use crate::sys::usage::{HostTime, Usage};

/// Something that a reader of the result must know, such as a fallback and its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// Stable name.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
}

/// How often something happened that a reader of the result must know; told with the sum over all lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Stable name.
    pub code: &'static str,
    /// How often; nothing is told of what never happened.
    pub amount: u64,
    /// What follows the number 1 in the sentence.
    pub one: &'static str,
    /// What follows any other number.
    pub many: &'static str,
}

impl Counted {
    /// The whole sentence.
    pub fn told(&self) -> Note {
        let words = if self.amount == 1 { self.one } else { self.many };
        Note { code: self.code, message: format!("{} {words}", self.amount) }
    }
}

/// What moved between us and the targets, each part of a continued I/O for itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Reads that brought bytes.
    pub reads: u64,
    /// Their bytes.
    pub read_bytes: u64,
    /// Writes that took bytes.
    pub writes: u64,
    /// Their bytes.
    pub write_bytes: u64,
}

impl Moved {
    /// Counts one I/O that moved `bytes`; a flush moves none.
    #[inline]
    pub fn note(&mut self, action: Action, bytes: u64) {
        let (ios, sum) = match action {
            Action::Read => (&mut self.reads, &mut self.read_bytes),
            Action::Write | Action::WriteDurably => (&mut self.writes, &mut self.write_bytes),
            Action::Flush(_) => return,
        };
        *ios += 1;
        *sum += bytes;
    }

    /// Counts what another one counted.
    pub fn add(&mut self, other: &Moved) {
        self.reads += other.reads;
        self.read_bytes += other.read_bytes;
        self.writes += other.writes;
        self.write_bytes += other.write_bytes;
    }
}

/// One I/O that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IoError {
    /// Name of its class.
    #[serde(rename = "io_class")]
    pub class: String,
    /// read or write.
    pub op: &'static str,
    /// First byte in its target.
    pub offset: u64,
    /// The kernel's error number; none where bytes ran out without an error.
    pub errno: Option<i32>,
    /// The system's words.
    pub message: String,
}

/// Whether a row is of the whole run or of one window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The whole measured window.
    Run,
    /// One window of the series, counted from 0.
    Window(u64),
}

/// The counts of one class in one scope.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Run or window.
    pub scope: Scope,
    /// Start after the beginning of the measured window.
    pub start_s: f64,
    /// Length of the scope.
    pub duration_s: f64,
    /// Name of the class.
    pub class: String,
    /// read or write.
    pub op: &'static str,
    /// Bytes of one I/O.
    pub block_bytes: u32,
    /// I/Os that moved all of their bytes.
    pub ios: u64,
    /// I/Os that moved all of theirs within this time, whenever they began.
    pub completed_ios: u64,
    /// Bytes that those moved which began in it.
    pub bytes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// I/Os that came back short at least once and were continued.
    pub short_ios: u64,
    /// Arrivals that were due but found no free slot before the end; counted in the run's rows alone.
    pub unissued_ios: u64,
    /// V2 bytes: from the intended start in an open loop, from submission in a closed one. Unissued arrivals count
    /// with the wait that they had so far, a lower bound.
    pub latency_hdr: Vec<u8>,
    /// V2 bytes: from submission to completion.
    pub service_hdr: Vec<u8>,
    /// About how many different blocks these I/Os visited (standard error 0.8 %), never more than there are.
    pub distinct_blocks: u64,
    /// Blocks that the class could reach, over all of its jobs.
    pub space_blocks: u64,
    /// When the first of these I/Os ended, after the beginning of the measured window; none where there are none.
    pub first_s: Option<f64>,
    /// When the last of these I/Os ended, after the beginning of the measured window; none where there are none.
    pub last_s: Option<f64>,
    /// How late we submitted at worst while a slot was free; none in a closed loop.
    pub lateness_us_max: Option<f64>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It lasted its time.
    InTime,
    /// Someone asked it to.
    Stopped,
    /// The backlog's oldest arrival waited too long.
    GaveUp,
    /// Every one of the last I/Os failed: the device is gone, or the target ends.
    Errors,
    /// The asked number of I/Os was done.
    IosMax,
}

/// All that a run leaves.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// First the rows of the run, then those of each window in order.
    #[serde(skip)]
    pub rows: Vec<Row>,
    /// Length of the measured window.
    pub runtime_s: f64,
    /// When it began, by the wall clock as it was when the threads were let go.
    pub started_unix_ns: u64,
    /// When the first I/O was submitted, warm-up included, by the same clock; none in virtual time and without I/Os.
    pub first_io_unix_ns: Option<u64>,
    /// Why it ended.
    pub ended: Ended,
    /// What the whole process used in the measured window.
    pub usage: Usage,
    /// What the whole machine did in the measured window; none where nobody counts it, and in virtual time.
    pub host: Option<HostTime>,
    /// Processor time of the measuring threads alone; the rest of `usage` is the kernel's workers and our book-keeping.
    pub threads_s: f64,
    /// Processor time in the measured window of the kernel's threads that work for this process's I/Os (io_uring's io-wq and
    /// sqpoll); part of `usage`. None in virtual time and where the kernel does not count it.
    pub workers_s: Option<f64>,
    /// Share of the time, warm-up included, in which a measuring thread was ready to run while no processor was free;
    /// none in virtual time and where the kernel does not count it.
    pub processor_wait_share: Option<f64>,
    /// I/Os that were due in the measured window.
    pub offered_ios: u64,
    /// I/Os of any intended start that ended inside the measured window.
    pub completed_in_window_ios: u64,
    /// What moved from the first I/O to the last one, warm-up and ending too: what a counter outside this process sees.
    pub moved: Moved,
    /// Most arrivals that were due and not yet submitted; none in a closed loop.
    pub backlog_max: Option<u64>,
    /// Times in the measured window without a connection to the server.
    pub outages: Vec<Outage>,
    /// What went over each path to the server.
    pub paths: Vec<PathResult>,
    /// Fallbacks and warnings.
    pub notes: Vec<Note>,
    /// The first failed I/Os.
    pub io_errors: Vec<IoError>,
}

#[cfg(test)]
mod tests {
    use super::Counted;

    #[test]
    fn one_is_told_in_the_singular() {
        let told =
            |amount| Counted { code: "c", amount, one: "time it was", many: "times it was" }.told().message;
        assert_eq!([told(1), told(2)], ["1 time it was", "2 times it was"]);
    }
}
