//! `start` and the handle of a run.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use plimsoll_engine::fill;
use plimsoll_engine::permit::WritePermit;
use plimsoll_engine::run::{self, Run};
use plimsoll_engine::spec::RunSpec;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch::{Batch, dictionary};
use crate::errors::{defect, detached};

/// Longest wait of one call; longer ones are asked for again.
const WAIT_S_MAX: f64 = 1e6;

/// Puts functions and classes into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Handle>()?;
    module.add_class::<Progress>()?;
    module.add_function(wrap_pyfunction!(read_plan, module)?)?;
    module.add_function(wrap_pyfunction!(start, module)?)?;
    module.add_function(wrap_pyfunction!(start_fill, module)?)
}

/// What the engine reads of a plan, as JSON again; whether it can be run is not asked.
#[pyfunction]
fn read_plan(py: Python<'_>, plan_json: &str) -> PyResult<String> {
    let spec = detached(py, || RunSpec::parse(plan_json))?;
    serde_json::to_string(&spec).map_err(defect)
}

/// Starts a run and returns its handle at once.
#[pyfunction]
#[pyo3(signature = (plan_json, permits=Vec::new()), text_signature = "(plan_json, permits=())")]
fn start(py: Python<'_>, plan_json: &str, permits: Vec<Bound<'_, PyAny>>) -> PyResult<Handle> {
    let permits = permits.iter().map(read_permit).collect::<PyResult<Vec<_>>>()?;
    let run = detached(py, || run::start(RunSpec::parse(plan_json)?, &permits))?;
    Ok(Handle { run: Mutex::new(run) })
}

/// Starts to write a stretch of a file in full with random data; flushed when finished.
#[pyfunction]
fn start_fill(py: Python<'_>, spec_json: &str, permit: &Bound<'_, PyAny>) -> PyResult<Handle> {
    let permit = read_permit(permit)?;
    let run = detached(py, || fill::start(spec_json, &permit))?;
    Ok(Handle { run: Mutex::new(run) })
}

/// Reads the attributes `path`, `device`, `inode` and `number` of a permit object.
pub fn read_permit(permit: &Bound<'_, PyAny>) -> PyResult<WritePermit> {
    Ok(WritePermit {
        path: permit.getattr("path")?.extract()?,
        device: permit.getattr("device")?.extract()?,
        inode: permit.getattr("inode")?.extract()?,
        number: permit.getattr("number")?.extract()?,
    })
}

/// A run at work.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct Handle {
    run: Mutex<Run>,
}

impl Handle {
    fn run(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[pymethods]
impl Handle {
    /// How far the run is; never blocks.
    fn poll(&self, py: Python<'_>) -> PyResult<Progress> {
        detached(py, || Ok(Progress::from(self.run().progress())))
    }

    /// Waits for the end, at most `timeout_s`; True when the run is over.
    fn wait(&self, py: Python<'_>, timeout_s: f64) -> PyResult<bool> {
        // What is no number is no patience.
        let patience = Duration::try_from_secs_f64(timeout_s.clamp(0.0, WAIT_S_MAX)).unwrap_or_default();
        detached(py, || {
            let finished = self.run().finished();
            Ok(finished.wait(patience))
        })
    }

    /// Rows of the windows that are complete, from that one on; none once the run is over, as the result has them.
    fn windows<'py>(&self, py: Python<'py>, from_index: u64) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rows = detached(py, || Ok(self.run().windows(from_index)))?;
        rows.iter().map(|row| dictionary(py, row)).collect()
    }

    /// Asks the run to end early and to keep what it measured.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            self.run().stop();
            Ok(())
        })
    }

    /// Waits for the end and returns the result.
    fn collect(&self, py: Python<'_>) -> PyResult<Batch> {
        let outcome = detached(py, || {
            let (finished, forever) = (self.run().finished(), Duration::from_secs_f64(WAIT_S_MAX));
            while !finished.wait(forever) {}
            self.run().collect()
        })?;
        Batch::new(outcome)
    }
}

/// How far a run is.
#[pyclass(frozen, get_all, module = "plimsoll._core")]
pub struct Progress {
    elapsed_s: f64,
    expected_s: Option<f64>,
    finished: bool,
    warming: bool,
    ios: u64,
    errors: u64,
    bytes: u64,
    iops_now: Option<f64>,
    latency_us_p50_now: Option<f64>,
    latency_us_p99_now: Option<f64>,
}

impl From<run::Progress> for Progress {
    fn from(progress: run::Progress) -> Self {
        Self {
            elapsed_s: progress.elapsed_s,
            expected_s: progress.expected_s,
            finished: progress.finished,
            warming: progress.warming,
            ios: progress.ios,
            errors: progress.errors,
            bytes: progress.bytes,
            iops_now: progress.latest.iops,
            latency_us_p50_now: progress.latest.latency_us_p50,
            latency_us_p99_now: progress.latest.latency_us_p99,
        }
    }
}

#[pymethods]
impl Progress {
    fn __repr__(&self) -> String {
        format!(
            "Progress(elapsed_s={:.3}, finished={}, warming={}, ios={}, errors={})",
            self.elapsed_s, self.finished, self.warming, self.ios, self.errors
        )
    }
}
