//! What makes a specification one that can be run, as far as it can be told without opening anything.

use crate::clock::{s_from_ns, unix_ns};
use crate::engines;
use crate::error::{CoreError, Result, invalid};
use crate::io::Op;
use crate::spec::{Arrivals, ClassSpec, GroupSpec, RunSpec, SimSpec, StepSpec, TargetSpec};
use crate::{limits, patterns};

impl RunSpec {
    /// Checks all that can be checked without opening anything. Fails with `spec-invalid`, `engine-unknown`,
    /// `pattern-unknown` or `target-too-small`.
    pub fn check(&self) -> Result<()> {
        within("groups", self.groups.len() as u64, 1, limits::GROUPS_MAX as u64)?;
        within("classes", self.classes().count() as u64, 1, limits::CLASSES_MAX as u64)?;
        for group in &self.groups {
            group.check(self)?;
        }
        self.check_names()?;
        self.check_shape()?;
        self.check_targets()?;
        self.check_times()?;
        self.check_simulation()
    }

    fn check_names(&self) -> Result<()> {
        for (index, class) in self.classes().enumerate() {
            if self.classes().take(index).any(|other| other.name == class.name) {
                return Err(invalid(format!("class name {} is used twice", class.name)));
            }
        }
        Ok(())
    }

    fn check_shape(&self) -> Result<()> {
        let (mut threads, mut slots, mut buffers, mut real, mut local) = (0, 0, 0, 0, 0);
        for group in &self.groups {
            let layout = engines::of(group)?.layout(group.jobs, group.depth);
            threads += u64::from(layout.jobs) * u64::from(layout.lanes_per_job);
            slots += u64::from(group.jobs) * u64::from(group.depth);
            buffers += u64::from(group.jobs) * u64::from(group.depth) * u64::from(group.block_bytes_max());
            real += usize::from(engines::of(group)?.real());
            local += usize::from(engines::of(group)?.local());
        }
        within("threads of the run", threads, 1, limits::THREADS_MAX.into())?;
        within("jobs × depth of the run", slots, 1, limits::SLOTS_MAX)?;
        if real > 0 {
            within("jobs × depth × largest block_bytes", buffers, 1, limits::BUFFER_BYTES_MAX)?;
        }
        if real != 0 && real != self.groups.len() {
            return Err(invalid("some groups have an engine that does i/o and some have one that does not"));
        }
        if local != 0 && local != self.groups.len() {
            return Err(invalid(
                "some groups have an engine for files of this host and some have one for a server's",
            ));
        }
        Ok(())
    }

    fn check_simulation(&self) -> Result<()> {
        let mut simulated =
            self.groups.iter().filter(|group| engines::of(group).is_ok_and(|kind| kind.virtual_time()));
        let first = &self.groups[0].engine;
        match (simulated.next(), &self.simulation) {
            (Some(group), None) => Err(invalid(format!(
                "engine {} needs the member simulation with law and mean_us",
                group.engine
            ))),
            (None, Some(_)) if engines::reach_targets(self)? => {
                Err(invalid(format!("member simulation is for engines that do no i/o, not {first}")))
            }
            (Some(_), Some(_)) if simulated.count() + 1 != self.groups.len() => {
                Err(invalid("groups have engines of which some simulate and some do not"))
            }
            (_, Some(simulation)) => simulation.check(),
            (None, None) => Ok(()),
        }
    }

    fn check_targets(&self) -> Result<()> {
        within("targets", self.targets.len() as u64, 1, limits::TARGETS_MAX as u64)?;
        for (index, target) in self.targets.iter().enumerate() {
            let users = self.groups.iter().filter(|group| group.uses(index));
            let block = users.map(GroupSpec::block_bytes_max).max().unwrap_or(0);
            if target.span_bytes < u64::from(block) {
                let message = format!(
                    "span of {} is {} bytes, less than one block of {block} bytes",
                    target.path, target.span_bytes
                );
                return Err(CoreError::new("target-too-small", message)
                    .hint("Use a larger --size, or a smaller --block."));
            }
            short(&format!("path of target {index}"), &target.path, limits::PATH_BYTES_MAX)?;
            if target.offset_bytes.checked_add(target.span_bytes).is_none_or(|end| end > i64::MAX as u64) {
                return Err(invalid(format!("offset and span of {} exceed 2^63 bytes", target.path)));
            }
            self.check_stripe(target, block)?;
        }
        let spans = self.targets.iter().map(|target| u128::from(target.span_bytes));
        let together = u64::try_from(spans.sum::<u128>()).unwrap_or(u64::MAX);
        within("span_bytes of all targets", together, 1, limits::SPAN_BYTES_MAX)
    }

    fn check_stripe(&self, target: &TargetSpec, block: u32) -> Result<()> {
        let Some(stripe_bytes) = self.stripe_bytes else { return Ok(()) };
        if stripe_bytes == 0 || stripe_bytes % u64::from(block.max(1)) != 0 {
            return Err(invalid(format!(
                "a stripe of {stripe_bytes} bytes is no multiple of a block of {block} bytes"
            )));
        }
        if target.span_bytes < stripe_bytes {
            let message = format!(
                "{} has {} bytes, less than one stripe of {stripe_bytes}",
                target.path, target.span_bytes
            );
            return Err(CoreError::new("target-too-small", message).hint("Use a smaller stripe."));
        }
        Ok(())
    }

    /// A moment that is far away would have threads wait for it, and nobody could tell that from a run.
    fn check_begin(&self) -> Result<()> {
        let Some(begin_unix_ns) = self.begin_unix_ns else { return Ok(()) };
        let wait_s = s_from_ns(begin_unix_ns.saturating_sub(unix_ns()));
        number("seconds until begin_unix_ns", wait_s, 0.0, limits::BEGIN_WAIT_S_MAX)
    }

    fn check_times(&self) -> Result<()> {
        let bounded = self.groups.iter().all(GroupSpec::is_bounded);
        if self.runtime_s.is_none() && self.ios_max.is_none() && !bounded {
            return Err(invalid("neither runtime_s nor ios_max is given, so the run would never end"));
        }
        if let Some(runtime_s) = self.runtime_s {
            number("runtime_s", runtime_s, 1e-6, limits::RUNTIME_S_MAX)?;
            number("runtime_s ÷ window_s", runtime_s / self.window_s, 0.0, limits::WINDOWS_MAX as f64)?;
        }
        if self.ios_max == Some(0) {
            return Err(invalid("ios_max is 0, so nothing would be measured"));
        }
        let (shortest, longest) = (limits::PATH_TIMEOUT_S_MIN, limits::PATH_TIMEOUT_S_MAX);
        number("path_timeout_s", self.path_timeout_s, shortest, longest)?;
        number("warm_up_s", self.warm_up_s, 0.0, limits::RUNTIME_S_MAX)?;
        self.check_begin()?;
        number("window_s", self.window_s, limits::WINDOW_S_MIN, limits::RUNTIME_S_MAX)?;
        match self.give_up_latency_us {
            Some(_) if !self.is_open_loop() => {
                Err(invalid("give_up_latency_us needs arrivals at a rate, but arrivals are closed"))
            }
            Some(us) => number("give_up_latency_us", us, 1e-3, limits::RUNTIME_S_MAX * 1e6),
            None => Ok(()),
        }
    }
}

impl GroupSpec {
    fn check(&self, run: &RunSpec) -> Result<()> {
        short("engine", &self.engine, limits::NAME_BYTES_MAX)?;
        let kind = engines::of(self)?;
        within("jobs", self.jobs.into(), 1, limits::JOBS_MAX.into())?;
        within(&format!("depth on engine {}", self.engine), self.depth.into(), 1, kind.depth_max().into())?;
        let layout = kind.layout(self.jobs, self.depth);
        let threads = u64::from(layout.jobs) * u64::from(layout.lanes_per_job);
        within(&format!("threads on engine {}", self.engine), threads, 1, limits::THREADS_MAX.into())?;
        within("classes of a group", self.classes.len() as u64, 1, limits::CLASSES_MAX as u64)?;
        if let Some(own) = &self.targets {
            within("targets of a group", own.len() as u64, 1, limits::TARGETS_MAX as u64)?;
            for &index in own {
                within("index of a target", index.into(), 0, (run.targets.len() as u64).saturating_sub(1))?;
            }
        }
        if let Arrivals::Series { steps, burst } = &self.arrivals {
            self.check_series(steps, burst.unwrap_or(1))?;
        }
        if let Some(rate_per_s) = self.arrivals.rate_per_s() {
            number("rate_per_s", rate_per_s, 1e-6, limits::RATE_PER_S_MAX)?;
        }
        number("think_us", self.think_us, 0.0, limits::RUNTIME_S_MAX * 1e6)?;
        number("delay_s", self.delay_s, 0.0, limits::RUNTIME_S_MAX)?;
        if let Some(runtime_s) = self.runtime_s {
            number("runtime_s of a group", runtime_s, 1e-6, limits::RUNTIME_S_MAX)?;
        }
        if self.ios_max == Some(0) {
            return Err(invalid("ios_max of a group is 0, so it would measure nothing"));
        }
        if self.think_us > 0.0 && self.is_open_loop() {
            return Err(invalid("think_us needs a closed loop, but arrivals come at a rate"));
        }
        self.classes.iter().try_for_each(ClassSpec::check)
    }

    fn check_series(&self, steps: &[StepSpec], burst: u32) -> Result<()> {
        within("steps of a series", steps.len() as u64, 1, limits::STEPS_MAX as u64)?;
        within("burst", burst.into(), 1, limits::BURST_MAX.into())?;
        for step in steps {
            number("duration_s of a step", step.duration_s, 1e-3, limits::RUNTIME_S_MAX)?;
            let classes = self.classes.len() as u64;
            within("rates of a step", step.rates_per_s.len() as u64, classes, classes)?;
            for &rate_per_s in &step.rates_per_s {
                number("rate of a step", rate_per_s, 0.0, limits::RATE_PER_S_MAX)?;
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
        short("name of a class", &self.name, limits::NAME_BYTES_MAX)?;
        short(&format!("pattern of class {}", self.name), &self.pattern, limits::NAME_BYTES_MAX)?;
        patterns::find(&self.pattern)?.check(self)?;
        let what = format!("block_bytes of class {}", self.name);
        let (low, high) = (limits::BLOCK_BYTES_MIN, limits::BLOCK_BYTES_MAX);
        within(&what, self.block_bytes.into(), low.into(), high.into())?;
        number(&format!("weight of class {}", self.name), self.weight, 1e-9, 1e9)?;
        if self.op == Op::Read && (self.sync || self.flush.is_some()) {
            return Err(invalid(format!("class {} reads, so sync and flush do not apply", self.name)));
        }
        if let Some(flush) = self.flush {
            within(&format!("flush.every of class {}", self.name), flush.every.into(), 1, u32::MAX.into())?;
        }
        self.check_sizes()
    }

    fn check_sizes(&self) -> Result<()> {
        let Some(largest) = self.sizes.iter().map(|size| size.bytes).max() else { return Ok(()) };
        within(
            &format!("sizes of class {}", self.name),
            self.sizes.len() as u64,
            1,
            limits::SIZES_MAX as u64,
        )?;
        for size in &self.sizes {
            let what = format!("a size of class {}", self.name);
            within(&what, size.bytes.into(), limits::BLOCK_BYTES_MIN.into(), limits::BLOCK_BYTES_MAX.into())?;
            number(&format!("weight of {what}"), size.weight, 1e-9, 1e9)?;
        }
        if largest != self.block_bytes {
            return Err(invalid(format!(
                "block_bytes of class {} is {}, but its largest size is {largest}",
                self.name, self.block_bytes
            )));
        }
        Ok(())
    }
}

impl SimSpec {
    fn check(&self) -> Result<()> {
        number("mean_us", self.mean_us, 1e-3, 1e9)?;
        number("sigma", self.sigma, 0.0, 5.0)?;
        within("servers", self.servers.into(), 1, limits::SIM_SERVERS_MAX.into())?;
        number("us_per_mib", self.us_per_mib, 0.0, 1e9)?;
        if let Some(mean_us) = self.write_mean_us {
            number("write_mean_us", mean_us, 1e-3, 1e9)?;
        }
        together("burst_ios", self.burst_ios, "burst_mean_us", self.burst_mean_us)?;
        together("cliff_ios", self.cliff_ios, "cliff_mean_us", self.cliff_mean_us)?;
        together("cache_bytes", self.cache_bytes, "cache_us", self.cache_us)?;
        let faults = &self.faults;
        together("faults.stall_after_ios", faults.stall_after_ios, "faults.stall_us", faults.stall_us)?;
        for (name, value) in
            [("error", self.faults.error), ("short", self.faults.short), ("delay", self.faults.delay)]
        {
            number(&format!("faults.{name}"), value, 0.0, 1.0)?;
        }
        number("faults.delay_us", self.faults.delay_us, 0.0, 1e9)
    }
}

/// Something that happens from a count on, and how long it takes: both are given or none.
fn together(count: &str, from: Option<u64>, time: &str, us: Option<f64>) -> Result<()> {
    match (from, us) {
        (Some(_), Some(us)) => number(time, us, 1e-3, 1e9),
        (None, None) => Ok(()),
        _ => Err(invalid(format!("{count} and {time} go together, and only one is given"))),
    }
}

fn short(what: &str, text: &str, bytes_max: usize) -> Result<()> {
    if text.len() <= bytes_max {
        return Ok(());
    }
    Err(invalid(format!("{what} is {} bytes long, more than {bytes_max}", text.len())))
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
