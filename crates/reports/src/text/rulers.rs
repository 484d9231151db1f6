//! What a line of dashes is: a ruler, one of several over the same rows, the underline of a title or of a group of headings.

use super::page::{Kind, Line, Placed};
use super::ruler::{self, Ruler};
use super::table::OpenTable;
use super::{HEADING_LINES_MAX, Scan};
use crate::value::{self, is_value};

impl<'a> Scan<'a, '_> {
    /// Whether dashes are as long as the one line above them, which is then a title.
    pub(super) fn underlines_title(&self, line: Line<'a>) -> bool {
        let ([above], Some(start)) = (self.pending.as_slice(), line.words.find('-')) else { return false };
        let words = above.line.words;
        let single = !line.words[start..].contains(' ');
        single
            && words.len().abs_diff(line.words.len()) <= 1
            && words.len() - words.trim_start().len() == start
    }

    /// Whether one run of dashes stands at the margin with no wider ruler to come: below words, and over no table.
    pub(super) fn underlines_prose(&self, at: usize) -> bool {
        let line = self.lines[at];
        ruler::only_run(line.words.as_bytes(), b'-').is_some()
            && at > self.stack_until
            && self.open.as_ref().is_none_or(|table| !table.is_turning())
            && self.next_ruler(at).is_none()
    }

    /// Whether dashes stand right below a row, under columns of its table and not under its first, over words at the margin: over the sum
    /// of several columns.
    pub(super) fn stands_over_sum(&self, at: usize) -> bool {
        let line = self.lines[at];
        let is_over = |table: &OpenTable| {
            table.has_rows() && table.goes_on_at(line.number) && table.has_dashes_of(line.words.as_bytes())
        };
        let is_sum = |below: &Line<'_>| {
            below.kind == Kind::Words
                && !below.words.starts_with(' ')
                && below.words.split_ascii_whitespace().skip(1).any(is_value)
        };
        self.pending.is_empty()
            && self.open.as_ref().is_some_and(is_over)
            && self.lines.get(at + 1).is_some_and(is_sum)
    }

    /// Whether dashes stand under a heading that spans several columns: more headings and a wider ruler follow.
    pub(super) fn is_underline(&self, at: usize) -> bool {
        let indented = self.lines[at].words.starts_with("        ");
        !self.pending.is_empty()
            && self.next_ruler(at).is_some_and(|next| indented || self.is_under_groups(at, next))
    }

    /// Whether the line above names groups of columns: the first in the middle over its dashes, and all over several columns of the
    /// ruler to come. The first line of a row that takes several has its first name at one end.
    fn is_under_groups(&self, at: usize, next: usize) -> bool {
        let above = self.pending.last().map_or(&b""[..], |above| above.line.words.as_bytes());
        let [wide, narrow] = [at, next].map(|at| ruler::runs(self.lines[at].words.as_bytes(), b'-'));
        let dark = |place: usize| above.get(place).is_some_and(|byte| *byte != b' ');
        let several = |(start, end): &(usize, usize)| {
            narrow.iter().filter(|(from, to)| from >= start && to <= end).count() > 1
        };
        let [(start, end), _, ..] = wide.as_slice() else { return false };
        !dark(*start) && !dark(end - 1) && wide.iter().all(several)
    }

    /// The next line of dashes, where only words stand between.
    pub(super) fn next_ruler(&self, at: usize) -> Option<usize> {
        for (next, line) in self.lines.iter().enumerate().skip(at + 1).take(HEADING_LINES_MAX) {
            match line.kind {
                Kind::Words => {}
                Kind::Dashes if next > at + 1 && !line.is_end() => return Some(next),
                _ => return None,
            }
        }
        None
    }

    /// Whether the next ruler belongs to the same rows: between the two stand headings and no row.
    pub(super) fn look_for_stack(&mut self, at: usize) {
        let Some(next) = self.next_ruler(at) else { return };
        let Some(ruler) = Ruler::read(self.lines[at].words.as_bytes()) else { return };
        let between = &self.lines[at + 1..next];
        let fits = between
            .iter()
            .all(|line| ruler.fits(&Placed::new(*line).columns()) && line.words.len() <= ruler.end());
        let numbers = between.iter().any(|line| line.words.split_ascii_whitespace().any(is_value));
        let stacked = !fits || !numbers || self.stands_over(next);
        if stacked && !self.is_repeated(at, next, numbers) {
            self.stack_until = next;
        }
    }

    /// Whether a ruler is another one once more, behind rows or below the same headings: the lines are there twice.
    fn is_repeated(&self, at: usize, next: usize, numbers: bool) -> bool {
        let same = |first: usize, second: usize| self.lines[first].words == self.lines[second].words;
        same(at, next) && (numbers || at > 0 && same(at - 1, next - 1))
    }

    /// Whether words of the line above a ruler end where each of its columns ends: headings over numbers, and not numbers over their
    /// sum.
    fn stands_over(&self, at: usize) -> bool {
        let (above, dashes) = (self.lines[at - 1].words.as_bytes(), self.lines[at].words.as_bytes());
        let blank = |at: usize| above.get(at).is_none_or(|byte| *byte == b' ');
        let ends = |end: usize| (end.max(2) - 1..end + 1).any(|end| !blank(end - 1) && blank(end));
        let runs = ruler::runs(dashes, b'-');
        let number = |(start, end): &(usize, usize)| {
            let words = above.get(*start..above.len().min(*end)).unwrap_or_default();
            value::parse(words.trim_ascii(), self.out.decimal).is_some()
        };
        runs.iter().all(|(_, end)| ends(*end)) && !runs.iter().all(number)
    }
}
