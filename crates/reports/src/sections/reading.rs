//! What a cell says as a column of a view wants it: words, or a number in the view's unit.

use super::view::Value;
use crate::model::{Cell, Status, Text};
use crate::value::{self, Decimal, Suffix};

/// A label without the colon that it ends in.
pub fn label(words: &str) -> &str {
    words.strip_suffix(':').unwrap_or(words)
}

/// The words of a cell as a column wants them; None where there are none.
pub fn said<'a>(cell: &Cell, text: &'a Text, value: Value) -> Option<&'a str> {
    let words = label(text.get(cell.span));
    let said = if value == Value::Words && cell.status == Status::Typed { "" } else { words };
    Some(said).filter(|words| !words.is_empty())
}

/// The number of a cell in the view's unit; None where none is printed.
///
/// # Errors
///
/// Where words are printed that are no number, and not `N/A`.
pub fn read(
    cell: &Cell,
    text: &Text,
    (value, decimal): (Value, Decimal),
    bare: f64,
) -> Result<Option<f64>, ()> {
    match cell.status {
        Status::Typed => convert(cell, value, bare)
            .map_or(Ok(None), |number| if number.is_nan() { Err(()) } else { Ok(Some(number)) }),
        Status::Blank | Status::Overflow => Ok(None),
        Status::Text | Status::Failed if is_nothing(text.get(cell.span)) => Ok(None),
        Status::Text | Status::Failed => match value {
            Value::Part(at) => part(text.get(cell.span), at, decimal),
            Value::Number | Value::Count => counted(text.get(cell.span), value == Value::Count, decimal),
            _ => Err(()),
        },
    }
}

/// A number with a count in parentheses behind it, or that count.
fn counted(words: &str, count: bool, decimal: Decimal) -> Result<Option<f64>, ()> {
    let (number, inside) = words.strip_suffix(')').and_then(|words| words.split_once('(')).ok_or(())?;
    let word = if count { inside } else { number };
    let (number, suffix) = value::parse(word.as_bytes(), decimal).ok_or(())?;
    Ok(Some(number * suffix.factor(1e3)))
}

/// One of several numbers with slashes between.
fn part(words: &str, at: usize, decimal: Decimal) -> Result<Option<f64>, ()> {
    let Some(word) = words.split('/').nth(at).map(str::trim) else { return Ok(None) };
    match value::parse(word.as_bytes(), decimal) {
        Some((number, suffix)) => Ok(Some(number * suffix.factor(1e3))),
        None if word.is_empty() || is_nothing(word) || value::is_overflow(word.as_bytes()) => Ok(None),
        None => Err(()),
    }
}

/// Whether a whole number has lost its suffix, or is none: `118.6` of `118.6K`, and `30.0` as well.
pub fn is_cut(cell: &Cell, text: &Text, decimal: Decimal) -> bool {
    let plain = cell.status == Status::Typed && cell.suffix == Suffix::None;
    let words = text.get(cell.span);
    plain && words.contains(decimal.point()) && !words.contains(['E', 'e'])
}

/// `N/A`, or a unit without a number.
fn is_nothing(words: &str) -> bool {
    matches!(words, "*" | "-" | "K" | "M" | "G")
        || ["n/a", "null"].iter().any(|nothing| words.eq_ignore_ascii_case(nothing))
}

fn convert(cell: &Cell, value: Value, bare: f64) -> Option<f64> {
    let suffix = cell.suffix;
    let factor = match value {
        Value::Bytes if suffix == Suffix::None => bare,
        Value::Bytes => suffix.factor(1024.0),
        Value::Time(per_second) if suffix.is_time() => suffix.factor(1e3) * per_second,
        Value::Number | Value::Whole | Value::Part(_) | Value::Time(_) => suffix.factor(1e3) * bare,
        _ => return None,
    };
    Some(times(cell.number, factor))
}

/// The product as decimals have it: 0.57 ms are 570 us, and not 569.9999999999999.
fn times(number: f64, factor: f64) -> f64 {
    if factor == 1.0 {
        return number;
    }
    let product = number * factor;
    let decimal = (product * DECIMALS).round() / DECIMALS;
    let is_same = (decimal - product).abs() <= product.abs() * 2.0 * f64::EPSILON;
    if is_same { decimal } else { product }
}

/// So many decimals tell a rounding error from a number that was printed.
const DECIMALS: f64 = 1e6;

#[cfg(test)]
mod tests {
    use super::{counted, times};
    use crate::value::Decimal::Point;

    #[test]
    fn products_are_what_decimals_say() {
        assert_eq!(times(0.57, 1e3), 570.0);
        assert_eq!(times(327.59, 1e-6 * 1e6), 327.59);
        assert_eq!(times(1.0 / 3.0, 3.0), 1.0);
    }

    #[test]
    fn a_count_stands_behind_its_number() {
        assert_eq!(counted("0.0(36)", false, Point), Ok(Some(0.0)));
        assert_eq!(counted("0.0(36)", true, Point), Ok(Some(36.0)));
        assert_eq!(counted("eth2:1", false, Point), Err(()));
    }
}
