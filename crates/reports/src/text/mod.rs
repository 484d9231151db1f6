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
mod page;
mod pairs;
mod ruler;
mod rulers;
mod statements;
mod table;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use crate::addm;
use crate::bounds::{Bound, TEXT_COLUMNS_MAX};
use crate::embedded;
use crate::kind;
use crate::model::{Cell, Made, Row, Span, Status, Table, Tables, Text, title_of};
use crate::numbers;
use crate::title::Title;
use heads::Heads;
use page::{Kind, Line};
use ruler::Ruler;
use table::{OpenTable, Taken};

/// What Oracle prints where a section has nothing to say.
const NO_DATA: &str = "No data exists for this section";
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
    /// The line of `~~BEGIN-…~~` whose `~~END-…~~` has not come.
    begun: Option<u32>,
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
            Kind::Dashes if self.underlines_prose(at) => self.end_rows(line),
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

    /// `Section  DB/Inst: …`: a new section, or the same one on a new page.
    fn section(&mut self, line: Line<'a>, len: usize) {
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

    /// A name on a line of its own at the foot of a page: its figures stand on the next one.
    fn carry_name(&mut self, title: &str) {
        let after_blank = self.after_blank;
        let goes_on =
            |table: &&mut OpenTable| table.title() == title && table.takes_names_above() && !after_blank;
        if let (Some(table), [name]) = (self.open.as_mut().filter(goes_on), self.pending.as_slice()) {
            table.name_next(name.line);
            self.pending.clear();
        }
    }

    fn end_section(&mut self) {
        self.end_prose();
        self.end_table();
        self.out.numbers.refute();
        self.title.end();
        self.in_bullets = false;
    }

    /// `~~~~` below a title; what stands beside both belongs to the headings.
    fn tildes(&mut self, at: usize) {
        let line = self.lines[at];
        self.in_bullets = false;
        if let Some(name) = line.words.strip_prefix("~~BEGIN-") {
            self.require_end();
            self.end_section();
            self.begun = Some(line.number);
            self.title.set(name.trim_end_matches('~'));
        } else if line.words.starts_with("~~END-") {
            self.begun = None;
            self.end_section();
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

    /// Whether a section that says where it ends has done so.
    fn require_end(&mut self) {
        if let Some(line) = self.begun.take() {
            let message = "the end of this section is not there".to_owned();
            self.out.problem("table-unfinished", line, self.title.words(), message);
        }
    }

    /// A title may have one bullet between itself and its tildes.
    fn name_above_bullets(&mut self, at: usize) {
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
    fn name_from_above(&mut self) {
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

    /// Whether a line of words stands right over dashes, and behind a blank line: headings of another table.
    fn heads_next(&self, at: usize) -> bool {
        let is_ruler = |below: &Line<'_>| below.kind == Kind::Dashes && !below.is_end();
        self.after_blank
            && self.lines.get(at + 1).is_some_and(is_ruler)
            && !self.lines[at].words.split_ascii_whitespace().any(is_number)
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

    /// Whether the one line above begins with words over the labels: a title, which no tildes underline.
    fn is_named_above(&self, ruler: &Ruler) -> bool {
        let [Pending { line, from: 0 }] = self.pending.as_slice() else { return false };
        let words = line.words.replace('~', " ");
        let labels = words.get(..ruler.columns[0].1).unwrap_or(&words);
        !labels.trim().is_empty() && !is_header_row(line.words)
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

    /// Whether a line behind a blank one stands over tildes: the title of what follows, and no row of the table above.
    fn is_title_of_tildes(&self, at: usize) -> bool {
        let over = self.lines.get(at + 1).is_some_and(|next| next.kind == Kind::Tildes);
        self.after_blank && over
    }

    /// A line between two rows that fits no column.
    fn skip_odd(&mut self) {
        for Pending { line: odd, .. } in std::mem::take(&mut self.pending) {
            self.unread(odd);
        }
    }

    /// Lines that became no headings: pairs, errors, a section with nothing, or prose.
    fn end_prose(&mut self) {
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

    fn empty_table(&self, line: u32) -> Table {
        Table {
            title: self.title.words().to_owned(),
            first_row: self.out.rows.len() as u32,
            line,
            ..Table::default()
        }
    }

    /// A table of labels and values, a row for each line.
    fn pairs(&mut self, lines: &[Line<'a>]) {
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

    fn end_table(&mut self) {
        if let Some(table) = self.open.take() {
            table.finish(self.source, self.made, self.out);
        }
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
fn is_title(words: &str) -> bool {
    let trimmed = words.trim();
    words.len() - words.trim_start().len() <= 1
        && trimmed.len() < 80
        && trimmed.starts_with(|first: char| first.is_ascii_uppercase())
        && !trimmed.ends_with([';', ',', ')', '.'])
}

fn is_number(word: &str) -> bool {
    crate::value::parse(word.as_bytes(), crate::value::Decimal::Point).is_some()
}
