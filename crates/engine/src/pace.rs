//! When the next I/O should start, whatever the device does.
//!
//! An open loop asks for I/Os at moments that do not depend on the answers, so a slow answer delays nothing but
//! itself (Schroeder, Wierman and Harchol-Balter, "Open versus closed", NSDI 2006). Several jobs have the rate
//! divided by their number: independent Poisson streams add up to a Poisson stream.

use rand_distr::{Distribution, Exp1};

use crate::clock::NS_PER_S;
use crate::rng::{self, Purpose, Rng};
use crate::spec::Arrivals;

/// The intended starts of one job, one after the other.
#[derive(Debug, Clone)]
pub struct Pace {
    rng: Rng,
    gap_ns_mean: f64,
    poisson: bool,
    next_ns: f64,
}

impl Pace {
    /// The pace of job `job` of `jobs`, beginning at `start_ns`; none in a closed loop.
    pub fn new(arrivals: Arrivals, seed: u64, job: u32, jobs: u32, start_ns: u64) -> Option<Self> {
        let rate_per_s = arrivals.rate_per_s()? / f64::from(jobs);
        let gap_ns_mean = NS_PER_S as f64 / rate_per_s;
        let poisson = matches!(arrivals, Arrivals::Poisson { .. });
        let rng = rng::generator(seed, job.into(), Purpose::Arrivals);
        let mut pace = Self { rng, gap_ns_mean, poisson, next_ns: start_ns as f64 };
        if poisson {
            pace.step();
        } else {
            // Jobs with equal distances are interleaved, not in step.
            pace.next_ns += gap_ns_mean * f64::from(job) / f64::from(jobs);
        }
        Some(pace)
    }

    /// The intended start of the next arrival.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns as u64
    }

    /// Goes on to the arrival after it.
    #[inline]
    pub fn step(&mut self) {
        self.next_ns += if self.poisson { self.exponential_gap() } else { self.gap_ns_mean };
    }

    fn exponential_gap(&mut self) -> f64 {
        let gap: f64 = Exp1.sample(&mut self.rng);
        gap * self.gap_ns_mean
    }
}
