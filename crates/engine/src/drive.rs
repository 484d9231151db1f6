//! The loop of one thread: pace → submit → reap → record. Nothing in it locks, except where lanes share a stream, and nothing
//! allocates, except the counters for the first latency of each magnitude.

mod settle;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rand_core::Rng as _;

use crate::clock::Clock;
use crate::control::{Control, Gauge, Halt};
use crate::engines::{Engine, Opened};
use crate::error::Result;
use crate::file::Target;
use crate::io::{Action, Io};
use crate::limits::{DRAIN_NS_MAX, GRACE_NS_MAX};
use crate::record::{LaneEnd, Recorder};
use crate::result::{IoError, Moved};
use crate::rng::{self, Purpose, Rng};
use crate::spec::{ClassSpec, RunSpec};
use crate::stream::{Backlog, Planned, Source};
use crate::sys::memory::Buffer;
use crate::sys::thread;
use crate::times::Times;

/// A write's buffer gets fresh random words at this distance, so that no two blocks that a device could compare are
/// equal.
const STAMP_BYTES: usize = 512;

/// What one thread needs for its work.
pub struct Lane<'a> {
    /// The run.
    pub spec: &'a RunSpec,
    /// The opened targets.
    pub targets: Arc<Vec<Target>>,
    /// Number of this thread in the run.
    pub index: usize,
    /// The engine and its clock.
    pub opened: Opened,
    /// Whose I/Os this thread does: one client, or with a shared engine all of them.
    pub clients: Vec<ClientPlan>,
    /// The run's moments.
    pub times: Times,
    /// Whether to end.
    pub control: Arc<Control>,
    /// What others see.
    pub gauge: Arc<Vec<Gauge>>,
}

/// One client of a lane.
pub struct ClientPlan {
    /// Index of its group.
    pub group: usize,
    /// Outstanding I/Os.
    pub depth: u32,
    /// What comes next.
    pub source: Source,
}

/// One client at work: where its I/Os come from, and which slots are free for them.
struct Client {
    source: Source,
    /// Nothing of its stream starts from here on.
    end_ns: u64,
    /// Taken from the stream and not due yet.
    held: Option<Planned>,
    free: Vec<u32>,
    /// Since when a slot has been free without a break.
    free_since_ns: u64,
    open_loop: bool,
    think_ns: u64,
    /// A client that thinks starts nothing before.
    not_before_ns: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    intended_ns: u64,
    submitted_ns: u64,
    block: u64,
    done_bytes: u32,
    class: u16,
    client: u16,
    short: bool,
    io: Io,
}

#[derive(Default)]
struct Totals {
    /// When the first I/O was submitted; 0 before.
    first_ns: u64,
    ios: u64,
    bytes: u64,
    errors: u64,
    failed_in_a_row: u64,
    moved: Moved,
    backlog_max: u64,
    io_errors: Vec<IoError>,
}

/// A class as the loop needs it.
struct Class<'a> {
    spec: &'a ClassSpec,
    action: Action,
    /// Writes since the last flush.
    unflushed: u32,
}

struct Driver<'a> {
    engine: Box<dyn Engine>,
    clock: Rc<dyn Clock>,
    classes: Vec<Class<'a>>,
    targets: Arc<Vec<Target>>,
    clients: Vec<Client>,
    recorder: Recorder,
    control: Arc<Control>,
    slots: Vec<Slot>,
    /// Of each slot the memory, unless an I/O is under way; empty where the engine moves no bytes.
    buffers: Vec<Option<Buffer>>,
    in_flight: usize,
    data: Rng,
    fresh_data: bool,
    times: Times,
    open_loop: bool,
    give_up_ns: u64,
    measuring_from_s: Option<f64>,
    closed: bool,
    closed_ns: u64,
    spent: bool,
    /// Whether what has just ended did so within the measured time.
    in_time: bool,
    /// Whether others were let go first, after the first I/O.
    gave_way: bool,
    totals: Totals,
}

fn data_generator(spec: &RunSpec, lane: usize) -> Rng {
    rng::generator(spec.seed, lane as u64, Purpose::Data)
}

/// Fills a lane's memory with random data for the writes to come; part of getting ready, as it may take a while.
pub fn prepare(buffers: &mut [Buffer], spec: &RunSpec, lane: usize) {
    let mut data = data_generator(spec, lane);
    buffers.iter_mut().for_each(|buffer| rng::fill(&mut data, buffer));
}

/// Does one lane's whole work and hands everything to the gatherer.
pub fn run(lane: Lane, recorder: Recorder) {
    let (gauge, index) = (lane.gauge.clone(), lane.index);
    let waited_ns = thread::waited_for_processor_ns();
    let mut driver = Driver::new(lane, recorder);
    let result = driver.work(&gauge[index]);
    driver.finish(result, waited_ns);
}

/// The clients of a lane, and its slots, which are divided among them.
fn clients(plans: Vec<ClientPlan>, spec: &RunSpec, times: Times) -> (Vec<Client>, Vec<Slot>) {
    let action = Action::Read;
    let idle = Io { slot: 0, action, target: 0, offset_bytes: 0, skip_bytes: 0, len_bytes: 0 };
    let empty = Slot {
        intended_ns: 0,
        submitted_ns: 0,
        block: 0,
        done_bytes: 0,
        class: 0,
        client: 0,
        short: false,
        io: idle,
    };
    let mut slots = Vec::new();
    let clients = plans.into_iter().enumerate().map(|(client, plan)| {
        let (group, first, mut source) = (&spec.groups[plan.group], slots.len() as u32, plan.source);
        slots.extend((0..plan.depth).map(|_| Slot { client: client as u16, ..empty }));
        let (not_before_ns, end_ns) = source.with(|stream| stream.bounds_ns());
        Client {
            source,
            end_ns,
            held: None,
            free: (first..first + plan.depth).rev().collect(),
            free_since_ns: times.start_ns,
            open_loop: group.is_open_loop(),
            think_ns: (group.think_us * 1e3) as u64,
            not_before_ns,
        }
    });
    (clients.collect(), slots)
}

impl<'a> Driver<'a> {
    fn new(lane: Lane<'a>, recorder: Recorder) -> Self {
        let spec = lane.spec;
        let (clients, slots) = clients(lane.clients, spec, lane.times);
        let class = |spec| Class { spec, action: spec.action(), unflushed: 0 };
        Self {
            engine: lane.opened.engine,
            clock: lane.opened.clock,
            classes: spec.classes().map(class).collect(),
            targets: lane.targets,
            open_loop: clients.iter().any(|client| client.open_loop),
            clients,
            recorder,
            control: lane.control,
            slots,
            buffers: lane.opened.buffers.into_iter().map(Some).collect(),
            in_flight: 0,
            data: data_generator(spec, lane.index),
            fresh_data: spec.fresh_data,
            times: lane.times,
            give_up_ns: spec.give_up_latency_us.map_or(u64::MAX, |us| (us * 1e3) as u64),
            measuring_from_s: None,
            closed: false,
            closed_ns: 0,
            spent: false,
            in_time: false,
            gave_way: false,
            totals: Totals::default(),
        }
    }

    fn work(&mut self, gauge: &Gauge) -> Result<()> {
        self.engine.measure(self.times.measure_ns, self.times.end_ns);
        let mut done = Vec::with_capacity(self.slots.len());
        let mut now_ns = self.clock.now_ns();
        loop {
            for client in 0..self.clients.len() {
                self.issue(client, now_ns);
            }
            self.look_around(now_ns);
            if self.closed && (self.in_flight == 0 || self.is_stuck(now_ns)) {
                return Ok(());
            }
            self.engine.reap(self.wait_until_ns(now_ns), &mut done)?;
            now_ns = self.clock.now_ns();
            self.recorder.tick(now_ns);
            for client in &mut self.clients {
                if client.free.is_empty() {
                    client.free_since_ns = now_ns;
                }
            }
            let failed_before = self.totals.errors;
            self.in_time = self.is_in_time(now_ns);
            for completion in done.drain(..) {
                self.settle(completion, now_ns);
            }
            if self.totals.errors > failed_before {
                // Where that ends the run nothing more is begun.
                self.look_around(now_ns);
            }
            self.show(gauge, now_ns);
            self.give_way_once();
        }
    }

    /// After its first I/O the thread lets others go first that wait for this processor to do theirs: where more threads begin at one
    /// moment than there are processors, whoever is never blocked would else keep it until the kernel's next tick, 4 ms later.
    #[inline]
    fn give_way_once(&mut self) {
        if !self.gave_way && self.totals.first_ns != 0 {
            self.gave_way = true;
            std::thread::yield_now();
        }
    }

    /// Whether what ends now ends within the time by which rates are divided: it lasts until nothing is begun any more, and where a
    /// number of I/Os was asked for, until the last of them has ended. What ends on a boundary belongs to the time before it.
    fn is_in_time(&self, now_ns: u64) -> bool {
        let over = if self.closed { !self.spent } else { now_ns > self.times.end_ns };
        now_ns > self.times.measure_ns && !over
    }

    /// Submits what is due at one client while slots are free.
    #[inline]
    fn issue(&mut self, client: usize, now_ns: u64) {
        let own = &mut self.clients[client];
        if own.not_before_ns > now_ns {
            return;
        }
        let mut held = own.held.take();
        while let Some(&slot) = self.clients[client].free.last() {
            let own = &mut self.clients[client];
            let next = match held.take() {
                None if !self.closed => own.source.with(|stream| stream.take(now_ns)),
                held => held,
            };
            let Some(planned) = next else { return };
            if planned.intended_ns > now_ns {
                own.held = Some(planned);
                return;
            }
            own.free.pop();
            self.submit(slot, &planned, now_ns);
        }
        self.clients[client].held = held;
    }

    #[inline]
    fn submit(&mut self, slot: u32, planned: &Planned, now_ns: u64) {
        let action = self.classes[planned.class as usize].action;
        let io = Io {
            slot,
            action,
            target: planned.place.target,
            offset_bytes: planned.place.offset_bytes,
            skip_bytes: 0,
            len_bytes: planned.len_bytes,
        };
        if action != Action::Read {
            self.refresh(slot, planned.len_bytes as usize);
        }
        let entry = &mut self.slots[slot as usize];
        if self.open_loop {
            let own = &self.clients[entry.client as usize];
            if own.open_loop {
                note_lateness(&mut self.recorder, own.free_since_ns, planned, now_ns);
            }
        }
        if self.totals.first_ns == 0 {
            self.totals.first_ns = now_ns;
        }
        *entry = Slot {
            intended_ns: planned.intended_ns,
            submitted_ns: now_ns,
            block: planned.place.block,
            done_bytes: 0,
            class: planned.class,
            client: entry.client,
            short: false,
            io,
        };
        self.in_flight += 1;
        self.hand_over(&io);
    }

    /// Gives the engine an I/O together with its slot's memory.
    #[inline]
    fn hand_over(&mut self, io: &Io) {
        let buffer = self.buffers.get_mut(io.slot as usize).and_then(Option::take);
        self.engine.submit(io, buffer);
    }

    /// Makes a write's data unlike any other's: fresh words in every sector of the random buffer.
    fn refresh(&mut self, slot: u32, bytes: usize) {
        let Some(Some(buffer)) = self.buffers.get_mut(slot as usize) else { return };
        if self.fresh_data {
            return rng::fill(&mut self.data, &mut buffer[..bytes]);
        }
        for sector in buffer[..bytes].chunks_exact_mut(STAMP_BYTES) {
            sector[..8].copy_from_slice(&self.data.next_u64().to_le_bytes());
        }
    }

    /// Closes the stream when the run is over, in time or early.
    #[inline]
    fn look_around(&mut self, now_ns: u64) {
        if self.closed {
            return;
        }
        if self.measuring_from_s.is_none() && now_ns >= self.times.measure_ns {
            self.measuring_from_s = Some(thread::processor_s());
        }
        if self.open_loop {
            self.watch_backlog(now_ns);
        }
        if self.control.halted() != Halt::No {
            self.recorder.freeze();
            self.close(now_ns);
        } else if now_ns >= self.times.end_ns && !self.may_catch_up(now_ns) {
            self.close(now_ns);
        } else if self.is_spent(now_ns) {
            self.spent = true;
            self.close(now_ns);
        }
    }

    fn is_spent(&mut self, now_ns: u64) -> bool {
        let over = |client: &mut Client| client.source.with(|stream| stream.is_spent(now_ns));
        self.clients.iter_mut().all(|client| client.held.is_none() && over(client))
    }

    fn watch_backlog(&mut self, now_ns: u64) {
        for client in &mut self.clients {
            let Backlog { arrivals, oldest_ns } = client.source.with(|stream| stream.backlog(now_ns));
            self.totals.backlog_max = self.totals.backlog_max.max(arrivals);
            if oldest_ns > self.give_up_ns {
                self.control.halt(Halt::GaveUp);
            }
        }
    }

    /// Whether arrivals that were due before the end can still be submitted soon.
    fn may_catch_up(&mut self, now_ns: u64) -> bool {
        let behind_ns = now_ns - self.times.end_ns;
        self.clients.iter_mut().any(|client| {
            let oldest_ns = client.source.with(|stream| stream.backlog(now_ns)).oldest_ns;
            (client.held.is_some() || oldest_ns > 0) && oldest_ns.max(behind_ns) < GRACE_NS_MAX
        })
    }

    /// No I/O starts any more; arrivals that were due count with the wait that they have had.
    fn close(&mut self, now_ns: u64) {
        let end_ns = now_ns.min(self.times.end_ns);
        self.closed = true;
        self.closed_ns = end_ns;
        for client in &mut self.clients {
            client.held = client.held.filter(|planned| planned.intended_ns < end_ns);
            client.not_before_ns = 0;
        }
        if self.open_loop {
            let clients = &mut self.clients;
            self.recorder.give_up_on(|count| {
                for client in clients.iter_mut().filter(|client| client.open_loop) {
                    client.source.with(|stream| {
                        stream.close(end_ns, |class, intended_ns| {
                            count(class, intended_ns, now_ns - intended_ns)
                        })
                    });
                }
            });
        }
    }

    /// Whether I/Os have not ended for so long after the end that the device must be taken for dead. They count as failed.
    fn is_stuck(&mut self, now_ns: u64) -> bool {
        // Who asked to end waits.
        let asked = self.control.halted() == Halt::Stopped;
        let patience_ns = if asked { DRAIN_NS_MAX } else { self.engine.drain_ns() };
        if !self.clock.is_real() || now_ns.saturating_sub(self.closed_ns) < patience_ns {
            return false;
        }
        let free = |slot: &u32| self.clients[self.slots[*slot as usize].client as usize].free.contains(slot);
        let busy = (0..self.slots.len() as u32).filter(|slot| !free(slot));
        for slot in busy.collect::<Vec<_>>() {
            self.fail(slot, -libc::ETIMEDOUT);
        }
        true
    }

    /// When there is something to do that no completion has to make room for. What was due until now has been done, or
    /// cannot be done yet.
    fn wait_until_ns(&self, now_ns: u64) -> u64 {
        let mut until_ns =
            if self.closed { u64::MAX } else { self.times.end_ns.saturating_add(GRACE_NS_MAX) };
        for client in self.clients.iter().filter(|client| !client.free.is_empty()) {
            let due_ns = client.held.map_or(u64::MAX, |planned| planned.intended_ns);
            let end_ns = if self.closed { u64::MAX } else { client.end_ns };
            let moments = [due_ns, end_ns, client.not_before_ns];
            until_ns = moments.into_iter().filter(|&moment_ns| moment_ns > now_ns).fold(until_ns, u64::min);
        }
        until_ns
    }

    #[inline]
    fn show(&self, gauge: &Gauge, now_ns: u64) {
        gauge.now_ns.store(now_ns, Ordering::Relaxed);
        gauge.ios.store(self.totals.ios, Ordering::Relaxed);
        gauge.errors.store(self.totals.errors, Ordering::Relaxed);
        gauge.bytes.store(self.totals.bytes, Ordering::Relaxed);
    }

    fn finish(self, result: Result<()>, waited_before_ns: Option<u64>) {
        if result.is_err() {
            self.control.halt(Halt::Broken);
        }
        let end = result.map(|()| LaneEnd {
            first_ns: self.totals.first_ns,
            finished_ns: self.clock.now_ns(),
            closed_ns: self.closed_ns,
            spent: self.spent,
            moved: self.totals.moved,
            backlog_max: self.totals.backlog_max,
            io_errors: self.totals.io_errors,
            thread_s: self.measuring_from_s.map_or(0.0, |from_s| thread::processor_s() - from_s),
            notes: self.engine.notes(),
            counted: self.engine.counted(),
            connections: self.engine.connections(),
            workers_ns: self.engine.workers_ns(),
            processor_wait_ns: thread::waited_for_processor_ns()
                .zip(waited_before_ns)
                .map(|(after, before)| after.saturating_sub(before)),
        });
        self.recorder.finish(end);
    }
}

/// An arrival that found all slots taken waits through no fault of ours; from the moment a slot was free, we are late.
fn note_lateness(recorder: &mut Recorder, free_since_ns: u64, planned: &Planned, now_ns: u64) {
    let late_ns = now_ns.saturating_sub(planned.intended_ns.max(free_since_ns));
    if let Some(tally) = recorder.tally(planned.class, planned.intended_ns) {
        tally.lateness_ns_max = tally.lateness_ns_max.max(late_ns);
    }
}
