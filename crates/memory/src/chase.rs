//! A chain of loads that each tell where the next one is: as long as one takes, so long is the latency of the working set.

use std::io;

use crate::LINE_BYTES;
use crate::area::area;
use crate::place::{Pages, Place, Until};
use crate::random::Random;
use crate::sys::Mapping;
use crate::team::{now, together};

const WORDS_PER_LINE: usize = LINE_BYTES / size_of::<u64>();
/// Steps between two looks at the clock.
const BLOCK: usize = 1 << 14;
/// Lines put in order between two looks whether somebody wants it to stop.
const LINES_BETWEEN_LOOKS: usize = 1 << 16;

/// What a thread came to.
#[derive(Debug, Clone, Copy)]
pub struct Chased {
    /// Loads that it waited for.
    pub steps: u64,
    /// How long that took.
    pub elapsed_s: f64,
    /// Where it ended, which keeps the compiler from leaving loads out.
    pub at: usize,
    /// What share of its memory was in huge pages; none: small ones were asked for, or the kernel does not tell.
    pub huge_share: Option<f64>,
}

/// Each thread of the place follows a chain through all lines of `bytes` in an order by chance, until the time is over.
pub fn chase(bytes: usize, place: &Place, until: Until<'_>) -> io::Result<Vec<Chased>> {
    together(
        place,
        until,
        |place, number| Chain::new(bytes, place, number, until),
        |chain, gate| {
            chain.warm();
            gate.pass().then(|| chain.follow(until, place.pages))
        },
    )
}

/// A ring of lines, and where on it a thread is.
pub(crate) struct Chain {
    pub(crate) memory: Mapping,
    lines: usize,
    pub(crate) at: usize,
}

impl Chain {
    /// Through all lines of `bytes`, in an order that `number` tells.
    pub(crate) fn new(bytes: usize, place: &Place, number: usize, until: Until<'_>) -> io::Result<Self> {
        let lines = (bytes / LINE_BYTES).max(1);
        let mut memory = area(lines * LINE_BYTES, place, until)?;
        link(memory.words(), lines, number as u64 + 1, until)?;
        Ok(Self { memory, lines, at: 0 })
    }

    /// Caches hold of it then what they can.
    pub(crate) fn warm(&mut self) {
        self.at = steps(self.memory.words(), self.at, self.lines.min(1 << 22));
    }

    fn follow(&mut self, until: Until<'_>, pages: Pages) -> Chased {
        let (start, mut at, mut done) = (now(), self.at, 0_u64);
        let words = self.memory.words();
        while done == 0 || !until.is_over(start) {
            at = steps(words, at, BLOCK);
            done += BLOCK as u64;
        }
        let elapsed_s = start.elapsed().as_secs_f64();
        Chased { steps: done, elapsed_s, at, huge_share: self.huge_share(pages) }
    }

    fn huge_share(&mut self, pages: Pages) -> Option<f64> {
        let huge = if pages == Pages::Small { None } else { self.memory.huge_bytes() };
        huge.map(|bytes| bytes as f64 / size_of_val(self.memory.words()) as f64)
    }
}

/// One ring through all lines: each has in its first word the place of the next one (S. Sattolo's shuffle, 1986).
fn link(words: &mut [u64], lines: usize, seed: u64, until: Until<'_>) -> io::Result<()> {
    let mut random = Random::new(seed);
    for line in 0..lines {
        words[line * WORDS_PER_LINE] = (line * WORDS_PER_LINE) as u64;
    }
    for line in (1..lines).rev() {
        if line.is_multiple_of(LINES_BETWEEN_LOOKS) {
            until.check()?;
        }
        words.swap(line * WORDS_PER_LINE, random.below(line) * WORDS_PER_LINE);
    }
    Ok(())
}

/// Where one comes from `from` by so many loads.
#[inline(never)]
pub(crate) fn steps(words: &[u64], from: usize, many: usize) -> usize {
    let mut at = from;
    for _ in 0..many {
        at = words[at] as usize;
    }
    std::hint::black_box(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    static NEVER: AtomicBool = AtomicBool::new(false);
    const UNTIL: Until<'static> = Until { runtime: Duration::ZERO, stop: &NEVER };

    #[test]
    fn a_chain_visits_each_line_once_and_comes_back() {
        for lines in [1, 2, 7, 1000] {
            let mut words = vec![0_u64; lines * WORDS_PER_LINE];
            link(&mut words, lines, 1, UNTIL).unwrap();
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
            link(&mut words, 64, seed, UNTIL).unwrap();
            words
        };
        assert_eq!(made(1), made(1));
        assert_ne!(made(1), made(2));
    }

    #[test]
    fn threads_count_their_steps() {
        let place = Place { cpus: vec![0, 0], node: None, pages: Pages::Small };
        let found = chase(1 << 16, &place, UNTIL).unwrap();
        assert_eq!(found.iter().map(|one| one.steps).collect::<Vec<_>>(), [BLOCK as u64; 2]);
        assert!(found.iter().all(|one| one.elapsed_s > 0.0 && one.huge_share.is_none()));
    }

    #[test]
    fn the_share_of_huge_pages_is_one() {
        let place = Place { cpus: vec![0], node: None, pages: Pages::Huge { page_bytes: 2 << 20 } };
        match chase(3 << 20, &place, UNTIL) {
            Ok(found) => assert!(found[0].huge_share.is_none_or(|share| (0.0..=1.0).contains(&share))),
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::EINVAL), "a kernel that has none"),
        }
    }

    #[test]
    fn a_chain_is_not_finished_once_work_is_to_end() {
        let mut words = vec![0_u64; (LINES_BETWEEN_LOOKS + 1) * WORDS_PER_LINE];
        let until = Until { runtime: Duration::ZERO, stop: &AtomicBool::new(true) };
        let error = link(&mut words, LINES_BETWEEN_LOOKS + 1, 1, until).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }
}
