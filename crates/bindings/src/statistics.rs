//! Statistics for measurements.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A fit's coefficients, its unscaled covariance, and what it did not explain.
type Fit = (Vec<f64>, Vec<Vec<f64>>, f64);

/// Puts the functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(student_quantile, module)?)?;
    module.add_function(wrap_pyfunction!(normal_cdf, module)?)?;
    module.add_function(wrap_pyfunction!(theil_sen_slope, module)?)?;
    module.add_function(wrap_pyfunction!(mann_kendall_z, module)?)?;
    module.add_function(wrap_pyfunction!(cheapest_cuts, module)?)?;
    module.add_function(wrap_pyfunction!(number_columns, module)?)?;
    module.add_function(wrap_pyfunction!(word_columns, module)?)?;
    module.add_function(wrap_pyfunction!(least_squares, module)?)
}

/// The value below which a share of Student's t lies; NaN where an argument is out of range.
#[pyfunction]
fn student_quantile(share: f64, freedom: f64) -> f64 {
    plimsoll_statistics::student_quantile(share, freedom)
}

/// The share of the standard normal distribution below `z`.
#[pyfunction]
fn normal_cdf(z: f64) -> f64 {
    plimsoll_statistics::normal_cdf(z)
}

/// The median of the slopes between any two points; None where no two differ in x.
#[pyfunction]
fn theil_sen_slope(points: Vec<(f64, f64)>) -> Option<f64> {
    plimsoll_statistics::theil_sen_slope(&points)
}

/// The standard score of Mann and Kendall's rank test.
#[pyfunction]
fn mann_kendall_z(values: Vec<f64>) -> f64 {
    plimsoll_statistics::mann_kendall_z(&values)
}

/// Weighted least squares; None where the rows cannot tell the terms apart.
#[pyfunction]
fn least_squares(rows: Vec<Vec<f64>>, values: Vec<f64>, weights: Vec<f64>) -> Option<Fit> {
    plimsoll_statistics::least_squares(&rows, &values, &weights)
        .map(|fit| (fit.coefficients, fit.covariance_unscaled, fit.residual))
}

/// Where new level parts begin.
#[pyfunction]
fn cheapest_cuts(py: Python<'_>, values: Vec<f64>, price: f64, shortest: usize) -> Vec<usize> {
    py.detach(|| plimsoll_statistics::cheapest_cuts(&values, price, shortest))
}

/// Columns of lines as doubles of this machine, one after the other; NaN where nothing is known.
#[pyfunction]
fn number_columns<'py>(
    py: Python<'py>,
    text: &str,
    places: Vec<usize>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let found = plimsoll_statistics::number_columns(text, &places).ok_or_else(unlike)?;
    Ok(found.into_iter().map(|column| doubles(py, &column)).collect())
}

fn doubles<'py>(py: Python<'py>, column: &[f64]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = column.iter().flat_map(|number| number.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}

/// The same as they are written.
#[pyfunction]
fn word_columns(text: &str, places: Vec<usize>) -> PyResult<Vec<Vec<&str>>> {
    plimsoll_statistics::word_columns(text, &places).ok_or_else(unlike)
}

fn unlike() -> PyErr {
    PyValueError::new_err("a line has other columns than were told")
}
