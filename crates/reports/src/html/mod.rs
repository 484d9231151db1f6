//! HTML reports: one pass over the bytes, no document tree.
//!
//! A tag is looked at only where a table, a row, a cell, a heading or a list begins or ends. What Oracle and the ways of its
//! reports through other programs leave behind is survived: end tags left out, upper case without quotes, quotes doubled by an
//! export, every line cut at one width.

mod entities;
mod headings;
pub mod quotes;
mod tables;
mod tag;
#[cfg(test)]
mod tests;
mod wrap;

use memchr::{memchr, memmem};

use crate::addm;
use crate::bounds::{Bound, NESTING_MAX};
use crate::lines::Lines;
use crate::model::{Table, Tables, Text, title_of};
use crate::text::advice;
use crate::title::Title;
pub use entities::unescape;
use tables::{OpenTable, Reading};
use tag::{Name, Tag};

pub use wrap::unwrap;

/// What a row and a cell take of a page, less than that in most.
const ROW_BYTES: usize = 400;
const CELL_BYTES: usize = 60;
/// What Oracle prints where a section has nothing to say.
const NO_DATA: &str = "No data exists for this section";
/// No damage leaves more cells whose two tags differ.
const MIXED_MAX: usize = 3;
/// The link behind each section.
const WAY_BACK: &str = "Back to ";

/// Where text outside of tables belongs.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// May be the title of the next table.
    Loose,
    /// In a heading, which is the title of the next table.
    Heading,
    /// In a list, which explains the next table.
    List,
}

/// The tables of an HTML report, whose titles stand before them, or inside as OSPRep writes them.
pub fn scan(text: &mut Text, lines: &mut Lines, out: &mut Tables, titled_inside: bool) {
    let (source, mut made) = text.parts();
    out.reserve(source.len(), ROW_BYTES, CELL_BYTES);
    let reading = Reading { source, made: &mut made, out };
    let mut scan = Scan {
        reading,
        lines,
        open: Vec::new(),
        place: Place::Loose,
        title: Title::default(),
        heading: String::new(),
        links: 0,
        titled_inside,
        strays: false,
        unclosed: Vec::new(),
        mixed: Vec::new(),
    };
    scan.run();
}

struct Scan<'a, 'b> {
    reading: Reading<'a, 'b>,
    lines: &'b mut Lines,
    open: Vec<OpenTable>,
    place: Place,
    title: Title,
    heading: String,
    links: u32,
    titled_inside: bool,
    /// Whether the last cells stood outside of any table.
    strays: bool,
    /// Lines and tables of cells without an end tag.
    unclosed: Vec<(u32, String)>,
    /// Lines and tables of cells whose two tags differ.
    mixed: Vec<(u32, String)>,
}

impl<'a> Scan<'a, '_> {
    fn run(&mut self) {
        let source = self.reading.source;
        let (mut next, mut words_from) = (after(source, 0), 0);
        let mut known: Option<Tag<'_>> = None;
        while let Some(start) = next.filter(|_| !self.reading.out.is_full) {
            let again = known.as_ref().and_then(|known| known.again(source, start));
            let Some(tag) = again.or_else(|| Tag::at(source, start)) else {
                self.require_tag_end(start);
                next = after(source, start + 1);
                continue;
            };
            if again.is_none() && tag.is_worth_knowing() {
                known = Some(tag);
            }
            if words_from < start && !self.in_cell() {
                self.loose(words_from, start);
            }
            if tag.damaged {
                self.damaged(start);
            }
            self.tag(&tag, start);
            words_from =
                if tag.name == Name::Unseen && !tag.closes { self.after_unseen(&tag) } else { tag.end };
            next = tag
                .next
                .and_then(|next| if next >= words_from { Some(next) } else { after(source, words_from) });
        }
        if self.reading.out.is_full {
            self.close_all(words_from);
        } else {
            if !self.in_cell() {
                self.loose(words_from, source.len());
            }
            self.end_all(source.len());
        }
        self.say_mixed();
        self.reading.out.numbers.refute();
    }

    /// Cells that begin as headings and end as data, or the other way about: where there are many, the page is written so.
    fn say_mixed(&mut self) {
        let mixed = "a cell begins as a heading and ends as data, or the other way about";
        let unclosed = "a cell ends without its tag, as no other does: lines may be lost or there twice";
        for (cells, message) in
            [(std::mem::take(&mut self.mixed), mixed), (std::mem::take(&mut self.unclosed), unclosed)]
        {
            for (line, title) in cells.iter().filter(|_| cells.len() <= MIXED_MAX) {
                self.reading.out.problem("tag-damaged", *line, title, message.to_owned());
            }
        }
    }

    /// Another cell or row begins in a cell that has not ended, nor in a damaged or broken tag, which is said elsewhere.
    fn note_unclosed(&mut self, start: usize) {
        let Some(table) = self.open.last().filter(|table| table.in_cell()) else { return };
        let words = self.reading.source[..start].trim_end();
        let is_broken = words.ends_with("/td>") || words.ends_with("/TD>");
        if !is_broken && self.unclosed.len() <= MIXED_MAX {
            self.unclosed.push((self.lines.of(start), table.title().to_owned()));
        }
    }

    fn damaged(&mut self, start: usize) {
        let line = self.lines.of(start);
        let message = "a quote is lost in this tag, and what stands up to the next one".to_owned();
        self.reading.out.problem("tag-damaged", line, self.title.words(), message);
        self.title.end();
    }

    /// A tag of a cell without its end is read as words, and its cell as that of the one before.
    fn require_tag_end(&mut self, start: usize) {
        let begins = |name: &str| {
            let words = &self.reading.source.as_bytes()[start + 1..];
            words.get(..name.len()).is_some_and(|words| words.eq_ignore_ascii_case(name.as_bytes()))
        };
        if ["td ", "th ", "tr ", "table "].into_iter().any(begins) {
            let line = self.lines.of(start);
            let message = "the end of this tag is lost, and with it perhaps a cell".to_owned();
            self.reading.out.problem("tag-damaged", line, self.title.words(), message);
        }
    }

    fn in_cell(&self) -> bool {
        self.open.last().is_some_and(OpenTable::in_cell)
    }

    fn tag(&mut self, tag: &Tag<'a>, start: usize) {
        match (tag.name, tag.closes) {
            (Name::Data | Name::Head, closes) => self.cell(tag, start, closes),
            (Name::Row, _) => {
                self.note_unclosed(start);
                self.end_row(start);
            }
            (Name::Table, false) => self.begin_table(tag, start),
            (Name::Table, true) => self.end_table(start, tag.end),
            (Name::Heading, false) if self.in_cell() && self.in_data() => {
                self.end_all(start);
                self.heading(false);
            }
            _ if self.in_cell() => self.skip(start, tag.end),
            (Name::Heading, closes) => self.heading(closes),
            (Name::List | Name::Item, false) => self.place = Place::List,
            (Name::List, true) => self.place = Place::Loose,
            (Name::Paragraph, _) => self.paragraph(),
            (Name::Link, closes) => self.links = u32::from(!closes),
            _ => {}
        }
    }

    fn cell(&mut self, tag: &Tag<'a>, start: usize, closes: bool) {
        let line = self.lines.of(start);
        if !closes {
            self.note_unclosed(start);
        }
        let Some(table) = self.open.last_mut() else { return self.stray(line) };
        if closes && self.mixed.len() <= MIXED_MAX && table.in_cell_of(tag.name == Name::Data) {
            self.mixed.push((line, table.title().to_owned()));
        }
        table.end_cell(start, closes, &mut self.reading);
        if !closes {
            table.begin_cell(tag, tag.name == Name::Head, line);
            if tag.attributes.ends_with('/') {
                table.end_cell(tag.end, true, &mut self.reading);
            }
        }
    }

    /// A cell outside of any table: the begin of its own is lost, and the words in it are no title of the next one.
    fn stray(&mut self, line: u32) {
        if !std::mem::replace(&mut self.strays, true) {
            let message =
                "a cell stands here outside of any table: the begin of its own is not there".to_owned();
            self.reading.out.problem("tag-damaged", line, self.title.words(), message);
        }
        self.title.end();
    }

    fn skip(&mut self, start: usize, end: usize) {
        if let Some(table) = self.open.last_mut() {
            table.skip(self.reading.source, start, end);
        }
    }

    fn end_row(&mut self, start: usize) {
        let Some(table) = self.open.last_mut() else { return };
        table.end_cell(start, false, &mut self.reading);
        table.end_row(&mut self.reading);
    }

    /// A table begins; one that is open and has no open cell was left without its end tag. Nor do tables stand in one with headings:
    /// its end is lost, and the title of what begins with it. Only OSPRep puts a statement's plan in a row below the statement.
    fn begin_table(&mut self, tag: &Tag<'a>, start: usize) {
        if !self.open.is_empty() && !self.in_cell() {
            self.end_table(start, start);
        } else if !self.titled_inside && !self.open.is_empty() && self.title.has_ended() {
            // The table around it began with a damaged tag, and cells or tables are lost in that.
            let line = self.lines.of(start);
            self.title.require(line, self.reading.out);
        } else if !self.titled_inside && self.open.last().is_some_and(OpenTable::has_headings) {
            self.end_all(start);
            self.title.end();
        }
        self.skip(start, tag.end);
        self.strays = false;
        let line = self.lines.of(start);
        if self.open.len() == NESTING_MAX {
            return self.reading.out.meet(Bound::Nesting, line);
        }
        let mut summary = String::new();
        unescape(tag.attribute("summary").unwrap_or_default(), &mut summary);
        let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
        self.place = Place::Loose;
        let titled_before = self.open.is_empty() && !self.titled_inside;
        let stray = titled_before && self.title.take(line, self.reading.out);
        self.reading.out.numbers.confirm();
        self.open.push(OpenTable::new(self.title.words(), stray, &summary, line, self.titled_inside));
    }

    fn end_table(&mut self, start: usize, end: usize) {
        self.end_row(start);
        if let Some(table) = self.open.pop() {
            table.finish(self.reading.out);
        }
        if let Some(outer) = self.open.last_mut() {
            outer.resume(end);
        }
    }

    /// Whether the innermost table holds rows or headings, and is none that lays out the page.
    fn in_data(&self) -> bool {
        self.open.last().is_some_and(OpenTable::has_rows)
    }

    /// The report, or a section of it, ends while tables are open.
    fn end_all(&mut self, end: usize) {
        if let Some(table) = self.open.last() {
            let line = self.lines.of(end);
            let title = table.title().to_owned();
            self.reading.out.problem(
                "table-unfinished",
                line,
                &title,
                "this table is not finished where its section ends".to_owned(),
            );
        }
        self.close_all(end);
    }

    fn close_all(&mut self, end: usize) {
        while !self.open.is_empty() {
            self.end_table(end, end);
        }
    }

    /// A heading begins or ends; one that was left without its end tag ends with the next.
    fn heading(&mut self, closes: bool) {
        let words = std::mem::take(&mut self.heading);
        if closes || !words.is_empty() {
            self.name(&words);
        }
        self.place = if closes { Place::Loose } else { Place::Heading };
    }

    /// Ends a list whose end was left out, and a link as well.
    fn paragraph(&mut self) {
        self.links = 0;
        if self.place == Place::List {
            self.place = Place::Loose;
        }
    }

    /// Words outside of tables: a title, a heading, an explanation, or an error that SQL*Plus left.
    fn loose(&mut self, start: usize, end: usize) {
        let words = self.reading.source[start..end].trim();
        if words.is_empty() {
            return;
        }
        match self.place {
            Place::Heading => unescape(words, &mut self.heading),
            _ if self.links > 0 && words.starts_with(WAY_BACK) => self.title.end(),
            Place::List => self.reading.out.numbers.note(words),
            _ if !self.open.is_empty() && begins_small(words) => self.lose(words, start),
            _ if !self.open.is_empty() => self.name_loose(words, start),
            Place::Loose if self.links > 0 => self.reading.out.numbers.note(words),
            Place::Loose if words.starts_with(NO_DATA) => self.nothing(start),
            Place::Loose => {
                if self.addm(start, end) {
                    self.require_tag(end);
                } else {
                    self.errors(words, start);
                    // Behind the end of a section only a heading is a title, and what begins as no title does is the rest of a list.
                    if !self.title.has_ended() && !begins_small(words) {
                        self.name_loose(words, start);
                    } else {
                        self.lose(words, start);
                    }
                }
            }
        }
    }

    /// Words that may be the title of what follows; none was where nothing follows.
    fn name_loose(&mut self, words: &str, start: usize) {
        let above = words.rfind('\n').unwrap_or_default();
        self.lose(&words[..above], start);
        let line = self.lines.of(start);
        self.reading.out.numbers.suppose(&words[above..], line);
        self.name(words);
    }

    /// Words that became nothing.
    fn lose(&mut self, words: &str, start: usize) {
        self.reading.out.numbers.lose(words, self.lines.of(start));
    }

    /// Whether the words are ADDM's, which stand in the page as its text does.
    fn addm(&mut self, start: usize, end: usize) -> bool {
        let source = self.reading.source;
        if memmem::find(&source.as_bytes()[start..end], b"ADDM").is_none() {
            return false;
        }
        let lines: Vec<(String, u32)> = self
            .lines
            .between(start, end)
            .map(|(from, to, number)| {
                let mut words = String::new();
                unescape(&source[from..to], &mut words);
                words.truncate(words.trim_end().len());
                (words, number)
            })
            .collect();
        advice::read(&lines, self.reading.made, self.reading.out)
    }

    /// ADDM's words end at a tag; where the page ends instead, it may be cut.
    fn require_tag(&mut self, end: usize) {
        if end == self.reading.source.len() {
            let line = self.lines.of(end);
            let message = "the page ends in these words, which may be cut".to_owned();
            self.reading.out.problem("table-unfinished", line, addm::FINDINGS, message);
        }
    }

    /// The last line of the words is the title of what follows.
    fn name(&mut self, words: &str) {
        let Some(line) = words.lines().map(str::trim).rfind(|line| !line.is_empty()) else { return };
        let mut title = String::new();
        unescape(title_of(line), &mut title);
        self.title.set(&title.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    /// A section that says that it has nothing.
    fn nothing(&mut self, start: usize) {
        let first_row = self.reading.out.rows.len() as u32;
        let line = self.lines.of(start);
        self.title.take(line, self.reading.out);
        let title = self.title.words().to_owned();
        self.reading.out.numbers.confirm();
        self.reading.out.push_table(Table { title, first_row, line, ..Table::default() });
    }

    fn errors(&mut self, words: &str, start: usize) {
        let line = self.lines.of(start);
        crate::embedded::find(words, line, self.title.words(), self.reading.out);
    }

    fn after_unseen(&self, tag: &Tag<'a>) -> usize {
        let rest = &self.reading.source.as_bytes()[tag.end..];
        memmem::find(rest, b"</").map_or(self.reading.source.len(), |at| tag.end + at)
    }
}

/// The first `<` from here on; None where there is none.
fn after(source: &str, from: usize) -> Option<usize> {
    memchr(b'<', &source.as_bytes()[from..]).map(|at| from + at)
}

/// Whether the last line of the words begins with a small letter or a sign.
fn begins_small(words: &str) -> bool {
    let last = words.lines().map(str::trim_start).rfind(|line| !line.is_empty());
    last.and_then(|line| line.chars().next())
        .is_some_and(|first| first.is_ascii() && !first.is_ascii_uppercase())
}
