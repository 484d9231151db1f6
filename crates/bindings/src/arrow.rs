//! Record batches for any Arrow library in Python, by the Arrow C data interface.

use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::{ArrowError, Schema};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

/// The schema in its capsule.
pub fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(raise)?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Schema and data in theirs.
pub fn capsules<'py>(py: Python<'py>, batch: RecordBatch) -> PyResult<Bound<'py, PyTuple>> {
    let schema = schema_capsule(py, &batch.schema())?;
    let data = StructArray::from(batch).into_data();
    let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&data), c"arrow_array")?;
    PyTuple::new(py, [schema, array])
}

/// Columns that do not fit each other: a defect of ours.
pub fn raise(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// Rows with named columns: one of several batches that came together, and go together.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct Table {
    batches: Arc<Vec<RecordBatch>>,
    at: usize,
}

impl Table {
    /// Of a batch.
    pub fn new(batch: RecordBatch) -> Self {
        Self { batches: Arc::new(vec![batch]), at: 0 }
    }

    /// One of each batch.
    pub fn of_each(batches: Vec<RecordBatch>) -> impl Iterator<Item = Self> {
        let batches = Arc::new(batches);
        (0..batches.len()).map(move |at| Self { batches: Arc::clone(&batches), at })
    }

    fn batch(&self) -> &RecordBatch {
        &self.batches[self.at]
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        if let Some(batches) = Arc::get_mut(&mut self.batches) {
            drop_detached(std::mem::take(batches));
        }
    }
}

/// Drops what takes its time with Python's lock released.
pub fn drop_detached<T: Send>(value: T) {
    Python::attach(|py| py.detach(|| drop(value)));
}

#[pymethods]
impl Table {
    /// The Arrow schema, for any Arrow library.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.batch().schema())
    }

    /// Schema and data, for any Arrow library. The protocol allows to leave the requested schema to the consumer.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        capsules(py, self.batch().clone())
    }

    /// How many rows there are.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch().num_rows()
    }
}
