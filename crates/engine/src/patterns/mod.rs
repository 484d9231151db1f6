//! Which place an I/O goes to. One file and one line in [`ALL`] make a new pattern.

pub mod log_write;
pub mod pareto;
pub mod random;
pub mod sequential;
pub mod shuffled;
pub mod zipf;

use crate::error::invalid;
use crate::error::{CoreError, Result};
use crate::spec::ClassSpec;

/// The stretch of one target, cut into blocks of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Which target of the run.
    pub target: u32,
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
    /// Number of the block of the volume in which it lies.
    pub block: u64,
}

/// Several extents as one row of numbered blocks.
#[derive(Debug, Clone)]
pub struct Volume {
    extents: Vec<Extent>,
    /// Numbers of the first block behind each extent; they lie one behind the other.
    ends: Vec<u64>,
    /// Blocks of one stripe; 0 where extents lie one behind the other.
    stripe_blocks: u64,
    block_bytes: u32,
    blocks: u64,
}

impl Volume {
    /// Extents one behind the other, or with `stripe_blocks` striped: then all of them count as long as the shortest.
    pub fn new(extents: Vec<Extent>, block_bytes: u32, stripe_blocks: Option<u64>) -> Self {
        let mut total = 0;
        let ends = extents
            .iter()
            .map(|extent| {
                total += extent.blocks;
                total
            })
            .collect();
        let stripe_blocks = stripe_blocks.filter(|_| extents.len() > 1).unwrap_or(0);
        let shortest = extents.iter().map(|extent| extent.blocks).min().unwrap_or(0);
        let blocks = match stripe_blocks {
            0 => total,
            stripe => shortest / stripe * stripe * extents.len() as u64,
        };
        Self { extents, ends, stripe_blocks, block_bytes, blocks }
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Bytes of one block.
    pub fn block_bytes(&self) -> u32 {
        self.block_bytes
    }

    /// Where the block of that number lies.
    #[inline]
    pub fn place(&self, block: u64) -> Place {
        if self.extents.len() == 1 {
            return self.within(0, block, block);
        }
        if self.stripe_blocks == 0 {
            let extent = self.ends.partition_point(|&end| end <= block);
            return self.within(extent, block - (self.ends[extent] - self.extents[extent].blocks), block);
        }
        let (stripe, rest) = (block / self.stripe_blocks, block % self.stripe_blocks);
        let width = self.extents.len() as u64;
        self.within((stripe % width) as usize, stripe / width * self.stripe_blocks + rest, block)
    }

    /// How many blocks follow each other on one target, from the block of that number on.
    #[inline]
    pub fn contiguous_blocks(&self, block: u64) -> u64 {
        if self.stripe_blocks > 0 {
            return self.stripe_blocks - block % self.stripe_blocks;
        }
        self.ends[self.ends.partition_point(|&end| end <= block)] - block
    }

    #[inline]
    fn within(&self, extent: usize, index: u64, block: u64) -> Place {
        let extent = &self.extents[extent];
        let offset_bytes = extent.offset_bytes + index * u64::from(self.block_bytes);
        Place { target: extent.target, offset_bytes, block }
    }
}

/// All that a pattern may know about its surroundings.
#[derive(Debug, Clone)]
pub struct Space {
    /// The blocks that there are.
    pub volume: Volume,
    /// Which job asks, from 0.
    pub job: u32,
    /// How many jobs share the space.
    pub jobs: u32,
    /// Seed of this job and class.
    pub seed: u64,
    /// The pattern's parameter, where it has one.
    pub skew: Option<f64>,
}

impl Space {
    /// The part of the volume that belongs to this job alone: first block and number of blocks. Where there are fewer
    /// blocks than jobs, jobs share single blocks.
    pub fn region(&self) -> (u64, u64) {
        let blocks = self.volume.blocks();
        let (job, jobs) = (u64::from(self.job), u64::from(self.jobs));
        let first = part(blocks, job, jobs).min(blocks.saturating_sub(1));
        let end = part(blocks, job + 1, jobs).max(first + 1);
        (first, end - first)
    }
}

fn part(blocks: u64, job: u64, jobs: u64) -> u64 {
    (u128::from(blocks) * u128::from(job) / u128::from(jobs)) as u64
}

/// The state of one pattern in one job.
pub trait Pattern: Send {
    /// The place of the next I/O of `len_bytes`, which is at most one block; always in one piece within the space.
    fn next(&mut self, len_bytes: u32) -> Place;
}

/// A registered pattern.
pub trait Kind: Sync {
    /// Registry name, which is its file's name and its command-line value.
    fn name(&self) -> &'static str;
    /// A few words for lists.
    fn title(&self) -> &'static str;
    /// Whole sentences for help and reference pages.
    fn help(&self) -> &'static str;
    /// An ordinary value of its parameter; none where it has no parameter.
    fn usual_skew(&self) -> Option<f64> {
        None
    }
    /// Whether the class suits the pattern; fails with `spec-invalid`.
    fn check(&self, class: &ClassSpec) -> Result<()> {
        takes_no_skew(self.name(), class)
    }
    /// A pattern at its beginning.
    fn build(&self, space: &Space) -> Box<dyn Pattern>;
}

/// Which blocks are popular is the same for everyone, as in a database whose readers and writers want the same rows.
const HOT_BLOCKS_KEY: u64 = 1;

fn takes_no_skew(pattern: &str, class: &ClassSpec) -> Result<()> {
    match class.skew {
        Some(_) => Err(invalid(format!("pattern {pattern} takes no skew"))),
        None => Ok(()),
    }
}

/// Whether the class has a skew that the pattern can work with; `bounds` says which it can.
fn takes_skew(
    pattern: &str,
    class: &ClassSpec,
    symbol: &str,
    legal: impl Fn(f64) -> bool,
    bounds: impl Fn() -> String,
) -> Result<()> {
    let name = &class.name;
    match class.skew {
        None => Err(invalid(format!("class {name} has no skew: {symbol} of pattern {pattern} {}", bounds()))),
        Some(skew) if legal(skew) => Ok(()),
        Some(skew) => Err(invalid(format!(
            "skew of class {name} is {skew}: {symbol} of pattern {pattern} {}",
            bounds()
        ))),
    }
}

/// The registry.
pub static ALL: &[&dyn Kind] = &[
    &random::Random,
    &sequential::Sequential,
    &log_write::LogWrite,
    &shuffled::Shuffled,
    &zipf::Zipf,
    &pareto::Pareto,
];

/// The pattern of that name, or `pattern-unknown`.
pub fn find(name: &str) -> Result<&'static dyn Kind> {
    ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
        let known: Vec<_> = ALL.iter().map(|kind| kind.name()).collect();
        CoreError::new("pattern-unknown", format!("there is no pattern {name}"))
            .hint(format!("Known patterns are {}.", known.join(", ")))
    })
}
