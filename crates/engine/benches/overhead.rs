//! What an I/O costs us when the engine does nothing: the floor under every result. Run with `cargo bench`.

use std::sync::mpsc::channel;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use plimsoll_engine::clock::{Clock, NS_PER_S, RealClock};
use plimsoll_engine::pace::Pace;
use plimsoll_engine::patterns::{self, Extent, Space, Volume};
use plimsoll_engine::record::{Recorder, Shape};
use plimsoll_engine::run;
use plimsoll_engine::spec::{Arrivals, RunSpec};
use plimsoll_engine::times::Times;
use serde_json::{Value, json};

fn null_run(ios: u64, depth: u32, change: &Value) -> Duration {
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
    Duration::from_secs_f64(outcome.runtime_s)
}

/// The whole loop — pace, place, submit, reap, record — per I/O.
fn whole_loop(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("null engine, per I/O");
    group.throughput(Throughput::Elements(1));
    for depth in [1, 32, 128] {
        group.bench_function(format!("closed loop, depth {depth}"), |bencher| {
            bencher.iter_custom(|ios| null_run(ios, depth, &json!({})));
        });
    }
    let two = json!({"classes": [
        {"name": "read", "op": "read", "pattern": "random", "block_bytes": 8192, "weight": 0.8},
        {"name": "write", "op": "write", "pattern": "sequential", "block_bytes": 8192, "weight": 0.2},
    ]});
    group.bench_function("closed loop, depth 32, two classes", |bencher| {
        bencher.iter_custom(|ios| null_run(ios, 32, &two));
    });
    // More arrivals than can be issued, so that the loop never sleeps and counts its backlog.
    let busy = json!({"arrivals": {"kind": "poisson", "rate_per_s": 2e7}});
    group.bench_function("open loop, depth 32, never idle", |bencher| {
        bencher.iter_custom(|ios| null_run(ios, 32, &busy));
    });
    group.finish();
}

fn recorder(criterion: &mut Criterion) {
    let (to_gatherer, _messages) = channel();
    let (_cleared, cleared) = channel();
    let times = Times { start_ns: 0, measure_ns: 0, end_ns: u64::MAX, window_ns: u64::MAX / 2 };
    let mut recorder =
        Recorder::new(0, Shape { first_class: 0, open_loop: vec![false] }, times, to_gatherer, cleared);
    let mut latency_ns = 1;
    criterion.bench_function("recorder, per I/O", |bencher| {
        bencher.iter(|| {
            // A walk over all magnitudes, so that the histogram is not only one cache line.
            latency_ns = latency_ns * 3 % 10_000_019 + 1;
            recorder.tick(latency_ns);
            if let Some(tally) = recorder.tally(0, 1) {
                tally.ios += 1;
                tally.latency.record(latency_ns);
            }
        });
    });
}

fn parts(criterion: &mut Criterion) {
    criterion.bench_function("clock", |bencher| bencher.iter(|| RealClock.now_ns()));
    let arrivals = Arrivals::Poisson { rate_per_s: 1e5 };
    let times = Times { start_ns: NS_PER_S, measure_ns: NS_PER_S, end_ns: u64::MAX, window_ns: NS_PER_S };
    let mut pace = Pace::new(&arrivals, 1, 0, 1, &times).expect("arrivals are open");
    criterion.bench_function("poisson pace, per arrival", |bencher| {
        bencher.iter(|| {
            pace.step();
            pace.next_ns()
        });
    });
    let extents = vec![Extent { target: 0, offset_bytes: 0, blocks: 1 << 27 }];
    let volume = Volume::new(extents, 8192, None);
    for kind in patterns::ALL {
        let space = Space { volume: volume.clone(), job: 0, jobs: 1, seed: 1, skew: kind.usual_skew() };
        let mut pattern = kind.build(&space);
        criterion.bench_function(&format!("{} pattern, per place", kind.name()), |bencher| {
            bencher.iter(|| pattern.next(8192));
        });
    }
}

fn short() -> Criterion {
    Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1))
}

criterion_group! { name = benches; config = short(); targets = whole_loop, recorder, parts }
criterion_main!(benches);
