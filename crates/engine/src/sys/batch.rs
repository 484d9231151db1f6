//! Which I/Os go to the kernel in one call. The kernel holds back what comes in one call (blk_start_plug) and makes one I/O of
//! neighbours: a device that shall serve eight reads of 8 KiB would get one of 64 KiB.

use crate::io::{Action, Io};

/// Where an I/O begins and ends.
#[derive(Clone, Copy)]
struct Stretch {
    reads: bool,
    target: u32,
    begin: u64,
    end: u64,
}

/// The I/Os that are queued for the next call.
pub struct Batch {
    queued: [Stretch; Self::LEN_MAX],
    len: usize,
    full_at: usize,
    merge: bool,
}

impl Batch {
    /// Most I/Os of one call.
    pub const LEN_MAX: usize = 8;

    /// A batch that is full with `full_at` I/Os. With `merge` neighbours may be in it.
    pub fn new(full_at: usize, merge: bool) -> Self {
        let nowhere = Stretch { reads: true, target: 0, begin: 0, end: 0 };
        Self { queued: [nowhere; Self::LEN_MAX], len: 0, full_at: full_at.min(Self::LEN_MAX), merge }
    }

    /// Whether the kernel could make one I/O of this one and a queued one, and shall not.
    #[inline]
    pub fn touches(&self, io: &Io) -> bool {
        let own = Stretch::of(io);
        !self.merge && self.queued[..self.len].iter().any(|queued| queued.touches(&own))
    }

    /// One more is queued.
    #[inline]
    pub fn add(&mut self, io: &Io) {
        self.queued[self.len] = Stretch::of(io);
        self.len += 1;
    }

    /// Whether it is time to call the kernel.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len == self.full_at
    }

    /// The kernel has them.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }
}

impl Stretch {
    fn of(io: &Io) -> Self {
        let end = io.offset_bytes + u64::from(io.len_bytes);
        Self { reads: io.action == Action::Read, target: io.target, begin: io.offset_bytes, end }
    }

    fn touches(&self, other: &Self) -> bool {
        self.target == other.target
            && self.reads == other.reads
            && (self.end == other.begin || other.end == self.begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(action: Action, target: u32, offset_bytes: u64) -> Io {
        Io { slot: 0, action, target, offset_bytes, skip_bytes: 0, len_bytes: 8192 }
    }

    fn holding(ios: &[Io], merge: bool) -> Batch {
        let mut batch = Batch::new(8, merge);
        ios.iter().for_each(|io| batch.add(io));
        batch
    }

    #[test]
    fn neighbours_do_not_go_together_on_either_side_and_past_others() {
        let batch = holding(&[io(Action::Read, 0, 81_920), io(Action::Read, 0, 0)], false);
        assert!(
            [73_728, 90_112, 8192].map(|at| batch.touches(&io(Action::Read, 0, at))).iter().all(|&yes| yes)
        );
        assert!(![81_920, 65_536, 98_304].map(|at| batch.touches(&io(Action::Read, 0, at))).contains(&true));
    }

    #[test]
    fn other_targets_and_directions_are_no_neighbours_and_nobody_is_where_merging_is_wanted() {
        let first = io(Action::Write, 0, 0);
        let batch = holding(&[first], false);
        assert!(batch.touches(&io(Action::WriteDurably, 0, 8192)));
        assert!(!batch.touches(&io(Action::Read, 0, 8192)));
        assert!(!batch.touches(&io(Action::Write, 1, 8192)));
        assert!(!holding(&[first], true).touches(&io(Action::Write, 0, 8192)));
    }

    #[test]
    fn a_batch_is_full_in_time() {
        let mut batch = Batch::new(2, false);
        batch.add(&io(Action::Read, 0, 0));
        assert!(!batch.is_full());
        batch.add(&io(Action::Read, 0, 0));
        assert!(batch.is_full());
        batch.clear();
        assert!(!batch.is_full());
    }
}
