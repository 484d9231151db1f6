//! Distributions as HdrHistogram V2 bytes: what is asked of them once a run is over.
//!
//! Values are recorded in nanoseconds and given out in microseconds.

use std::collections::BTreeMap;
use std::io::Cursor;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};

use crate::error::{CoreError, Result};
use crate::limits::{LATENCY_DIGITS, LATENCY_NS_MAX};

const NS_PER_US: f64 = 1_000.0;

/// Count and moments of one distribution; all but the count are unknown where nothing was recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Recorded values.
    pub count: u64,
    /// Least, greatest, mean and standard deviation, in microseconds.
    pub moments: Option<Moments>,
}

/// What a distribution's values come to, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Least value.
    pub min_us: f64,
    /// Greatest value.
    pub max_us: f64,
    /// Arithmetic mean.
    pub mean_us: f64,
    /// Standard deviation.
    pub stddev_us: f64,
}

/// One bar of a histogram.
pub type Bucket = (f64, f64, u64);

/// An empty histogram of the width that all of them have.
pub fn empty() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LATENCY_NS_MAX, LATENCY_DIGITS).expect("the bounds are legal constants")
}

/// The V2 bytes of a histogram.
pub fn encode(histogram: &Histogram<u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    V2Serializer::new().serialize(histogram, &mut bytes).expect("writing to memory cannot fail");
    bytes
}

/// The histogram of V2 bytes; fails with `histogram-invalid`.
pub fn decode(bytes: &[u8]) -> Result<Histogram<u64>> {
    Deserializer::new().deserialize(&mut Cursor::new(bytes)).map_err(|error| {
        let message = format!("{} bytes are no histogram: {error:?}", bytes.len()).to_lowercase();
        CoreError::new("histogram-invalid", message).hint("Give bytes in the HdrHistogram V2 encoding.")
    })
}

/// The distribution of values that were counted elsewhere, in V2 bytes: microseconds, each with how often it was seen.
///
/// A value beyond what a histogram holds counts as the greatest that it does; one below a nanosecond as a nanosecond.
pub fn of_counts(counts: &[(f64, u64)]) -> Vec<u8> {
    let mut histogram = empty();
    for &(value_us, count) in counts {
        let value_ns = (value_us * NS_PER_US).max(1.0) as u64;
        histogram.saturating_record_n(value_ns, count);
    }
    encode(&histogram)
}

/// Count and moments.
pub fn summary(bytes: &[u8]) -> Result<Summary> {
    let histogram = decode(bytes)?;
    let moments = (!histogram.is_empty()).then(|| Moments {
        min_us: us(histogram.min()),
        max_us: us(histogram.max()),
        mean_us: histogram.mean() / NS_PER_US,
        stddev_us: histogram.stdev() / NS_PER_US,
    });
    Ok(Summary { count: histogram.len(), moments })
}

/// The values below which the given shares (0 to 1) lie, in microseconds; fails on an empty distribution.
pub fn quantiles(bytes: &[u8], quantiles: &[f64]) -> Result<Vec<f64>> {
    let histogram = decode(bytes)?;
    if histogram.is_empty() && !quantiles.is_empty() {
        return Err(CoreError::new("histogram-empty", "nothing was recorded, so there are no quantiles")
            .hint("Ask for the count first."));
    }
    if let Some(wrong) = quantiles.iter().find(|quantile| !(0.0..=1.0).contains(*quantile)) {
        return Err(CoreError::new("quantile-invalid", format!("quantile {wrong} is outside 0 to 1")));
    }
    Ok(quantiles.iter().map(|&quantile| us(histogram.value_at_quantile(quantile))).collect())
}

/// One distribution of all the parts' values.
pub fn merge<B: AsRef<[u8]>>(parts: &[B]) -> Result<Vec<u8>> {
    let mut sum = empty();
    for part in parts {
        sum.add(decode(part.as_ref())?).map_err(|error| {
            CoreError::new(
                "histogram-invalid",
                format!("histograms cannot be merged: {error}").to_lowercase(),
            )
        })?;
    }
    Ok(encode(&sum))
}

/// The share of values above `limit_us`, 0 to 1; fails on an empty distribution.
pub fn share_above(bytes: &[u8], limit_us: f64) -> Result<f64> {
    let histogram = decode(bytes)?;
    if histogram.is_empty() {
        return Err(CoreError::new("histogram-empty", "nothing was recorded, so no share can be given")
            .hint("Ask for the count first."));
    }
    let limit = (limit_us * NS_PER_US).clamp(0.0, LATENCY_NS_MAX as f64) as u64;
    let at_or_below = histogram.count_between(0, limit);
    Ok((histogram.len() - at_or_below) as f64 / histogram.len() as f64)
}

/// Bars of equal width on a logarithmic axis, `per_decade` of them in each factor of ten, from the first to the last
/// that holds a value.
pub fn buckets(bytes: &[u8], per_decade: u32) -> Result<Vec<Bucket>> {
    if !(1..=1000).contains(&per_decade) {
        return Err(CoreError::new(
            "buckets-invalid",
            format!("{per_decade} per decade is outside 1 to 1000"),
        ));
    }
    let histogram = decode(bytes)?;
    let step = f64::from(per_decade);
    let index = |ns: u64| ((ns.max(1) as f64).log10() * step).floor() as i64;
    let lower_us = |index: i64| 10f64.powf(index as f64 / step) / NS_PER_US;
    let mut counts = BTreeMap::new();
    for value in histogram.iter_recorded() {
        *counts.entry(index(value.value_iterated_to())).or_default() += value.count_at_value();
    }
    let (Some(first), Some(last)) = (counts.keys().min(), counts.keys().max()) else { return Ok(Vec::new()) };
    let bucket = |at| (lower_us(at), lower_us(at + 1), counts.get(&at).copied().unwrap_or(0));
    Ok((*first..=*last).map(bucket).collect())
}

fn us(ns: u64) -> f64 {
    ns as f64 / NS_PER_US
}
