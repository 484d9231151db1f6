//! How an I/O reaches the target. One file and one line in [`ALL`] make a new engine.

pub mod io_uring;
pub mod libaio;
pub mod libnfs;
pub mod nfs;
pub mod null;
pub mod psync;
pub mod sim;

use std::rc::Rc;
use std::sync::Arc;

use crate::clock::{Clock, RealClock};
use crate::connections::Connections;
use crate::error::{CoreError, Result};
use crate::file::{Target, needed};
use crate::io::Io;
use crate::limits::{DEPTH_MAX, DRAIN_NS_MAX};
use crate::permit::WritePermit;
use crate::result::{Counted, Note};
use crate::spec::{GroupSpec, RunSpec, Stable};
use crate::sys::completion::Completion;
use crate::sys::memory::Buffer;

/// How a job is laid out over threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Jobs with patterns and arrivals of their own.
    pub jobs: u32,
    /// Threads of one job, which share its arrivals.
    pub lanes_per_job: u32,
    /// Outstanding I/Os of one thread.
    pub depth: u32,
}

/// All that an engine may know when it opens one lane.
pub struct Setup<'a> {
    /// The run.
    pub spec: &'a RunSpec,
    /// The opened targets; empty for engines that are not real, or not local.
    pub targets: Arc<Vec<Target>>,
    /// What may be written.
    pub permits: &'a [WritePermit],
    /// The groups that this lane works for.
    pub groups: &'a [GroupSpec],
    /// Outstanding I/Os of this lane.
    pub depth: u32,
    /// Bytes of the largest I/O of this lane.
    pub block_bytes_max: u32,
}

impl<'a> Setup<'a> {
    /// The permit to write to that path, or `write-not-permitted`. Who opens it compares what the permit names with what is there.
    pub fn permit_for(&self, path: &str) -> Result<&'a WritePermit> {
        needed(path, self.permits)
    }
}

/// An engine ready for use, with the clock that its time is told by and the memory that it works on.
pub struct Opened {
    /// Takes I/Os.
    pub engine: Box<dyn Engine>,
    /// Tells the time.
    pub clock: Rc<dyn Clock>,
    /// One for each outstanding I/O; none where the engine moves no bytes.
    pub buffers: Vec<Buffer>,
}

impl Opened {
    /// An engine in real time.
    pub fn real(engine: Box<dyn Engine>, buffers: Vec<Buffer>) -> Self {
        Self { engine, clock: Rc::new(RealClock), buffers }
    }
}

/// An engine at work in one thread.
pub trait Engine {
    /// Takes one I/O with one of the buffers that came with the engine, where it has any; its completion gives it back.
    /// The caller keeps no more than `depth` outstanding.
    fn submit(&mut self, io: &Io, buffer: Option<Buffer>);

    /// Waits for at least one completion or until the clock shows `deadline_ns`, and appends all there are to `done`.
    ///
    /// May return early with nothing, and must do so within [`crate::limits::ATTENTION_NS_MAX`] in real time.
    /// Fails only when the engine itself is broken; a failed I/O is a completion.
    fn reap(&mut self, deadline_ns: u64, done: &mut Vec<Completion>) -> Result<()>;

    /// The measured time begins and ends then.
    fn measure(&mut self, _from_ns: u64, _until_ns: u64) {}

    /// What there is to tell of its connections to a server.
    fn connections(&self) -> Connections {
        Connections::default()
    }

    /// Whether nothing can be reached any more, so that each further I/O would fail.
    fn is_gone(&self) -> bool {
        false
    }

    /// How long after the end of a run I/Os are waited for that have not ended.
    fn drain_ns(&self) -> u64 {
        DRAIN_NS_MAX
    }

    /// Processor time so far of the kernel's threads that work for it; none where the kernel does not count it.
    fn workers_ns(&self) -> Option<u64> {
        Some(0)
    }

    /// What the engine had to do differently, and why.
    fn notes(&self) -> Vec<Note> {
        Vec::new()
    }

    /// How often something happened on the way that latencies do not tell.
    fn counted(&self) -> Vec<Counted> {
        Vec::new()
    }
}

/// A registered engine.
pub trait Kind: Sync {
    /// Registry name, which is its file's name and its command-line value.
    fn name(&self) -> &'static str;
    /// A few words for lists.
    fn title(&self) -> &'static str;
    /// Whole sentences for help and reference pages.
    fn help(&self) -> &'static str;
    /// True when it does I/O to real targets.
    fn real(&self) -> bool;
    /// True when its targets are files and devices of this host, which are opened before it is.
    fn local(&self) -> bool {
        true
    }
    /// True when one thread serves all groups and jobs, because they share a device that only this engine knows.
    fn shared(&self) -> bool {
        false
    }
    /// True when its time is not the world's: neither processors nor wires have a part in it.
    fn virtual_time(&self) -> bool {
        false
    }
    /// True when the kernel may hand its I/Os to worker threads of its own (io-wq), which costs much more.
    fn kernel_workers(&self) -> bool {
        false
    }
    /// Whether this host can use it; the error says why not.
    fn probe(&self) -> Result<()> {
        Ok(())
    }
    /// That it takes that file of a server, before anything is made for it; its own files are nothing to one that is local.
    fn check_file(&self, _path: &str, _stable: Stable, _writes: bool) -> Result<()> {
        Ok(())
    }
    /// How `jobs` of `depth` are laid out over threads.
    fn layout(&self, jobs: u32, depth: u32) -> Layout {
        Layout { jobs, lanes_per_job: 1, depth }
    }
    /// Outstanding I/Os that one job can have.
    fn depth_max(&self) -> u32 {
        DEPTH_MAX
    }
    /// Opens one lane, in the thread that will use it.
    fn open(&self, setup: &Setup) -> Result<Opened>;
}

/// The registry.
pub static ALL: &[&dyn Kind] =
    &[&null::Null, &sim::Sim, &psync::Psync, &libaio::Libaio, &io_uring::IoUring, &nfs::Nfs, &libnfs::Libnfs];

/// The engine of that name, or `engine-unknown`.
pub fn find(name: &str) -> Result<&'static dyn Kind> {
    ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
        let known: Vec<_> = ALL.iter().map(|kind| kind.name()).collect();
        CoreError::new("engine-unknown", format!("there is no engine {name}"))
            .hint(format!("Known engines are {}.", known.join(", ")))
    })
}

/// The engine that a group asks for, or `engine-unknown`.
pub fn of(group: &GroupSpec) -> Result<&'static dyn Kind> {
    find(&group.engine)
}

/// Whether the run's targets are files and devices of this host: those of all groups are, or of none.
pub fn open_files(spec: &RunSpec) -> Result<bool> {
    Ok(reach_targets(spec)? && of(&spec.groups[0])?.local())
}

/// Whether any I/O of the run reaches a real target: all groups do, or none.
pub fn reach_targets(spec: &RunSpec) -> Result<bool> {
    Ok(of(&spec.groups[0])?.real())
}
