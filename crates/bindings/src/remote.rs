//! Files of NFS servers before and after a run, and a server in memory of the laboratory.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use plimsoll_engine::remote::{self, Findings};
use plimsoll_engine::spec::Stable;
use plimsoll_engine::{CoreError, engines};
use plimsoll_nfs::proc::{Attributes, Sizes};
use plimsoll_nfs::server::{Faults, Server, Silence};
use plimsoll_nfs::table::fits;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::detached;
use crate::handle::read_permit;

/// Puts functions and class into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<NfsServer>()?;
    module.add_function(wrap_pyfunction!(serve_nfs, module)?)?;
    module.add_function(wrap_pyfunction!(inspect_remote, module)?)?;
    module.add_function(wrap_pyfunction!(fits_remote, module)?)?;
    module.add_function(wrap_pyfunction!(check_remote, module)?)?;
    module.add_function(wrap_pyfunction!(create_remote, module)?)?;
    module.add_function(wrap_pyfunction!(list_remote, module)?)?;
    module.add_function(wrap_pyfunction!(remove_remote, module)?)
}

/// What a server tells of a file or folder, and what samples of a file hold.
#[pyfunction]
fn inspect_remote<'py>(py: Python<'py>, path: &str, samples: u32) -> PyResult<Bound<'py, PyDict>> {
    let Findings { attributes, sizes, free_bytes, contents } =
        detached(py, || remote::inspect(path, samples))?;
    let entry = PyDict::new(py);
    entry.set_item("folder", attributes.kind == Attributes::FOLDER)?;
    entry.set_item("size_bytes", attributes.size_bytes)?;
    entry.set_item("used_bytes", attributes.used_bytes)?;
    entry.set_item("read_bytes_max", sizes.read_bytes_max)?;
    entry.set_item("write_bytes_max", sizes.write_bytes_max)?;
    entry.set_item("free_bytes", free_bytes)?;
    entry.set_item("samples", contents.samples)?;
    entry.set_item("zero_samples", contents.zero_samples)?;
    entry.set_item("duplicate_samples", contents.duplicate_samples)?;
    Ok(entry)
}

/// Whether so many I/Os of that size can be told apart, with a server that takes so much in one READ and in one WRITE.
#[pyfunction]
fn fits_remote(depth: u32, block_bytes: u32, read_bytes_max: u32, write_bytes_max: u32) -> bool {
    fits(depth, block_bytes, Sizes { read_bytes_max, write_bytes_max })
}

/// That an engine takes that file of a server, to be written so durably or to be read.
#[pyfunction]
fn check_remote(py: Python<'_>, engine: &str, path: &str, stable: &str, writes: bool) -> PyResult<()> {
    detached(py, || engines::find(engine)?.check_file(path, stable_of(stable)?, writes))
}

fn stable_of(word: &str) -> Result<Stable, CoreError> {
    serde_json::from_value(word.into())
        .map_err(|error| CoreError::new("spec-invalid", format!("stable is {word}: {error}")))
}

/// Makes a file that was not there before; the numbers of its file system and of the file.
#[pyfunction]
fn create_remote(py: Python<'_>, path: &str) -> PyResult<(u64, u64)> {
    let made = detached(py, || remote::create(path))?;
    Ok((made.fsid, made.fileid))
}

/// Removes the file that the permit names; None, or what is so instead, in words that follow its name.
#[pyfunction]
fn remove_remote(py: Python<'_>, path: &str, permit: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let permit = read_permit(permit)?;
    detached(py, || remote::remove(path, &permit))
}

/// Names in a folder of a server that begin like that.
#[pyfunction]
fn list_remote(py: Python<'_>, path: &str, beginning: &str) -> PyResult<Vec<String>> {
    detached(py, || remote::names(path, beginning))
}

/// Serves NFS 3 from memory on a port of so many addresses of the loopback interface, with one export, `/export`.
#[pyfunction]
#[pyo3(signature = (paths = 1))]
fn serve_nfs(py: Python<'_>, paths: u8) -> PyResult<NfsServer> {
    let served = detached(py, || {
        Server::start_on(paths).map_err(|error| CoreError::kernel("nfs-serve", "could not serve NFS", &error))
    })?;
    Ok(NfsServer { served: Mutex::new(served) })
}

/// A server in memory until it is stopped or dropped.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct NfsServer {
    served: Mutex<Server>,
}

impl NfsServer {
    fn served(&self) -> MutexGuard<'_, Server> {
        self.served.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[pymethods]
impl NfsServer {
    /// What a target of that path is called.
    fn url(&self, path: &str) -> String {
        self.served().url(path)
    }

    /// Puts a file into the export.
    fn add(&self, name: &str, uid: u32, gid: u32, data: Vec<u8>) {
        self.served().add(name, uid, gid, data);
    }

    /// From now on it goes wrong in this one way, so often or at the answer of that number; in none where the name is none.
    ///
    /// Where it is gone, slow or locks files it is so for so many seconds, and where it is silent until the answer of another number; `path` is
    /// which of its addresses is slow or silent, counted from 0.
    #[pyo3(signature = (name, number, seconds = 0.0, until = u64::MAX, path = 0))]
    fn go_wrong(&self, name: &str, number: u64, seconds: f64, until: u64, path: usize) {
        let lasts = Duration::from_secs_f64(seconds);
        let faults = match name {
            "refuse" => Faults { refuse: Some((number as u32, until as u32)), ..Faults::default() },
            "gone" => Faults { gone: Some((number, lasts)), ..Faults::default() },
            "delay" => Faults { delay: Some(lasts), ..Faults::default() },
            "file_lock" => Faults { file_lock: Some(lasts), ..Faults::default() },
            "slow" => Faults { slow: Some((path, lasts)), ..Faults::default() },
            "silent" => Faults { silent: Some(Silence { path, from: number, until }), ..Faults::default() },
            _ => fault(name, number),
        };
        self.served().set(faults);
    }

    /// How much was asked so far: reads; writes asked to be unstable, with durable data, all durable; COMMITs.
    fn seen(&self) -> (u64, (u64, u64, u64), u64) {
        let seen = self.served().seen();
        let [unstable, data, file] = seen.writes;
        (seen.reads, (unstable, data, file), seen.commits)
    }

    /// What is on its disk of a file; None where there is no such file.
    fn durable<'py>(&self, py: Python<'py>, name: &str) -> Option<Bound<'py, PyBytes>> {
        self.served().durable(name).map(|data| PyBytes::new(py, &data))
    }

    /// Addresses from which it was reached.
    fn clients(&self) -> Vec<String> {
        self.served().clients().iter().map(ToString::to_string).collect()
    }

    /// Names of all files.
    fn names(&self) -> Vec<String> {
        self.served().names()
    }

    /// Ends it, with all connections.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.served().stop());
    }
}

fn fault(name: &str, number: u64) -> Faults {
    let mut faults = Faults::default();
    match name {
        "cut" => faults.cut = Some(number),
        "drop" => faults.drop = Some(number),
        "put_off" => faults.put_off_every = Some(number),
        "restart" => faults.restart_every = Some(number),
        "room" => faults.free_bytes = number,
        "swap_before" => faults.swap_before = Some(number as u32),
        "cut_after" => faults.cut_after = Some(number as u32),
        "squash" => faults.squash = true,
        "wants_privileged" => faults.wants_privileged = true,
        "only_version_4" => faults.only_version_4 = true,
        _ => {}
    }
    faults
}
