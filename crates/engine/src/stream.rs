//! Which I/O comes next, and when: pace, class and place together, for one job.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::error::Result;
use crate::pace::Pace;
use crate::patterns::{self, Extent, Pattern, Place, Space, Volume};
use crate::rng::{self, Purpose, Rng};
use crate::spec::{Arrivals, ClassSpec, GroupSpec, RunSpec};
use crate::times::Times;

/// An I/O that shall be done.
#[derive(Debug, Clone, Copy)]
pub struct Planned {
    /// When it should start.
    pub intended_ns: u64,
    /// Index of its class.
    pub class: u16,
    /// Where it goes.
    pub place: Place,
    /// Its bytes.
    pub len_bytes: u32,
}

/// Arrivals that are due and not taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// How many.
    pub arrivals: u64,
    /// How long the oldest has been due.
    pub oldest_ns: u64,
}

/// The number of measured I/Os that may still start, shared by all lanes.
#[derive(Debug, Default)]
pub struct Budget(Option<AtomicU64>);

impl Budget {
    /// A budget of `ios_max` I/Os, or no bound.
    pub fn new(ios_max: Option<u64>) -> Self {
        Self(ios_max.map(AtomicU64::new))
    }

    /// Takes one I/O; false when none is left.
    fn take(&self) -> bool {
        let Some(left) = &self.0 else { return true };
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    fn left(&self) -> u64 {
        self.0.as_ref().map_or(u64::MAX, |left| left.load(Ordering::Relaxed))
    }
}

/// Draws an index by weight; the weights may change from step to step of a series.
struct Picker {
    rng: Rng,
    ends_by_step: Vec<Vec<f64>>,
}

impl Picker {
    fn new(weights: impl Iterator<Item = f64> + Clone, rng: Rng) -> Self {
        Self { rng, ends_by_step: vec![ends(weights)] }
    }

    /// Of the classes of a group.
    fn of_classes(group: &GroupSpec, rng: Rng) -> Self {
        match &group.arrivals {
            Arrivals::Series { steps, .. } => {
                let ends_by_step = steps.iter().map(|step| ends(step.rates_per_s.iter().copied()));
                Self { rng, ends_by_step: ends_by_step.collect() }
            }
            _ => Self::new(group.classes.iter().map(|class| class.weight), rng),
        }
    }

    #[inline]
    fn pick(&mut self, step: usize) -> usize {
        let ends = &self.ends_by_step[step];
        let last = ends.len().saturating_sub(1);
        if last == 0 {
            return 0;
        }
        let draw = rng::unit(&mut self.rng);
        ends[..last].iter().position(|&end| draw < end).unwrap_or(last)
    }
}

/// Where each one's part of 0 to 1 ends.
fn ends(weights: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let total: f64 = weights.clone().sum();
    let mut sum = 0.0;
    let ends = weights.map(|weight| {
        sum += weight / total;
        sum
    });
    ends.collect()
}

/// The places and sizes of one class in one job.
struct Places {
    pattern: Box<dyn Pattern>,
    sizes: Vec<u32>,
    picker: Picker,
}

impl Places {
    fn new(class: &ClassSpec, space: &Space) -> Result<Self> {
        let rng = rng::generator(space.seed, space.job.into(), Purpose::Sizes);
        let weights = class.sizes.iter().map(|size| size.weight);
        let sizes = class.sizes.iter().map(|size| size.bytes);
        let sizes = if class.sizes.is_empty() { vec![class.block_bytes] } else { sizes.collect() };
        let pattern = patterns::find(&class.pattern)?.build(space);
        Ok(Self { pattern, sizes, picker: Picker::new(weights, rng) })
    }

    #[inline]
    fn next(&mut self) -> (Place, u32) {
        let len_bytes = self.sizes[self.picker.pick(0)];
        (self.pattern.next(len_bytes), len_bytes)
    }
}

/// The arrivals of one job of one group.
pub struct Stream {
    pace: Option<Pace>,
    /// A copy of the pace that runs ahead to the present, to count what is due.
    horizon: Option<Pace>,
    due: u64,
    taken: u64,
    first_class: u16,
    picker: Picker,
    classes: Vec<Places>,
    times: Times,
    budget: Arc<Budget>,
    open: bool,
}

impl Stream {
    /// The stream of one job of the group with that index.
    pub fn new(spec: &RunSpec, group: usize, job: u32, times: Times, budget: Arc<Budget>) -> Result<Self> {
        let (of, first_class) = (&spec.groups[group], spec.first_class(group));
        let seed = group_seed(spec, group);
        let pace = Pace::new(&of.arrivals, seed, job, of.jobs, &times);
        let classes = of
            .classes
            .iter()
            .enumerate()
            .map(|(index, class)| Places::new(class, &space(spec, of, class, first_class + index, job)));
        Ok(Self {
            horizon: pace.clone(),
            pace,
            due: 0,
            taken: 0,
            first_class: first_class as u16,
            picker: Picker::of_classes(of, rng::generator(seed, job.into(), Purpose::Classes)),
            classes: classes.collect::<Result<_>>()?,
            times,
            budget,
            open: true,
        })
    }

    /// The next I/O, which in an open loop may lie in the future; none when there are no more.
    #[inline]
    pub fn take(&mut self, now_ns: u64) -> Option<Planned> {
        let intended_ns = self.pace.as_ref().map_or(now_ns, Pace::next_ns);
        if !self.open || intended_ns >= self.times.end_ns {
            return None;
        }
        if intended_ns >= self.times.measure_ns && !self.budget.take() {
            self.open = false;
            return None;
        }
        let class = self.picker.pick(self.pace.as_ref().map_or(0, Pace::next_step));
        if let Some(pace) = &mut self.pace {
            pace.step();
            self.taken += 1;
        }
        let (place, len_bytes) = self.classes[class].next();
        Some(Planned { intended_ns, class: self.first_class + class as u16, place, len_bytes })
    }

    /// What is due at `now_ns` and not taken. Nothing is in a closed loop.
    pub fn backlog(&mut self, now_ns: u64) -> Backlog {
        let (Some(pace), Some(horizon)) = (&self.pace, &mut self.horizon) else { return Backlog::default() };
        let until_ns = now_ns.min(self.times.end_ns);
        if !self.open || pace.next_ns() >= until_ns {
            return Backlog::default();
        }
        // More than may still start need not be counted.
        let left = self.budget.left();
        while horizon.next_ns() < until_ns && self.due < self.taken.saturating_add(left) {
            horizon.step();
            self.due += 1;
        }
        Backlog { arrivals: (self.due - self.taken).min(left), oldest_ns: until_ns - pace.next_ns() }
    }

    /// Ends the stream at `end_ns` and tells each arrival that was due before and not taken: its class and its
    /// intended start. Does nothing the second time.
    pub fn close(&mut self, end_ns: u64, mut unissued: impl FnMut(u16, u64)) {
        if !std::mem::replace(&mut self.open, false) {
            return;
        }
        let Some(pace) = &mut self.pace else { return };
        while pace.next_ns() < end_ns {
            let intended_ns = pace.next_ns();
            if intended_ns >= self.times.measure_ns && !self.budget.take() {
                return;
            }
            let class = self.picker.pick(pace.next_step());
            unissued(self.first_class + class as u16, intended_ns);
            pace.step();
        }
    }

    /// True when the asked number of I/Os was taken, or when the group's own time is over and all that was due is taken.
    pub fn is_spent(&self, now_ns: u64) -> bool {
        let next_ns = self.pace.as_ref().map_or(now_ns, Pace::next_ns);
        self.budget.left() == 0 || next_ns.min(now_ns) >= self.times.end_ns
    }

    /// The earliest moment at which one of its I/Os may start, and the one from which on none does.
    pub fn bounds_ns(&self) -> (u64, u64) {
        (self.times.start_ns, self.times.end_ns)
    }
}

/// Groups draw everything independently of each other; the first one has the run's own seed.
fn group_seed(spec: &RunSpec, group: usize) -> u64 {
    spec.seed.wrapping_add((group as u64) << 48)
}

/// The blocks that a class of that group can reach.
pub fn volume(spec: &RunSpec, group: &GroupSpec, class: &ClassSpec) -> Volume {
    let block_bytes = class.block_bytes;
    let used = spec.targets.iter().enumerate().filter(|&(index, _)| group.uses(index));
    let extents = used.map(|(index, target)| Extent {
        target: index as u32,
        offset_bytes: target.offset_bytes,
        blocks: target.span_bytes / u64::from(block_bytes),
    });
    let stripe_blocks = spec.stripe_bytes.map(|bytes| bytes / u64::from(block_bytes));
    Volume::new(extents.collect(), block_bytes, stripe_blocks)
}

fn space(spec: &RunSpec, group: &GroupSpec, class: &ClassSpec, class_index: usize, job: u32) -> Space {
    // Classes draw their places independently, so each has a seed of its own.
    let seed = spec.seed.wrapping_add((class_index as u64 + 1) << 40);
    let volume = volume(spec, group, class);
    Space { volume, job, jobs: group.jobs, seed, skew: class.skew }
}

/// A stream of one lane's own, or one that several lanes share.
pub enum Source {
    /// Used without a lock.
    Own(Box<Stream>),
    /// Taken from in turn.
    Shared(Arc<Mutex<Stream>>),
}

impl Source {
    /// Calls `work` with the stream.
    #[inline]
    pub fn with<T>(&mut self, work: impl FnOnce(&mut Stream) -> T) -> T {
        match self {
            Source::Own(stream) => work(stream),
            // A lane that panicked has ended the run already; the numbers in the stream are still whole.
            Source::Shared(stream) => {
                work(&mut stream.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
            }
        }
    }
}
