//! Text reports: one pass over the lines; a ruler of dashes says where the columns below it stand.

pub mod advice;
mod begins;
mod damage;
mod doubled;
mod edges;
mod fit;
mod headings;
mod heads;
mod literals;
mod miner;
mod page;
mod pairs;
mod prose;
mod remarks;
mod ruler;
mod rulers;
mod statements;
mod table;
#[cfg(test)]
mod tests;
mod titles;

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use crate::addm;
use crate::bounds::Bound;
use crate::model::{Made, Tables, Text};
use crate::numbers;
use crate::title::Title;
use crate::value::is_value;
use heads::Heads;
use miner::Begun;
use page::{Kind, Line};
use ruler::Ruler;
use table::{OpenTable, Taken};

/// What a row and a cell take of a report, less than that in most.
const ROW_BYTES: usize = 100;
const CELL_BYTES: usize = 16;
/// So many lines of headings may stand between two rulers.
const HEADING_LINES_MAX: usize = 5;

/// The tables of a text report.
pub fn scan(text: &mut Text, out: &mut Tables) {
    let (source, mut made) = text.parts();
    out.reserve(source.len(), ROW_BYTES, CELL_BYTES);
    let (lines, too_long) = page::lines(source);
    let mut scan = Scan {
        source,
        lines: &lines,
        made: &mut made,
        out,
        title: Title::default(),
        pending: Vec::new(),
        open: None,
        after_blank: true,
        in_bullets: false,
        stack_until: 0,
        read_until: 0,
        database: None,
        begun: None,
    };
    let advice = advice::find(source, &lines);
    let mut next = 0;
    for part in &advice {
        scan.run(next..part.start);
        if scan.out.is_full {
            break;
        }
        scan.end_section();
        advice::lose_rows(&lines[part.clone()], &mut scan.out.numbers);
        next = part.end;
    }
    scan.run(next..lines.len());
    scan.end(too_long.is_none());
    if !out.is_full {
        require_finding_end(&lines, &advice, out);
        let said: Vec<_> = advice.into_iter().flat_map(|part| &lines[part]).map(advice::line_of).collect();
        addm::read(&said, &mut made, out);
    }
    if let Some(line) = too_long {
        out.meet(Bound::Line, line);
    }
    out.numbers.printed += numbers::count(source.as_bytes());
}

/// A report that ends in one of ADDM's findings is cut: what it says of the whole comes last.
fn require_finding_end(lines: &[Line<'_>], advice: &[Range<usize>], out: &mut Tables) {
    let is_cut = advice.last().is_some_and(|part| advice::is_cut(lines, part));
    if let Some(last) = lines.last().filter(|_| is_cut) {
        let message = "the report ends in this finding, which may be cut".to_owned();
        out.problem("table-unfinished", last.number, addm::FINDINGS, message);
    }
}

/// A line that may hold headings from a place on.
#[derive(Clone, Copy)]
struct Pending<'a> {
    line: Line<'a>,
    from: usize,
}

impl Pending<'_> {
    /// The headings at their places on the page.
    fn headings(&self) -> Cow<'_, str> {
        let words = self.line.words;
        if self.from == 0 && memchr::memchr(b'~', words.as_bytes()).is_none() {
            return Cow::Borrowed(words);
        }
        let (before, words) = words.split_at(self.from);
        let mut placed = " ".repeat(before.chars().count());
        placed.extend(words.chars().map(|character| if character == '~' { ' ' } else { character }));
        Cow::Owned(placed)
    }
}

struct Scan<'a, 'b> {
    source: &'a str,
    lines: &'b [Line<'a>],
    made: &'b mut Made<'a>,
    out: &'b mut Tables,
    title: Title,
    /// Lines that may be headings of a table to come.
    pending: Vec<Pending<'a>>,
    open: Option<OpenTable>,
    after_blank: bool,
    in_bullets: bool,
    /// Up to this line the rulers of one table are stacked.
    stack_until: usize,
    /// Lines up to this one have been read.
    read_until: usize,
    /// What the last title named behind its words.
    database: Option<&'a str>,
    /// The section of AWR-Miner whose end has not come.
    begun: Option<Begun<'a>>,
}

impl<'a> Scan<'a, '_> {
    /// Reads lines, until there is too much of something.
    fn run(&mut self, lines: Range<usize>) {
        for at in lines {
            if self.out.is_full {
                return self.end_table();
            }
            if at >= self.read_until {
                self.line(at);
            }
        }
    }

    /// The last line may be where the report ends, unless it was cut.
    fn end(&mut self, is_whole: bool) {
        if self.out.is_full {
            return self.end_table();
        }
        if is_whole {
            self.require_line_end();
        }
        self.end_section();
        if is_whole {
            self.require_end();
        }
    }

    fn line(&mut self, at: usize) {
        let line = self.lines[at];
        if matches!(line.kind, Kind::Dashes | Kind::Tildes)
            && let Some(above) = doubled::first_above(self.lines, at)
        {
            self.say_doubled(above);
        }
        match line.kind {
            Kind::Blank => self.blank(),
            Kind::Title(len) => {
                self.section(line, len);
                self.literals(at);
            }
            Kind::Bullet => {
                self.name_above_bullets(at);
                self.end_notes();
                self.out.numbers.note(line.words);
                self.in_bullets = true;
            }
            Kind::Tildes => self.tildes(at),
            Kind::Dashes if self.is_underline(at) => self.pending.push(Pending { line, from: 0 }),
            Kind::Dashes if line.is_end() => self.end_section(),
            Kind::Dashes if self.underlines_title(line) => self.name_from_above(),
            Kind::Dashes if self.underlines_prose(at) || self.stands_over_sum(at) => self.end_rows(line),
            Kind::Dashes => self.ruler(at),
            Kind::Words => self.words(at),
        }
        self.after_blank = line.words.is_empty();
    }

    fn say_doubled(&mut self, line: u32) {
        let message = "this line and its neighbours are there twice: others may be lost".to_owned();
        self.out.problem("lines-doubled", line, self.title.words(), message);
    }

    /// Dashes over a sum, or below words.
    fn end_rows(&mut self, line: Line<'a>) {
        self.end_prose();
        if let Some(table) = &mut self.open {
            table.dashes_at = line.number;
        }
    }

    fn blank(&mut self) {
        if self.in_bullets {
            self.end_notes();
        } else {
            self.end_prose();
        }
        self.in_bullets = false;
    }

    /// Lines that go on with a note, or stand right above one.
    fn end_notes(&mut self) {
        for Pending { line, .. } in self.pending.drain(..) {
            if self.in_bullets {
                self.out.numbers.note(line.words);
            } else {
                self.out.numbers.lose(line.words, line.number);
            }
        }
    }

    /// The section of statements with literals has a form of its own.
    fn literals(&mut self, at: usize) {
        if !literals::is_title(self.title.words()) {
            return;
        }
        let Some(first) = literals::find(self.lines, at) else { return };
        self.lines[at + 1..first].iter().for_each(|line| self.out.numbers.note(line.words));
        self.title.take(self.lines[first - 1].number, self.out);
        self.out.numbers.confirm();
        self.read_until = literals::read(self.title.words(), self.lines, first, self.made, self.out);
    }

    fn end_section(&mut self) {
        self.end_prose();
        self.end_table();
        self.out.numbers.refute();
        self.title.end();
        self.in_bullets = false;
    }

    /// Whether tildes stand right below a row, under columns of its table: over their sum, average and deviation.
    fn is_over_sums(&self, line: Line<'a>) -> bool {
        let is_over = |table: &OpenTable| {
            table.has_rows() && table.goes_on_at(line.number) && table.is_underlined(line.words.as_bytes())
        };
        self.pending.is_empty() && self.open.as_ref().is_some_and(is_over)
    }

    /// A report that ends in a row of a table, without so much as the end of the line, may be cut there.
    fn require_line_end(&mut self) {
        let Some(last) = self.lines.last().filter(|last| !last.words.is_empty()) else { return };
        if self.open.as_ref().is_some_and(|table| table.goes_on_at(last.number + 1)) {
            let message = "the report ends in this line, which may be cut".to_owned();
            self.out.problem("table-unfinished", last.number, self.title.words(), message);
        }
    }

    /// Whether a line of words stands right over dashes, and behind a blank line: headings of another table.
    fn heads_next(&self, at: usize) -> bool {
        let is_ruler = |below: &Line<'_>| below.kind == Kind::Dashes && !below.is_end();
        self.after_blank
            && self.lines.get(at + 1).is_some_and(is_ruler)
            && !self.lines[at].words.split_ascii_whitespace().any(is_value)
    }

    fn ruler(&mut self, at: usize) {
        let line = self.lines[at];
        let Some(ruler) = Ruler::read(line.words.as_bytes()) else { return };
        if std::mem::take(&mut self.in_bullets) {
            let message = "no blank line stands between the notes and these headings: lines may be lost";
            self.out.problem("heading-damaged", line.number, self.title.words(), message.to_owned());
        }
        if ruler.labelled && self.is_named_above(&ruler) {
            self.name_from_above();
        }
        let pending = std::mem::take(&mut self.pending);
        let stacked: Vec<Cow<'_, str>> = pending.iter().map(Pending::headings).collect();
        let stacked: Vec<&str> = stacked.iter().map(Cow::as_ref).collect();
        let open = self.open.as_mut();
        if open.is_some_and(|table| table.is_turning() && table.resume(&ruler, line.number)) {
            return;
        }
        let Some(heads) = Heads::of(line.words, ruler, &stacked) else {
            return self.out.meet(Bound::ColumnNames, line.number);
        };
        if heads.damaged().is_some() {
            // Of rows that were taken for headings, no table holds the numbers.
            pending.iter().for_each(|above| self.out.numbers.lose(above.line.words, above.line.number));
        }
        self.begin_table(at, heads);
    }

    /// Under a ruler, which may be one more of the table that is open.
    fn begin_table(&mut self, at: usize, heads: Rc<Heads>) {
        let line = self.lines[at].number;
        if let Some(table) = &mut self.open {
            if at <= self.stack_until && !table.has_rows() && table.has_room() {
                table.stack(heads, line);
                self.look_for_stack(at);
                return;
            }
            table.end_at(line, &heads.ruler);
        }
        self.end_table();
        let stray = self.title.take(line, self.out);
        self.out.numbers.confirm();
        self.open = Some(OpenTable::new(self.title.words(), stray, line, self.out.decimal, heads));
        self.look_for_stack(at);
    }

    fn words(&mut self, at: usize) {
        let line = self.lines[at];
        if self.in_bullets || at < self.stack_until || self.is_title_of_tildes(at) || self.heads_next(at) {
            self.pending.push(Pending { line, from: 0 });
            return;
        }
        let Some(table) = self.open.as_mut().filter(|table| !table.is_turning()) else {
            if ruler::is_overwritten(line.words.as_bytes()) {
                let message = "a line of dashes under headings is damaged".to_owned();
                self.out.problem("heading-damaged", line.number, self.title.words(), message);
            }
            self.pending.push(Pending { line, from: 0 });
            return;
        };
        if self.pending.len() > 1 || !self.pending.is_empty() && self.after_blank {
            self.pending.push(Pending { line, from: 0 });
            return;
        }
        let may_be_named = table.takes_names_above() && !self.after_blank;
        let name = if may_be_named { self.pending.pop() } else { None };
        name.iter().for_each(|name| table.name_next(name.line));
        let before = table.cells.len();
        match table.take(line) {
            Taken::Row => {
                let takes_several = table.takes_several();
                self.out.charge(Bound::Cells, table.cells.len() - before, line.number);
                self.skip_odd();
                if takes_several && doubled::is_again(self.lines, at) {
                    self.say_doubled(line.number);
                }
            }
            Taken::No => {
                name.iter().for_each(|_| table.forget_name());
                self.pending.extend(name.into_iter().chain([Pending { line, from: 0 }]));
            }
        }
    }

    fn end_table(&mut self) {
        if let Some(table) = self.open.take() {
            table.finish(self.source, self.made, self.out);
        }
    }
}
