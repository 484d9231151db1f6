//! What a simulated device can do beside queueing: long I/Os, writes, cliffs, caches, and going wrong.

use crate::common::*;
use plimsoll_engine::limits::{FAILED_IOS_MAX, WINDOWS_MAX};
use plimsoll_engine::result::{Ended, Outcome, Row};
use serde_json::{Value, json};

/// A run on a device of constant service, one I/O at a time; `sim` changes the device, `change` the run.
fn run(sim: Value, change: Value) -> Outcome {
    let mut device = json!({"law": "constant", "mean_us": 100.0});
    device.as_object_mut().expect("it is an object").extend(sim.as_object().expect("so is this").clone());
    finish(&with(with(crate::common::sim(), json!({"simulation": device, "depth": 1})), change))
}

fn class(op: &str, block_bytes: u32) -> Value {
    json!({"name": format!("{op}-{block_bytes}"), "op": op, "pattern": "sequential", "block_bytes": block_bytes})
}

fn mean_us(row: &Row) -> f64 {
    let summary = plimsoll_engine::hdr::summary(&row.latency_hdr).expect("it decodes");
    summary.moments.expect("there are values").mean_us
}

fn assert_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 0.002, "{found}, not {expected}");
}

#[test]
fn long_ios_take_longer() {
    let classes = json!([class("read", 8192), class("read", 1 << 20)]);
    let outcome = run(json!({"us_per_mib": 400.0}), json!({"classes": classes}));
    let rows = run_rows(&outcome);
    assert_near(mean_us(rows[0]), 100.0 + 400.0 / 128.0);
    assert_near(mean_us(rows[1]), 500.0);
}

#[test]
fn writes_have_a_mean_of_their_own_where_one_is_given() {
    let classes = json!([class("read", 4096), class("write", 4096)]);
    for (sim, write_us) in [(json!({}), 100.0), (json!({"write_mean_us": 30.0}), 30.0)] {
        let outcome = run(sim, json!({"classes": classes}));
        assert_near(mean_us(run_rows(&outcome)[0]), 100.0);
        assert_near(mean_us(run_rows(&outcome)[1]), write_us);
    }
}

#[test]
fn writes_fall_off_a_cliff_and_reads_do_not() {
    let sim = json!({"cliff_ios": 5000, "cliff_mean_us": 1000.0});
    let change = json!({"ios_max": null, "runtime_s": 2.0, "window_s": 0.25});
    let with_classes = |op: &str| with_member(change.clone(), "classes", json!([class(op, 4096)]));
    let rates = |outcome: Outcome| window_rows(&outcome).iter().map(|row| row.ios * 4).collect::<Vec<_>>();
    assert_eq!(
        rates(run(sim.clone(), with_classes("write"))),
        [10_000, 10_000, 1000, 1000, 1000, 1000, 1000, 1000]
    );
    assert_eq!(rates(run(sim, with_classes("read"))), [10_000; 8]);
}

fn with_member(mut object: Value, key: &str, value: Value) -> Value {
    object[key] = value;
    object
}

#[test]
fn a_working_set_that_fits_into_the_cache_is_fast() {
    let sim = json!({"cache_bytes": 1 << 20, "cache_us": 5.0});
    let of = |span_bytes: u64, op: &str| {
        let mut one = class(op, 4096);
        one["pattern"] = json!("random");
        let targets = json!([{"path": "sim:", "span_bytes": span_bytes}]);
        let change = json!({"targets": targets, "classes": [one], "ios_max": 50_000});
        mean_us(run_rows(&run(sim.clone(), change))[0])
    };
    assert_near(of(1 << 20, "read"), 5.0);
    let half = of(2 << 20, "read");
    assert!((half - 52.5).abs() < 1.0, "half of the reads are in the cache: {half}");
    assert!(of(64 << 20, "read") > 98.0);
    assert_near(of(1 << 20, "write"), 100.0);
}

#[test]
fn the_cache_is_not_held_up_by_busy_servers() {
    let sim = json!({"cache_bytes": 1 << 20, "cache_us": 5.0});
    let targets = json!([{"path": "sim:", "span_bytes": 2 << 20}]);
    let mut read = class("read", 4096);
    read["pattern"] = json!("random");
    let outcome = run(sim, json!({"targets": targets, "classes": [read], "depth": 16, "ios_max": 20_000}));
    assert_near(quantile_us(&run_rows(&outcome)[0].latency_hdr, 0.4), 5.0);
}

#[test]
fn a_device_that_is_gone_ends_the_run_with_what_it_measured() {
    let outcome = run(json!({"faults": {"gone_after_ios": 600}}), json!({"ios_max": 100_000}));
    let row = run_rows(&outcome)[0];
    assert_eq!((row.ios, outcome.ended), (600, Ended::Errors));
    assert!((FAILED_IOS_MAX..FAILED_IOS_MAX + 16).contains(&row.errors), "{} errors", row.errors);
    assert_eq!(outcome.io_errors[0].errno, Some(libc::ENODEV));
    check_books(&outcome);
    let never = json!({"law": "constant", "mean_us": 100.0, "faults": {"gone_after_ios": 0}});
    let error = try_run(&with(sim(), json!({"simulation": never})), None).expect_err("nothing worked");
    assert_eq!((error.id, error.errno), ("all-ios-failed", Some(libc::ENODEV)));
}

#[test]
fn a_stall_holds_up_all_servers_once() {
    let sim = json!({"servers": 4, "faults": {"stall_after_ios": 500, "stall_us": 2e5}});
    let change =
        json!({"ios_max": 4000, "depth": 4, "arrivals": {"kind": "uniform", "rate_per_s": 10_000.0}});
    let outcome = run(sim, change);
    let row = run_rows(&outcome)[0];
    assert_eq!(row.ios, 4000);
    let summary = plimsoll_engine::hdr::summary(&row.latency_hdr).expect("it decodes");
    let worst_us = summary.moments.expect("there are values").max_us;
    assert!((200_000.0..201_000.0).contains(&worst_us), "{worst_us}");
    // Two thousand arrivals were due meanwhile; the queue then shrinks by 30,000 a second.
    let late = plimsoll_engine::hdr::share_above(&row.latency_hdr, 150.0).expect("it decodes");
    assert!((0.6..0.7).contains(&late), "{late}");
    let service = plimsoll_engine::hdr::share_above(&row.service_hdr, 150.0).expect("it decodes");
    assert!(service < 0.002, "only those that were in the queue of the device: {service}");
    check_books(&outcome);
}

#[test]
fn half_of_a_pair_is_refused() {
    for sim in [
        json!({"cliff_ios": 5}),
        json!({"cache_us": 5.0}),
        json!({"cache_bytes": 4096}),
        json!({"faults": {"stall_us": 5.0}}),
        json!({"faults": {"stall_after_ios": 5}}),
    ] {
        let mut device = json!({"law": "constant", "mean_us": 100.0});
        device.as_object_mut().expect("it is an object").extend(sim.as_object().expect("so is this").clone());
        let error = try_run(&with(crate::common::sim(), json!({"simulation": device})), None)
            .expect_err("half is missing");
        assert_eq!(error.id, "spec-invalid");
        assert!(error.message.contains("go together"), "{error}");
    }
}

#[test]
fn a_device_as_slow_as_can_be_asked_for_ends_with_as_many_windows_as_there_may_be() {
    let sim = json!({"mean_us": 1e9, "us_per_mib": 1e9, "faults": {"delay": 1.0, "delay_us": 1e9}});
    let outcome = run(sim, json!({"ios_max": 2, "window_s": 0.01, "depth": 1}));
    let rows = window_rows(&outcome);
    assert_eq!(rows.len() as u64, WINDOWS_MAX);
    assert_eq!(rows.iter().map(|row| row.ios).sum::<u64>(), 2);
    let last = rows[rows.len() - 1];
    assert!(
        (last.start_s + last.duration_s - outcome.runtime_s).abs() < 1e-3,
        "the last one lasts to the end"
    );
    let sim = json!({"law": "lognormal", "sigma": 5.0, "mean_us": 1e9, "faults": {"stall_after_ios": 1, "stall_us": 1e9}});
    assert_eq!(run(sim, json!({"ios_max": 100_000, "window_s": 2_592_000.0})).offered_ios, 100_000);
}
