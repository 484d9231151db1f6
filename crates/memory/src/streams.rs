//! The four streams that STREAM has made known (J. McCalpin, Memory Bandwidth and Machine Balance, 1995), each with ordinary
//! stores and with such that go past the caches.
//!
//! An ordinary store first fetches the line that it writes to; a non-temporal one does not. Compilers choose one or the other
//! by themselves, so that the same source differs by half: here it is said. Bytes count as STREAM counts them, those that the
//! program reads and writes; what an ordinary store fetches is not among them.
#![allow(unsafe_code)]

use std::io;
use std::ops::Range;

use crate::area::area;
use crate::gate::Gate;
use crate::place::{Place, Until};
use crate::sample::Sample;
use crate::sys::Mapping;
use crate::team::{now, together};

/// What is done with each element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// c = a
    Copy,
    /// b = s × c
    Scale,
    /// c = a + b
    Add,
    /// a = b + s × c
    Triad,
}

/// A stream: what is done, and how its result is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    /// What is done with each element.
    pub kernel: Kernel,
    /// Whether stores go past the caches.
    pub non_temporal: bool,
}

/// How long passes over the arrays took a thread, and what a pass moves.
#[derive(Debug, Clone, Copy)]
pub struct Streamed {
    /// Bytes that a pass reads and writes.
    pub bytes_per_pass: usize,
    /// The median of all passes.
    pub pass_s: f64,
    /// The shortest.
    pub pass_s_min: f64,
}

const FACTOR: f64 = 3.0;

/// Whether this processor has stores that go past the caches, as far as is known here.
pub const fn has_non_temporal() -> bool {
    cfg!(target_arch = "x86_64")
}

/// Each thread of the place goes over three arrays of `array_bytes`, for each stream until its time is over, twice at least; all
/// begin each stream together.
pub fn streams(
    asked: &[Stream],
    array_bytes: usize,
    place: &Place,
    until: Until<'_>,
) -> io::Result<Vec<Vec<Streamed>>> {
    if array_bytes < size_of::<f64>() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if asked.iter().any(|one| one.non_temporal) && !has_non_temporal() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    together(
        place,
        until,
        |place, _| Arrays::new(array_bytes, place, until),
        |arrays, gate| asked.iter().map(|&one| arrays.in_turn(one, until, gate)).collect(),
    )
}

/// What is streamed through.
pub(crate) struct Arrays {
    a: Mapping,
    b: Mapping,
    c: Mapping,
    elements: usize,
}

impl Arrays {
    /// Of so many bytes each, in whole steps of the loop.
    pub(crate) fn new(array_bytes: usize, place: &Place, until: Until<'_>) -> io::Result<Self> {
        let elements = (array_bytes / size_of::<f64>()).next_multiple_of(STEP);
        let filled = |value: f64| -> io::Result<Mapping> {
            let mut mapping = area(elements * size_of::<f64>(), place, until)?;
            mapping.doubles().fill(value);
            Ok(mapping)
        };
        Ok(Self { a: filled(1.0)?, b: filled(2.0)?, c: filled(0.5)?, elements })
    }

    /// Once all are done with what was before. Caches and tables of pages are then as they are later.
    fn in_turn(&mut self, stream: Stream, until: Until<'_>, gate: &Gate) -> Option<Streamed> {
        if until.is_stopped() || !gate.pass() {
            return None;
        }
        self.pass(stream);
        gate.pass().then(|| self.go_round(stream, until))
    }

    fn go_round(&mut self, stream: Stream, until: Until<'_>) -> Streamed {
        let bytes_per_pass = arrays_of(stream.kernel) * self.elements * size_of::<f64>();
        let start = now();
        let mut passes = Sample::default();
        loop {
            let before = now();
            self.pass(stream);
            passes.add(before.elapsed().as_secs_f64());
            if until.is_stopped() || passes.seen() >= 2 && until.is_over(start) {
                break;
            }
        }
        Streamed { bytes_per_pass, pass_s: passes.median(), pass_s_min: passes.least() }
    }

    fn pass(&mut self, stream: Stream) {
        self.pass_within(stream, 0..self.elements);
    }

    /// Over a part, which begins and ends at whole steps of the loop; the bytes that were read and written.
    pub(crate) fn pass_within(&mut self, stream: Stream, part: Range<usize>) -> usize {
        let many = part.len();
        let (a, b, c) = (
            &mut self.a.doubles()[part.clone()],
            &mut self.b.doubles()[part.clone()],
            &mut self.c.doubles()[part],
        );
        match stream.kernel {
            Kernel::Copy => walk(c, a, a, stream, Kernel::Copy),
            Kernel::Scale => walk(b, c, c, stream, Kernel::Scale),
            Kernel::Add => walk(c, a, b, stream, Kernel::Add),
            Kernel::Triad => walk(a, b, c, stream, Kernel::Triad),
        }
        arrays_of(stream.kernel) * many * size_of::<f64>()
    }

    /// Of each array.
    pub(crate) fn elements(&self) -> usize {
        self.elements
    }
}

/// How many of them a kernel reads and writes.
fn arrays_of(kernel: Kernel) -> usize {
    if matches!(kernel, Kernel::Copy | Kernel::Scale) { 2 } else { 3 }
}

/// Elements of a turn of the loop: two lines.
const STEP: usize = 16;

#[cfg(target_arch = "x86_64")]
fn walk(to: &mut [f64], one: &[f64], other: &[f64], stream: Stream, kernel: Kernel) {
    assert!(to.len().is_multiple_of(STEP) && one.len() == to.len() && other.len() == to.len());
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, the slices are as long as each other, whole steps, and begin at pages.
        unsafe { wide::walk(to, one, other, stream.non_temporal, kernel) }
    } else {
        // SAFETY: every x86-64 has SSE2, and the slices are as above.
        unsafe { narrow::walk(to, one, other, stream.non_temporal, kernel) }
    }
}

/// The same source for registers of each width. Stores are volatile where they are ordinary: the compiler would make a loop
/// of them a call of memcpy, which then chooses the kind of store by itself.
#[cfg(target_arch = "x86_64")]
macro_rules! walks {
    ($name:ident, $feature:literal, $type:ident, $load:ident, $set:ident, $add:ident, $mul:ident, $stream:ident) => {
        mod $name {
            use std::arch::x86_64::{_mm_sfence, $add, $load, $mul, $set, $stream, $type};

            use super::{FACTOR, Kernel, STEP};

            const LANES: usize = size_of::<$type>() / size_of::<f64>();

            #[target_feature(enable = $feature)]
            pub unsafe fn walk(
                to: &mut [f64],
                one: &[f64],
                other: &[f64],
                non_temporal: bool,
                kernel: Kernel,
            ) {
                // SAFETY: the caller's word on the slices is passed on.
                unsafe {
                    match (kernel, non_temporal) {
                        (Kernel::Copy, false) => each::<false, 0>(to, one, other),
                        (Kernel::Copy, true) => each::<true, 0>(to, one, other),
                        (Kernel::Scale, false) => each::<false, 1>(to, one, other),
                        (Kernel::Scale, true) => each::<true, 1>(to, one, other),
                        (Kernel::Add, false) => each::<false, 2>(to, one, other),
                        (Kernel::Add, true) => each::<true, 2>(to, one, other),
                        (Kernel::Triad, false) => each::<false, 3>(to, one, other),
                        (Kernel::Triad, true) => each::<true, 3>(to, one, other),
                    }
                    if non_temporal {
                        _mm_sfence();
                    }
                }
            }

            #[target_feature(enable = $feature)]
            unsafe fn each<const PAST: bool, const KERNEL: u8>(to: &mut [f64], one: &[f64], other: &[f64]) {
                let factor = $set(FACTOR);
                let mut at = 0;
                while at < to.len() {
                    for part in (0..STEP).step_by(LANES) {
                        let place = at + part;
                        // SAFETY: `at` is a whole number of steps below the length of all three, which begin at pages.
                        unsafe {
                            let first = $load(one.as_ptr().add(place));
                            let value = match KERNEL {
                                0 => first,
                                1 => $mul(first, factor),
                                2 => $add(first, $load(other.as_ptr().add(place))),
                                _ => $add(first, $mul($load(other.as_ptr().add(place)), factor)),
                            };
                            let target = to.as_mut_ptr().add(place);
                            if PAST {
                                $stream(target, value);
                            } else {
                                target.cast::<$type>().write_volatile(value);
                            }
                        }
                    }
                    at += STEP;
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
walks!(wide, "avx2", __m256d, _mm256_load_pd, _mm256_set1_pd, _mm256_add_pd, _mm256_mul_pd, _mm256_stream_pd);
#[cfg(target_arch = "x86_64")]
walks!(narrow, "sse2", __m128d, _mm_load_pd, _mm_set1_pd, _mm_add_pd, _mm_mul_pd, _mm_stream_pd);

#[cfg(not(target_arch = "x86_64"))]
fn walk(to: &mut [f64], one: &[f64], other: &[f64], _: Stream, kernel: Kernel) {
    for ((to, &one), &other) in to.iter_mut().zip(one).zip(other) {
        let value = match kernel {
            Kernel::Copy => one,
            Kernel::Scale => FACTOR * one,
            Kernel::Add => one + other,
            Kernel::Triad => one + FACTOR * other,
        };
        // SAFETY: it is a place of ours; volatile, as the loop would else become a call that chooses its own stores.
        unsafe { std::ptr::from_mut(to).write_volatile(value) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Pages;
    use std::sync::atomic::AtomicBool;
    use std::thread;
    use std::time::Duration;

    static NEVER: AtomicBool = AtomicBool::new(false);
    const UNTIL: Until<'static> = Until { runtime: Duration::ZERO, stop: &NEVER };
    const COPY: Stream = Stream { kernel: Kernel::Copy, non_temporal: false };

    fn arrays() -> Arrays {
        Arrays::new(100_000, &Place { cpus: vec![0], node: None, pages: Pages::Small }, UNTIL).unwrap()
    }

    #[test]
    fn a_stream_begins_when_all_are_done_with_the_one_before() {
        let (mut made, gate) = (arrays(), Gate::new(2));
        thread::scope(|scope| {
            let found = scope.spawn(|| [COPY; 2].map(|one| made.in_turn(one, UNTIL, &gate).is_some()));
            assert!(gate.pass() && gate.pass());
            gate.open_for_good(); // the other one never begins the second stream
            assert_eq!(found.join().unwrap(), [true, false]);
        });
    }

    #[test]
    fn a_stream_does_not_begin_once_work_is_to_end() {
        let (mut made, gate) = (arrays(), Gate::new(1));
        let until = Until { runtime: Duration::ZERO, stop: &AtomicBool::new(true) };
        assert!(made.in_turn(COPY, until, &gate).is_none());
        let found = made.go_round(COPY, until);
        assert_eq!(found.pass_s, found.pass_s_min, "one pass alone");
        assert!(made.in_turn(COPY, UNTIL, &gate).is_some());
    }

    #[test]
    fn arrays_of_nothing_are_an_error() {
        let place = Place { cpus: vec![0], node: None, pages: Pages::Small };
        assert_eq!(streams(&[COPY], 0, &place, UNTIL).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn each_kernel_computes_what_it_says_with_either_store() {
        for non_temporal in [false, has_non_temporal()] {
            for (kernel, expected) in
                [(Kernel::Copy, 1.0), (Kernel::Scale, 1.5), (Kernel::Add, 3.0), (Kernel::Triad, 3.5)]
            {
                let mut made = arrays();
                made.pass(Stream { kernel, non_temporal });
                let many = made.elements;
                let result = match kernel {
                    Kernel::Copy | Kernel::Add => &made.c.doubles()[..many],
                    Kernel::Scale => &made.b.doubles()[..many],
                    Kernel::Triad => &made.a.doubles()[..many],
                };
                assert!(result.iter().all(|&one| one == expected), "{kernel:?} {non_temporal}");
            }
        }
    }

    #[test]
    fn bytes_are_those_that_the_program_reads_and_writes() {
        let mut made = arrays();
        let bytes = made.elements * 8;
        for (kernel, arrays) in [(Kernel::Copy, 2), (Kernel::Scale, 2), (Kernel::Add, 3), (Kernel::Triad, 3)]
        {
            let found = made.go_round(Stream { kernel, non_temporal: false }, UNTIL);
            assert_eq!(found.bytes_per_pass, arrays * bytes);
            assert!(0.0 < found.pass_s_min && found.pass_s_min <= found.pass_s);
        }
    }

    #[test]
    fn a_cpu_that_is_none_is_an_error() {
        let place = Place { cpus: vec![1_000_000], node: None, pages: Pages::Small };
        assert!(streams(&[COPY], 4096, &place, UNTIL).is_err());
    }

    #[test]
    fn a_node_that_is_none_is_an_error() {
        let place = Place { cpus: vec![0], node: Some(1023), pages: Pages::Small };
        assert!(streams(&[COPY], 4096, &place, UNTIL).is_err());
    }
}
