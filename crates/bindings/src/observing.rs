//! The probe of the block layer: what it counted as plain dictionaries, and what stands in its way.

use plimsoll_engine::CoreError;
use plimsoll_engine::hdr;
use plimsoll_observe::layout::{File, Key, Row};
use plimsoll_observe::obstacles::Surroundings;
use plimsoll_observe::probe::{Counts, Probe, Room};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::detached;
use crate::held::Held;
use crate::memory::sparing;

/// Puts functions and class into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<BlockProbe>()?;
    module.add_function(wrap_pyfunction!(start_block_probe, module)?)?;
    module.add_function(wrap_pyfunction!(block_probe_obstacles, module)?)
}

/// Puts the probe into the kernel, with room for so many requests at one moment and so many rows; others are counted as lost.
#[pyfunction]
#[pyo3(signature = (requests_max=None, rows_max=None))]
fn start_block_probe(
    py: Python<'_>,
    requests_max: Option<u32>,
    rows_max: Option<u32>,
) -> PyResult<BlockProbe> {
    let usual = Room::default();
    let room =
        Room { requests: requests_max.unwrap_or(usual.requests), rows: rows_max.unwrap_or(usual.rows) };
    let probe = detached(py, || sparing(|| Probe::start(room)))?;
    Ok(BlockProbe { probe: Held::new(probe) })
}

/// What keeps a probe out of the kernel, all of it: id, message, hint, errno.
#[pyfunction]
fn block_probe_obstacles(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let obstacles = detached(py, || Ok(Surroundings::default().obstacles()))?;
    obstacles.into_iter().map(|obstacle| error_entry(py, obstacle)).collect()
}

fn error_entry(py: Python<'_>, error: CoreError) -> PyResult<Bound<'_, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("id", error.id)?;
    entry.set_item("message", error.message)?;
    entry.set_item("hint", error.hint)?;
    entry.set_item("errno", error.errno)?;
    Ok(entry)
}

/// A probe in the kernel until it is stopped, dropped, or its process ends.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct BlockProbe {
    probe: Held<Probe>,
}

#[pymethods]
impl BlockProbe {
    /// The kernel's event that tells who made a request; None where only who handed it to the disk is known.
    fn begin(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        self.probe.with(py, |probe| Ok(probe.begin()))
    }

    /// Whether files of direct I/O are known.
    fn names_direct(&self, py: Python<'_>) -> PyResult<bool> {
        self.probe.with(py, |probe| Ok(probe.names_direct()))
    }

    /// From here on I/O that this worker does for others of its server is theirs; gives the reason where that cannot be told.
    fn book_on_askers(&self, py: Python<'_>, worker: u32, server: u16) -> PyResult<Option<String>> {
        self.probe.with(py, |probe| Ok(sparing(|| probe.book_on_askers(worker, server)).err()))
    }

    /// From here on rows belong to the reading after the next; it takes no time to speak of.
    fn cut(&self, py: Python<'_>) -> PyResult<()> {
        self.probe.with(py, Probe::cut)
    }

    /// Rows with what was added until the last cut, and the counts of events that are in no row since the start.
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
    entry.set_item("owner_pid", key.owner.map(|owner| owner.pid))?;
    entry.set_item("owner_started_ns", key.owner.map(|owner| owner.started_ns))?;
    entry.set_item("owner_server", key.server)?;
    // The kernel's own threads share a row, so it has no name.
    entry.set_item("command", key.owner.map(|_| &row.command))?;
    entry.set_item("device", key.device)?;
    entry.set_item("operation", key.operation.name())?;
    file_into(&entry, key.file)?;
    entry.set_item("ios", row.ios)?;
    entry.set_item("bytes", row.bytes)?;
    entry.set_item("errors", row.errors)?;
    entry.set_item("begun_ios", row.begun)?;
    entry.set_item("queue_ns", row.queue_ns)?;
    entry.set_item("service_ns", row.service_ns)?;
    entry.set_item("latency_hdr", PyBytes::new(py, &hdr::of_counts(&row.latency_us())))?;
    entry.set_item("sizes", row.sizes().into_iter().collect::<Vec<_>>())?;
    Ok(entry)
}

fn file_into(entry: &Bound<'_, PyDict>, file: File) -> PyResult<()> {
    let (kind, device, inode) = match file {
        File::Unknown => ("unknown", None, None),
        File::Device => ("device", None, None),
        File::Inode { device, inode } => ("inode", Some(device), Some(inode)),
    };
    entry.set_item("file_kind", kind)?;
    entry.set_item("file_device", device)?;
    entry.set_item("inode", inode)
}

fn count_entry(py: Python<'_>, counts: Counts) -> PyResult<Bound<'_, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("lost_requests", counts.lost_requests)?;
    entry.set_item("lost_rows", counts.lost_rows)?;
    entry.set_item("lost_row_bytes", counts.lost_row_bytes)?;
    entry.set_item("orphans", counts.orphans)?;
    entry.set_item("requeued", counts.requeued)?;
    entry.set_item("merged", counts.merged)?;
    entry.set_item("untimed", counts.untimed)?;
    entry.set_item("unasked", counts.unasked)?;
    Ok(entry)
}
