//! A report from its bytes.

use bytes::Bytes;
use bytestring::ByteString;

use crate::bounds::{Bound, Free, Room};
use crate::checks;
use crate::encoding;
use crate::header::{self, Header};
use crate::html;
use crate::kind::{self, Form, Kind};
use crate::limits::FILE_REPORTS_MAX;
use crate::lines::{self, Lines};
use crate::markdown;
use crate::model::{Problem, Tables, Text};
use crate::parts::{self, Part};
use crate::prefix;
use crate::problems::Problems;
use crate::sections::{self, Typed};
use crate::text;
use crate::value::find_decimal;
use crate::wrappers::{self, Piece};

/// What word processors, pages and mails write for a space that shall not go.
const NO_BREAK_SPACE: char = '\u{a0}';

/// What was read.
#[derive(Default)]
pub struct Report {
    /// Its words.
    pub text: Text,
    /// Its tables and problems.
    pub tables: Tables,
    /// What it is.
    pub kind: Kind,
    /// How it is written.
    pub form: Form,
    /// How its characters are written.
    pub encoding: &'static str,
    /// What its head says.
    pub header: Header,
    /// The typed views that were found in it.
    pub typed: Vec<Typed>,
    /// Where it stands, when its file holds others as well.
    pub own: Option<Own>,
}

/// What a file holds of one of its reports.
pub struct Own {
    /// As they stand in the file, decoded.
    pub words: String,
    /// Its first line in the file.
    pub first_line: u32,
    /// How many reports stand in the file besides it.
    pub others: usize,
}

/// Reads the bytes of a file that holds one report; of several, the first, and says so.
pub fn read(bytes: impl Into<Bytes>) -> Report {
    let mut all = read_all(bytes);
    let mut first = all.swap_remove(0);
    if !all.is_empty() {
        let message =
            format!("{} more reports stand in the same file, and are not read with this one", all.len());
        first.tables.problems.push(about_file("reports-several", message, true));
    }
    first
}

/// Reads the bytes of a file. Whatever they are, there is a report; what could not be read stands in its problems.
pub fn read_all(bytes: impl Into<Bytes>) -> Vec<Report> {
    let mut decoded = encoding::decode(bytes.into());
    if memchr::memchr(b'\n', decoded.text.as_bytes()).is_none() {
        // Lines that end as they did on old Macintoshes.
        decoded.text = decoded.text.replace('\r', "\n").into();
    }
    if decoded.text.contains(NO_BREAK_SPACE) {
        // A text that came out of a page or a mail; the columns of a report are set with spaces.
        decoded.text = decoded.text.replace(NO_BREAK_SPACE, " ").into();
    }
    let mut known: Vec<Problem> =
        (decoded.damaged_bytes > 0).then(|| damaged(&decoded)).into_iter().collect();
    if let Some(page) = markdown::to_html(&decoded.text) {
        decoded.text = page.into();
    } else if let Some(stripped) = prefix::strip(&decoded.text) {
        known.push(prefixed(&stripped.forms));
        decoded.text = markdown::to_html(&stripped.text).unwrap_or(stripped.text).into();
    }
    let mut file = File { encoding: decoded.encoding, known, free: Free::default() };
    let mut pieces = wrappers::open(decoded.text);
    let parts: Vec<Vec<Part>> = pieces.iter().map(|piece| parts::find(&piece.text)).collect();
    let count = parts.iter().map(Vec::len).sum::<usize>();
    if let ([piece], 1) = (pieces.as_mut_slice(), count) {
        return vec![file.read_part(std::mem::take(&mut piece.text), parts[0][0].kind, piece.first_line)];
    }
    let mut each = pieces.iter().zip(&parts).flat_map(|(piece, parts)| parts_of(piece, parts));
    let others = count.min(FILE_REPORTS_MAX) - 1;
    let read = |(words, kind, first_line): (&str, Option<Kind>, u32)| {
        let report = file.read_part(words.into(), kind, first_line);
        Report { own: Some(Own { words: words.to_owned(), first_line, others }), ..report }
    };
    let mut all: Vec<Report> = each.by_ref().take(FILE_REPORTS_MAX).map(read).collect();
    if let (Some(last), Some((.., line))) = (all.last_mut(), each.next()) {
        last.tables.say_met(Bound::Reports, line);
    }
    all
}

/// Words, kind and first line of each report in a piece.
fn parts_of<'a>(piece: &'a Piece, parts: &'a [Part]) -> impl Iterator<Item = (&'a str, Option<Kind>, u32)> {
    let ends = parts.iter().skip(1).map(|part| part.start).chain([piece.text.len()]);
    let mut lines = Lines::new(&piece.text);
    parts.iter().zip(ends).map(move |(part, end)| {
        (&piece.text[part.start..end], part.kind, piece.first_line + lines.of(part.start) - 1)
    })
}

fn prefixed(forms: &[&str]) -> Problem {
    let message = format!("before its lines stand {}, which are left out", forms.join(" and "));
    about_file("lines-prefixed", message, false)
}

/// What all reports of a file share.
struct File {
    encoding: &'static str,
    known: Vec<Problem>,
    free: Free,
}

impl File {
    /// One report, which begins at a line of its file, of the kind that its head names, where nothing else tells it.
    fn read_part(&mut self, text: ByteString, kind: Option<Kind>, first_line: u32) -> Report {
        let mut report = Report { encoding: self.encoding, ..Report::default() };
        report.kind = match (kind::find(&text), kind) {
            (Kind::Addm | Kind::Unknown, Some(kind)) => kind,
            (found, _) => found,
        };
        report.form = kind::form(&text);
        report.tables.decimal = find_decimal(&text);
        report.tables.room = Room::of(report.form, text.len(), &self.free);
        report.tables.problems = Problems::within(&report.tables.room);
        report.tables.problems.extend(self.known.iter().cloned());
        say_controls(&text, &mut report.tables);
        read_tables(&mut report, text);
        report.tables.begin_at(first_line);
        report.header = header::read(report.kind, &report.text, &report.tables);
        hold_instances(&mut report, first_line);
        let release = report.header.release.as_deref().unwrap_or(sections::RELEASE_LOST);
        report.typed = sections::apply(&report.text, &mut report.tables, release);
        let nameless = sections::nameless::problems(&report.tables);
        let damaged_titles = sections::damaged_titles::problems(&report.tables);
        let doubled_rows = sections::doubled_rows::problems(&report.text, &report.tables);
        let damaged_ids = sections::damaged_ids::problems(&report.typed);
        let found = nameless.into_iter().chain(damaged_titles).chain(doubled_rows).chain(damaged_ids);
        report.tables.problems.extend(found);
        if report.kind == Kind::Unknown && report.typed.iter().any(|typed| typed.rows() > 0) {
            report.kind = Kind::Excerpt;
        }
        report.tables.require_numbers_read();
        checks::run(&report.text, &mut report.tables, &report.header);
        report.tables.problems.close();
        report.tables.room.take(Bound::Problems, report.tables.problems.len());
        self.free.spend(&report.tables.room);
        report
    }
}

/// Leaves out instances of which there are too many.
fn hold_instances(report: &mut Report, first_line: u32) {
    let instances_max = report.tables.room.left(Bound::Instances);
    report.tables.room.take(Bound::Instances, report.header.instances.len());
    if report.header.instances.len() > instances_max {
        report.header.instances.truncate(instances_max);
        report.tables.say_met(Bound::Instances, first_line);
    }
}

fn read_tables(report: &mut Report, source: ByteString) {
    let lines_max = report.tables.room.left(Bound::Lines);
    let cut = lines::end_of(&source, lines_max);
    let source = cut.map_or_else(|| source.clone(), |cut| source.slice_ref(&source[..cut]));
    match report.form {
        Form::Html => read_html(report, source),
        Form::Text => read_text(report, source),
    }
    if cut.is_some() {
        report.tables.meet(Bound::Lines, lines_max as u32 + 1);
    }
}

fn read_text(report: &mut Report, source: ByteString) {
    let (source, is_whole) = without_tabs(source, report.tables.room.left(Bound::Tabs));
    report.text = Text::new(source);
    text::scan(&mut report.text, &mut report.tables);
    if !is_whole {
        let ended = memchr::memchr_iter(b'\n', report.text.source().as_bytes()).count();
        report.tables.meet(Bound::Tabs, ended as u32 + 1);
    }
}

fn read_html(report: &mut Report, source: ByteString) {
    let source = html::quotes::single(&source).map_or(source, ByteString::from);
    let lines = Lines::new(&source);
    let (source, mut lines) =
        html::unwrap(&source, &lines).map_or((source, lines), |(joined, lines)| (joined.into(), lines));
    report.text = Text::new(source);
    html::scan(&mut report.text, &mut lines, &mut report.tables, report.kind == Kind::Osprep);
}

fn damaged(decoded: &encoding::Decoded) -> Problem {
    let message = format!("{} bytes stand for no character in {}", decoded.damaged_bytes, decoded.encoding);
    about_file("bytes-damaged", message, false)
}

/// No report has characters that are signs to a terminal, but for statements that hold them: a byte of such a line may have changed.
/// Some systems end a file with one.
fn say_controls(text: &str, tables: &mut Tables) {
    let text = text.trim_end_matches(|sign: char| sign == END_OF_FILE || sign.is_ascii_whitespace());
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | b'\x0c' | b'\x1b');
    let has_any = |bytes: &[u8]| bytes.iter().fold(false, |any, byte| any | is_control(byte));
    let chunks = text.as_bytes().chunks(CHUNK_BYTES).enumerate().filter(|(_, chunk)| has_any(chunk));
    let found = chunks.flat_map(|(at, chunk)| {
        let within = chunk.iter().enumerate().filter(|(_, byte)| is_control(byte));
        within.map(move |(byte, _)| at * CHUNK_BYTES + byte)
    });
    let (mut from, mut line, mut last) = (0, 1, 0);
    for byte in found {
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[from..byte]).count() as u32;
        from = byte;
        if line > last {
            let message = "a control character stands in this line: its bytes may be damaged".to_owned();
            tables.problem("bytes-damaged", line, "", message);
            last = line;
        }
    }
}

/// Of MS-DOS, which some programs of Windows still write.
const END_OF_FILE: char = '\x1a';
/// So many bytes are looked at together.
const CHUNK_BYTES: usize = 4096;

fn about_file(code: &'static str, message: String, loses: bool) -> Problem {
    Problem { code, line: None, section: None, message, loses }
}

/// SQL*Plus writes tabs for spaces where it is told so; columns stand where a terminal would show them. And whether it is the whole
/// text, which must not get longer than so many bytes.
fn without_tabs(text: ByteString, bytes_max: usize) -> (ByteString, bool) {
    if memchr::memchr(b'\t', text.as_bytes()).is_none() {
        return (text, true);
    }
    let mut expanded = String::with_capacity(text.len() + text.len() / 8);
    let mut column = 0;
    for character in text.chars() {
        if expanded.len() > bytes_max {
            return (expanded.into(), false);
        }
        match character {
            '\t' => {
                let spaces = 8 - column % 8;
                expanded.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
            }
            '\n' => {
                expanded.push('\n');
                column = 0;
            }
            other => {
                expanded.push(other);
                column += 1;
            }
        }
    }
    (expanded.into(), true)
}

#[cfg(test)]
mod tests {
    #[test]
    fn control_characters_are_said_by_their_lines() {
        let said = |words: &str| -> Vec<Option<u32>> {
            let report = crate::read(words.as_bytes().to_vec());
            let damaged = report.tables.problems.iter().filter(|problem| problem.code == "bytes-damaged");
            damaged.map(|problem| problem.line).collect()
        };
        let page = "STATSPACK report for\n\nDatabase\tDB Id\r\n\x0cwords\n";
        assert!(said(page).is_empty());
        assert!(said(&format!("{page}\x1a\n")).is_empty());
        assert_eq!(said(&page.replace("words", "wo\x00\x18rds")), [Some(4)]);
    }
}
