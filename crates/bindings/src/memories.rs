//! How fast memory is: threads on given CPUs, with memory of their own on a given node.

use std::io;
use std::time::Duration;

use plimsoll_memory::{Kernel, Pages, Place, Stream, Streamed};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// CPUs, the node of memory, and whether huge pages are asked for.
type Where = (Vec<usize>, Option<usize>, bool);
/// The bytes of a pass, and how long each took.
type Passes = (usize, Vec<f64>);

/// Puts the functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(memory_streams, module)?)?;
    module.add_function(wrap_pyfunction!(memory_chase, module)?)?;
    module.add_function(wrap_pyfunction!(memory_update, module)?)?;
    module.add_function(wrap_pyfunction!(memory_non_temporal, module)?)
}

fn place((cpus, node, is_huge): Where) -> Place {
    Place { cpus, node, pages: if is_huge { Pages::Huge } else { Pages::Small } }
}

fn os_error(error: io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(number) => PyOSError::new_err((number, error.to_string())),
        None => PyOSError::new_err(error.to_string()),
    }
}

fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn kernel(name: &str) -> PyResult<Kernel> {
    match name {
        "copy" => Ok(Kernel::Copy),
        "scale" => Ok(Kernel::Scale),
        "add" => Ok(Kernel::Add),
        "triad" => Ok(Kernel::Triad),
        _ => Err(PyValueError::new_err(format!("there is no kernel {name}"))),
    }
}

/// Of each thread, for each stream, the bytes of a pass, and how long each pass took.
#[pyfunction]
fn memory_streams(
    py: Python<'_>,
    asked: Vec<(String, bool)>,
    array_bytes: usize,
    at: Where,
    runtime_s: f64,
) -> PyResult<Vec<Vec<Passes>>> {
    let runtime = duration(runtime_s)?;
    let asked = asked
        .iter()
        .map(|(name, non_temporal)| Ok(Stream { kernel: kernel(name)?, non_temporal: *non_temporal }))
        .collect::<PyResult<Vec<_>>>()?;
    let done = py.detach(|| plimsoll_memory::streams(&asked, array_bytes, &place(at), runtime));
    let told =
        |thread: Vec<Streamed>| thread.into_iter().map(|one| (one.bytes_per_pass, one.passes_s)).collect();
    Ok(done.map_err(os_error)?.into_iter().map(told).collect())
}

/// Of each thread the loads of its chain, and how long they took.
#[pyfunction]
fn memory_chase(py: Python<'_>, size_bytes: usize, at: Where, runtime_s: f64) -> PyResult<Vec<(u64, f64)>> {
    let runtime = duration(runtime_s)?;
    let done = py.detach(|| plimsoll_memory::chase(size_bytes, &place(at), runtime));
    Ok(done.map_err(os_error)?.into_iter().map(|one| (one.steps, one.elapsed_s)).collect())
}

/// Of each thread its updates, and how long they took.
#[pyfunction]
fn memory_update(py: Python<'_>, size_bytes: usize, at: Where, runtime_s: f64) -> PyResult<Vec<(u64, f64)>> {
    let runtime = duration(runtime_s)?;
    let done = py.detach(|| plimsoll_memory::update(size_bytes, &place(at), runtime));
    Ok(done.map_err(os_error)?.into_iter().map(|one| (one.updates, one.elapsed_s)).collect())
}

/// Whether there are stores that go past the caches.
#[pyfunction]
fn memory_non_temporal() -> bool {
    plimsoll_memory::has_non_temporal()
}
