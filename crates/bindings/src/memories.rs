//! How fast memory is: threads on given CPUs, with memory of their own on a given node.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use plimsoll_memory::{Kernel, Pages, Place, Stream, Streamed, Until};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// CPUs, the node of memory, and of how many bytes huge pages are, where such are asked for.
type Where = (Vec<usize>, Option<usize>, Option<usize>);
/// The bytes of a pass, and how long passes took: the median, and the shortest.
type Passes = (usize, f64, f64);
/// The loads of a chain, how long they took, and what share of its memory was in huge pages.
type Loads = (u64, f64, Option<f64>);

/// What share of its most each loading thread was to move, what they moved together in a second, and how long a load took.
type UnderLoad = (f64, f64, f64);

/// Time between two questions whether somebody wants work to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Puts the functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(memory_streams, module)?)?;
    module.add_function(wrap_pyfunction!(memory_chase, module)?)?;
    module.add_function(wrap_pyfunction!(memory_loaded, module)?)?;
    module.add_function(wrap_pyfunction!(memory_update, module)?)?;
    module.add_function(wrap_pyfunction!(memory_non_temporal, module)?)
}

fn place((cpus, node, huge): Where) -> Place {
    Place { cpus, node, pages: huge.map_or(Pages::Small, |page_bytes| Pages::Huge { page_bytes }) }
}

/// What `work` comes to, in a thread beside this one, which asks `is_cut` all the while: handlers of signals run within that.
/// Work that was cut is an InterruptedError.
fn cut_short<Done: Send>(
    py: Python<'_>,
    is_cut: &Py<PyAny>,
    work: impl FnOnce(&AtomicBool) -> io::Result<Done> + Send,
) -> PyResult<Done> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            let stop = &stop;
            let run = move || drop(sender.send(work(stop)));
            thread::Builder::new().spawn_scoped(scope, run).map_err(os_error)?;
            awaited(&receiver, is_cut, stop)
        })
    })
}

fn awaited<Done>(
    receiver: &Receiver<io::Result<Done>>,
    is_cut: &Py<PyAny>,
    stop: &AtomicBool,
) -> PyResult<Done> {
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(done) => return done.map_err(os_error),
            Err(RecvTimeoutError::Timeout) => {
                let wished = Python::attach(|py| is_cut.call0(py)?.is_truthy(py));
                if !matches!(wished, Ok(false)) {
                    stop.store(true, Ordering::Relaxed);
                }
                wished?;
            }
            Err(RecvTimeoutError::Disconnected) => return Err(PyOSError::new_err("a thread has panicked")),
        }
    }
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

/// Of each thread, for each stream, the bytes of a pass, and how long passes took.
#[pyfunction]
fn memory_streams(
    py: Python<'_>,
    asked: Vec<(String, bool)>,
    array_bytes: usize,
    at: Where,
    runtime_s: f64,
    is_cut: Py<PyAny>,
) -> PyResult<Vec<Vec<Passes>>> {
    let runtime = duration(runtime_s)?;
    let asked = asked
        .iter()
        .map(|(name, non_temporal)| Ok(Stream { kernel: kernel(name)?, non_temporal: *non_temporal }))
        .collect::<PyResult<Vec<_>>>()?;
    let done = cut_short(py, &is_cut, |stop| {
        plimsoll_memory::streams(&asked, array_bytes, &place(at), Until { runtime, stop })
    })?;
    let passes = |one: &Streamed| (one.bytes_per_pass, one.pass_s, one.pass_s_min);
    Ok(done.iter().map(|thread| thread.iter().map(passes).collect()).collect())
}

/// Of each thread the loads of its chain, how long they took, and what share of its memory was in huge pages.
#[pyfunction]
fn memory_chase(
    py: Python<'_>,
    size_bytes: usize,
    at: Where,
    runtime_s: f64,
    is_cut: Py<PyAny>,
) -> PyResult<Vec<Loads>> {
    let runtime = duration(runtime_s)?;
    let done = cut_short(py, &is_cut, |stop| {
        plimsoll_memory::chase(size_bytes, &place(at), Until { runtime, stop })
    })?;
    Ok(done.into_iter().map(|one| (one.steps, one.elapsed_s, one.huge_share)).collect())
}

/// Of each share, what was found: the first CPU follows a chain, all others stream through arrays; `sizes_bytes` is of both.
#[pyfunction]
fn memory_loaded(
    py: Python<'_>,
    sizes_bytes: (usize, usize),
    shares: Vec<f64>,
    at: Where,
    runtime_s: f64,
    is_cut: Py<PyAny>,
) -> PyResult<Vec<UnderLoad>> {
    let runtime = duration(runtime_s)?;
    let (chain_bytes, array_bytes) = sizes_bytes;
    let done = cut_short(py, &is_cut, |stop| {
        plimsoll_memory::loaded(chain_bytes, array_bytes, &shares, &place(at), Until { runtime, stop })
    })?;
    Ok(done.into_iter().map(|one| (one.share, one.bytes_per_s, one.load_s)).collect())
}

/// Of each thread its updates, and how long they took.
#[pyfunction]
fn memory_update(
    py: Python<'_>,
    size_bytes: usize,
    at: Where,
    runtime_s: f64,
    is_cut: Py<PyAny>,
) -> PyResult<Vec<(u64, f64)>> {
    let runtime = duration(runtime_s)?;
    let done = cut_short(py, &is_cut, |stop| {
        plimsoll_memory::update(size_bytes, &place(at), Until { runtime, stop })
    })?;
    Ok(done.into_iter().map(|one| (one.updates, one.elapsed_s)).collect())
}

/// Whether there are stores that go past the caches.
#[pyfunction]
fn memory_non_temporal() -> bool {
    plimsoll_memory::has_non_temporal()
}
