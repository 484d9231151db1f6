//! Every block exactly once in each pass, in random order, and in another order in the next pass.

use rand_core::Rng as _;

use super::random::within_block;
use super::{Kind, Pattern, Place, Space, Volume};
use crate::permute::Permutation;
use crate::rng::{self, Purpose, Rng};

/// Registry entry.
pub struct Shuffled;

impl Kind for Shuffled {
    fn name(&self) -> &'static str {
        "shuffled"
    }

    fn title(&self) -> &'static str {
        "each block once, in random order"
    }

    fn help(&self) -> &'static str {
        "Random order without repetition: a pass goes to every block exactly once, so nothing is found in a cache of this \
         pass, and a pass covers the whole space. Each pass has an order of its own. Jobs have disjoint regions of equal \
         size. The order is computed, not kept, so the space may be of any size."
    }

    fn build(&self, space: &Space) -> Box<dyn Pattern> {
        let (first, blocks) = space.region();
        let mut rng = rng::generator(space.seed, space.job.into(), Purpose::Offsets);
        let order = Permutation::new(blocks, rng.next_u64());
        Box::new(State { volume: space.volume.clone(), rng, order, first, blocks, at: 0 })
    }
}

struct State {
    volume: Volume,
    rng: Rng,
    order: Permutation,
    first: u64,
    blocks: u64,
    at: u64,
}

impl Pattern for State {
    fn next(&mut self, len_bytes: u32) -> Place {
        if self.at == self.blocks {
            self.at = 0;
            self.order = Permutation::new(self.blocks, self.rng.next_u64());
        }
        let mut place = self.volume.place(self.first + self.order.at(self.at));
        self.at += 1;
        place.offset_bytes += within_block(&mut self.rng, self.volume.block_bytes(), len_bytes);
        place
    }
}
