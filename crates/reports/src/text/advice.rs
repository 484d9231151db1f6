//! Where ADDM's prose stands among the lines of a report: behind its tables, as a rule, but before or between them as well.

use std::iter::once;
use std::ops::Range;

use super::page::{Kind, Line};
use super::ruler;
use crate::model::{Made, Tables};
use crate::numbers::Numbers;
use crate::{addm, kind};

/// From each title of ADDM's to where the report goes on with its own, if it does.
pub fn find(source: &str, lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let hits = memchr::memmem::find_iter(source.as_bytes(), b"ADDM");
    parts(lines, hits.filter_map(|byte| lines.partition_point(|line| line.start <= byte).checked_sub(1)))
}

/// Reads what ADDM says in lines of a page; the others are lost. Whether it says anything there.
pub fn read(lines: &[(String, u32)], made: &mut Made<'_>, out: &mut Tables) -> bool {
    let lines: Vec<_> = lines.iter().map(|(words, number)| Line::alone(words, *number)).collect();
    let found = parts(&lines, 0..lines.len());
    if found.is_empty() {
        return false;
    }
    let begins = once(0).chain(found.iter().map(|part| part.end));
    let ends = found.iter().map(|part| part.start).chain([lines.len()]);
    let others = begins.zip(ends).flat_map(|(from, to)| &lines[from..to]);
    others.for_each(|line| out.numbers.lose(line.words, line.number));
    found.iter().for_each(|part| lose_rows(&lines[part.clone()], &mut out.numbers));
    let said: Vec<_> = found.into_iter().flat_map(|part| &lines[part]).map(line_of).collect();
    addm::read(&said, made, out);
    true
}

/// The parts that begin at some of the lines.
fn parts(lines: &[Line<'_>], mut perhaps: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    while let Some(title) = perhaps.find(|at| is_title(lines, *at)) {
        if found.last().is_none_or(|part| title >= part.end) {
            found.push(title..end_of(lines, title));
        }
    }
    found
}

/// The line as ADDM's reader takes it.
pub fn line_of<'a>(line: &Line<'a>) -> addm::Line<'a> {
    addm::Line { words: line.words, number: line.number }
}

fn is_title(lines: &[Line<'_>], at: usize) -> bool {
    line_of(&lines[at]).is_title(lines.get(at + 1).map(line_of).as_ref())
}

/// The first line behind ADDM's that it does not print. Up to its last separator all lines are its own, though it may list instances
/// under a ruler there.
fn end_of(lines: &[Line<'_>], title: usize) -> usize {
    let mut title = title;
    loop {
        let is_hard = |at: &usize| is_title(lines, *at) || begins_other(&lines[*at]);
        let hard = (title + 2..lines.len()).find(is_hard).unwrap_or(lines.len());
        let separator = (title + 2..hard).rev().find(|at| is_separator(&lines[*at]));
        let in_head = separator.is_none();
        let soft = (separator.unwrap_or(title + 1) + 1..hard).find_map(|at| table_begin(lines, at, in_head));
        if let Some(begin) = soft {
            return begin.max(title + 2);
        }
        if hard == lines.len() || !is_title(lines, hard) {
            return hard;
        }
        title = hard;
    }
}

/// Whether the report ends in a finding: what ADDM says of the whole, behind another separator, is not there.
pub fn is_cut(lines: &[Line<'_>], part: &Range<usize>) -> bool {
    let Some(last) = lines[part.clone()].iter().rposition(is_separator) else { return false };
    let mut behind = lines[part.start + last..part.end].iter();
    part.end == lines.len() && behind.any(|line| line_of(line).begins_finding())
}

/// Loses lines behind the last separator that are no sentences: they have a gap and a number, as rows of tables do.
pub fn lose_rows(lines: &[Line<'_>], numbers: &mut Numbers) {
    let last = lines.iter().rposition(is_separator).map_or(lines.len(), |at| at + 1);
    let is_row = |line: &&Line<'_>| !line.words.starts_with(' ') && line.words.contains("  ");
    lines[last..].iter().filter(is_row).for_each(|line| numbers.lose(line.words, line.number));
}

/// Whether tildes go over the whole page, as between ADDM's parts.
fn is_separator(line: &Line<'_>) -> bool {
    line.kind == Kind::Tildes
        && ruler::only_run(line.words.as_bytes(), b'~')
            .is_some_and(|(start, end)| end - start >= SEPARATOR_SIGNS_MIN)
}

/// The separators of 11g have 78, those of 10g 75.
const SEPARATOR_SIGNS_MIN: usize = 60;

/// Whether a line alone says that the report goes on: the title of a section, its end, the begin of another report.
fn begins_other(line: &Line<'_>) -> bool {
    match line.kind {
        Kind::Title(_) => true,
        Kind::Tildes => line.words.starts_with("~~BEGIN-"),
        Kind::Words => kind::is_end(line.words) || kind::begins_head(line.words),
        _ => false,
    }
}

/// Where a table begins that a line shows: notes, a ruler or tildes below headings. The list of findings in ADDM's head has a ruler as
/// well.
fn table_begin(lines: &[Line<'_>], at: usize, in_head: bool) -> Option<usize> {
    let line = &lines[at];
    let over = || lines[at - 1].kind == Kind::Words;
    let is_said = line.words.len() - line.words.trim_start().len() >= SAID_INDENT_MIN;
    match line.kind {
        Kind::Bullet | Kind::Dashes | Kind::Tildes if is_said => None,
        Kind::Bullet => Some(block_begin(lines, at)),
        Kind::Dashes if is_list(line) && in_head => None,
        Kind::Dashes if is_instances(lines, at) => None,
        Kind::Dashes if ruler::runs(line.words.as_bytes(), b'-').len() > 1 => Some(block_begin(lines, at)),
        Kind::Tildes if over() => Some(block_begin(lines, at)),
        _ => None,
    }
}

/// What ADDM recommends stands so far in, and with it statements whose comments may be drawn with dashes.
const SAID_INDENT_MIN: usize = 6;

/// Three columns a little in, the last of which may be wrapped.
fn is_list(line: &Line<'_>) -> bool {
    line.words.starts_with(' ') && ruler::runs(line.words.as_bytes(), b'-').len() == 3
}

/// Whether a cluster's instances are listed below.
fn is_instances(lines: &[Line<'_>], at: usize) -> bool {
    let above: Vec<_> = lines[at.saturating_sub(2)..=at].iter().map(line_of).collect();
    addm::instances::is_ruler(&above, above.len() - 1)
}

/// The first of the lines right above, with a title behind a blank line.
fn block_begin(lines: &[Line<'_>], at: usize) -> usize {
    let above = |at: usize| lines[..at].iter().rev().take_while(|line| line.kind == Kind::Words).count();
    let begin = at - above(at);
    let blank = lines[..begin].iter().rev().take_while(|line| line.kind == Kind::Blank).count();
    let title = begin - blank;
    let is_title = blank > 0 && above(title) == 1 && super::titles::is_title(lines[title - 1].words);
    if is_title { title - 1 } else { begin }
}
