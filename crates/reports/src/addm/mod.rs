//! ADDM's prose as tables: what was analysed, and what was found and recommended.
//!
//! Reports of one instance carry it at their end, in the language of the session. So nothing here hangs on words: a finding is a
//! line at the margin that ends in a number and a colon, over a line of dashes; a recommendation is such a line further in; what
//! comes first below a recommendation is its action, and what comes under another word is its rationale.

mod findings;
pub mod instances;
mod order;
mod summary;
mod target;
#[cfg(test)]
pub mod testing;

use crate::bounds::Bound;
use crate::model::{Made, Table, Tables};

/// The title of the table of findings, in any language.
pub const FINDINGS: &str = "ADDM Findings and Recommendations";
/// The title of the list of findings before them.
pub const SUMMARY: &str = "ADDM Summary of Findings";
/// The title of the table of a cluster's instances that were analysed.
pub const INSTANCES: &str = "ADDM Instances";
/// The title of the table of what was analysed.
pub const ANALYSES: &str = "ADDM Analyses";

/// One line.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its words.
    pub words: &'a str,
    /// From 1.
    pub number: u32,
}

impl<'a> Line<'a> {
    fn trimmed(&self) -> &'a str {
        self.words.trim()
    }

    fn indent(&self) -> usize {
        self.words.chars().take_while(|sign| *sign == ' ').count()
    }

    fn is_dashes(&self) -> bool {
        let words = self.trimmed();
        !words.is_empty() && words.bytes().all(|byte| byte == b'-')
    }

    /// Whether it is at the margin and begins a finding with its number.
    pub fn begins_finding(&self) -> bool {
        self.indent() == 0 && findings::numbered(self.trimmed()).is_some()
    }

    /// A title over dashes of its own length, with the task in quotes.
    pub fn is_title(&self, below: Option<&Self>) -> bool {
        let words = self.trimmed();
        let under = below.is_some_and(|below| {
            below.is_dashes()
                && below.trimmed().len().abs_diff(words.chars().count()) <= 2
                && below.indent() == self.indent()
        });
        under && words.contains("ADDM") && words.matches('\'').count() >= 2
    }
}

/// Reads it. Each analysis begins at its title and ends at the next one.
pub fn read(lines: &[Line<'_>], made: &mut Made<'_>, out: &mut Tables) {
    let titles: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].is_title(lines.get(at + 1))).collect();
    let Some(first) = titles.first() else { return };
    let ends = titles.iter().skip(1).copied().chain([lines.len()]);
    let parts: Vec<_> = titles.iter().zip(ends).map(|(from, to)| &lines[*from..to]).collect();
    let line = lines[*first].number;
    let mut writer = Writer { made, out };
    let analyses = writer.kept(parts.iter().map(|part| target::read(part)));
    let lacking = target::first_lack(&analyses);
    writer.table(ANALYSES, &target::COLUMNS, line, analyses);
    let listed = writer.kept(parts.iter().flat_map(|part| summary::read(part)));
    writer.table(SUMMARY, &summary::COLUMNS, line, listed);
    let rows_max = writer.out.room.left(Bound::Cells) / findings::COLUMNS.len();
    let found = writer.kept(parts.iter().flat_map(|part| findings::read(part, rows_max)));
    let broken = order::first_break(&found);
    let without_share = order::first_without_share(&found);
    let odd_share = order::first_odd_share(&found);
    let cut_description = order::first_cut_description(&found);
    writer.table(FINDINGS, &findings::COLUMNS, line, found);
    let instances = writer.kept(parts.iter().flat_map(|part| instances::read(part)));
    if !instances.is_empty() {
        writer.table(INSTANCES, &instances::COLUMNS, line, instances);
    }
    if let Some(part) = parts.iter().find(|part| target::is_cut(part)) {
        let message = "what was analysed is not all there: a line may be lost".to_owned();
        out.problem("row-unread", part[0].number, ANALYSES, message);
    } else if let Some((line, column)) = lacking {
        let message = format!("the head of this analysis does not say its {column}: a line may be lost");
        out.problem("row-unread", line, ANALYSES, message);
    }
    if let Some(line) = without_share {
        let message =
            "a finding or recommendation does not say what it weighs, and others do: a line may be lost";
        out.problem("row-headless", line, FINDINGS, message.to_owned());
    }
    if let Some(line) = cut_description {
        let message = "what was found is not said, or not up to the end of its sentence: a line may be lost";
        out.problem("row-headless", line, FINDINGS, message.to_owned());
    }
    if let Some(line) = odd_share {
        let message = "a finding or recommendation weighs itself in other numbers than the others do";
        out.problem("row-headless", line, FINDINGS, message.to_owned());
    }
    if let Some(line) = parts.iter().find_map(|part| order::first_doubled(part)) {
        let message = "lines stand here twice: what they say may be counted twice, or cut off";
        out.problem("row-headless", line, FINDINGS, message.to_owned());
    }
    if let Some(line) = parts.iter().find_map(|part| order::first_gap(part).or(order::first_weightless(part)))
    {
        let message = "what stands above this line is not there: lines may be lost";
        out.problem("row-headless", line, FINDINGS, message.to_owned());
    }
    if let Some(line) = broken {
        let message =
            "findings and their recommendations do not follow each other by number: lines may be lost";
        out.problem("row-headless", line, FINDINGS, message.to_owned());
    }
}

/// A row with its line: words that are empty where nothing is said.
type Said = (u32, Vec<String>);

struct Writer<'a, 'b> {
    made: &'a mut Made<'b>,
    out: &'a mut Tables,
}

impl Writer<'_, '_> {
    /// The rows, as many as there is room for.
    fn kept(&mut self, rows: impl Iterator<Item = Said>) -> Vec<Said> {
        let mut kept = Vec::new();
        for (line, row) in rows {
            self.out.charge(Bound::Cells, row.len(), line);
            self.out.charge(Bound::Findings, row.iter().map(String::len).sum(), line);
            if self.out.is_full {
                break;
            }
            kept.push((line, row));
        }
        kept
    }

    fn table(&mut self, title: &str, columns: &[&str], line: u32, rows: Vec<Said>) {
        let first_row = self.out.rows.len() as u32;
        for (line, row) in &rows {
            self.out.begin_row();
            for (column, words) in row.iter().enumerate() {
                let span = self.made.keep(words);
                self.out.push(words, span, *line, column);
            }
        }
        self.out.push_table(Table {
            title: title.to_owned(),
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            first_row,
            row_count: rows.len() as u32,
            line,
            ..Table::default()
        });
    }
}

/// The words between the first quotes.
fn quoted(words: &str) -> &str {
    words.split('\'').nth(1).unwrap_or_default()
}

/// A number in prose.
#[derive(Debug, PartialEq)]
struct Number<'a> {
    words: &'a str,
    is_percent: bool,
    is_in_parentheses: bool,
}

/// The numbers of prose, each without the point that ends its sentence.
fn numbers(words: &str) -> Vec<Number<'_>> {
    let mut found = Vec::new();
    let (mut at, mut open) = (0, 0_i32);
    let bytes = words.as_bytes();
    while at < bytes.len() {
        let starts = bytes[at].is_ascii_digit()
            || bytes[at] == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let inside_word = is_fraction(bytes, at)
            || at > 0
                && (bytes[at - 1].is_ascii_alphanumeric() || matches!(bytes[at - 1], b'_' | b',' | b'<'));
        open += i32::from(bytes[at] == b'(') - i32::from(bytes[at] == b')');
        if !starts || inside_word {
            at += 1;
            continue;
        }
        let len = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
            .count();
        let number = words[at..at + len].trim_end_matches(['.', ',']);
        let rest = words[at + len..].trim_start_matches(['\\', ' ']);
        // No sentence has such a sign behind a number.
        if !words[at + len..].starts_with(['<', '>', '#', '?']) {
            let is_percent = rest.starts_with('%');
            found.push(Number { words: number, is_percent, is_in_parentheses: open > 0 });
        }
        at += len;
    }
    found
}

/// Whether a point with a letter or digit before it stands right before a place: `K2.93` is no number, and so is its end.
fn is_fraction(bytes: &[u8], at: usize) -> bool {
    at > 1 && bytes[at - 1] == b'.' && bytes[at - 2].is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::{Line, numbers};

    #[test]
    fn a_title_stands_over_dashes_and_names_its_task() {
        let is_title = |text: &str| {
            let lines: Vec<_> = text.lines().map(|words| Line { words, number: 1 }).collect();
            lines[0].is_title(lines.get(1))
        };
        assert!(is_title("     ADDM Report for Task 'T1'\n     -------------------------"));
        assert!(is_title("     ADDM-Bericht für Task 'T1'\n     --------------------------\n"));
        assert!(!is_title("WHERE D.ADVISOR_NAME = 'ADDM'\n AND"));
        assert!(!is_title("Top ADDM Findings\n~~~~~~~~~~~~~~~~"));
        assert!(!is_title("Top ADDM Findings\n-----------------"));
    }

    #[test]
    fn numbers_of_prose_know_their_percent() {
        let said = |words| -> Vec<(String, bool, bool)> {
            let found = numbers(words).into_iter();
            found
                .map(|number| (number.words.to_owned(), number.is_percent, number.is_in_parentheses))
                .collect()
        };
        let number = |words: &str, percent| (words.to_owned(), percent, false);
        assert_eq!(
            said("Impact is .93 active sessions, 100% of total."),
            [number(".93", false), number("100", true)]
        );
        assert_eq!(said("ist 1,5 Sessions, 88.06\\% der"), [number("1,5", false), number("88.06", true)]);
        assert_eq!(said("90% impact (637 seconds)")[1], ("637".to_owned(), false, true));
        assert!(said("DB12C and db12cn1").is_empty());
    }
}
