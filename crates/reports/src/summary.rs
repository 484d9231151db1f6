//! What a report is and holds, as JSON for the other side.

use serde_json::{Value, json};

use crate::model::{Cell, Problem, Status, Table, Tables};
use crate::report::Report;
use crate::value::Decimal;

/// The whole summary.
pub fn of(report: &Report) -> Value {
    let tables = &report.tables;
    json!({
        "kind": report.kind.name(),
        "form": report.form.name(),
        "encoding": report.encoding,
        "decimal": if tables.decimal == Decimal::Point { "point" } else { "comma" },
        "header": report.header,
        "first_line": report.own.as_ref().map_or(1, |own| own.first_line),
        "others": report.own.as_ref().map_or(0, |own| own.others),
        "numbers": { "printed": tables.printed(), "notes": tables.numbers.notes, "unread": tables.numbers.unread },
        "tables": tables.tables.iter().map(|table| summed_up(table, tables)).collect::<Vec<_>>(),
        "cells": counted(&tables.cells),
        "problems": tables.problems.iter().map(problem).collect::<Vec<_>>(),
    })
}

fn summed_up(table: &Table, tables: &Tables) -> Value {
    let typed = !table.view.is_empty();
    let rows = tables.rows_of(table);
    let cells = match (rows.first(), rows.last()) {
        (Some(first), Some(last)) => &tables.cells[first.first as usize..(last.first + last.len) as usize],
        _ => &[],
    };
    json!({
        "title": table.title,
        "name": name_of(table),
        "typed": typed,
        "columns": &*table.columns,
        "row_count": table.row_count,
        "line": table.line,
        "cells": counted(cells),
    })
}

fn counted(cells: &[Cell]) -> Value {
    let count = |status: Status| cells.iter().filter(|cell| cell.status == status).count();
    json!({
        "total": cells.len(),
        "typed": count(Status::Typed),
        "text": count(Status::Text),
        "blank": count(Status::Blank),
        "overflow": count(Status::Overflow),
        "failed": count(Status::Failed),
    })
}

fn problem(problem: &Problem) -> Value {
    json!({
        "code": problem.code,
        "line": problem.line,
        "section": problem.section,
        "message": problem.message,
        "loses": problem.loses,
    })
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
