//! No write is under way at the same time as an earlier one to the same bytes: one that is sent again, because the connection that it
//! went over was lost, would else put older bytes over newer ones. Bytes of a write that was sent again stay claimed for a while
//! after it has ended, as what went over the lost connection may still wait somewhere in the server.

use std::collections::VecDeque;

use super::Ask;

#[derive(Debug, Clone, Copy)]
struct Claim {
    begin: u64,
    end: u64,
    /// Whether the write has ended, and until when its bytes are in doubt.
    free_ns: Option<u64>,
}

/// Which bytes of the file are being written, and which writes wait for that.
pub(super) struct Order {
    /// By their first byte; no two overlap.
    claims: Vec<Claim>,
    waiting: VecDeque<Ask>,
    doubts: usize,
}

fn end(ask: &Ask) -> u64 {
    ask.offset_bytes + u64::from(ask.len)
}

fn overlap(one: &Ask, other: &Ask) -> bool {
    one.offset_bytes < end(other) && other.offset_bytes < end(one)
}

impl Order {
    pub(super) fn new(depth: usize) -> Self {
        Self { claims: Vec::with_capacity(depth), waiting: VecDeque::with_capacity(depth), doubts: 0 }
    }

    /// Whether no write waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Claims the bytes of a write; false where it has to wait for others, which [`Order::next`] tells the end of.
    pub(super) fn claim_or_wait(&mut self, ask: &Ask) -> bool {
        let claimed = !self.waiting.iter().any(|earlier| overlap(earlier, ask)) && self.claim(ask);
        if !claimed {
            self.waiting.push_back(*ask);
        }
        claimed
    }

    fn claim(&mut self, ask: &Ask) -> bool {
        let (begin, end) = (ask.offset_bytes, end(ask));
        let place = self.claims.partition_point(|claim| claim.begin < begin);
        let before = place.checked_sub(1).is_some_and(|before| self.claims[before].end > begin);
        let behind = self.claims.get(place).is_some_and(|behind| behind.begin < end);
        if !before && !behind {
            self.claims.insert(place, Claim { begin, end, free_ns: None });
        }
        !before && !behind
    }

    /// The write that begins there has ended; with a time other than 0 its bytes are free only then.
    pub(super) fn release(&mut self, begin: u64, free_ns: u64) {
        let Ok(place) = self.claims.binary_search_by_key(&begin, |claim| claim.begin) else { return };
        if free_ns == 0 {
            self.claims.remove(place);
        } else {
            self.claims[place].free_ns = Some(free_ns);
            self.doubts += 1;
        }
    }

    /// Frees what is not in doubt any more; whether there was any.
    pub(super) fn forget_doubts(&mut self, now_ns: u64) -> bool {
        if self.doubts == 0 {
            return false;
        }
        let before = self.claims.len();
        self.claims.retain(|claim| claim.free_ns.is_none_or(|free_ns| free_ns > now_ns));
        let freed = before - self.claims.len();
        self.doubts -= freed;
        freed > 0
    }

    /// The first write that need not wait any more; its bytes are claimed.
    pub(super) fn next(&mut self) -> Option<Ask> {
        for place in 0..self.waiting.len() {
            let ask = self.waiting[place];
            if !self.waiting.iter().take(place).any(|earlier| overlap(earlier, &ask)) && self.claim(&ask) {
                return self.waiting.remove(place);
            }
        }
        None
    }

    /// All writes that wait; none does any more.
    pub(super) fn give_up(&mut self) -> VecDeque<Ask> {
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Work;
    use super::*;

    fn write(offset_bytes: u64, len: u32) -> Ask {
        Ask { work: Work::Write, slot: 0, offset_bytes, skip: 0, len }
    }

    #[test]
    fn a_write_waits_for_all_earlier_ones_to_its_bytes_and_for_no_other() {
        let mut order = Order::new(8);
        assert!(order.claim_or_wait(&write(0, 10)) && order.claim_or_wait(&write(10, 10)));
        assert!(!order.claim_or_wait(&write(5, 10)), "both are under way");
        assert!(!order.claim_or_wait(&write(14, 2)), "the one that waits is the earlier one");
        assert!(order.claim_or_wait(&write(20, 1)));
        order.release(10, 0);
        assert!(order.next().is_none());
        order.release(0, 0);
        assert_eq!(order.next().map(|ask| ask.offset_bytes), Some(5));
        assert!(order.next().is_none(), "the first that waited is under way");
        order.release(5, 0);
        assert_eq!(order.next().map(|ask| ask.offset_bytes), Some(14));
        assert!(order.is_empty());
    }

    #[test]
    fn bytes_in_doubt_are_free_after_their_time() {
        let mut order = Order::new(8);
        assert!(order.claim_or_wait(&write(0, 10)));
        order.release(0, 500);
        assert!(!order.claim_or_wait(&write(0, 10)));
        assert!(!order.forget_doubts(499) && order.next().is_none());
        assert!(order.forget_doubts(500) && order.next().is_some());
        assert!(!order.forget_doubts(u64::MAX), "what is under way is not in doubt");
    }
}
