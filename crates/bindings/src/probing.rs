//! What works for a target, as a plain dictionary.

use plimsoll_engine::probe::{self, Abilities, Trial};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::detached;

/// Puts the function into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(probe_target, module)?)
}

/// What the kernel and a target can do: io_uring, polling, reads that do not block, FUA and write cache, with reasons.
#[pyfunction(name = "probe")]
fn probe_target<'py>(py: Python<'py>, path: &str, direct: bool) -> PyResult<Bound<'py, PyDict>> {
    let abilities = detached(py, || probe::probe(path, direct))?;
    dictionary(py, &abilities)
}

fn dictionary<'py>(py: Python<'py>, abilities: &Abilities) -> PyResult<Bound<'py, PyDict>> {
    let reason = |trial: &Trial| trial.as_ref().err().cloned();
    let entry = PyDict::new(py);
    entry.set_item("io_uring", abilities.io_uring.is_ok())?;
    entry.set_item("io_uring_mode", abilities.io_uring.as_ref().ok().map(|mode| mode.as_str()))?;
    entry.set_item("io_uring_error", abilities.io_uring.as_ref().err())?;
    entry.set_item("io_uring_disabled", abilities.io_uring_disabled)?;
    entry.set_item("polling", abilities.polling.is_ok())?;
    entry.set_item("polling_error", reason(&abilities.polling))?;
    entry.set_item("nowait", abilities.nowait.is_ok())?;
    entry.set_item("nowait_error", reason(&abilities.nowait))?;
    entry.set_item("fua", abilities.fua)?;
    entry.set_item("volatile_write_cache", abilities.volatile_write_cache)?;
    Ok(entry)
}
