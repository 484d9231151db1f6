//! When the next I/O should start, whatever the device does.
//!
//! An open loop asks for I/Os at moments that do not depend on the answers, so a slow answer delays nothing but
//! itself (Schroeder, Wierman and Harchol-Balter, "Open versus closed", NSDI 2006). Several jobs have the rate
//! divided by their number: independent Poisson streams add up to a Poisson stream.

use std::sync::Arc;

use rand_distr::{Distribution, Exp1};

use crate::clock::NS_PER_S;
use crate::rng::{self, Purpose, Rng};
use crate::spec::{Arrivals, StepSpec};
use crate::times::Times;

/// The intended starts of one job, one after the other.
#[derive(Debug, Clone)]
pub struct Pace {
    rng: Rng,
    gaps: Gaps,
    next_ns: f64,
}

#[derive(Debug, Clone)]
enum Gaps {
    Equal { gap_ns: f64 },
    Poisson { gap_ns_mean: f64 },
    Series(Series),
}

impl Pace {
    /// The pace of job `job` of `jobs` within `times`; none in a closed loop.
    pub fn new(arrivals: &Arrivals, seed: u64, job: u32, jobs: u32, times: &Times) -> Option<Self> {
        let gap_ns = |rate_per_s: f64| NS_PER_S as f64 * f64::from(jobs) / rate_per_s;
        let gaps = match arrivals {
            Arrivals::Closed => return None,
            &Arrivals::Uniform { rate_per_s } => Gaps::Equal { gap_ns: gap_ns(rate_per_s) },
            &Arrivals::Poisson { rate_per_s } => Gaps::Poisson { gap_ns_mean: gap_ns(rate_per_s) },
            Arrivals::Series { steps, burst } => {
                Gaps::Series(Series::new(steps, burst.unwrap_or(1), jobs, times.measure_ns))
            }
        };
        let rng = rng::generator(seed, job.into(), Purpose::Arrivals);
        let mut pace = Self { rng, gaps, next_ns: times.start_ns as f64 };
        match pace.gaps {
            // Jobs with equal distances are interleaved, not in step.
            Gaps::Equal { gap_ns } => pace.next_ns += gap_ns * f64::from(job) / f64::from(jobs),
            Gaps::Poisson { .. } | Gaps::Series(_) => pace.step(),
        }
        Some(pace)
    }

    /// The intended start of the next arrival; `u64::MAX` when there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns as u64
    }

    /// The step of a series in which the next arrival lies; 0 for all others.
    #[inline]
    pub fn next_step(&self) -> usize {
        match &self.gaps {
            Gaps::Series(series) => series.at,
            Gaps::Equal { .. } | Gaps::Poisson { .. } => 0,
        }
    }

    /// Goes on to the arrival after it.
    #[inline]
    pub fn step(&mut self) {
        match &mut self.gaps {
            Gaps::Equal { gap_ns } => self.next_ns += *gap_ns,
            Gaps::Poisson { gap_ns_mean } => self.next_ns += exponential(&mut self.rng) * *gap_ns_mean,
            Gaps::Series(series) => self.next_ns = series.after(self.next_ns, &mut self.rng),
        }
    }
}

fn exponential(rng: &mut Rng) -> f64 {
    Exp1.sample(rng)
}

/// A Poisson process whose rate changes from step to step; several may arrive at each of its moments.
#[derive(Debug, Clone)]
struct Series {
    steps: Arc<[Stretch]>,
    at: usize,
    burst: u32,
    left_of_burst: u32,
}

#[derive(Debug, Clone, Copy)]
struct Stretch {
    until_ns: f64,
    moments_per_ns: f64,
}

impl Series {
    fn new(steps: &[StepSpec], burst: u32, jobs: u32, begin_ns: u64) -> Self {
        let mut until_ns = begin_ns as f64;
        let stretches = steps.iter().map(|step| {
            until_ns += step.duration_s * NS_PER_S as f64;
            let moments_per_s = step.rate_per_s() / f64::from(jobs) / f64::from(burst);
            Stretch { until_ns, moments_per_ns: moments_per_s / NS_PER_S as f64 }
        });
        Self { steps: stretches.collect(), at: 0, burst, left_of_burst: 0 }
    }

    /// The arrival after the one at `now_ns`: what an exponential gap of mean 1 leaves over goes on into the next step.
    #[inline]
    fn after(&mut self, now_ns: f64, rng: &mut Rng) -> f64 {
        if self.left_of_burst > 0 {
            self.left_of_burst -= 1;
            return now_ns;
        }
        self.left_of_burst = self.burst - 1;
        let (mut gap, mut from_ns) = (exponential(rng), now_ns);
        while let Some(stretch) = self.steps.get(self.at) {
            let room = (stretch.until_ns - from_ns).max(0.0) * stretch.moments_per_ns;
            if gap < room {
                return from_ns + gap / stretch.moments_per_ns;
            }
            gap -= room;
            from_ns = stretch.until_ns;
            self.at += 1;
        }
        f64::INFINITY
    }
}
