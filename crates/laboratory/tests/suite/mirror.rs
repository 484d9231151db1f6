//! A mirror of two laws in virtual time, held against arithmetic and theory: nothing here knows how fast the machine is.

use plimsoll_laboratory::disk::{Action, Request};
use plimsoll_laboratory::volume::{Volume, VolumeSpec};
use serde_json::{Value, json};

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;
const MIB: u64 = 1 << 20;

fn side(words: Value) -> Value {
    let mut all = json!({"size_bytes": 64 * MIB, "law": "constant", "mean_us": 1000.0, "seed": 7});
    all.as_object_mut().unwrap().extend(words.as_object().unwrap().clone());
    all
}

fn mirror(first: Value, second: Value, reads: &str) -> Volume {
    let words = json!({"first": side(first), "second": side(second), "reads": reads});
    Volume::new(&VolumeSpec::parse(&words.to_string()).unwrap())
}

/// Five milliseconds beside a quarter of one: a disk and flash.
fn hybrid(reads: &str) -> Volume {
    mirror(json!({"mean_us": 5000.0}), json!({"mean_us": 250.0}), reads)
}

fn request(action: Action) -> Request {
    Request { action, offset_bytes: 0, len_bytes: 8192 }
}

/// Reads of so many sessions, each of which asks again when it was answered; how many a second.
fn reads_per_s(volume: &mut Volume, sessions: usize, seconds: u64) -> f64 {
    let mut ends = std::collections::BinaryHeap::from(vec![std::cmp::Reverse(0); sessions]);
    let mut done = 0;
    while let Some(std::cmp::Reverse(now_ns)) = ends.pop().filter(|end| end.0 < seconds * S) {
        ends.push(std::cmp::Reverse(volume.take(now_ns, &request(Action::Read)).whole.end_ns));
        done += 1;
    }
    f64::from(done) / seconds as f64
}

#[test]
fn a_write_goes_to_both_sides_and_ends_with_the_later_one() {
    for reads in ["first", "second", "alternate"] {
        let taken = hybrid(reads).take(0, &request(Action::Write));
        assert_eq!(taken.whole.end_ns, 5 * MS);
        assert_eq!(taken.whole.service_ns, 5 * MS + MS / 4);
        assert_eq!(taken.sides.map(|side| side.unwrap().end_ns), [5 * MS, MS / 4]);
    }
}

#[test]
fn a_read_goes_to_the_preferred_side_alone() {
    for (reads, us) in [("first", 5000), ("second", 250)] {
        let mut volume = hybrid(reads);
        for turn in 0..3 {
            let taken = volume.take(turn * S, &request(Action::Read));
            assert_eq!(taken.whole.end_ns - turn * S, us * 1000);
            assert_eq!(taken.sides.map(|side| side.is_some()), [reads == "first", reads == "second"]);
        }
    }
}

#[test]
fn without_a_preferred_side_reads_alternate() {
    let mut volume = hybrid("alternate");
    let firsts = (0..4).map(|turn| volume.take(turn * S, &request(Action::Read)).sides[0].is_some());
    assert_eq!(firsts.collect::<Vec<_>>(), [true, false, true, false]);
}

#[test]
fn a_write_on_the_slow_side_does_not_hold_up_a_preferred_read() {
    let mut volume = hybrid("second");
    assert_eq!(volume.take(0, &request(Action::Write)).whole.end_ns, 5 * MS);
    assert_eq!(volume.take(MS, &request(Action::Read)).whole.end_ns, MS + MS / 4);
}

#[test]
fn a_flush_ends_when_both_sides_are_clean() {
    let mut volume = mirror(
        json!({"write_cache_bytes": MIB, "flush_us": 2000.0}),
        json!({"mean_us": 250.0, "flush_us": 1.0}),
        "second",
    );
    assert!(volume.take(0, &request(Action::Write)).whole.end_ns < MS);
    assert_eq!(volume.take(0, &request(Action::Flush)).whole.end_ns, 3 * MS);
}

#[test]
fn sessions_read_at_most_twice_what_the_slow_side_does_until_the_fast_one_is_preferred() {
    // In turn each side answers half of the reads, so the slow one (200 a second) bounds both.
    let in_turn = reads_per_s(&mut hybrid("alternate"), 32, 20);
    assert!((in_turn / 400.0 - 1.0).abs() < 0.01, "{in_turn}");
    let preferred = reads_per_s(&mut hybrid("second"), 32, 20);
    assert!((preferred / 4000.0 - 1.0).abs() < 0.01, "{preferred}");
}

#[test]
fn a_write_takes_the_mean_of_the_larger_of_two_exponential_times() {
    // Of independent exponential times with the means a and b it is a + b - 1 / (1/a + 1/b).
    let law = |mean_us: f64| json!({"law": "exponential", "mean_us": mean_us});
    let mut volume = mirror(law(1000.0), law(500.0), "first");
    let count = 200_000;
    let mean_ns = (0..count)
        .map(|turn| volume.take(turn * S, &request(Action::Write)).whole.end_ns - turn * S)
        .sum::<u64>() as f64
        / count as f64;
    let theory_ns = 1e6 + 5e5 - 1.0 / (1.0 / 1e6 + 1.0 / 5e5);
    assert!((mean_ns / theory_ns - 1.0).abs() < 0.01, "{mean_ns} {theory_ns}");
}

#[test]
fn sides_of_one_law_and_seed_draw_times_of_their_own() {
    let law = || json!({"law": "exponential"});
    let taken = mirror(law(), law(), "first").take(0, &request(Action::Write));
    assert_ne!(taken.sides[0], taken.sides[1]);
}

#[test]
fn what_cannot_be_a_mirror_is_refused_by_name_and_value() {
    let refused = |second: Value, said: &str| {
        let words = json!({"first": side(json!({})), "second": side(second)});
        let error = VolumeSpec::parse(&words.to_string()).unwrap_err();
        assert_eq!(error.id, "spec-invalid");
        assert!(error.message.contains(said), "{}", error.message);
    };
    refused(json!({"size_bytes": 32 * MIB}), "size_bytes is 33554432");
    refused(json!({"mean_us": -1.0}), "mean_us is -1");
}
