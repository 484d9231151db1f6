//! Latency under load: one thread follows a chain while the others stream at a pace, from not at all to as fast as they can.
//!
//! What memory gives and how long a load of it takes then belong together: near to the most that it gives, loads wait for each
//! other. The load is a triad with ordinary stores, in pieces that each begin at a time of their own, so that a pace is held
//! evenly; a piece that comes late is not made up for beyond a few.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::chase::{Chain, steps};
use crate::gate::Gate;
use crate::place::{Place, Until};
use crate::sample::Sample;
use crate::streams::{Arrays, Kernel, Stream};
use crate::team::{now, together};

const LOAD: Stream = Stream { kernel: Kernel::Triad, non_temporal: false };
/// Elements of a piece where a pace is held: 6 KiB of the three arrays, which take less than a microsecond.
const PACED_ELEMENTS: usize = 256;
/// Elements between two looks whether it is over, where none is.
const FREE_ELEMENTS: usize = 1 << 13;
/// Pieces that are made up for at once after a thread was away.
const LATE_MAX: u32 = 16;
/// Loads between two looks at the clock: half a millisecond of memory that is not busy.
const BLOCK: usize = 1 << 12;
/// Of the time of a level, what passes before it is measured.
const LEAD_IN: u32 = 8;

/// What was found at one pace.
#[derive(Debug, Clone, Copy)]
pub struct Loaded {
    /// What share of its own most each loading thread was to move: 0 none, 1 all that it can.
    pub share: f64,
    /// What they moved together, as STREAM counts it.
    pub bytes_per_s: f64,
    /// How long a load of the chain took, the median of blocks of some thousand.
    pub load_s: f64,
}

/// The first thread of the place follows a chain through `chain_bytes`, all others stream through three arrays of `array_bytes`
/// each, at each of the shares. What a thread moves at most is measured first.
pub fn loaded(
    chain_bytes: usize,
    array_bytes: usize,
    shares: &[f64],
    place: &Place,
    until: Until<'_>,
) -> io::Result<Vec<Loaded>> {
    if place.cpus.len() < 2
        || array_bytes < size_of::<f64>()
        || !shares.iter().all(|share| (0.0..=1.0).contains(share))
    {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let over = AtomicUsize::new(0);
    let found = together(
        place,
        until,
        |place, number| {
            Ok(if number == 0 {
                Part::Chase(Chain::new(chain_bytes, place, number, until)?)
            } else {
                Part::Load(Loader::new(array_bytes, place, until)?)
            })
        },
        |part, gate| part.at_each(shares, gate, until, &over),
    )?;
    Ok(shares.iter().enumerate().map(|(at, &share)| level(share, at + 1, &found)).collect())
}

fn level(share: f64, at: usize, found: &[Vec<f64>]) -> Loaded {
    Loaded { share, bytes_per_s: found[1..].iter().map(|one| one[at]).sum(), load_s: found[0][at] }
}

/// What a thread does.
enum Part {
    Chase(Chain),
    Load(Loader),
}

impl Part {
    /// Of the most first, then of each share: how long a load takes, or bytes per second. None: it is to end.
    fn at_each(
        &mut self,
        shares: &[f64],
        gate: &Gate,
        until: Until<'_>,
        over: &AtomicUsize,
    ) -> Option<Vec<f64>> {
        let mut found = Vec::with_capacity(shares.len() + 1);
        if let Self::Chase(chain) = self {
            chain.warm();
        }
        for (at, &share) in std::iter::once(&1.0).chain(shares).enumerate() {
            if until.is_stopped() || !gate.pass() {
                return None;
            }
            let is_over = || over.load(Ordering::Relaxed) > at || until.is_stopped();
            found.push(match self {
                Self::Chase(chain) => {
                    let load_s = chase_for(chain, until);
                    over.store(at + 1, Ordering::Relaxed);
                    load_s
                }
                Self::Load(loader) => {
                    loader.stream(share, found.first().copied().unwrap_or(f64::INFINITY), is_over)
                }
            });
        }
        Some(found)
    }
}

/// How long a load takes, once the others have been under way for a while.
fn chase_for(chain: &mut Chain, until: Until<'_>) -> f64 {
    let begun = now();
    while !until.is_stopped() && begun.elapsed() < until.runtime / LEAD_IN {
        chain.go_on(BLOCK);
    }
    let (start, mut blocks) = (now(), Sample::default());
    while blocks.seen() == 0 || !until.is_over(start) {
        let before = now();
        chain.go_on(BLOCK);
        blocks.add(before.elapsed().as_secs_f64());
    }
    blocks.median() / BLOCK as f64
}

struct Loader {
    arrays: Arrays,
    at: usize,
}

impl Loader {
    fn new(array_bytes: usize, place: &Place, until: Until<'_>) -> io::Result<Self> {
        Ok(Self { arrays: Arrays::new(array_bytes, place, until)?, at: 0 })
    }

    /// Streams until it is over, at a share of `most_per_s`; bytes per second.
    fn stream(&mut self, share: f64, most_per_s: f64, is_over: impl Fn() -> bool) -> f64 {
        if share == 0.0 {
            return 0.0; // and sleeps at the gate, where a turn of waiting would load the core
        }
        let start = now();
        let bytes = if share < 1.0 {
            self.paced(Pace::new(share * most_per_s, start), is_over)
        } else {
            self.freely(is_over)
        };
        bytes as f64 / start.elapsed().as_secs_f64()
    }

    fn freely(&mut self, is_over: impl Fn() -> bool) -> usize {
        let mut bytes = 0;
        while bytes == 0 || !is_over() {
            bytes += self.piece(FREE_ELEMENTS);
        }
        bytes
    }

    fn paced(&mut self, mut pace: Pace, is_over: impl Fn() -> bool) -> usize {
        let mut bytes = 0;
        while !is_over() {
            if pace.is_time(now()) {
                bytes += self.piece(PACED_ELEMENTS);
            } else {
                std::hint::spin_loop();
            }
        }
        bytes
    }

    /// The next elements, at most so many; the bytes that were read and written.
    fn piece(&mut self, many: usize) -> usize {
        let range = self.range(many);
        self.at = range.end;
        self.arrays.pass_within(LOAD, range)
    }

    fn range(&self, many: usize) -> Range<usize> {
        let from = if self.at == self.arrays.elements() { 0 } else { self.at };
        from..self.arrays.elements().min(from + many)
    }
}

/// When pieces begin.
struct Pace {
    period: Duration,
    next: Instant,
}

impl Pace {
    fn new(bytes_per_s: f64, start: Instant) -> Self {
        let piece = 3.0 * (PACED_ELEMENTS * size_of::<f64>()) as f64;
        Self {
            period: Duration::try_from_secs_f64(piece / bytes_per_s).unwrap_or(Duration::MAX),
            next: start,
        }
    }

    /// Whether one is to begin, and then the next a period later.
    fn is_time(&mut self, at: Instant) -> bool {
        let Some(late) = at.checked_duration_since(self.next) else { return false };
        let most = self.period.saturating_mul(LATE_MAX);
        let from = if late > most { at - most } else { self.next };
        self.next = from.checked_add(self.period).unwrap_or(from);
        true
    }
}

impl Chain {
    /// So many loads more.
    fn go_on(&mut self, many: usize) {
        self.at = steps(self.memory.words(), self.at, many);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Pages;
    use std::sync::atomic::AtomicBool;

    static NEVER: AtomicBool = AtomicBool::new(false);
    const UNTIL: Until<'static> = Until { runtime: Duration::from_millis(1), stop: &NEVER };

    fn place(threads: usize) -> Place {
        Place { cpus: vec![0; threads], node: None, pages: Pages::Small }
    }

    #[test]
    fn each_share_has_its_figures_and_none_loads_nothing() {
        let found = loaded(1 << 16, 1 << 16, &[0.0, 0.5, 1.0], &place(3), UNTIL).unwrap();
        assert_eq!(found.iter().map(|one| one.share).collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
        assert!(found.iter().all(|one| one.load_s > 0.0 && one.bytes_per_s >= 0.0));
        assert_eq!(found[0].bytes_per_s, 0.0);
        assert!(found[2].bytes_per_s > 0.0);
    }

    #[test]
    fn what_makes_no_sense_is_an_error() {
        for (array, shares, threads) in [(4096, [1.0], 1), (0, [1.0], 2), (4096, [1.5], 2), (4096, [-0.1], 2)]
        {
            let error = loaded(4096, array, &shares, &place(threads), UNTIL).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn it_ends_when_somebody_wants_it_to() {
        let until = Until { runtime: Duration::from_secs(3600), stop: &AtomicBool::new(true) };
        assert_eq!(
            loaded(4096, 4096, &[0.5], &place(2), until).unwrap_err().kind(),
            io::ErrorKind::Interrupted
        );
    }

    #[test]
    fn pieces_begin_a_period_apart_and_few_are_made_up_for() {
        let start = now();
        let mut pace = Pace { period: Duration::from_micros(10), next: start };
        let at = |micros| start + Duration::from_micros(micros);
        let asked = [(0, true), (9, false), (10, true), (25, true), (29, false), (30, true)];
        assert_eq!(asked.map(|(micros, _)| pace.is_time(at(micros))), asked.map(|(_, due)| due));
        let late = at(1_000_000);
        let made_up = (0..1000).filter(|_| pace.is_time(late)).count();
        assert_eq!(made_up, LATE_MAX as usize + 1);
    }

    #[test]
    fn pieces_go_through_all_elements_and_begin_anew() {
        let mut loader = Loader::new(300 * size_of::<f64>(), &place(1), UNTIL).unwrap();
        let elements = loader.arrays.elements();
        let bytes: Vec<_> = (0..3).map(|_| loader.piece(PACED_ELEMENTS)).collect();
        let last = elements - PACED_ELEMENTS;
        assert_eq!(bytes, [PACED_ELEMENTS, last, PACED_ELEMENTS].map(|many| 3 * many * size_of::<f64>()));
        assert_eq!(loader.at, PACED_ELEMENTS);
    }
}
