//! Which view reads a table, and how.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::for_title;
use super::layout::Layout;
use super::reading::label;
use super::view::{Shape, View};
use crate::model::{Table, Tables, Text};

/// A view, and where its columns stand in a table.
pub type Found = (&'static View, Rc<Layout>);

/// The view that reads a table: of those that know its title the first that knows its headings.
pub fn find(text: &Text, tables: &Tables, index: usize) -> Option<Found> {
    let table = &tables.tables[index];
    KNOWN.with_borrow_mut(|known| match known.look_up(table) {
        Some(found) => found,
        None => {
            let views = for_title(&table.title);
            let found = views.iter().find_map(|view| fitting(view, text, tables, index));
            // Where labels stand for headings, the rows decide as well.
            if !views.iter().any(|view| matches!(view.shape, Shape::Labels)) {
                known.remember(found.clone());
            }
            found
        }
    })
}

fn fitting(view: &'static View, text: &Text, tables: &Tables, index: usize) -> Option<Found> {
    let mut layout = Layout::of(view, &tables.tables[index]);
    if matches!(view.shape, Shape::Labels) && !layout.is_known(view) {
        layout = Layout::of(view, &labels_as_headings(text, tables, index));
    }
    layout.is_known(view).then(|| (view, Rc::new(layout)))
}

/// A table with a column for each row, whose heading is the row's label.
fn labels_as_headings(text: &Text, tables: &Tables, index: usize) -> Table {
    let rows = tables.rows_of(&tables.tables[index]).iter();
    let first = rows.map(|row| tables.cells_of(*row).first().map_or("", |cell| text.get(cell.span)));
    let columns = first.map(|words| label(words).to_owned()).collect();
    Table { columns, title: tables.tables[index].title.clone(), ..Table::default() }
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// So many kinds of table are remembered by each thread: a dozen releases have as many.
const KNOWN_MAX: usize = 4096;
/// A table whose title and headings are longer is looked at anew each time.
const WORDS_BYTES_MAX: usize = 2048;
/// Ends each heading.
const END: char = '\u{1f}';

/// What was found for tables by their title and headings, which reports of one release share.
#[derive(Default)]
struct Known {
    found: HashMap<String, Option<Found>>,
    /// The title and the headings that were looked up last.
    words: String,
}

impl Known {
    fn look_up(&mut self, table: &Table) -> Option<Option<Found>> {
        self.words.clear();
        for words in [&table.title].into_iter().chain(&table.columns) {
            self.words.push_str(words);
            self.words.push(END);
        }
        self.found.get(&self.words).cloned()
    }

    /// For the words that were looked up last.
    fn remember(&mut self, found: Option<Found>) {
        if self.words.len() > WORDS_BYTES_MAX {
            return;
        }
        if self.found.len() >= KNOWN_MAX {
            self.found.clear();
        }
        self.found.insert(self.words.clone(), found);
    }
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

    #[test]
    fn memory_is_bounded() {
        for number in 0..KNOWN_MAX + 10 {
            name(&format!("A title that nobody knows {number}"), &["Statistic"]);
        }
        KNOWN.with_borrow(|known| assert!(known.found.len() <= KNOWN_MAX));
        name("A title that nobody knows", &["x".repeat(WORDS_BYTES_MAX).as_str()]);
        KNOWN.with_borrow(|known| assert!(!known.found.contains_key(&known.words)));
    }
}
