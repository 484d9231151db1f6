//! Tables that are open, the innermost last, and how their cells and rows end.

use super::entities::unescape;
use super::headings::{HeadCell, Reach, names};
use super::tag::Tag;
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
    pub fn new(title: &str, summary: &str, line: u32) -> Self {
        let table = Table { title: title.to_owned(), summary: summary.to_owned(), line, ..Table::default() };
        Self {
            table,
            heads: Vec::new(),
            rows: Vec::new(),
            cells: Vec::new(),
            row: OpenRow::default(),
            reach: Reach::default(),
            cell: None,
            width: 0,
        }
    }

    /// The heading it stands under.
    pub fn title(&self) -> &str {
        &self.table.title
    }

    /// Whether a cell is open, to which text belongs.
    pub fn in_cell(&self) -> bool {
        self.cell.is_some()
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
            words = kept.strip_suffix("/td>").or_else(|| kept.strip_suffix("/TD>")).unwrap_or(words);
        }
        let column = self.reach.free_from(self.row.next_column);
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
    pub fn end_row(&mut self, words_of: impl Fn(&Cell) -> String) {
        let first = std::mem::replace(&mut self.row.first, self.cells.len());
        if first < self.cells.len() {
            let heads = std::mem::take(&mut self.row.heads);
            if self.rows.is_empty() && is_head_row(&self.cells[first..], heads.len()) {
                self.heads.push(self.head_row(first, &heads, words_of));
                self.cells.truncate(first);
                self.row.first = first;
            } else {
                self.rows.push(Row { first: first as u32, len: (self.cells.len() - first) as u32 });
                self.width = self.width.max(self.row.next_column);
            }
            self.reach.end_row();
        }
        self.row.heads.clear();
        self.row.next_column = 0;
    }

    fn head_row(
        &self,
        first: usize,
        heads: &[(usize, usize)],
        words_of: impl Fn(&Cell) -> String,
    ) -> Vec<HeadCell> {
        let spanned =
            |index: usize| heads.iter().find(|(at, _)| *at == index).map_or(1, |(_, columns)| *columns);
        let cells = self.cells[first..].iter().enumerate();
        cells
            .map(|(at, cell)| HeadCell {
                words: words_of(cell).split_whitespace().collect::<Vec<_>>().join(" "),
                column: cell.column as usize,
                columns: spanned(first + at),
            })
            .collect()
    }

    /// The table ends and joins the others.
    pub fn finish(mut self, out: &mut Tables) {
        let (first_row, first_cell) = (out.rows.len(), out.cells.len());
        self.table.columns = names(&self.heads);
        if self.table.columns.len() < self.width {
            self.table.columns.resize(self.width, String::new());
        }
        out.cells.append(&mut self.cells);
        out.rows
            .extend(self.rows.iter().map(|row| Row { first: row.first + first_cell as u32, len: row.len }));
        self.table.first_row = first_row as u32;
        self.table.row_count = self.rows.len() as u32;
        out.tables.push(self.table);
    }
}

/// Whether all that the row says stands in heading cells.
fn is_head_row(cells: &[Cell], heads: usize) -> bool {
    let said = cells.iter().filter(|cell| cell.status != Status::Blank).count();
    heads > 0 && (said <= heads)
}
