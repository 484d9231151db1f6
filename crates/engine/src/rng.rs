//! Random numbers: fast, seeded, and separate for each purpose.
//!
//! Each job and purpose has its own generator, so that, say, a different mix of classes does not change
//! the arrival times. Xoshiro256++ (Blackman and Vigna, ACM TOMS 47:4, 2021) passes BigCrush and costs about a
//! nanosecond; it is no cipher and need not be.

use rand_core::{Rng as _, SeedableRng};
pub use rand_xoshiro::Xoshiro256PlusPlus as Rng;

/// What a generator is for; part of its seed.
#[derive(Debug, Clone, Copy)]
#[repr(u64)]
pub enum Purpose {
    /// Gaps between arrivals.
    Arrivals = 1,
    /// Which class an arrival belongs to.
    Classes = 2,
    /// Where an I/O goes.
    Offsets = 3,
    /// What a write carries.
    Data = 4,
    /// Service times of a simulated device.
    Service = 5,
    /// Faults of a simulated device.
    Faults = 6,
    /// Which blocks of a file are looked at.
    Samples = 7,
    /// How many bytes an I/O has, where a class has several sizes.
    Sizes = 8,
}

/// The generator of one purpose of one job.
pub fn generator(seed: u64, job: u64, purpose: Purpose) -> Rng {
    let mixed = seed ^ (job << 8 | purpose as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Rng::seed_from_u64(mixed)
}

/// A uniform number in `0..bound` by multiply and shift (Lemire, ACM TOMACS 29:1, 2019).
///
/// Without the rejection step the bias is at most `bound / 2^64`, which for a device of 2^40 blocks is one part
/// in ten million: far below what any run could show.
#[inline]
pub fn below(rng: &mut Rng, bound: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// A uniform number in `[0, 1)` with 53 random bits.
#[inline]
pub fn unit(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Fills `bytes` with random data.
pub fn fill(rng: &mut Rng, bytes: &mut [u8]) {
    rng.fill_bytes(bytes);
}
