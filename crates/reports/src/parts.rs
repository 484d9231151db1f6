//! Several reports in one file: where each of them begins.
//!
//! Words that begin a report may be quoted in one. So another report begins only where they stand alone in their line, or in a
//! heading of a page, with the table below them that names the database; or behind the end of the one before.

use memchr::memmem;

use crate::kind::{END, HEADS, Kind};
use crate::limits::FILE_REPORTS_MAX;
use crate::numbers;

/// One report of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The byte that it begins at; the first one at the begin of the file.
    pub start: usize,
    /// What its head says that it is; None where it has none that is known here.
    pub kind: Option<Kind>,
}

/// Words that heads begin with; which head it is, is looked at where they stand.
const SIGNS: [&[u8]; 5] = [
    b"WORKLOAD REPOSITORY ",
    b"STATSPACK ",
    b"ASH Report For",
    b"StatsPack Report for",
    b"~~BEGIN-OS-INFORMATION~~",
];
/// The table that names the database stands within so many bytes below a head.
const HEAD_BYTES_MAX: usize = 4096;
/// One of its headings, or the title over it.
const NAMES: [&[u8]; 6] =
    [b"DB Id", b"DB ID", b"Database Id", b"Database Summary", b"Hostname:", b"~~END-OS-INFORMATION~~"];
/// A heading's tag is no longer.
const TAG_BYTES_MAX: usize = 300;

/// All reports of a text, at least one; one more than are read where there are more.
pub fn find(text: &str) -> Vec<Part> {
    let heads = heads(text);
    let mut parts = vec![Part { start: 0, kind: heads.first().map(|head| head.kind) }];
    let Some(mut last) = heads.first().copied() else { return parts };
    let mut ends = Ends::behind(text, last.at);
    for head in &heads[1..] {
        if parts.len() > FILE_REPORTS_MAX {
            break;
        }
        let ended = ends.last_before(head.at);
        let is_own = ended.is_some() || !(head.kind == Kind::Ash && last.has_ash());
        if is_own && (head.is_whole || ended.is_some()) && (last.is_whole || ended.is_some()) {
            parts.push(Part { start: begin_of(text, &last, head, ended), kind: Some(head.kind) });
        } else if last.is_whole {
            continue;
        }
        // Behind a report, or behind a head that is there twice, the first time in part.
        last = *head;
        ends = Ends::behind(text, last.at);
    }
    parts
}

/// Whether a report begins in a text, with the table that names its database.
pub fn holds_head(text: &str) -> bool {
    heads(text).iter().any(|head| head.is_whole)
}

/// Words that may begin a report.
#[derive(Clone, Copy)]
struct Head {
    at: usize,
    kind: Kind,
    /// Whether the table that names the database stands below.
    is_whole: bool,
}

impl Head {
    /// Whether reports of this kind may have a part that is as an ASH report.
    fn has_ash(&self) -> bool {
        !matches!(self.kind, Kind::Ash | Kind::AwrMiner | Kind::Osprep)
    }
}

fn heads(text: &str) -> Vec<Head> {
    let bytes = text.as_bytes();
    let places = SIGNS.iter().flat_map(|sign| memmem::find_iter(bytes, *sign));
    let mut found: Vec<(usize, Kind)> = places.filter_map(|at| Some((at, head_at(text, at)?))).collect();
    found.sort_by_key(|(at, _)| *at);
    let ends = found.iter().skip(1).map(|(at, _)| *at).chain([bytes.len()]);
    let whole = |at: usize, end: usize| is_whole(&bytes[at..end.min(at + HEAD_BYTES_MAX)]);
    let heads = found.iter().zip(ends);
    heads.map(|((at, kind), end)| Head { at: *at, kind: *kind, is_whole: whole(*at, end) }).collect()
}

/// The kind that words say where they stand alone in a line, or begin a heading.
fn head_at(text: &str, at: usize) -> Option<Kind> {
    let words = &text[at..];
    let miner = words.starts_with("~~").then_some(Kind::AwrMiner);
    let kind = HEADS.iter().find(|(head, _)| words.starts_with(head)).map(|(_, kind)| *kind).or(miner)?;
    let before = text.as_bytes()[..at].trim_ascii_end();
    let between = &text.as_bytes()[before.len()..at];
    let is_line = before.is_empty() || memchr::memchr(b'\n', between).is_some();
    (is_line || heading_begin(before).is_some()).then_some(kind)
}

/// Where the tag of a heading begins that the bytes end with.
fn heading_begin(before: &[u8]) -> Option<usize> {
    let from = before.len().saturating_sub(TAG_BYTES_MAX);
    let at = from + memchr::memrchr(b'<', before.strip_suffix(b">")?.get(from..)?)?;
    matches!(before.get(at + 1..at + 3)?, [b'h' | b'H', b'1'..=b'6']).then_some(at)
}

/// Whether a table with numbers stands below the heading that names the database.
fn is_whole(head: &[u8]) -> bool {
    let name = NAMES.iter().find_map(|name| memmem::find(head, name).map(|at| at + name.len()));
    let Some(below) = name.map(|at| &head[at..]) else { return false };
    let rows =
        ["--", "<td", "<TD", "~~"].iter().filter_map(|mark| memmem::find(below, mark.as_bytes())).min();
    rows.is_some_and(|rows| numbers::count(&below[rows..]) > 1) || head.starts_with(b"~~")
}

/// Ends of reports and of pages behind a place. Each piece of the text is looked at once.
struct Ends<'a> {
    bytes: &'a [u8],
    begin: usize,
    /// What stands before was looked at.
    from: usize,
    last: Option<usize>,
}

impl<'a> Ends<'a> {
    const SIGNS: [&'static [u8]; 3] = [END.as_bytes(), b"</html>", b"</HTML>"];

    fn behind(text: &'a str, begin: usize) -> Self {
        Self { bytes: text.as_bytes(), begin, from: begin, last: None }
    }

    /// The byte behind the last one that stands before a place, which is further on than any that was asked for.
    fn last_before(&mut self, to: usize) -> Option<usize> {
        // A sign may reach from what was looked at into what was not.
        let from = self.from.saturating_sub(END.len()).max(self.begin);
        let between = &self.bytes[from..to];
        let ends = Self::SIGNS.iter();
        let last = ends.filter_map(|end| memmem::rfind(between, end).map(|at| from + at + end.len())).max();
        (self.from, self.last) = (to, last.max(self.last));
        self.last
    }
}

/// Where the report of a head begins: with its page, behind the end of the one before, or in the head's line.
fn begin_of(text: &str, last: &Head, head: &Head, ended: Option<usize>) -> usize {
    let bytes = text.as_bytes();
    let from = ended.unwrap_or(last.at);
    let pages = [&b"<html"[..], b"<HTML", b"<!DOCTYPE", b"<!doctype"];
    let page = pages.iter().filter_map(|page| memmem::find(&bytes[from..head.at], page)).min();
    if let Some(page) = page {
        return from + page;
    }
    let line = memchr::memrchr(b'\n', &bytes[..head.at]).map_or(0, |at| at + 1);
    match ended {
        Some(ended) => memchr::memchr(b'\n', &bytes[ended..head.at]).map_or(ended, |at| ended + at + 1),
        None => heading_begin(bytes[..head.at].trim_ascii_end()).unwrap_or(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATSPACK: &str = "STATSPACK report for\n\nDatabase    DB Id    Instance\n\
        -------- ---------- --------\n          1237760515 shop\n\nEnd of Report ( sp_1_2.lst )\n";
    const PAGE: &str = "<html><head><title>AWR Report</title></head><body>\n<h1 class=\"awr\">\nWORKLOAD REPOSITORY report for\n</h1>\n\
        <table><tr><th>DB Name</th><th>DB Id</th></tr>\n<tr><td>SHOP</td><td>1237760515</td><td>1</td></tr></table>\nEnd of Report</body></html>\n";

    fn starts(text: &str) -> Vec<usize> {
        find(text).iter().map(|part| part.start).collect()
    }

    #[test]
    fn each_head_with_its_database_begins_a_report() {
        let shop = STATSPACK.replace("1237760515", "1237760515        7");
        let two = shop.repeat(2);
        assert_eq!(starts(&two), [0, shop.len()]);
        let mixed = format!("{shop}\n\n{PAGE}{PAGE}");
        let second = shop.len() + 2;
        assert_eq!(starts(&mixed), [0, second, second + PAGE.len()]);
        assert_eq!(find(&mixed)[1].kind, Some(Kind::Awr));
        let cut = shop.replace("End of Report ( sp_1_2.lst )\n", "");
        assert_eq!(starts(&cut.repeat(2)), [0, cut.len()]);
    }

    #[test]
    fn a_head_that_is_quoted_begins_none() {
        let quoted = format!(
            "{PAGE}<table><tr><td>select 'WORKLOAD REPOSITORY report for' from dual</td></tr></table>"
        );
        assert_eq!(starts(&quoted), [0]);
        let named = STATSPACK.replace("End of", "WORKLOAD REPOSITORY report for\n\nmore\n\nEnd of");
        assert_eq!(starts(&named), [0]);
        let head = "STATSPACK report for\n\nDatabase    DB Id    Instance\n";
        assert_eq!(starts(&format!("{head}{STATSPACK}")), [0]);
    }

    #[test]
    fn a_part_about_active_sessions_belongs_to_its_report() {
        let ash = STATSPACK.replace("STATSPACK report for", "ASH Report For SHOP/shop");
        let shop = STATSPACK.replace("1237760515", "1237760515        7");
        let cut = shop.replace("End of Report ( sp_1_2.lst )\n", "");
        assert_eq!(starts(&format!("{cut}{ash}")), [0]);
        assert_eq!(starts(&format!("{shop}{ash}")), [0, shop.len()]);
    }
}
