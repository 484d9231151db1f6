//! Every number of a report with all that says what it is, to be found again by its hash.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use plimsoll_reports::Report;
use plimsoll_reports::model::{Cell, Row, Status, Table};

/// What says what a number is. Each kind leaves out what a damage to it made unknowable.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum By {
    /// Title, row names, heading.
    All,
    /// Title and heading.
    Heading,
    /// Title, row names, place of the column.
    Place,
    /// Title and place of the column.
    TitleAndPlace,
    /// Row names and heading.
    Untitled,
    /// Heading.
    HeadingAlone,
    /// Row names and place of the column.
    UntitledPlace,
}

/// In all ways.
pub const WAYS: [By; 7] =
    [By::All, By::Heading, By::Place, By::TitleAndPlace, By::Untitled, By::HeadingAlone, By::UntitledPlace];

/// All that a report says, as hashes.
#[derive(Default)]
pub struct Facts {
    known: HashSet<u64>,
}

impl Facts {
    /// Of a report.
    pub fn of(report: &Report) -> Self {
        let mut facts = Self::default();
        for table in &report.tables.tables {
            for row in report.tables.rows_of(table) {
                let names = names(report, table, *row);
                for cell in report.tables.cells_of(*row).iter().filter(|cell| cell.status == Status::Typed) {
                    facts.known.extend(WAYS.iter().map(|by| fact(*by, table, &names, cell)));
                }
            }
        }
        for typed in &report.typed {
            let batch = typed.batch().expect("columns of one length");
            facts.known.extend(typed_facts(typed.view.name, &batch).into_iter().map(|fact| fact.hash));
        }
        facts
    }

    /// Whether the report says so.
    pub fn has(&self, fact: u64) -> bool {
        self.known.contains(&fact)
    }
}

/// A statement or a sentence is longer than any name; it goes over many lines, of which one can be lost.
const NAME_BYTES_MAX: usize = 80;

/// The words of a row that are no number and name it.
pub fn names(report: &Report, table: &Table, row: Row) -> String {
    let cells = report.tables.cells_of(row).iter();
    let named = cells.filter(|cell| {
        let is_short = (cell.span.len as usize) < NAME_BYTES_MAX;
        cell.status == Status::Text && is_short && !heading(table, cell).contains("SQL ")
    });
    named.map(|cell| report.text.get(cell.span).split_whitespace().collect::<String>() + "\n").collect()
}

fn heading<'a>(table: &'a Table, cell: &Cell) -> &'a str {
    table.columns.get(cell.column as usize).map_or("", String::as_str)
}

/// The hash of a number with what says what it is.
pub fn fact(by: By, table: &Table, names: &str, cell: &Cell) -> u64 {
    let title = table.title.as_str();
    let (heading, place) = (heading(table, cell), cell.column);
    let said = match by {
        By::All => (title, names, heading, 0),
        By::Heading => (title, "", heading, 0),
        By::Place => (title, names, "", place + 1),
        By::TitleAndPlace => (title, "", "", place + 1),
        By::Untitled => ("", names, heading, 0),
        By::HeadingAlone => ("", "", heading, 0),
        By::UntitledPlace => ("", names, "", place + 1),
    };
    hashed(&(by, said, cell.number.to_bits(), cell.suffix.name()))
}

/// A number of a typed view.
pub struct TypedFact {
    /// With the view, the row's names and the column.
    pub hash: u64,
    /// The table that it was read from.
    pub table: usize,
    /// Its row's line.
    pub line: u32,
    /// For people.
    pub words: String,
}

/// All numbers of a view.
pub fn typed_facts(view: &str, batch: &RecordBatch) -> Vec<TypedFact> {
    let schema = batch.schema();
    let own = 3..batch.num_columns();
    let (words, numbers): (Vec<usize>, Vec<usize>) =
        own.partition(|at| schema.field(*at).data_type() == &DataType::Utf8);
    let tables = batch.column(0).as_primitive::<UInt32Type>();
    let lines = batch.column(1).as_primitive::<UInt32Type>();
    let instances = batch.column(2).as_primitive::<Int64Type>();
    let mut facts = Vec::new();
    for row in 0..batch.num_rows() {
        let names: Vec<&str> = words
            .iter()
            .filter(|at| {
                !matches!(schema.field(**at).name().as_str(), "sql_text" | "text" | "module" | "sql_module")
            })
            .map(|at| batch.column(*at).as_string::<i32>())
            .map(|column| if column.is_null(row) { "" } else { column.value(row) })
            .filter(|name| name.len() < NAME_BYTES_MAX)
            .collect();
        let instance = instances.is_valid(row).then(|| instances.value(row));
        for at in &numbers {
            let column = batch.column(*at).as_primitive::<Float64Type>();
            if column.is_valid(row) {
                let (name, number) = (schema.field(*at).name().as_str(), column.value(row));
                facts.push(TypedFact {
                    hash: hashed(&(view, instance, &names, name, number.to_bits())),
                    table: tables.value(row) as usize,
                    line: lines.value(row),
                    words: format!("{view} {instance:?} {} / {name} = {number}", names.join(" / ")),
                });
            }
        }
    }
    facts
}

fn hashed(said: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    said.hash(&mut hasher);
    hasher.finish()
}
