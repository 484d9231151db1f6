//! Arrivals: the asked rate, the asked distribution, and several jobs as one stream.

use plimsoll_engine::clock::NS_PER_S;
use plimsoll_engine::pace::Pace;
use plimsoll_engine::spec::{Arrivals, StepSpec};
use plimsoll_engine::times::Times;
use proptest::prelude::*;

const START_NS: u64 = 5 * NS_PER_S;

const TIMES: Times =
    Times { start_ns: START_NS, measure_ns: START_NS, end_ns: u64::MAX, window_ns: NS_PER_S };

fn moments(arrivals: &Arrivals, seed: u64, (job, jobs): (u32, u32), count: usize) -> Vec<u64> {
    let mut pace = Pace::new(arrivals, seed, job, jobs, &TIMES).expect("arrivals are open");
    (0..count)
        .map(|_| {
            let next_ns = pace.next_ns();
            pace.step();
            next_ns
        })
        .collect()
}

/// Gaps in units of their mean.
fn gaps(rate_per_s: f64, seed: u64, count: usize) -> Vec<f64> {
    let moments = moments(&Arrivals::Poisson { rate_per_s }, seed, (0, 1), count + 1);
    moments.windows(2).map(|pair| (pair[1] - pair[0]) as f64 * rate_per_s / NS_PER_S as f64).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn poisson_arrivals_keep_their_rate(rate_per_s in 0.1f64..100_000.0, seed: u64) {
        let gaps = gaps(rate_per_s, seed, 20_000);
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        // The mean of n exponential gaps has a deviation of 1/√n; six of them are never left by chance.
        prop_assert!((mean - 1.0).abs() < 6.0 / (gaps.len() as f64).sqrt(), "mean gap {}", mean);
    }

    #[test]
    fn uniform_arrivals_have_equal_gaps(rate_per_s in 0.1f64..100_000.0, seed: u64) {
        let moments = moments(&Arrivals::Uniform { rate_per_s }, seed, (0, 1), 1000);
        let gap_ns = NS_PER_S as f64 / rate_per_s;
        for (index, &at_ns) in moments.iter().enumerate() {
            let exact_ns = START_NS as f64 + gap_ns * index as f64;
            prop_assert!((at_ns as f64 - exact_ns).abs() <= 1.0 + exact_ns * 1e-12, "{} for {}", at_ns, exact_ns);
        }
    }

    #[test]
    fn uniform_jobs_interleave_into_one_stream(rate_per_s in 1.0f64..100_000.0, jobs in 1u32..8) {
        let arrivals = Arrivals::Uniform { rate_per_s };
        let mut all: Vec<u64> = (0..jobs).flat_map(|job| moments(&arrivals, 1, (job, jobs), 100)).collect();
        all.sort_unstable();
        let gap_ns = NS_PER_S as f64 / rate_per_s;
        for pair in all.windows(2) {
            prop_assert!(((pair[1] - pair[0]) as f64 - gap_ns).abs() <= 2.0, "{:?} apart, not {}", pair, gap_ns);
        }
    }
}

/// Kolmogorov and Smirnov: the largest distance between the found and the exact distribution of gaps is below
/// 1.95/√n in 999 of 1000 samples; the seeds are fixed, so the outcome is as well.
#[test]
fn poisson_gaps_are_exponential() {
    for seed in [1, 2, 3, 42] {
        let mut gaps = gaps(10_000.0, seed, 50_000);
        gaps.sort_unstable_by(f64::total_cmp);
        let count = gaps.len() as f64;
        let distance = |(index, gap): (usize, &f64)| (1.0 - (-gap).exp() - index as f64 / count).abs();
        let largest = gaps.iter().enumerate().map(distance).fold(0.0, f64::max);
        assert!(largest < 1.95 / count.sqrt(), "seed {seed}: {largest}");
    }
}

/// Counts in equal slots of a Poisson process have a variance equal to their mean, whoever contributes to it.
#[test]
fn poisson_jobs_add_up_to_one_poisson_stream() {
    let arrivals = Arrivals::Poisson { rate_per_s: 1000.0 };
    let mut slots = vec![0f64; 2000];
    for job in 0..4 {
        for at_ns in moments(&arrivals, 9, (job, 4), 6000) {
            if let Some(slot) = slots.get_mut(((at_ns - START_NS) / (NS_PER_S / 100)) as usize) {
                *slot += 1.0;
            }
        }
    }
    let slots = &slots[..1900];
    let mean = slots.iter().sum::<f64>() / slots.len() as f64;
    let variance = slots.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / slots.len() as f64;
    assert!((mean - 10.0).abs() < 0.5, "mean {mean}");
    assert!((variance / mean - 1.0).abs() < 0.2, "dispersion {}", variance / mean);
}

#[test]
fn a_closed_loop_has_no_pace() {
    assert!(Pace::new(&Arrivals::Closed, 1, 0, 1, &TIMES).is_none());
}

/// All arrivals of a series, over all jobs, in seconds since its beginning.
fn of_series(steps: &[(f64, &[f64])], burst: u32, seed: u64, jobs: u32) -> Vec<f64> {
    let steps = steps.iter().map(|&(duration_s, rates)| StepSpec { duration_s, rates_per_s: rates.to_vec() });
    let arrivals = Arrivals::Series { steps: steps.collect(), burst: Some(burst) };
    let mut all = Vec::new();
    for job in 0..jobs {
        let mut pace = Pace::new(&arrivals, seed, job, jobs, &TIMES).expect("arrivals are open");
        while pace.next_ns() < u64::MAX {
            all.push((pace.next_ns() - START_NS) as f64 / NS_PER_S as f64);
            pace.step();
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_series_keeps_each_steps_rate_and_ends(
        rates in prop::collection::vec(prop_oneof![Just(0.0), 0.5f64..5000.0], 1..20),
        duration_s in 0.25f64..4.0, burst in prop_oneof![Just(1u32), Just(8), Just(64)], jobs in 1u32..4, seed: u64,
    ) {
        prop_assume!(rates.iter().any(|&rate| rate > 0.0));
        let halves: Vec<[f64; 2]> = rates.iter().map(|rate| [rate / 2.0, rate / 2.0]).collect();
        let steps: Vec<(f64, &[f64])> = halves.iter().map(|both| (duration_s, &both[..])).collect();
        let found = of_series(&steps, burst, seed, jobs);
        for (index, rate) in rates.iter().enumerate() {
            let (from_s, to_s) = (index as f64 * duration_s, (index + 1) as f64 * duration_s);
            let count = found.iter().filter(|&&at_s| from_s <= at_s && at_s < to_s).count() as f64;
            let mean = rate * duration_s;
            // Moments of bursts are Poisson, so arrivals deviate by √(mean × burst); seven of them, and a moment at the border.
            let slack = 7.0 * (mean * f64::from(burst)).sqrt() + if *rate > 0.0 { f64::from(burst) } else { 0.0 };
            prop_assert!((count - mean).abs() <= slack, "step {}: {} for {}", index, count, mean);
        }
        prop_assert!(found.iter().all(|&at_s| at_s <= duration_s * rates.len() as f64));
    }

    #[test]
    fn bursts_arrive_at_one_moment(rate in 10f64..5000.0, burst in 2u32..65, seed: u64) {
        let found = of_series(&[(4.0, &[rate]), (4.0, &[3.0 * rate])], burst, seed, 1);
        for together in found.chunks(burst as usize) {
            prop_assert_eq!(together.len(), burst as usize);
            prop_assert!(together.iter().all(|at_s| at_s == &together[0]));
        }
    }
}

#[test]
fn the_first_step_lends_its_rate_to_the_warm_up() {
    let steps = vec![StepSpec { duration_s: 1.0, rates_per_s: vec![1000.0] }];
    let times = Times { measure_ns: START_NS + NS_PER_S, ..TIMES };
    let mut pace =
        Pace::new(&Arrivals::Series { steps, burst: None }, 3, 0, 1, &times).expect("arrivals are open");
    let mut before = 0;
    while pace.next_ns() < times.measure_ns {
        pace.step();
        before += 1;
    }
    assert!((900..1100).contains(&before), "{before}");
}
