//! Lines of dashes that stand in a page twice, with their neighbours: what is below the second ones is read under other headings.

use super::page::{Kind, Line};

/// So many lines that are there twice together are noticed.
const TOGETHER_MAX: usize = 3;

/// Where lines of dashes and their neighbours stand there a second time, right below the first: the number of the last line of those.
pub fn first_above(lines: &[Line<'_>], at: usize) -> Option<u32> {
    // Few lines are equal: the neighbours of others are not looked at.
    let counts = (1..=TOGETHER_MAX.min(at)).filter(|count| lines[at].words == lines[at - count].words);
    counts.into_iter().find_map(|count| block_with(lines, at, count)).map(|second| lines[second - 1].number)
}

/// Where a block of so many lines with this one in it begins that is the same as the one above, and says more than that a section ends.
fn block_with(lines: &[Line<'_>], at: usize, count: usize) -> Option<usize> {
    let first = (at + 1).saturating_sub(count).max(count);
    let is_said = |line: &Line<'_>| line.kind != Kind::Blank && !line.is_end();
    let is_same = |from: &usize| {
        let Some(block) = lines.get(*from..from + count) else { return false };
        let above = &lines[from - count..*from];
        block.iter().any(is_said) && block.iter().zip(above).all(|(one, other)| one.words == other.words)
    };
    (first..=at).find(is_same)
}

/// Whether a line with words and numbers is the one above once more.
pub fn is_again(lines: &[Line<'_>], at: usize) -> bool {
    let words = lines[at].words;
    let has = |of: fn(&u8) -> bool| words.as_bytes().iter().any(of);
    at > 0 && lines[at - 1].words == words && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}
