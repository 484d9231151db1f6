//! The loop of one thread with an engine and a clock made for the case: what no real device does on demand.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::channel;

use crate::common::*;
use plimsoll_engine::clock::{Clock, NS_PER_S};
use plimsoll_engine::control::{Control, Gauge};
use plimsoll_engine::drive::{self, ClientPlan, Lane};
use plimsoll_engine::engines::{Engine, Opened};
use plimsoll_engine::file::{Alignment, Target};
use plimsoll_engine::io::Io;
use plimsoll_engine::record::{LaneEnd, Message, Recorder, Shape, Tally};
use plimsoll_engine::stream::{Budget, Source, Stream};
use plimsoll_engine::sys::completion::Completion;
use plimsoll_engine::sys::memory::Buffer;
use plimsoll_engine::times::Times;
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

/// Time that a test moves; it claims to be real.
#[derive(Clone, Default)]
struct Hand(Rc<Cell<u64>>);

impl Clock for Hand {
    fn now_ns(&self) -> u64 {
        self.0.get()
    }

    fn is_real(&self) -> bool {
        true
    }
}

/// An engine that answers as a script says: the script gets what is under way and the deadline, moves the clock, and
/// returns what has ended.
struct Scripted<F> {
    under_way: Vec<Io>,
    submitted: Rc<RefCell<Vec<Io>>>,
    script: F,
}

impl<F: FnMut(&mut Vec<Io>, u64) -> Vec<Completion>> Engine for Scripted<F> {
    fn submit(&mut self, io: &Io, _buffer: Option<Buffer>) {
        self.under_way.push(*io);
        self.submitted.borrow_mut().push(*io);
    }

    fn reap(&mut self, deadline_ns: u64, done: &mut Vec<Completion>) -> plimsoll_engine::Result<()> {
        done.extend((self.script)(&mut self.under_way, deadline_ns));
        Ok(())
    }
}

/// What one lane did: its end, the sum of its measured tallies, and every I/O that it submitted.
struct Story {
    end: LaneEnd,
    tally: Tally,
    submitted: Vec<Io>,
}

fn drive(
    spec: &Value,
    unit_bytes: u32,
    clock: Hand,
    script: impl FnMut(&mut Vec<Io>, u64) -> Vec<Completion> + 'static,
) -> Story {
    let spec = parsed(spec);
    let submitted = Rc::new(RefCell::new(Vec::new()));
    let engine = Scripted { under_way: Vec::new(), submitted: submitted.clone(), script };
    let end_ns = spec.runtime_s.map_or(u64::MAX, |runtime_s| (runtime_s * NS_PER_S as f64) as u64);
    let times = Times { start_ns: 0, measure_ns: 0, end_ns, window_ns: u64::MAX / 2 };
    let budget = Arc::new(Budget::new(spec.ios_max));
    let stream = Stream::new(&spec, 0, 0, times, budget).expect("the specification is right");
    let file = std::fs::File::open("/dev/null").expect("it is always there");
    let alignment = Alignment { offset_bytes: unit_bytes, memory_bytes: unit_bytes };
    let (to_gatherer, messages) = channel();
    let (_cleared, cleared) = channel();
    let open_loop = spec.is_open_loop();
    let shape = Shape { first_class: 0, open_loop: vec![open_loop] };
    let recorder = Recorder::new(0, shape, times, to_gatherer, cleared);
    let lane = Lane {
        spec: &spec,
        targets: Arc::new(vec![Target { file, path: "scripted".into(), alignment }]),
        index: 0,
        opened: Opened { engine: Box::new(engine), clock: Rc::new(clock), buffers: Vec::new() },
        clients: vec![ClientPlan {
            group: 0,
            depth: spec.groups[0].depth,
            source: Source::Own(Box::new(stream)),
        }],
        times,
        control: Arc::new(Control::default()),
        gauge: Arc::new(vec![Gauge::default()]),
    };
    drive::run(lane, recorder);
    let mut tally = Tally::new(open_loop);
    let mut end = None;
    for message in messages {
        match message {
            Message::Window(_, bundle) | Message::Unissued(bundle) => tally.add(&bundle.tallies[0]),
            Message::Finished(_, finished) => end = Some(finished.expect("the engine is not broken")),
        }
    }
    Story { end: end.expect("a lane says that it is over"), tally, submitted: submitted.take() }
}

fn ended(io: &Io, result: i32) -> Completion {
    Completion { slot: io.slot, result, buffer: None }
}

fn whole(io: &Io) -> Completion {
    ended(io, io.len_bytes as i32)
}

#[test]
fn the_rest_of_a_short_io_is_asked_for_from_the_last_boundary() {
    let clock = Hand::default();
    let hand = clock.clone();
    // The first answer is short, the second is all that is left.
    let mut pieces = vec![None, Some(1300)];
    let story = drive(&with(sim(), json!({"depth": 1, "ios_max": 1})), 512, clock, move |under_way, _| {
        hand.0.set(hand.0.get() + MS);
        let io = under_way.remove(0);
        let result = pieces.pop().flatten().unwrap_or(io.len_bytes as i32);
        vec![ended(&io, result)]
    });
    let [first, rest] = story.submitted[..] else { panic!("{:?}", story.submitted) };
    assert_eq!((first.skip_bytes, first.len_bytes), (0, 4096));
    assert_eq!((rest.skip_bytes, rest.len_bytes), (1024, 3072), "1300 bytes end in the third sector");
    assert_eq!(rest.offset_bytes, first.offset_bytes + 1024);
    assert_eq!(
        (story.tally.ios, story.tally.short_ios, story.tally.errors, story.tally.bytes),
        (1, 1, 0, 4096)
    );
    assert!(
        story.tally.latency.histogram().max().abs_diff(2 * MS) < MS / 100,
        "the latency is that of both parts together"
    );
}

#[test]
fn an_io_that_moves_less_than_one_unit_has_failed() {
    let clock = Hand::default();
    let spec = with(sim(), json!({"depth": 1, "ios_max": 1}));
    let story = drive(&spec, 512, clock, |under_way, _| vec![ended(&under_way.remove(0), 100)]);
    assert_eq!((story.tally.ios, story.tally.errors, story.submitted.len()), (0, 1, 1));
    assert_eq!(story.end.io_errors[0].message, "the target ended before the block did");
}

#[test]
fn a_device_that_never_answers_is_given_up_after_the_end() {
    let clock = Hand::default();
    let hand = clock.clone();
    let spec = with(sim(), json!({"depth": 3, "ios_max": null, "runtime_s": 2.0}));
    let story = drive(&spec, 1, clock.clone(), move |_, _| {
        hand.0.set(hand.0.get() + NS_PER_S);
        Vec::new()
    });
    assert_eq!((story.tally.ios, story.tally.errors), (0, 3), "all three count, as failed");
    assert_eq!(story.end.io_errors[0].errno, Some(libc::ETIMEDOUT));
    assert_eq!(clock.now_ns() / NS_PER_S, 32, "30 s after the end");
}

#[test]
fn our_own_lateness_is_told_apart_from_the_wait_for_a_slot() {
    let arrivals = json!({"kind": "uniform", "rate_per_s": 100.0});
    let spec = with(sim(), json!({"depth": 1, "ios_max": 4, "arrivals": arrivals}));
    let clock = Hand::default();
    let hand = clock.clone();
    // Arrivals are due at 0, 10, 20 and 30 ms. The first takes 15 ms, so the second waits 5 ms for its slot; the third
    // finds the slot free, but we oversleep by 3 ms.
    let mut takes_ms = vec![1, 1, 1, 15];
    let story = drive(&spec, 1, clock, move |under_way, deadline_ns| {
        if under_way.is_empty() {
            let overslept_ms = if deadline_ns == 20 * MS { 3 } else { 0 };
            hand.0.set(deadline_ns + overslept_ms * MS);
            return Vec::new();
        }
        hand.0.set(hand.0.get() + takes_ms.pop().expect("there are four") * MS);
        under_way.drain(..).map(|io| whole(&io)).collect()
    });
    assert_eq!(story.tally.ios, 4);
    assert_eq!(story.tally.lateness_ns_max, 3 * MS);
    let latency = story.tally.latency.histogram();
    let latency_ms = |share| (latency.value_at_quantile(share) as f64 / MS as f64).round();
    // From the intended start: 15, 5 + 1, 3 + 1 and 1 ms.
    assert_eq!([0.25, 0.5, 0.75, 1.0].map(latency_ms), [1.0, 4.0, 6.0, 15.0]);
    let service = story.tally.service.as_ref().expect("an open loop has service times").histogram();
    let service_ms = |share| (service.value_at_quantile(share) as f64 / MS as f64).round();
    assert_eq!([0.25, 0.5, 0.75, 1.0].map(service_ms), [1.0, 1.0, 1.0, 15.0], "which the submission hides");
    assert_eq!(story.end.backlog_max, 0, "whoever waits for a slot alone is taken at once");
}

#[test]
fn what_ends_after_the_time_is_not_completed_in_it() {
    let ended_of = |asked: Value| {
        let clock = Hand::default();
        let hand = clock.clone();
        let story = drive(&with(sim(), asked), 1, clock, move |under_way, deadline_ns| {
            let until_ns = if under_way.is_empty() { deadline_ns } else { hand.0.get() + 3 * MS };
            hand.0.set(until_ns);
            under_way.drain(..).map(|io| whole(&io)).collect()
        });
        (story.tally.ios, story.tally.completed_ios)
    };
    // Four at once, after 3, 6, 9 and 12 ms.
    assert_eq!(ended_of(json!({"depth": 4, "ios_max": null, "runtime_s": 0.01})), (16, 12));
    // Where a number was asked for, the time lasts until the last of them.
    assert_eq!(ended_of(json!({"depth": 4, "ios_max": 8, "runtime_s": 0.005})), (8, 8));
}

#[test]
fn arrivals_of_the_last_moment_are_still_submitted() {
    let arrivals = json!({"kind": "uniform", "rate_per_s": 1000.0});
    let spec = with(sim(), json!({"depth": 1, "ios_max": null, "runtime_s": 0.01, "arrivals": arrivals}));
    let clock = Hand::default();
    let hand = clock.clone();
    // Ten arrivals, each served in 1.2 ms: at the end two are still waiting, which is no backlog worth the name.
    let story = drive(&spec, 1, clock, move |under_way, deadline_ns| {
        let until_ns = if under_way.is_empty() { deadline_ns } else { hand.0.get() + 1_200_000 };
        hand.0.set(until_ns);
        under_way.drain(..).map(|io| whole(&io)).collect()
    });
    assert_eq!((story.tally.ios, story.tally.unissued_ios), (10, 0));
}

#[test]
fn time_that_moves_only_when_it_is_told_to_ends_too() {
    let arrivals = json!({"kind": "uniform", "rate_per_s": 1000.0});
    let spec = with(sim(), json!({"depth": 1, "ios_max": null, "runtime_s": 0.01, "arrivals": arrivals}));
    let clock = Hand::default();
    let hand = clock.clone();
    let mut waits = 0;
    // The first takes 30 ms. So the clock stands for a moment where the last arrivals may just not be submitted any more.
    let story = drive(&spec, 1, clock, move |under_way, deadline_ns| {
        waits += 1;
        assert!(waits < 100, "nobody waits for a moment that is over");
        let ended_ns = if under_way.is_empty() { u64::MAX } else { 30 * MS };
        hand.0.set(deadline_ns.min(ended_ns));
        if deadline_ns < ended_ns { Vec::new() } else { under_way.drain(..).map(|io| whole(&io)).collect() }
    });
    assert_eq!((story.tally.ios, story.tally.unissued_ios), (1, 9));
}
