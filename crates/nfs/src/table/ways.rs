//! The ways to the server: what waits to be sent over each, how much is under way there, and how fast it was answered.

use std::collections::VecDeque;
use std::fmt;
use std::ops::DerefMut;

use hdrhistogram::Histogram;

use super::{NOBODY, Request, State, Stretch, Table, Work};
use crate::limits::{LATENCY_NS_MAX, TRIED_EVERY};

/// The way of a request that waits until there is one.
const NOWHERE: usize = usize::MAX;

/// Over which way a request goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Balance {
    /// The one with the fewest requests under way; of several, those that answered fast lately, one after the other.
    #[default]
    LeastOutstanding,
    /// One after the other.
    RoundRobin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// There is no connection, or nobody has answered on it yet.
    Down,
    Up,
}

/// What came over one way in the measured time.
#[derive(Clone)]
pub struct Tally {
    /// Requests that were answered.
    pub answers: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// From when a request was sent to its answer, in nanoseconds.
    pub latency_ns: Histogram<u32>,
}

impl Default for Tally {
    fn default() -> Self {
        let latency_ns = Histogram::new_with_bounds(1, LATENCY_NS_MAX, 2).expect("these are fair bounds");
        Self { answers: 0, bytes: 0, latency_ns }
    }
}

impl fmt::Debug for Tally {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} answers, {} bytes, {} ns at most", self.answers, self.bytes, self.latency_ns.max())
    }
}

impl Tally {
    fn note(&mut self, waited_ns: u64, bytes: u32) {
        self.answers += 1;
        self.bytes += u64::from(bytes);
        self.latency_ns.saturating_record(waited_ns.max(1));
    }

    /// Counts what another one counted.
    pub fn add(&mut self, other: &Self) {
        self.answers += other.answers;
        self.bytes += other.bytes;
        self.latency_ns.add(&other.latency_ns).expect("the bounds are the same");
    }
}

pub(super) struct Way {
    pub(super) queue: VecDeque<u32>,
    /// Bytes of the first in the queue that are sent.
    pub(super) sent_bytes: usize,
    /// READs under way that are received straight into their buffer.
    pub(super) large_reads: usize,
    /// When the request was sent that was sent last of all that were answered.
    pub(super) answered_ns: u64,
    under_way: usize,
    /// How long READs and WRITEs took lately, the last ones most; 0 where none was answered since there is a connection.
    lately_ns: u64,
    /// How many answers that stands on, up to [`LATELY`].
    answers: u64,
    /// How many requests all ways had been asked for when it was last chosen.
    chosen: u64,
    standing: Standing,
    /// Whether somebody was asked if he is there.
    pinged: bool,
    tally: Tally,
}

impl Way {
    fn new(requests: usize) -> Self {
        Self {
            queue: VecDeque::with_capacity(requests),
            sent_bytes: 0,
            large_reads: 0,
            answered_ns: 0,
            under_way: 0,
            lately_ns: 0,
            answers: 0,
            chosen: 0,
            standing: Standing::Up,
            pinged: false,
            tally: Tally::default(),
        }
    }

    fn clear(&mut self) {
        self.queue.clear();
        (self.sent_bytes, self.large_reads, self.under_way, self.answered_ns) = (0, 0, 0, 0);
        (self.lately_ns, self.pinged) = (0, false);
    }
}

/// The last so many answers weigh most in how long they took lately.
const LATELY: u64 = 8;

/// Whether a way takes half as long again as the fastest, or longer: less than that is chance.
fn is_slow(lately_ns: u64, fastest_ns: u64) -> bool {
    lately_ns > fastest_ns.saturating_add(fastest_ns / 2)
}

pub(super) struct Ways {
    all: Vec<Way>,
    /// Requests that wait until there is a way.
    waiting: VecDeque<u32>,
    balance: Balance,
    /// Where to look first, so that equal ones get equally much.
    next: usize,
    /// How many requests were asked for.
    asked: u64,
    /// How many had been when a slow way was last tried.
    tried: u64,
    /// The measured time.
    window_ns: (u64, u64),
}

impl Ways {
    pub(super) fn new(ways: usize, balance: Balance, requests: usize) -> Self {
        Self {
            all: (0..ways).map(|_| Way::new(requests)).collect(),
            waiting: VecDeque::with_capacity(requests),
            balance,
            next: 0,
            asked: 0,
            tried: 0,
            window_ns: (0, u64::MAX),
        }
    }

    pub(super) fn of(&self, way: usize) -> &Way {
        &self.all[way]
    }

    pub(super) fn of_mut(&mut self, way: usize) -> &mut Way {
        &mut self.all[way]
    }

    /// Puts a request at the end of a way's queue, and says which; without any way it waits [nowhere](NOWHERE).
    pub(super) fn put(&mut self, index: u32, large_read: bool) -> usize {
        let Some(way) = self.choose() else {
            self.waiting.push_back(index);
            return NOWHERE;
        };
        self.asked += 1;
        let own = &mut self.all[way];
        own.queue.push_back(index);
        own.under_way += 1;
        own.large_reads += usize::from(large_read);
        own.chosen = self.asked;
        self.next = if way + 1 == self.all.len() { 0 } else { way + 1 };
        way
    }

    fn choose(&mut self) -> Option<usize> {
        match self.balance {
            Balance::RoundRobin => self.up().next(),
            Balance::LeastOutstanding => self.choose_least(),
        }
    }

    /// Ways over which somebody answers, from the next one in turn on.
    fn up(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let in_turn = (self.next..self.all.len()).chain(0..self.next);
        in_turn.filter(|&way| self.all[way].standing == Standing::Up)
    }

    /// Of the ways with the fewest requests under way a fast one, and now and then a slow one, which may be fast again; of several the
    /// one that was left alone longest.
    fn choose_least(&mut self) -> Option<usize> {
        let under_way = |way: &usize| self.all[*way].under_way;
        let fewest = self.up().map(|way| under_way(&way)).min()?;
        let least = self.up().filter(|way| under_way(way) == fewest);
        let fastest_ns = least.clone().map(|way| self.all[way].lately_ns).min()?;
        let slow = |way: &usize| is_slow(self.all[*way].lately_ns, fastest_ns);
        let left_alone = least.clone().filter(slow).min_by_key(|&way| self.all[way].chosen);
        let fast = least.filter(|way| !slow(way)).min_by_key(|&way| self.all[way].chosen);
        if left_alone.is_some() && self.asked - self.tried >= TRIED_EVERY {
            self.tried = self.asked;
            return left_alone;
        }
        fast
    }

    /// A READ or a WRITE took so long. Of a slow way, which is asked for little, the last one alone counts, and the next one half if
    /// that was fast: it may have been chance.
    fn note_time(&mut self, way: usize, took_ns: u64) {
        let fastest_ns = self.up().map(|way| self.all[way].lately_ns).min().unwrap_or(0);
        let own = &mut self.all[way];
        if own.lately_ns == 0 || is_slow(own.lately_ns, fastest_ns) {
            (own.lately_ns, own.answers) = (took_ns.max(1), 1);
            return;
        }
        own.answers = (own.answers + 1).min(LATELY);
        own.lately_ns = own.lately_ns - own.lately_ns / own.answers + took_ns / own.answers;
    }

    pub(super) fn note_answer(&mut self, way: usize, since_ns: u64) {
        let own = &mut self.all[way];
        own.answered_ns = own.answered_ns.max(since_ns);
    }

    /// Forgets what was asked over a way; the request that was sent in part.
    pub(super) fn lose(&mut self, way: usize) -> Option<u32> {
        let own = &mut self.all[way];
        let in_part = if own.sent_bytes > 0 { own.queue.front().copied() } else { None };
        own.clear();
        own.standing = Standing::Down;
        in_part
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.all.iter_mut().for_each(Way::clear);
    }
}

impl<B: DerefMut<Target = [u8]>> Table<B> {
    /// An answer came to a request, with so many bytes moved.
    pub(super) fn note_answer(&mut self, index: u32, bytes: u32) {
        let Request { way, work, state, whole, .. } = self.requests[index as usize];
        let State::Sent(since_ns) = state else { return };
        let (from_ns, until_ns) = self.ways.window_ns;
        let took_ns = self.now_ns.saturating_sub(since_ns);
        if matches!(work, Work::Read | Work::Write) {
            self.ways.note_time(way, took_ns);
        }
        let own = &mut self.ways.all[way];
        own.under_way -= 1;
        own.large_reads -= usize::from(super::is_large_read(work, whole));
        if (from_ns..until_ns).contains(&self.now_ns) && work != Work::Ping {
            own.tally.note(took_ns, bytes);
        }
    }

    /// Only what is answered from the first moment on and before the second one counts to a way.
    pub fn measure(&mut self, from_ns: u64, until_ns: u64) {
        self.ways.window_ns = (from_ns, until_ns);
    }

    /// Asks over a way whether anybody is there, unless that is asked already.
    pub fn ping(&mut self, way: usize) {
        if std::mem::replace(&mut self.ways.all[way].pinged, true) {
            return;
        }
        let index = self.free.pop().expect("there is a request for each way");
        let nothing = Stretch { offset_bytes: 0, skip: 0, len: 0 };
        let request = &mut self.requests[index as usize];
        (request.slot, request.work, request.whole, request.rest) = (NOBODY, Work::Ping, nothing, nothing);
        (request.tries, request.again, request.way, request.first_ns) = (0, false, way, None);
        self.encode(index);
        let own = &mut self.ways.all[way];
        own.queue.push_back(index);
        own.under_way += 1;
    }

    /// Somebody is there: what waited for a way goes over it.
    pub(crate) fn pinged(&mut self, index: u32) {
        let way = self.requests[index as usize].way;
        self.note_answer(index, 0);
        self.free_request(index);
        let own = &mut self.ways.all[way];
        (own.pinged, own.standing) = (false, Standing::Up);
        for index in std::mem::take(&mut self.ways.waiting) {
            let request = &mut self.requests[index as usize];
            request.way = self.ways.put(index, request.is_large_read());
        }
    }

    pub(super) fn free_request(&mut self, index: u32) {
        self.requests[index as usize].state = State::Free;
        self.free.push(index);
    }

    /// Whether requests go over a way.
    pub fn is_up(&self, way: usize) -> bool {
        self.ways.all[way].standing == Standing::Up
    }

    /// Whether there is any way for requests.
    pub fn has_way(&self) -> bool {
        self.ways.all.iter().any(|way| way.standing == Standing::Up)
    }

    /// What came over a way in the measured time.
    pub fn tally(&self, way: usize) -> &Tally {
        &self.ways.all[way].tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One request after the other over ways that take so long; how many each had.
    fn asked_of(ways: &mut Ways, requests: u64, took_ns: &[u64]) -> Vec<u64> {
        let mut asked = vec![0; took_ns.len()];
        for _ in 0..requests {
            let way = ways.put(0, false);
            ways.note_time(way, took_ns[way]);
            ways.all[way].under_way -= 1;
            asked[way] += 1;
        }
        asked
    }

    fn ways(amount: usize) -> Ways {
        Ways::new(amount, Balance::LeastOutstanding, 1)
    }

    #[test]
    fn with_one_request_at_once_slow_ways_are_tried_now_and_then() {
        assert_eq!(asked_of(&mut ways(2), 10 * TRIED_EVERY, &[1000, 4000]), [10 * TRIED_EVERY - 10, 10]);
        let asked = asked_of(&mut ways(4), 12 * TRIED_EVERY, &[9000, 4000, 1000, 1400]);
        assert!(asked[0].abs_diff(6) <= 1 && asked[1].abs_diff(6) <= 1, "{asked:?}");
        assert!(asked[2].abs_diff(asked[3]) <= 1, "those are as good as equal: {asked:?}");
    }

    #[test]
    fn a_way_that_is_fast_again_gets_its_share_and_one_that_got_slow_loses_it() {
        let mut ways = ways(2);
        asked_of(&mut ways, 1000, &[1000, 50_000]);
        asked_of(&mut ways, TRIED_EVERY, &[1000, 1000]);
        assert_eq!(asked_of(&mut ways, 100, &[1000, 1000]), [50, 50]);
        let asked = asked_of(&mut ways, TRIED_EVERY, &[20_000, 1000]);
        assert!(asked[0] <= 3, "{asked:?}");
    }

    #[test]
    fn a_slow_way_that_was_fast_once_by_chance_is_asked_once_more() {
        let mut ways = ways(2);
        asked_of(&mut ways, 1000, &[5000, 20_000]);
        let mut asked = 0;
        for _ in 0..10 * TRIED_EVERY {
            let way = ways.put(0, false);
            let rested = ways.all[way].chosen.abs_diff(ways.tried) <= 1;
            ways.note_time(
                way,
                if way == 0 {
                    5000
                } else if rested {
                    1000
                } else {
                    20_000
                },
            );
            ways.all[way].under_way -= 1;
            asked += way;
        }
        assert!((10..=21).contains(&asked), "{asked}");
    }

    #[test]
    fn a_slow_way_with_fewer_requests_under_way_is_asked_all_the_same() {
        let mut ways = ways(2);
        asked_of(&mut ways, 100, &[1000, 50_000]);
        let (first, second) = (ways.put(0, false), ways.put(1, false));
        assert_eq!((first, second), (0, 1));
    }
}
