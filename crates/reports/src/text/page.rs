//! The lines of a text report: where each stands, what it is, and its characters by their place on the page.

use std::iter::repeat_n;

use crate::bounds::LINE_BYTES_MAX;
use crate::model::Cell;

use super::ruler::{Columns, is_dashes, only_run};

/// A line without its end, form feeds and trailing space.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its words.
    pub words: &'a str,
    /// The byte of the report that they begin at.
    pub start: usize,
    /// From 1.
    pub number: u32,
    /// Whether it is known that each character is one byte.
    pub is_ascii: bool,
    /// What it is.
    pub kind: Kind,
}

/// What a line is, as far as it can be told alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Nothing.
    Blank,
    /// `----- ---- ---`
    Dashes,
    /// `~~~~~~`, alone or with words behind.
    Tildes,
    /// A section's title with the database behind it; how many bytes the title has.
    Title(usize),
    /// `-> ordered by …`
    Bullet,
    /// Any other.
    Words,
}

/// All lines, up to one that is longer than any report's, and the number of that one.
pub fn lines(source: &str) -> (Vec<Line<'_>>, Option<u32>) {
    let mut lines = Vec::with_capacity(source.len() / 40);
    let (mut start, mut number) = (0, 1);
    let is_ascii = source.is_ascii();
    let mut marks = memchr::memmem::find_iter(source.as_bytes(), TITLE_MARK).peekable();
    for end in memchr::memchr_iter(b'\n', source.as_bytes()).chain([source.len()]) {
        let mut is_marked = false;
        while marks.next_if(|at| *at < end).is_some() {
            is_marked = true;
        }
        let (words, from) = words_of(source, start, end);
        if words.len() > LINE_BYTES_MAX {
            return (lines, Some(number));
        }
        let kind = Kind::of(words, is_marked);
        lines.push(Line { words, start: from, number, is_ascii, kind });
        (start, number) = (end + 1, number + 1);
    }
    (lines, None)
}

/// The words of a line, and the byte that they begin at.
fn words_of(source: &str, start: usize, end: usize) -> (&str, usize) {
    let whole = &source[start.min(end)..end];
    let fed = whole.as_bytes().first().is_some_and(|byte| matches!(byte, b'\x0c' | b'\r'));
    let words = if fed { whole.trim_start_matches(['\x0c', '\r']) } else { whole };
    (words.trim_ascii_end(), start + whole.len() - words.len())
}

impl Kind {
    fn of(words: &str, is_marked: bool) -> Self {
        let bytes = words.as_bytes();
        let Some(first) = bytes.iter().find(|byte| **byte != b' ') else { return Self::Blank };
        match first {
            b'-' if words.trim_start().starts_with("->") => Self::Bullet,
            b'-' if is_dashes(bytes) => Self::Dashes,
            b'~' => Self::Tildes,
            byte if is_marked && byte.is_ascii_alphabetic() && bytes.len() > TITLE_BYTES_MIN => {
                title(bytes).map_or(Self::Words, Self::Title)
            }
            _ => Self::Words,
        }
    }
}

impl<'a> Line<'a> {
    /// Of words that stand in no report as they are.
    pub fn alone(words: &'a str, number: u32) -> Self {
        let is_ascii = words.is_ascii();
        Self { words, start: 0, number, is_ascii, kind: Kind::of(words, words.contains("DB")) }
    }

    /// Whether it is one run of dashes that stands far in: the end of a section, or the line under a group of headings.
    pub fn is_end(&self) -> bool {
        only_run(self.words.as_bytes(), b'-')
            .is_some_and(|(start, end)| start >= END_INDENT_MIN && end - start >= END_DASHES_MIN)
    }
}

/// Stands in the line of each section's title: `DB/Inst:` or `for DB:`.
const TITLE_MARK: &[u8] = b"DB";
const TITLE_BYTES_MIN: usize = 12;
const END_INDENT_MIN: usize = 8;
const END_DASHES_MIN: usize = 40;

fn title(bytes: &[u8]) -> Option<usize> {
    let ends = |before: &[u8], words: &[u8]| before.ends_with(words).then(|| before.len() - words.len());
    let at = memchr::memchr_iter(b':', bytes).find_map(|colon| {
        let before = &bytes[..colon];
        ends(before, b"DB/Inst").or_else(|| ends(before, b" for DB"))
    })?;
    (at > 0).then_some(at)
}

/// A line whose characters can be found by their place on the page, be it ASCII or not.
pub struct Placed<'a> {
    line: Line<'a>,
    flat: Vec<u8>,
    /// The byte of each character, and the end; empty where each character is one byte.
    bytes: Vec<usize>,
}

impl<'a> Placed<'a> {
    /// By characters.
    pub fn new(line: Line<'a>) -> Self {
        if line.is_ascii || line.words.is_ascii() {
            return Self { line, flat: Vec::new(), bytes: Vec::new() };
        }
        Self::behind(0, line)
    }

    /// By characters, behind a margin of so many more.
    pub fn behind(margin: usize, line: Line<'a>) -> Self {
        let signs =
            line.words.chars().map(|sign| u8::try_from(sign).ok().filter(u8::is_ascii).unwrap_or(b'x'));
        let starts = line.words.char_indices().map(|(at, _)| at).chain([line.words.len()]);
        Self {
            line,
            flat: repeat_n(b' ', margin).chain(signs).collect(),
            bytes: repeat_n(0, margin).chain(starts).collect(),
        }
    }

    /// The page.
    pub fn columns(&self) -> Columns<'_> {
        Columns::new(if self.bytes.is_empty() { self.line.words.as_bytes() } else { &self.flat })
    }

    /// The words of a cell that was read from this line.
    pub fn words_of(&self, cell: &Cell) -> &'a str {
        let start = cell.span.start as usize - self.line.start;
        self.line.words.get(start..start + cell.span.len as usize).unwrap_or_default()
    }

    /// The place behind the words of a cell that was read from this line.
    pub fn end_of(&self, cell: &Cell) -> usize {
        let byte = (cell.span.start + cell.span.len) as usize - self.line.start;
        if self.bytes.is_empty() { byte } else { self.bytes.partition_point(|at| *at < byte) }
    }

    /// The words between two places, and the byte of the report that they begin at.
    pub fn words(&self, from: usize, to: usize) -> (&'a str, usize) {
        let byte = |place: usize| match self.bytes.last() {
            None => place.min(self.line.words.len()),
            Some(end) => self.bytes.get(place).copied().unwrap_or(*end),
        };
        let (from, to) = (byte(from), byte(to));
        (self.line.words.get(from..to).unwrap_or_default(), self.line.start + from)
    }
}
