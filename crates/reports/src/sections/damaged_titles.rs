//! Titles that no report has: their own line, or the one above their table, is damaged.

use std::collections::HashSet;

use crate::model::{Problem, Status, Table, Tables};
use crate::words::is_plain;

/// A problem for each table with numbers under such a title.
pub fn problems(tables: &Tables) -> Vec<Problem> {
    let foreign: HashSet<&str> =
        tables.tables.iter().map(|table| table.title.as_str()).filter(|title| !title.is_ascii()).collect();
    let is_damaged =
        |title: &str| lacks_words(title) || is_half(title) || foreign.len() == 1 && has_foreign_sign(title);
    let damaged = tables.tables.iter().filter(|table| is_damaged(&table.title));
    let of_head = tables.tables.iter().filter(|table| is_in_head(table) && !is_of_head(table));
    damaged.chain(of_head).filter(|table| has_numbers(tables, table)).map(problem).collect()
}

/// A label, or nothing but signs.
fn lacks_words(title: &str) -> bool {
    let is_letter = |sign: char| sign.is_alphabetic();
    title.ends_with(':') || !title.is_empty() && !title.contains(is_letter)
}

/// One parenthesis without the other, or one bracket.
fn is_half(title: &str) -> bool {
    let count = |sign: u8| memchr::memchr_iter(sign, title.as_bytes()).count();
    count(b'(') != count(b')') || title.ends_with(['<', '>'])
}

/// The titles of reports, under which only their heads stand.
const HEADS: [&str; 3] = ["ASH Report For", "STATSPACK report for", "WORKLOAD REPOSITORY report for"];
/// One of these stands in each headed table of a head.
const HEADINGS: [&str; 10] = [
    "sampletime",
    "dbid",
    "dbname",
    "instance",
    "instnum",
    "hostname",
    "cpus",
    "snapid",
    "containername",
    "host",
];

fn is_in_head(table: &Table) -> bool {
    HEADS.iter().any(|head| table.title.starts_with(head))
}

/// Whether the table has no headings, or those of a head.
fn is_of_head(table: &Table) -> bool {
    let is_known = |heading: &String| HEADINGS.iter().any(|known| is_plain(heading, known));
    table.columns.iter().all(String::is_empty) || table.columns.iter().any(is_known)
}

/// A sign that is not ASCII within an English word. Where several titles have such signs they are in another language.
fn has_foreign_sign(title: &str) -> bool {
    let signs: Vec<char> = title.chars().collect();
    signs
        .windows(3)
        .any(|three| three[0].is_ascii_alphabetic() && !three[1].is_ascii() && three[2].is_ascii_alphabetic())
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

    fn codes(pages: &[(&str, &str)]) -> Vec<&'static str> {
        let pages = pages.iter().map(|(title, name)| html(title, &["Statistic", "Total"], &[&[*name, "12"]]));
        let report = crate::read(pages.collect::<String>().into_bytes());
        report.tables.problems.iter().map(|problem| problem.code).collect()
    }

    #[test]
    fn a_title_is_words() {
        assert!(codes(&[("Anything At All - 2", "redo size")]).is_empty());
        for title in ["~~~~", "Buffer Cache:", "WORKLOAD R\u{c5}POSITORY", "sec)"] {
            assert_eq!(codes(&[(title, "redo size")]), ["heading-damaged"], "{title}");
        }
    }

    #[test]
    fn under_the_title_of_a_report_stands_its_head() {
        let codes = |heading: &str| {
            let page =
                html("ASH Report For SHOP/shop1", &[heading, "Instance Count"], &[&["386419544", "1"]]);
            let report = crate::read(page.into_bytes());
            report.tables.problems.iter().map(|problem| problem.code).collect::<Vec<_>>()
        };
        assert!(codes("DB Id").is_empty());
        assert_eq!(codes("SQLIDs"), ["heading-damaged"]);
    }

    #[test]
    fn titles_in_another_language_are_none_the_worse() {
        assert!(codes(&[("\u{8d1f}\u{8f7d}", "redo size")]).is_empty());
        assert!(codes(&[("Gr\u{f6}\u{df}e", "redo size"), ("Z\u{e4}hler", "user calls")]).is_empty());
    }
}
