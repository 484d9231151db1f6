//! Tables that stand under the title of another one: the line with theirs was lost.

use super::for_title;
use super::view::{Shape, View};
use crate::model::{Problem, Row, Status, Table, Tables, Text};

/// Says so.
pub fn problem(text: &Text, tables: &Tables, index: usize, view: Option<&'static View>) -> Option<Problem> {
    let table = &tables.tables[index];
    let lost = match view {
        Some(view) => table.stray && is_second(tables, index, view),
        None => is_another(text, tables, index),
    };
    lost.then(|| Problem {
        code: "title-missing",
        line: Some(table.line),
        section: Some(table.title.clone()),
        message: "this table is none that stands under this title: its own may be lost".to_owned(),
        loses: true,
    })
}

/// Whether the view has read a table of this title before. Where a title has several tables, each has a view of its own.
fn is_second(tables: &Tables, index: usize, view: &View) -> bool {
    let mut others = tables.tables[..index].iter().rev();
    others.any(|other| other.title == tables.tables[index].title && other.view == view.name)
}

/// Whether views know the title and none of them the table, though it has numbers. Lines of several labels with values, and sums, have
/// no headings in text and stand beside a table that has.
fn is_another(text: &Text, tables: &Tables, index: usize) -> bool {
    let table = &tables.tables[index];
    let views = for_title(&table.title).views;
    let of_rows = |view: &&View| !matches!(view.shape, Shape::Pairs(_) | Shape::Labels);
    let is_typed = |row: &Row| tables.cells_of(*row).iter().any(|cell| cell.status == Status::Typed);
    let heads = |other: &Table| other.title == table.title && is_headed(other);
    !views.is_empty()
        && views.iter().all(of_rows)
        && tables.rows_of(table).iter().any(is_typed)
        && (is_headed(table)
            || !table.summary.is_empty()
            || has_label(text, tables, table)
            || !tables.tables.iter().any(heads))
}

/// Whether the first row is one label with its value.
fn has_label(text: &Text, tables: &Tables, table: &Table) -> bool {
    let first = tables.rows_of(table).first().map_or(&[][..], |row| tables.cells_of(*row));
    matches!(first, [label, _] if text.get(label.span).ends_with(':'))
}

fn is_headed(table: &Table) -> bool {
    table.columns.iter().any(|heading| !heading.is_empty())
}
