//! One block after the other, each job in a region of its own.

use super::{Extent, Kind, Pattern, Place, Space};

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
         Several targets are visited in turn, as a stripe would."
    }

    fn build(&self, space: &Space) -> Box<dyn Pattern> {
        let regions: Vec<_> = space
            .extents
            .iter()
            .map(|extent| region(extent, space))
            .map(|extent| Region { extent, at: 0 })
            .collect();
        Box::new(State { regions, turn: 0, block_bytes: space.block_bytes.into() })
    }
}

struct Region {
    extent: Extent,
    at: u64,
}

struct State {
    regions: Vec<Region>,
    turn: usize,
    block_bytes: u64,
}

/// The part of a target that belongs to one job. Where there are fewer blocks than jobs, jobs share single blocks.
fn region(extent: &Extent, space: &Space) -> Extent {
    let (job, jobs) = (u64::from(space.job), u64::from(space.jobs));
    let first = (extent.blocks * job / jobs).min(extent.blocks - 1);
    let end = (extent.blocks * (job + 1) / jobs).max(first + 1);
    let offset_bytes = extent.offset_bytes + first * u64::from(space.block_bytes);
    Extent { offset_bytes, blocks: end - first }
}

impl Pattern for State {
    fn next(&mut self) -> Place {
        let target = self.turn;
        self.turn = if target + 1 == self.regions.len() { 0 } else { target + 1 };
        let region = &mut self.regions[target];
        let offset_bytes = region.extent.offset_bytes + region.at * self.block_bytes;
        region.at = if region.at + 1 == region.extent.blocks { 0 } else { region.at + 1 };
        Place { target: target as u32, offset_bytes }
    }
}
