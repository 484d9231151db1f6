//! Record batches for any Arrow library in Python, by the Arrow C data interface.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::types::{Float64Type, Int8Type, Int64Type, UInt16Type, UInt32Type};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::{DataType, Schema};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyString, PyTuple};

use crate::errors::defect;

/// The schema in its capsule.
pub fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(defect)?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Schema and data in theirs.
pub fn capsules<'py>(py: Python<'py>, batch: RecordBatch) -> PyResult<Bound<'py, PyTuple>> {
    let schema = schema_capsule(py, &batch.schema())?;
    let data = StructArray::from(batch).into_data();
    let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&data), c"arrow_array")?;
    PyTuple::new(py, [schema, array])
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

    /// Each row as a dictionary.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let batch = self.batch();
        let rows: Vec<Bound<'py, PyDict>> = (0..batch.num_rows()).map(|_| PyDict::new(py)).collect();
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            let name = PyString::intern(py, field.name());
            for (row, value) in rows.iter().zip(values(py, column)?) {
                row.set_item(&name, value)?;
            }
        }
        Ok(rows)
    }
}

/// The values of a column of a report.
fn values<'py>(py: Python<'py>, column: &dyn Array) -> PyResult<Vec<Bound<'py, PyAny>>> {
    match column.data_type() {
        DataType::Utf8 => plain(py, column.as_string::<i32>().iter()),
        DataType::Float64 => plain(py, column.as_primitive::<Float64Type>().iter()),
        DataType::Boolean => plain(py, column.as_boolean().iter()),
        DataType::Int64 => plain(py, column.as_primitive::<Int64Type>().iter()),
        DataType::UInt32 => plain(py, column.as_primitive::<UInt32Type>().iter()),
        DataType::UInt16 => plain(py, column.as_primitive::<UInt16Type>().iter()),
        DataType::Dictionary(_, _) => {
            let listed = column.as_dictionary::<Int8Type>();
            let words = listed.values().as_string::<i32>();
            plain(py, listed.keys().iter().map(|key| key.map(|key| words.value(key as usize))))
        }
        other => Err(PyTypeError::new_err(format!("no table has a column of {other}"))),
    }
}

fn plain<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    values: impl Iterator<Item = Option<T>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    values.map(|value| value.into_bound_py_any(py)).collect()
}
