//! Tables of many reports as files: hands reports over, and bytes to be written back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plimsoll_datasets::{
    Dataset as Growing, Error, Format, Gathered as Gathering, Identity, Kind, Limits, Part, batch_of,
    spreadsheets, tables,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::defect;
use crate::reports::Report;

/// Puts the class and the functions into the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Dataset>()?;
    module.add_class::<Gathered>()?;
    module.add_function(wrap_pyfunction!(report_parquet, module)?)?;
    module.add_function(wrap_pyfunction!(begins_formula, module)?)
}

/// Report, database, instance, begin and end in milliseconds, and the numbers of the snapshots.
type Names =
    (Option<String>, Option<String>, Option<String>, Option<i64>, Option<i64>, Option<i64>, Option<i64>);

fn identity(names: Names) -> Arc<Identity> {
    let (report, db_name, instance, begin_time, end_time, begin_snap, end_snap) = names;
    Arc::new(Identity { report, db_name, instance, begin_time, end_time, begin_snap, end_snap })
}

/// Names of columns, what each holds, and rows as a JSON array of arrays.
type Made = (Vec<(String, String)>, String);

fn made_batch((columns, rows): Made) -> PyResult<arrow_array::RecordBatch> {
    let kinds = columns.into_iter().map(|(name, word)| {
        let kind = Kind::from_word(&word);
        kind.map(|kind| (name, kind)).ok_or_else(|| PyValueError::new_err(format!("no column holds {word}")))
    });
    let rows: Vec<Vec<serde_json::Value>> =
        serde_json::from_str(&rows).map_err(|error| PyValueError::new_err(error.to_string()))?;
    batch_of(&kinds.collect::<PyResult<Vec<_>>>()?, &rows).map_err(defect)
}

/// One output while it grows.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct Dataset {
    growing: Mutex<Option<Growing>>,
}

type Written<'py> = Vec<(String, Bound<'py, PyBytes>)>;

#[pymethods]
impl Dataset {
    /// Limits are in bytes: rows of one table that wait, of all tables, a file.
    #[new]
    #[pyo3(signature = (form, limits, escape_formulas=false))]
    fn new(form: &str, limits: (usize, usize, usize), escape_formulas: bool) -> PyResult<Self> {
        let format = match form {
            "parquet" => Format::Parquet,
            "csv" => Format::Csv { escape_formulas },
            other => return Err(PyValueError::new_err(format!("no dataset is written as {other}"))),
        };
        let (rows_of_table_max, rows_max, file_min) = limits;
        let limits = Limits { rows_of_table_max, rows_max, file_min };
        Ok(Self { growing: Mutex::new(Some(Growing::new(format, limits))) })
    }

    /// Takes in the tables of one report that are wanted, all where none is named, and rows that the caller made of it; returns paths
    /// with the bytes to be put behind what is there.
    fn add<'py>(
        &self,
        py: Python<'py>,
        names: Names,
        report: Option<&Report>,
        wanted: Vec<String>,
        made: Option<(String, Made)>,
    ) -> PyResult<Written<'py>> {
        let made = made.map(made_rows).transpose()?;
        let parts = py.detach(|| {
            let rows = all_rows(report, &wanted, made)?;
            self.lock().as_mut().map_or_else(|| Ok(Vec::new()), |growing| growing.add(&identity(names), rows))
        });
        written(py, parts)
    }

    /// Takes in what `Gathered` made of several reports, without those of these numbers; returns as `add` does.
    fn add_gathered<'py>(
        &self,
        py: Python<'py>,
        gathered: &[u8],
        left_out: Vec<usize>,
    ) -> PyResult<Written<'py>> {
        let parts = py.detach(|| {
            let mut locked = self.lock();
            locked
                .as_mut()
                .map_or_else(|| Ok(Vec::new()), |growing| growing.add_gathered(gathered, &left_out))
        });
        written(py, parts)
    }

    /// All that is left, with a table that has all its columns already.
    fn finish<'py>(&self, py: Python<'py>, made: Option<(String, Made)>) -> PyResult<Written<'py>> {
        let made = made.map(|(table, made)| made_batch(made).map(|rows| (table, rows))).transpose()?;
        let parts = py.detach(|| {
            let Some(mut growing) = self.lock().take() else { return Ok(Vec::new()) };
            if let Some((table, rows)) = made {
                growing.add_whole(&table, rows)?;
            }
            growing.finish()
        });
        written(py, parts)
    }
}

impl Dataset {
    fn lock(&self) -> MutexGuard<'_, Option<Growing>> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn made_rows((table, made): (String, Made)) -> PyResult<tables::Rows<'static>> {
    Ok(tables::Rows { table, own: tables::Own::Batch(made_batch(made)?) })
}

/// Those that are wanted of a report, and behind them what the caller made of it.
fn all_rows<'a>(
    report: Option<&'a Report>,
    wanted: &[String],
    made: Option<tables::Rows<'a>>,
) -> Result<Vec<tables::Rows<'a>>, Error> {
    let mut rows = report.map_or_else(|| Ok(Vec::new()), |report| tables::of(report.read(), wanted))?;
    rows.extend(made);
    Ok(rows)
}

/// Rows of several reports on their way to a `Dataset` of another process.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct Gathered {
    gathering: Mutex<Gathering>,
}

#[pymethods]
impl Gathered {
    #[new]
    fn new() -> Self {
        Self { gathering: Mutex::default() }
    }

    /// Takes in one more report, the next by number, as `Dataset.add` does.
    fn add(
        &self,
        py: Python<'_>,
        names: Names,
        report: Option<&Report>,
        wanted: Vec<String>,
        made: Option<(String, Made)>,
    ) -> PyResult<()> {
        let made = made.map(made_rows).transpose()?;
        let added = py.detach(|| self.lock().add(&identity(names), all_rows(report, &wanted, made)?));
        added.map_err(defect)
    }

    /// All of it, for `Dataset.add_gathered`; nothing is left here.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| std::mem::take(&mut *self.lock()).into_bytes());
        Ok(PyBytes::new(py, &bytes.map_err(defect)?))
    }
}

impl Gathered {
    fn lock(&self) -> MutexGuard<'_, Gathering> {
        self.gathering.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn written(py: Python<'_>, parts: Result<Vec<Part>, Error>) -> PyResult<Written<'_>> {
    let bytes = |part: Part| (part.path, PyBytes::new(py, &part.bytes));
    Ok(parts.map_err(defect)?.into_iter().map(bytes).collect())
}

/// The typed views of one report that are wanted, each a Parquet file: names, numbers of rows, bytes.
#[pyfunction]
fn report_parquet<'py>(
    py: Python<'py>,
    names: Names,
    report: &Report,
    wanted: Vec<String>,
) -> PyResult<Vec<(String, usize, Bound<'py, PyBytes>)>> {
    let files = py.detach(|| plimsoll_datasets::files_of(&identity(names), report.read(), &wanted));
    let files = files.map_err(defect)?.into_iter();
    Ok(files.map(|(name, rows, bytes)| (name, rows, PyBytes::new(py, &bytes))).collect())
}

/// Whether a spreadsheet would run the text.
#[pyfunction]
fn begins_formula(text: &str) -> bool {
    spreadsheets::begins_formula(text)
}
