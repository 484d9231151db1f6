//! Numbers as far as their print says them: `60.22` stands for anything from 60.215 to 60.225.
//!
//! No check has a tolerance of its own. It works on ranges, and only ranges that share no value contradict each other.

use std::fmt;

use crate::bounds::QUOTED_CHARACTERS_MAX;
use crate::model::{Cell, Status};
use crate::value::{Decimal, Suffix};

/// From the least value to the greatest that the printed words can stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The greatest.
    pub most: f64,
}

/// The first rounding of rates.
const HUNDREDTH: f64 = 0.01;

/// Sums and products of a few doubles differ in their last digits only, of sixteen.
const NOISE: f64 = 1e-12;

impl Range {
    /// One value, known exactly.
    pub fn exact(number: f64) -> Self {
        Self { least: number, most: number }
    }

    /// A value and how far off it can be.
    pub fn around(number: f64, off: f64) -> Self {
        Self { least: number - off, most: number + off }
    }

    /// The range of a printed number in the units of its suffix; None where no number is printed.
    pub fn of(cell: &Cell, words: &str, decimal: Decimal, kilo: f64) -> Option<Self> {
        let number = cell.scaled(kilo)?;
        Some(Self::around(number, half_digit(words, decimal) * cell.suffix.factor(kilo)))
    }

    /// The same of a rate. One that is printed with one decimal was rounded to two before, so that 0.045 is printed as 0.1.
    pub fn of_rate(cell: &Cell, words: &str, decimal: Decimal, kilo: f64) -> Option<Self> {
        let range = Self::of(cell, words, decimal, kilo)?;
        let twice = decimals(words, decimal) == 1 && cell.suffix == Suffix::None;
        Some(if twice { range.plus(Self::around(0.0, HUNDREDTH / 2.0)) } else { range })
    }

    /// Of the sum.
    pub fn plus(self, other: Self) -> Self {
        Self { least: self.least + other.least, most: self.most + other.most }
    }

    /// Of the difference.
    pub fn minus(self, other: Self) -> Self {
        Self { least: self.least - other.most, most: self.most - other.least }
    }

    /// Of the product.
    pub fn times(self, other: Self) -> Self {
        let ends = [
            self.least * other.least,
            self.least * other.most,
            self.most * other.least,
            self.most * other.most,
        ];
        let (least, most) = (ends.iter().copied().fold(f64::INFINITY, f64::min), ends.iter().copied());
        Self { least, most: most.fold(f64::NEG_INFINITY, f64::max) }
    }

    /// In other units.
    pub fn scaled(self, factor: f64) -> Self {
        self.times(Self::exact(factor))
    }

    /// Whether both can stand for one value.
    pub fn meets(self, other: Self) -> bool {
        self.is_at_most(other) && other.is_at_most(self)
    }

    /// Whether this can stand for a value that is no greater than one of the other's.
    pub fn is_at_most(self, other: Self) -> bool {
        let noise = NOISE * self.least.abs().max(other.most.abs());
        self.least <= other.most + noise
    }
}

/// Half of the last digit's place: `7.1E+04` is off by 500 at most, `18K` by half a K.
fn half_digit(words: &str, decimal: Decimal) -> f64 {
    let exponent = words.bytes().position(|byte| matches!(byte, b'E' | b'e'));
    let exponent = exponent.map_or(0, |at| words[at + 1..].parse().unwrap_or(0));
    0.5 * 10_f64.powi(exponent - decimals(words, decimal))
}

/// How many digits stand behind the point.
fn decimals(words: &str, decimal: Decimal) -> i32 {
    let point = decimal.point() as u8;
    let behind = words.bytes().skip_while(|byte| *byte != point).skip(1);
    behind.take_while(u8::is_ascii_digit).count() as i32
}

/// A printed number and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Figure<'a> {
    /// What it can stand for, in the unit that the check asked for.
    pub range: Range,
    /// Where.
    pub place: Place<'a>,
}

/// A printed number's words with section, row, column and line; as text it is for a person.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// As printed.
    pub words: &'a str,
    /// The title of its table.
    pub section: &'a str,
    /// What its row begins with.
    pub label: &'a str,
    /// What stands over its column.
    pub heading: &'a str,
    /// Its line.
    pub line: u32,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [self.section, self.label.trim_end_matches(':'), self.heading];
        let said: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).map(quoted).collect();
        write!(to, "'{}' ({}, line {})", quoted(self.words), said.join(" / "), self.line)
    }
}

/// As much of the words as is quoted.
fn quoted(words: &str) -> &str {
    let end = words.char_indices().nth(QUOTED_CHARACTERS_MAX).map_or(words.len(), |(at, _)| at);
    &words[..end]
}

/// The number is typed and below zero.
pub fn is_negative(cell: &Cell) -> bool {
    cell.status == Status::Typed && cell.number < 0.0
}

#[cfg(test)]
mod tests {
    use super::{Range, half_digit};
    use crate::model::{Cell, Span};
    use crate::value::Decimal;

    #[test]
    fn the_last_digit_says_how_far_off_a_number_can_be() {
        for (words, half) in [
            ("60.22", 0.005),
            ("1,439", 0.5),
            ("7.1E+04", 500.0),
            (".013140", 5e-7),
            ("18K", 0.5),
            ("1.5ms", 0.05),
        ] {
            assert!((half_digit(words, Decimal::Point) / half - 1.0).abs() < 1e-9, "{words}");
        }
        assert!((half_digit("1.439,5", Decimal::Comma) - 0.05).abs() < 1e-12);
    }

    #[test]
    fn rates_with_one_decimal_were_rounded_twice() {
        let rate = |words: &str| {
            let cell = Cell::read(words, Span::default(), 1, 0, Decimal::Point);
            Range::of_rate(&cell, words, Decimal::Point, 1e3)
        };
        assert!(rate("0.1").is_some_and(|rate| rate.meets(Range::exact(0.0457))));
        assert!(rate("0.10").is_some_and(|rate| !rate.meets(Range::exact(0.0947))));
    }

    #[test]
    fn only_ranges_without_a_common_value_contradict() {
        let rate = Range::around(2.0, 0.05);
        assert!(rate.times(Range::around(60.0, 0.5)).meets(Range::exact(116.1)));
        assert!(!rate.times(Range::around(60.0, 0.5)).meets(Range::exact(116.0)));
        assert!(Range::exact(0.1).plus(Range::exact(0.2)).meets(Range::exact(0.3)));
        assert!(Range::around(5.0, 0.5).is_at_most(Range::exact(4.5)));
        assert!(!Range::around(5.0, 0.4).is_at_most(Range::exact(4.5)));
        assert_eq!(Range::exact(3.0).minus(Range::around(1.0, 0.5)), Range::around(2.0, 0.5));
    }
}
