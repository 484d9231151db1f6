//! What a file is made of, as a plain dictionary.

use plimsoll_engine::inspect::{self, Findings};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::detached;

/// Puts the function into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(inspect_file, module)?)
}

/// Holes, unwritten extents, zero and duplicate samples of a file, and what direct I/O on it needs.
#[pyfunction]
fn inspect_file<'py>(py: Python<'py>, path: &str, samples: u32) -> PyResult<Bound<'py, PyDict>> {
    let findings = detached(py, || inspect::inspect(path, samples))?;
    dictionary(py, &findings)
}

fn dictionary<'py>(py: Python<'py>, findings: &Findings) -> PyResult<Bound<'py, PyDict>> {
    let (space, contents) = (&findings.space, &findings.contents);
    let direct = findings.direct.as_ref().ok();
    let entry = PyDict::new(py);
    entry.set_item("size_bytes", findings.size_bytes)?;
    entry.set_item("blocks_bytes", findings.blocks_bytes)?;
    entry.set_item("hole_bytes", space.hole_bytes)?;
    entry.set_item("unwritten_bytes", space.unwritten_bytes)?;
    entry.set_item("extents", space.extents)?;
    entry.set_item("zero_samples", contents.zero_samples)?;
    entry.set_item("duplicate_samples", contents.duplicate_samples)?;
    entry.set_item("samples", contents.samples)?;
    entry.set_item("direct_alignment_bytes", direct.map(|alignment| alignment.offset_bytes))?;
    entry.set_item("memory_alignment_bytes", direct.map(|alignment| alignment.memory_bytes))?;
    entry.set_item("direct_ok", direct.is_some())?;
    entry.set_item("direct_error", findings.direct.as_ref().err().map(|error| error.message.as_str()))?;
    entry.set_item("method", space.method.as_str())?;
    Ok(entry)
}
