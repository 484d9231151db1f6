//! A dialled disk that this process serves; what it counted goes out as JSON.

use std::sync::{Mutex, MutexGuard};

use plimsoll_laboratory::Served;
use plimsoll_laboratory::volume::VolumeSpec;
use pyo3::prelude::*;

use crate::errors::{defect, detached};

/// Puts function and class into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Disk>()?;
    module.add_function(wrap_pyfunction!(serve_disk, module)?)
}

/// Mounts `folder` with a disk or mirror in it that follows the laws of the specification, named `source` in the list of mounts.
#[pyfunction]
fn serve_disk(py: Python<'_>, spec_json: &str, folder: &str, source: &str) -> PyResult<Disk> {
    let served = detached(py, || Served::start(VolumeSpec::parse(spec_json)?, folder, source))?;
    Ok(Disk { served: Mutex::new(served) })
}

/// A disk that is served until it is stopped.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct Disk {
    served: Mutex<Served>,
}

impl Disk {
    fn served(&self) -> MutexGuard<'_, Served> {
        self.served.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[pymethods]
impl Disk {
    /// Whether requests are still taken; not when somebody else has unmounted the folder.
    fn is_serving(&self, py: Python<'_>) -> PyResult<bool> {
        detached(py, || Ok(self.served().is_serving()))
    }

    /// What the disk counted until now, as JSON.
    fn counters(&self, py: Python<'_>) -> PyResult<String> {
        let told = detached(py, || Ok(self.served().told()))?;
        serde_json::to_string(&told).map_err(defect)
    }

    /// Inode number, size in bytes, and when it was last written to in nanoseconds since 1970; nothing is asked of the kernel.
    fn identity(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        let known = detached(py, || Ok(self.served().identity()))?;
        Ok((known.inode, known.size_bytes, known.modified_ns))
    }

    /// Puts an extended attribute on the disk; nothing is asked of the kernel.
    fn set_attribute(&self, py: Python<'_>, name: &str, value: &str) -> PyResult<()> {
        detached(py, || {
            self.served().set_attribute(name, value);
            Ok(())
        })
    }

    /// Unmounts the folder; True when somebody still had something open in it.
    fn stop(&self, py: Python<'_>) -> PyResult<bool> {
        detached(py, || self.served().stop())
    }
}
