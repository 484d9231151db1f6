//! Every block of the space is as likely as any other, each time.

use super::{Kind, Pattern, Place, Space, Volume};
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
        let rng = rng::generator(space.seed, space.job.into(), Purpose::Offsets);
        Box::new(State { rng, volume: space.volume.clone() })
    }
}

struct State {
    rng: Rng,
    volume: Volume,
}

impl Pattern for State {
    fn next(&mut self, len_bytes: u32) -> Place {
        let block = rng::below(&mut self.rng, self.volume.blocks());
        let mut place = self.volume.place(block);
        place.offset_bytes += within_block(&mut self.rng, self.volume.block_bytes(), len_bytes);
        place
    }
}

/// Where in a block an I/O that is smaller than the block begins: a multiple of its own length.
#[inline]
pub(super) fn within_block(rng: &mut Rng, block_bytes: u32, len_bytes: u32) -> u64 {
    if len_bytes == block_bytes {
        return 0;
    }
    rng::below(rng, u64::from(block_bytes / len_bytes)) * u64::from(len_bytes)
}
