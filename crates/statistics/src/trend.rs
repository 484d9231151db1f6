//! Slopes and trends by ranks and medians, which a few stalls of a shared machine do not move.

/// Points closer than this in x have no slope between them.
const APART_MIN: f64 = 1e-6;

/// The median of the slopes between any two points (Theil 1950, Sen 1968); None where no two of them differ in x.
#[must_use]
pub fn theil_sen_slope(points: &[(f64, f64)]) -> Option<f64> {
    let mut slopes: Vec<f64> = pairs(points)
        .filter(|(one, other)| (other.0 - one.0).abs() > APART_MIN)
        .map(|(one, other)| (other.1 - one.1) / (other.0 - one.0))
        .collect();
    median(&mut slopes)
}

/// The standard score of Mann and Kendall's rank test (Mann 1945, Kendall 1975): positive for a rising series, 0 for fewer than
/// two values. It is not corrected for ties, which latencies hardly have.
#[must_use]
pub fn mann_kendall_z(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let score: f64 = pairs(values).map(|(before, after)| sign(after - before)).sum();
    let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    if variance > 0.0 { (score - sign(score)) / variance.sqrt() } else { 0.0 }
}

fn pairs<T>(values: &[T]) -> impl Iterator<Item = (&T, &T)> {
    values.iter().enumerate().flat_map(|(at, one)| values[at + 1..].iter().map(move |other| (one, other)))
}

fn sign(number: f64) -> f64 {
    f64::from(u8::from(number > 0.0)) - f64::from(u8::from(number < 0.0))
}

fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let (below, &mut high, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let low = below.iter().copied().max_by(f64::total_cmp);
    Some(if values.len() % 2 == 1 { high } else { (low.unwrap_or(high) + high) / 2.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_stall_does_not_move_the_slope() {
        let mut points: Vec<(f64, f64)> = (0..9).map(|x| (f64::from(x), 2.0 * f64::from(x) + 1.0)).collect();
        points[4].1 = 500.0;
        assert_eq!(theil_sen_slope(&points), Some(2.0));
    }

    #[test]
    fn points_at_one_place_have_no_slope() {
        assert_eq!(theil_sen_slope(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(theil_sen_slope(&[]), None);
    }

    #[test]
    fn medians_of_even_numbers_lie_between_the_middle_two() {
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    /// R. O. Gilbert, Statistical Methods for Environmental Pollution Monitoring (1987), table 18: n = 10, S = 45 has
    /// a variance of 125.
    #[test]
    fn a_series_that_only_rises_has_the_published_score() {
        let rising: Vec<f64> = (0..10).map(f64::from).collect();
        assert!((mann_kendall_z(&rising) - 44.0 / 125.0_f64.sqrt()).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn a_turned_series_has_the_opposite_score(mut values in prop::collection::vec(-1e9..1e9_f64, 0..40)) {
            let score = mann_kendall_z(&values);
            values.reverse();
            prop_assert_eq!(mann_kendall_z(&values), -score);
        }
    }
}
