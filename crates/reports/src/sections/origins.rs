//! Where the values of a typed view are printed: its way back to the cells.

use serde_json::{Value, json};

use super::typed::Typed;
use crate::model::{Cell, Row, Status, Tables, Text};

/// Stands for a value that no cell says, such as words of a title.
const NONE: u32 = u32::MAX;

/// The cell of each value of a view, row by row.
#[derive(Default)]
pub struct Origins {
    cells: Vec<u32>,
}

impl Origins {
    /// Makes room for so many values more.
    pub fn reserve(&mut self, values: usize) {
        self.cells.reserve(values);
    }

    /// So many values more, which no cell says yet.
    pub fn begin(&mut self, values: usize) {
        self.cells.resize(self.cells.len() + values, NONE);
    }

    /// The cell of one of the last values, which are so many.
    pub fn set(&mut self, at: usize, values: usize, cell: usize) {
        let first = self.cells.len() - values;
        self.cells[first + at] = cell as u32;
    }

    fn at(&self, place: usize) -> Option<usize> {
        self.cells.get(place).filter(|cell| **cell != NONE).map(|cell| *cell as usize)
    }
}

/// The cell behind a value: table, title, row, label, column, line, words, status and number; None where no cell says it.
pub fn of(tables: &Tables, text: &Text, typed: &Typed, row: usize, column: &str) -> Option<Value> {
    let columns = typed.view.columns;
    let at = columns.iter().position(|known| known.name == column)?;
    let place = typed.origins().at(row * columns.len() + at)?;
    let holds = |row: &&Row| (row.first..row.first + row.len).contains(&(place as u32));
    let found = tables.tables.iter().enumerate().find_map(|(index, table)| {
        let rows = tables.rows_of(table);
        rows.iter().position(|row| holds(&row)).map(|number| (index, table, number, rows[number]))
    });
    let (index, table, number, printed) = found?;
    let cell = &tables.cells[place];
    let label = label(text, tables.cells_of(printed));
    Some(json!({
        "table": index,
        "title": table.title,
        "row": number,
        "label": label,
        "column": table.columns.get(cell.column as usize).map_or("", String::as_str),
        "line": cell.line,
        "text": text.get(cell.span),
        "status": cell.status.name(),
        "number": cell.scaled(1.0),
    }))
}

/// A row's first cell, and the words behind it, such as a function behind the number of an instance.
fn label(text: &Text, cells: &[Cell]) -> String {
    let words = |cell: &Cell| text.get(cell.span);
    let named = cells.get(1).filter(|cell| cell.status == Status::Text).map_or("", words);
    format!("{} {named}", cells.first().map_or("", words)).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::testing::html;
    use super::of;

    fn found(row: usize, column: &str) -> Option<serde_json::Value> {
        let words = html(
            "Load Profile",
            &["", "Per Second", "Per Transaction"],
            &[&["Redo size (bytes):", "1,204.50", "88.1"], &["Logons:", "", "0.1"]],
        );
        let report = crate::read(words.into_bytes());
        let typed = report.typed.iter().find(|typed| typed.view.name == "load_profile")?;
        of(&report.tables, &report.text, typed, row, column)
    }

    #[test]
    fn a_value_leads_to_what_is_printed() {
        let cell = found(0, "per_second").unwrap_or_default();
        assert_eq!(cell["title"], "Load Profile");
        assert_eq!((&cell["label"], &cell["column"]), (&"Redo size (bytes):".into(), &"Per Second".into()));
        assert_eq!((&cell["text"], &cell["number"]), (&"1,204.50".into(), &1204.5.into()));
    }

    #[test]
    fn a_blank_cell_is_found_and_a_column_without_cells_is_not() {
        assert_eq!(found(1, "per_second").unwrap_or_default()["status"], "blank");
        assert_eq!(found(0, "per_call"), None);
        assert_eq!(found(7, "per_second"), None);
        assert_eq!(found(0, "no such column"), None);
    }
}
