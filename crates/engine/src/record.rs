//! Counts what happened, in one thread, without locks, and without allocation but for the first latency of each magnitude.
//!
//! At each window's end the full bundle of histograms goes to the gatherer and a cleared one takes its place, so
//! that merging and encoding never delay an I/O.

use std::sync::mpsc::{Receiver, Sender};

use crate::connections::Connections;
use crate::counts::Counts;
use crate::limits::WINDOWS_MAX;
use crate::result::{Counted, IoError, Moved, Note};
use crate::sketch::Sketch;
use crate::times::Times;

/// The counts of one class in one window of one thread.
#[derive(Debug, Clone)]
pub struct Tally {
    /// Latencies in nanoseconds.
    pub latency: Counts,
    /// Service times in nanoseconds; only in an open loop, else they equal the latencies.
    pub service: Option<Counts>,
    /// I/Os that moved all their bytes.
    pub ios: u64,
    /// I/Os that moved all their bytes within the measured time, whenever they began.
    pub completed_ios: u64,
    /// Bytes moved by all that began in it.
    pub bytes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// I/Os that came back short.
    pub short_ios: u64,
    /// Arrivals that were never submitted.
    pub unissued_ios: u64,
    /// Our own worst lateness.
    pub lateness_ns_max: u64,
    /// When the first successful I/O ended; 0 where there is none.
    pub first_ns: u64,
    /// When the last successful I/O ended.
    pub last_ns: u64,
    /// Blocks to which those I/Os went that moved all their bytes.
    pub visited: Sketch,
}

impl Tally {
    /// Nothing counted yet.
    pub fn new(open_loop: bool) -> Self {
        Self {
            latency: Counts::default(),
            service: open_loop.then(Counts::default),
            ios: 0,
            completed_ios: 0,
            bytes: 0,
            errors: 0,
            short_ios: 0,
            unissued_ios: 0,
            lateness_ns_max: 0,
            first_ns: 0,
            last_ns: 0,
            visited: Sketch::default(),
        }
    }

    /// Adds another thread's or window's counts.
    pub fn add(&mut self, other: &Tally) {
        self.latency.add(&other.latency);
        if let (Some(sum), Some(service)) = (&mut self.service, &other.service) {
            sum.add(service);
        }
        self.ios += other.ios;
        self.completed_ios += other.completed_ios;
        self.bytes += other.bytes;
        self.errors += other.errors;
        self.short_ios += other.short_ios;
        self.unissued_ios += other.unissued_ios;
        self.lateness_ns_max = self.lateness_ns_max.max(other.lateness_ns_max);
        self.first_ns = [self.first_ns, other.first_ns].into_iter().filter(|&ns| ns > 0).min().unwrap_or(0);
        self.last_ns = self.last_ns.max(other.last_ns);
        if other.ios > 0 {
            self.visited.merge(&other.visited);
        }
    }

    fn clear(&mut self) {
        self.latency.clear();
        if let Some(service) = &mut self.service {
            service.clear();
        }
        if self.ios > 0 {
            self.visited.clear();
        }
        (self.ios, self.completed_ios, self.bytes, self.errors) = (0, 0, 0, 0);
        (self.short_ios, self.unissued_ios, self.lateness_ns_max) = (0, 0, 0);
        (self.first_ns, self.last_ns) = (0, 0);
    }
}

/// The counts of all classes in one window of one thread.
#[derive(Debug)]
pub struct Bundle {
    /// Index of the window; none while warming up.
    pub window: Option<u64>,
    /// Where the classes of this lane begin among those of the run.
    pub first_class: usize,
    /// One tally for each class of the lane.
    pub tallies: Vec<Tally>,
}

/// Which classes a lane counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// Where they begin among those of the run.
    pub first_class: usize,
    /// For each of them whether its I/Os come at a rate.
    pub open_loop: Vec<bool>,
}

impl Bundle {
    /// An empty bundle.
    pub fn new(shape: &Shape) -> Box<Self> {
        let tallies = shape.open_loop.iter().map(|&open_loop| Tally::new(open_loop)).collect();
        Box::new(Self { window: None, first_class: shape.first_class, tallies })
    }

    /// Forgets everything counted.
    pub fn clear(&mut self) {
        self.tallies.iter_mut().for_each(Tally::clear);
    }
}

/// How one lane ended.
#[derive(Debug)]
pub struct LaneEnd {
    /// When its first I/O was submitted; 0 where there was none.
    pub first_ns: u64,
    /// When its last I/O ended.
    pub finished_ns: u64,
    /// When it stopped starting I/Os.
    pub closed_ns: u64,
    /// It stopped because the asked number of I/Os had been taken.
    pub spent: bool,
    /// What moved in all of its time.
    pub moved: Moved,
    /// Most arrivals that were due at once.
    pub backlog_max: u64,
    /// The first I/Os that failed.
    pub io_errors: Vec<IoError>,
    /// What the engine had to do differently.
    pub notes: Vec<Note>,
    /// How often something happened in the engine.
    pub counted: Vec<Counted>,
    /// What the engine tells of its connections to a server.
    pub connections: Connections,
    /// Processor time of the kernel's threads that work for the lane's I/Os, warm-up included; none where the kernel does
    /// not count it.
    pub workers_ns: Option<u64>,
    /// Processor time of the lane's thread from the beginning of the measured window.
    pub thread_s: f64,
    /// How long the thread was ready to run while no processor was free, warm-up included.
    pub processor_wait_ns: Option<u64>,
}

/// What a lane tells the gatherer.
#[derive(Debug)]
pub enum Message {
    /// A window is over.
    Window(usize, Box<Bundle>),
    /// Arrivals that were due and found no free slot before the end. They belong to the run, not to one window: in the
    /// last one their unfinished waits would look like a sudden relief.
    Unissued(Box<Bundle>),
    /// The lane is over.
    Finished(usize, Box<crate::Result<LaneEnd>>),
}

/// Counts for one lane.
pub struct Recorder {
    lane: usize,
    current: Box<Bundle>,
    window_end_ns: u64,
    times: Times,
    shape: Shape,
    to_gatherer: Sender<Message>,
    cleared: Receiver<Box<Bundle>>,
}

impl Recorder {
    /// A recorder whose full bundles go to `to_gatherer` and come back cleared.
    pub fn new(
        lane: usize,
        shape: Shape,
        times: Times,
        to_gatherer: Sender<Message>,
        cleared: Receiver<Box<Bundle>>,
    ) -> Self {
        let mut recorder = Self {
            lane,
            current: Bundle::new(&shape),
            window_end_ns: times.measure_ns,
            times,
            shape,
            to_gatherer,
            cleared,
        };
        recorder.enter(times.start_ns);
        recorder
    }

    /// Goes on to the window of `now_ns` when the current one is over.
    #[inline]
    pub fn tick(&mut self, now_ns: u64) {
        if now_ns > self.window_end_ns {
            self.rotate(now_ns);
        }
    }

    /// The tally to which an I/O that should have started at `intended_ns` counts; none when that was in the warm-up
    /// and the warm-up is over.
    #[inline]
    pub fn tally(&mut self, class: u16, intended_ns: u64) -> Option<&mut Tally> {
        if intended_ns < self.times.measure_ns && self.current.window.is_some() {
            return None;
        }
        Some(&mut self.current.tallies[class as usize - self.shape.first_class])
    }

    /// An I/O moved all its bytes within the measured time.
    #[inline]
    pub fn note_completed(&mut self, class: u16) {
        self.current.tallies[class as usize - self.shape.first_class].completed_ios += 1;
    }

    /// Everything from here on counts to the current window, because the run has been ended.
    pub fn freeze(&mut self) {
        self.window_end_ns = u64::MAX;
    }

    /// Counts the arrivals that `unissued` tells, each by class, intended start and wait, to the run.
    pub fn give_up_on(&mut self, unissued: impl FnOnce(&mut dyn FnMut(u16, u64, u64))) {
        let mut rest = Bundle::new(&self.shape);
        let (measure_ns, first_class) = (self.times.measure_ns, self.shape.first_class);
        unissued(&mut |class, intended_ns, wait_ns| {
            if intended_ns >= measure_ns {
                let tally = &mut rest.tallies[class as usize - first_class];
                tally.unissued_ios += 1;
                tally.latency.record(wait_ns.max(1));
            }
        });
        let _ = self.to_gatherer.send(Message::Unissued(rest));
    }

    /// Hands over the last window.
    pub fn finish(self, end: crate::Result<LaneEnd>) {
        // The gatherer outlives the lanes; if it is gone nobody is left to tell.
        let _ = self.to_gatherer.send(Message::Window(self.lane, self.current));
        let _ = self.to_gatherer.send(Message::Finished(self.lane, Box::new(end)));
    }

    #[cold]
    fn rotate(&mut self, now_ns: u64) {
        let fresh = self.cleared.try_recv();
        let fresh = fresh.unwrap_or_else(|_| Bundle::new(&self.shape));
        let full = std::mem::replace(&mut self.current, fresh);
        let _ = self.to_gatherer.send(Message::Window(self.lane, full));
        self.enter(now_ns);
    }

    /// Chooses the window of `now_ns`. What happens exactly on a boundary belongs to the window before it, so that no
    /// window is without length.
    fn enter(&mut self, now_ns: u64) {
        let Times { measure_ns, end_ns, window_ns, .. } = self.times;
        if now_ns < measure_ns {
            self.current.window = None;
            self.window_end_ns = measure_ns - 1;
            return;
        }
        let windows = (end_ns - measure_ns).div_ceil(window_ns);
        let last = windows.clamp(1, WINDOWS_MAX) - 1;
        let window = ((now_ns - measure_ns).saturating_sub(1) / window_ns).min(last);
        self.current.window = Some(window);
        // What ends after the last window was due in it, so it counts there.
        let end_ns = measure_ns.saturating_add((window + 1).saturating_mul(window_ns));
        self.window_end_ns = if window == last { u64::MAX } else { end_ns };
    }
}
