//! Questions to distributions in HdrHistogram V2 bytes.

use plimsoll_engine::hdr;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::detached;

/// Puts the functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hdr_summary, module)?)?;
    module.add_function(wrap_pyfunction!(hdr_quantiles, module)?)?;
    module.add_function(wrap_pyfunction!(hdr_merge, module)?)?;
    module.add_function(wrap_pyfunction!(hdr_of_counts, module)?)?;
    module.add_function(wrap_pyfunction!(hdr_share_above, module)?)?;
    module.add_function(wrap_pyfunction!(hdr_buckets, module)?)
}

/// Count, and least, greatest, mean and standard deviation in µs; None where nothing was recorded.
#[pyfunction]
fn hdr_summary<'py>(py: Python<'py>, v2: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let summary = detached(py, || hdr::summary(v2))?;
    let moments = summary.moments;
    let entry = PyDict::new(py);
    entry.set_item("count", summary.count)?;
    entry.set_item("min_us", moments.map(|moments| moments.min_us))?;
    entry.set_item("max_us", moments.map(|moments| moments.max_us))?;
    entry.set_item("mean_us", moments.map(|moments| moments.mean_us))?;
    entry.set_item("stddev_us", moments.map(|moments| moments.stddev_us))?;
    Ok(entry)
}

/// The values in µs below which the given shares (0 to 1) lie.
#[pyfunction]
fn hdr_quantiles(py: Python<'_>, v2: &[u8], quantiles: Vec<f64>) -> PyResult<Vec<f64>> {
    detached(py, || hdr::quantiles(v2, &quantiles))
}

/// One distribution of all parts.
#[pyfunction]
fn hdr_merge(py: Python<'_>, parts: Vec<PyBackedBytes>) -> PyResult<Bound<'_, PyBytes>> {
    let merged = detached(py, || hdr::merge(&parts))?;
    Ok(PyBytes::new(py, &merged))
}

/// The distribution of values in µs, each with how often it was seen.
#[pyfunction]
fn hdr_of_counts(py: Python<'_>, counts: Vec<(f64, u64)>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &py.detach(|| hdr::of_counts(&counts)))
}

/// The share of values above `us`, 0 to 1.
#[pyfunction]
fn hdr_share_above(py: Python<'_>, v2: &[u8], us: f64) -> PyResult<f64> {
    detached(py, || hdr::share_above(v2, us))
}

/// Bars on a logarithmic axis: lower µs, upper µs, count.
#[pyfunction]
fn hdr_buckets(py: Python<'_>, v2: &[u8], per_decade: u32) -> PyResult<Vec<(f64, f64, u64)>> {
    detached(py, || hdr::buckets(v2, per_decade))
}
