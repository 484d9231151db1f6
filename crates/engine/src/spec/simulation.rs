//! The device that simulated targets stand for: its law, its speed, and what goes wrong on it.

use rand_distr::{Distribution, Exp1, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::rng::Rng;

/// How long a simulated device takes for one I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Law {
    /// Exponentially distributed: with one server and Poisson arrivals an M/M/1 queue.
    Exponential,
    /// Always the mean.
    Constant,
    /// Log-normal with the given mean and `sigma` of the logarithm.
    Lognormal,
}

impl Law {
    /// How many times the mean one I/O takes; `sigma` is used by the log-normal law alone.
    pub fn factor(self, sigma: f64, rng: &mut Rng) -> f64 {
        match self {
            Law::Exponential => Exp1.sample(rng),
            Law::Constant => 1.0,
            Law::Lognormal => {
                let normal: f64 = StandardNormal.sample(rng);
                // The logarithm's mean is chosen so that the mean of the law is 1.
                (sigma * normal - sigma * sigma / 2.0).exp()
            }
        }
    }
}

/// Probabilities that a simulated I/O misbehaves, and what goes wrong at a given moment.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FaultSpec {
    /// Ends with an I/O error.
    pub error: f64,
    /// Ends after a part of its bytes.
    pub short: f64,
    /// Takes `delay_us` longer.
    pub delay: f64,
    /// The extra time, in microseconds.
    pub delay_us: f64,
    /// After so many I/Os the device is gone: all later ones fail with ENODEV.
    pub gone_after_ios: Option<u64>,
    /// After so many I/Os all servers stand still once.
    pub stall_after_ios: Option<u64>,
    /// For so long, in microseconds.
    pub stall_us: Option<f64>,
}

/// The simulated device.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimSpec {
    /// Distribution of service times.
    pub law: Law,
    /// Mean service time, in microseconds.
    pub mean_us: f64,
    /// Spread of the log-normal law.
    #[serde(default = "half")]
    pub sigma: f64,
    /// I/Os in service at once; the others wait in the order of arrival.
    #[serde(default = "one_server")]
    pub servers: u32,
    /// So many I/Os at first are served with `burst_mean_us`, as a device with burst credit does.
    #[serde(default)]
    pub burst_ios: Option<u64>,
    /// Mean service time while the burst lasts, in microseconds.
    #[serde(default)]
    pub burst_mean_us: Option<f64>,
    /// Time that each MiB of an I/O adds to what was drawn, in microseconds.
    #[serde(default)]
    pub us_per_mib: f64,
    /// Mean service time of writes, in microseconds; without it that of reads.
    #[serde(default)]
    pub write_mean_us: Option<f64>,
    /// After so many writes the later ones take `cliff_mean_us`, as on a device that has run out of erased blocks.
    #[serde(default)]
    pub cliff_ios: Option<u64>,
    /// Mean service time of writes beyond the cliff, in microseconds.
    #[serde(default)]
    pub cliff_mean_us: Option<f64>,
    /// Reads within so many first bytes of a target are answered by a cache in front of the servers.
    #[serde(default)]
    pub cache_bytes: Option<u64>,
    /// Time of such a read, in microseconds.
    #[serde(default)]
    pub cache_us: Option<f64>,
    /// What goes wrong, and how often.
    #[serde(default)]
    pub faults: FaultSpec,
}

fn half() -> f64 {
    0.5
}
fn one_server() -> u32 {
    1
}
