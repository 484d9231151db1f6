//! Several kinds of clients at work at the same time.

use crate::common::*;
use plimsoll_engine::result::{Ended, Outcome, Row};
use plimsoll_engine::spec::RunSpec;
use plimsoll_engine::{hdr, run};
use serde_json::{Value, json};

fn read(name: &str) -> Value {
    json!({"name": name, "op": "read", "pattern": "random", "block_bytes": BLOCK_BYTES})
}

/// A run of some seconds of virtual time on a device with one server of constant service of 100 µs.
fn together(groups: Value) -> Outcome {
    let device = json!({"law": "constant", "mean_us": 100.0});
    let change = json!({"simulation": device, "groups": groups, "ios_max": null, "runtime_s": 2.0});
    let outcome = finish(&with(sim(), change));
    check_books(&outcome);
    outcome
}

fn row<'a>(outcome: &'a Outcome, class: &str) -> &'a Row {
    run_rows(outcome).into_iter().find(|row| row.class == class).expect("the class is in the result")
}

fn mean_us(row: &Row) -> f64 {
    hdr::summary(&row.latency_hdr).expect("it decodes").moments.expect("there are values").mean_us
}

#[test]
fn groups_stand_in_one_queue_and_are_counted_apart() {
    let small = json!({"name": "group", "engine": "sim", "depth": 1, "classes": [read("small")]});
    let large = json!({"name": "group", "engine": "sim", "depth": 7, "classes": [read("large")]});
    let alone = together(json!([small]));
    assert_eq!(mean_us(row(&alone, "small")).round(), 100.0);
    let beside = together(json!([small, large]));
    // Eight are in the queue of one server, whose turn goes round.
    for (class, share) in [("small", 1), ("large", 7)] {
        let found = row(&beside, class);
        assert!((mean_us(found) / 800.0 - 1.0).abs() < 0.01, "{class}: {}", mean_us(found));
        assert!(found.ios.abs_diff(2500 * share) <= 8, "{class}: {}", found.ios);
        assert_eq!(count(&found.latency_hdr), found.ios);
    }
}

#[test]
fn arrivals_at_a_rate_keep_their_rate_beside_a_closed_loop() {
    let closed = json!({"name": "group", "engine": "sim", "depth": 2, "classes": [read("closed")]});
    let open = json!({
        "name": "group", "engine": "sim", "depth": 64, "classes": [read("open")],
        "arrivals": {"kind": "uniform", "rate_per_s": 2000.0},
    });
    let outcome = together(json!([closed, open]));
    let (closed, open) = (row(&outcome, "closed"), row(&outcome, "open"));
    assert!(open.ios.abs_diff(4000) <= 2, "{}", open.ios);
    assert!(closed.ios.abs_diff(16_000) <= 10, "the closed loop takes what is left: {}", closed.ios);
    assert!(open.lateness_us_max.is_some() && closed.lateness_us_max.is_none());
    assert_eq!(closed.latency_hdr, closed.service_hdr);
    assert!(mean_us(open) > 200.0, "it waits behind two others");
}

/// Groups with bounds of their own, on a device of two servers: nobody waits for another.
fn bounded(groups: Value, change: Value) -> Outcome {
    let device = json!({"law": "constant", "mean_us": 100.0, "servers": 2});
    let change = with_all(json!({"simulation": device, "groups": groups, "ios_max": null}), change);
    let outcome = finish(&with(sim(), change));
    check_books(&outcome);
    outcome
}

fn with_all(mut whole: Value, more: Value) -> Value {
    let (into, from) = (whole.as_object_mut().expect("an object"), more.as_object().expect("an object"));
    into.extend(from.clone());
    whole
}

#[test]
fn a_group_ends_by_its_own_count_while_another_goes_on() {
    let short = json!({"name": "group", "engine": "sim", "classes": [read("short")], "ios_max": 1000});
    let long = json!({"name": "group", "engine": "sim", "classes": [read("long")], "ios_max": 5000});
    let outcome = bounded(json!([short, long]), json!({}));
    let (short, long) = (row(&outcome, "short"), row(&outcome, "long"));
    assert_eq!((short.ios, long.ios), (1000, 5000));
    assert!((short.last_s.unwrap() - 0.1).abs() < 0.001 && (long.last_s.unwrap() - 0.5).abs() < 0.001);
    assert_eq!(outcome.ended, Ended::IosMax);
    assert!((outcome.runtime_s - 0.5).abs() < 0.001);
}

#[test]
fn a_group_begins_late_and_ends_after_its_own_time() {
    let late = json!({"name": "group", "engine": "sim", "classes": [read("late")], "delay_s": 0.25, "runtime_s": 0.5});
    let open = json!({
        "name": "group", "engine": "sim", "classes": [read("open")], "delay_s": 0.5, "runtime_s": 0.1,
        "arrivals": {"kind": "uniform", "rate_per_s": 1000.0},
    });
    let whole = json!({"name": "group", "engine": "sim", "classes": [read("whole")]});
    let outcome = bounded(json!([late, open, whole]), json!({"runtime_s": 2.0}));
    let (late, open) = (row(&outcome, "late"), row(&outcome, "open"));
    assert!(late.ios.abs_diff(5000) < 500, "{}", late.ios);
    assert!((late.first_s.unwrap() - 0.25).abs() < 0.001 && (late.last_s.unwrap() - 0.75).abs() < 0.001);
    assert_eq!(open.ios, 100);
    assert_eq!((outcome.ended, outcome.runtime_s), (Ended::InTime, 2.0));
}

#[test]
fn a_run_ends_when_the_last_of_its_groups_does_at_whatever_bound() {
    let open = json!({
        "name": "group", "engine": "sim", "classes": [read("open")], "runtime_s": 0.3,
        "arrivals": {"kind": "uniform", "rate_per_s": 2.0},
    });
    let counted = json!({"name": "group", "engine": "sim", "classes": [read("counted")], "ios_max": 1000});
    let outcome = bounded(json!([open, counted]), json!({}));
    assert_eq!((row(&outcome, "open").ios, row(&outcome, "counted").ios), (1, 1000));
    let alone = json!({"name": "group", "engine": "sim", "classes": [read("counted")]});
    let spec = with(sim(), json!({"groups": [alone], "ios_max": null}));
    assert!(RunSpec::parse(&spec.to_string()).unwrap().check().is_err(), "nothing would end it");
}

#[test]
fn jobs_of_a_group_each_have_their_depth() {
    let device = json!({"law": "constant", "mean_us": 100.0, "servers": 100});
    let groups = json!([
        {"name": "group", "engine": "sim", "depth": 3, "jobs": 5, "classes": [read("many")]},
        {"name": "group", "engine": "sim", "depth": 2, "jobs": 1, "classes": [read("few")]},
    ]);
    let change = json!({"simulation": device, "groups": groups, "ios_max": null, "runtime_s": 1.0});
    let outcome = finish(&with(sim(), change));
    assert_eq!((row(&outcome, "many").ios, row(&outcome, "few").ios), (150_000, 20_000));
}

#[test]
fn a_client_that_thinks_starts_nothing_meanwhile() {
    let thinker = json!({"name": "group", "engine": "sim", "depth": 1, "think_us": 300.0, "classes": [read("thinker")]});
    let outcome = together(json!([thinker]));
    let thinker = row(&outcome, "thinker");
    assert!(thinker.ios.abs_diff(5000) <= 1, "100 µs of service, 300 µs of thought: {}", thinker.ios);
    assert_eq!(mean_us(thinker).round(), 100.0, "thought is no latency");
}

/// A regression: the free slot of one client told the engine to wait until a moment that was over, while another's arrivals
/// waited for a slot; virtual time stood still.
#[test]
fn a_client_without_work_does_not_hold_up_time() {
    let thinker = json!({"name": "group", "engine": "sim", "depth": 1, "think_us": 300.0, "classes": [read("thinker")]});
    let late = json!({
        "name": "group", "engine": "sim", "depth": 2, "classes": [read("late")],
        "arrivals": {"kind": "uniform", "rate_per_s": 9_900.0},
    });
    let outcome = together(json!([thinker, late]));
    assert!(row(&outcome, "late").ios > 10_000);
    check_books(&outcome);
}

#[test]
fn equal_seeds_give_equal_groups() {
    let groups = json!([
        {"name": "group", "engine": "sim", "depth": 4, "classes": [read("a")]},
        {"name": "group", "engine": "sim", "depth": 4, "classes": [read("b")], "arrivals": {"kind": "poisson", "rate_per_s": 3000.0}},
    ]);
    let (one, other) = (together(groups.clone()), together(groups));
    assert_eq!(one.rows, other.rows);
}

#[test]
fn groups_reach_only_the_targets_that_are_theirs() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    for engine in real_engines() {
        let short = json!([
            {"path": path, "span_bytes": FILE_BYTES},
            {"path": path, "span_bytes": 8192},
        ]);
        let groups = json!([
            {"name": "group", "engine": engine, "depth": 1, "targets": [0], "classes": [read("all")], "pin": false},
            {"name": "group", "engine": engine, "depth": 1, "targets": [1], "classes": [read("two")], "pin": false},
        ]);
        let outcome = finish(&with(real(engine, &path), json!({"targets": short, "groups": groups})));
        assert_eq!(
            (row(&outcome, "all").space_blocks, row(&outcome, "two").space_blocks),
            (256, 2),
            "{engine}"
        );
        assert!(row(&outcome, "two").distinct_blocks <= 2);
    }
}

#[test]
fn engines_work_beside_each_other_on_one_file() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    let engines = real_engines();
    let groups: Vec<_> = engines
        .iter()
        .map(|engine| json!({"name": "group", "engine": engine, "depth": 2, "classes": [read(engine)], "pin": false}))
        .collect();
    let change = json!({"groups": groups, "ios_max": null, "runtime_s": 0.3});
    let outcome = finish(&with(real("psync", &path), change));
    check_books(&outcome);
    for engine in engines {
        assert!(row(&outcome, engine).ios > 0, "{engine}");
        assert_eq!(count(&row(&outcome, engine).latency_hdr), row(&outcome, engine).ios);
    }
}

/// The sizes that were read, and how many of each, as the bytes of the class tell.
#[test]
fn sizes_are_drawn_by_weight() {
    let mut class = read("mixed");
    class["block_bytes"] = json!(65_536);
    class["sizes"] = json!([{"bytes": 8192, "weight": 3.0}, {"bytes": 65_536, "weight": 1.0}]);
    let outcome = finish(&with(sim(), json!({"classes": [class], "ios_max": 40_000})));
    let mean_bytes = row(&outcome, "mixed").bytes as f64 / 40_000.0;
    let expected = 0.75 * 8192.0 + 0.25 * 65_536.0;
    assert!((mean_bytes / expected - 1.0).abs() < 0.02, "{mean_bytes}, not {expected}");
}

#[test]
fn every_nth_write_lasts_until_the_flush_has_ended() {
    let class = json!({
        "name": "log", "op": "write", "pattern": "log_write", "block_bytes": BLOCK_BYTES,
        "flush": {"every": 4, "call": "fdatasync"},
    });
    let device = json!({"law": "constant", "mean_us": 100.0});
    let outcome =
        finish(&with(sim(), json!({"classes": [class], "depth": 1, "simulation": device, "ios_max": 4000})));
    let log = row(&outcome, "log");
    assert_eq!(log.ios, 4000, "a flush is no i/o of its own");
    assert_eq!(quantile_us(&log.latency_hdr, 0.74).round(), 100.0);
    assert_eq!(quantile_us(&log.latency_hdr, 0.76).round(), 200.0);
    check_books(&outcome);
}

#[test]
fn a_log_is_written_durably_by_every_engine() {
    let class = json!({
        "name": "log", "op": "write", "pattern": "log_write", "block_bytes": 8192,
        "sizes": [{"bytes": 4096, "weight": 1.0}, {"bytes": 8192, "weight": 1.0}],
        "flush": {"every": 8, "call": "fdatasync"},
    });
    for engine in real_engines() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = numbered_file(folder.path());
        let spec = with(real(engine, &path), json!({"classes": [class], "depth": 1, "ios_max": 64}));
        let outcome = run::start(parsed(&spec), &[permit(&path)]).and_then(|mut run| run.collect());
        let outcome = outcome.expect("the permit is right");
        let written = row(&outcome, "log").bytes as usize;
        let bytes = std::fs::read(&path).expect("the file reads");
        let kept = |number: usize| bytes[number * 4096..][..4096] == block_of(number as u64);
        assert!((0..written / 4096).all(|number| !kept(number)), "{engine} left a gap");
        assert!((written / 4096..256).all(kept), "{engine} wrote behind the log's end");
    }
}
