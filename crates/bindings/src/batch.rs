//! The result of a run, as an Arrow record batch and as plain Python.

use std::collections::HashMap;
use std::sync::Arc;

use crate::arrow;
use crate::errors::defect;
use arrow_array::{ArrayRef, BinaryArray, Float64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use plimsoll_engine::result::{Outcome, Row, Scope};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyTuple};

/// The rows of a run with their metadata.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct Batch {
    rows: Vec<Row>,
    outcome: String,
}

impl Batch {
    /// The batch of one outcome.
    pub fn new(outcome: Outcome) -> PyResult<Self> {
        Ok(Self { outcome: serde_json::to_string(&outcome).map_err(defect)?, rows: outcome.rows })
    }

    fn schema(&self) -> Schema {
        schema().with_metadata(HashMap::from([("outcome".to_owned(), self.outcome.clone())]))
    }

    fn record_batch(&self) -> PyResult<RecordBatch> {
        let schema = Arc::new(self.schema());
        RecordBatch::try_new(schema, columns(&self.rows)).map_err(defect)
    }
}

#[pymethods]
impl Batch {
    /// The Arrow schema, for any Arrow library.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema_capsule(py, &self.schema())
    }

    /// Schema and data, for any Arrow library.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // The protocol allows a producer to ignore the request and to leave casting to the consumer.
        let _ = requested_schema;
        arrow::capsules(py, self.record_batch()?)
    }

    /// The same rows as dictionaries.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.rows.iter().map(|row| dictionary(py, row)).collect()
    }

    /// What is known of the whole run, as JSON.
    #[getter]
    fn outcome(&self) -> &str {
        &self.outcome
    }

    /// How many rows there are.
    #[getter]
    fn num_rows(&self) -> usize {
        self.rows.len()
    }
}

fn schema() -> Schema {
    let field = |name: &str, kind: DataType, nullable: bool| Field::new(name, kind, nullable);
    Schema::new(vec![
        field("scope", DataType::Utf8, false),
        field("window_index", DataType::UInt64, true),
        field("start_s", DataType::Float64, false),
        field("duration_s", DataType::Float64, false),
        field("class", DataType::Utf8, false),
        field("op", DataType::Utf8, false),
        field("block_bytes", DataType::UInt32, false),
        field("ios", DataType::UInt64, false),
        field("completed_ios", DataType::UInt64, false),
        field("bytes", DataType::UInt64, false),
        field("errors", DataType::UInt64, false),
        field("short_ios", DataType::UInt64, false),
        field("unissued_ios", DataType::UInt64, false),
        field("latency_hdr", DataType::Binary, false),
        field("service_hdr", DataType::Binary, false),
        field("distinct_blocks", DataType::UInt64, false),
        field("space_blocks", DataType::UInt64, false),
        field("first_s", DataType::Float64, true),
        field("last_s", DataType::Float64, true),
        field("lateness_us_max", DataType::Float64, true),
    ])
}

fn columns(rows: &[Row]) -> Vec<ArrayRef> {
    let text = |pick: fn(&Row) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(pick)))
    };
    let count = |pick: fn(&Row) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(pick)))
    };
    let real = |pick: fn(&Row) -> f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values(rows.iter().map(pick)))
    };
    let blob = |pick: fn(&Row) -> &[u8]| -> ArrayRef {
        Arc::new(BinaryArray::from_iter_values(rows.iter().map(pick)))
    };
    vec![
        text(|row| scope(row).0),
        Arc::new(rows.iter().map(|row| scope(row).1).collect::<UInt64Array>()),
        real(|row| row.start_s),
        real(|row| row.duration_s),
        text(|row| &row.class),
        text(|row| row.op),
        Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.block_bytes))),
        count(|row| row.ios),
        count(|row| row.completed_ios),
        count(|row| row.bytes),
        count(|row| row.errors),
        count(|row| row.short_ios),
        count(|row| row.unissued_ios),
        blob(|row| &row.latency_hdr),
        blob(|row| &row.service_hdr),
        count(|row| row.distinct_blocks),
        count(|row| row.space_blocks),
        Arc::new(rows.iter().map(|row| row.first_s).collect::<Float64Array>()),
        Arc::new(rows.iter().map(|row| row.last_s).collect::<Float64Array>()),
        Arc::new(rows.iter().map(|row| row.lateness_us_max).collect::<Float64Array>()),
    ]
}

fn scope(row: &Row) -> (&'static str, Option<u64>) {
    match row.scope {
        Scope::Run => ("run", None),
        Scope::Window(index) => ("window", Some(index)),
    }
}

/// A row as a dictionary.
pub fn dictionary<'py>(py: Python<'py>, row: &Row) -> PyResult<Bound<'py, PyDict>> {
    let (scope, window_index) = scope(row);
    let entry = PyDict::new(py);
    entry.set_item("scope", scope)?;
    entry.set_item("window_index", window_index)?;
    entry.set_item("start_s", row.start_s)?;
    entry.set_item("duration_s", row.duration_s)?;
    entry.set_item("class", &row.class)?;
    entry.set_item("op", row.op)?;
    entry.set_item("block_bytes", row.block_bytes)?;
    entry.set_item("ios", row.ios)?;
    entry.set_item("completed_ios", row.completed_ios)?;
    entry.set_item("bytes", row.bytes)?;
    entry.set_item("errors", row.errors)?;
    entry.set_item("short_ios", row.short_ios)?;
    entry.set_item("unissued_ios", row.unissued_ios)?;
    entry.set_item("latency_hdr", PyBytes::new(py, &row.latency_hdr))?;
    entry.set_item("service_hdr", PyBytes::new(py, &row.service_hdr))?;
    entry.set_item("distinct_blocks", row.distinct_blocks)?;
    entry.set_item("space_blocks", row.space_blocks)?;
    entry.set_item("first_s", row.first_s)?;
    entry.set_item("last_s", row.last_s)?;
    entry.set_item("lateness_us_max", row.lateness_us_max)?;
    Ok(entry)
}
