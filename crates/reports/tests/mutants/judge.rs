//! Whether what was read from a damaged report stands in the undamaged one, or is under a problem.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use plimsoll_reports::Report;
use plimsoll_reports::kind::Kind;
use plimsoll_reports::model::{Cell, Row, Status, Table};
use plimsoll_reports::sections::view::View;
use serde_json::Value;

use super::change::Mutant;
use super::facts::{By, Facts, fact, names, typed_facts};

/// An undamaged report, by what it says.
pub struct Original {
    facts: Facts,
    header: Value,
}

impl Original {
    /// Of a report.
    pub fn of(report: &Report) -> Self {
        Self { facts: Facts::of(report), header: header(report) }
    }
}

fn header(report: &Report) -> Value {
    serde_json::to_value(&report.header).expect("plain values")
}

/// Answers of AWR-Miner's head that no single line says.
const OF_ALL_ROWS: [&str; 4] = ["begin_snap", "end_snap", "begin_time", "end_time"];

/// So many lines above a table may hold its title and headings.
const ABOVE_LINES_MAX: u32 = 14;

/// Every number that differs in a table that claims to be whole, in words.
pub fn judge(mutant: &Mutant, report: &Report, originals: &[&Original]) -> Vec<String> {
    let judging = Judging::new(mutant, report, originals);
    let mut found = Vec::new();
    for index in 0..report.tables.tables.len() {
        if judging.claims_to_be_whole(index) {
            judging.table(index, &mut found);
        }
    }
    judging.typed(&mut found);
    judging.header(&mut found);
    found
}

struct Judging<'a> {
    report: &'a Report,
    originals: &'a [&'a Original],
    touched_lines: Vec<RangeInclusive<u32>>,
    touched_words: Vec<String>,
    seam_lines: Vec<u32>,
    broken_lines: Vec<RangeInclusive<u32>>,
    second_line: Option<u32>,
}

impl<'a> Judging<'a> {
    fn new(mutant: &Mutant, report: &'a Report, originals: &'a [&'a Original]) -> Self {
        let lines = |range: &std::ops::Range<usize>| mutant.line(range.start)..=mutant.line(range.end);
        Self {
            report,
            originals,
            touched_lines: mutant.touched.iter().map(lines).collect(),
            touched_words: mutant.words(report.encoding),
            broken_lines: mutant
                .touched
                .iter()
                .filter(|range| mutant.breaks_lines(range))
                .map(lines)
                .collect(),
            seam_lines: mutant.seams.iter().map(|byte| mutant.line(*byte)).collect(),
            second_line: mutant.second_from.map(|byte| mutant.line(byte)),
        }
    }

    fn knows(&self, fact: u64) -> bool {
        self.originals.iter().any(|original| original.facts.has(fact))
    }

    fn tables(&self) -> &'a [Table] {
        &self.report.tables.tables
    }

    /// From its title's line up to the next table that begins behind its last row. ADDM's tables are made of the same lines: all begin
    /// in the first one, and the next table in the list begins within the rows of this one, or above them. No wrong number gets through
    /// by it: it takes no line from any table, and a problem in the lines that it adds stands among the table's own rows, or
    /// below its last one where nothing else has begun.
    fn lines_of(&self, index: usize) -> (u32, u32) {
        let table = &self.tables()[index];
        let rows = self.report.tables.rows_of(table).iter();
        let last = rows.map(|row| self.last_line(*row)).max().unwrap_or_default().max(table.line);
        let behind = self.tables()[index + 1..].iter().find(|next| next.line > last);
        (table.line.saturating_sub(ABOVE_LINES_MAX), behind.map_or(u32::MAX, |next| next.line))
    }

    fn claims_to_be_whole(&self, index: usize) -> bool {
        let table = &self.tables()[index];
        let (first, end) = self.lines_of(index);
        !self.report.tables.problems.iter().filter(|problem| problem.loses).any(|problem| {
            let within = problem.line.is_none_or(|line| (first..end).contains(&line));
            let named =
                problem.section.as_deref().is_some_and(|name| name == table.title || name == table.view);
            within || named && problem.line.is_none()
        })
    }

    fn touched(&self, first: u32, end: u32) -> bool {
        self.touched_lines.iter().any(|lines| *lines.start() < end && *lines.end() >= first)
    }

    fn seamed(&self, first: u32, end: u32) -> bool {
        self.seam_lines.iter().any(|line| (first..end).contains(line))
    }

    fn table(&self, index: usize, found: &mut Vec<String>) {
        let table = &self.tables()[index];
        let rows = self.report.tables.rows_of(table);
        let (above, end) = self.lines_of(index);
        let first_row = rows.first().map_or(end, |row| self.first_line(*row));
        // The first row's own line as well: in HTML both can stand in one. And tildes below pairs underline the title beside them.
        let is_pairs = table.columns.iter().all(String::is_empty);
        let head_end = first_row.saturating_add(1 + u32::from(is_pairs));
        let head_damaged = self.touched(above, head_end) || self.seamed(above, head_end);
        for (at, row) in rows.iter().enumerate() {
            let first = self.first_line(*row);
            let row_end = rows.get(at + 1).map_or(end, |next| self.first_line(*next)).max(first + 1);
            if self.is_behind_seam(table, self.last_line(*row)) || self.is_broken(first, row_end) {
                continue;
            }
            let damaged = self.touched(first, row_end) || self.seamed(first + 1, row_end);
            self.row(table, *row, head_damaged, damaged, found);
        }
    }

    /// Whether a line end came or went in the row: what stood behind it stands elsewhere on the page.
    fn is_broken(&self, first: u32, end: u32) -> bool {
        self.broken_lines.iter().any(|lines| *lines.start() < end && *lines.end() >= first)
    }

    /// Whether the damage stands in these words.
    fn is_worded(&self, words: &str) -> bool {
        let words = words.to_lowercase();
        self.touched_words.iter().any(|touched| !touched.is_empty() && words.contains(touched.as_str()))
    }

    fn first_line(&self, row: Row) -> u32 {
        self.report.tables.cells_of(row).iter().map(|cell| cell.line).min().unwrap_or_default()
    }

    fn last_line(&self, row: Row) -> u32 {
        self.report.tables.cells_of(row).iter().map(|cell| cell.line).max().unwrap_or_default()
    }

    /// Whether a second report begins between the table's begin and here.
    fn is_behind_seam(&self, table: &Table, line: u32) -> bool {
        self.second_line.is_some_and(|second| table.line <= second && line >= second)
    }

    fn row(&self, table: &Table, row: Row, head_damaged: bool, damaged: bool, found: &mut Vec<String>) {
        let names = names(self.report, table, row);
        // Who is not named is not confused with another.
        let damaged_names = damaged || names.is_empty() || self.is_worded(&names);
        let untitled = table.title.is_empty() || self.is_worded(&table.title);
        let ways: &[By] = match (head_damaged, damaged_names, untitled) {
            (false, false, false) => &[By::All],
            (false, false, true) => &[By::Untitled],
            (false, true, false) => &[By::Heading],
            (_, _, true) => &[By::HeadingAlone, By::UntitledPlace],
            (true, false, false) => &[By::All, By::Place, By::UntitledPlace, By::Untitled],
            (true, true, false) => &[By::Heading, By::TitleAndPlace, By::HeadingAlone],
        };
        for cell in self.report.tables.cells_of(row).iter().filter(|cell| cell.status == Status::Typed) {
            let known = ways.iter().any(|by| self.knows(fact(*by, table, &names, cell)));
            let excused = damaged && self.is_reached(cell);
            if !(known || excused) {
                found.push(self.shown(table, &names, cell));
            }
        }
    }

    /// Whether the damage stands in the words of the cell.
    fn is_reached(&self, cell: &Cell) -> bool {
        let words = self.report.text.get(cell.span);
        self.is_worded(words)
    }

    fn shown(&self, table: &Table, names: &str, cell: &Cell) -> String {
        let heading = table.columns.get(cell.column as usize).map_or("", String::as_str);
        format!(
            "line {}: '{}' of '{}', column {} '{heading}': {}",
            cell.line,
            names.trim().replace('\n', " | "),
            table.title,
            cell.column,
            self.report.text.get(cell.span)
        )
    }

    fn typed(&self, found: &mut Vec<String>) {
        let whole: HashSet<usize> =
            (0..self.tables().len()).filter(|index| self.claims_to_be_whole(*index)).collect();
        for typed in &self.report.typed {
            let facts = typed_facts(typed.view.name, &typed.batch().expect("columns of one length"));
            for (at, one) in facts.iter().enumerate() {
                let later = facts[at..].iter().find(|other| other.line != one.line);
                let end = later
                    .filter(|next| next.table == one.table)
                    .map_or(self.lines_of(one.table).1, |next| next.line);
                let end = end.max(one.line + 1);
                let excused = !whole.contains(&one.table)
                    || self.touched(one.line, end)
                    || self.seamed(one.line + 1, end)
                    || self.is_broken(one.line, end)
                    || self.is_worded(&one.words)
                    || self.has_lost_its_name(typed.view, one.table, one.line)
                    || self.is_behind_seam(&self.tables()[one.table], one.line);
                if !excused && !self.knows(one.hash) {
                    found.push(format!("line {}: {}", one.line, one.words));
                }
            }
        }
    }

    /// Whether lines are lost above a row whose name stands once for all rows to the next one.
    fn has_lost_its_name(&self, view: &View, table: usize, line: u32) -> bool {
        view.columns.iter().any(|column| column.carried) && self.seamed(self.tables()[table].line, line + 1)
    }

    /// Each answer of the head is an original's, or none; of a damaged head one may be as the damage left it.
    fn header(&self, found: &mut Vec<String>) {
        let Value::Object(read) = header(self.report) else { return };
        // AWR-Miner's interval is that of all its rows together, and nobody knows it where some are lost.
        let is_free = |name: &str| self.report.kind == Kind::AwrMiner && OF_ALL_ROWS.contains(&name);
        let differs = |name: &str, value: &Value| {
            !value.is_null()
                && !is_free(name)
                && !self.originals.iter().any(|original| &original.header[name] == value)
        };
        let different: Vec<_> =
            read.iter().filter(|(name, value)| *name != "instances" && differs(name, value)).collect();
        let excused = usize::from(!self.touched_lines.is_empty());
        if different.len() > excused {
            found.push(format!("header: {different:?}"));
        }
    }
}
