//! Numbers as Oracle's reports print them: `1,439.98`, `.013140`, `7.1E+04`, `18K`, `16.3G`, `109.72us`, `-0.0`.
//!
//! This is the only place that knows how a number with its unit is written.

use std::str;

/// A MiB.
pub const MIB: f64 = 1_048_576.0;
/// A GiB.
pub const GIB: f64 = 1_073_741_824.0;
/// A KiB.
pub const KIB: f64 = 1024.0;

/// What follows a number without a space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suffix {
    /// Nothing.
    #[default]
    None,
    /// Thousands: of 1000 for counts, of 1024 for bytes; the column decides.
    Kilo,
    /// Millions.
    Mega,
    /// Thousands of millions.
    Giga,
    /// Millions of millions.
    Tera,
    /// Thousands of millions of millions.
    Peta,
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
    /// Hundredths.
    Percent,
}

impl Suffix {
    /// Each, at its own place.
    pub const ALL: [Self; 13] = [
        Self::None,
        Self::Kilo,
        Self::Mega,
        Self::Giga,
        Self::Tera,
        Self::Peta,
        Self::Nanoseconds,
        Self::Microseconds,
        Self::Milliseconds,
        Self::Seconds,
        Self::Minutes,
        Self::Hours,
        Self::Percent,
    ];

    /// How many of the column's own unit it stands for; times are in seconds, and hundredths stay as they are.
    pub fn factor(self, kilo: f64) -> f64 {
        match self {
            Self::None | Self::Seconds | Self::Percent => 1.0,
            Self::Kilo => kilo,
            Self::Mega => kilo * kilo,
            Self::Giga => kilo * kilo * kilo,
            Self::Tera => kilo.powi(4),
            Self::Peta => kilo.powi(5),
            Self::Nanoseconds => 1e-9,
            Self::Microseconds => 1e-6,
            Self::Milliseconds => 1e-3,
            Self::Minutes => 60.0,
            Self::Hours => 3600.0,
        }
    }

    /// Whether it makes the number a time.
    pub fn is_time(self) -> bool {
        use Suffix::{Hours, Microseconds, Milliseconds, Minutes, Nanoseconds, Seconds};
        matches!(self, Nanoseconds | Microseconds | Milliseconds | Seconds | Minutes | Hours)
    }

    /// As outputs name it; None without one.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Kilo => Some("K"),
            Self::Mega => Some("M"),
            Self::Giga => Some("G"),
            Self::Tera => Some("T"),
            Self::Peta => Some("P"),
            Self::Nanoseconds => Some("ns"),
            Self::Microseconds => Some("us"),
            Self::Milliseconds => Some("ms"),
            Self::Seconds => Some("s"),
            Self::Minutes => Some("m"),
            Self::Hours => Some("h"),
            Self::Percent => Some("%"),
        }
    }

    fn read(words: &[u8]) -> Option<Self> {
        Some(match words {
            b"" => Self::None,
            b"K" | b"k" => Self::Kilo,
            b"M" => Self::Mega,
            b"G" | b"g" => Self::Giga,
            b"T" => Self::Tera,
            b"P" => Self::Peta,
            b"ns" => Self::Nanoseconds,
            b"us" => Self::Microseconds,
            b"ms" => Self::Milliseconds,
            b"s" => Self::Seconds,
            b"m" => Self::Minutes,
            b"h" => Self::Hours,
            b"%" => Self::Percent,
            // From 12.2 on seconds have a space before them, and shorter times have none.
            b" s" => Self::Seconds,
            _ => return None,
        })
    }
}

/// What stands between the whole and its fraction. The other sign stands between thousands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decimal {
    /// `1,439.98`.
    #[default]
    Point,
    /// `1.439,98`.
    Comma,
}

impl Decimal {
    /// The sign before a fraction.
    pub fn point(self) -> char {
        char::from(self.signs().0)
    }

    fn signs(self) -> (u8, u8) {
        match self {
            Self::Point => (b'.', b','),
            Self::Comma => (b',', b'.'),
        }
    }
}

/// So many digits fit in 64 bits.
const DIGITS_MAX: usize = 19;
/// Numbers up to here are exact in an f64, so that one division gives the nearest value.
const EXACT_MAX: u64 = 1 << 53;
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The number and its suffix; None where the words are no number. Words must be trimmed.
pub fn parse(words: &[u8], decimal: Decimal) -> Option<(f64, Suffix)> {
    let (negative, digits) = match words.first()? {
        b'-' => (true, &words[1..]),
        b'+' => (false, &words[1..]),
        _ => (false, words),
    };
    let plain = Plain::read(digits, decimal)?;
    let rest = &digits[plain.len..];
    let (exponent, suffix) = match rest.first() {
        // Oracle prints an exponent where a number is too wide for its groups: both at once are another's.
        Some(b'E' | b'e') if plain.is_grouped => return None,
        Some(b'E' | b'e') => (read_exponent(rest)?, Suffix::None),
        _ => (0, Suffix::read(rest)?),
    };
    let size = plain.value(exponent, decimal)?;
    Some((if negative { -size } else { size }, suffix))
}

/// Whether Oracle's formatter found no room for the number.
pub fn is_overflow(words: &[u8]) -> bool {
    words.len() >= 2 && words.iter().all(|byte| *byte == b'#')
}

/// Whether a word is a value as reports print them, be its decimals written with points or commas, or the signs of an overflow.
pub fn is_value(word: &str) -> bool {
    let word = word.as_bytes();
    let reads = |decimal| parse(word, decimal).is_some();
    reads(Decimal::Point) || reads(Decimal::Comma) || is_overflow(word)
}

/// `E+04`: the sign is always printed, and without it an SQL identifier could pass for a number.
fn read_exponent(words: &[u8]) -> Option<i32> {
    let negative = match words.get(1)? {
        b'+' => false,
        b'-' => true,
        _ => return None,
    };
    let digits = words.get(2..).filter(|digits| (1..=3).contains(&digits.len()))?;
    let size: i32 = str::from_utf8(digits).ok()?.parse().ok()?;
    Some(if negative { -size } else { size })
}

/// Digits with their signs, as far as they go.
struct Plain<'a> {
    digits: &'a [u8],
    len: usize,
    mantissa: Option<u64>,
    fraction_digits: i32,
    is_grouped: bool,
}

impl<'a> Plain<'a> {
    fn read(words: &'a [u8], decimal: Decimal) -> Option<Self> {
        let (point, group) = decimal.signs();
        let mut mantissa = 0_u64;
        let (mut count, mut fraction_digits, mut since_group) = (0, 0, 0);
        let (mut grouped, mut in_fraction) = (false, false);
        let mut len = 0;
        for &byte in words {
            if byte.is_ascii_digit() {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                count += 1;
                since_group += 1;
                fraction_digits += i32::from(in_fraction);
            } else if byte == group && !in_fraction {
                let fits = if grouped { since_group == 3 } else { (1..=3).contains(&since_group) };
                if !fits {
                    return None;
                }
                (grouped, since_group) = (true, 0);
            } else if byte == point && !in_fraction {
                if grouped && since_group != 3 {
                    return None;
                }
                in_fraction = true;
            } else {
                break;
            }
            len += 1;
        }
        let whole_ends_well = in_fraction || !grouped || since_group == 3;
        let mantissa = (count <= DIGITS_MAX).then_some(mantissa);
        (count > 0 && whole_ends_well).then_some(Self {
            digits: &words[..len],
            len,
            mantissa,
            fraction_digits,
            is_grouped: grouped,
        })
    }

    fn value(&self, exponent: i32, decimal: Decimal) -> Option<f64> {
        let scale = exponent - self.fraction_digits;
        let power = POWERS.get(scale.unsigned_abs() as usize);
        if let (Some(mantissa), Some(power)) = (self.mantissa.filter(|sum| *sum <= EXACT_MAX), power) {
            let size = mantissa as f64;
            return Some(if scale < 0 { size / power } else { size * power });
        }
        self.long_value(exponent, decimal)
    }

    /// More digits than fit: 38 decimals are printed at times.
    fn long_value(&self, exponent: i32, decimal: Decimal) -> Option<f64> {
        let (point, group) = decimal.signs();
        let kept = self.digits.iter().filter(|byte| **byte != group);
        let mut words: String =
            kept.map(|byte| if *byte == point { '.' } else { char::from(*byte) }).collect();
        words.push_str(&format!("e{exponent}"));
        words.parse().ok().filter(|size: &f64| size.is_finite())
    }
}

/// How the report writes decimals, from all its words that look like a number with a fraction.
pub fn find_decimal(text: &str) -> Decimal {
    let (points, commas) = count_signs(text.as_bytes());
    if commas >= 8 && commas > points * 4 { Decimal::Comma } else { Decimal::Point }
}

/// How many numbers end in a point, and in a comma, with one, two or any but three digits.
fn count_signs(bytes: &[u8]) -> (usize, usize) {
    let (mut points, mut commas) = (0, 0);
    for at in memchr::memchr2_iter(b'.', b',', &bytes[..bytes.len().min(DECIMAL_SAMPLE_BYTES)]) {
        if !stands_in_number(bytes, at) {
            continue;
        }
        if bytes[at] == b'.' {
            points += 1
        } else {
            commas += 1
        }
        if points + commas == SIGNS_ENOUGH {
            break;
        }
    }
    (points, commas)
}

/// Enough of the report to know, and enough numbers with a fraction.
const DECIMAL_SAMPLE_BYTES: usize = 100_000;
const SIGNS_ENOUGH: usize = 200;

/// No number that tells how decimals are written is longer.
const NUMBER_BYTES_MAX: usize = 40;

/// Whether the sign is the last of a number that stands alone and is followed by one or two digits: no thousands.
fn stands_in_number(bytes: &[u8], at: usize) -> bool {
    let digits = bytes[at + 1..].iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
    let before = bytes[..at]
        .iter()
        .rev()
        .take(NUMBER_BYTES_MAX)
        .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
        .count();
    let edge =
        |byte: Option<&u8>| byte.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'>'));
    let several = bytes[at - before..at].iter().filter(|byte| **byte == bytes[at]).count() > 0;
    (1..=2).contains(&digits)
        && !several
        && edge(bytes.get(at + 1 + digits))
        && edge(at.checked_sub(before + 1).map(|at| &bytes[at]))
}

#[cfg(test)]
mod tests {
    use super::{Decimal, Suffix, parse};

    #[test]
    fn an_exponent_behind_groups_is_printed_by_no_oracle() {
        for (words, decimal) in [
            ("1,440E+03", Decimal::Point),
            ("-1,440.5E+03", Decimal::Point),
            ("1.440E+03", Decimal::Comma),
            ("1.440,5E-03", Decimal::Comma),
        ] {
            assert_eq!(parse(words.as_bytes(), decimal), None, "{words}");
        }
        let number = |words: &str, decimal| parse(words.as_bytes(), decimal);
        assert_eq!(number("7.1E+04", Decimal::Point), Some((71_000.0, Suffix::None)));
        assert_eq!(number("7,1E+04", Decimal::Comma), Some((71_000.0, Suffix::None)));
        assert_eq!(number("1.E+02", Decimal::Point), Some((100.0, Suffix::None)));
        assert_eq!(number("1,440", Decimal::Point), Some((1_440.0, Suffix::None)));
    }

    #[test]
    fn a_cell_of_such_words_is_named() {
        let report = crate::read(
            b"<h1>WORKLOAD REPOSITORY report for</h1><h3>Instance Activity Stats</h3><table>\
              <tr><th>Statistic</th><th>Total</th><th>per Second</th><th>per Trans</th></tr>\
              <tr><td>redo size</td><td>1,440E+03</td><td>5.0</td><td>1.0</td></tr>\
              <tr><td>user calls</td><td>1,440</td><td>5.0</td><td>1.0</td></tr></table>"
                .to_vec(),
        );
        let named = |problem: &crate::model::Problem| problem.message.contains("1,440E+03");
        assert!(report.tables.problems.iter().any(named), "{:?}", report.tables.problems);
    }
}
