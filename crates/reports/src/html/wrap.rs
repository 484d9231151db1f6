//! Reports whose every line was cut at one width, tags, attributes and numbers in two.

use crate::lines::Lines;

/// Fewer lines than this say nothing.
const LINES_MIN: u32 = 10;
/// The share of lines with the very same length, which is the longest but for damaged ones, from which they were cut.
const CUT_SHARE_MIN: f64 = 0.05;
/// So many lines may be longer, and one in so many more: something was put into them after the cut.
const LONGER_LINES_MAX: u32 = 2;
const LONGER_LINES_SHARE: u32 = 1000;
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
        joined.push_str(if width_of(words) >= width { words } else { line });
        begins.push(joined.len() as u32);
    }
    begins.pop();
    Some((joined, Lines::at(begins)))
}

/// The greatest width that many lines have and hardly any exceeds.
fn cut_width(text: &str) -> Option<usize> {
    let mut counts = [0_u32; WIDTH_MAX + 1];
    let (mut lines, mut start) = (0, 0);
    for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
        counts[width_of(&text[start..end]).min(WIDTH_MAX)] += 1;
        (start, lines) = (end + 1, lines + 1);
    }
    let mut longer = 0;
    for width in (WIDTH_MIN..WIDTH_MAX).rev() {
        longer += counts[width + 1];
        if lines < LINES_MIN || longer > LONGER_LINES_MAX + lines / LONGER_LINES_SHARE {
            return None;
        }
        if f64::from(counts[width]) >= f64::from(lines) * CUT_SHARE_MIN {
            return Some(width);
        }
    }
    None
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
