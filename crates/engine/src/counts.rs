//! Latencies counted as HdrHistogram counts them, in memory that grows with what was seen of them.
//!
//! A histogram of the crate `hdrhistogram` is one array of 270 kB here, nearly all of it never used. With 64 threads, two of
//! them for each of three classes and a window ten times a second, making, emptying and adding up those arrays took more
//! processor time than the I/Os themselves. Here each power of two has an array of its own, made when it is first needed, and
//! what was not used is neither emptied nor added.

use hdrhistogram::Histogram;

use crate::hdr;
use crate::limits::LATENCY_NS_MAX;

/// Counters of one power of two: three significant decimal digits need 1000.
const COUNTERS: usize = 1 << COUNTER_BITS;
const COUNTER_BITS: u32 = 10;
const OCTAVES: usize = (u64::BITS - LATENCY_NS_MAX.leading_zeros() - COUNTER_BITS + 1) as usize;

type Octave = Box<[u64; COUNTERS]>;

/// How often each latency was seen.
#[derive(Debug, Clone)]
pub struct Counts {
    octaves: [Option<Octave>; OCTAVES],
    /// A bit for each octave that is not all zero.
    used: u64,
    count: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Self { octaves: [const { None }; OCTAVES], used: 0, count: 0 }
    }
}

impl Counts {
    /// Counts one latency in nanoseconds; one above the greatest that is told apart counts as that.
    #[inline]
    pub fn record(&mut self, latency_ns: u64) {
        let (octave, counter) = place(latency_ns.min(LATENCY_NS_MAX));
        self.octave(octave)[counter] += 1;
        self.count += 1;
    }

    /// How many were counted.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// True when nothing was.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds another one's counts.
    pub fn add(&mut self, other: &Counts) {
        for (index, theirs) in other.used() {
            let own = self.octave(index);
            own.iter_mut().zip(theirs.iter()).for_each(|(sum, count)| *sum += count);
        }
        self.count += other.count;
    }

    /// Forgets everything, and keeps the memory.
    pub fn clear(&mut self) {
        for (index, octave) in self.octaves.iter_mut().enumerate() {
            if self.used >> index & 1 == 1
                && let Some(counters) = octave
            {
                counters.fill(0);
            }
        }
        (self.used, self.count) = (0, 0);
    }

    /// The same counts as a histogram.
    pub fn histogram(&self) -> Histogram<u64> {
        let mut histogram = hdr::empty();
        for (octave, counters) in self.used() {
            for (counter, &count) in counters.iter().enumerate().filter(|&(_, &count)| count > 0) {
                histogram.saturating_record_n(least(octave, counter), count);
            }
        }
        histogram
    }

    fn used(&self) -> impl Iterator<Item = (usize, &Octave)> {
        let of_index = |index: usize| Some((index, self.octaves[index].as_ref()?));
        (0..OCTAVES).filter(|&index| self.used >> index & 1 == 1).filter_map(of_index)
    }

    #[inline]
    fn octave(&mut self, index: usize) -> &mut Octave {
        self.used |= 1 << index;
        self.octaves[index].get_or_insert_with(zeros)
    }
}

#[cold]
fn zeros() -> Octave {
    Box::new([0; COUNTERS])
}

/// Where a latency is counted: the first two octaves count by one nanosecond, each other one by twice as much as the one before.
#[inline]
fn place(latency_ns: u64) -> (usize, usize) {
    let octave = (u64::BITS - latency_ns.leading_zeros()).saturating_sub(COUNTER_BITS);
    let units = latency_ns >> octave.saturating_sub(1);
    (octave as usize, units as usize & (COUNTERS - 1))
}

/// The least latency that is counted there.
fn least(octave: usize, counter: usize) -> u64 {
    if octave == 0 { counter as u64 } else { ((COUNTERS + counter) as u64) << (octave - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> impl Iterator<Item = u64> {
        let powers = (0..u64::BITS).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        let spread = (1..2000u64).map(|step| step * step * step * 7 + step);
        let all = powers.chain(spread).chain([LATENCY_NS_MAX - 1, LATENCY_NS_MAX, u64::MAX]);
        // What lies above in the greatest octave the library tells apart as well.
        all.filter(|latency_ns| !(LATENCY_NS_MAX + 1..1 << 42).contains(latency_ns))
    }

    #[test]
    fn it_counts_as_the_library_does() {
        let (mut own, mut library) = (Counts::default(), hdr::empty());
        for latency_ns in samples() {
            own.record(latency_ns);
            library.saturating_record(latency_ns);
        }
        assert_eq!(own.len(), library.len());
        assert_eq!(hdr::encode(&own.histogram()), hdr::encode(&library));
    }

    #[test]
    fn to_add_is_to_count_both_and_what_is_cleared_is_empty() {
        let (mut first, mut second, mut both) = (Counts::default(), Counts::default(), Counts::default());
        for (number, latency_ns) in samples().enumerate() {
            [&mut first, &mut second][number % 2].record(latency_ns);
            both.record(latency_ns);
        }
        first.add(&second);
        assert_eq!(hdr::encode(&first.histogram()), hdr::encode(&both.histogram()));
        first.clear();
        assert!(first.is_empty());
        assert_eq!(hdr::encode(&first.histogram()), hdr::encode(&hdr::empty()));
        first.add(&second);
        assert_eq!(
            hdr::encode(&first.histogram()),
            hdr::encode(&second.histogram()),
            "nothing was left over"
        );
    }
}
