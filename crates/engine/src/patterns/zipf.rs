//! Few blocks are asked for very often and most hardly ever: the k-th most popular one with a share of 1/k^θ.

use rand_distr::{Distribution, Zipf as Ranks};

use super::random::within_block;
use super::{HOT_BLOCKS_KEY, Kind, Pattern, Place, Space, Volume};
use crate::error::Result;
use crate::limits::ZIPF_THETA_MAX;
use crate::permute::Permutation;
use crate::rng::{self, Purpose, Rng};
use crate::spec::ClassSpec;

/// Registry entry.
pub struct Zipf;

impl Kind for Zipf {
    fn name(&self) -> &'static str {
        "zipf"
    }

    fn title(&self) -> &'static str {
        "some blocks far more often than others (Zipf's law)"
    }

    fn help(&self) -> &'static str {
        "The k-th most popular block gets a share of the I/Os in proportion to 1/k^theta; theta is the skew and more than \
         0, usual values lie between 0.8 and 1.3. Popular blocks are scattered over the whole space, and they are the same \
         ones in all jobs, classes and runs with equal space and block size, so a cache shows."
    }

    fn usual_skew(&self) -> Option<f64> {
        Some(1.1)
    }

    fn check(&self, class: &ClassSpec) -> Result<()> {
        super::takes_skew(
            self.name(),
            class,
            "theta",
            |theta| theta > 0.0 && theta <= ZIPF_THETA_MAX,
            || format!("must be more than 0 and at most {ZIPF_THETA_MAX}"),
        )
    }

    fn build(&self, space: &Space) -> Box<dyn Pattern> {
        let (blocks, theta) = (space.volume.blocks(), space.skew.unwrap_or_default());
        let ranks = Ranks::new(blocks as f64, theta).expect("theta and the number of blocks were checked");
        let rng = rng::generator(space.seed, space.job.into(), Purpose::Offsets);
        let scattered = Permutation::new(blocks, HOT_BLOCKS_KEY);
        Box::new(State { volume: space.volume.clone(), rng, ranks, scattered })
    }
}

struct State {
    volume: Volume,
    rng: Rng,
    ranks: Ranks<f64>,
    scattered: Permutation,
}

impl Pattern for State {
    fn next(&mut self, len_bytes: u32) -> Place {
        // Ranks count from 1; the last one may be rounded up where there are more blocks than a float tells apart.
        let rank = (self.ranks.sample(&mut self.rng) as u64).clamp(1, self.volume.blocks()) - 1;
        let mut place = self.volume.place(self.scattered.at(rank));
        place.offset_bytes += within_block(&mut self.rng, self.volume.block_bytes(), len_bytes);
        place
    }
}
