//! Numbers in another order, without a table: a keyed bijection of `0..len`.
//!
//! A Feistel network permutes the least power of two that holds all numbers, and what lands outside is sent through it
//! again until it lands inside (cycle walking: Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002).
//! That is less than two turns on average. It is no cipher and need not be: it shall only look disorderly.

const ROUNDS: usize = 4;
/// Odd numbers with an even spread of bits (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
/// OOPSLA 2014, as used by Vigna's SplitMix64).
const MIX: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

/// A bijection of `0..len`.
#[derive(Debug, Clone)]
pub struct Permutation {
    len: u64,
    low_bits: u32,
    low_mask: u64,
    high_mask: u64,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// The permutation of `0..len` with that key; `len` is at least 1.
    pub fn new(len: u64, key: u64) -> Self {
        let bits = u64::BITS - (len - 1).leading_zeros();
        let (low_bits, high_bits) = (bits.div_ceil(2), bits / 2);
        let mut keys = [0; ROUNDS];
        for (round, own) in keys.iter_mut().enumerate() {
            *own = mix(key.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(round as u64 + 1)));
        }
        Self { len, low_bits, low_mask: (1 << low_bits) - 1, high_mask: (1 << high_bits) - 1, keys }
    }

    /// Where the number `index` goes.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        debug_assert!(index < self.len);
        let mut number = self.network(index);
        while number >= self.len {
            number = self.network(number);
        }
        number
    }

    /// Each round changes one half by the other one alone, so it can be undone, whatever the halves' lengths.
    #[inline]
    fn network(&self, number: u64) -> u64 {
        let (mut low, mut high) = (number & self.low_mask, number >> self.low_bits);
        for pair in self.keys.chunks_exact(2) {
            low ^= mix(high ^ pair[0]) & self.low_mask;
            high ^= mix(low ^ pair[1]) & self.high_mask;
        }
        high << self.low_bits | low
    }
}

/// Spreads a number's bits over all 64.
#[inline]
pub fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(MIX[0]);
    let number = (number ^ number >> 27).wrapping_mul(MIX[1]);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_hit_once_whatever_the_length_and_key() {
        for len in (1..70).chain([255, 256, 257, 4095, 4097, 10_000]) {
            for key in [0, 1, u64::MAX] {
                let permutation = Permutation::new(len, key);
                let mut seen = vec![false; len as usize];
                for index in 0..len {
                    assert!(!std::mem::replace(&mut seen[permutation.at(index) as usize], true), "{len}");
                }
            }
        }
    }

    #[test]
    fn keys_give_different_orders_and_neighbours_part() {
        let orders: Vec<Vec<u64>> = [1, 2]
            .map(|key| Permutation::new(1000, key))
            .iter()
            .map(|permutation| (0..1000).map(|index| permutation.at(index)).collect())
            .collect();
        let same = orders[0].iter().zip(&orders[1]).filter(|(one, other)| one == other).count();
        assert!(same < 10, "{same} of 1000 numbers stay where they were");
        let steps = orders[0].windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count();
        assert!(steps < 10, "{steps} of 999 steps go to a neighbour");
    }

    #[test]
    fn the_longest_rows_work() {
        for len in [u64::MAX >> 1, (1 << 40) + 1] {
            let permutation = Permutation::new(len, 7);
            assert!((0..1000).chain(len - 1000..len).all(|index| permutation.at(index) < len));
        }
    }
}
