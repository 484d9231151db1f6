//! What holds for a report that was read, whatever its bytes were. Shared with the fuzz targets.

use plimsoll_reports::model::{Cell, Row, Status, Table};
use plimsoll_reports::{Report, cells, summary, value};

/// Panics where something does not hold.
pub fn check(report: &Report) {
    let mut next = (0, 0);
    for table in &report.tables.tables {
        next = check_table(report, table, next);
    }
    assert_eq!(
        next,
        (report.tables.rows.len(), report.tables.cells.len()),
        "rows and cells all belong to a table"
    );
    check_outputs(report);
}

/// Tables stand one behind the other: where the next one's rows and cells begin.
fn check_table(report: &Report, table: &Table, (first_row, first_cell): (usize, usize)) -> (usize, usize) {
    assert_eq!(table.first_row as usize, first_row, "rows of '{}'", table.title);
    let mut next_cell = first_cell;
    for row in report.tables.rows_of(table) {
        assert_eq!(row.first as usize, next_cell, "cells of '{}'", table.title);
        check_row(report, table, *row);
        next_cell += row.len as usize;
    }
    (first_row + table.row_count as usize, next_cell)
}

fn check_row(report: &Report, table: &Table, row: Row) {
    let cells = report.tables.cells_of(row);
    assert!(!cells.is_empty(), "a row of '{}' has cells", table.title);
    for pair in cells.windows(2) {
        assert!(pair[0].column < pair[1].column, "a column of '{}' has one cell in a row", table.title);
    }
    for cell in cells {
        assert!((cell.column as usize) < table.columns.len(), "each cell of '{}' has a column", table.title);
        assert!(cell.line >= 1, "each cell of '{}' has a line", table.title);
        check_cell(report, cell);
    }
}

/// The status says of the words what they are.
fn check_cell(report: &Report, cell: &Cell) {
    let words = report.text.get(cell.span);
    assert_eq!(words.len(), cell.span.len as usize, "the words of a cell are there");
    assert_eq!(words, words.trim_ascii());
    let read = value::parse(words.as_bytes(), report.tables.decimal);
    match cell.status {
        Status::Typed => assert_eq!(read, Some((cell.number, cell.suffix)), "{words}"),
        Status::Blank => assert_eq!(words, ""),
        // A view can tell that a number was cut off at the width of its column.
        Status::Overflow => assert!(value::is_overflow(words.as_bytes()) || read.is_some(), "{words}"),
        Status::Text => assert!(read.is_none() && !words.is_empty(), "{words}"),
        Status::Failed => assert!(!words.is_empty()),
    }
}

fn check_outputs(report: &Report) {
    assert_eq!(summary::of(report).cells.total, report.tables.cells.len());
    let in_sections = summary::sections(report).iter().map(|section| section.cells.total).sum::<usize>();
    assert_eq!(in_sections, report.tables.cells.len());
    let batch = cells::batch(report).expect("columns of one length");
    assert_eq!(batch.num_rows(), report.tables.cells.len());
    for typed in &report.typed {
        let rows = typed.batch().expect("columns of one length").num_rows();
        assert_eq!(rows, typed.rows(), "{}", typed.view.name);
    }
}
