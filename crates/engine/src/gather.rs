//! Merges what the lanes counted: into the run, and into a series of windows.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crate::clock::{Clock, RealClock, s_from_ns, unix_ns};
use crate::connections::{self, Connections};
use crate::control::{Control, Halt};
use crate::counts::Counts;
use crate::error::{CoreError, Result};
use crate::hdr;
use crate::limits::{IO_ERRORS_KEPT_MAX, WINDOWS_MAX};
use crate::record::{Bundle, LaneEnd, Message, Tally};
use crate::remote;
use crate::result::{Counted, Ended, IoError, Moved, Note, Outcome, Row, Scope};
use crate::spec::{GroupSpec, RunSpec};
use crate::stream::volume;
use crate::sys::thread;
use crate::sys::usage::{HostTime, Usage};
use crate::times::Times;

/// Figures of the last finished window, for whoever polls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Latest {
    /// I/Os a second.
    pub iops: Option<f64>,
    /// Median latency.
    pub latency_us_p50: Option<f64>,
    /// 99th percentile.
    pub latency_us_p99: Option<f64>,
}

/// What the gatherer shares with the lanes and with whoever polls.
pub struct Links {
    /// Why the lanes ended.
    pub control: Arc<Control>,
    /// Where the last window's figures go.
    pub latest: Arc<Mutex<Latest>>,
    /// Rows of the windows that are complete; the result takes them out.
    pub windows: Arc<Mutex<BTreeMap<u64, Vec<Row>>>>,
    /// What the lanes tell.
    pub from_lanes: Receiver<Message>,
    /// Where cleared bundles go back to, one for each lane.
    pub cleared: Vec<Sender<Box<Bundle>>>,
}

/// Collects the messages of all lanes of one run.
pub struct Gatherer {
    spec: Arc<RunSpec>,
    times: Times,
    links: Links,
    real_time: bool,
    run: Vec<Tally>,
    /// How many blocks each class can reach.
    space_blocks: Vec<u64>,
    /// Windows that some lane may still add to.
    open_windows: BTreeMap<u64, Vec<Tally>>,
    /// The next window that each lane may still send.
    expected: Vec<u64>,
    ends: BTreeMap<usize, LaneEnd>,
    broken: Option<CoreError>,
    /// What the wall clock showed when the run's clock showed nothing.
    epoch_ns: u64,
    began: Option<(Usage, Option<HostTime>)>,
    /// What the kernel's workers had used when the measured window began.
    workers_before_ns: Option<u64>,
    ended: Option<(Usage, Option<HostTime>)>,
}

impl Gatherer {
    /// A gatherer for a run whose lanes are about to start.
    pub fn new(spec: Arc<RunSpec>, times: Times, links: Links, real_time: bool) -> Self {
        Self {
            run: tallies(&spec),
            space_blocks: space_blocks(&spec),
            expected: vec![0; links.cleared.len()],
            spec,
            times,
            links,
            real_time,
            open_windows: BTreeMap::new(),
            ends: BTreeMap::new(),
            broken: None,
            epoch_ns: unix_ns().saturating_sub(if real_time { RealClock.now_ns() } else { 0 }),
            began: None,
            workers_before_ns: None,
            ended: None,
        }
    }

    /// Listens until every lane is over, and makes the result.
    pub fn gather(mut self) -> Result<Outcome> {
        let mut running = self.expected.len();
        while running > 0 {
            self.mark();
            match self.links.from_lanes.recv_timeout(self.patience()) {
                Ok(Message::Window(lane, bundle)) => self.take(lane, bundle),
                Ok(Message::Unissued(rest)) => add(&mut self.run, &rest),
                Ok(Message::Finished(lane, end)) => {
                    running -= 1;
                    self.expected[lane] = u64::MAX;
                    self.complete_windows();
                    self.note_end(lane, *end);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.broken
                        .get_or_insert_with(|| CoreError::new("internal", "a thread of the run vanished"));
                    break;
                }
            }
        }
        self.mark();
        self.conclude()
    }

    /// Reads the processor's clocks when the measured window begins and when it ends.
    fn mark(&mut self) {
        let now_ns = if self.real_time { RealClock.now_ns() } else { self.times.measure_ns };
        if self.began.is_none() && now_ns >= self.times.measure_ns {
            self.began = Some((Usage::now(), HostTime::now()));
            self.workers_before_ns = thread::workers(None).processor_ns;
        }
        if self.ended.is_none() && now_ns >= self.times.end_ns {
            self.ended = Some((Usage::now(), HostTime::now()));
        }
    }

    fn patience(&self) -> Duration {
        let next_ns = match (self.began.is_some(), self.ended.is_some()) {
            _ if !self.real_time => u64::MAX,
            (false, _) => self.times.measure_ns,
            (true, false) => self.times.end_ns,
            (true, true) => u64::MAX,
        };
        Duration::from_nanos(next_ns.saturating_sub(RealClock.now_ns())).min(Duration::from_secs(3600))
    }

    fn take(&mut self, lane: usize, mut bundle: Box<Bundle>) {
        if let Some(window) = bundle.window {
            let sums = self.open_windows.entry(window).or_insert_with(|| tallies(&self.spec));
            add(sums, &bundle);
            self.expected[lane] = window + 1;
        }
        bundle.clear();
        let _ = self.links.cleared[lane].send(bundle);
        self.complete_windows();
    }

    /// Encodes the windows to which no lane can add any more.
    fn complete_windows(&mut self) {
        let until = self.expected.iter().copied().min().unwrap_or(u64::MAX);
        while let Some(entry) = self.open_windows.first_entry().filter(|entry| *entry.key() < until) {
            let (window, sums) = entry.remove_entry();
            self.run.iter_mut().zip(&sums).for_each(|(sum, tally)| sum.add(tally));
            *self.links.latest.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) =
                self.latest(window, &sums);
            let rows =
                sums.iter().enumerate().map(|(class, tally)| self.row(class, tally, Scope::Window(window)));
            let rows: Vec<Row> = rows.map(|row| self.placed(row, window)).collect();
            self.finished_windows().insert(window, rows);
        }
    }

    fn is_open_loop(&self) -> bool {
        self.spec.is_open_loop()
    }

    fn latest(&self, window: u64, sums: &[Tally]) -> Latest {
        let mut all = Counts::default();
        sums.iter().for_each(|tally| all.add(&tally.latency));
        let all = all.histogram();
        let ios: u64 = sums.iter().map(|tally| tally.ios).sum();
        let quantile = |share| (!all.is_empty()).then(|| all.value_at_quantile(share) as f64 / 1e3);
        let length_ns = self.length_ns(window);
        Latest {
            iops: (length_ns > 0).then(|| ios as f64 / s_from_ns(length_ns)),
            latency_us_p50: quantile(0.5),
            latency_us_p99: quantile(0.99),
        }
    }

    fn length_ns(&self, window: u64) -> u64 {
        let begin_ns = self.times.measure_ns.saturating_add(window.saturating_mul(self.times.window_ns));
        self.times.window_ns.min(self.times.end_ns.saturating_sub(begin_ns))
    }

    /// The row with its place in time, as far as it is known before the run is over.
    fn placed(&self, row: Row, window: u64) -> Row {
        Row {
            start_s: s_from_ns(window.saturating_mul(self.times.window_ns)),
            duration_s: s_from_ns(self.length_ns(window)),
            ..row
        }
    }

    fn finished_windows(&self) -> MutexGuard<'_, BTreeMap<u64, Vec<Row>>> {
        self.links.windows.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn note_end(&mut self, lane: usize, end: Result<LaneEnd>) {
        match end {
            Ok(end) => drop(self.ends.insert(lane, end)),
            Err(error) => drop(self.broken.get_or_insert(error)),
        }
    }

    fn row(&self, class: usize, tally: &Tally, scope: Scope) -> Row {
        let spec = self.spec.classes().nth(class).expect("there is one tally for each class");
        let latency_hdr = encoded(&tally.latency);
        let service_hdr = tally.service.as_ref().map_or_else(|| latency_hdr.clone(), encoded);
        let submitted = tally.ios + tally.errors > 0;
        let late = tally.service.is_some() && submitted;
        Row {
            scope,
            start_s: 0.0,
            duration_s: 0.0,
            class: spec.name.clone(),
            op: spec.op.as_str(),
            block_bytes: spec.block_bytes,
            ios: tally.ios,
            completed_ios: tally.completed_ios,
            bytes: tally.bytes,
            errors: tally.errors,
            short_ios: tally.short_ios,
            unissued_ios: tally.unissued_ios,
            latency_hdr,
            service_hdr,
            distinct_blocks: tally.visited.estimate().min(tally.ios).min(self.space_blocks[class]),
            space_blocks: self.space_blocks[class],
            first_s: self.after_begin_s(tally.first_ns),
            last_s: self.after_begin_s(tally.last_ns),
            lateness_us_max: late.then_some(tally.lateness_ns_max as f64 / 1e3),
        }
    }

    /// After the begin of the measured time; none for 0.
    fn after_begin_s(&self, moment_ns: u64) -> Option<f64> {
        (moment_ns > 0).then(|| s_from_ns(moment_ns.saturating_sub(self.times.measure_ns)))
    }

    fn conclude(mut self) -> Result<Outcome> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        let io_errors = self.io_errors();
        self.check_any_worked(&io_errors)?;
        let ended = self.why_ended();
        let runtime_ns = self.end_ns(ended).saturating_sub(self.times.measure_ns);
        let (usage_end, host_end) = self.ended.unwrap_or_else(|| (Usage::now(), HostTime::now()));
        let (usage_begin, host_begin) = self.began.unwrap_or((usage_end, host_end));
        let host = host_end.zip(host_begin).filter(|_| self.real_time);
        let open_loop = self.is_open_loop();
        Ok(Outcome {
            rows: self.rows(runtime_ns),
            runtime_s: s_from_ns(runtime_ns),
            started_unix_ns: self.epoch_ns.saturating_add(self.times.measure_ns),
            first_io_unix_ns: self.first_io_unix_ns(),
            ended,
            usage: usage_end.since(&usage_begin),
            host: host.map(|(end, begin)| end.since(&begin)),
            threads_s: self.ends.values().map(|end| end.thread_s).sum(),
            workers_s: self.workers_s(),
            processor_wait_share: self.processor_wait_share(),
            offered_ios: self.run.iter().map(|tally| tally.ios + tally.errors + tally.unissued_ios).sum(),
            completed_in_window_ios: self.run.iter().map(|tally| tally.completed_ios).sum(),
            moved: self.moved(),
            backlog_max: open_loop.then(|| self.ends.values().map(|end| end.backlog_max).max().unwrap_or(0)),
            outages: connections::outages(self.connections(), self.times.measure_ns, runtime_ns),
            paths: connections::paths(self.connections()),
            notes: self.notes(ended),
            io_errors,
        })
    }

    fn first_io_unix_ns(&self) -> Option<u64> {
        let first_ns = self.ends.values().map(|end| end.first_ns).filter(|first_ns| *first_ns > 0).min()?;
        self.real_time.then(|| self.epoch_ns.saturating_add(first_ns))
    }

    fn connections(&self) -> impl Iterator<Item = &Connections> {
        self.ends.values().map(|end| &end.connections)
    }

    fn moved(&self) -> Moved {
        let mut moved = Moved::default();
        self.ends.values().for_each(|end| moved.add(&end.moved));
        moved
    }

    fn workers_s(&self) -> Option<f64> {
        if !self.real_time {
            return None;
        }
        let all_ns = self.ends.values().map(|end| end.workers_ns).sum::<Option<u64>>()?;
        Some(s_from_ns(all_ns.saturating_sub(self.workers_before_ns?)))
    }

    fn processor_wait_share(&self) -> Option<f64> {
        if !self.real_time {
            return None;
        }
        let waited_ns = self.ends.values().map(|end| end.processor_wait_ns).sum::<Option<u64>>()?;
        let lasted = |end: &LaneEnd| end.finished_ns.saturating_sub(self.times.start_ns);
        let lasted_ns: u64 = self.ends.values().map(lasted).sum();
        (lasted_ns > 0).then(|| waited_ns as f64 / lasted_ns as f64)
    }

    fn check_any_worked(&self, io_errors: &[IoError]) -> Result<()> {
        let ios: u64 = self.run.iter().map(|tally| tally.ios).sum();
        let Some(first) = io_errors.first() else { return Ok(()) };
        if ios > 0 {
            return Ok(());
        }
        let path = self.spec.targets.first().map_or("", |target| &target.path);
        let message = format!(
            "every i/o failed, the first one a {} at byte {} of {path}: {}",
            first.op, first.offset, first.message
        );
        let mut error = CoreError::new("all-ios-failed", message);
        error.errno = first.errno;
        Err(error.hint(if remote::is_remote(path) {
            "The server's own log says more."
        } else {
            "Look at the kernel's log (dmesg) for the device, or try --engine psync."
        }))
    }

    fn why_ended(&self) -> Ended {
        match self.links.control.halted() {
            Halt::Stopped => Ended::Stopped,
            Halt::GaveUp => Ended::GaveUp,
            Halt::Failing => Ended::Errors,
            _ if self.ends.values().all(|end| end.spent) => Ended::IosMax,
            _ => Ended::InTime,
        }
    }

    fn end_ns(&self, ended: Ended) -> u64 {
        let latest = |moment: fn(&LaneEnd) -> u64| self.ends.values().map(moment).max().unwrap_or(0);
        match ended {
            Ended::InTime => self.times.end_ns,
            Ended::IosMax => latest(|end| end.finished_ns),
            Ended::Stopped | Ended::GaveUp | Ended::Errors => latest(|end| end.closed_ns),
        }
    }

    fn rows(&mut self, runtime_ns: u64) -> Vec<Row> {
        let runtime_s = s_from_ns(runtime_ns);
        let mut rows: Vec<Row> =
            self.run.iter().enumerate().map(|(class, tally)| self.row(class, tally, Scope::Run)).collect();
        rows.iter_mut().for_each(|row| row.duration_s = runtime_s);
        let mut windows = std::mem::take(&mut *self.finished_windows());
        let seen = windows.last_key_value().map_or(0, |(window, _)| window + 1);
        let empty = tallies(&self.spec);
        for window in 0..runtime_ns.div_ceil(self.times.window_ns).max(seen).min(WINDOWS_MAX) {
            let start_ns = window.saturating_mul(self.times.window_ns);
            let end_ns = start_ns.saturating_add(self.times.window_ns).min(runtime_ns);
            let end_ns = if window + 1 == WINDOWS_MAX { runtime_ns } else { end_ns };
            let known = windows.remove(&window);
            let blank = || {
                (0..self.run.len())
                    .map(|class| self.row(class, &empty[class], Scope::Window(window)))
                    .collect()
            };
            for mut row in known.unwrap_or_else(blank) {
                row.start_s = s_from_ns(start_ns);
                row.duration_s = s_from_ns(end_ns.saturating_sub(start_ns));
                rows.push(row);
            }
        }
        rows
    }

    fn io_errors(&mut self) -> Vec<IoError> {
        let all = self.ends.values_mut().flat_map(|end| end.io_errors.drain(..));
        all.take(IO_ERRORS_KEPT_MAX).collect()
    }

    /// Lanes of one run meet the same fallbacks; each is told once.
    fn notes(&self, ended: Ended) -> Vec<Note> {
        let mut notes: Vec<Note> = Vec::new();
        if let (Ended::GaveUp, Some(limit_us)) = (ended, self.spec.give_up_latency_us) {
            let closed_ns = self.ends.values().map(|end| end.closed_ns).max().unwrap_or(0);
            let after_s = s_from_ns(closed_ns.saturating_sub(self.times.start_ns));
            let message = format!(
                "the run ended {after_s:.3} s after its start, because an arrival had waited longer than {limit_us} µs"
            );
            notes.push(Note { code: "gave-up", message });
        }
        for note in self.ends.values().flat_map(|end| &end.notes) {
            if notes.iter().all(|known| known.code != note.code) {
                notes.push(note.clone());
            }
        }
        notes.extend(self.counted());
        notes
    }

    /// What engines counted, summed up over the lanes.
    fn counted(&self) -> impl Iterator<Item = Note> {
        let mut sums: Vec<Counted> = Vec::new();
        for one in self.ends.values().flat_map(|end| &end.counted).filter(|one| one.amount > 0) {
            match sums.iter_mut().find(|known| known.code == one.code) {
                Some(known) => known.amount += one.amount,
                None => sums.push(*one),
            }
        }
        sums.into_iter().map(|sum| sum.told())
    }
}

/// Adds a lane's counts to those of the run, which has more classes.
fn add(sums: &mut [Tally], bundle: &Bundle) {
    for (sum, tally) in sums[bundle.first_class..].iter_mut().zip(&bundle.tallies) {
        sum.add(tally);
    }
}

fn encoded(counts: &Counts) -> Vec<u8> {
    hdr::encode(&counts.histogram())
}

fn space_blocks(spec: &RunSpec) -> Vec<u64> {
    let of = |group| move |class| volume(spec, group, class).blocks();
    spec.groups.iter().flat_map(|group| group.classes.iter().map(of(group))).collect()
}

fn tallies(spec: &RunSpec) -> Vec<Tally> {
    let of = |group: &GroupSpec| vec![Tally::new(group.is_open_loop()); group.classes.len()];
    spec.groups.iter().flat_map(of).collect()
}
