//! Titles that no report has: their own line, or the one above their table, is damaged.

use crate::model::{Problem, Status, Table, Tables};

/// A problem for each table with numbers under such a title.
pub fn problems(tables: &Tables) -> impl Iterator<Item = Problem> {
    let damaged = tables.tables.iter().filter(|table| is_damaged(&table.title));
    damaged.filter(|table| has_numbers(tables, table)).map(problem)
}

/// Oracle's titles are English whatever the language of the session: words, and no label.
fn is_damaged(title: &str) -> bool {
    let lacks_words = !title.is_empty() && !title.bytes().any(|byte| byte.is_ascii_alphabetic());
    lacks_words || title.ends_with(':') || !title.is_ascii()
}

fn has_numbers(tables: &Tables, table: &Table) -> bool {
    let mut cells = tables.rows_of(table).iter().flat_map(|row| tables.cells_of(*row));
    cells.any(|cell| cell.status == Status::Typed)
}

fn problem(table: &Table) -> Problem {
    Problem {
        code: "heading-damaged",
        line: Some(table.line),
        section: Some(table.title.clone()),
        message: format!("'{}' is no title that reports have", table.title),
        loses: true,
    }
}

#[cfg(test)]
mod tests {
    use crate::sections::testing::html;

    #[test]
    fn a_title_is_words_in_english() {
        let codes = |title: &str| {
            let page = html(title, &["Statistic", "Total"], &[&["redo size", "12"]]);
            let report = crate::read(page.into_bytes());
            report.tables.problems.iter().map(|problem| problem.code).collect::<Vec<_>>()
        };
        assert!(codes("Anything At All - 2").is_empty());
        for title in ["~~~~", "Buffer Cache:", "WORKLOAD R\u{c5}POSITORY"] {
            assert_eq!(codes(title), ["heading-damaged"], "{title}");
        }
    }
}
