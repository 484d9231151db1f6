//! Random updates of words, one in a line, by threads that are bound and start together: what many sessions do to a cache of
//! blocks. The loads do not wait for each other, so that as many are under way as the CPU has room for.

use std::io;

use crate::LINE_BYTES;
use crate::area::area;
use crate::place::{Place, Until};
use crate::random::Random;
use crate::sys::Mapping;
use crate::team::{now, together};

const WORDS_PER_LINE: usize = LINE_BYTES / size_of::<u64>();
/// Updates between two looks at the clock.
const BLOCK: usize = 1 << 14;

/// What a thread came to.
#[derive(Debug, Clone, Copy)]
pub struct Updated {
    /// Words that it added one to.
    pub updates: u64,
    /// How long that took.
    pub elapsed_s: f64,
}

/// Each thread of the place updates words of `bytes` of its own until the time is over.
pub fn update(bytes: usize, place: &Place, until: Until<'_>) -> io::Result<Vec<Updated>> {
    together(
        place,
        until,
        |place, number| Field::new(bytes, place, number, until),
        |field, gate| gate.pass().then(|| field.go_on(until)),
    )
}

struct Field {
    memory: Mapping,
    lines: usize,
    random: Random,
}

impl Field {
    fn new(bytes: usize, place: &Place, number: usize, until: Until<'_>) -> io::Result<Self> {
        let lines = (bytes / LINE_BYTES).max(1);
        let memory = area(lines * LINE_BYTES, place, until)?;
        Ok(Self { memory, lines, random: Random::new(number as u64 + 1) })
    }

    fn go_on(&mut self, until: Until<'_>) -> Updated {
        let words = self.memory.words();
        let (start, mut updates) = (now(), 0_u64);
        while updates == 0 || !until.is_over(start) {
            some(words, self.lines, &mut self.random);
            updates += BLOCK as u64;
        }
        Updated { updates, elapsed_s: start.elapsed().as_secs_f64() }
    }
}

#[inline(never)]
fn some(words: &mut [u64], lines: usize, random: &mut Random) {
    for _ in 0..BLOCK {
        let word = &mut words[random.below(lines) * WORDS_PER_LINE];
        *word = word.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Pages;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    #[test]
    fn each_update_adds_one_to_the_first_word_of_a_line() {
        let place = Place { cpus: vec![0], node: None, pages: Pages::Small };
        let until = Until { runtime: Duration::ZERO, stop: &AtomicBool::new(false) };
        let mut field = Field::new(64 * LINE_BYTES, &place, 0, until).unwrap();
        let before: u64 = field.memory.words().iter().sum();
        let done = field.go_on(until);
        assert_eq!(done.updates, BLOCK as u64);
        assert_eq!(field.memory.words().iter().sum::<u64>(), before + done.updates);
        let words = &field.memory.words()[..64 * WORDS_PER_LINE];
        assert!(words.iter().enumerate().all(|(at, &word)| word == 0 || at.is_multiple_of(WORDS_PER_LINE)));
        assert!((0..64).all(|line| words[line * WORDS_PER_LINE] > BLOCK as u64 / 64 / 2));
    }
}
