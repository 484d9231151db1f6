//! Quantiles of the distributions that intervals are made of.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The value below which `share` (0 to 1) of Student's t lies. `freedom` may be a fraction; NaN where one of them is out of range.
#[must_use]
pub fn student_quantile(share: f64, freedom: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) if share > 0.0 && share < 1.0 => student.inverse_cdf(share),
        _ => f64::NAN,
    }
}

/// The share of the standard normal distribution that lies below `z`.
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2, column 0.975.
    const PUBLISHED: [(f64, f64); 8] = [
        (1.0, 12.706),
        (2.0, 4.303),
        (3.0, 3.182),
        (5.0, 2.571),
        (10.0, 2.228),
        (16.0, 2.120),
        (30.0, 2.042),
        (100.0, 1.984),
    ];

    #[test]
    fn quantiles_are_the_published_ones() {
        for (freedom, published) in PUBLISHED {
            let ours = student_quantile(0.975, freedom);
            assert!((ours - published).abs() < 5.1e-4, "{freedom}: {ours} and not {published}");
        }
    }

    #[test]
    fn the_normal_distribution_is_its_limit() {
        assert!((normal_cdf(1.959_963_984_540_054) - 0.975).abs() < 1e-9);
        // statrs finds this quantile to four digits.
        assert!((student_quantile(0.975, 1e6) - 1.959_966).abs() < 2e-4);
    }

    #[test]
    fn what_is_out_of_range_is_no_number() {
        for (share, freedom) in
            [(0.0, 3.0), (1.0, 3.0), (f64::NAN, 3.0), (0.5, 0.0), (0.5, -1.0), (0.5, f64::NAN)]
        {
            assert!(student_quantile(share, freedom).is_nan(), "{share} {freedom}");
        }
    }

    proptest! {
        #[test]
        fn fractions_of_freedom_lie_between_their_neighbours(freedom in 1.0..60.0_f64) {
            let [low, here, high] = [freedom.ceil(), freedom, freedom.floor()].map(|nu| student_quantile(0.975, nu));
            prop_assert!(low <= here && here <= high, "{low} {here} {high}");
        }
    }
}
