//! One tag: its name, and the few attributes that matter.

use memchr::memmem;

/// Tags that the scanner looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// `<table>`
    Table,
    /// `<tr>`
    Row,
    /// `<td>`
    Data,
    /// `<th>`
    Head,
    /// `<h1>` to `<h6>`
    Heading,
    /// `<ul>`, `<ol>`
    List,
    /// `<li>`
    Item,
    /// `<a>`
    Link,
    /// `<p>`
    Paragraph,
    /// `<br>`
    Break,
    /// `<style>`, `<script>`, `<title>`, `<head>`: nothing of the report.
    Unseen,
    /// Any other.
    Other,
}

/// A tag in the source.
#[derive(Clone, Copy, Debug)]
pub struct Tag<'a> {
    /// Which.
    pub name: Name,
    /// Whether it is an end tag.
    pub closes: bool,
    /// Between the name and `>`.
    pub attributes: &'a str,
    /// The byte after `>`.
    pub end: usize,
    /// The first `<` behind its name, or behind a comment's end: where another tag may begin; None where there is none.
    pub next: Option<usize>,
    /// Whether a quoted value holds the end of another tag: the quote that ends it was lost, and cells with it.
    pub damaged: bool,
    /// Whether an attribute's name may be that of a span: most tags have none.
    may_span: bool,
    /// From `<` to `>`, where the same bytes are the same tag wherever they stand; else empty.
    written: &'a str,
}

impl<'a> Tag<'a> {
    /// The tag at a `<`; None where it is a plain sign, as in `<8us`.
    pub fn at(source: &'a str, start: usize) -> Option<Self> {
        let bytes = source.as_bytes();
        let closes = bytes.get(start + 1) == Some(&b'/');
        let name_start = start + 1 + usize::from(closes);
        if !bytes.get(name_start).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'!') {
            return None;
        }
        if bytes[name_start] == b'!' && bytes[name_start..].starts_with(b"!--") {
            return Some(Self::comment(bytes, name_start));
        }
        let name_len = bytes[name_start..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        let name_end = name_start + name_len;
        let End { at: end, may_span, quotes_lost } = end_of(bytes, name_end)?;
        let next = memchr::memchr(b'<', &bytes[name_end..]).map(|at| name_end + at);
        let attributes = &source[name_end..end - 1];
        let holds_other = next.is_some_and(|next| next < end);
        Some(Self {
            name: name_of(&bytes[name_start..name_end]),
            closes,
            attributes,
            end,
            next,
            damaged: holds_other && has_end_tag(attributes.as_bytes()),
            may_span,
            written: if holds_other || quotes_lost { "" } else { &source[start..end] },
        })
    }

    /// Whether to look for it `again` is less work than to read it: tags of cells are alike by the thousand.
    pub fn is_worth_knowing(&self) -> bool {
        !self.attributes.is_empty() && !self.written.is_empty()
    }

    /// The tag at a `<` where it is written as this one, which is worth knowing.
    pub fn again(&self, source: &'a str, start: usize) -> Option<Self> {
        let bytes = source.as_bytes();
        if !bytes[start..].starts_with(self.written.as_bytes()) {
            return None;
        }
        let end = start + self.written.len();
        let next = memchr::memchr(b'<', &bytes[end..]).map(|at| end + at);
        Some(Self { end, next, ..*self })
    }

    fn comment(bytes: &[u8], start: usize) -> Self {
        let end = memmem::find(&bytes[start..], b"-->").map_or(bytes.len(), |at| start + at + 3);
        let next = memchr::memchr(b'<', &bytes[end..]).map(|at| end + at);
        let (name, closes, attributes, damaged) = (Name::Other, false, "", false);
        Self { name, closes, attributes, end, next, damaged, may_span: false, written: "" }
    }

    /// `colspan` or `rowspan`; 1 where it is not there or makes no sense.
    pub fn span(&self, name: &str) -> usize {
        if !self.may_span {
            return 1;
        }
        let words = self.attribute(name).unwrap_or_default();
        words.trim().parse().ok().filter(|count| (1..=SPAN_MAX).contains(count)).unwrap_or(1)
    }

    /// The value of an attribute, without its quotes, be they single, double, doubled or none.
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        let bytes = self.attributes.as_bytes();
        let may_begin = |before: &u8| before.is_ascii_whitespace() || matches!(before, b'"' | b'\'');
        let mut begins =
            bytes.iter().enumerate().filter(|(_, before)| may_begin(before)).map(|(at, _)| at + 1);
        let is_name = |at: &usize| {
            bytes.get(*at..at + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
        };
        let at = begins.find(is_name)?;
        let value = self.attributes[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
        Some(unquoted(value))
    }
}

/// No heading spans more columns.
const SPAN_MAX: usize = 200;
/// A quote that is not closed within so many bytes was never meant to be.
const QUOTED_BYTES_MAX: usize = 8192;

fn unquoted(value: &str) -> &str {
    if value == "\"\"" || value.starts_with("\"\" ") {
        return "";
    }
    for quotes in ["\"\"", "\"", "'"] {
        if let Some(inner) = value.strip_prefix(quotes) {
            return inner.split(&quotes[..1]).next().unwrap_or_default();
        }
    }
    value.split_ascii_whitespace().next().unwrap_or_default().trim_end_matches('/')
}

/// How a tag ends.
struct End {
    /// The byte after the `>`.
    at: usize,
    /// Whether an attribute's name may be that of a span.
    may_span: bool,
    /// Whether a quote is not closed, so that what stands behind the tag tells where it ends.
    quotes_lost: bool,
}

/// The end of a tag, which a `>` in quotes is not. None where the next tag begins before: its end was lost.
fn end_of(bytes: &[u8], from: usize) -> Option<End> {
    let (mut at, mut may_span, mut quotes_lost) = (from, false, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return Some(End { at: at + 1, may_span, quotes_lost }),
            b'<' => return None,
            b'"' | b'\'' => {
                let quoted = after_quoted(bytes, at);
                quotes_lost |= quoted.is_none();
                at = quoted.unwrap_or(at + 1);
            }
            _ => {
                may_span |= matches!(byte, b'p' | b'P');
                at += 1;
            }
        }
    }
    None
}

/// The byte after the quote that closes this one.
fn after_quoted(bytes: &[u8], quote: usize) -> Option<usize> {
    let window = &bytes[quote + 1..bytes.len().min(quote + 1 + QUOTED_BYTES_MAX)];
    memchr::memchr(bytes[quote], window).map(|len| quote + len + 2)
}

fn has_end_tag(attributes: &[u8]) -> bool {
    memchr::memchr_iter(b'<', attributes).any(|at| attributes.get(at + 1) == Some(&b'/'))
}

fn name_of(name: &[u8]) -> Name {
    match name.len() {
        1 => match name[0].to_ascii_lowercase() {
            b'a' => Name::Link,
            b'p' => Name::Paragraph,
            _ => Name::Other,
        },
        2 => match [name[0].to_ascii_lowercase(), name[1].to_ascii_lowercase()] {
            [b't', b'd'] => Name::Data,
            [b't', b'r'] => Name::Row,
            [b't', b'h'] => Name::Head,
            [b'l', b'i'] => Name::Item,
            [b'u' | b'o', b'l'] => Name::List,
            [b'b', b'r'] => Name::Break,
            [b'h', b'1'..=b'6'] => Name::Heading,
            _ => Name::Other,
        },
        5 if name.eq_ignore_ascii_case(b"table") => Name::Table,
        5 if name.eq_ignore_ascii_case(b"style") => Name::Unseen,
        5 if name.eq_ignore_ascii_case(b"title") => Name::Unseen,
        6 if name.eq_ignore_ascii_case(b"script") => Name::Unseen,
        _ => Name::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::{Name, Tag};

    #[test]
    fn attributes_are_read_however_they_are_quoted() {
        for (tag, span) in [
            ("<td align=\"right\" colspan=\" 2\" >", 2),
            ("<TD colSpan=3 align=right>", 3),
            ("<td class=\"\"awrc\"\" colspan=\"\"4\"\">", 4),
            ("<td headers='a>b'>", 1),
            ("<td colspan=\"6\"/>", 6),
        ] {
            let read = Tag::at(tag, 0).unwrap();
            assert_eq!((read.name, read.span("colspan"), read.end), (Name::Data, span, tag.len()), "{tag}");
        }
    }

    #[test]
    fn a_tag_is_known_again_where_nothing_behind_it_tells_its_end() {
        let row = "<td align='right'>2</td><td align='right'>3</td><td align='left'>4</td>";
        let first = Tag::at(row, 0).unwrap();
        assert!(first.is_worth_knowing());
        let (second, third) =
            (row.find("<td align='right'>3").unwrap(), row.find("<td align='left'").unwrap());
        let again = first.again(row, second).unwrap();
        let read = Tag::at(row, second).unwrap();
        assert_eq!((again.name, again.end, again.next), (read.name, read.end, read.next));
        assert!(first.again(row, third).is_none());
        for lost in ["<td class=awrnc'>2", "<td class='a>2</td><td class='b'>"] {
            assert!(Tag::at(lost, 0).is_none_or(|tag| !tag.is_worth_knowing()), "{lost}");
        }
    }

    #[test]
    fn a_quote_that_is_lost_is_told() {
        let row = "<td class=gawrnc'>2</td></tr><tr><td class='awrc'>";
        assert!(Tag::at(row, 0).is_some_and(|tag| tag.damaged));
        assert!(Tag::at("<td id=\"% of Waits|<8us\">", 0).is_some_and(|tag| !tag.damaged));
    }

    #[test]
    fn a_sign_before_a_digit_is_no_tag() {
        assert!(Tag::at("<8us", 0).is_none());
        assert!(Tag::at("<", 0).is_none());
    }
}
