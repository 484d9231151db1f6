//! A small share of the blocks gets a large share of the I/Os: the rule of 80 and 20.

use super::random::within_block;
use super::{HOT_BLOCKS_KEY, Kind, Pattern, Place, Space, Volume};
use crate::error::Result;
use crate::permute::Permutation;
use crate::rng::{self, Purpose, Rng};
use crate::spec::ClassSpec;

/// Registry entry.
pub struct Pareto;

impl Kind for Pareto {
    fn name(&self) -> &'static str {
        "pareto"
    }

    fn title(&self) -> &'static str {
        "a share h of the blocks gets 1 - h of the I/Os"
    }

    fn help(&self) -> &'static str {
        "A share h of the blocks gets 1 - h of the I/Os, and so on within that share; h is the skew, between 0 and 1. With \
         0.2 a fifth of the blocks gets four fifths of the I/Os; fio means the same by its pareto distribution. Popular \
         blocks are scattered over the whole space, and they are the same ones in all jobs, classes and runs with equal \
         space and block size, so a cache shows."
    }

    fn usual_skew(&self) -> Option<f64> {
        Some(0.2)
    }

    fn check(&self, class: &ClassSpec) -> Result<()> {
        super::takes_skew(
            self.name(),
            class,
            "h",
            |h| h > 0.0 && h < 1.0,
            || "must lie between 0 and 1, such as 0.2".to_owned(),
        )
    }

    fn build(&self, space: &Space) -> Box<dyn Pattern> {
        let h = space.skew.unwrap_or(0.5);
        let rng = rng::generator(space.seed, space.job.into(), Purpose::Offsets);
        let scattered = Permutation::new(space.volume.blocks(), HOT_BLOCKS_KEY);
        // For a uniform u, u^power < h exactly when u < 1 - h.
        Box::new(State { volume: space.volume.clone(), rng, power: h.ln() / (1.0 - h).ln(), scattered })
    }
}

struct State {
    volume: Volume,
    rng: Rng,
    power: f64,
    scattered: Permutation,
}

impl Pattern for State {
    fn next(&mut self, len_bytes: u32) -> Place {
        let blocks = self.volume.blocks();
        let rank = (blocks as f64 * rng::unit(&mut self.rng).powf(self.power)) as u64;
        let mut place = self.volume.place(self.scattered.at(rank.min(blocks - 1)));
        place.offset_bytes += within_block(&mut self.rng, self.volume.block_bytes(), len_bytes);
        place
    }
}
