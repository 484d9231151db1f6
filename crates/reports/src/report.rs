//! A report from its bytes.

use crate::bounds::{Bound, INSTANCES_MAX, Room};
use crate::checks;
use crate::encoding;
use crate::header::{self, Header};
use crate::html;
use crate::kind::{self, Form, Kind};
use crate::lines::{self, Lines};
use crate::model::{Problem, Tables, Text};
use crate::sections::{self, Typed};
use crate::text;
use crate::value::find_decimal;

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
}

/// Reads the bytes of a file. Whatever they are, there is a report; what could not be read stands in its problems.
pub fn read(bytes: Vec<u8>) -> Report {
    let decoded = encoding::decode(bytes);
    let mut report = Report { encoding: decoded.encoding, ..Report::default() };
    if decoded.damaged_bytes > 0 {
        report.tables.problems.push(damaged(&decoded));
    }
    report.kind = kind::find(&decoded.text);
    report.form = kind::form(&decoded.text);
    report.tables.decimal = find_decimal(&decoded.text);
    report.tables.room = Room::of(report.form, decoded.text.len());
    read_tables(&mut report, decoded.text);
    report.header = header::read(report.kind, &report.text, &report.tables);
    if report.header.instances.len() > INSTANCES_MAX {
        report.header.instances.truncate(INSTANCES_MAX);
        report.tables.say_met(Bound::Instances, 1);
    }
    report.typed = sections::apply(
        &report.text,
        &mut report.tables,
        report.header.release.as_deref().unwrap_or_default(),
    );
    let nameless = sections::nameless::problems(&report.tables);
    let damaged_titles = sections::damaged_titles::problems(&report.tables);
    report.tables.problems.extend(nameless.into_iter().chain(damaged_titles));
    checks::run(&report.text, &mut report.tables, &report.header);
    report.tables.problems.close();
    report
}

fn read_tables(report: &mut Report, mut source: String) {
    let lines_max = report.tables.room.left(Bound::Lines);
    let cut = lines::end_of(&source, lines_max);
    source.truncate(cut.unwrap_or(source.len()));
    match report.form {
        Form::Html => read_html(report, source),
        Form::Text => read_text(report, source),
    }
    if cut.is_some() {
        report.tables.meet(Bound::Lines, lines_max as u32 + 1);
    }
}

fn read_text(report: &mut Report, source: String) {
    let (source, is_whole) = without_tabs(source, report.tables.room.left(Bound::Tabs));
    report.text = Text::new(source);
    text::scan(&mut report.text, &mut report.tables);
    if !is_whole {
        let ended = memchr::memchr_iter(b'\n', report.text.source().as_bytes()).count();
        report.tables.meet(Bound::Tabs, ended as u32 + 1);
    }
}

fn read_html(report: &mut Report, source: String) {
    let source = html::quotes::single(&source).unwrap_or(source);
    let lines = Lines::new(&source);
    let (source, mut lines) = html::unwrap(&source, &lines).unwrap_or((source, lines));
    report.text = Text::new(source);
    html::scan(&mut report.text, &mut lines, &mut report.tables, report.kind == Kind::Osprep);
}

fn damaged(decoded: &encoding::Decoded) -> Problem {
    Problem {
        code: "bytes-damaged",
        line: None,
        section: None,
        message: format!("{} bytes stand for no character in {}", decoded.damaged_bytes, decoded.encoding),
        loses: false,
    }
}

/// SQL*Plus writes tabs for spaces where it is told so; columns stand where a terminal would show them. And whether it is the whole
/// text, which must not get longer than so many bytes.
fn without_tabs(text: String, bytes_max: usize) -> (String, bool) {
    if memchr::memchr(b'\t', text.as_bytes()).is_none() {
        return (text, true);
    }
    let mut expanded = String::with_capacity(text.len() + text.len() / 8);
    let mut column = 0;
    for character in text.chars() {
        if expanded.len() > bytes_max {
            return (expanded, false);
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
    (expanded, true)
}
