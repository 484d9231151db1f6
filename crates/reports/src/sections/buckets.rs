//! Buckets of histograms: from `<16ms`, `>=1/2s`, `4 - 8 ms` and `32+ ms` to where they begin and end, in microseconds.
//!
//! Each bucket reaches twice as far as the one before, and names are rounded: the notes above the tables say that `ms` is 1024
//! microseconds where these are counted, that `s` is 1024 milliseconds, `m` 64 and `h` 4096 of such seconds.

/// Begin and end; None where a bucket is open.
pub type Bucket = (Option<f64>, Option<f64>);

/// The bounds of each bucket of one table, in the order of its columns; None for what is no bucket.
///
/// Narrow columns cut units off (`<512`, `>=32m`): a bucket then ends at twice where the one before it ends, or begins where that
/// one ends.
pub fn bounds(names: &[String]) -> Vec<Option<Bucket>> {
    let buckets = bounds_in(names, &OF_MILLISECONDS);
    let is_fine = buckets.iter().flatten().any(|(_, end)| end.is_some_and(|end| end < 1e3));
    if is_fine { bounds_in(names, &OF_MICROSECONDS) } else { buckets }
}

fn bounds_in(names: &[String], units: &Units) -> Vec<Option<Bucket>> {
    let mut buckets = Vec::with_capacity(names.len());
    let mut last_end = None;
    for (at, name) in names.iter().enumerate() {
        let bucket = read(name, last_end, units).or_else(|| read_before(name, names.get(at + 1)?, units));
        let bucket = bucket.map(|(begin, end)| (begin.or(Some(last_end.unwrap_or(0.0))), end));
        last_end = bucket.and_then(|(_, end)| end).or(last_end);
        buckets.push(bucket);
    }
    buckets
}

/// A bucket whose unit is cut off, from the one behind it.
fn read_before(name: &str, next: &str, units: &Units) -> Option<Bucket> {
    let (_, end) = read(next, None, units)?;
    read(name, Some(end? / 4.0), units)
}

fn read(name: &str, last_end: Option<f64>, units: &Units) -> Option<Bucket> {
    let words: String = name.chars().filter(|sign| !sign.is_whitespace()).collect();
    if let Some(words) = words.strip_prefix("<=").or_else(|| words.strip_prefix('<')) {
        return Some((None, Some(time(words, last_end.map(|end| end * 2.0), units)?)));
    }
    if let Some(words) = words.strip_prefix(">=").or_else(|| words.strip_prefix('>')) {
        return Some((Some(time(words, last_end, units)?), None));
    }
    let digits = words.trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
    let unit = unit_us(&words[digits.len()..], units)?;
    if let Some(begin) = digits.strip_suffix('+') {
        return Some((Some(number(begin)? * unit), None));
    }
    let (begin, end) = digits.split_once('-')?;
    Some((Some(number(begin)? * unit), Some(number(end)? * unit)))
}

/// A time in microseconds; where its unit may be cut off, the unit that comes to what is expected.
fn time(words: &str, expected: Option<f64>, units: &Units) -> Option<f64> {
    let digits = words.trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
    let (number, unit) = (number(digits)?, &words[digits.len()..]);
    let likely = units.iter().filter(|(name, _)| name.starts_with(unit)).map(|(_, us)| number * us);
    let expected = expected.and_then(|expected| likely.clone().find(|time| is_near(*time, expected)));
    expected.or_else(|| unit_us(unit, units).map(|us| number * us))
}

/// 1024 of a unit pass for 1000, as long as nobody knows which of them it is.
fn is_near(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < 0.05
}

/// What reports call units, and the microseconds of each.
type Units = [(&'static str, f64); 5];

/// Of tables that count from one microsecond on.
const OF_MICROSECONDS: Units =
    [("us", 1.0), ("ms", 1024.0), ("s", 1_048_576.0), ("m", 67_108_864.0), ("h", 4_294_967_296.0)];
/// Of tables that count from one millisecond on.
const OF_MILLISECONDS: Units =
    [("us", 1.0), ("ms", 1e3), ("s", 1_024e3), ("m", 65_536e3), ("h", 4_194_304e3)];

fn unit_us(unit: &str, units: &Units) -> Option<f64> {
    let mut begun = units.iter().filter(|(name, _)| name.starts_with(unit));
    let exact = units.iter().find(|(name, _)| *name == unit);
    let alone = begun.next().filter(|_| begun.next().is_none());
    exact.or(alone).map(|(_, us)| *us)
}

/// `512` or `1/8`.
fn number(words: &str) -> Option<f64> {
    match words.split_once('/') {
        Some((above, below)) => Some(above.parse::<f64>().ok()? / below.parse::<f64>().ok()?),
        None => words.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Bucket, bounds};

    fn of(names: &[&str]) -> Vec<Option<Bucket>> {
        bounds(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn each_bucket_begins_where_the_one_before_it_ends() {
        let buckets = of(&["<1ms", "<2ms", "<=1s", ">1s"]);
        let expected = [
            (Some(0.0), Some(1e3)),
            (Some(1e3), Some(2e3)),
            (Some(2e3), Some(1_024e3)),
            (Some(1_024e3), None),
        ];
        assert_eq!(buckets, expected.map(Some));
        assert_eq!(of(&["0 - 4 ms", "32+ ms"]), [Some((Some(0.0), Some(4e3))), Some((Some(32e3), None))]);
        assert_eq!(
            of(&["<1/4s", "< 1m"]),
            [Some((Some(0.0), Some(256e3))), Some((Some(256e3), Some(65_536e3)))]
        );
    }

    #[test]
    fn a_unit_that_is_cut_off_follows_from_the_bucket_beside_it() {
        let ends = |names: &[&str]| of(names).into_iter().map(|one| one.unwrap().1).collect::<Vec<_>>();
        assert_eq!(ends(&["<128u", "<256u", "<512"]), [Some(128.0), Some(256.0), Some(512.0)]);
        assert_eq!(ends(&["<512", "<1ms", "<2m"]), [Some(512.0), Some(1024.0), Some(2048.0)]);
        assert_eq!(of(&["<512u", ">=512"])[1], Some((Some(512.0), None)));
        assert_eq!(of(&["<32ms", ">=32m"])[1], Some((Some(32e3), None)));
        assert_eq!(of(&["<1m", "<2m", ">=2m"])[2], Some((Some(131_072e3), None)));
    }

    #[test]
    fn a_millisecond_is_1024_microseconds_where_these_are_counted() {
        let ends = |names: &[&str]| of(names).into_iter().map(|one| one.unwrap().1).collect::<Vec<_>>();
        assert_eq!(ends(&["<512us", "<1ms", "<32ms"]), [Some(512.0), Some(1024.0), Some(32_768.0)]);
        assert_eq!(ends(&["<1us", "<1s"]), [Some(1.0), Some(1_048_576.0)]);
        assert_eq!(ends(&["<32ms", "<1/8s", "<1s", "<2m"]), [32e3, 128e3, 1_024e3, 131_072e3].map(Some));
        assert_eq!(ends(&["<2m", "<1/4h", "<1h"]), [131_072e3, 1_048_576e3, 4_194_304e3].map(Some));
    }

    #[test]
    fn other_words_are_no_bucket() {
        assert_eq!(of(&["Waits", "DB time", "8x"]), [None, None, None]);
    }
}
