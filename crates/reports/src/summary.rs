//! What a report is and holds, as facts that serialise: its summary, and the list of its tables.

use serde::Serialize;

use crate::header::Header;
use crate::model::{Cell, Problem, Status, Table, Tables};
use crate::report::Report;
use crate::value::Decimal;

/// All but the list of tables.
#[derive(Serialize)]
pub struct Summary<'a> {
    kind: &'static str,
    form: &'static str,
    encoding: &'static str,
    decimal: &'static str,
    header: &'a Header,
    first_line: u32,
    others: usize,
    numbers: Numbers,
    /// How many tables there are.
    pub section_count: usize,
    /// Of all tables.
    pub cells: Counts,
    /// As they are told.
    pub problems: &'a [Problem],
}

#[derive(Serialize)]
struct Numbers {
    printed: u32,
    notes: u32,
    unread: u32,
}

/// One table.
#[derive(Serialize)]
pub struct Section<'a> {
    title: &'a str,
    name: String,
    typed: bool,
    columns: &'a [String],
    row_count: u32,
    line: u32,
    /// Of this table.
    pub cells: Counts,
}

/// Cells by what became of them.
#[derive(Default, Serialize)]
pub struct Counts {
    /// Of them all.
    pub total: usize,
    typed: usize,
    text: usize,
    blank: usize,
    overflow: usize,
    failed: usize,
}

/// The summary.
pub fn of(report: &Report) -> Summary<'_> {
    let tables = &report.tables;
    let numbers =
        Numbers { printed: tables.printed(), notes: tables.numbers.notes, unread: tables.numbers.unread };
    Summary {
        kind: report.kind.name(),
        form: report.form.name(),
        encoding: report.encoding,
        decimal: if tables.decimal == Decimal::Point { "point" } else { "comma" },
        header: &report.header,
        first_line: report.own.as_ref().map_or(1, |own| own.first_line),
        others: report.own.as_ref().map_or(0, |own| own.others),
        numbers,
        section_count: tables.tables.len(),
        cells: Counts::of(&tables.cells),
        problems: &tables.problems,
    }
}

/// The list of tables.
pub fn sections(report: &Report) -> Vec<Section<'_>> {
    report.tables.tables.iter().map(|table| section(table, &report.tables)).collect()
}

fn section<'a>(table: &'a Table, tables: &Tables) -> Section<'a> {
    let rows = tables.rows_of(table);
    let cells = match (rows.first(), rows.last()) {
        (Some(first), Some(last)) => &tables.cells[first.first as usize..(last.first + last.len) as usize],
        _ => &[],
    };
    Section {
        title: &table.title,
        name: name_of(table),
        typed: !table.view.is_empty(),
        columns: &table.columns,
        row_count: table.row_count,
        line: table.line,
        cells: Counts::of(cells),
    }
}

impl Counts {
    fn of(cells: &[Cell]) -> Self {
        let mut counts = Self { total: cells.len(), ..Self::default() };
        for cell in cells {
            let count = match cell.status {
                Status::Typed => &mut counts.typed,
                Status::Text => &mut counts.text,
                Status::Blank => &mut counts.blank,
                Status::Overflow => &mut counts.overflow,
                Status::Failed => &mut counts.failed,
            };
            *count += 1;
        }
        counts
    }
}

/// Of the view that reads the table, or made of its title where none does.
pub fn name_of(table: &Table) -> String {
    if table.view.is_empty() { slug(&table.title) } else { table.view.to_owned() }
}

/// A title as a name: `Top Process Memory (by component)` is `top_process_memory_by_component`.
fn slug(title: &str) -> String {
    let words = title.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}
