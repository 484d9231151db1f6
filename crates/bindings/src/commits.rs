//! The probe of commits: what each process's commits waited for, as plain dictionaries.

use plimsoll_engine::hdr;
use plimsoll_observe::commit::{CommitProbe as Probe, Counts, Key, Room, Row, UnderWay};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

use crate::errors::detached;
use crate::held::Held;
use crate::memory::sparing;

/// Puts function and class into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CommitProbe>()?;
    module.add_function(wrap_pyfunction!(start_commit_probe, module)?)
}

/// Puts the probe into the kernel, with room for so many threads and so many rows; commits of others are counted as lost.
#[pyfunction]
#[pyo3(signature = (threads_max=None, rows_max=None))]
fn start_commit_probe(
    py: Python<'_>,
    threads_max: Option<u32>,
    rows_max: Option<u32>,
) -> PyResult<CommitProbe> {
    let usual = Room::default();
    let room = Room { threads: threads_max.unwrap_or(usual.threads), rows: rows_max.unwrap_or(usual.rows) };
    let probe = detached(py, || sparing(|| Probe::start(room)))?;
    Ok(CommitProbe { probe: Held::new(probe) })
}

/// A probe in the kernel until it is stopped, dropped, or its process ends.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct CommitProbe {
    probe: Held<Probe>,
}

#[pymethods]
impl CommitProbe {
    /// From now on calls of XLogFlush in this program are commits of their own.
    fn see_log_flushes(&self, py: Python<'_>, executable: PathBuf) -> PyResult<()> {
        self.probe.with(py, |probe| probe.see_log_flushes(&executable))
    }

    /// From now on waits for a synchronous standby in this program are seen.
    fn see_standby_waits(&self, py: Python<'_>, executable: PathBuf) -> PyResult<()> {
        self.probe.with(py, |probe| probe.see_standby_waits(&executable))
    }

    /// Calls that begin from now on are not told apart any more, in all programs; those under way are seen to their end.
    fn leave_log_flushes(&self, py: Python<'_>) -> PyResult<()> {
        self.probe.with(py, Probe::leave_log_flushes)
    }

    /// Nor are those.
    fn let_log_flushes_go(&self, py: Python<'_>) -> PyResult<()> {
        self.probe.with(py, Probe::let_log_flushes_go)
    }

    /// Commits that have begun and not ended.
    fn under_way<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let found = self.probe.with(py, |probe| probe.under_way())?;
        found.iter().map(|one| under_way_entry(py, one)).collect()
    }

    /// Rows with what was added since the reading before, and the counts of what is in no row since the start.
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
    entry.set_item("title", &row.title)?;
    entry.set_item("kind", key.kind.name())?;
    entry.set_item("commits", row.commits)?;
    entry.set_item("errors", row.errors)?;
    entry.set_item("total_ns", row.total_ns)?;
    entry.set_item("queue_ns", row.parts.queue_ns)?;
    entry.set_item("write_ns", row.parts.write_ns)?;
    entry.set_item("flush_ns", row.parts.flush_ns)?;
    entry.set_item("run_queue_ns", row.parts.run_queue_ns)?;
    entry.set_item("processor_ns", row.parts.processor_ns)?;
    entry.set_item("other_ns", row.parts.other_ns)?;
    entry.set_item("dispatches", row.dispatches)?;
    entry.set_item("flushes", row.flushes)?;
    entry.set_item("behind_ns", row.behind_ns)?;
    entry.set_item("slept_ns", row.slept_ns)?;
    entry.set_item("beyond", row.beyond())?;
    entry.set_item("latency_hdr", PyBytes::new(py, &hdr::of_counts(&row.latency_us())))?;
    Ok(entry)
}

fn under_way_entry<'py>(py: Python<'py>, found: &UnderWay) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("owner_pid", found.owner.pid)?;
    entry.set_item("owner_started_ns", found.owner.started_ns)?;
    entry.set_item("thread", found.thread)?;
    entry.set_item("kind", found.kind.name())?;
    entry.set_item("for_ns", found.for_ns)?;
    entry.set_item("part", found.part)?;
    Ok(entry)
}

fn count_entry(py: Python<'_>, counts: Counts) -> PyResult<Bound<'_, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("lost_threads", counts.lost_threads)?;
    entry.set_item("lost_rows", counts.lost_rows)?;
    entry.set_item("log_flushes_begun", counts.log_flushes_begun)?;
    entry.set_item("log_flushes_ended", counts.log_flushes_ended)?;
    Ok(entry)
}
