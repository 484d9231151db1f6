//! The probe of calls: how long reads, writes and flushes of files took for who asked, as plain dictionaries.

use plimsoll_engine::hdr;
use plimsoll_observe::call::{CallProbe as Probe, Counts, Key, Room, Row};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::detached;
use crate::held::Held;
use crate::memory::sparing;

/// Puts function and class into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CallProbe>()?;
    module.add_function(wrap_pyfunction!(start_call_probe, module)?)
}

/// Puts the probe into the kernel, with room for so many threads and so many rows; calls of others are counted as lost.
#[pyfunction]
#[pyo3(signature = (threads_max=None, rows_max=None))]
fn start_call_probe(py: Python<'_>, threads_max: Option<u32>, rows_max: Option<u32>) -> PyResult<CallProbe> {
    let usual = Room::default();
    let room = Room { threads: threads_max.unwrap_or(usual.threads), rows: rows_max.unwrap_or(usual.rows) };
    let probe = detached(py, || sparing(|| Probe::start(room)))?;
    Ok(CallProbe { probe: Held::new(probe) })
}

/// A probe in the kernel until it is stopped, dropped, or its process ends.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct CallProbe {
    probe: Held<Probe>,
}

#[pymethods]
impl CallProbe {
    /// From here on rows belong to the reading after the next.
    fn cut(&self, py: Python<'_>) -> PyResult<()> {
        self.probe.with(py, Probe::cut)
    }

    /// Rows with what was added until the last cut, and the counts of what is in no row since the start.
    fn read<'py>(&self, py: Python<'py>) -> PyResult<(Vec<Bound<'py, PyDict>>, Bound<'py, PyDict>)> {
        let reading = self.probe.with(py, Probe::read)?;
        let rows = reading.rows.iter().map(|(key, row)| row_entry(py, key, row)).collect::<PyResult<_>>()?;
        Ok((rows, count_entry(py, reading.counts)?))
    }

    /// Takes it out of the kernel.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        self.probe.stop(py)
    }
}

fn row_entry<'py>(py: Python<'py>, key: &Key, row: &Row) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("owner_pid", key.owner.pid)?;
    entry.set_item("owner_started_ns", key.owner.started_ns)?;
    entry.set_item("command", &row.command)?;
    entry.set_item("operation", key.operation.name())?;
    entry.set_item("file_device", key.file.0)?;
    entry.set_item("inode", key.file.1)?;
    entry.set_item("is_direct", key.is_direct)?;
    entry.set_item("is_synchronous", key.is_synchronous)?;
    entry.set_item("calls", row.calls)?;
    entry.set_item("bytes", row.bytes)?;
    entry.set_item("errors", row.errors)?;
    entry.set_item("total_ns", row.total_ns)?;
    entry.set_item("latency_hdr", PyBytes::new(py, &hdr::of_counts(&row.latency_us())))?;
    Ok(entry)
}

fn count_entry(py: Python<'_>, counts: Counts) -> PyResult<Bound<'_, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("lost_threads", counts.lost_threads)?;
    entry.set_item("lost_rows", counts.lost_rows)?;
    Ok(entry)
}
