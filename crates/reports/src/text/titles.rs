//! Titles, and what tells them from headings and rows: `DB/Inst:` behind them, tildes or dashes below them.

use super::page::Kind;
use super::ruler::{self, Ruler};
use super::table::OpenTable;
use super::{Line, Pending, Scan};
use crate::model::title_of;

impl<'a> Scan<'a, '_> {
    /// `Section  DB/Inst: …`: a new section, or the same one on a new page.
    pub(super) fn section(&mut self, line: Line<'a>, len: usize) {
        let title = title_of(line.words[..len].trim());
        self.hold_to_database(line, len);
        self.carry_name(title);
        self.end_prose();
        match &mut self.open {
            Some(table) if table.title() == title => table.turn_page(),
            _ => {
                self.end_table();
                self.out.numbers.refute();
                self.title.set(title);
            }
        }
        self.in_bullets = false;
    }

    /// All titles of a report name the same database and instance.
    fn hold_to_database(&mut self, line: Line<'a>, len: usize) {
        let Some(behind) = line.words[len..].strip_prefix("DB/Inst:") else { return };
        let behind = behind.trim_start();
        let named = behind.split_ascii_whitespace().next().unwrap_or_default();
        if self.database.replace(named).is_some_and(|known| known != named) {
            let message = format!(
                "the title in this line names {named}, and the one before another database or instance"
            );
            self.out.problem("heading-damaged", line.number, &line.words[..len], message);
        }
    }

    /// A name on a line of its own at the foot of a page: its figures stand on the next one.
    pub(super) fn carry_name(&mut self, title: &str) {
        let after_blank = self.after_blank;
        let goes_on =
            |table: &&mut OpenTable| table.title() == title && table.takes_names_above() && !after_blank;
        if let (Some(table), [name]) = (self.open.as_mut().filter(goes_on), self.pending.as_slice()) {
            table.name_next(name.line);
            self.pending.clear();
        }
    }

    /// `~~~~` below a title; what stands beside both belongs to the headings.
    pub(super) fn tildes(&mut self, at: usize) {
        let line = self.lines[at];
        self.in_bullets = false;
        if let Some(name) = line.words.strip_prefix("~~BEGIN-") {
            self.begin_named(line, name.trim_end_matches('~'));
        } else if let Some(name) = line.words.strip_prefix("~~END-") {
            self.end_named(line, name.trim_end_matches('~'));
        } else if ruler::is_dashes(line.words.as_bytes()) {
            if !self.pending.iter().any(|above| is_header_row(above.line.words)) {
                self.name_from_above();
            }
            self.ruler(at);
        } else if self.is_over_sums(line) {
            if let Some(table) = &mut self.open {
                table.underline(line.number);
            }
        } else {
            self.name_from_above();
            self.end_table();
            if line.words.contains("--------") {
                let message = "a line of dashes under headings is damaged".to_owned();
                self.out.problem("heading-damaged", line.number, self.title.words(), message);
            }
            if line.words.bytes().any(|byte| !matches!(byte, b'~' | b' ')) {
                self.pending.push(Pending { line, from: 0 });
            }
        }
    }

    /// A title may have one bullet between itself and its tildes.
    pub(super) fn name_above_bullets(&mut self, at: usize) {
        let tildes = self.lines.get(at + 1).is_some_and(|line| line.kind == Kind::Tildes);
        let [Pending { line, from: 0 }] = self.pending.as_slice() else { return };
        if tildes && is_title(line.words) {
            let title = line.words.trim();
            self.end_table();
            self.out.numbers.refute();
            self.title.set(title);
            self.pending.clear();
        }
    }

    /// The line above the tildes begins with a title; what stands behind it are headings, or pairs.
    pub(super) fn name_from_above(&mut self) {
        let above = self.pending.pop();
        self.end_prose();
        let Some(Pending { line, .. }) = above else { return };
        self.end_table();
        let title = first_part(line.words);
        self.out.numbers.refute();
        self.title.set(title);
        let from = line.words.len() - line.words.trim_start().len() + title.len();
        let rest = &line.words[from..];
        if rest.contains(':') {
            self.pairs(&[Line { words: rest, start: line.start + from, ..line }]);
        } else if !rest.trim().is_empty() {
            self.pending.push(Pending { line, from });
        }
    }

    /// Whether the one line above begins with words over the labels: a title, which no tildes underline.
    pub(super) fn is_named_above(&self, ruler: &Ruler) -> bool {
        let [Pending { line, from: 0 }] = self.pending.as_slice() else { return false };
        let words = line.words.replace('~', " ");
        let labels = words.get(..ruler.columns[0].1).unwrap_or(&words);
        !labels.trim().is_empty() && !is_header_row(line.words)
    }

    /// Whether a line behind a blank one stands over tildes: the title of what follows, and no row of the table above.
    pub(super) fn is_title_of_tildes(&self, at: usize) -> bool {
        let over = self.lines.get(at + 1).is_some_and(|next| next.kind == Kind::Tildes);
        self.after_blank && over
    }
}

/// `Database    DB Id    Instance`: headings over a ruler, and no title.
fn is_header_row(words: &str) -> bool {
    let first = first_part(words);
    ["Database", "Host", "Host Name", "Snapshot"].contains(&first)
}

/// Up to the first gap of two spaces.
fn first_part(words: &str) -> &str {
    let words = words.trim_start();
    words.split("  ").next().unwrap_or(words).trim()
}

/// Whether a line alone can be the title of what follows.
pub(super) fn is_title(words: &str) -> bool {
    let trimmed = words.trim();
    words.len() - words.trim_start().len() <= 1
        && trimmed.len() < 80
        && trimmed.starts_with(|first: char| first.is_ascii_uppercase())
        && !trimmed.ends_with([';', ',', ')', '.'])
}
