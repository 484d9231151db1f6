//! The whole engine against queueing theory, on the simulated device in virtual time.

use crate::common::*;
use plimsoll_engine::result::{Ended, Row, Scope};
use proptest::prelude::*;
use serde_json::{Value, json};

fn poisson(rate_per_s: f64) -> Value {
    json!({"kind": "poisson", "rate_per_s": rate_per_s})
}

/// The time in an M/M/1 system is exponential with rate μ − λ (Kleinrock, Queueing Systems I, 1975, eq. 3.23 ff.), so the
/// quantile q is −ln(1 − q) / (μ − λ).
#[test]
fn an_mm1_queue_has_the_latencies_of_the_formula() {
    for (rate_per_s, tolerance) in [(3000.0, 0.02), (7000.0, 0.03), (9000.0, 0.08)] {
        let change =
            json!({"arrivals": poisson(rate_per_s), "ios_max": 1_500_000, "depth": 65_536, "warm_up_s": 2.0});
        let outcome = finish(&with(sim(), change));
        let row = run_rows(&outcome)[0];
        for share in [0.5, 0.9, 0.99] {
            let exact_us = -(1.0f64 - share).ln() / (10_000.0 - rate_per_s) * 1e6;
            let found_us = quantile_us(&row.latency_hdr, share);
            let off = found_us / exact_us - 1.0;
            assert!(off.abs() < tolerance, "{rate_per_s}/s: quantile {share} is {found_us}, not {exact_us}");
        }
        assert_eq!(outcome.backlog_max, Some(0), "the depth is never reached");
    }
}

/// In M/D/1 the mean wait is ρ/(2(1−ρ)) services (Pollaczek and Khinchine).
#[test]
fn an_md1_queue_waits_half_as_long_as_an_mm1_queue() {
    let device = json!({"law": "constant", "mean_us": 100.0});
    let change = json!({"arrivals": poisson(8000.0), "ios_max": 1_000_000, "depth": 65_536, "simulation": device, "warm_up_s": 2.0});
    let outcome = finish(&with(sim(), change));
    let mean_us = plimsoll_engine::hdr::summary(&run_rows(&outcome)[0].latency_hdr).expect("it decodes");
    let mean_us = mean_us.moments.expect("there are values").mean_us;
    let exact_us = 100.0 + 100.0 * 0.8 / (2.0 * 0.2);
    assert!((mean_us / exact_us - 1.0).abs() < 0.03, "{mean_us}, not {exact_us}");
}

#[test]
fn log_normal_service_has_the_asked_mean_and_spread() {
    let device = json!({"law": "lognormal", "mean_us": 100.0, "sigma": 0.8});
    let outcome = finish(&with(sim(), json!({"simulation": device, "depth": 1, "ios_max": 400_000})));
    let latencies = &run_rows(&outcome)[0].latency_hdr;
    let moments =
        plimsoll_engine::hdr::summary(latencies).expect("it decodes").moments.expect("there are values");
    assert!((moments.mean_us - 100.0).abs() < 1.0, "{moments:?}");
    // exp(−σ²/2) of the mean lies in the middle.
    let median_us = quantile_us(latencies, 0.5);
    assert!((median_us - 100.0 * (-0.32f64).exp()).abs() < 1.0, "{median_us}");
}

#[test]
fn several_servers_work_at_once() {
    let device = json!({"law": "constant", "mean_us": 100.0, "servers": 8});
    let change = json!({"simulation": device, "depth": 8, "ios_max": null, "runtime_s": 1.0});
    assert_eq!(run_rows(&finish(&with(sim(), change)))[0].ios, 80_000);
}

#[test]
fn burst_credit_makes_the_beginning_fast() {
    let device = json!({"law": "constant", "mean_us": 1000.0, "burst_ios": 5000, "burst_mean_us": 100.0});
    let change =
        json!({"simulation": device, "depth": 1, "ios_max": null, "runtime_s": 2.0, "window_s": 0.25});
    let rates: Vec<_> = window_rows(&finish(&with(sim(), change))).iter().map(|row| row.ios * 4).collect();
    assert_eq!(rates, [10_000, 10_000, 1000, 1000, 1000, 1000, 1000, 1000]);
}

/// What fio-style tools record is the time since submission, which stays flat however far the arrivals fall behind.
#[test]
fn over_capacity_the_intended_start_shows_what_the_submission_hides() {
    let device = json!({"law": "constant", "mean_us": 100.0});
    let change = json!({"arrivals": poisson(12_000.0), "ios_max": null, "runtime_s": 10.0, "depth": 32, "simulation": device});
    let outcome = finish(&with(sim(), change));
    let row = run_rows(&outcome)[0];
    assert_eq!(quantile_us(&row.service_hdr, 0.99).round(), 3201.0, "32 in the queue of a server of 100 µs");
    // After 10 s the server is 10 × (1 − 10/12) = 1.67 s behind.
    let latency_us = quantile_us(&row.latency_hdr, 0.99);
    assert!((1.5e6..1.8e6).contains(&latency_us), "{latency_us}");
    let windows = window_rows(&outcome);
    let medians: Vec<_> = windows.iter().map(|row| quantile_us(&row.latency_hdr, 0.5)).collect();
    assert!(medians.windows(2).all(|pair| pair[0] < pair[1]), "it grows without end: {medians:?}");
    check_books(&outcome);
}

/// A run that is cut off may not look better for it: whoever still waits counts with the wait so far.
#[test]
fn arrivals_that_were_never_submitted_are_not_forgotten() {
    let device = json!({"law": "constant", "mean_us": 100.0});
    let change =
        json!({"arrivals": poisson(20_000.0), "ios_max": null, "runtime_s": 5.0, "simulation": device});
    let outcome = finish(&with(sim(), change));
    let row = run_rows(&outcome)[0];
    assert!(row.ios.abs_diff(50_000) <= 4, "{} were served", row.ios);
    assert!(row.unissued_ios.abs_diff(50_000) < 1500, "{} waited at the end", row.unissued_ios);
    assert!(outcome.backlog_max.expect("an open loop has one") >= row.unissued_ios - 1);
    assert!(outcome.offered_ios.abs_diff(100_000) < 6 * 317, "{} were due", outcome.offered_ios);
    check_books(&outcome);
}

#[test]
fn a_run_gives_up_when_the_oldest_arrival_has_waited_too_long() {
    let change = json!({
        "arrivals": poisson(20_000.0), "ios_max": null, "runtime_s": 1000.0, "give_up_latency_us": 100_000.0,
    });
    let outcome = finish(&with(sim(), change));
    assert_eq!(outcome.ended, Ended::GaveUp);
    // The wait grows by half a second each second.
    assert!((0.15..0.25).contains(&outcome.runtime_s), "{}", outcome.runtime_s);
    assert!(outcome.notes.iter().any(|note| note.code == "gave-up"));
    let row = run_rows(&outcome)[0];
    assert!(quantile_us(&row.latency_hdr, 1.0) >= 100_000.0, "and that wait is in the result");
    check_books(&outcome);
}

#[test]
fn below_capacity_no_arrival_is_late_in_virtual_time() {
    let change = json!({"arrivals": poisson(5000.0), "ios_max": 10_000, "depth": 1000});
    assert_eq!(run_rows(&finish(&with(sim(), change)))[0].lateness_us_max, Some(0.0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_books_balance_whatever_is_asked(
        rate_per_s in prop::option::of(100.0f64..40_000.0),
        depth in 1u32..64,
        jobs in 1u32..4,
        warm_up_s in 0.0f64..0.3,
        runtime_s in prop::option::of(0.01f64..1.0),
        ios_max in 1u64..5000,
        window_s in 0.05f64..0.5,
        error in 0.0f64..0.2,
        short in 0.0f64..0.5,
        seed: u64,
    ) {
        let arrivals = rate_per_s.map_or_else(|| json!({"kind": "closed"}), poisson);
        let faults = json!({"error": error, "short": short});
        let outcome = try_run(&with(sim(), json!({
            "arrivals": arrivals, "depth": depth, "jobs": jobs, "warm_up_s": warm_up_s, "runtime_s": runtime_s,
            "ios_max": ios_max, "window_s": window_s, "seed": seed,
            "simulation": {"law": "exponential", "mean_us": 100.0, "faults": faults},
        })), None);
        match outcome {
            Ok(outcome) => {
                check_books(&outcome);
                prop_assert!(outcome.offered_ios <= ios_max || outcome.ended != Ended::IosMax);
            }
            Err(refused) => prop_assert_eq!(refused.id, "all-ios-failed"),
        }
    }
}

/// Each window of a series has its own step's classes and rates, and a step that asks for more than the device does leaves a
/// backlog that the next one still waits for.
#[test]
fn a_series_of_rates_is_driven_step_by_step() {
    let classes = json!([
        {"name": "small", "op": "read", "pattern": "random", "block_bytes": 4096, "weight": 1.0},
        {"name": "large", "op": "read", "pattern": "sequential", "block_bytes": 65536, "weight": 1.0},
    ]);
    let steps = json!([
        {"duration_s": 1.0, "rates_per_s": [4000.0, 0.0]},
        {"duration_s": 1.0, "rates_per_s": [0.0, 2000.0]},
        {"duration_s": 1.0, "rates_per_s": [12_000.0, 3000.0]},
        {"duration_s": 1.0, "rates_per_s": [1000.0, 0.0]},
        {"duration_s": 1.0, "rates_per_s": [0.0, 0.0]},
    ]);
    let change = json!({
        "classes": classes, "arrivals": {"kind": "series", "steps": steps}, "ios_max": null, "runtime_s": 5.0, "depth": 65_536,
        "window_s": 1.0, "simulation": {"law": "constant", "mean_us": 100.0},
    });
    let outcome = finish(&with(sim(), change));
    let row = |class: &str, window: u64| {
        let found = |row: &&Row| row.scope == Scope::Window(window) && row.class == class;
        outcome.rows.iter().find(found).expect("a row for each class and window")
    };
    for (class, window, asked) in
        [("small", 0, 4000.0), ("large", 0, 0.0), ("small", 1, 0.0), ("large", 1, 2000.0)]
    {
        let ios = row(class, window).ios as f64;
        assert!(
            (ios - asked).abs() <= 6.0 * f64::sqrt(asked),
            "{class} in window {window}: {ios} for {asked}"
        );
    }
    // 15,000 arrive where 10,000 are served: the last that are answered within the second waited a third of one, and what is
    // answered after it up to half of one.
    assert!(quantile_us(&row("large", 2).latency_hdr, 0.99) > 300_000.0);
    assert!(quantile_us(&row("small", 3).latency_hdr, 0.99) > 450_000.0);
    assert!(quantile_us(&row("small", 0).latency_hdr, 0.99) < 2000.0);
    assert_eq!(
        run_rows(&outcome).iter().map(|row| row.unissued_ios).sum::<u64>(),
        0,
        "the backlog is gone at the end"
    );
}
