//! Weighted linear least squares by singular values: exact where the terms are nearly alike, refused where they are alike.

use nalgebra::{DMatrix, DVector};

/// Terms whose singular value is this small a share of the largest cannot be told apart in double precision.
const ALIKE: f64 = 1e-12;

/// What a fit found.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastSquares {
    /// One for each term.
    pub coefficients: Vec<f64>,
    /// The inverse of the normal matrix; times the variance of a point of weight 1 it is the coefficients' covariance.
    pub covariance_unscaled: Vec<Vec<f64>>,
    /// The weighted sum of squares that was not explained.
    pub residual: f64,
}

/// Fits `values` by the terms in each of the `rows`. None where there is nothing to fit, where a row or a weight is missing, or
/// where the rows cannot tell the terms apart.
#[must_use]
pub fn least_squares(rows: &[Vec<f64>], values: &[f64], weights: &[f64]) -> Option<LeastSquares> {
    let terms = rows.first()?.len();
    let whole = rows.iter().all(|row| row.len() == terms)
        && values.len() == rows.len()
        && weights.len() == rows.len();
    if !whole || terms == 0 || rows.len() < terms {
        return None;
    }
    let design = DMatrix::from_fn(rows.len(), terms, |i, j| rows[i][j] * weights[i].sqrt());
    let right = DVector::from_fn(rows.len(), |i, _| values[i] * weights[i].sqrt());
    let scales: Vec<f64> = design.column_iter().map(|column| column.norm()).collect();
    if scales.iter().chain([&right.norm()]).any(|scale| !scale.is_finite()) || scales.contains(&0.0) {
        return None;
    }
    let scaled = DMatrix::from_fn(rows.len(), terms, |i, j| design[(i, j)] / scales[j]);
    let svd = scaled.clone().svd(true, true);
    if svd.rank(ALIKE * svd.singular_values.max()) < terms {
        return None;
    }
    let solved = svd.solve(&right, 0.0).ok()?;
    let directions = svd.v_t.as_ref()?;
    let inverse = |i: usize, j: usize| {
        let along = |k: usize| directions[(k, i)] * directions[(k, j)] / svd.singular_values[k].powi(2);
        (0..terms).map(along).sum::<f64>() / (scales[i] * scales[j])
    };
    Some(LeastSquares {
        coefficients: (0..terms).map(|term| solved[term] / scales[term]).collect(),
        covariance_unscaled: (0..terms).map(|i| (0..terms).map(|j| inverse(i, j)).collect()).collect(),
        residual: (&scaled * &solved - right).norm_squared(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// NIST's certified regression data set Norris needs more digits than are worth a table; this line is worked by hand:
    /// y = 1, 3, 2 at x = 0, 1, 2 gives 1.5 + 0.5 x, a residual of 1.5 and an inverse of (5/6, -1/2; -1/2, 1/2).
    #[test]
    fn a_line_worked_by_hand() {
        let rows = [vec![1.0, 0.0], vec![1.0, 1.0], vec![1.0, 2.0]];
        let fit = least_squares(&rows, &[1.0, 3.0, 2.0], &[1.0; 3]).unwrap();
        let expected = [[5.0 / 6.0, -0.5], [-0.5, 0.5]];
        assert!((fit.coefficients[0] - 1.5).abs() < 1e-12 && (fit.coefficients[1] - 0.5).abs() < 1e-12);
        assert!((fit.residual - 1.5).abs() < 1e-12);
        for (i, row) in expected.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                assert!((fit.covariance_unscaled[i][j] - value).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn terms_that_cannot_be_told_apart_are_refused() {
        let alike = [vec![1.0, 2.0], vec![2.0, 4.0], vec![3.0, 6.0]];
        assert_eq!(least_squares(&alike, &[1.0, 2.0, 3.0], &[1.0; 3]), None);
        assert_eq!(least_squares(&[], &[], &[]), None);
        assert_eq!(least_squares(&[vec![1.0]], &[], &[1.0]), None);
        assert_eq!(least_squares(&[vec![0.0], vec![0.0]], &[1.0, 2.0], &[1.0; 2]), None);
        assert_eq!(least_squares(&[vec![f64::NAN], vec![1.0]], &[1.0, 2.0], &[1.0; 2]), None);
    }

    proptest! {
        #[test]
        fn what_lies_on_a_curve_is_found(
            a in 0.1..10.0_f64, b in 0.0..1.0_f64, c in 0.0..0.01_f64,
            weights in prop::collection::vec(0.1..10.0_f64, 8),
        ) {
            let rows: Vec<Vec<f64>> = (0..8).map(|x| f64::from(1 << x)).map(|n| vec![1.0, n - 1.0, n * (n - 1.0)]).collect();
            let values: Vec<f64> = rows.iter().map(|row| a * row[0] + b * row[1] + c * row[2]).collect();
            let fit = least_squares(&rows, &values, &weights).unwrap();
            for (ours, true_one) in fit.coefficients.iter().zip([a, b, c]) {
                prop_assert!((ours - true_one).abs() < 1e-9 * a.max(1.0), "{ours} {true_one}");
            }
        }
    }
}
