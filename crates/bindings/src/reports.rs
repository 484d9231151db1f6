//! Reports of databases: hands bytes over, and summaries and tables back.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use memchr::memmem;
use plimsoll_datasets::tables;
use plimsoll_reports::sections::{self, Typed, origins};
use plimsoll_reports::{Report as Read, cells, summary};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::arrow::{Table, drop_detached};
use crate::errors::defect;

/// Puts the class and the functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Report>()?;
    module.add_function(wrap_pyfunction!(read_report, module)?)?;
    module.add_function(wrap_pyfunction!(find_words, module)?)?;
    module.add_function(wrap_pyfunction!(report_sections, module)?)
}

/// A report that was read.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct Report {
    read: Read,
    /// Those behind it in the same file, until they are taken.
    others: Mutex<Vec<Read>>,
}

#[pymethods]
impl Report {
    /// What it is and holds but for its list of tables, as JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| serde_json::to_string(&summary::of(&self.read))).map_err(defect)
    }

    /// The list of its tables, as JSON in UTF-8.
    fn table_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let list = py.detach(|| serde_json::to_vec(&summary::sections(&self.read))).map_err(defect)?;
        Ok(PyBytes::new(py, &list))
    }

    /// The reports behind this one in the same file. They are handed out once.
    fn take_others(&self) -> Vec<Report> {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        others.drain(..).map(Report::alone).collect()
    }

    /// What its file holds of it, as UTF-8; None where the file holds no other.
    fn own_bytes<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.read.own.as_ref().map(|own| PyBytes::new(py, own.words.as_bytes()))
    }

    /// The list of its tables, as rows.
    fn tables(&self) -> PyResult<Table> {
        tables::list(&self.read).map(Table::new).map_err(defect)
    }

    /// Every cell of every table.
    fn cells(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| cells::batch(&self.read)).map(Table::new).map_err(defect)
    }

    /// The typed views that were found.
    fn section_names(&self) -> Vec<&'static str> {
        self.read.typed.iter().map(|typed| typed.view.name).collect()
    }

    /// The rows of all typed views, by their names.
    fn sections<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let batches = py.detach(|| self.read.typed.iter().map(Typed::batch).collect::<Result<Vec<_>, _>>());
        let sections = PyDict::new(py);
        for (typed, table) in self.read.typed.iter().zip(Table::of_each(batches.map_err(defect)?)) {
            sections.set_item(typed.view.name, table)?;
        }
        Ok(sections)
    }

    /// The rows of one typed view.
    fn section(&self, name: &str) -> PyResult<Table> {
        Typed::batch(self.typed(name)?).map(Table::new).map_err(defect)
    }

    /// The cell that a value of a typed view was read from, as JSON; None where no cell says it.
    fn origin(&self, name: &str, row: usize, column: &str) -> PyResult<Option<String>> {
        let typed = self.typed(name)?;
        Ok(origins::of(&self.read.tables, &self.read.text, typed, row, column).map(|cell| cell.to_string()))
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        drop_detached((std::mem::take(&mut self.read), std::mem::take(&mut self.others)));
    }
}

impl Report {
    fn alone(read: Read) -> Self {
        Self { read, others: Mutex::default() }
    }

    /// What the extension made of it.
    pub fn read(&self) -> &Read {
        &self.read
    }

    fn typed(&self, name: &str) -> PyResult<&Typed> {
        let found = self.read.typed.iter().find(|typed| typed.view.name == name);
        found.ok_or_else(|| PyKeyError::new_err(format!("the report has no section {name}")))
    }
}

/// Reads the bytes of a file with Python's lock released: its first report, which has the others.
#[pyfunction]
fn read_report(py: Python<'_>, data: PyBackedBytes) -> Report {
    // A report keeps the bytes themselves where they are UTF-8.
    let mut all = py.detach(|| plimsoll_reports::read_all(Bytes::from_owner(data)));
    let first = all.remove(0);
    Report { read: first, others: Mutex::new(all) }
}

/// Where these words stand first in the bytes of a file, from a place on; None where they do not. Python's own search takes
/// several times as long.
#[pyfunction]
fn find_words(py: Python<'_>, data: &[u8], words: &[u8], begin: usize) -> Option<usize> {
    let found = py.detach(|| memmem::find(data.get(begin..)?, words));
    found.map(|at| begin + at)
}

/// Every typed view with its columns, as JSON.
#[pyfunction]
fn report_sections() -> String {
    sections::schema().to_string()
}
