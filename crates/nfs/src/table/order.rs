//! No write is under way at the same time as an earlier one to the same bytes: one that is sent again, because the connection that it
//! went over was lost, would else put older bytes over newer ones. Bytes of a write that was sent again stay claimed for a while
//! after it has ended, as what went over the lost connection may still wait somewhere in the server.

use std::collections::BTreeMap;

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
    /// By their first byte, and by when they came.
    waiting: BTreeMap<(u64, u64), Ask>,
    /// How many have waited.
    came: u64,
    /// Bytes of the longest that has waited: none that overlaps others begins further before them.
    len_max: u64,
    /// Bytes that were claimed, and that those who wait for them have not been told of.
    freed: Vec<(u64, u64)>,
    doubts: usize,
}

fn end(ask: &Ask) -> u64 {
    ask.offset_bytes + u64::from(ask.len)
}

impl Order {
    pub(super) fn new(depth: usize) -> Self {
        Self {
            claims: Vec::with_capacity(depth),
            waiting: BTreeMap::new(),
            came: 0,
            len_max: 0,
            freed: Vec::new(),
            doubts: 0,
        }
    }

    /// Whether no write waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Claims the bytes of a write; false where it has to wait for others, which [`Order::next`] tells the end of.
    pub(super) fn claim_or_wait(&mut self, ask: &Ask) -> bool {
        let waits = self.waiting_for(ask.offset_bytes, end(ask)).next().is_some();
        let claimed = !waits && self.claim(ask);
        if !claimed {
            self.waiting.insert((ask.offset_bytes, self.came), *ask);
            self.came += 1;
            self.len_max = self.len_max.max(u64::from(ask.len));
        }
        claimed
    }

    /// Writes that wait and overlap those bytes, each with when it came; no others are looked at but neighbours of them.
    fn waiting_for(&self, begin: u64, until: u64) -> impl Iterator<Item = (u64, &Ask)> {
        let near = self.waiting.range((begin.saturating_sub(self.len_max), 0)..(until, 0));
        near.filter(move |(_, ask)| end(ask) > begin).map(|(&(_, came), ask)| (came, ask))
    }

    fn claim(&mut self, ask: &Ask) -> bool {
        let free = self.is_free(ask);
        if free {
            let (begin, end) = (ask.offset_bytes, end(ask));
            self.claims.insert(self.place_of(begin), Claim { begin, end, free_ns: None });
        }
        free
    }

    /// Where a claim from there on belongs.
    fn place_of(&self, begin: u64) -> usize {
        self.claims.partition_point(|claim| claim.begin < begin)
    }

    /// Whether nobody has claimed any of its bytes.
    fn is_free(&self, ask: &Ask) -> bool {
        let place = self.place_of(ask.offset_bytes);
        let before = place.checked_sub(1).is_some_and(|before| self.claims[before].end > ask.offset_bytes);
        let behind = self.claims.get(place).is_some_and(|behind| behind.begin < end(ask));
        !before && !behind
    }

    /// The write that begins there has ended; with a time other than 0 its bytes are free only then.
    pub(super) fn release(&mut self, begin: u64, free_ns: u64) {
        let Ok(place) = self.claims.binary_search_by_key(&begin, |claim| claim.begin) else { return };
        if free_ns == 0 {
            let Claim { begin, end, .. } = self.claims.remove(place);
            self.freed.push((begin, end));
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
        let freed = &mut self.freed;
        self.claims.retain(|claim| {
            let stays = claim.free_ns.is_none_or(|free_ns| free_ns > now_ns);
            if !stays {
                freed.push((claim.begin, claim.end));
            }
            stays
        });
        let freed = before - self.claims.len();
        self.doubts -= freed;
        freed > 0
    }

    /// A write that need not wait any more; its bytes are claimed. Only those to bytes that were freed are looked at: all others
    /// wait for what they waited for before.
    pub(super) fn next(&mut self) -> Option<Ask> {
        while let Some(&(begin, end)) = self.freed.last() {
            if let Some(ask) = self.next_of(begin, end) {
                return Some(ask);
            }
            self.freed.pop();
        }
        None
    }

    fn next_of(&mut self, begin: u64, until: u64) -> Option<Ask> {
        let is_first = |(came, ask): &(u64, Ask)| {
            self.waiting_for(ask.offset_bytes, end(ask)).all(|(other, _)| other >= *came)
        };
        let found = self.waiting_for(begin, until).map(|(came, ask)| (came, *ask));
        let (came, ask) = found.filter(|(_, ask)| self.is_free(ask)).find(is_first)?;
        self.waiting.remove(&(ask.offset_bytes, came));
        assert!(self.claim(&ask), "its bytes are free");
        Some(ask)
    }

    /// All writes that wait; none does any more.
    pub(super) fn give_up(&mut self) -> impl Iterator<Item = Ask> + use<> {
        std::mem::take(&mut self.waiting).into_values()
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

    /// Some number that is the same each time.
    fn drawn(seed: &mut u64, below: u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) % below
    }

    /// Each of `waiting` that overlaps nothing under way, and nothing that waited before it.
    fn begun_of(waiting: &mut Vec<Ask>, under_way: &mut Vec<Ask>) -> Vec<Ask> {
        let overlap = |one: &Ask, other: &Ask| one.offset_bytes < end(other) && other.offset_bytes < end(one);
        let (mut begun, mut left) = (Vec::new(), Vec::<Ask>::new());
        for ask in waiting.drain(..) {
            let waits = under_way.iter().chain(&left).any(|other| overlap(other, &ask));
            if waits {
                left.push(ask);
            } else {
                under_way.push(ask);
                begun.push(ask);
            }
        }
        *waiting = left;
        begun
    }

    #[test]
    fn of_many_writes_each_begins_as_soon_as_it_may() {
        let mut seed = 1;
        let mut order = Order::new(64);
        let (mut waiting, mut under_way) = (Vec::new(), Vec::new());
        for slot in 0..4000 {
            let ask = Ask { slot, ..write(drawn(&mut seed, 40), 1 + drawn(&mut seed, 9) as u32) };
            waiting.push(ask);
            let begun = begun_of(&mut waiting, &mut under_way);
            assert_eq!(order.claim_or_wait(&ask), !begun.is_empty());
            while waiting.len() > 20 {
                let ended = under_way.swap_remove(drawn(&mut seed, under_way.len() as u64) as usize);
                order.release(ended.offset_bytes, 0);
                let slots = |asks: Vec<Ask>| {
                    let mut slots: Vec<u32> = asks.iter().map(|ask| ask.slot).collect();
                    slots.sort_unstable();
                    slots
                };
                let told = std::iter::from_fn(|| order.next()).collect();
                assert_eq!(slots(told), slots(begun_of(&mut waiting, &mut under_way)));
            }
        }
    }

    #[test]
    fn only_writes_nearby_are_looked_at() {
        let mut order = Order::new(8);
        for number in 0..60_000 {
            order.claim_or_wait(&write(number / 2 * 10, 10));
        }
        let near = (500 - order.len_max, 0)..(510, 0);
        assert_eq!(order.waiting.range(near).count(), 2, "of 30,000 that wait");
        order.release(500, 0);
        assert_eq!(order.next().map(|ask| ask.offset_bytes), Some(500));
        assert!(order.next().is_none());
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
