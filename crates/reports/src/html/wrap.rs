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
/// was cut. Takes the lines of the text.
pub fn unwrap(text: &str, lines: &Lines) -> Option<(String, Lines)> {
    let width = cut_width(text, lines)?;
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
fn cut_width(text: &str, all: &Lines) -> Option<usize> {
    let mut counts = [0_u32; WIDTH_MAX + 1];
    let (mut lines, mut start, is_ascii) = (0, 0, text.is_ascii());
    for begin in all.begins() {
        let line = &text[start..begin - 1];
        let width = if is_ascii { ended(line).len() } else { width_of(line) };
        counts[width.min(WIDTH_MAX)] += 1;
        (start, lines) = (begin, lines + 1);
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
    let line = ended(line);
    if line.is_ascii() { line.len() } else { line.chars().count() }
}

fn ended(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::unwrap;
    use crate::lines::Lines;

    #[test]
    fn cut_lines_are_joined_and_keep_their_numbers() {
        let html = format!("<table>{}<td>24.8", "x".repeat(60));
        let report: String = (0..12).map(|_| format!("{html}\n5</td>\n")).collect();
        let (joined, mut lines) =
            unwrap(&report, &Lines::new(&report)).expect("every second line is of one width");
        assert!(joined.contains("24.85</td>\n"));
        assert_eq!(lines.of(joined.rfind("</td>").unwrap()), 24);
    }

    #[test]
    fn lines_of_all_lengths_were_not_cut() {
        let report: String = (0..100).map(|len| format!("{}\n", "y".repeat(len + 60))).collect();
        assert!(unwrap(&report, &Lines::new(&report)).is_none());
    }
}
