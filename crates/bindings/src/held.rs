//! What is in the kernel until it is stopped, dropped, or its process ends.

use std::sync::{Mutex, MutexGuard, PoisonError};

use plimsoll_engine::CoreError;
use plimsoll_engine::error::Result;
use pyo3::prelude::*;

use crate::errors::detached;

/// A probe, for one caller at a time.
pub struct Held<Probe>(Mutex<Option<Probe>>);

impl<Probe: Send> Held<Probe> {
    pub fn new(probe: Probe) -> Self {
        Self(Mutex::new(Some(probe)))
    }

    /// What it says; `probe-unread` where it was stopped. Python goes on meanwhile.
    pub fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Probe) -> Result<T> + Send,
    ) -> PyResult<T> {
        detached(py, || {
            let gone = || CoreError::new("probe-unread", "the probe was stopped");
            work(self.lock().as_mut().ok_or_else(gone)?)
        })
    }

    /// Takes it out of the kernel.
    pub fn stop(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            drop(self.lock().take());
            Ok(())
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Probe>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
