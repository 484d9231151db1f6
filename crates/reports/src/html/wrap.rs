//! Reports whose every line was cut at one width, tags, attributes and numbers in two.

use crate::lines::Lines;

/// Fewer lines than this say nothing.
const LINES_MIN: u32 = 10;
/// The share of lines with the very same length, which is the longest, from which they were cut.
const CUT_SHARE_MIN: f64 = 0.05;
/// Wider lines come from no SQL*Plus that was set to a page.
const WIDTH_MAX: usize = 4096;
const WIDTH_MIN: usize = 60;

/// The text with its cut lines joined, without a space between, and where each line of the file begins in it; None where no line
/// was cut.
pub fn unwrap(text: &str) -> Option<(String, Lines)> {
    let width = cut_width(text)?;
    let mut joined = String::with_capacity(text.len());
    let mut begins = Vec::new();
    for line in text.split_inclusive('\n') {
        let words = line.trim_end_matches(['\n', '\r']);
        joined.push_str(if width_of(words) == width { words } else { line });
        begins.push(joined.len() as u32);
    }
    begins.pop();
    Some((joined, Lines::at(begins)))
}

fn cut_width(text: &str) -> Option<usize> {
    let (mut longest, mut so_long, mut lines, mut start) = (0, 0, 0, 0);
    for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
        let width = width_of(&text[start..end]);
        start = end + 1;
        lines += 1;
        if width > WIDTH_MAX {
            return None;
        }
        if width > longest {
            (longest, so_long) = (width, 1);
        } else if width == longest {
            so_long += 1;
        }
    }
    let cut = lines >= LINES_MIN && longest >= WIDTH_MIN && f64::from(so_long) >= f64::from(lines) * CUT_SHARE_MIN;
    cut.then_some(longest)
}

/// In characters, without the end of the line.
fn width_of(line: &str) -> usize {
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.is_ascii() { line.len() } else { line.chars().count() }
}

#[cfg(test)]
mod tests {
    use super::unwrap;

    #[test]
    fn cut_lines_are_joined_and_keep_their_numbers() {
        let html = format!("<table>{}<td>24.8", "x".repeat(60));
        let report: String = (0..12).map(|_| format!("{html}\n5</td>\n")).collect();
        let (joined, mut lines) = unwrap(&report).expect("every second line is of one width");
        assert!(joined.contains("24.85</td>\n"));
        assert_eq!(lines.of(joined.rfind("</td>").unwrap()), 24);
    }

    #[test]
    fn lines_of_all_lengths_were_not_cut() {
        let report: String = (0..100).map(|len| format!("{}\n", "y".repeat(len + 60))).collect();
        assert!(unwrap(&report).is_none());
    }
}
