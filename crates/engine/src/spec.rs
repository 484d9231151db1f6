//! What a run shall do, parsed from JSON and checked before anything is opened.

use serde::Deserialize;

use crate::engines::{self, Kind};
use crate::error::{CoreError, Result};
use crate::{limits, patterns};

/// Whether an I/O reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Bytes come from the target.
    Read,
    /// Bytes go to the target; needs a permit.
    Write,
}

impl Op {
    /// The word used in specifications and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
        }
    }
}

/// A stretch of one file or device.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSpec {
    /// Path of the file or device; engines that do no I/O never open it.
    pub path: String,
    /// First byte of the stretch.
    #[serde(default)]
    pub offset_bytes: u64,
    /// Length of the stretch.
    pub span_bytes: u64,
}

/// One kind of I/O in the mix.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassSpec {
    /// Name in the results; unique in the run.
    pub name: String,
    /// Read or write.
    pub op: Op,
    /// Name of a registered pattern.
    pub pattern: String,
    /// Bytes of each I/O.
    pub block_bytes: u32,
    /// Share of the I/Os relative to the other classes' weights.
    #[serde(default = "one")]
    pub weight: f64,
    /// Each write is durable when it completes (RWF_DSYNC).
    #[serde(default)]
    pub sync: bool,
}

/// When I/Os start.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Arrivals {
    /// The next one starts when one has ended.
    Closed,
    /// At random moments, independent of each other, so many a second on average.
    Poisson {
        /// Arrivals a second over all jobs.
        rate_per_s: f64,
    },
    /// At equal distances.
    Uniform {
        /// Arrivals a second over all jobs.
        rate_per_s: f64,
    },
}

impl Arrivals {
    /// The asked rate of all jobs together; none in a closed loop.
    pub fn rate_per_s(&self) -> Option<f64> {
        match *self {
            Arrivals::Closed => None,
            Arrivals::Poisson { rate_per_s } | Arrivals::Uniform { rate_per_s } => Some(rate_per_s),
        }
    }
}

/// How long a simulated device takes for one I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Law {
    /// Exponentially distributed: with one server and Poisson arrivals an M/M/1 queue.
    Exponential,
    /// Always the mean.
    Constant,
    /// Log-normal with the given mean and `sigma` of the logarithm.
    Lognormal,
}

/// Probabilities that a simulated I/O misbehaves.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
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
}

/// The simulated device.
#[derive(Debug, Clone, Copy, Deserialize)]
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
    /// What goes wrong, and how often.
    #[serde(default)]
    pub faults: FaultSpec,
}

/// A whole run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// Name of a registered engine.
    pub engine: String,
    /// What is measured.
    pub targets: Vec<TargetSpec>,
    /// Bypass the page cache.
    #[serde(default = "yes")]
    pub direct: bool,
    /// Threads that each keep `depth` I/Os outstanding.
    #[serde(default = "one_job")]
    pub jobs: u32,
    /// Outstanding I/Os of one job.
    #[serde(default = "one_job")]
    pub depth: u32,
    /// The mix.
    pub classes: Vec<ClassSpec>,
    /// When I/Os start.
    #[serde(default = "closed")]
    pub arrivals: Arrivals,
    /// Length of the measured window; without it `ios_max` ends the run.
    #[serde(default)]
    pub runtime_s: Option<f64>,
    /// Ends the run after so many measured I/Os.
    #[serde(default)]
    pub ios_max: Option<u64>,
    /// Time before the measured window, left out of every result.
    #[serde(default)]
    pub warm_up_s: f64,
    /// Length of one window of the series.
    #[serde(default = "one")]
    pub window_s: f64,
    /// Ends an open-loop run when the oldest waiting arrival has waited longer.
    #[serde(default)]
    pub give_up_latency_us: Option<f64>,
    /// Seed of every random choice.
    #[serde(default)]
    pub seed: u64,
    /// Bind each job's thread to one processor.
    #[serde(default = "yes")]
    pub pin: bool,
    /// The simulated device; only with engine `sim`.
    #[serde(default)]
    pub sim: Option<SimSpec>,
    /// Every write carries data made for it alone, as a fill needs; else a few words in each sector are new.
    #[serde(skip)]
    pub fresh_data: bool,
}

fn one() -> f64 {
    1.0
}
fn half() -> f64 {
    0.5
}
fn yes() -> bool {
    true
}
fn one_job() -> u32 {
    1
}
fn one_server() -> u32 {
    1
}
fn closed() -> Arrivals {
    Arrivals::Closed
}

impl RunSpec {
    /// Parses a specification; [`RunSpec::check`] then says whether it can be run. Fails with `spec-invalid`.
    pub fn parse(json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(|error| invalid(error.to_string()))
    }

    /// The registered engine of this run.
    pub fn kind(&self) -> Result<&'static dyn Kind> {
        engines::find(&self.engine)
    }

    /// Bytes of the largest block.
    pub fn block_bytes_max(&self) -> u32 {
        self.classes.iter().map(|class| class.block_bytes).max().unwrap_or(0)
    }

    /// True when any class writes.
    pub fn writes(&self) -> bool {
        self.classes.iter().any(|class| class.op == Op::Write)
    }

    /// Checks all that can be checked without opening anything. Fails with `spec-invalid`, `engine-unknown`,
    /// `pattern-unknown` or `target-too-small`.
    pub fn check(&self) -> Result<()> {
        let kind = self.kind()?;
        self.check_shape(kind)?;
        self.check_targets()?;
        self.check_times()?;
        self.check_classes()?;
        match (&self.sim, kind.name() == "sim") {
            (None, true) => Err(invalid("engine sim needs the member sim with law and mean_us")),
            (Some(_), false) => {
                Err(invalid(format!("member sim is only for engine sim, not {}", self.engine)))
            }
            (Some(sim), true) => sim.check(),
            (None, false) => Ok(()),
        }
    }

    fn check_shape(&self, kind: &dyn Kind) -> Result<()> {
        within("jobs", self.jobs.into(), 1, limits::JOBS_MAX.into())?;
        within(&format!("depth on engine {}", self.engine), self.depth.into(), 1, kind.depth_max().into())?;
        let layout = kind.layout(self.jobs, self.depth);
        let threads = u64::from(layout.jobs) * u64::from(layout.lanes_per_job);
        within(&format!("threads on engine {}", self.engine), threads, 1, limits::THREADS_MAX.into())?;
        let buffers = u64::from(self.jobs) * u64::from(self.depth) * u64::from(self.block_bytes_max());
        if kind.real() {
            within("jobs × depth × largest block_bytes", buffers, 1, limits::BUFFER_BYTES_MAX)?;
        }
        Ok(())
    }

    fn check_targets(&self) -> Result<()> {
        within("targets", self.targets.len() as u64, 1, limits::TARGETS_MAX as u64)?;
        for target in &self.targets {
            let block = self.block_bytes_max();
            if target.span_bytes < u64::from(block) {
                let message = format!(
                    "span of {} is {} bytes, less than one block of {block} bytes",
                    target.path, target.span_bytes
                );
                return Err(CoreError::new("target-too-small", message)
                    .hint("Use a larger --size, or a smaller --block."));
            }
            if target.offset_bytes.checked_add(target.span_bytes).is_none_or(|end| end > i64::MAX as u64) {
                return Err(invalid(format!("offset and span of {} exceed 2^63 bytes", target.path)));
            }
        }
        Ok(())
    }

    fn check_times(&self) -> Result<()> {
        if self.runtime_s.is_none() && self.ios_max.is_none() {
            return Err(invalid("neither runtime_s nor ios_max is given, so the run would never end"));
        }
        if let Some(runtime_s) = self.runtime_s {
            number("runtime_s", runtime_s, 1e-6, limits::RUNTIME_S_MAX)?;
            number("runtime_s ÷ window_s", runtime_s / self.window_s, 0.0, limits::WINDOWS_MAX)?;
        }
        if self.ios_max == Some(0) {
            return Err(invalid("ios_max is 0, so nothing would be measured"));
        }
        number("warm_up_s", self.warm_up_s, 0.0, limits::RUNTIME_S_MAX)?;
        number("window_s", self.window_s, limits::WINDOW_S_MIN, limits::RUNTIME_S_MAX)?;
        if let Some(rate_per_s) = self.arrivals.rate_per_s() {
            number("rate_per_s", rate_per_s, 1e-6, limits::RATE_PER_S_MAX)?;
        }
        match (self.give_up_latency_us, self.arrivals) {
            (Some(_), Arrivals::Closed) => {
                Err(invalid("give_up_latency_us needs arrivals at a rate, but arrivals are closed"))
            }
            (Some(us), _) => number("give_up_latency_us", us, 1e-3, limits::RUNTIME_S_MAX * 1e6),
            (None, _) => Ok(()),
        }
    }

    fn check_classes(&self) -> Result<()> {
        within("classes", self.classes.len() as u64, 1, limits::CLASSES_MAX as u64)?;
        for (index, class) in self.classes.iter().enumerate() {
            class.check()?;
            if self.classes[..index].iter().any(|other| other.name == class.name) {
                return Err(invalid(format!("class name {} is used twice", class.name)));
            }
        }
        Ok(())
    }
}

impl ClassSpec {
    fn check(&self) -> Result<()> {
        if self.name.is_empty() {
            return Err(invalid("a class has an empty name"));
        }
        patterns::find(&self.pattern)?;
        let what = format!("block_bytes of class {}", self.name);
        let (low, high) = (limits::BLOCK_BYTES_MIN, limits::BLOCK_BYTES_MAX);
        within(&what, self.block_bytes.into(), low.into(), high.into())?;
        number(&format!("weight of class {}", self.name), self.weight, 1e-9, 1e9)?;
        if self.sync && self.op == Op::Read {
            return Err(invalid(format!("class {} reads, so sync does not apply", self.name)));
        }
        Ok(())
    }
}

impl SimSpec {
    fn check(&self) -> Result<()> {
        number("mean_us", self.mean_us, 1e-3, 1e9)?;
        number("sigma", self.sigma, 0.0, 5.0)?;
        within("servers", self.servers.into(), 1, limits::SIM_SERVERS_MAX.into())?;
        match (self.burst_ios, self.burst_mean_us) {
            (Some(_), Some(mean_us)) => number("burst_mean_us", mean_us, 1e-3, 1e9)?,
            (None, None) => {}
            _ => return Err(invalid("burst_ios and burst_mean_us go together, and only one is given")),
        }
        for (name, value) in
            [("error", self.faults.error), ("short", self.faults.short), ("delay", self.faults.delay)]
        {
            number(&format!("faults.{name}"), value, 0.0, 1.0)?;
        }
        number("faults.delay_us", self.faults.delay_us, 0.0, 1e9)
    }
}

/// A `spec-invalid` error.
pub fn invalid(message: impl AsRef<str>) -> CoreError {
    CoreError::new("spec-invalid", format!("run specification is invalid: {}", message.as_ref()))
}

fn within(what: &str, value: u64, low: u64, high: u64) -> Result<()> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(invalid(format!("{what} is {value}, outside {low} to {high}")))
}

fn number(what: &str, value: f64, low: f64, high: f64) -> Result<()> {
    if value.is_finite() && (low..=high).contains(&value) {
        return Ok(());
    }
    Err(invalid(format!("{what} is {value}, outside {low} to {high}")))
}
