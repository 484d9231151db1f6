//! A chain of loads that each tell where the next one is: as long as one takes, so long is the latency of the working set.

use std::io;
use std::time::Duration;

use crate::LINE_BYTES;
use crate::area::area;
use crate::random::Random;
use crate::sys::Mapping;
use crate::team::{Place, now, together};

const WORDS_PER_LINE: usize = LINE_BYTES / size_of::<u64>();
/// Steps between two looks at the clock.
const BLOCK: usize = 1 << 14;

/// What a thread came to.
#[derive(Debug, Clone, Copy)]
pub struct Chased {
    /// Loads that it waited for.
    pub steps: u64,
    /// How long that took.
    pub elapsed_s: f64,
    /// Where it ended, which keeps the compiler from leaving loads out.
    pub at: usize,
}

/// Each thread of the place follows a chain through all lines of `bytes` in an order by chance, until the time is over.
pub fn chase(bytes: usize, place: &Place, runtime: Duration) -> io::Result<Vec<Chased>> {
    together(place, runtime, |place, number| Chain::new(bytes, place, number), Chain::follow)
}

struct Chain {
    memory: Mapping,
    lines: usize,
}

impl Chain {
    fn new(bytes: usize, place: &Place, number: usize) -> io::Result<Self> {
        let lines = (bytes / LINE_BYTES).max(1);
        let mut memory = area(lines * LINE_BYTES, place.node, place.pages)?;
        link(memory.words(), lines, number as u64 + 1);
        Ok(Self { memory, lines })
    }

    fn follow(&mut self, runtime: Duration) -> Chased {
        let words = self.memory.words();
        let mut at = steps(words, 0, self.lines.min(1 << 22)); // caches hold of it what they can
        let (start, mut done) = (now(), 0_u64);
        while done == 0 || start.elapsed() < runtime {
            at = steps(words, at, BLOCK);
            done += BLOCK as u64;
        }
        Chased { steps: done, elapsed_s: start.elapsed().as_secs_f64(), at }
    }
}

/// One ring through all lines: each has in its first word the place of the next one (S. Sattolo's shuffle, 1986).
fn link(words: &mut [u64], lines: usize, seed: u64) {
    let mut random = Random::new(seed);
    for line in 0..lines {
        words[line * WORDS_PER_LINE] = (line * WORDS_PER_LINE) as u64;
    }
    for line in (1..lines).rev() {
        words.swap(line * WORDS_PER_LINE, random.below(line) * WORDS_PER_LINE);
    }
}

#[inline(never)]
fn steps(words: &[u64], from: usize, many: usize) -> usize {
    let mut at = from;
    for _ in 0..many {
        at = words[at] as usize;
    }
    std::hint::black_box(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::Pages;

    #[test]
    fn a_chain_visits_each_line_once_and_comes_back() {
        for lines in [1, 2, 7, 1000] {
            let mut words = vec![0_u64; lines * WORDS_PER_LINE];
            link(&mut words, lines, 1);
            let (mut at, mut seen) = (0_usize, vec![false; lines]);
            for _ in 0..lines {
                assert!(at.is_multiple_of(WORDS_PER_LINE) && !seen[at / WORDS_PER_LINE]);
                seen[at / WORDS_PER_LINE] = true;
                at = words[at] as usize;
            }
            assert_eq!((at, seen.iter().all(|&one| one)), (0, true));
        }
    }

    #[test]
    fn a_chain_is_by_chance_and_the_same_each_time() {
        let made = |seed| {
            let mut words = vec![0_u64; 64 * WORDS_PER_LINE];
            link(&mut words, 64, seed);
            words
        };
        assert_eq!(made(1), made(1));
        assert_ne!(made(1), made(2));
    }

    #[test]
    fn threads_count_their_steps() {
        let place = Place { cpus: vec![0, 0], node: None, pages: Pages::Small };
        let found = chase(1 << 16, &place, Duration::ZERO).unwrap();
        assert_eq!(found.iter().map(|one| one.steps).collect::<Vec<_>>(), [BLOCK as u64; 2]);
        assert!(found.iter().all(|one| one.elapsed_s > 0.0));
    }
}
