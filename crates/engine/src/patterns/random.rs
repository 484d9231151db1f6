//! Every block of the space is as likely as any other, each time.

use super::{Kind, Pattern, Place, Space};
use crate::rng::{self, Purpose, Rng};

/// Registry entry.
pub struct Random;

impl Kind for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn title(&self) -> &'static str {
        "uniformly random blocks"
    }

    fn help(&self) -> &'static str {
        "Each I/O goes to a block drawn uniformly from the whole space, with replacement. \
         Offsets are multiples of the block size from the start of the target's span. \
         Equal seeds give equal offsets."
    }

    fn build(&self, space: &Space) -> Box<dyn Pattern> {
        let ends = running_totals(space);
        Box::new(State {
            rng: rng::generator(space.seed, space.job.into(), Purpose::Offsets),
            space: space.clone(),
            blocks: ends.last().copied().unwrap_or(0),
            ends,
        })
    }
}

struct State {
    rng: Rng,
    space: Space,
    blocks: u64,
    ends: Vec<u64>,
}

fn running_totals(space: &Space) -> Vec<u64> {
    let mut total = 0;
    space
        .extents
        .iter()
        .map(|extent| {
            total += extent.blocks;
            total
        })
        .collect()
}

impl Pattern for State {
    fn next(&mut self) -> Place {
        let block = rng::below(&mut self.rng, self.blocks);
        let target = if self.ends.len() == 1 { 0 } else { self.ends.partition_point(|&end| end <= block) };
        let extent = self.space.extents[target];
        let within = block - (self.ends[target] - extent.blocks);
        let offset_bytes = extent.offset_bytes + within * u64::from(self.space.block_bytes);
        Place { target: target as u32, offset_bytes }
    }
}
