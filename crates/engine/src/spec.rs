//! What a run shall do: `facts.Plan` of the Python side, whose JSON is read here as it is, name for name. [`crate::check`]
//! says whether it can be run. A test writes back what was read and finds it equal, so neither side has a field of its own.

mod simulation;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Result, invalid};
use crate::io::{Action, FlushCall, Op};
use crate::limits;
pub use simulation::{FaultSpec, Law, SimSpec};

/// A stretch of one file or device.
#[derive(Debug, Clone, Serialize, Deserialize)]
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

/// One of several sizes of a class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeSpec {
    /// Bytes of each I/O.
    pub bytes: u32,
    /// Share of the class's I/Os relative to the other sizes.
    pub weight: f64,
}

/// Makes writes durable by a call of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlushSpec {
    /// After so many writes of the class in one job's thread; the last of them lasts until the call has ended.
    pub every: u32,
    /// Which call.
    pub call: FlushCall,
}

/// One kind of I/O in the mix.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassSpec {
    /// Name in the results; unique in the run.
    pub name: String,
    /// Read or write.
    pub op: Op,
    /// Name of a registered pattern.
    #[serde(default = "random")]
    pub pattern: String,
    /// The pattern's parameter, where it has one.
    #[serde(default)]
    pub skew: Option<f64>,
    /// Bytes of each I/O; with several sizes of the largest one.
    pub block_bytes: u32,
    /// Several sizes, drawn by weight.
    #[serde(default)]
    pub sizes: Vec<SizeSpec>,
    /// Makes writes durable by a call of its own.
    #[serde(default)]
    pub flush: Option<FlushSpec>,
    /// Share of the I/Os relative to the other classes' weights.
    #[serde(default = "one")]
    pub weight: f64,
    /// Each write is durable when it completes (RWF_DSYNC).
    #[serde(default)]
    pub sync: bool,
}

/// A stretch of a series of arrivals, at rates that stay the same within it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepSpec {
    /// Its length.
    pub duration_s: f64,
    /// Arrivals a second over all jobs, one rate for each class of the group.
    pub rates_per_s: Vec<f64>,
}

impl StepSpec {
    /// Arrivals a second of all classes together.
    pub fn rate_per_s(&self) -> f64 {
        self.rates_per_s.iter().sum()
    }
}

/// When I/Os start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ArrivalsFields", into = "ArrivalsFields")]
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
    /// At random moments, at rates by class that change from step to step. The first step begins with the measured
    /// window and lends its rates to the warm-up; weights of classes are not used. Nothing arrives after the last.
    Series {
        /// One after the other.
        steps: Vec<StepSpec>,
        /// So many arrive at one moment, and the moments are as many times fewer; without it one by one.
        burst: Option<u32>,
    },
}

/// The same as fields of one record, as facts have them.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArrivalsFields {
    #[serde(default)]
    kind: ArrivalsKind,
    #[serde(default)]
    rate_per_s: Option<f64>,
    #[serde(default)]
    steps: Option<Vec<StepSpec>>,
    #[serde(default)]
    burst: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ArrivalsKind {
    #[default]
    Closed,
    Poisson,
    Uniform,
    Series,
}

impl TryFrom<ArrivalsFields> for Arrivals {
    type Error = String;

    /// Each kind has fields of its own; it needs them, and no other one means anything.
    fn try_from(fields: ArrivalsFields) -> std::result::Result<Self, String> {
        use ArrivalsKind::{Closed, Poisson, Series, Uniform};
        let ArrivalsFields { kind, rate_per_s, steps, burst } = fields;
        match (kind, rate_per_s, steps, burst) {
            (Closed, None, None, None) => Ok(Arrivals::Closed),
            (Poisson, Some(rate_per_s), None, None) => Ok(Arrivals::Poisson { rate_per_s }),
            (Uniform, Some(rate_per_s), None, None) => Ok(Arrivals::Uniform { rate_per_s }),
            (Series, None, Some(steps), burst) => Ok(Arrivals::Series { steps, burst }),
            (Closed, ..) => Err("closed arrivals have no other field".to_owned()),
            (Poisson | Uniform, ..) => {
                Err("arrivals at a rate have the field `rate_per_s` and no other".to_owned())
            }
            (Series, ..) => {
                Err("a series of arrivals has the fields `steps` and `burst` and no other".to_owned())
            }
        }
    }
}

impl From<Arrivals> for ArrivalsFields {
    fn from(arrivals: Arrivals) -> Self {
        let at_rate = |kind, rate_per_s| Self { kind, rate_per_s: Some(rate_per_s), ..Self::default() };
        match arrivals {
            Arrivals::Closed => Self::default(),
            Arrivals::Poisson { rate_per_s } => at_rate(ArrivalsKind::Poisson, rate_per_s),
            Arrivals::Uniform { rate_per_s } => at_rate(ArrivalsKind::Uniform, rate_per_s),
            Arrivals::Series { steps, burst } => {
                Self { kind: ArrivalsKind::Series, steps: Some(steps), burst, ..Self::default() }
            }
        }
    }
}

impl Arrivals {
    /// The asked rate of all jobs together, of a series the mean of its time; none in a closed loop.
    pub fn rate_per_s(&self) -> Option<f64> {
        match self {
            Arrivals::Closed => None,
            &Arrivals::Poisson { rate_per_s } | &Arrivals::Uniform { rate_per_s } => Some(rate_per_s),
            Arrivals::Series { steps, .. } => {
                let seconds: f64 = steps.iter().map(|step| step.duration_s).sum();
                Some(steps.iter().map(|step| step.rate_per_s() * step.duration_s).sum::<f64>() / seconds)
            }
        }
    }
}

/// How durable a write on a file server is when it is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stable {
    /// Its data and all that is known of the file.
    #[default]
    File,
    /// Its data, and what is needed to find it.
    Data,
    /// Not at all; it has ended when a COMMIT has made it durable.
    None,
}

/// I/Os that one kind of client keeps under way, beside the other groups of the run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupSpec {
    /// Who they are, in the results.
    pub name: String,
    /// Name of a registered engine.
    pub engine: String,
    /// Clients, each with patterns and arrivals of its own.
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
    /// Closed loop: a job starts nothing for so long after an I/O has ended.
    #[serde(default)]
    pub think_us: f64,
    /// Which targets of the run, by their index; all of them when it is left out.
    #[serde(default)]
    pub targets: Option<Vec<u32>>,
    /// Bind each job's thread to one processor.
    #[serde(default = "yes")]
    pub pin: bool,
    /// Starts its first I/O so long after the others.
    #[serde(default)]
    pub delay_s: f64,
    /// Starts no I/O for longer than so much of the measured time, counted from its own beginning.
    #[serde(default)]
    pub runtime_s: Option<f64>,
    /// Ends after so many measured I/Os of its own, while others go on; in place of the run's `ios_max`.
    #[serde(default)]
    pub ios_max: Option<u64>,
}

/// A whole run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// What is measured.
    #[serde(default)]
    pub targets: Vec<TargetSpec>,
    /// Several targets make one address space: striped, with so many bytes on one before the next one's turn; without it
    /// one behind the other.
    #[serde(default)]
    pub stripe_bytes: Option<u64>,
    /// Bypass the page cache.
    #[serde(default = "yes")]
    pub direct: bool,
    /// Lets the kernel make one I/O of neighbouring ones.
    #[serde(default)]
    pub merge: bool,
    /// What is done at the same time.
    #[serde(default)]
    pub groups: Vec<GroupSpec>,
    /// Length of the measured window; without it `ios_max` ends the run.
    #[serde(default)]
    pub runtime_s: Option<f64>,
    /// Ends the run after so many measured I/Os.
    #[serde(default)]
    pub ios_max: Option<u64>,
    /// Time before the measured window, left out of every result.
    #[serde(default)]
    pub warm_up_s: f64,
    /// The moment of the wall clock before which no I/O starts, for runs that begin together on several hosts.
    #[serde(default)]
    pub begin_unix_ns: Option<u64>,
    /// Length of one window of the series.
    #[serde(default = "one")]
    pub window_s: f64,
    /// Ends an open-loop run when the oldest waiting arrival has waited longer.
    #[serde(default)]
    pub give_up_latency_us: Option<f64>,
    /// Seed of every random choice.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// How durable writes on a file server are when they are answered; of no meaning elsewhere.
    #[serde(default)]
    pub stable: Stable,
    /// How long a path to a server may be silent while something is asked over it.
    #[serde(default = "path_timeout_s")]
    pub path_timeout_s: f64,
    /// The device that the targets stand for, where they are simulated. Engines that do no I/O and simulate none pay no heed
    /// to it, as they pay none to a path.
    #[serde(default)]
    pub simulation: Option<SimSpec>,
    /// Every write carries data made for it alone, as a fill needs; else a few words in each sector are new.
    #[serde(skip)]
    pub fresh_data: bool,
}

fn one() -> f64 {
    1.0
}
pub(crate) fn path_timeout_s() -> f64 {
    limits::PATH_TIMEOUT_S
}
fn random() -> String {
    "random".to_owned()
}
fn first_seed() -> u64 {
    1
}
fn yes() -> bool {
    true
}
fn one_job() -> u32 {
    1
}
fn closed() -> Arrivals {
    Arrivals::Closed
}

impl RunSpec {
    /// Parses a specification; [`RunSpec::check`] then says whether it can be run. Fails with `spec-invalid`.
    pub fn parse(json: &str) -> Result<Self> {
        read(json)
    }

    /// Every class of every group, in their order; results count them by this order.
    pub fn classes(&self) -> impl Iterator<Item = &ClassSpec> {
        self.groups.iter().flat_map(|group| &group.classes)
    }

    /// Where the classes of a group begin in [`RunSpec::classes`].
    pub fn first_class(&self, group: usize) -> usize {
        self.groups[..group].iter().map(|group| group.classes.len()).sum()
    }

    /// True when I/Os of any group come at a rate.
    pub fn is_open_loop(&self) -> bool {
        self.groups.iter().any(GroupSpec::is_open_loop)
    }

    /// Whether some class writes to the target of that index.
    pub fn writes_to(&self, target: usize) -> bool {
        self.groups.iter().any(|group| group.writes() && group.uses(target))
    }
}

impl GroupSpec {
    /// Bytes of the largest block.
    pub fn block_bytes_max(&self) -> u32 {
        self.classes.iter().map(|class| class.block_bytes).max().unwrap_or(0)
    }

    /// True when any class writes.
    pub fn writes(&self) -> bool {
        self.classes.iter().any(|class| class.op == Op::Write)
    }

    /// True when I/Os come at a rate.
    pub fn is_open_loop(&self) -> bool {
        self.arrivals.rate_per_s().is_some()
    }

    /// Whether it ends by itself.
    pub fn is_bounded(&self) -> bool {
        self.runtime_s.is_some() || self.ios_max.is_some()
    }

    /// Whether the target of that index is one of this group's.
    pub fn uses(&self, target: usize) -> bool {
        self.targets.as_ref().is_none_or(|own| own.iter().any(|&index| index as usize == target))
    }
}

impl ClassSpec {
    /// What its I/Os do.
    pub fn action(&self) -> Action {
        match (self.op, self.sync) {
            (Op::Read, _) => Action::Read,
            (Op::Write, false) => Action::Write,
            (Op::Write, true) => Action::WriteDurably,
        }
    }

    /// Every size that its I/Os can have.
    pub fn all_sizes(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.block_bytes).chain(self.sizes.iter().map(|size| size.bytes))
    }
}

/// Parses a request. Fails with `spec-invalid`.
pub fn read<T: DeserializeOwned>(json: &str) -> Result<T> {
    if json.len() > limits::REQUEST_BYTES_MAX {
        let bytes = json.len();
        return Err(invalid(format!(
            "the request is {bytes} bytes long, more than {}",
            limits::REQUEST_BYTES_MAX
        )));
    }
    serde_json::from_str(json).map_err(|error| {
        let reason = error.to_string();
        invalid(reason.chars().take(limits::REASON_LETTERS_MAX).collect::<String>())
    })
}
