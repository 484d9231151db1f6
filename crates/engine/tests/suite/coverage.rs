//! How many blocks a run visited, of those that it could reach.

use crate::common::*;
use plimsoll_engine::result::Row;
use serde_json::{Value, json};

/// Runs one class on the simulated device, over a space of so many blocks.
fn row(class: Value, blocks: u64, change: Value) -> Row {
    let targets = json!([{"path": "sim:", "span_bytes": blocks * u64::from(BLOCK_BYTES)}]);
    let mut whole = json!({"name": "c", "op": "read", "pattern": "random", "block_bytes": BLOCK_BYTES});
    whole.as_object_mut().expect("it is an object").extend(class.as_object().expect("so is this").clone());
    let spec = with(with(sim(), json!({"targets": targets, "classes": [whole]})), change);
    run_rows(&finish(&spec))[0].clone()
}

fn is_near(found: u64, expected: f64) -> bool {
    (found as f64 / expected - 1.0).abs() < 0.03
}

#[test]
fn a_shuffled_pass_visits_every_block() {
    let row = row(json!({"pattern": "shuffled"}), 30_000, json!({"ios_max": 30_000}));
    assert_eq!(row.space_blocks, 30_000);
    assert!(
        row.distinct_blocks <= 30_000 && is_near(row.distinct_blocks, 30_000.0),
        "{}",
        row.distinct_blocks
    );
}

/// Of n blocks, k draws with replacement leave out n·e^(−k/n).
#[test]
fn random_draws_miss_some_blocks() {
    let row = row(json!({}), 100_000, json!({"ios_max": 200_000}));
    let expected = 100_000.0 * (1.0 - (-2.0f64).exp());
    assert!(is_near(row.distinct_blocks, expected), "{}, not {expected}", row.distinct_blocks);
}

#[test]
fn a_small_space_shows_in_a_long_run_and_the_warm_up_does_not_count() {
    let row = row(json!({"pattern": "sequential"}), 64, json!({"ios_max": 5000, "warm_up_s": 0.1}));
    assert_eq!((row.distinct_blocks.abs_diff(64) <= 1, row.space_blocks), (true, 64));
    let short =
        self::row(json!({"pattern": "sequential"}), 1 << 20, json!({"ios_max": 500, "warm_up_s": 0.1}));
    assert!(short.distinct_blocks.abs_diff(500) <= 5, "{}", short.distinct_blocks);
}

#[test]
fn skewed_draws_visit_fewer_blocks_than_even_ones() {
    let of = |class| row(class, 100_000, json!({"ios_max": 100_000})).distinct_blocks;
    let (even, skewed) = (of(json!({})), of(json!({"pattern": "zipf", "skew": 1.2})));
    assert!(skewed * 2 < even, "{skewed} and {even}");
}

#[test]
fn windows_count_their_own_blocks_and_the_run_the_union() {
    let change = json!({"ios_max": null, "runtime_s": 1.0, "window_s": 0.25});
    let targets = json!([{"path": "sim:", "span_bytes": 1000 * u64::from(BLOCK_BYTES)}]);
    let outcome = finish(&with(with(sim(), change), json!({"targets": targets})));
    let whole = run_rows(&outcome)[0];
    assert!(window_rows(&outcome).iter().all(|row| row.distinct_blocks <= whole.distinct_blocks));
    assert!(window_rows(&outcome).iter().map(|row| row.distinct_blocks).sum::<u64>() > whole.distinct_blocks);
}

#[test]
fn several_targets_count_as_one_space() {
    let targets = json!([
        {"path": "sim:a", "span_bytes": 100 * u64::from(BLOCK_BYTES)},
        {"path": "sim:b", "span_bytes": 300 * u64::from(BLOCK_BYTES)},
    ]);
    for (stripe_bytes, blocks) in [(None, 400), (Some(65536), 192)] {
        let change = json!({"targets": targets, "stripe_bytes": stripe_bytes, "ios_max": 10_000});
        let outcome = finish(&with(sim(), change));
        let row = run_rows(&outcome)[0];
        assert_eq!(row.space_blocks, blocks);
        assert!(row.distinct_blocks.abs_diff(blocks) <= blocks / 50, "{}", row.distinct_blocks);
    }
}
