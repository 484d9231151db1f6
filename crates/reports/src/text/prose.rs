//! Lines that became no headings: labels with values, errors, a section with nothing, a title alone, or prose.

use super::table::OpenTable;
use super::titles::is_title;
use super::{Line, Pending, Scan, pairs};
use crate::bounds::{Bound, TEXT_COLUMNS_MAX};
use crate::embedded;
use crate::kind;
use crate::model::{Cell, Row, Span, Status, Table};

/// What Oracle prints where a section has nothing to say.
const NO_DATA: &str = "No data exists for this section";

impl<'a> Scan<'a, '_> {
    /// A line between two rows that fits no column.
    pub(super) fn skip_odd(&mut self) {
        for Pending { line: odd, .. } in std::mem::take(&mut self.pending) {
            self.unread(odd);
        }
    }

    /// Lines that became no headings: pairs, errors, a section with nothing, or prose.
    pub(super) fn end_prose(&mut self) {
        let pending: Vec<Line<'a>> = self.pending.drain(..).map(|pending| pending.line).collect();
        let Some(first) = pending.first() else { return };
        if pending.iter().any(|line| line.words.trim_start().starts_with(NO_DATA)) {
            self.end_table();
            self.out.numbers.confirm();
            self.out.push_table(self.empty_table(first.number));
            // What comes without a title of its own has lost it.
            self.title.end();
            return;
        }
        for line in &pending {
            embedded::find(line.words, line.number, self.title.words(), self.out);
        }
        if pending.iter().any(|line| !pairs::find(line.words).is_empty()) {
            self.pairs(&pending);
        } else if pending.len() == 1
            && is_title(first.words)
            && self.open.as_ref().is_none_or(|table| table.has_rows() && !self.stands_below_row(table, first))
        {
            self.end_table();
            self.title.set(first.words.trim());
            let words = if kind::is_end(first.words) { "" } else { first.words };
            self.out.numbers.suppose(words, first.number);
        } else if self.open.as_ref().is_some_and(|table| table.goes_on_at(first.number)) {
            pending.iter().for_each(|line| self.unread(*line));
        } else {
            let lost = pending.iter().filter(|line| !kind::is_end(line.words));
            lost.for_each(|line| self.out.numbers.lose(line.words, line.number));
        }
    }

    /// Whether a line stands right below a row, as no title does.
    fn stands_below_row(&self, table: &OpenTable, line: &Line<'_>) -> bool {
        table.goes_on_at(line.number) && !kind::is_end(line.words)
    }

    /// A line that stands among a table's rows and fits none of its columns.
    fn unread(&mut self, line: Line<'a>) {
        let message = format!("this line fits no column of its table: {}", line.words.trim());
        self.out.problem("row-unread", line.number, self.title.words(), message);
    }

    pub(super) fn empty_table(&self, line: u32) -> Table {
        Table {
            title: self.title.words().to_owned(),
            first_row: self.out.rows.len() as u32,
            line,
            ..Table::default()
        }
    }

    /// A table of labels and values, a row for each line.
    pub(super) fn pairs(&mut self, lines: &[Line<'a>]) {
        self.out.numbers.confirm();
        let mut table = self.empty_table(lines[0].number);
        let mut width = 0;
        for line in lines {
            let places = pairs::find(line.words);
            let end = places.last().map_or(0, |(_, end)| *end);
            self.out.numbers.lose(&line.words[end..], line.number);
            if places.is_empty() || self.out.is_full {
                continue;
            }
            if places.len() > TEXT_COLUMNS_MAX {
                let message = "this line has more labels than any page has room for".to_owned();
                self.out.problem("row-unread", line.number, &table.title, message);
                continue;
            }
            self.out.charge(Bound::Cells, places.len(), line.number);
            self.out.rows.push(Row { first: self.out.cells.len() as u32, len: places.len() as u32 });
            width = width.max(places.len());
            for (column, (from, to)) in places.into_iter().enumerate() {
                let span = Span::between(line.start + from, line.start + to);
                let cell = Cell::read(&line.words[from..to], span, line.number, column, self.out.decimal);
                self.out.cells.push(cell);
            }
            table.row_count += 1;
        }
        table.columns = vec![String::new(); width].into();
        let first = self.out.rows_of(&table).first().map_or(self.out.cells.len(), |row| row.first as usize);
        if self.out.cells[first..].iter().any(|cell| cell.status == Status::Typed) {
            self.title.require(table.line, self.out);
        }
        self.out.push_table(table);
    }
}
