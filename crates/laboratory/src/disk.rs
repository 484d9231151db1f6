//! The disk in virtual time: when does a request end that comes now?
//!
//! A request passes, in the order of arrival, the cap of requests a second, the cap of bytes a second, and one of the servers.
//! All three are numbers, the moment from which each is free: a request begins at the later of that moment and its own, so
//! that what was promised never depends on how fast this machine answers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use plimsoll_engine::clock::NS_PER_S;
use plimsoll_engine::rng::{self, Purpose, Rng};

use crate::pauses::Pauses;
use crate::spec::DiskSpec;

const NS_PER_US: f64 = 1_000.0;
const US_PER_MINUTE: f64 = 60e6;
const BYTES_PER_MIB: f64 = 1_048_576.0;
const BYTES_PER_MB: f64 = 1e6;

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Reads.
    Read,
    /// Writes; may be answered by the write cache.
    Write,
    /// Writes past the write cache, and is on the medium when it ends.
    WriteDurably,
    /// Ends when everything written before is on the medium.
    Flush,
}

impl Action {
    /// Whether it carries data to the disk.
    pub fn writes(self) -> bool {
        matches!(self, Action::Write | Action::WriteDurably)
    }
}

/// What comes to the disk.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// What it does.
    pub action: Action,
    /// Where it begins.
    pub offset_bytes: u64,
    /// How long it is; 0 for a flush.
    pub len_bytes: u32,
}

/// When it ends, and how long a server works on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promise {
    /// Nanoseconds from the disk's beginning.
    pub end_ns: u64,
    /// Without waiting and pauses; 0 for what a cache alone answers.
    pub service_ns: u64,
}

/// The disk. Moments inside are of the time that it works; see [`Pauses`].
#[derive(Debug)]
pub struct Disk {
    spec: DiskSpec,
    pauses: Pauses,
    service: Rng,
    /// When each server is free again, soonest first.
    servers: BinaryHeap<Reverse<u64>>,
    /// When the next request may come, by the cap of requests.
    gate_ns: u64,
    /// When the way of the data is free again.
    pipe_ns: u64,
    /// Where the arm stands.
    head_bytes: u64,
    written_bytes: u64,
    /// When everything that was written is on the medium.
    clean_ns: u64,
    cache: WriteCache,
}

impl Disk {
    /// A disk at rest at moment 0. `spec` has been checked.
    pub fn new(spec: DiskSpec) -> Self {
        Self::side(spec, 0)
    }

    /// The side of that number of a mirror: with an equal law and seed its times are others.
    pub fn side(spec: DiskSpec, number: u64) -> Self {
        Self {
            spec,
            pauses: Pauses::new(spec.pause_every_s, spec.pause_s),
            service: rng::generator(spec.seed, number, Purpose::Service),
            servers: (0..spec.servers).map(|_| Reverse(0)).collect(),
            gate_ns: 0,
            pipe_ns: 0,
            head_bytes: 0,
            written_bytes: 0,
            clean_ns: 0,
            cache: WriteCache::default(),
        }
    }

    /// Takes a request that comes at `now_ns` from the beginning, no earlier than the one before.
    pub fn take(&mut self, now_ns: u64, request: &Request) -> Promise {
        let worked_ns = self.pauses.worked_ns(now_ns);
        let (end_ns, service_ns) = self.end(worked_ns, request);
        Promise { end_ns: self.pauses.clock_ns(end_ns).max(now_ns), service_ns }
    }

    fn end(&mut self, now_ns: u64, request: &Request) -> (u64, u64) {
        if request.action == Action::Flush {
            return self.flush(now_ns);
        }
        let begin_ns = self.pass_caps(now_ns, request.len_bytes);
        if self.is_cached(request) {
            return (begin_ns.saturating_add(ns(self.spec.cache_us)), 0);
        }
        let service_ns = ns(self.service_us(request));
        let end_ns = self.serve(begin_ns, service_ns);
        if request.action.writes() {
            self.written_bytes += u64::from(request.len_bytes);
            self.clean_ns = self.clean_ns.max(end_ns);
        }
        match self.spec.write_cache_bytes {
            Some(room_bytes) if request.action == Action::Write => {
                let taken_ns = self.cache.take(begin_ns, end_ns, request.len_bytes.into(), room_bytes);
                (taken_ns.saturating_add(ns(self.spec.write_cache_us)), service_ns)
            }
            _ => (end_ns, service_ns),
        }
    }

    fn pass_caps(&mut self, now_ns: u64, len_bytes: u32) -> u64 {
        let mut begin_ns = now_ns;
        if let Some(iops) = self.spec.iops {
            begin_ns = begin_ns.max(self.gate_ns);
            self.gate_ns = begin_ns + ns_of(1.0 / iops);
        }
        if let Some(mb_per_s) = self.spec.mb_per_s {
            let transfer_ns = ns_of(f64::from(len_bytes) / (mb_per_s * BYTES_PER_MB));
            begin_ns = begin_ns.max(self.pipe_ns) + transfer_ns;
            self.pipe_ns = begin_ns;
        }
        begin_ns
    }

    fn is_cached(&self, request: &Request) -> bool {
        let end_bytes = request.offset_bytes + u64::from(request.len_bytes);
        request.action == Action::Read
            && self.spec.cache_bytes.is_some_and(|cache_bytes| end_bytes <= cache_bytes)
    }

    /// When the soonest server has done it.
    fn serve(&mut self, begin_ns: u64, service_ns: u64) -> u64 {
        let mut soonest = self.servers.peek_mut().expect("a disk has at least one server");
        let end_ns = soonest.0.max(begin_ns).saturating_add(service_ns);
        *soonest = Reverse(end_ns);
        end_ns
    }

    fn flush(&mut self, now_ns: u64) -> (u64, u64) {
        let (begin_ns, service_ns) = (now_ns.max(self.clean_ns), ns(self.spec.flush_us));
        let end_ns = if service_ns == 0 { begin_ns } else { self.serve(begin_ns, service_ns) };
        (end_ns, service_ns)
    }

    fn service_us(&mut self, request: &Request) -> f64 {
        let own_us = match self.spec.law.drawn() {
            Some(law) => law.factor(self.spec.sigma, &mut self.service) * self.mean_us(request.action),
            None => self.reach_us(request),
        };
        let us = own_us + self.spec.us_per_mib * f64::from(request.len_bytes) / BYTES_PER_MIB;
        let fallen = self.spec.cliff_bytes.is_some_and(|bytes| self.written_bytes >= bytes);
        let flush_us = if request.action == Action::WriteDurably { self.spec.flush_us } else { 0.0 };
        if fallen { us * self.spec.cliff_factor + flush_us } else { us + flush_us }
    }

    fn mean_us(&self, action: Action) -> f64 {
        if action.writes() { self.spec.write_mean_us.unwrap_or(self.spec.mean_us) } else { self.spec.mean_us }
    }

    /// Seek and turn to where the request begins; nothing where the arm is there already.
    ///
    /// A short seek is an acceleration and a braking, so its time grows with the root of the distance (Ruemmler and Wilkes,
    /// IEEE Computer 27:3, 1994). Where the sector stands then is random.
    fn reach_us(&mut self, request: &Request) -> f64 {
        let distance_bytes = self.head_bytes.abs_diff(request.offset_bytes);
        self.head_bytes = request.offset_bytes + u64::from(request.len_bytes);
        if distance_bytes == 0 {
            return 0.0;
        }
        let share = distance_bytes as f64 / self.spec.size_bytes as f64;
        let seek_us = self.spec.seek_us + (self.spec.full_seek_us - self.spec.seek_us) * share.sqrt();
        let turn_us = if self.spec.rpm > 0.0 { US_PER_MINUTE / self.spec.rpm } else { 0.0 };
        seek_us + rng::unit(&mut self.service) * turn_us
    }
}

/// Bytes that were answered and are still on their way to the medium.
#[derive(Debug, Default)]
struct WriteCache {
    /// When each write is on the medium, and its bytes; soonest first.
    dirty: BinaryHeap<Reverse<(u64, u64)>>,
    dirty_bytes: u64,
    /// When the room that the last write was given is free.
    room_ns: u64,
}

impl WriteCache {
    /// When there is room for a write that comes at `now_ns` and is on the medium at `end_ns`.
    fn take(&mut self, now_ns: u64, end_ns: u64, len_bytes: u64, room_bytes: u64) -> u64 {
        self.dirty.push(Reverse((end_ns, len_bytes)));
        self.dirty_bytes += len_bytes;
        while let Some(&Reverse((clean_ns, bytes))) = self.dirty.peek() {
            if clean_ns > now_ns && self.dirty_bytes <= room_bytes {
                break;
            }
            self.dirty.pop();
            self.dirty_bytes -= bytes;
            self.room_ns = self.room_ns.max(clean_ns);
        }
        now_ns.max(self.room_ns)
    }
}

fn ns(us: f64) -> u64 {
    (us * NS_PER_US).round() as u64
}

fn ns_of(seconds: f64) -> u64 {
    (seconds * NS_PER_S as f64).round() as u64
}
