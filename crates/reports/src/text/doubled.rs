//! Lines of dashes that stand in a page twice, with their neighbours: what is below the second ones is read under other headings.

use super::page::{Kind, Line};

/// So many lines that are there twice together are noticed.
const TOGETHER_MAX: usize = 3;

/// Whether a line of dashes is among lines that stand there a second time, right below the first.
pub fn is_second(lines: &[Line<'_>], at: usize) -> bool {
    (1..=TOGETHER_MAX.min(at)).any(|count| {
        // Few lines are equal: the neighbours of others are not looked at.
        lines[at].words == lines[at - count].words && is_block(lines, at, count)
    })
}

/// Whether a block of so many lines with this one in it is the same as the one above, and says more than that a section ends.
fn is_block(lines: &[Line<'_>], at: usize, count: usize) -> bool {
    let first = (at + 1).saturating_sub(count).max(count);
    let is_same = |from: usize| {
        let Some(block) = lines.get(from..from + count) else { return false };
        let above = &lines[from - count..from];
        let is_said = |line: &Line<'_>| line.kind != Kind::Blank && !line.is_end();
        block.iter().any(is_said) && block.iter().zip(above).all(|(one, other)| one.words == other.words)
    };
    (first..=at).any(is_same)
}
