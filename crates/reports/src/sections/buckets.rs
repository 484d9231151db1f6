//! Buckets of histograms: from `<16ms`, `>=1/2s`, `4 - 8 ms` and `32+ ms` to where they begin and end, in microseconds.

/// Begin and end; None where a bucket is open.
pub type Bucket = (Option<f64>, Option<f64>);

/// The bounds of each bucket of one table, in the order of its columns; None for what is no bucket.
///
/// Narrow columns cut units off (`<512`, `>=32m`): a bucket then ends at twice where the one before it ends, or begins where that
/// one ends.
pub fn bounds(names: &[String]) -> Vec<Option<Bucket>> {
    let mut buckets = Vec::with_capacity(names.len());
    let mut last_end = None;
    for (at, name) in names.iter().enumerate() {
        let bucket = read(name, last_end).or_else(|| read_before(name, names.get(at + 1)?));
        let bucket = bucket.map(|(begin, end)| (begin.or(Some(last_end.unwrap_or(0.0))), end));
        last_end = bucket.and_then(|(_, end)| end).or(last_end);
        buckets.push(bucket);
    }
    buckets
}

/// A bucket whose unit is cut off, from the one behind it.
fn read_before(name: &str, next: &str) -> Option<Bucket> {
    let (_, end) = read(next, None)?;
    read(name, Some(end? / 4.0))
}

fn read(name: &str, last_end: Option<f64>) -> Option<Bucket> {
    let words: String = name.chars().filter(|sign| !sign.is_whitespace()).collect();
    if let Some(words) = words.strip_prefix("<=").or_else(|| words.strip_prefix('<')) {
        return Some((None, Some(time(words, last_end.map(|end| end * 2.0))?)));
    }
    if let Some(words) = words.strip_prefix(">=").or_else(|| words.strip_prefix('>')) {
        return Some((Some(time(words, last_end)?), None));
    }
    let digits = words.trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
    let unit = unit_us(&words[digits.len()..])?;
    if let Some(begin) = digits.strip_suffix('+') {
        return Some((Some(number(begin)? * unit), None));
    }
    let (begin, end) = digits.split_once('-')?;
    Some((Some(number(begin)? * unit), Some(number(end)? * unit)))
}

/// A time in microseconds; where its unit may be cut off, the unit that comes to what is expected.
fn time(words: &str, expected: Option<f64>) -> Option<f64> {
    let digits = words.trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
    let (number, unit) = (number(digits)?, &words[digits.len()..]);
    let likely = UNITS.iter().filter(|(name, _)| name.starts_with(unit)).map(|(_, us)| number * us);
    let expected = expected.and_then(|expected| likely.clone().find(|time| is_near(*time, expected)));
    expected.or_else(|| unit_us(unit).map(|us| number * us))
}

/// 1024 of a unit pass for 1000.
fn is_near(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < 0.05
}

const UNITS: [(&str, f64); 5] = [("us", 1.0), ("ms", 1e3), ("s", 1e6), ("m", 6e7), ("h", 3.6e9)];

fn unit_us(unit: &str) -> Option<f64> {
    let mut begun = UNITS.iter().filter(|(name, _)| name.starts_with(unit));
    let exact = UNITS.iter().find(|(name, _)| *name == unit);
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
        let expected =
            [(Some(0.0), Some(1e3)), (Some(1e3), Some(2e3)), (Some(2e3), Some(1e6)), (Some(1e6), None)];
        assert_eq!(buckets, expected.map(Some));
        assert_eq!(of(&["0 - 4 ms", "32+ ms"]), [Some((Some(0.0), Some(4e3))), Some((Some(32e3), None))]);
        assert_eq!(of(&["<1/4s", "< 1m"]), [Some((Some(0.0), Some(25e4))), Some((Some(25e4), Some(6e7)))]);
    }

    #[test]
    fn a_unit_that_is_cut_off_follows_from_the_bucket_beside_it() {
        let ends = |names: &[&str]| of(names).into_iter().map(|one| one.unwrap().1).collect::<Vec<_>>();
        assert_eq!(ends(&["<128u", "<256u", "<512"]), [Some(128.0), Some(256.0), Some(512.0)]);
        assert_eq!(ends(&["<512", "<1ms", "<2m"]), [Some(512.0), Some(1e3), Some(2e3)]);
        assert_eq!(of(&["<512u", ">=512"])[1], Some((Some(512.0), None)));
        assert_eq!(of(&["<32ms", ">=32m"])[1], Some((Some(32e3), None)));
        assert_eq!(of(&["<1m", "<2m", ">=2m"])[2], Some((Some(12e7), None)));
    }

    #[test]
    fn other_words_are_no_bucket() {
        assert_eq!(of(&["Waits", "DB time", "8x"]), [None, None, None]);
    }
}
