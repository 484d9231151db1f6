//! Which view reads a table, and how.

use std::cell::RefCell;
use std::iter::once;
use std::rc::Rc;

use super::for_title;
use super::layout::Layout;
use super::reading::label;
use super::view::{Shape, View};
use crate::memo::Memo;
use crate::model::{Table, Tables, Text};

/// A view, and where its columns stand in a table.
pub type Found = (&'static View, Rc<Layout>);

/// The view that reads a table: of those that know its title the first that knows its headings, or its labels where those stand
/// for headings.
pub fn find(text: &Text, tables: &Tables, index: usize) -> Option<Found> {
    let table = &tables.tables[index];
    let headings = table.columns.iter().map(String::as_str);
    KNOWN.with_borrow_mut(|known| {
        known.look_up(once(table.title.as_str()).chain(headings)).unwrap_or_else(|| {
            let (found, by_headings) = look(text, tables, index);
            if by_headings {
                let bytes = found.as_ref().map_or(0, |(_, layout)| layout.bytes());
                known.remember(found.clone(), bytes);
            }
            found
        })
    })
}

/// And whether the headings alone have told.
fn look(text: &Text, tables: &Tables, index: usize) -> (Option<Found>, bool) {
    let table = &tables.tables[index];
    let mut by_headings = true;
    for view in for_title(&table.title).views.iter().copied() {
        let layout = Layout::of(view, table);
        if layout.is_known(view) {
            return (Some((view, Rc::new(layout))), by_headings);
        }
        if matches!(view.shape, Shape::Labels) {
            by_headings = false;
            let layout = Layout::of_labels(view, &labels_as_headings(text, tables, index));
            if layout.is_known(view) {
                return (Some((view, Rc::new(layout))), false);
            }
        }
    }
    (None, by_headings)
}

/// A table with a column for each row, whose heading is the row's label.
fn labels_as_headings(text: &Text, tables: &Tables, index: usize) -> Table {
    let rows = tables.rows_of(&tables.tables[index]).iter();
    let first = rows.map(|row| tables.cells_of(*row).first().map_or("", |cell| text.get(cell.span)));
    let columns = first.map(|words| label(words).to_owned()).collect();
    Table { columns, title: tables.tables[index].title.clone(), ..Table::default() }
}

thread_local! {
    /// By title and headings.
    static KNOWN: RefCell<Memo<Option<Found>>> = RefCell::default();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(title: &str, columns: &[&str]) -> Tables {
        let columns = columns.iter().map(|&heading| heading.to_owned()).collect();
        let table = Table { title: title.to_owned(), columns, ..Table::default() };
        Tables { tables: vec![table], ..Tables::default() }
    }

    fn name(title: &str, columns: &[&str]) -> Option<&'static str> {
        find(&Text::default(), &tables(title, columns), 0).map(|(view, _)| view.name)
    }

    #[test]
    fn a_table_that_comes_again_finds_the_same_view() {
        let columns = ["Statistic", "Total", "per Second", "per Trans"];
        let names = [0; 3].map(|_| name("Instance Activity Stats", &columns));
        assert_eq!(names, [Some("instance_activity"); 3]);
        assert_eq!(name("Instance Activity Stats", &["Colour", "Taste"]), None);
        assert_eq!(name("Instance Activity Stats", &columns), Some("instance_activity"));
    }
}
