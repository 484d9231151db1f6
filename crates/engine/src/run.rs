//! A run from outside: start it, poll it, stop it, collect what it measured.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::clock::{Clock, RealClock, ns_from_s, s_from_ns};
use crate::control::{Control, Gauge, Halt};
use crate::drive::{self, ClientPlan, Lane};
use crate::engines::{self, Kind, Layout, Setup};
use crate::error::{CoreError, Result};
use crate::file::{self, Target};
use crate::gather::{Gatherer, Latest, Links};
use crate::permit::WritePermit;
use crate::record::{Bundle, Message, Recorder, Shape};
use crate::result::{Outcome, Row};
use crate::spec::{GroupSpec, RunSpec};
use crate::stream::{Budget, Source, Stream};
use crate::sys::thread as sys_thread;
use crate::times::{self, Times};

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Time since the start, warm-up included.
    pub elapsed_s: f64,
    /// Warm-up and measured window together; none when only a count ends the run.
    pub expected_s: Option<f64>,
    /// The result can be collected without waiting.
    pub finished: bool,
    /// The measured window has not begun.
    pub warming: bool,
    /// Successful I/Os so far, warm-up included.
    pub ios: u64,
    /// Failed I/Os so far.
    pub errors: u64,
    /// Bytes moved so far.
    pub bytes: u64,
    /// Figures of the last finished window.
    pub latest: Latest,
}

/// Set once, waited for by anyone.
#[derive(Debug, Default)]
pub struct Flag {
    set: Mutex<bool>,
    changed: Condvar,
}

impl Flag {
    pub(crate) fn raise(&self) {
        *self.set.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = true;
        self.changed.notify_all();
    }

    /// True once it is set.
    pub fn is_set(&self) -> bool {
        *self.set.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Waits until it is set, at most `patience`; true when it is.
    pub fn wait(&self, patience: Duration) -> bool {
        let set = self.set.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let waited = self.changed.wait_timeout_while(set, patience, |set| !*set);
        *waited.map_or_else(|poisoned| poisoned.into_inner().0, |(set, _)| set)
    }
}

/// A run at work.
pub struct Run {
    spec: Arc<RunSpec>,
    times: Times,
    real_time: bool,
    control: Arc<Control>,
    gauge: Arc<Vec<Gauge>>,
    latest: Arc<Mutex<Latest>>,
    windows: Arc<Mutex<BTreeMap<u64, Vec<Row>>>>,
    finished: Arc<Flag>,
    gatherer: Option<JoinHandle<Result<Outcome>>>,
}

/// What a lane's thread gets when all lanes are ready.
struct Go {
    clients: Vec<ClientPlan>,
    times: Times,
    recorder: Recorder,
}

/// One thread: its engine, and whose I/Os it does.
#[derive(Clone)]
struct Post {
    kind: &'static dyn Kind,
    /// Group, job and outstanding I/Os of each client.
    clients: Vec<(usize, u32, u32)>,
    /// Threads that share the job's arrivals.
    lanes_per_job: u32,
    pin: bool,
}

impl Post {
    fn depth(&self) -> u32 {
        self.clients.iter().map(|&(_, _, depth)| depth).sum()
    }

    /// The groups that it works for; they follow each other.
    fn groups<'a>(&self, spec: &'a RunSpec) -> &'a [GroupSpec] {
        let last = self.clients.last().map_or(0, |&(group, ..)| group);
        &spec.groups[self.clients[0].0..=last]
    }

    fn shape(&self, spec: &RunSpec) -> Shape {
        let of = |group: &GroupSpec| vec![group.is_open_loop(); group.classes.len()];
        let open_loop = self.groups(spec).iter().flat_map(of).collect();
        Shape { first_class: spec.first_class(self.clients[0].0), open_loop }
    }
}

/// Every thread of a run.
fn posts(spec: &RunSpec) -> Result<Vec<Post>> {
    let mut posts: Vec<Post> = Vec::new();
    for (index, group) in spec.groups.iter().enumerate() {
        let kind = engines::of(group)?;
        let clients = |jobs, depth| (0..jobs).map(move |job| (index, job, depth));
        if kind.shared() {
            if posts.is_empty() {
                posts.push(Post { kind, clients: Vec::new(), lanes_per_job: 1, pin: false });
            }
            posts[0].clients.extend(clients(group.jobs, group.depth));
            continue;
        }
        let Layout { jobs, lanes_per_job, depth } = kind.layout(group.jobs, group.depth);
        for client in clients(jobs, depth) {
            let post = Post { kind, clients: vec![client], lanes_per_job, pin: group.pin };
            posts.extend(std::iter::repeat_n(post, lanes_per_job as usize));
        }
    }
    Ok(posts)
}

/// What a lane's thread has from the beginning.
#[derive(Clone)]
struct Crew {
    spec: Arc<RunSpec>,
    posts: Arc<Vec<Post>>,
    targets: Arc<Vec<Target>>,
    permits: Arc<[WritePermit]>,
    control: Arc<Control>,
    gauge: Arc<Vec<Gauge>>,
}

/// The near ends of one lane's channels.
struct Reins {
    ready: Receiver<Result<bool>>,
    go: Sender<Go>,
    thread: JoinHandle<()>,
}

/// What is done with the result before the run counts as finished.
pub type Finale = Box<dyn FnOnce(Result<Outcome>) -> Result<Outcome> + Send>;

/// Starts a run: opens everything, waits until all threads are ready, and lets them go together.
pub fn start(spec: RunSpec, permits: &[WritePermit]) -> Result<Run> {
    start_with(spec, permits, Box::new(|outcome| outcome))
}

/// Starts a run whose result passes through `finale`.
pub fn start_with(spec: RunSpec, permits: &[WritePermit], finale: Finale) -> Result<Run> {
    spec.check()?;
    for group in &spec.groups {
        engines::of(group)?.probe()?;
    }
    let targets = if engines::open_files(&spec)? { file::open_all(&spec, permits)? } else { Vec::new() };
    let posts = posts(&spec)?;
    let lanes = posts.len();
    let crew = Crew {
        spec: Arc::new(spec),
        posts: Arc::new(posts),
        targets: Arc::new(targets),
        permits: permits.into(),
        control: Arc::default(),
        gauge: Arc::new((0..lanes).map(|_| Gauge::default()).collect()),
    };
    let (to_gatherer, from_lanes) = channel();
    let reins = hire(&crew, lanes, &to_gatherer)?;
    let real_time = muster(&reins)?;
    launch(crew, reins, (to_gatherer, from_lanes), real_time, finale)
}

fn hire(crew: &Crew, lanes: usize, to_gatherer: &Sender<Message>) -> Result<Vec<Reins>> {
    (0..lanes)
        .map(|index| {
            let (ready_in, ready) = channel();
            let (go, go_out) = channel();
            let (crew, to_gatherer) = (crew.clone(), to_gatherer.clone());
            let thread = thread::Builder::new()
                .name(format!("plimsoll-{index}"))
                .spawn(move || lane_thread(&crew, index, &ready_in, &go_out, &to_gatherer))
                .map_err(|error| {
                    CoreError::kernel(
                        "out-of-threads",
                        format!("could not start thread {index} of {lanes}"),
                        &error,
                    )
                    .hint("Use a smaller --jobs or --depth, or raise the limit on processes (ulimit -u).")
                })?;
            Ok(Reins { ready, go, thread })
        })
        .collect()
}

/// Waits until every lane has opened its engine; the first refusal ends the run before it began.
fn muster(reins: &[Reins]) -> Result<bool> {
    let mut real_time = true;
    for lane in reins {
        let vanished = |_| CoreError::new("internal", "a thread of the run vanished before it began");
        real_time = lane.ready.recv().map_err(vanished)??;
    }
    Ok(real_time)
}

fn launch(
    crew: Crew,
    reins: Vec<Reins>,
    (to_gatherer, from_lanes): (Sender<Message>, Receiver<Message>),
    real_time: bool,
    finale: Finale,
) -> Result<Run> {
    let Crew { spec, posts, control, gauge, .. } = crew;
    let times = times(&spec, if real_time { times::begin_ns(spec.begin_unix_ns)? } else { 0 });
    let clients = clients(&spec, &posts, times)?;
    let shapes: Vec<Shape> = posts.iter().map(|post| post.shape(&spec)).collect();
    let mut cleared_in = Vec::new();
    let mut threads = Vec::new();
    for (index, (lane, clients)) in reins.into_iter().zip(clients).enumerate() {
        let (cleared, cleared_out) = channel();
        // A spare is ready from the start, so that no lane has to make one while it measures.
        let _ = cleared.send(Bundle::new(&shapes[index]));
        cleared_in.push(cleared);
        let recorder = Recorder::new(index, shapes[index].clone(), times, to_gatherer.clone(), cleared_out);
        // A lane that has gone meanwhile shows as a vanished thread in the gatherer.
        let _ = lane.go.send(Go { clients, times, recorder });
        threads.push(lane.thread);
    }
    drop(to_gatherer);
    let (latest, windows) = (Arc::default(), Arc::default());
    let links = Links {
        control: Arc::clone(&control),
        latest: Arc::clone(&latest),
        windows: Arc::clone(&windows),
        from_lanes,
        cleared: cleared_in,
    };
    let gatherer = Gatherer::new(Arc::clone(&spec), times, links, real_time);
    let finished = Arc::new(Flag::default());
    let gatherer = oversee(gatherer, finale, threads, Arc::clone(&finished))?;
    Ok(Run { spec, times, real_time, control, gauge, latest, windows, finished, gatherer: Some(gatherer) })
}

fn oversee(
    gatherer: Gatherer,
    finale: Finale,
    threads: Vec<JoinHandle<()>>,
    finished: Arc<Flag>,
) -> Result<JoinHandle<Result<Outcome>>> {
    let work = move || {
        let conclude = || {
            let outcome = gatherer.gather();
            for thread in threads {
                let _ = thread.join();
            }
            finale(outcome)
        };
        let outcome = catch_unwind(AssertUnwindSafe(conclude)).unwrap_or_else(|panic| Err(internal(&*panic)));
        finished.raise();
        outcome
    };
    thread::Builder::new()
        .name("plimsoll-gather".to_owned())
        .spawn(work)
        .map_err(|error| CoreError::kernel("out-of-threads", "could not start the gathering thread", &error))
}

fn times(spec: &RunSpec, start_ns: u64) -> Times {
    let measure_ns = start_ns + ns_from_s(spec.warm_up_s);
    let end_ns = spec.runtime_s.map_or(u64::MAX, |runtime_s| measure_ns + ns_from_s(runtime_s));
    let window_ns = whole_windows_ns(ns_from_s(spec.window_s), spec.runtime_s.map(ns_from_s));
    Times { start_ns, measure_ns, end_ns, window_ns }
}

/// A window's length. A tenth of a runtime, cut to nanoseconds, would leave a few of them over as one more window; then each is one
/// longer.
fn whole_windows_ns(window_ns: u64, runtime_ns: Option<u64>) -> u64 {
    let Some((count, rest)) =
        runtime_ns.and_then(|total| Some((total.checked_div(window_ns)?, total.checked_rem(window_ns)?)))
    else {
        return window_ns;
    };
    window_ns + u64::from((1..=count).contains(&rest))
}

impl Times {
    /// Those of one group: it may begin later than the others, and end before them.
    fn of(self, group: &GroupSpec) -> Self {
        let delay_ns = ns_from_s(group.delay_s);
        let start_ns = self.start_ns + delay_ns;
        let end_ns =
            group.runtime_s.map_or(u64::MAX, |runtime_s| self.measure_ns + delay_ns + ns_from_s(runtime_s));
        Self { start_ns, end_ns: end_ns.min(self.end_ns), ..self }
    }
}

/// Group, job and the stream that its threads share.
type Shared = ((usize, u32), Arc<Mutex<Stream>>);

/// The clients of every thread, each with its stream; threads of one job share it.
fn clients(spec: &RunSpec, posts: &[Post], times: Times) -> Result<Vec<Vec<ClientPlan>>> {
    let common = Arc::new(Budget::new(spec.ios_max));
    let own = |group: &GroupSpec| group.ios_max.map(|ios_max| Arc::new(Budget::new(Some(ios_max))));
    let budgets: Vec<_> =
        spec.groups.iter().map(|group| own(group).unwrap_or_else(|| Arc::clone(&common))).collect();
    let mut all = Vec::new();
    let mut shared: Option<Shared> = None;
    for post in posts {
        let mut clients = Vec::new();
        for &(group, job, depth) in &post.clients {
            let own = times.of(&spec.groups[group]);
            let fresh = || Stream::new(spec, group, job, own, Arc::clone(&budgets[group]));
            let source = if post.lanes_per_job == 1 {
                Source::Own(Box::new(fresh()?))
            } else {
                let known = shared.take().filter(|(of, _)| *of == (group, job));
                let (_, stream) = shared.insert(match known {
                    Some(known) => known,
                    None => ((group, job), Arc::new(Mutex::new(fresh()?))),
                });
                Source::Shared(Arc::clone(stream))
            };
            clients.push(ClientPlan { group, depth, source });
        }
        all.push(clients);
    }
    Ok(all)
}

fn lane_thread(
    crew: &Crew,
    index: usize,
    ready: &Sender<Result<bool>>,
    go: &Receiver<Go>,
    to_gatherer: &Sender<Message>,
) {
    let work = || {
        let post = &crew.posts[index];
        settle_in(post, index);
        let groups = post.groups(&crew.spec);
        let setup = Setup {
            spec: &crew.spec,
            targets: Arc::clone(&crew.targets),
            permits: &crew.permits,
            groups,
            depth: post.depth(),
            block_bytes_max: groups.iter().map(GroupSpec::block_bytes_max).max().unwrap_or(0),
        };
        let mut opened = match post.kind.open(&setup) {
            Ok(opened) => opened,
            Err(error) => return drop(ready.send(Err(error))),
        };
        if groups.iter().any(GroupSpec::writes) {
            drive::prepare(&mut opened.buffers, &crew.spec, index);
        }
        let _ = ready.send(Ok(opened.clock.is_real()));
        // No word to go means that another lane could not open.
        let Ok(Go { clients, times, recorder }) = go.recv() else { return };
        let lane = Lane {
            spec: &crew.spec,
            targets: Arc::clone(&crew.targets),
            index,
            opened,
            clients,
            times,
            control: Arc::clone(&crew.control),
            gauge: Arc::clone(&crew.gauge),
        };
        drive::run(lane, recorder);
    };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
        crew.control.halt(Halt::Broken);
        let _ = to_gatherer.send(Message::Finished(index, Box::new(Err(internal(&*panic)))));
    }
}

fn settle_in(post: &Post, index: usize) {
    sys_thread::drop_timer_slack();
    sys_thread::ask_for_short_turns();
    if post.pin && post.lanes_per_job == 1 {
        let processors = sys_thread::processors();
        // From the last one downwards: the first one has most of the kernel's own work.
        if let Some(&processor) = processors.iter().rev().cycle().nth(index) {
            sys_thread::pin(processor);
        }
    }
}

/// Our own defect, with what the panic said.
pub fn internal(panic: &(dyn std::any::Any + Send)) -> CoreError {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    CoreError::new("internal", format!("the engine failed an assertion: {words}"))
        .hint("This is a defect of Plimsoll; please report it with this text.")
}

impl Run {
    /// How far it is. Never blocks for longer than another thread needs to write three numbers.
    pub fn progress(&self) -> Progress {
        let sum = |pick: fn(&Gauge) -> &std::sync::atomic::AtomicU64| {
            self.gauge.iter().map(|gauge| pick(gauge).load(Ordering::Relaxed)).sum()
        };
        let now_ns = self.now_ns();
        let expected_s = self.spec.runtime_s.map(|runtime_s| self.spec.warm_up_s + runtime_s);
        let elapsed_s = s_from_ns(now_ns.saturating_sub(self.times.start_ns));
        Progress {
            elapsed_s: expected_s.map_or(elapsed_s, |expected_s| elapsed_s.min(expected_s)),
            expected_s,
            finished: self.finished.is_set(),
            warming: now_ns < self.times.measure_ns,
            ios: sum(|gauge| &gauge.ios),
            errors: sum(|gauge| &gauge.errors),
            bytes: sum(|gauge| &gauge.bytes),
            latest: *self.latest.lock().unwrap_or_else(|poisoned| poisoned.into_inner()),
        }
    }

    fn now_ns(&self) -> u64 {
        let shown = self.gauge.iter().map(|gauge| gauge.now_ns.load(Ordering::Relaxed)).max().unwrap_or(0);
        if self.real_time && !self.finished.is_set() {
            RealClock.now_ns()
        } else {
            shown.max(self.times.start_ns)
        }
    }

    /// Rows of complete windows from this one on, a list for each class in each window. None are left once the run is over.
    pub fn windows(&self, from: u64) -> Vec<Row> {
        let windows = self.windows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        windows.range(from..).flat_map(|(_, rows)| rows.iter().cloned()).collect()
    }

    /// Set when the run is over; whoever waits for it needs no hold on the run.
    pub fn finished(&self) -> Arc<Flag> {
        Arc::clone(&self.finished)
    }

    /// Asks the run to end and to keep what it measured. Returns at once.
    pub fn stop(&self) {
        self.control.halt(Halt::Stopped);
    }

    /// Waits for the end and gives the result; a second call fails with `already-collected`.
    pub fn collect(&mut self) -> Result<Outcome> {
        let gatherer = self.gatherer.take();
        let gatherer = gatherer.ok_or_else(|| {
            CoreError::new("already-collected", "the result of this run has been collected before")
                .hint("Keep the result of the first collect.")
        })?;
        gatherer.join().unwrap_or_else(|panic| Err(internal(&*panic)))
    }
}

impl Drop for Run {
    /// Nobody can collect any more, so the threads shall end soon; they clean up after themselves.
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::whole_windows_ns;

    #[test]
    fn a_tenth_of_a_runtime_makes_ten_windows() {
        assert_eq!(whole_windows_ns(400_600_901, Some(4_006_009_014)), 400_600_902);
        assert_eq!(4_006_009_014_u64.div_ceil(400_600_902), 10);
        assert_eq!(whole_windows_ns(500_000_000, Some(5_000_000_000)), 500_000_000);
        assert_eq!(whole_windows_ns(500_000_000, Some(5_200_000_000)), 500_000_000);
        assert_eq!(whole_windows_ns(500_000_000, Some(100)), 500_000_000);
        assert_eq!(whole_windows_ns(500_000_000, None), 500_000_000);
    }
}
