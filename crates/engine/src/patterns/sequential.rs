//! One block after the other, each job in a region of its own.

use super::{Kind, Pattern, Place, Space, Volume};

/// Registry entry.
pub struct Sequential;

impl Kind for Sequential {
    fn name(&self) -> &'static str {
        "sequential"
    }

    fn title(&self) -> &'static str {
        "ascending blocks"
    }

    fn help(&self) -> &'static str {
        "Each I/O goes to the block after the last one, and back to the start at the end. \
         Jobs have disjoint regions of equal size, so that no job reads what another has just cached. \
         Several targets are one volume, one behind the other or striped. Of several sizes each I/O begins where the last \
         one ended, and no I/O crosses the border of a block of the largest size."
    }

    fn build(&self, space: &Space) -> Box<dyn Pattern> {
        let (first, blocks) = space.region();
        Box::new(State { volume: space.volume.clone(), first, blocks, at: 0, used_bytes: 0 })
    }
}

struct State {
    volume: Volume,
    first: u64,
    blocks: u64,
    at: u64,
    /// Bytes of the block at `at` that were visited.
    used_bytes: u32,
}

impl Pattern for State {
    fn next(&mut self, len_bytes: u32) -> Place {
        if self.used_bytes + len_bytes > self.volume.block_bytes() {
            self.used_bytes = 0;
            self.at = if self.at + 1 == self.blocks { 0 } else { self.at + 1 };
        }
        let mut place = self.volume.place(self.first + self.at);
        place.offset_bytes += u64::from(self.used_bytes);
        self.used_bytes += len_bytes;
        place
    }
}
