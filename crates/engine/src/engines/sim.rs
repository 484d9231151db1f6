//! A device that exists only in virtual time: a queue with a law of service and seeded faults.
//!
//! It answers exactly as queueing theory says, so the rest of the engine can be checked against formulas, and it
//! runs as fast as the CPU can, whatever the machine.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::{Engine, Kind, Opened, Setup};
use crate::clock::{Clock, VirtualClock};
use crate::error::{Result, invalid};
use crate::io::{Action, Io};
use crate::rng::{self, Purpose, Rng};
use crate::spec::SimSpec;
use crate::sys::completion::Completion;
use crate::sys::memory::Buffer;

const NS_PER_US: f64 = 1_000.0;
const BYTES_PER_MIB: f64 = 1_048_576.0;

/// Registry entry.
pub struct Sim;

impl Kind for Sim {
    fn name(&self) -> &'static str {
        "sim"
    }

    fn title(&self) -> &'static str {
        "simulated device in virtual time"
    }

    fn help(&self) -> &'static str {
        "A simulated device: I/Os wait in one queue, in the order of arrival, for one of `servers` servers and take a \
         time drawn from the law of service (exponential, constant or lognormal), and `us_per_mib` more for their length. \
         The first `burst_ios` may be served faster, as with burst credit; writes may have a mean of their own and become \
         slower after `cliff_ios`; reads within the first `cache_bytes` of a target may be answered by a cache. Errors, \
         short I/Os and delays happen with given probabilities, and the device may stall once or be gone after a given \
         number of I/Os. Time is virtual, so a run takes as long as the CPU needs. All groups and jobs share the \
         one device. The target is never opened; its path may be anything, such as sim:."
    }

    fn real(&self) -> bool {
        false
    }

    fn shared(&self) -> bool {
        true
    }

    fn virtual_time(&self) -> bool {
        true
    }

    fn open(&self, setup: &Setup) -> Result<Opened> {
        let sim = setup.spec.simulation.ok_or_else(|| invalid("engine sim needs the member simulation"))?;
        let clock = VirtualClock::default();
        let engine = Box::new(Device::new(sim, setup.spec.seed, clock.clone()));
        Ok(Opened { engine, clock: Rc::new(clock), buffers: Vec::new() })
    }
}

/// The simulated device.
struct Device {
    sim: SimSpec,
    clock: VirtualClock,
    service: Rng,
    faults: Rng,
    /// When each server is free again, soonest first.
    servers: BinaryHeap<Reverse<u64>>,
    /// Ends of the I/Os in service or waiting: when, in which order taken, and how.
    ends: BinaryHeap<Reverse<(u64, u64, u32, i32)>>,
    taken: u64,
    writes: u64,
}

impl Device {
    fn new(sim: SimSpec, seed: u64, clock: VirtualClock) -> Self {
        Self {
            sim,
            clock,
            service: rng::generator(seed, 0, Purpose::Service),
            faults: rng::generator(seed, 0, Purpose::Faults),
            servers: (0..sim.servers).map(|_| Reverse(0)).collect(),
            ends: BinaryHeap::new(),
            taken: 0,
            writes: 0,
        }
    }

    fn mean_us(&self, io: &Io) -> f64 {
        let sim = &self.sim;
        let writes = matches!(io.action, Action::Write | Action::WriteDurably);
        match (sim.cliff_ios, sim.cliff_mean_us) {
            (Some(ios), Some(mean_us)) if writes && self.writes >= ios => return mean_us,
            _ => {}
        }
        match (sim.burst_ios, sim.burst_mean_us) {
            (Some(ios), Some(mean_us)) if self.taken < ios => mean_us,
            _ if writes => sim.write_mean_us.unwrap_or(sim.mean_us),
            _ => sim.mean_us,
        }
    }

    fn service_ns(&mut self, io: &Io) -> u64 {
        let factor = self.sim.law.factor(self.sim.sigma, &mut self.service);
        let mut us =
            factor * self.mean_us(io) + self.sim.us_per_mib * f64::from(io.len_bytes) / BYTES_PER_MIB;
        if self.happens(self.sim.faults.delay) {
            us += self.sim.faults.delay_us;
        }
        ns(us)
    }

    /// When an I/O that comes now ends, in a queue with one server for it or in the cache.
    fn end_ns(&mut self, io: &Io) -> u64 {
        let now_ns = self.clock.now_ns();
        if let Some(cache_us) = self.sim.cache_us.filter(|_| self.is_cached(io)) {
            return now_ns.saturating_add(ns(cache_us));
        }
        let service_ns = self.service_ns(io);
        let mut soonest = self.servers.peek_mut().expect("a device has at least one server");
        let end_ns = soonest.0.max(now_ns).saturating_add(service_ns);
        *soonest = Reverse(end_ns);
        end_ns
    }

    fn is_cached(&self, io: &Io) -> bool {
        let end_bytes = io.offset_bytes + u64::from(io.len_bytes);
        io.action == Action::Read && self.sim.cache_bytes.is_some_and(|cache_bytes| end_bytes <= cache_bytes)
    }

    /// No server begins anything for a while; what is in service already ends when it would have ended.
    fn stall(&mut self) {
        let (Some(after_ios), Some(stall_us)) = (self.sim.faults.stall_after_ios, self.sim.faults.stall_us)
        else {
            return;
        };
        if self.taken == after_ios {
            let now_ns = self.clock.now_ns();
            let until = |free: Reverse<u64>| Reverse(free.0.max(now_ns).saturating_add(ns(stall_us)));
            self.servers = self.servers.drain().map(until).collect();
        }
    }

    fn happens(&mut self, probability: f64) -> bool {
        probability > 0.0 && rng::unit(&mut self.faults) < probability
    }

    fn result(&mut self, len_bytes: u32) -> i32 {
        if self.sim.faults.gone_after_ios.is_some_and(|ios| self.taken >= ios) {
            return -libc::ENODEV;
        }
        if self.happens(self.sim.faults.error) {
            return -libc::EIO;
        }
        let sectors = len_bytes / 512;
        if sectors > 1 && self.happens(self.sim.faults.short) {
            return (512 * (1 + rng::below(&mut self.faults, u64::from(sectors) - 1))) as i32;
        }
        len_bytes as i32
    }
}

fn ns(us: f64) -> u64 {
    ((us * NS_PER_US).round() as u64).max(1)
}

impl Engine for Device {
    fn submit(&mut self, io: &Io, _buffer: Option<Buffer>) {
        self.stall();
        let end_ns = self.end_ns(io);
        let result = self.result(io.len_bytes);
        self.ends.push(Reverse((end_ns, self.taken, io.slot, result)));
        self.taken += 1;
        self.writes += u64::from(matches!(io.action, Action::Write | Action::WriteDurably));
    }

    fn reap(&mut self, deadline_ns: u64, done: &mut Vec<Completion>) -> Result<()> {
        let first_ns = self.ends.peek().map_or(u64::MAX, |end| end.0.0);
        self.clock.advance_to(first_ns.min(deadline_ns));
        while let Some(&Reverse((end_ns, _, slot, result))) = self.ends.peek() {
            if end_ns > self.clock.now_ns() {
                break;
            }
            self.ends.pop();
            done.push(Completion { slot, result, buffer: None });
        }
        Ok(())
    }
}
