//! What the disk counts of itself, so that the figures of whoever measures it can be held against it.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use plimsoll_engine::limits::{LATENCY_DIGITS, LATENCY_NS_MAX};
use serde::Serialize;

use crate::disk::{Action, Promise, Request};
use crate::volume::{SIDES, Taken};

const NS_PER_US: f64 = 1_000.0;
const NS_PER_S: f64 = 1e9;
/// Different requests by action and length that are told apart.
const SIZES_MAX: usize = 1024;

/// Counts since the disk began.
#[derive(Debug)]
pub struct Counters {
    whole: Work,
    /// Of a mirror, what each side did of it.
    sides: Option<[Work; SIDES]>,
    sizes: BTreeMap<(&'static str, u32), u64>,
    in_flight: u64,
    in_flight_max: u64,
    late: Spread,
}

/// What a disk, or a side of a mirror, was asked and promised.
#[derive(Debug)]
struct Work {
    reads: Tally,
    writes: Tally,
    flushes: Tally,
    busy_ns: u64,
    promised: Spread,
}

/// A distribution with its exact sum and maximum: a histogram alone rounds both to its digits.
#[derive(Debug)]
struct Spread {
    times: Histogram<u64>,
    sum_ns: u64,
    max_ns: u64,
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
    /// Of a mirror the two sides, of a disk none.
    pub sides: Vec<Side>,
}

/// What a side of a mirror did: a write counts on both.
#[derive(Debug, Serialize, PartialEq)]
pub struct Side {
    /// Requests to read that went there.
    pub reads: u64,
    /// Requests to write.
    pub writes: u64,
    /// Requests to flush.
    pub flushes: u64,
    /// Bytes of the reads.
    pub read_bytes: u64,
    /// Bytes of the writes.
    pub write_bytes: u64,
    /// Time that its servers worked.
    pub busy_s: f64,
    /// From the arrival of a request to its end on this side.
    pub latency_us: Times,
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

impl Counters {
    /// Nothing yet, of a disk or of a mirror.
    pub fn new(is_mirror: bool) -> Self {
        Self {
            whole: Work::new(),
            sides: is_mirror.then(|| [Work::new(), Work::new()]),
            sizes: BTreeMap::new(),
            in_flight: 0,
            in_flight_max: 0,
            late: Spread::new(),
        }
    }

    /// A request came at `now_ns` and was promised an end.
    pub fn taken(&mut self, request: &Request, now_ns: u64, taken: &Taken) {
        self.whole.taken(request, now_ns, taken.whole);
        for (work, promise) in self.sides.iter_mut().flatten().zip(taken.sides) {
            if let Some(promise) = promise {
                work.taken(request, now_ns, promise);
            }
        }
        self.count_size(request);
        self.in_flight += 1;
        self.in_flight_max = self.in_flight_max.max(self.in_flight);
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
        self.late.record(late_ns);
    }

    /// The counts at this moment.
    pub fn told(&self) -> Told {
        let size = |(&(action, bytes), &requests)| Size { action, bytes, requests };
        let whole = self.whole.told();
        Told {
            reads: whole.reads,
            writes: whole.writes,
            flushes: whole.flushes,
            read_bytes: whole.read_bytes,
            write_bytes: whole.write_bytes,
            sizes: self.sizes.iter().map(size).collect(),
            busy_s: whole.busy_s,
            in_flight: self.in_flight,
            in_flight_max: self.in_flight_max,
            latency_us: whole.latency_us,
            late_us: self.late.told(),
            sides: self.sides.iter().flatten().map(Work::told).collect(),
        }
    }
}

impl Work {
    fn new() -> Self {
        Self {
            reads: Tally::default(),
            writes: Tally::default(),
            flushes: Tally::default(),
            busy_ns: 0,
            promised: Spread::new(),
        }
    }

    fn taken(&mut self, request: &Request, now_ns: u64, promise: Promise) {
        let tally = match request.action {
            Action::Read => &mut self.reads,
            Action::Write | Action::WriteDurably => &mut self.writes,
            Action::Flush => &mut self.flushes,
        };
        tally.requests += 1;
        tally.bytes += u64::from(request.len_bytes);
        self.busy_ns += promise.service_ns;
        self.promised.record(promise.end_ns - now_ns);
    }

    fn told(&self) -> Side {
        Side {
            reads: self.reads.requests,
            writes: self.writes.requests,
            flushes: self.flushes.requests,
            read_bytes: self.reads.bytes,
            write_bytes: self.writes.bytes,
            busy_s: self.busy_ns as f64 / NS_PER_S,
            latency_us: self.promised.told(),
        }
    }
}

impl Spread {
    fn new() -> Self {
        let times = Histogram::new_with_max(LATENCY_NS_MAX, LATENCY_DIGITS);
        Self { times: times.expect("these bounds are allowed"), sum_ns: 0, max_ns: 0 }
    }

    fn record(&mut self, ns: u64) {
        self.times.saturating_record(ns);
        self.sum_ns = self.sum_ns.saturating_add(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    fn told(&self) -> Times {
        let requests = self.times.len();
        let known = |ns: f64| (requests > 0).then_some(ns / NS_PER_US);
        Times {
            mean: known(self.sum_ns as f64 / requests as f64),
            p50: known(self.times.value_at_quantile(0.50) as f64),
            p99: known(self.times.value_at_quantile(0.99) as f64),
            max: known(self.max_ns as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(action: Action, len_bytes: u32) -> Request {
        Request { action, offset_bytes: 0, len_bytes }
    }

    fn alone(promise: Promise) -> Taken {
        Taken { whole: promise, sides: [Some(promise), None] }
    }

    #[test]
    fn counts_are_exact_and_unknown_without_requests() {
        let mut counters = Counters::new(false);
        assert_eq!(counters.told().latency_us.mean, None);
        for (now_ns, end_ns) in [(0, 2_000_000), (1_000, 1_000_001_000)] {
            let promise = Promise { end_ns, service_ns: 1_500_000 };
            counters.taken(&request(Action::Read, 8192), now_ns, &alone(promise));
        }
        let at_once = alone(Promise { end_ns: 0, service_ns: 0 });
        counters.taken(&request(Action::WriteDurably, 512), 0, &at_once);
        counters.taken(&request(Action::Flush, 0), 0, &at_once);
        counters.answered(12_345);
        let told = counters.told();
        assert_eq!((told.reads, told.writes, told.flushes), (2, 1, 1));
        assert_eq!((told.read_bytes, told.write_bytes), (16_384, 512));
        assert_eq!((told.in_flight, told.in_flight_max, told.busy_s), (3, 4, 0.003));
        assert_eq!(told.latency_us.mean, Some(1_002_000.0 / 4.0));
        assert_eq!((told.latency_us.max, told.late_us.max), (Some(1_000_000.0), Some(12.345)));
        let sizes: Vec<_> = told.sizes.iter().map(|size| (size.action, size.bytes, size.requests)).collect();
        assert_eq!(sizes, [("read", 8192, 2), ("write", 512, 1)]);
        assert_eq!(told.sides, []);
    }

    #[test]
    fn a_mirror_counts_each_side_and_the_whole_once() {
        let mut counters = Counters::new(true);
        let promise = |end_ns| Promise { end_ns, service_ns: end_ns };
        let both = Taken { whole: promise(3_000), sides: [Some(promise(1_000)), Some(promise(3_000))] };
        counters.taken(&request(Action::Write, 4096), 0, &both);
        counters.taken(&request(Action::Read, 8192), 0, &alone(promise(2_000)));
        let told = counters.told();
        assert_eq!((told.reads, told.writes, told.in_flight), (1, 1, 2));
        let sides: Vec<_> =
            told.sides.iter().map(|side| (side.reads, side.writes, side.read_bytes)).collect();
        assert_eq!(sides, [(1, 1, 8192), (0, 1, 0)]);
        assert_eq!((told.sides[0].latency_us.mean, told.sides[1].latency_us.mean), (Some(1.5), Some(3.0)));
        assert_eq!(told.latency_us.mean, Some(2.5));
    }
}
