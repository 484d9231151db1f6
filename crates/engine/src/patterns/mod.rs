//! Which place an I/O goes to. One file and one line in [`ALL`] make a new pattern.

pub mod random;
pub mod sequential;

use crate::error::{CoreError, Result};

/// The stretch of one target, cut into blocks of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub offset_bytes: u64,
    /// Whole blocks in it.
    pub blocks: u64,
}

/// Where an I/O goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which target of the run.
    pub target: u32,
    /// First byte in that target.
    pub offset_bytes: u64,
}

/// All that a pattern may know about its surroundings.
#[derive(Debug, Clone)]
pub struct Space {
    /// One extent for each target.
    pub extents: Vec<Extent>,
    /// Bytes of one block.
    pub block_bytes: u32,
    /// Which job asks, from 0.
    pub job: u32,
    /// How many jobs share the space.
    pub jobs: u32,
    /// Seed of this job and class.
    pub seed: u64,
}

/// The state of one pattern in one job.
pub trait Pattern: Send {
    /// The place of the next I/O; always a whole block within the space.
    fn next(&mut self) -> Place;
}

/// A registered pattern.
pub trait Kind: Sync {
    /// Registry name, which is its file's name and its command-line value.
    fn name(&self) -> &'static str;
    /// A few words for lists.
    fn title(&self) -> &'static str;
    /// Whole sentences for help and reference pages.
    fn help(&self) -> &'static str;
    /// A pattern at its beginning.
    fn build(&self, space: &Space) -> Box<dyn Pattern>;
}

/// The registry.
pub static ALL: &[&dyn Kind] = &[&random::Random, &sequential::Sequential];

/// The pattern of that name, or `pattern-unknown`.
pub fn find(name: &str) -> Result<&'static dyn Kind> {
    ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
        let known: Vec<_> = ALL.iter().map(|kind| kind.name()).collect();
        CoreError::new("pattern-unknown", format!("there is no pattern {name}"))
            .hint(format!("Known patterns are {}.", known.join(", ")))
    })
}
