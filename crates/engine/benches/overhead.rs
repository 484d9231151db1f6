//! What an I/O costs us when the engine does nothing: the floor under every result. Run with `cargo bench`.
//!
//! Each line has the least and the median time of its samples. No library of benchmarks is used: the least of them would take
//! longer to compile than the engine, with every test of it.

use std::hint::black_box;
use std::sync::mpsc::channel;

use plimsoll_engine::clock::{Clock, NS_PER_S, RealClock};
use plimsoll_engine::pace::Pace;
use plimsoll_engine::patterns::{self, Extent, Space, Volume};
use plimsoll_engine::record::{Recorder, Shape};
use plimsoll_engine::run;
use plimsoll_engine::spec::{Arrivals, RunSpec};
use plimsoll_engine::times::Times;
use serde_json::{Value, json};

const SAMPLES: usize = 50;
const SAMPLE_S: f64 = 0.02;

/// Measures what a function says that so many calls take, in seconds, and prints the time of one.
fn measure(name: &str, mut seconds: impl FnMut(u64) -> f64) {
    let mut calls = 1;
    while seconds(calls) < SAMPLE_S {
        calls *= 2;
    }
    let mut samples_ns = [0.0; SAMPLES];
    for sample_ns in &mut samples_ns {
        *sample_ns = seconds(calls) * NS_PER_S as f64 / calls as f64;
    }
    samples_ns.sort_by(f64::total_cmp);
    println!("{name:60} least {:9.1} ns, median {:9.1} ns", samples_ns[0], samples_ns[SAMPLES / 2]);
}

fn measure_call<T>(name: &str, mut call: impl FnMut() -> T) {
    measure(name, |calls| {
        let start_ns = RealClock.now_ns();
        for _ in 0..calls {
            black_box(call());
        }
        (RealClock.now_ns() - start_ns) as f64 / NS_PER_S as f64
    });
}

fn null_run_s(ios: u64, depth: u32, change: &Value) -> f64 {
    let mut spec = json!({
        "ios_max": ios, "window_s": 10.0,
        "targets": [{"path": "null:", "span_bytes": 1u64 << 40}],
        "groups": [{
            "name": "null", "engine": "null", "depth": depth,
            "classes": [{"name": "read", "op": "read", "pattern": "random", "block_bytes": 8192}],
        }],
    });
    for (key, value) in change.as_object().into_iter().flatten() {
        spec["groups"][0][key] = value.clone();
    }
    let spec = RunSpec::parse(&spec.to_string()).expect("the specification is right");
    let outcome =
        run::start(spec, &[]).and_then(|mut run| run.collect()).expect("the null engine never fails");
    outcome.runtime_s
}

/// The whole loop — pace, place, submit, reap, record — per I/O.
fn whole_loop() {
    for depth in [1, 32, 128] {
        let name = format!("null engine, per I/O: closed loop, depth {depth}");
        measure(&name, |ios| null_run_s(ios, depth, &json!({})));
    }
    let two = json!({"classes": [
        {"name": "read", "op": "read", "pattern": "random", "block_bytes": 8192, "weight": 0.8},
        {"name": "write", "op": "write", "pattern": "sequential", "block_bytes": 8192, "weight": 0.2},
    ]});
    measure("null engine, per I/O: closed loop, depth 32, two classes", |ios| null_run_s(ios, 32, &two));
    // More arrivals than can be issued, so that the loop never sleeps and counts its backlog.
    let busy = json!({"arrivals": {"kind": "poisson", "rate_per_s": 2e7}});
    measure("null engine, per I/O: open loop, depth 32, never idle", |ios| null_run_s(ios, 32, &busy));
}

fn recorder() {
    let (to_gatherer, _messages) = channel();
    let (_cleared, cleared) = channel();
    let times = Times { start_ns: 0, measure_ns: 0, end_ns: u64::MAX, window_ns: u64::MAX / 2 };
    let mut recorder =
        Recorder::new(0, Shape { first_class: 0, open_loop: vec![false] }, times, to_gatherer, cleared);
    let mut latency_ns = 1;
    measure_call("recorder, per I/O", || {
        // A walk over all magnitudes, so that the histogram is not only one cache line.
        latency_ns = latency_ns * 3 % 10_000_019 + 1;
        recorder.tick(latency_ns);
        if let Some(tally) = recorder.tally(0, 1) {
            tally.ios += 1;
            tally.latency.record(latency_ns);
        }
    });
}

fn parts() {
    measure_call("clock", || RealClock.now_ns());
    let arrivals = Arrivals::Poisson { rate_per_s: 1e5 };
    let times = Times { start_ns: NS_PER_S, measure_ns: NS_PER_S, end_ns: u64::MAX, window_ns: NS_PER_S };
    let mut pace = Pace::new(&arrivals, 1, 0, 1, &times).expect("arrivals are open");
    measure_call("poisson pace, per arrival", || {
        pace.step();
        pace.next_ns()
    });
    let extents = vec![Extent { target: 0, offset_bytes: 0, blocks: 1 << 27 }];
    let volume = Volume::new(extents, 8192, None);
    for kind in patterns::ALL {
        let space = Space { volume: volume.clone(), job: 0, jobs: 1, seed: 1, skew: kind.usual_skew() };
        let mut pattern = kind.build(&space);
        measure_call(&format!("{} pattern, per place", kind.name()), || pattern.next(8192));
    }
}

fn main() {
    whole_loop();
    recorder();
    parts();
}
