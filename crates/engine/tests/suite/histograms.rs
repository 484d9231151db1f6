//! Distributions: merging, asking, and refusing what is none.

use hdrhistogram::Histogram;
use plimsoll_engine::hdr;
use proptest::prelude::*;

fn histogram(values: &[u64]) -> Histogram<u64> {
    let mut histogram = hdr::empty();
    for &value in values {
        histogram.saturating_record(value);
    }
    histogram
}

fn latencies() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(prop_oneof![1u64..10_000, 1u64..10_000_000_000], 0..200)
}

proptest! {
    #[test]
    fn merging_histograms_is_the_histogram_of_the_union(parts in prop::collection::vec(latencies(), 0..6)) {
        let encoded: Vec<_> = parts.iter().map(|part| hdr::encode(&histogram(part))).collect();
        let merged = hdr::merge(&encoded).expect("our own histograms merge");
        prop_assert_eq!(merged, hdr::encode(&histogram(&parts.concat())));
    }

    #[test]
    fn what_is_encoded_is_decoded(values in latencies()) {
        let before = histogram(&values);
        prop_assert_eq!(hdr::decode(&hdr::encode(&before)).expect("our own bytes decode"), before);
    }

    #[test]
    fn quantiles_are_the_sorted_values_within_three_digits(values in latencies(), share in 0.0f64..=1.0) {
        let mut values: Vec<u64> = values;
        prop_assume!(!values.is_empty());
        values.sort_unstable();
        let rank = ((values.len() as f64 * share).ceil() as usize).clamp(1, values.len());
        let exact_us = values[rank - 1] as f64 / 1e3;
        let found_us = hdr::quantiles(&hdr::encode(&histogram(&values)), &[share]).expect("there are values")[0];
        prop_assert!((found_us - exact_us).abs() <= exact_us * 1e-3 + 1e-3, "{} for {}", found_us, exact_us);
    }

    #[test]
    fn the_share_above_a_limit_counts_what_is_above(values in latencies(), limit_us in 0.0f64..1e7) {
        prop_assume!(!values.is_empty());
        // Values within the resolution of the limit may fall on either side.
        let near = |value: u64| (value as f64 / 1e3 - limit_us).abs() <= limit_us * 1e-3 + 1e-3;
        prop_assume!(!values.iter().any(|&value| near(value)));
        let above = values.iter().filter(|&&value| value as f64 / 1e3 > limit_us).count();
        let found = hdr::share_above(&hdr::encode(&histogram(&values)), limit_us).expect("there are values");
        prop_assert!((found - above as f64 / values.len() as f64).abs() < 1e-12);
    }

    #[test]
    fn buckets_hold_every_value_in_order_without_gaps(values in latencies(), per_decade in 1u32..100) {
        let buckets = hdr::buckets(&hdr::encode(&histogram(&values)), per_decade).expect("the count is legal");
        prop_assert_eq!(buckets.iter().map(|bucket| bucket.2).sum::<u64>(), values.len() as u64);
        for pair in buckets.windows(2) {
            prop_assert_eq!(pair[0].1, pair[1].0);
        }
    }

    #[test]
    fn arbitrary_bytes_are_refused_or_read_but_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        if let Err(error) = hdr::summary(&bytes) {
            prop_assert_eq!(error.id, "histogram-invalid");
        }
    }
}

#[test]
fn nothing_recorded_is_unknown_not_zero() {
    let nothing = hdr::encode(&hdr::empty());
    let summary = hdr::summary(&nothing).expect("an empty histogram is one");
    assert_eq!((summary.count, summary.moments), (0, None));
    assert_eq!(hdr::quantiles(&nothing, &[0.5]).expect_err("there is no median").id, "histogram-empty");
    assert_eq!(hdr::share_above(&nothing, 1.0).expect_err("there is no share").id, "histogram-empty");
    assert_eq!(hdr::buckets(&nothing, 10).expect("there are no bars"), []);
}

#[test]
fn questions_without_sense_are_refused() {
    let one = hdr::encode(&histogram(&[1000]));
    assert_eq!(hdr::quantiles(&one, &[99.0]).expect_err("a share is at most 1").id, "quantile-invalid");
    assert_eq!(hdr::quantiles(&one, &[f64::NAN]).expect_err("not a number").id, "quantile-invalid");
    assert_eq!(hdr::buckets(&one, 0).expect_err("no bars").id, "buckets-invalid");
}

#[test]
fn moments_are_those_of_the_values() {
    let moments = hdr::summary(&hdr::encode(&histogram(&[1_000, 2_000, 3_000]))).expect("it decodes").moments;
    let moments = moments.expect("there are values");
    assert!((moments.mean_us - 2.0).abs() < 0.002, "{moments:?}");
    assert!((moments.stddev_us - (2.0f64 / 3.0).sqrt()).abs() < 0.002, "{moments:?}");
    assert!((moments.min_us - 1.0).abs() < 0.002 && (moments.max_us - 3.0).abs() < 0.004, "{moments:?}");
}
