//! What the disk counts of itself, so that the figures of whoever measures it can be held against it.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use plimsoll_engine::limits::{LATENCY_DIGITS, LATENCY_NS_MAX};
use serde::Serialize;

use crate::disk::{Action, Promise, Request};

const NS_PER_US: f64 = 1_000.0;
const NS_PER_S: f64 = 1e9;
/// Different requests by action and length that are told apart.
const SIZES_MAX: usize = 1024;

/// Counts since the disk began.
#[derive(Debug)]
pub struct Counters {
    reads: Tally,
    writes: Tally,
    flushes: Tally,
    sizes: BTreeMap<(&'static str, u32), u64>,
    busy_ns: u64,
    in_flight: u64,
    in_flight_max: u64,
    promised: Histogram<u64>,
    late: Histogram<u64>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    requests: u64,
    bytes: u64,
}

/// Counts at a moment, as they are told.
#[derive(Debug, Serialize, PartialEq)]
pub struct Told {
    /// Requests to read.
    pub reads: u64,
    /// Requests to write.
    pub writes: u64,
    /// Requests to flush.
    pub flushes: u64,
    /// Bytes of the reads.
    pub read_bytes: u64,
    /// Bytes of the writes.
    pub write_bytes: u64,
    /// Requests by action and length; longer lists than 1024 are cut.
    pub sizes: Vec<Size>,
    /// Time that servers worked, all of them together.
    pub busy_s: f64,
    /// Requests that came and were not answered yet.
    pub in_flight: u64,
    /// The most of them at one moment.
    pub in_flight_max: u64,
    /// From the arrival of a request here to its end by the law.
    pub latency_us: Times,
    /// From that end to the moment of the answer: how imprecise the disk is.
    pub late_us: Times,
}

/// Requests of one action and length.
#[derive(Debug, Serialize, PartialEq)]
pub struct Size {
    /// `read` or `write`.
    pub action: &'static str,
    /// Length of each.
    pub bytes: u32,
    /// How many.
    pub requests: u64,
}

/// A distribution in microseconds; none of it is known without requests.
#[derive(Debug, Serialize, PartialEq)]
pub struct Times {
    mean: Option<f64>,
    p50: Option<f64>,
    p99: Option<f64>,
    max: Option<f64>,
}

impl Default for Counters {
    fn default() -> Self {
        let times =
            || Histogram::new_with_max(LATENCY_NS_MAX, LATENCY_DIGITS).expect("these bounds are allowed");
        Self {
            reads: Tally::default(),
            writes: Tally::default(),
            flushes: Tally::default(),
            sizes: BTreeMap::new(),
            busy_ns: 0,
            in_flight: 0,
            in_flight_max: 0,
            promised: times(),
            late: times(),
        }
    }
}

impl Counters {
    /// A request came at `now_ns` and was promised an end.
    pub fn taken(&mut self, request: &Request, now_ns: u64, promise: Promise) {
        let tally = match request.action {
            Action::Read => &mut self.reads,
            Action::Write | Action::WriteDurably => &mut self.writes,
            Action::Flush => &mut self.flushes,
        };
        tally.requests += 1;
        tally.bytes += u64::from(request.len_bytes);
        self.count_size(request);
        self.busy_ns += promise.service_ns;
        self.in_flight += 1;
        self.in_flight_max = self.in_flight_max.max(self.in_flight);
        self.promised.saturating_record(promise.end_ns - now_ns);
    }

    fn count_size(&mut self, request: &Request) {
        let action = match request.action {
            Action::Read => "read",
            Action::Write | Action::WriteDurably => "write",
            Action::Flush => return,
        };
        let key = (action, request.len_bytes);
        if self.sizes.len() < SIZES_MAX || self.sizes.contains_key(&key) {
            *self.sizes.entry(key).or_default() += 1;
        }
    }

    /// A request was answered so long after its promised end.
    pub fn answered(&mut self, late_ns: u64) {
        self.in_flight -= 1;
        self.late.saturating_record(late_ns);
    }

    /// The counts at this moment.
    pub fn told(&self) -> Told {
        let size = |(&(action, bytes), &requests)| Size { action, bytes, requests };
        Told {
            reads: self.reads.requests,
            writes: self.writes.requests,
            flushes: self.flushes.requests,
            read_bytes: self.reads.bytes,
            write_bytes: self.writes.bytes,
            sizes: self.sizes.iter().map(size).collect(),
            busy_s: self.busy_ns as f64 / NS_PER_S,
            in_flight: self.in_flight,
            in_flight_max: self.in_flight_max,
            latency_us: times(&self.promised),
            late_us: times(&self.late),
        }
    }
}

fn times(of: &Histogram<u64>) -> Times {
    let known = |ns: f64| (!of.is_empty()).then_some(ns / NS_PER_US);
    Times {
        mean: known(of.mean()),
        p50: known(of.value_at_quantile(0.50) as f64),
        p99: known(of.value_at_quantile(0.99) as f64),
        max: known(of.max() as f64),
    }
}
