//! Tables that are open, the innermost last, and how their cells and rows end.

use super::entities::unescape;
use super::headings::{HeadCell, Reach, names};
use super::tag::Tag;
use crate::bounds::{Bound, HEADING_ROWS_MAX, HTML_COLUMNS_MAX};
use crate::model::{Cell, Made, Row, Span, Status, Table, Tables};

/// What a cell needs to be read.
pub struct Reading<'a, 'b> {
    /// The report.
    pub source: &'a str,
    /// Where words go that do not stand in it as they are.
    pub made: &'b mut Made<'a>,
    /// Where finished tables go.
    pub out: &'b mut Tables,
}

/// A table from its begin to its end.
pub struct OpenTable {
    table: Table,
    heads: Vec<Vec<HeadCell>>,
    rows: Vec<Row>,
    cells: Vec<Cell>,
    row: OpenRow,
    reach: Reach,
    cell: Option<OpenCell>,
    width: usize,
    /// Where the last row of headings ends, with what reaches into it from above.
    heads_end: usize,
    /// What the names of all columns take at most.
    names_bytes: usize,
    /// As wide as the headings allow; empty without headings.
    widths: Vec<usize>,
    /// Rows of another width.
    odd: Vec<OddRow>,
    /// How many rows hold cells of headings where the table has none.
    mixed_rows: usize,
    /// The column behind the last one that has a heading.
    said: usize,
    /// The widths of rows, with the first of those that have it and their number.
    row_widths: Vec<(OddRow, u32)>,
    /// The line of the first cell that stands further right than any table has columns.
    too_wide: Option<u32>,
    /// How many of the first rows are one cell over all columns: notes, below which headings may still come.
    notes: usize,
    /// Whether the table's title is its first heading.
    titled_inside: bool,
}

/// A row by its place in the table, its line and its width.
#[derive(Clone, Copy)]
struct OddRow {
    at: usize,
    line: u32,
    width: usize,
}

#[derive(Default)]
struct OpenRow {
    first: usize,
    next_column: usize,
    heads: Vec<(usize, usize)>,
}

/// A cell from its begin to its end. Its words are the source from `from` on, after those that markup made `words` of.
struct OpenCell {
    from: usize,
    line: u32,
    words: String,
    plain: bool,
    is_head: bool,
    columns: usize,
    rows: usize,
}

impl OpenTable {
    /// Under a title.
    pub fn new(title: &str, stray: bool, summary: &str, line: u32, titled_inside: bool) -> Self {
        let (title, summary) = (title.to_owned(), summary.to_owned());
        let table = Table { title, stray, summary, line, ..Table::default() };
        Self {
            table,
            heads: Vec::new(),
            rows: Vec::new(),
            cells: Vec::new(),
            row: OpenRow::default(),
            reach: Reach::default(),
            cell: None,
            width: 0,
            heads_end: 0,
            names_bytes: 0,
            widths: Vec::new(),
            odd: Vec::new(),
            mixed_rows: 0,
            said: 0,
            row_widths: Vec::new(),
            too_wide: None,
            notes: 0,
            titled_inside,
        }
    }

    /// The heading it stands under.
    pub fn title(&self) -> &str {
        &self.table.title
    }

    /// Whether a heading or a row of data has ended in it.
    pub fn has_rows(&self) -> bool {
        !self.rows.is_empty() || self.has_headings()
    }

    /// Whether a heading has ended in it.
    pub fn has_headings(&self) -> bool {
        !self.heads.is_empty() || !self.row.heads.is_empty()
    }

    /// Whether a cell is open, to which text belongs.
    pub fn in_cell(&self) -> bool {
        self.cell.is_some()
    }

    /// Whether a cell of headings is open, or else one of data.
    pub fn in_cell_of(&self, headings: bool) -> bool {
        self.cell.as_ref().is_some_and(|cell| cell.is_head == headings)
    }

    /// A cell begins after its tag.
    pub fn begin_cell(&mut self, tag: &Tag<'_>, is_head: bool, line: u32) {
        let (columns, rows) = (tag.span("colspan"), tag.span("rowspan"));
        self.cell =
            Some(OpenCell { from: tag.end, line, words: String::new(), plain: true, is_head, columns, rows });
    }

    /// Markup inside of the cell: its words go on after it.
    pub fn skip(&mut self, source: &str, start: usize, end: usize) {
        if let Some(cell) = &mut self.cell {
            unescape(&source[cell.from..start], &mut cell.words);
            cell.plain = false;
            cell.from = end;
        }
    }

    /// A table inside of the cell has ended: its words go on here.
    pub fn resume(&mut self, from: usize) {
        if let Some(cell) = &mut self.cell {
            cell.from = from;
        }
    }

    /// The cell ends before `end`. Where its end tag is damaged, as `/td>`, its rest is no word of the cell.
    pub fn end_cell(&mut self, end: usize, by_tag: bool, reading: &mut Reading<'_, '_>) {
        let Some(mut cell) = self.cell.take() else { return };
        let mut words = &reading.source[cell.from..end];
        if !by_tag {
            let kept = words.trim_end();
            let cut = kept.strip_suffix("/td>").or_else(|| kept.strip_suffix("/TD>"));
            // In `a < /td>` the bracket is there and makes no tag, as in browsers.
            if let Some(cut) = cut.filter(|words| !words.trim_end().ends_with('<')) {
                words = cut;
                let message = "the end of this cell is damaged, and with it perhaps its last sign".to_owned();
                reading.out.problem("tag-damaged", cell.line, &self.table.title, message);
            }
        }
        let column = self.reach.free_from(self.row.next_column);
        if column + cell.columns > HTML_COLUMNS_MAX {
            self.too_wide = self.too_wide.or(Some(cell.line));
            return;
        }
        let span = Span::between(cell.from, cell.from + words.len());
        let read = if cell.plain && !words.contains('&') {
            Cell::read(words, span, cell.line, column, reading.out.decimal)
        } else {
            unescape(words, &mut cell.words);
            let kept = cell.words.trim();
            let span = reading.made.keep(kept);
            Cell::read(kept, span, cell.line, column, reading.out.decimal)
        };
        self.add(read, &cell);
    }

    fn add(&mut self, read: Cell, cell: &OpenCell) {
        let column = read.column as usize;
        self.reach.add(column, cell.columns, cell.rows);
        self.row.next_column = column + cell.columns;
        if cell.is_head {
            self.row.heads.push((self.cells.len(), cell.columns));
        }
        self.cells.push(read);
    }

    /// The row ends, if one is open: as a row of headings before the first of data, else as data.
    pub fn end_row(&mut self, reading: &mut Reading<'_, '_>) {
        let first = std::mem::replace(&mut self.row.first, self.cells.len());
        if first < self.cells.len() {
            reading.out.charge(Bound::Cells, self.cells.len() - first, self.cells[first].line);
            let heads = std::mem::take(&mut self.row.heads);
            if self.rows.len() == self.notes && is_head_row(&self.cells[first..], heads.len()) {
                let row = self.head_row(first, &heads, reading);
                self.add_heads(row, self.cells[first].line, reading.out);
                self.heads_end = self.reach.free_from(self.row.next_column);
                self.cells.truncate(first);
                self.row.first = first;
                self.leave_notes_out(reading);
            } else {
                let is_note = self.cells.len() - first == 1 && self.row.next_column > 1;
                self.notes += usize::from(is_note && self.rows.len() == self.notes);
                self.rows.push(Row { first: first as u32, len: (self.cells.len() - first) as u32 });
                self.width = self.width.max(self.row.next_column);
                self.mixed_rows += usize::from(self.heads.is_empty() && !heads.is_empty());
                self.hold_to_headings(first, &heads);
            }
            self.reach.end_row();
        }
        self.row.heads.clear();
        self.row.next_column = 0;
    }

    /// Notes between a title inside of its table and the headings are no rows.
    fn leave_notes_out(&mut self, reading: &mut Reading<'_, '_>) {
        if self.titled_inside && self.notes > 0 {
            for cell in self.cells.drain(..) {
                reading.out.numbers.note(reading.made.get(reading.source, cell.span));
            }
            self.rows.clear();
            (self.notes, self.row.first) = (0, 0);
        }
    }

    /// Headings that span columns stand in the name of each: of more than there is room for nothing is kept.
    fn add_heads(&mut self, row: Vec<HeadCell>, line: u32, out: &mut Tables) {
        self.names_bytes += row.iter().map(|cell| (cell.words.len() + 1) * cell.columns).sum::<usize>();
        if self.heads.len() == HEADING_ROWS_MAX {
            out.meet(Bound::HeadingRows, line);
        } else if self.names_bytes > out.room.left(Bound::ColumnNames) {
            out.meet(Bound::ColumnNames, line);
        } else {
            self.heads.push(row);
        }
    }

    /// A row that is not as wide as its headings has lost a cell, or taken in another's: nobody knows what stands under which.
    /// Headings may begin anew between rows.
    fn hold_to_headings(&mut self, first: usize, heads: &[(usize, usize)]) {
        let width = self.reach.free_from(self.row.next_column);
        if self.rows.len() == 1 {
            self.allow_widths();
        }
        if self.titled_inside && is_statement(&self.cells[first..], self.row.next_column) {
            return;
        }
        let row = OddRow { at: self.rows.len() - 1, line: self.cells[first].line, width };
        if is_head_row(&self.cells[first..], heads.len()) {
            self.widths = vec![width];
        } else if !self.widths.is_empty() && !self.widths.contains(&width) {
            self.odd.push(row);
        } else if !self.widths.is_empty() {
            self.count_width(row);
        }
    }

    fn count_width(&mut self, row: OddRow) {
        match self.row_widths.iter_mut().find(|(known, _)| known.width == row.width) {
            Some((_, count)) => *count += 1,
            None => self.row_widths.push((row, 1)),
        }
    }

    /// The only row that is of another width than all others, where one of both lacks a cell under a heading: Exadata's rows may be as
    /// wide as the last row of headings, but then all of them are.
    fn odd_width(&self) -> Option<OddRow> {
        let [(first, one), (second, other)] = self.row_widths.as_slice() else { return None };
        if first.width.min(second.width) >= self.said {
            return None;
        }
        match (*one, *other) {
            (ROWS_ALIKE_MIN.., 1) => Some(*second),
            (1, ROWS_ALIKE_MIN..) => Some(*first),
            _ => None,
        }
    }

    /// Says which rows are not as wide as their headings.
    fn say_odd(&mut self, out: &mut Tables) {
        self.odd.extend(self.odd_width());
        self.odd.sort_by_key(|row| row.at);
        for OddRow { at, line, width } in &self.odd {
            let message = format!(
                "this row is {width} columns wide, and its headings are not: it is in no typed table, and its numbers are kept \
                 as words"
            );
            out.problem("row-odd", *line, &self.table.title, message);
            out.odd_rows.push((out.rows.len() + at) as u32);
        }
    }

    /// How wide rows may be: as all headings or as the last row of them, less those at the right that say nothing.
    fn allow_widths(&mut self) {
        if self.heads.is_empty() {
            // Labels and values side by side have no headings to be held to.
            return;
        }
        let names = names(&self.heads);
        let said = names.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
        self.said = said;
        self.widths = (said..=names.len()).chain([self.heads_end]).collect();
    }

    fn head_row(&self, first: usize, heads: &[(usize, usize)], reading: &Reading<'_, '_>) -> Vec<HeadCell> {
        let spanned =
            |index: usize| heads.iter().find(|(at, _)| *at == index).map_or(1, |(_, columns)| *columns);
        let words_of = |cell: &Cell| reading.made.get(reading.source, cell.span).split_whitespace();
        let cells = self.cells[first..].iter().enumerate();
        cells
            .map(|(at, cell)| HeadCell {
                words: words_of(cell).collect::<Vec<_>>().join(" "),
                column: cell.column as usize,
                columns: spanned(first + at),
            })
            .collect()
    }

    /// One heading over all columns is the table's title, in pages whose tables have theirs inside.
    fn take_title(&mut self) {
        if !self.titled_inside {
            return;
        }
        let ends = self.heads.iter().skip(1).flatten().map(|cell| cell.column + cell.columns);
        // Words of statements below rows of figures may span one column more than there are.
        let width = ends.max().unwrap_or(self.width);
        let Some([only]) = self.heads.first().map(Vec::as_slice) else { return };
        if only.columns > 1 && only.columns >= width && !only.words.is_empty() {
            self.table.title = self.heads.remove(0).swap_remove(0).words;
        }
    }

    /// The table ends and joins the others.
    pub fn finish(mut self, out: &mut Tables) {
        let (first_row, first_cell) = (out.rows.len(), out.cells.len());
        self.take_title();
        let mut columns = names(&self.heads);
        columns.resize(columns.len().max(self.width), String::new());
        self.table.columns = columns.into();
        if let Some(heading) = self.table.columns.iter().find(|heading| heading.contains("\">")) {
            let message = format!("the heading '{heading}' holds what should be its tag");
            out.problem("heading-damaged", self.table.line, &self.table.title, message);
        }
        if let Some(wrong) = wrong_rows(&self.heads, self.heads_end.max(self.width)) {
            out.problem("heading-damaged", self.table.line, &self.table.title, wrong.to_owned());
        }
        if is_headless(&self.heads) && !self.rows.is_empty() {
            let message = "the headings of this table are those of groups alone: its own are lost".to_owned();
            out.problem("heading-empty", self.table.line, &self.table.title, message);
        }
        if self.mixed_rows == 1 && self.rows.len() > 1 {
            let message = "headings of this table stand in a row of data: lines between may be lost";
            out.problem("heading-damaged", self.table.line, &self.table.title, message.to_owned());
        }
        self.say_odd(out);
        if let Some(line) = self.too_wide {
            let message = format!("this table has more than {HTML_COLUMNS_MAX} columns");
            out.problem("table-too-wide", line, &self.table.title, message);
        }
        out.cells.append(&mut self.cells);
        out.rows
            .extend(self.rows.iter().map(|row| Row { first: row.first + first_cell as u32, len: row.len }));
        self.table.first_row = first_row as u32;
        self.table.row_count = self.rows.len() as u32;
        out.push_table(self.table);
    }
}

/// Fewer rows of one width prove nothing.
const ROWS_ALIKE_MIN: u32 = 2;

/// Whether several headings stand over columns, and each over more than one.
fn is_headless(heads: &[Vec<HeadCell>]) -> bool {
    let mut said = heads.iter().flatten().filter(|cell| !cell.words.is_empty()).peekable();
    heads.iter().flatten().filter(|cell| !cell.words.is_empty()).count() > 1
        && said.peek().is_some()
        && said.all(|cell| cell.columns > 1)
}

/// Whether all that the row says stands in heading cells.
fn is_head_row(cells: &[Cell], heads: usize) -> bool {
    let said = cells.iter().filter(|cell| cell.status != Status::Blank).count();
    heads > 0 && (said <= heads)
}

/// Whether the row is a blank cell and one over all columns behind it: the words of the statement above.
fn is_statement(cells: &[Cell], width: usize) -> bool {
    matches!(cells, [blank, _] if blank.status == Status::Blank) && width > 2
}

/// What is wrong with rows of headings that cannot all be as they were printed.
fn wrong_rows(heads: &[Vec<HeadCell>], width: usize) -> Option<&'static str> {
    let said = |row: &[HeadCell]| row.iter().filter(|cell| !cell.words.is_empty()).count();
    let is_same = |pair: &[Vec<HeadCell>]| {
        let [one, other] = pair else { return false };
        said(one) > 1
            && one.len() == other.len()
            && one.iter().zip(other).all(|(one, other)| one.words == other.words)
    };
    let end = |row: &Vec<HeadCell>| {
        row.iter().filter(|cell| !cell.words.is_empty()).map(|cell| cell.column + cell.columns).max()
    };
    if heads.windows(2).any(is_same) {
        return Some("the headings of this table are there twice");
    }
    // Exadata's pages let a heading that is alone reach over more columns than there are.
    let is_wider = heads.iter().any(|row| said(row) > 1 && end(row) > Some(width));
    is_wider.then_some("headings of this table stand over more columns than it has")
}

#[cfg(test)]
mod tests;
