//! `CoreError` in Python: the engine's error with its id, message, hint and error number as attributes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use plimsoll_engine::CoreError as EngineError;
use plimsoll_engine::run::internal;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;

create_exception!(
    plimsoll._core,
    CoreError,
    PyException,
    "An error of the engine: id, message, hint, errno."
);

/// Puts the class into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CoreError", module.py().get_type::<CoreError>())
}

/// The Python exception of an engine's error.
pub fn raise(py: Python<'_>, error: EngineError) -> PyErr {
    let raised = CoreError::new_err(error.message.clone());
    let value = raised.value(py);
    let set = || -> PyResult<()> {
        value.setattr("id", error.id)?;
        value.setattr("message", error.message)?;
        value.setattr("hint", error.hint)?;
        value.setattr("errno", error.errno)
    };
    set().err().unwrap_or(raised)
}

/// A defect of ours: columns or files that do not come together.
pub fn defect(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// Runs the engine with Python's lock released; an assertion that fails in it becomes the error `internal`.
pub fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, EngineError> + Send,
) -> PyResult<T> {
    py.detach(|| guarded(work)).map_err(|error| raise(py, error))
}

fn guarded<T>(work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(internal(&*panic)))
}
