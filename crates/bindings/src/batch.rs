//! The result of a run, as an Arrow record batch and as plain Python.

use std::collections::HashMap;
use std::sync::Arc;

use crate::arrow;
use crate::errors::defect;
use arrow_array::{ArrayRef, BinaryArray, Float64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use plimsoll_engine::result::{Outcome, Row, Scope};
use plimsoll_engine::spec::RunSpec;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyTuple};

/// The rows of a run with their metadata.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct Batch {
    rows: Vec<Row>,
    metadata: HashMap<String, String>,
}

impl Batch {
    /// The batch of one outcome.
    pub fn new(_py: Python<'_>, spec: &RunSpec, outcome: Outcome) -> PyResult<Self> {
        Ok(Self { metadata: metadata(spec, &outcome), rows: outcome.rows })
    }

    fn record_batch(&self) -> PyResult<RecordBatch> {
        let schema = Arc::new(schema().with_metadata(self.metadata.clone()));
        RecordBatch::try_new(schema, columns(&self.rows)).map_err(defect)
    }
}

#[pymethods]
impl Batch {
    /// The Arrow schema, for any Arrow library.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema_capsule(py, &schema().with_metadata(self.metadata.clone()))
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

    /// Facts about the whole run, as strings.
    #[getter]
    fn metadata(&self) -> HashMap<String, String> {
        self.metadata.clone()
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
        field("bytes", DataType::UInt64, false),
        field("errors", DataType::UInt64, false),
        field("short_ios", DataType::UInt64, false),
        field("unissued_ios", DataType::UInt64, false),
        field("latency_hdr", DataType::Binary, false),
        field("service_hdr", DataType::Binary, false),
        field("distinct_blocks", DataType::UInt64, false),
        field("space_blocks", DataType::UInt64, false),
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
        count(|row| row.bytes),
        count(|row| row.errors),
        count(|row| row.short_ios),
        count(|row| row.unissued_ios),
        blob(|row| &row.latency_hdr),
        blob(|row| &row.service_hdr),
        count(|row| row.distinct_blocks),
        count(|row| row.space_blocks),
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

fn dictionary<'py>(py: Python<'py>, row: &Row) -> PyResult<Bound<'py, PyDict>> {
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
    entry.set_item("bytes", row.bytes)?;
    entry.set_item("errors", row.errors)?;
    entry.set_item("short_ios", row.short_ios)?;
    entry.set_item("unissued_ios", row.unissued_ios)?;
    entry.set_item("latency_hdr", PyBytes::new(py, &row.latency_hdr))?;
    entry.set_item("service_hdr", PyBytes::new(py, &row.service_hdr))?;
    entry.set_item("distinct_blocks", row.distinct_blocks)?;
    entry.set_item("space_blocks", row.space_blocks)?;
    entry.set_item("last_s", row.last_s)?;
    entry.set_item("lateness_us_max", row.lateness_us_max)?;
    Ok(entry)
}

fn metadata(spec: &RunSpec, outcome: &Outcome) -> HashMap<String, String> {
    let json = |value: serde_json::Result<String>| value.unwrap_or_else(|_| "[]".to_owned());
    let entries = [
        ("direct", spec.direct.to_string()),
        ("runtime_s", outcome.runtime_s.to_string()),
        ("started_unix_ns", outcome.started_unix_ns.to_string()),
        ("ended_early", outcome.ended.as_str().to_owned()),
        ("cpu_user_s", outcome.usage.user_s.to_string()),
        ("cpu_system_s", outcome.usage.system_s.to_string()),
        ("cpu_threads_s", outcome.threads_s.to_string()),
        ("cpu_workers_s", optional(outcome.workers_s)),
        ("voluntary_switches", outcome.usage.voluntary_switches.to_string()),
        ("involuntary_switches", outcome.usage.involuntary_switches.to_string()),
        ("processor_wait_share", optional(outcome.processor_wait_share)),
        ("host_user_s", optional(outcome.host.map(|host| host.user_s))),
        ("host_system_s", optional(outcome.host.map(|host| host.system_s))),
        ("host_steal_s", optional(outcome.host.map(|host| host.steal_s))),
        ("offered_ios", outcome.offered_ios.to_string()),
        ("completed_in_window_ios", outcome.completed_in_window_ios.to_string()),
        ("moved_reads", outcome.moved.reads.to_string()),
        ("moved_read_bytes", outcome.moved.read_bytes.to_string()),
        ("moved_writes", outcome.moved.writes.to_string()),
        ("moved_write_bytes", outcome.moved.write_bytes.to_string()),
        ("backlog_max", outcome.backlog_max.map_or_else(String::new, |arrivals| arrivals.to_string())),
        ("notes", json(serde_json::to_string(&outcome.notes))),
        ("io_errors", json(serde_json::to_string(&outcome.io_errors))),
    ];
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The empty word is unknown.
fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
