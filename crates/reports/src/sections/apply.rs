//! From tables as printed to the rows of their views.

use std::ptr;
use std::rc::Rc;

use super::damaged_headings;
use super::find::find;
use super::layout::{Group, Layout, Source};
use super::lost_titles;
use super::mend::{Printed, Verdict};
use super::odd_rows;
use super::reading::{is_cut, label, read, said};
use super::typed::Typed;
use super::view::{Column, Shape, Value, View};
use crate::bounds::Bound;
use crate::model::{Problem, Row, Status, Tables, Text};
use crate::words::is_plain;

/// Reads every table that a view knows, in a report of a release. Cells that should be numbers and are none are marked as failed.
/// Views have bounds of their own: where one is met, the tables from there on have none.
pub fn apply(text: &Text, tables: &mut Tables, release: &str) -> Vec<Typed> {
    let mut typed: Vec<Typed> = Vec::new();
    tables.is_full = false;
    odd_rows::believe_none(tables);
    for index in 0..tables.tables.len() {
        if tables.tables[index].is_torn {
            continue;
        }
        let found = find(text, tables, index);
        tables.problems.extend(lost_titles::problem(
            text,
            tables,
            index,
            found.as_ref().map(|(view, _)| *view),
        ));
        let Some((view, mut layout)) = found else { continue };
        hold_to_room(tables, index, view, &layout);
        if tables.is_full {
            break;
        }
        if let Shape::Mended(mend) = view.shape {
            let verdict = mend(&printed(text, tables, index, view, &layout, release));
            if !matches!(verdict, Verdict::AsPrinted) {
                let layout = Rc::make_mut(&mut layout);
                tables.problems.extend(settle(verdict, view, layout, tables.tables[index].line));
            }
        }
        tables.tables[index].view = view.name;
        tables.problems.extend(damaged_headings::problem(view, &layout, &tables.tables[index]));
        let at = typed.iter().position(|typed| ptr::eq(typed.view, view)).unwrap_or_else(|| {
            typed.push(Typed::new(view));
            typed.len() - 1
        });
        Filling { text, tables, layout: &layout, into: &mut typed[at], above: Vec::new() }.run(index);
        if tables.is_full {
            break;
        }
    }
    typed
}

/// A table whose rows make more values than there is room for is not begun.
fn hold_to_room(tables: &mut Tables, index: usize, view: &View, layout: &Layout) {
    let table = &tables.tables[index];
    let rows = if layout.by_labels { 1 } else { table.row_count as usize };
    if rows * view.columns.len() > tables.room.left(Bound::ViewValues) {
        tables.meet(Bound::ViewValues, table.line);
    }
}

/// The numbers of a table as its headings name them.
fn printed<'a>(
    text: &Text,
    tables: &Tables,
    index: usize,
    view: &View,
    layout: &Layout,
    release: &'a str,
) -> Printed<'a> {
    let number = |row: &Row, at: usize| {
        let Some(Source::Cell(column, bare)) = layout.sources[at] else { return None };
        let cell = tables.cells_of(*row).iter().find(|cell| cell.column == column)?;
        read(cell, text, (view.columns[at].value, tables.decimal), bare).ok().flatten()
    };
    let rows = tables.rows_of(&tables.tables[index]).iter();
    Printed {
        release,
        names: view.columns.iter().map(|column| column.name).collect(),
        rows: rows.map(|row| (0..view.columns.len()).map(|at| number(row, at)).collect()).collect(),
    }
}

/// Puts the columns where the numbers belong, and says so.
fn settle(verdict: Verdict, view: &View, layout: &mut Layout, line: u32) -> Option<Problem> {
    let place = |name: &str| view.columns.iter().position(|column| column.name == name);
    let before = layout.sources.clone();
    let (code, why, loses) = match verdict {
        Verdict::AsPrinted => return None,
        Verdict::Moved(moves, why) => {
            for (to, from) in moves.iter().filter_map(|(to, from)| place(to).zip(place(from))) {
                layout.sources[to] = match (before[to], before[from]) {
                    (Some(Source::Cell(_, bare)), Some(Source::Cell(column, _))) => {
                        Some(Source::Cell(column, bare))
                    }
                    _ => None,
                };
            }
            ("columns-swapped", why, false)
        }
        Verdict::Unsure(names, why) => {
            names.iter().filter_map(|name| place(name)).for_each(|at| layout.sources[at] = None);
            ("columns-unsure", why, true)
        }
    };
    Some(Problem {
        code,
        line: Some(line),
        section: Some(view.name.to_owned()),
        message: why.to_owned(),
        loses,
    })
}

struct Filling<'a> {
    text: &'a Text,
    tables: &'a mut Tables,
    layout: &'a Layout,
    into: &'a mut Typed,
    /// Of columns whose blank cells mean what the row above says: the last cell that says something, by place.
    above: Vec<(usize, usize)>,
}

/// What a column of the view gets in one row.
enum Found<'a> {
    Nothing,
    /// A cell, and what one of a bare number stands for.
    Cell(usize, f64),
    Words(&'a str),
    Name(String),
    Number(Option<f64>),
}

impl<'a> Filling<'a> {
    fn run(&mut self, index: usize) {
        let table = &self.tables.tables[index];
        let (first, count) = (table.first_row as usize, table.row_count as usize);
        if self.layout.by_labels {
            self.labels(index, first, count);
            return;
        }
        self.into.reserve(count);
        for row in first..first + count {
            let is_odd = odd_rows::is_odd(self.tables, row);
            let row = self.tables.rows[row];
            if self.tables.is_full {
                break;
            }
            if is_odd || self.is_rule(row) {
                continue;
            }
            if self.layout.is_pairs(self.into.view) {
                self.pairs(index, row);
            } else if self.layout.groups.is_empty() {
                self.row(index, row, None);
            } else {
                self.groups(index, row);
            }
        }
    }

    /// A row of dashes above a sum.
    fn is_rule(&self, row: Row) -> bool {
        let words = self.tables.cells_of(row).iter().map(|cell| self.text.get(cell.span));
        let mut said = words.filter(|words| !words.is_empty()).peekable();
        said.peek().is_some() && said.all(|words| words.len() > 1 && words.bytes().all(|byte| byte == b'-'))
    }

    /// One row, of labels below each other.
    fn labels(&mut self, index: usize, first: usize, count: usize) {
        let Some(top) = self.tables.rows.get(first).copied().filter(|_| count > 0) else { return };
        self.begin(index, top);
        for (at, source) in self.layout.sources.iter().enumerate() {
            if let Some(Source::Cell(row, bare)) = source {
                let found = self.value_behind(first + *row as usize, *bare);
                self.put(at, found);
            }
        }
    }

    /// The first cell behind the label that says something.
    fn value_behind(&self, row: usize, bare: f64) -> Found<'a> {
        let row = self.tables.rows[row];
        let mut cells = (row.first as usize..(row.first + row.len) as usize).skip(1);
        let said = cells.find(|cell| self.tables.cells[*cell].status != Status::Blank);
        said.map_or(Found::Nothing, |cell| Found::Cell(cell, bare))
    }

    fn groups(&mut self, index: usize, row: Row) {
        for group in &self.layout.groups {
            let mut columns = group.cells.iter().filter_map(|(_, column, _)| self.cell_at(row, *column));
            if columns.any(|cell| self.tables.cells[cell].status != Status::Blank) {
                self.row(index, row, Some(group));
            }
        }
    }

    fn row(&mut self, index: usize, row: Row, group: Option<&'a Group>) {
        self.begin(index, row);
        for at in &self.layout.filled {
            let found = self.find(row, *at, group);
            self.put(*at, found);
        }
        if self.into.lacks_names() {
            let line = self.tables.cells_of(row).first().map_or(0, |cell| cell.line);
            let message = "nothing names this row: the line with its name may be lost".to_owned();
            self.tables.problem("row-headless", line, self.into.view.name, message);
        }
    }

    fn find(&mut self, row: Row, at: usize, group: Option<&'a Group>) -> Found<'a> {
        let turned = group.and_then(|group| group.cells.iter().find(|(place, ..)| *place == at));
        if let Some((_, column, bare)) = turned {
            return self.cell_at(row, *column).map_or(Found::Nothing, |cell| Found::Cell(cell, *bare));
        }
        match (self.layout.sources[at], group) {
            (Some(Source::Cell(column, bare)), _) => {
                let found =
                    self.carried(row, at, column).map_or(Found::Nothing, |cell| Found::Cell(cell, bare));
                if at == 0 { self.named(found) } else { found }
            }
            (Some(Source::Part(column, part)), _) => {
                self.cell_at(row, column).map_or(Found::Nothing, |cell| {
                    part.of(self.text.get(self.tables.cells[cell].span)).map_or(Found::Nothing, Found::Words)
                })
            }
            (Some(Source::Title), _) => Found::Words(&self.layout.title),
            (Some(Source::Name), Some(group)) => match self.into.view.columns[at].value {
                Value::BucketBegin => Found::Number(group.bucket.0),
                Value::BucketEnd => Found::Number(group.bucket.1),
                _ => Found::Words(&group.name),
            },
            _ => Found::Nothing,
        }
    }

    /// By the view's name, where it names what titles say.
    fn named(&self, found: Found<'a>) -> Found<'a> {
        match (self.into.view.shape, found) {
            (Shape::Titled(titles), Found::Cell(cell, _)) => {
                Found::Name(titles.name(self.text.get(self.tables.cells[cell].span)))
            }
            (_, found) => found,
        }
    }

    /// The cell, or the one above where it is blank and means the same.
    fn carried(&mut self, row: Row, at: usize, column: u16) -> Option<usize> {
        let cell = self.cell_of(row, at, column);
        if !self.into.view.columns[at].carried {
            return cell;
        }
        let said = cell.filter(|cell| self.tables.cells[*cell].status != Status::Blank);
        if said.is_some() && self.into.view.columns.iter().position(|column| column.carried) == Some(at) {
            self.above.clear();
        }
        match (said, self.above.iter_mut().find(|(place, _)| *place == at)) {
            (Some(said), Some(above)) => above.1 = said,
            (Some(said), None) => self.above.push((at, said)),
            (None, Some(above)) => return Some(above.1),
            (None, None) => {}
        }
        cell
    }

    /// Labels with their values: several fill the view's last numbers from the left, one alone the last.
    fn pairs(&mut self, index: usize, row: Row) {
        let cells: Vec<usize> = (row.first as usize..(row.first + row.len) as usize).collect();
        let labelled = cells.iter().any(|cell| self.is_label(*cell));
        let is_label = |at: usize| if labelled { self.is_label(cells[at]) } else { at.is_multiple_of(2) };
        let labels: Vec<usize> = (0..cells.len()).filter(|at| is_label(*at)).collect();
        for (number, label) in labels.iter().enumerate() {
            let end = labels.get(number + 1).copied().unwrap_or(cells.len());
            if self.tables.cells[cells[*label]].status != Status::Blank {
                self.pair(index, row, &cells[*label..end]);
            }
        }
    }

    /// Whether the view knows the label, where it knows all that there are; says so where not.
    fn is_own(&mut self, cell: usize) -> bool {
        let Shape::Pairs(known) = self.into.view.shape else { return true };
        let words = label(self.text.get(self.tables.cells[cell].span));
        let own = known.is_empty() || known.iter().any(|known| is_plain(words, known));
        if !own {
            let message = format!("'{words}' is no label of this table: its own title may be lost");
            let (section, line) = (self.into.view.name, self.tables.cells[cell].line);
            self.tables.problem("label-unknown", line, section, message);
        }
        own
    }

    fn is_label(&self, cell: usize) -> bool {
        let cell = &self.tables.cells[cell];
        cell.status == Status::Text && self.text.get(cell.span).ends_with(':')
    }

    fn pair(&mut self, index: usize, row: Row, cells: &[usize]) {
        if !self.is_own(cells[0]) {
            return;
        }
        self.begin(index, row);
        self.put(0, Found::Cell(cells[0], 1.0));
        let columns = self.into.view.columns;
        let numbers: Vec<usize> = (1..columns.len()).filter(|at| !columns[*at].value.is_words()).collect();
        let values = &cells[1..cells.len().min(numbers.len() + 1)];
        for (at, value) in numbers[numbers.len() - values.len()..].iter().zip(values) {
            let bare = columns[*at].headings.first().map_or(1.0, |(_, bare)| *bare);
            self.put(*at, Found::Cell(*value, bare));
        }
    }

    fn begin(&mut self, index: usize, row: Row) {
        let line = self.tables.cells_of(row).first().map_or(0, |cell| cell.line);
        self.tables.charge(Bound::ViewValues, self.into.view.columns.len(), line);
        let instance = self.layout.instance.and_then(|column| self.cell_at(row, column));
        let instance = instance.and_then(|cell| self.tables.cells[cell].scaled(1e3));
        self.into.begin(index, line, instance.map(|number| number as i64));
    }

    /// The cell that a column of the view is read from; where a heading spans two, the one with the number.
    fn cell_of(&self, row: Row, at: usize, column: u16) -> Option<usize> {
        let cell = self.cell_at(row, column);
        let is_number = cell.is_some_and(|cell| self.tables.cells[cell].status == Status::Typed);
        if is_number || self.into.view.columns[at].value.is_words() || !self.layout.wide.contains(&column) {
            return cell;
        }
        self.cell_at(row, column + 1)
    }

    fn cell_at(&self, row: Row, column: u16) -> Option<usize> {
        let cells = self.tables.cells_of(row);
        // Most rows have all their cells.
        let dense = cells.get(column as usize).filter(|cell| cell.column == column).map(|_| column as usize);
        let at = dense.or_else(|| cells.iter().position(|cell| cell.column == column))?;
        Some(row.first as usize + at)
    }

    fn put(&mut self, at: usize, found: Found<'_>) {
        let column = &self.into.view.columns[at];
        if let Found::Cell(cell, _) = found {
            self.into.origin(at, cell);
        }
        if column.value.is_words() {
            let said = match &found {
                Found::Cell(cell, _) => said(&self.tables.cells[*cell], self.text, column.value),
                Found::Words(said) => Some(*said),
                Found::Name(said) => Some(said.as_str()),
                Found::Number(_) | Found::Nothing => None,
            };
            if let Some(said) = said {
                self.tables.charge(Bound::ViewWords, said.len(), self.into.line());
                self.into.words(at, said);
            }
        } else {
            let number = match found {
                Found::Cell(cell, bare) => self.number(cell, column, bare),
                Found::Number(number) => number,
                Found::Words(_) | Found::Name(_) | Found::Nothing => None,
            };
            number.into_iter().for_each(|number| self.into.number(at, number));
        }
    }

    fn number(&mut self, cell: usize, column: &Column, bare: f64) -> Option<f64> {
        if column.value == Value::Whole && is_cut(&self.tables.cells[cell], self.text, self.tables.decimal) {
            self.tables.cells[cell].status = Status::Overflow;
        }
        let how = (column.value, self.tables.decimal);
        let read = read(&self.tables.cells[cell], self.text, how, bare);
        if read.is_err() {
            self.fail(cell, column);
        }
        read.unwrap_or_default()
    }

    fn fail(&mut self, cell: usize, column: &Column) {
        let words =
            self.text.get(self.tables.cells[cell].span).chars().take(WORDS_SHOWN_MAX).collect::<String>();
        self.tables.cells[cell].status = Status::Failed;
        self.tables.problems.push(Problem {
            code: "cell-failed",
            line: Some(self.tables.cells[cell].line),
            section: Some(self.into.view.name.to_owned()),
            message: format!("'{words}' is no number, as {} must be", column.name),
            loses: true,
        });
    }
}

/// So much of a cell is quoted in a problem.
const WORDS_SHOWN_MAX: usize = 40;
