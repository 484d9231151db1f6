//! Numbers by chance, the same each time.

/// Steps of xorshift64* (S. Vigna, An experimental exploration of Marsaglia's xorshift generators, scrambled, 2016).
pub struct Random(u64);

impl Random {
    /// Another sequence for each seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `most`, which is at least 1.
    #[inline]
    pub fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D);
        ((u128::from(drawn) * most as u128) >> 64) as usize
    }
}
