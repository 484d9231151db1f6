//! A table of a text report while its rows come.

use std::rc::Rc;
use std::sync::Arc;

use super::begins::Begins;
use super::edges::Edges;
use super::heads::Heads;
use super::page::{Line, Placed};
use super::pairs;
use super::ruler::{self, Ruler};
use super::statements::{Below, Statements};
use crate::bounds::TEXT_COLUMNS_MAX;
use crate::model::{Cell, Made, Row, Span, Status, Table, Tables};
use crate::numbers;
use crate::value::Decimal;

/// One line of a row that takes several.
pub(super) struct Part {
    pub(super) heads: Rc<Heads>,
    first_column: usize,
}

impl Part {
    fn read(&self, placed: &Placed<'_>, column: usize, line: u32, decimal: Decimal) -> Cell {
        let (from, to) = self.heads.ruler.cell(&placed.columns(), column);
        let (words, start) = placed.words(from, to);
        Cell::read(
            words,
            Span::between(start, start + words.len()),
            line,
            self.first_column + column,
            decimal,
        )
    }
}

/// What became of a line that was offered to a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Taken {
    /// It is a row, or part of one.
    Row,
    /// It fits no ruler.
    No,
}

/// `B` and `E`, for begin and end, and `sum`.
pub(super) const MARK_BYTES_MAX: usize = 3;
/// Rulers of rows whose names stand on lines of their own are no further in.
const NAME_INDENT_MAX: usize = 2;

/// No row takes more lines.
pub(super) const PARTS_MAX: usize = 8;

/// Few tables have more, and a page has no room for many more.
const ROWS_EXPECTED: usize = 32;
const CELLS_EXPECTED: usize = 256;

/// Stands for the column before the first until the table is finished.
const NAME_ABOVE: u16 = u16::MAX;

/// A table under one ruler, or under several where a row takes several lines.
pub struct OpenTable {
    title: String,
    stray: bool,
    pub(super) line: u32,
    decimal: Decimal,
    pub(super) parts: Vec<Part>,
    pub(super) next_part: usize,
    resumed: usize,
    pub(super) rows: Vec<Row>,
    pub(super) cells: Vec<Cell>,
    pub(super) statements: Statements,
    pub(super) statements_below: Below,
    /// Whether values below a row's are its own as well, and none is the rest of the one above.
    has_lists: bool,
    pub(super) last_line: u32,
    /// Whether the page was turned behind that line.
    pub(super) turned: bool,
    /// Cells that go on in the next line, with what stands there.
    pub(super) wrapped: Vec<(usize, Span)>,
    /// The name of the next row, on a line of its own.
    name: Option<Cell>,
    has_names_above: bool,
    /// Lines that go on with a row whose first line is not there.
    pub(super) headless: Vec<u32>,
    /// Lines of rows that take several, with words behind the last column.
    pub(super) spilled: Vec<u32>,
    /// Lines of rows with a remark behind their last column, and whether it holds numbers.
    pub(super) remarks: Vec<(u32, bool)>,
    /// Whether two lines of a row have the same ruler under the same headings.
    pub(super) has_twins: bool,
    /// The line of the ruler that begins another table.
    pub(super) ended_at: Option<u32>,
    /// Whether that ruler is one of its own.
    pub(super) is_ruled_again: bool,
    pub(super) edges: Edges,
    pub(super) begins: Begins,
    /// The last line of dashes that is no ruler of it.
    pub(super) dashes_at: u32,
    /// The column whose cells went on in the next line.
    pub(super) wrapped_column: Option<u16>,
    /// The first line behind a blank one that begins a statement, as none does.
    pub(super) strayed: Option<u32>,
    /// Lines that go on with a cell whose last line was not full.
    pub(super) overwrapped: Vec<u32>,
}

impl OpenTable {
    /// Under its first ruler.
    pub fn new(title: &str, stray: bool, line: u32, decimal: Decimal, heads: Rc<Heads>) -> Self {
        Self {
            title: title.to_owned(),
            stray,
            line,
            decimal,
            parts: vec![Part { heads, first_column: 0 }],
            next_part: 0,
            resumed: 1,
            rows: Vec::with_capacity(ROWS_EXPECTED),
            cells: Vec::with_capacity(CELLS_EXPECTED),
            statements: Statements::default(),
            statements_below: Below::of(title),
            has_lists: title.to_ascii_lowercase().contains("multi-valued"),
            last_line: line,
            turned: false,
            wrapped: Vec::new(),
            name: None,
            has_names_above: false,
            headless: Vec::new(),
            spilled: Vec::new(),
            remarks: Vec::new(),
            has_twins: false,
            ended_at: None,
            is_ruled_again: false,
            edges: Edges::default(),
            begins: Begins::default(),
            dashes_at: 0,
            wrapped_column: None,
            strayed: None,
            overwrapped: Vec::new(),
        }
    }

    /// The heading it stands under.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether a line stands right below the table's last one.
    pub fn goes_on_at(&self, line: u32) -> bool {
        self.last_line + 1 == line
    }

    /// Whether a row has come.
    pub fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Whether tildes stand under several of its columns, and each run ends where one does.
    pub fn is_underlined(&self, tildes: &[u8]) -> bool {
        let runs = ruler::runs(tildes, b'~');
        let columns = &self.parts[0].heads.ruler.columns;
        runs.len() > 1 && runs.iter().all(|(_, end)| columns.iter().any(|column| column.1 == *end))
    }

    /// Whether dashes are those of its columns, but for the first and perhaps others.
    pub fn has_dashes_of(&self, dashes: &[u8]) -> bool {
        let columns = &self.parts[0].heads.ruler.columns[1..];
        let runs = ruler::runs(dashes, b'-');
        self.parts.len() == 1 && !runs.is_empty() && runs.iter().all(|run| columns.contains(run))
    }

    /// The line right above the next row is one of tildes.
    pub fn underline(&mut self, line: u32) {
        self.last_line = line;
    }

    /// Whether rows take several lines.
    pub fn takes_several(&self) -> bool {
        self.parts.len() > 1
    }

    /// Whether rows may take one line more.
    pub fn has_room(&self) -> bool {
        self.parts.len() < PARTS_MAX
    }

    /// A row takes one line more, under this ruler.
    pub fn stack(&mut self, heads: Rc<Heads>, line: u32) {
        self.last_line = line;
        self.has_twins |= self.parts.iter().any(|part| part.heads.says_the_same(&heads));
        let first_column = self.width();
        self.parts.push(Part { heads, first_column });
        self.resumed = self.parts.len();
    }

    fn width(&self) -> usize {
        self.parts.iter().map(|part| part.heads.ruler.columns.len()).sum()
    }

    /// The title came again on a new page: its rulers will follow.
    pub fn turn_page(&mut self) {
        self.resumed = 0;
        self.turned = true;
    }

    /// Whether rulers of a new page are still to come.
    pub fn is_turning(&self) -> bool {
        self.resumed < self.parts.len()
    }

    /// A ruler on a new page: whether it is the one that was to come.
    pub fn resume(&mut self, ruler: &Ruler, line: u32) -> bool {
        let same = self.parts.get(self.resumed).is_some_and(|part| part.heads.ruler == *ruler);
        self.last_line = line;
        self.resumed += usize::from(same);
        same
    }

    /// A ruler that is none of this table's stands at a line.
    pub fn end_at(&mut self, line: u32, ruler: &Ruler) {
        self.ended_at = Some(line);
        self.is_ruled_again = self.parts.iter().any(|part| part.heads.ruler == *ruler);
    }

    /// Offers a line.
    pub fn take(&mut self, line: Line<'_>) -> Taken {
        let placed = Placed::new(line);
        if self.wraps(&placed, line.number) {
            self.last_line = line.number;
            return Taken::Row;
        }
        if self.goes_on_saying(line.number) {
            self.say(line);
            return Taken::Row;
        }
        let fit = self.part_for(&placed, line.number).map(|part| (placed, part));
        match fit.or_else(|| self.fit_outdented(line)) {
            Some((placed, part)) => {
                self.add(&placed, part, line.number);
                Taken::Row
            }
            None if self.statements_below != Below::Nothing && self.has_rows() => {
                if self.statements_below == Below::Names && !self.goes_on_at(line.number) {
                    self.strayed = self.strayed.or(Some(line.number));
                }
                self.say(line);
                Taken::Row
            }
            None => Taken::No,
        }
    }

    pub(super) fn read(&self, placed: &Placed<'_>, part: usize, column: usize, line: u32) -> Cell {
        self.parts[part].read(placed, column, line, self.decimal)
    }

    /// Whether rows have their name on a line of its own: their ruler stands a little in.
    pub fn takes_names_above(&self) -> bool {
        let first = self.parts[0].heads.ruler.columns[0].0;
        self.parts.len() == 1 && (1..=NAME_INDENT_MAX).contains(&first)
    }

    /// The name of the row to come.
    pub fn name_next(&mut self, line: Line<'_>) {
        let span = Span::between(line.start, line.start + line.words.len());
        self.name = Some(Cell::read(line.words, span, line.number, NAME_ABOVE as usize, self.decimal));
    }

    /// There was none: the line that was offered after it is no row.
    pub fn forget_name(&mut self) {
        self.name = None;
    }

    fn add(&mut self, placed: &Placed<'_>, part: usize, line: u32) {
        self.statements.end();
        if part == 0
            || part < self.next_part
            || self.rows.is_empty()
            || self.next_part == 0 && !self.expects(part)
        {
            self.rows.push(Row { first: self.cells.len() as u32, len: 0 });
            // Several lines may hang below a statement; and behind a blank one, where their begin tells what they are.
            let may_hang = self.statements_below == Below::Names
                || !self.goes_on_at(line) && self.part_by_begin(placed).is_some();
            self.headless.extend((part > 0 && !may_hang).then_some(line));
        }
        let columns = self.parts[part].heads.ruler.columns.len();
        let named = self.name.take();
        self.has_names_above |= named.is_some();
        self.cells.extend(named);
        let (read, decimal) = (&self.parts[part], self.decimal);
        self.cells.extend((0..columns).map(|column| read.read(placed, column, line, decimal)));
        self.remarks.extend(self.remark(placed).map(|words| (line, numbers::count(words.as_bytes()) > 0)));
        let first = self.cells.len() - columns;
        self.edges.add(&self.cells[first..], &read.heads.ruler, placed, line);
        self.begins.add(part, &self.cells[first], &read.heads.ruler, placed, line);
        let more = self.labelled_pairs(placed, part, line) + usize::from(named.is_some());
        if let Some(row) = self.rows.last_mut() {
            row.len += (columns + more) as u32;
        }
        self.next_part = (part + 1) % self.parts.len();
        self.last_line = line;
        self.turned = false;
    }

    /// Whether the last row still lacks this part.
    fn expects(&self, part: usize) -> bool {
        let last = self.cells.last().filter(|_| !self.rows.is_empty());
        last.is_some_and(|cell| (cell.column as usize) < self.parts[part].first_column)
    }

    /// Pairs behind the last column, as beside the cache sizes.
    fn labelled_pairs(&mut self, placed: &Placed<'_>, part: usize, line: u32) -> usize {
        let ruler = &self.parts[part].heads.ruler;
        let page = placed.columns();
        let end = ruler.cell(&page, ruler.columns.len() - 1).1;
        if !ruler.labelled || page.len() <= end {
            return 0;
        }
        let (words, start) = placed.words(end, page.len());
        let first = self.width();
        let pairs = pairs::find(words);
        if self.parts.len() > 1 || pairs.len() > TEXT_COLUMNS_MAX {
            self.spilled.push(line);
            return 0;
        }
        for (at, (from, to)) in pairs.iter().enumerate() {
            let span = Span::between(start + from, start + to);
            self.cells.push(Cell::read(&words[*from..*to], span, line, first + at, self.decimal));
        }
        pairs.len()
    }

    /// Whether the line right above is one of a statement that only a blank line ends.
    fn goes_on_saying(&self, line: u32) -> bool {
        self.statements_below == Below::Names && self.statements.is_open() && self.goes_on_at(line)
    }

    /// A line of the statement below its row.
    fn say(&mut self, line: Line<'_>) {
        self.statements.say(self.rows.len() - 1, line);
        self.last_line = line.number;
    }

    /// A line with one cell only, which goes on with the full one right above it.
    fn wraps(&mut self, placed: &Placed<'_>, line: u32) -> bool {
        if self.parts.len() > 1
            || self.statements_below == Below::Figures
            || self.has_lists
            || line != self.last_line + 1
        {
            return false;
        }
        let page = placed.columns();
        let (from, to) = self.parts[0].heads.ruler.cell(&page, 0);
        if !page.is_blank(from, to) {
            return false;
        }
        let mut said = self.parts[0]
            .heads
            .ruler
            .reached(&page)
            .map(|column| self.read(placed, 0, column, line))
            .filter(|cell| cell.status != Status::Blank);
        let (Some(cell), None) = (said.next(), said.next()) else { return false };
        let Some(row) = self.rows.last() else { return false };
        let index = row.first as usize + cell.column as usize;
        let (from, to) = self.parts[0].heads.ruler.columns[cell.column as usize];
        let above = self.cells.get(index).filter(|above| above.status == Status::Text);
        let full = above.is_some_and(|above| above.span.len as usize >= to - from);
        if full {
            let piece = self.wrapped.last().filter(|(known, _)| *known == index);
            let is_ended = piece.is_some_and(|(_, piece)| (piece.len as usize) < to - from);
            self.overwrapped.extend(is_ended.then_some(line));
            self.wrapped.push((index, cell.span));
            self.wrapped_column = Some(cell.column);
        }
        full
    }

    /// Joins the cells that were wrapped with what follows them.
    fn join_wrapped(&mut self, source: &str, made: &mut Made<'_>) {
        let mut wrapped = std::mem::take(&mut self.wrapped);
        wrapped.sort_by_key(|(index, _)| *index);
        for pieces in wrapped.chunk_by(|one, next| one.0 == next.0) {
            let cell = &mut self.cells[pieces[0].0];
            let spans = [cell.span].into_iter().chain(pieces.iter().map(|(_, span)| *span));
            let words: String = spans.map(|span| made.get(source, span)).collect();
            cell.span = made.keep(&words);
        }
    }

    /// The table ends and joins the others.
    pub fn finish(mut self, source: &str, made: &mut Made<'_>, out: &mut Tables) {
        let half_wrapped = self.half_wrapped();
        self.join_wrapped(source, made);
        let columns = self.columns();
        for (code, line, message) in self.damage(half_wrapped, &columns, source, made) {
            out.problem(code, line, &self.title, message.into_owned());
        }
        self.say_remarks(out);
        let table = Table {
            title: self.title,
            stray: self.stray,
            columns,
            first_row: out.rows.len() as u32,
            row_count: self.rows.len() as u32,
            line: self.line,
            ..Table::default()
        };
        self.statements.put(table, &self.rows, &self.cells, made, out);
    }

    /// The names of all columns, those of what stands right of the last heading as well.
    fn columns(&mut self) -> Arc<[String]> {
        let is_above = self.has_names_above;
        if is_above {
            self.cells.iter_mut().for_each(|cell| cell.column = cell.column.wrapping_add(1));
        }
        let named = self.width() + usize::from(is_above);
        let width = self.cells.iter().map(|cell| cell.column as usize + 1).max().unwrap_or(0).max(named);
        let first = &self.parts[0].heads;
        let is_needless = first.ruler.labelled && first.names[0].is_empty() && self.column_is_blank(0);
        if self.parts.len() == 1 && width == named && !is_above && !is_needless {
            return first.names.clone();
        }
        let names = self.parts.iter().flat_map(|part| part.heads.names.iter().cloned());
        let above = is_above.then(String::new);
        let mut columns: Vec<String> = above.into_iter().chain(names).collect();
        columns.resize(width, String::new());
        if is_needless {
            columns.remove(0);
            self.drop_first_column();
        }
        columns.into()
    }

    pub(super) fn cells_of(&self, row: &Row) -> &[Cell] {
        &self.cells[row.first as usize..(row.first + row.len) as usize]
    }

    fn column_is_blank(&self, column: u16) -> bool {
        self.cells.iter().filter(|cell| cell.column == column).all(|cell| cell.status == Status::Blank)
    }

    fn drop_first_column(&mut self) {
        let old = std::mem::take(&mut self.cells);
        for row in &mut self.rows {
            let cells = &old[row.first as usize..(row.first + row.len) as usize];
            row.first = self.cells.len() as u32;
            self.cells.extend(
                cells
                    .iter()
                    .filter(|cell| cell.column > 0)
                    .map(|cell| Cell { column: cell.column - 1, ..*cell }),
            );
            row.len = self.cells.len() as u32 - row.first;
        }
    }
}
