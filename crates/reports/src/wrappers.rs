//! Reports inside of pages that are none: text between `<pre>` and its end, and HTML whose signs are escaped.

use bytestring::ByteString;
use memchr::memmem;

use crate::html::unescape;
use crate::kind::{self, Kind};
use crate::limits::FILE_REPORTS_MAX;
use crate::lines::Lines;
use crate::parts;

/// A piece of a file that holds a report, or several.
pub struct Piece {
    /// Its words, as they would stand in a file of their own.
    pub text: ByteString,
    /// Its first line in the file.
    pub first_line: u32,
}

/// So many times over HTML may be escaped.
const ESCAPED_MAX: usize = 3;

/// Signs of a page, escaped or not, stand within so many bytes, whatever stands before them.
const HEAD_BYTES_MAX: usize = 65_536;

/// The pieces of a text, at least one.
pub fn open(text: ByteString) -> Vec<Piece> {
    let head = &text.as_bytes()[..text.len().min(HEAD_BYTES_MAX)];
    if ![&b"<"[..], b"lt;"].iter().any(|sign| memmem::find(head, sign).is_some()) {
        return vec![Piece { text, first_line: 1 }];
    }
    let mut text = text;
    for _ in 0..ESCAPED_MAX {
        if !is_escaped(&text) {
            break;
        }
        let mut plain = String::with_capacity(text.len());
        unescape(&text, &mut plain);
        text = plain.into();
    }
    from_pre(&text).unwrap_or_else(|| vec![Piece { text, first_line: 1 }])
}

/// Whether cells of tables stand in it with their signs escaped, and none as they should be.
fn is_escaped(text: &str) -> bool {
    !has_cells(text) && has(text, &["lt;td", "lt;TD"])
}

fn has_cells(text: &str) -> bool {
    has(text, &["<td", "<TD"])
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|words| memmem::find(text.as_bytes(), words.as_bytes()).is_some())
}

/// Reports between `<pre>` and its end, one more than are read where there are more, and what else the page holds; None where no
/// report stands so.
fn from_pre(text: &str) -> Option<Vec<Piece>> {
    let is_page = has_cells(text);
    let reports = preformatted(text).into_iter().filter(|(from, to)| is_report(&text[*from..*to], is_page));
    let inner: Vec<(usize, usize)> = reports.take(FILE_REPORTS_MAX + 1).collect();
    if inner.is_empty() {
        return None;
    }
    let mut lines = Lines::new(text);
    let mut pieces: Vec<Piece> = inner
        .iter()
        .map(|(from, to)| Piece { text: without_tags(&text[*from..*to]).into(), first_line: lines.of(*from) })
        .collect();
    if is_page {
        pieces.insert(0, Piece { text: blanked(text, &inner).into(), first_line: 1 });
    }
    Some(pieces)
}

/// Whether a report as text begins there, or, in a page without tables, perhaps a part of one. ADDM's words are read where they
/// stand.
fn is_report(words: &str, is_page: bool) -> bool {
    !has_cells(words) && parts::holds_head(words) || !is_page && kind::find(words) != Kind::Addm
}

/// What stands between each `<pre>` and its end.
fn preformatted(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_pre = |at: usize| {
        bytes[at + 1..].get(..3).is_some_and(|name| name.eq_ignore_ascii_case(b"pre"))
            && bytes.get(at + 4).is_some_and(|byte| matches!(byte, b'>' | b' ' | b'\n' | b'\r' | b'\t'))
    };
    let mut found: Vec<(usize, usize)> = Vec::new();
    let begins = [&b"<pre"[..], b"<PRE"].into_iter().flat_map(|tag| memmem::find_iter(bytes, tag));
    let mut begins: Vec<usize> = begins.filter(|at| is_pre(*at)).collect();
    if begins.is_empty() {
        return found;
    }
    begins.sort_unstable();
    let ends = [&b"</pre"[..], b"</PRE"].into_iter().flat_map(|tag| memmem::find_iter(bytes, tag));
    let mut ends: Vec<usize> = ends.collect();
    ends.sort_unstable();
    for begin in begins {
        if found.last().is_some_and(|(_, end)| begin < *end) {
            continue;
        }
        let Some(from) = memchr::memchr(b'>', &bytes[begin..]).map(|at| begin + at + 1) else { break };
        let end = ends.get(ends.partition_point(|end| *end < from));
        found.push((from, end.map_or(bytes.len(), |end| *end)));
    }
    found
}

/// Words as a browser would show them, on as many lines.
fn without_tags(words: &str) -> String {
    let mut bare = String::with_capacity(words.len());
    let (mut from, mut bracket) = (0, 0);
    for at in memchr::memchr_iter(b'<', words.as_bytes()) {
        let opens = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!');
        if at < from || !words.as_bytes().get(at + 1).is_some_and(opens) {
            continue;
        }
        // The next end of a tag or of a line: looked for once, however many tags begin before it.
        if bracket <= at {
            let rest = &words.as_bytes()[at..];
            bracket = memchr::memchr2(b'>', b'\n', rest).map_or(words.len(), |len| at + len);
        }
        if words.as_bytes().get(bracket) == Some(&b'>') {
            bare.push_str(&words[from..at]);
            from = bracket + 1;
        }
    }
    bare.push_str(&words[from..]);
    let mut plain = String::with_capacity(bare.len());
    unescape(&bare, &mut plain);
    plain
}

/// The page without those places, on as many lines.
fn blanked(text: &str, places: &[(usize, usize)]) -> String {
    let mut page = String::with_capacity(text.len());
    let mut next = 0;
    for (from, to) in places {
        page.push_str(&text[next..*from]);
        let lines = memchr::memchr_iter(b'\n', &text.as_bytes()[*from..*to]).count();
        page.extend(std::iter::repeat_n('\n', lines));
        next = *to;
    }
    page.push_str(&text[next..]);
    page
}

#[cfg(test)]
mod tests {
    use super::open;

    fn opened(text: &str) -> Vec<(String, u32)> {
        open(text.into()).into_iter().map(|piece| (piece.text.to_string(), piece.first_line)).collect()
    }

    #[test]
    fn text_between_its_tags_is_a_piece() {
        let page = "<html>\n<body><pre class=\"x\">\na &lt; <b>b</b>\n</pre>\n<PRE>c < d</PRE></body></html>";
        assert_eq!(opened(page), [("\na < b\n".to_owned(), 2), ("c < d".to_owned(), 5)]);
        let statement = "<table><td><pre_sqltext>x</pre_sqltext></td></table><pre>x</pre>";
        assert_eq!(opened(statement), [(statement.to_owned(), 1)]);
    }

    #[test]
    fn escaped_pages_are_pages() {
        let page = "<table><tr><td>a &lt; b</td></tr></table>";
        let escape = |page: &str| page.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        assert_eq!(opened(&escape(page)), [(page.to_owned(), 1)]);
        assert_eq!(opened(&escape(&escape(page))), [(page.to_owned(), 1)]);
        let quoting = "<table><td>&lt;td&gt;</td></table>";
        assert_eq!(opened(quoting), [(quoting.to_owned(), 1)]);
    }
}
