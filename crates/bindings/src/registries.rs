//! What there is to choose from: engines and patterns, as plain dictionaries.

use plimsoll_engine::{engines, patterns};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Puts the functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(engine_list, module)?)?;
    module.add_function(wrap_pyfunction!(pattern_list, module)?)
}

/// Every engine: name, title, help, real, local (its targets are files and devices of this host), virtual_time, blocking (a thread for each outstanding I/O), kernel_workers, available,
/// reason.
#[pyfunction(name = "engines")]
fn engine_list(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let probed = py.detach(|| engines::ALL.iter().map(|kind| kind.probe().err()).collect::<Vec<_>>());
    let described = engines::ALL.iter().zip(probed).map(|(kind, refusal)| {
        let entry = PyDict::new(py);
        entry.set_item("name", kind.name())?;
        entry.set_item("title", kind.title())?;
        entry.set_item("help", kind.help())?;
        entry.set_item("real", kind.real())?;
        entry.set_item("local", kind.local())?;
        entry.set_item("virtual_time", kind.virtual_time())?;
        entry.set_item("blocking", kind.layout(1, 2).lanes_per_job > 1)?;
        entry.set_item("kernel_workers", kind.kernel_workers())?;
        entry.set_item("available", refusal.is_none())?;
        entry.set_item("reason", refusal.map(|error| error.message))?;
        Ok(entry)
    });
    described.collect()
}

/// Every pattern: name, title, help, usual_skew.
#[pyfunction(name = "patterns")]
fn pattern_list(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let described = patterns::ALL.iter().map(|kind| {
        let entry = PyDict::new(py);
        entry.set_item("name", kind.name())?;
        entry.set_item("title", kind.title())?;
        entry.set_item("help", kind.help())?;
        entry.set_item("usual_skew", kind.usual_skew())?;
        Ok(entry)
    });
    described.collect()
}
