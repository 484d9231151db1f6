//! What can be dialled of a disk, and what is refused. Words that mean the same as for the engine's simulated device
//! have its names.

use plimsoll_engine::CoreError;
use plimsoll_engine::spec::Law as Drawn;
use serde::Deserialize;

/// The largest disk: what is written of it is held in memory.
pub const SIZE_BYTES_MAX: u64 = 1 << 40;
/// The smallest one: below this the page of a counter is as large as the disk.
pub const SIZE_BYTES_MIN: u64 = 1 << 20;
/// Requests in service at once; each server is a number in a heap.
pub const SERVERS_MAX: u32 = 65_536;
/// Longest single time of any kind, one hour in microseconds: later answers are taken for a disk that hangs.
pub const TIME_US_MAX: f64 = 3.6e9;
/// Highest cap of a rate, far above what one process can answer.
pub const RATE_MAX: f64 = 1e9;

/// How long the disk works on one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Law {
    /// Exponentially distributed: with one server and Poisson arrivals an M/M/1 queue.
    Exponential,
    /// Always the mean.
    Constant,
    /// Log-normal with the given mean and `sigma` of the logarithm.
    Lognormal,
    /// One arm: a seek that grows with the root of the distance, then half a turn on average.
    Seek,
}

impl Law {
    /// The engine's law, where the time is drawn around a mean.
    pub fn drawn(self) -> Option<Drawn> {
        match self {
            Law::Exponential => Some(Drawn::Exponential),
            Law::Constant => Some(Drawn::Constant),
            Law::Lognormal => Some(Drawn::Lognormal),
            Law::Seek => None,
        }
    }
}

/// The dialled disk.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskSpec {
    /// Bytes of the disk.
    pub size_bytes: u64,
    /// Equal seeds draw equal service times.
    #[serde(default)]
    pub seed: u64,
    /// Whether it holds random data at first; else it is one hole.
    #[serde(default = "yes")]
    pub filled: bool,
    /// Distribution of service times.
    pub law: Law,
    /// Mean service time, in microseconds; not with the law `seek`.
    #[serde(default)]
    pub mean_us: f64,
    /// Mean service time of writes, in microseconds; without it that of reads.
    #[serde(default)]
    pub write_mean_us: Option<f64>,
    /// Spread of the log-normal law.
    #[serde(default = "half")]
    pub sigma: f64,
    /// Requests in service at once; the others wait in the order of arrival.
    #[serde(default = "one")]
    pub servers: u32,
    /// Time that each MiB of a request adds, in microseconds.
    #[serde(default)]
    pub us_per_mib: f64,
    /// The shortest seek, in microseconds; with the law `seek`.
    #[serde(default)]
    pub seek_us: f64,
    /// The seek from the first to the last byte, in microseconds; with the law `seek`.
    #[serde(default)]
    pub full_seek_us: f64,
    /// Turns a minute; with the law `seek`. 0: a disk that need not turn.
    #[serde(default)]
    pub rpm: f64,
    /// Requests a second that the disk takes at most.
    #[serde(default)]
    pub iops: Option<f64>,
    /// 10^6 bytes a second that go to or from the disk at most.
    #[serde(default)]
    pub mb_per_s: Option<f64>,
    /// Reads within so many first bytes are answered by a cache in front of the servers.
    #[serde(default)]
    pub cache_bytes: Option<u64>,
    /// Time of such a read, in microseconds.
    #[serde(default)]
    pub cache_us: f64,
    /// Writes are answered as soon as a cache of so many bytes has room for them, and go to the servers behind it.
    #[serde(default)]
    pub write_cache_bytes: Option<u64>,
    /// Time of such a write, in microseconds, when there is room.
    #[serde(default)]
    pub write_cache_us: f64,
    /// Once so many bytes were written, every request takes `cliff_factor` times as long.
    #[serde(default)]
    pub cliff_bytes: Option<u64>,
    /// How many times as long.
    #[serde(default = "once")]
    pub cliff_factor: f64,
    /// The disk stands still this often, in seconds; first when so much time has gone.
    #[serde(default)]
    pub pause_every_s: Option<f64>,
    /// For so long, in seconds.
    #[serde(default)]
    pub pause_s: f64,
    /// What a flush takes after all earlier writes have ended, and what a durable write takes more, in microseconds.
    #[serde(default)]
    pub flush_us: f64,
}

fn yes() -> bool {
    true
}
fn half() -> f64 {
    0.5
}
fn one() -> u32 {
    1
}
fn once() -> f64 {
    1.0
}

impl DiskSpec {
    /// That it can be served. Fails with `spec-invalid`, naming the member and its value.
    pub fn check(&self) -> Result<(), CoreError> {
        self.check_counts()?;
        self.check_times()?;
        self.check_rates()?;
        match (self.law, self.pause_every_s) {
            (Law::Seek, _) if self.servers != 1 => {
                Err(invalid("servers", self.servers, "1 with the law seek, which is one arm"))
            }
            (_, Some(every_s)) if self.pause_s >= every_s => {
                Err(invalid("pause_s", self.pause_s, "shorter than pause_every_s"))
            }
            _ => Ok(()),
        }
    }

    fn check_counts(&self) -> Result<(), CoreError> {
        if !(SIZE_BYTES_MIN..=SIZE_BYTES_MAX).contains(&self.size_bytes)
            || !self.size_bytes.is_multiple_of(4096)
        {
            let bounds = format!("a multiple of 4096 from {SIZE_BYTES_MIN} to {SIZE_BYTES_MAX}");
            return Err(invalid("size_bytes", self.size_bytes, &bounds));
        }
        if !(1..=SERVERS_MAX).contains(&self.servers) {
            return Err(invalid("servers", self.servers, &format!("from 1 to {SERVERS_MAX}")));
        }
        Ok(())
    }

    fn check_times(&self) -> Result<(), CoreError> {
        let times = [
            ("mean_us", self.mean_us),
            ("write_mean_us", self.write_mean_us.unwrap_or(0.0)),
            ("us_per_mib", self.us_per_mib),
            ("seek_us", self.seek_us),
            ("full_seek_us", self.full_seek_us),
            ("cache_us", self.cache_us),
            ("write_cache_us", self.write_cache_us),
            ("pause_s", self.pause_s * 1e6),
            ("flush_us", self.flush_us),
        ];
        let odd = times.into_iter().find(|(_, us)| !(0.0..=TIME_US_MAX).contains(us));
        match odd {
            Some((name, us)) => Err(invalid(name, us, "from 0 to one hour")),
            None if self.full_seek_us < self.seek_us => {
                Err(invalid("full_seek_us", self.full_seek_us, "no shorter than seek_us"))
            }
            None => Ok(()),
        }
    }

    fn check_rates(&self) -> Result<(), CoreError> {
        let caps = [
            ("iops", self.iops),
            ("mb_per_s", self.mb_per_s),
            ("pause_every_s", self.pause_every_s),
            ("cliff_factor", Some(self.cliff_factor)),
        ];
        for (name, cap) in caps {
            match cap {
                Some(cap) if !(1e-3..=RATE_MAX).contains(&cap) => {
                    return Err(invalid(name, cap, "from 0.001 to 1e9"));
                }
                _ => {}
            }
        }
        if !(0.0..=10.0).contains(&self.sigma) {
            return Err(invalid("sigma", self.sigma, "from 0 to 10"));
        }
        if !(0.0..=1e6).contains(&self.rpm) {
            return Err(invalid("rpm", self.rpm, "from 0 to 1000000"));
        }
        Ok(())
    }
}

/// What a member that cannot be served is refused with.
pub(crate) fn invalid(name: &str, value: impl std::fmt::Display, bounds: &str) -> CoreError {
    CoreError::new("spec-invalid", format!("the disk's {name} is {value}, and must be {bounds}"))
}
