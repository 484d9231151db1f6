//! What is served: one disk, or a mirror of two that follow laws of their own.
//!
//! Both sides of a mirror hold the same data, so a write goes to both and ends with the later one, and a read goes to one of them.
//! Each side draws its own service times and keeps its own queue: what one serves never changes what the other promises.

use plimsoll_engine::CoreError;
use plimsoll_engine::spec as engine;
use serde::Deserialize;

use crate::disk::{Action, Disk, Promise, Request};
use crate::spec::{DiskSpec, invalid};

/// Sides of a mirror.
pub const SIDES: usize = 2;

/// Which side of a mirror answers reads.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reads {
    /// The first.
    First,
    /// The second.
    Second,
    /// Each in turn, whatever their queues.
    #[default]
    Alternate,
}

/// One disk, or a mirror.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolumeSpec {
    /// The disk, or the first side of the mirror.
    pub first: DiskSpec,
    /// The other side; without it there is no mirror.
    #[serde(default)]
    pub second: Option<DiskSpec>,
    /// Of a mirror.
    #[serde(default)]
    pub reads: Reads,
}

impl VolumeSpec {
    /// Parses and checks. Fails with `spec-invalid`.
    pub fn parse(json: &str) -> Result<Self, CoreError> {
        let spec: VolumeSpec = engine::read(json)?;
        spec.check()?;
        Ok(spec)
    }

    /// That it can be served. Fails with `spec-invalid`, naming the member and its value.
    pub fn check(&self) -> Result<(), CoreError> {
        self.first.check()?;
        let Some(second) = &self.second else { return Ok(()) };
        second.check()?;
        if second.size_bytes != self.first.size_bytes {
            let bounds = format!("that of the other side, {}", self.first.size_bytes);
            return Err(invalid("size_bytes", second.size_bytes, &bounds));
        }
        Ok(())
    }
}

/// What a request was promised by the whole, and by each side that works on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// The later end of both sides, and the work of both.
    pub whole: Promise,
    /// By side; none where the request does not go there.
    pub sides: [Option<Promise>; SIDES],
}

/// A disk or a mirror in virtual time.
#[derive(Debug)]
pub struct Volume {
    first: Disk,
    second: Option<Disk>,
    reads: Reads,
    last_read_was_second: bool,
}

impl Volume {
    /// At rest at moment 0. `spec` has been checked.
    pub fn new(spec: &VolumeSpec) -> Self {
        Self {
            first: Disk::new(spec.first),
            second: spec.second.map(|second| Disk::side(second, 1)),
            reads: spec.reads,
            last_read_was_second: true,
        }
    }

    /// Whether there are two sides.
    pub fn is_mirror(&self) -> bool {
        self.second.is_some()
    }

    /// Takes a request that comes at `now_ns` from the beginning, no earlier than the one before.
    pub fn take(&mut self, now_ns: u64, request: &Request) -> Taken {
        let goes_to = self.goes_to(request.action);
        let first = goes_to[0].then(|| self.first.take(now_ns, request));
        let second = self.second.as_mut().filter(|_| goes_to[1]).map(|disk| disk.take(now_ns, request));
        Taken { whole: together(first, second), sides: [first, second] }
    }

    /// The sides that work on it: of a mirror both on what it has to keep, one on a read.
    fn goes_to(&mut self, action: Action) -> [bool; SIDES] {
        if action != Action::Read || !self.is_mirror() {
            return [true, self.is_mirror()];
        }
        let to_second = match self.reads {
            Reads::First => false,
            Reads::Second => true,
            Reads::Alternate => {
                self.last_read_was_second = !self.last_read_was_second;
                self.last_read_was_second
            }
        };
        [!to_second, to_second]
    }
}

fn together(first: Option<Promise>, second: Option<Promise>) -> Promise {
    let sides = || first.into_iter().chain(second);
    Promise {
        end_ns: sides().map(|side| side.end_ns).max().expect("each request goes to a side"),
        service_ns: sides().map(|side| side.service_ns).sum(),
    }
}
