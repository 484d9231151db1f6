//! The Python module `plimsoll._core`: converts, calls the engine, converts back. No logic lives here, and Python's
//! lock is released wherever the engine waits.

use pyo3::prelude::*;

mod arrow;
mod batch;
mod calling;
mod commits;
mod datasets;
mod errors;
mod handle;
mod held;
mod histograms;
mod inspection;
mod laboratory;
mod memories;
mod memory;
mod observing;
mod probing;
mod registries;
mod remote;
mod reports;
mod statistics;

/// The Rust core of Plimsoll: moves bytes and times them.
#[pymodule(name = "_core")]
fn core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    memory::give_back_soon();
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    calling::register(module)?;
    commits::register(module)?;
    datasets::register(module)?;
    errors::register(module)?;
    handle::register(module)?;
    registries::register(module)?;
    histograms::register(module)?;
    inspection::register(module)?;
    laboratory::register(module)?;
    memories::register(module)?;
    memory::register(module)?;
    observing::register(module)?;
    probing::register(module)?;
    remote::register(module)?;
    reports::register(module)?;
    statistics::register(module)?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<arrow::Table>()?;
    Ok(())
}
