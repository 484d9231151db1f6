//! Which ruler of a table a line fits, if any.

use super::page::{Line, Placed};
use super::statements::Below;
use super::table::{MARK_BYTES_MAX, OpenTable};
use crate::model::Status;

impl OpenTable {
    /// The line one character further right, where the ruler is set in by one and the rows are not, as below the memory of processes.
    pub(super) fn fit_outdented<'a>(&self, line: Line<'a>) -> Option<(Placed<'a>, usize)> {
        if self.parts[0].heads.ruler.columns[0].0 != 1 || self.parts.len() > 1 {
            return None;
        }
        let placed = Placed::behind(1, line);
        // A name on a line of its own has no figures.
        let part = self.part_for(&placed, line.number).filter(|part| self.count_typed(&placed, *part) > 0)?;
        Some((placed, part))
    }

    /// Which part of a row the line is: the one whose turn it is, else one that it fits better.
    pub(super) fn part_for(&self, placed: &Placed<'_>, line: u32) -> Option<usize> {
        if self.statements_below == Below::Figures {
            let fits = self.parts[0].heads.ruler.fits(&placed.columns());
            return Some(0).filter(|_| fits && self.is_figures(placed));
        }
        let may_overhang = self.parts.len() > 1 && self.statements_below == Below::Names;
        let fits = |at: &usize| {
            self.parts[*at].heads.ruler.fits(&placed.columns())
                && !self.is_misnamed(placed, *at)
                && (may_overhang || !self.is_overhang(placed, *at) || self.remark(placed).is_some())
        };
        if self.parts.len() == 1 {
            return Some(0).filter(fits).filter(|_| self.is_labelled(placed));
        }
        if let Some(told) = self.part_by_begin(placed) {
            return Some(told).filter(fits);
        }
        let turn = self.next_part;
        let numbers = |at: usize| at > 0 && self.all_numbers(placed, at);
        if turn == 0 {
            // A row's second line whose first one stands on the page before, or holds for it as well.
            let more = |at: usize| {
                self.parts[at].heads.named && self.count_typed(placed, at) > self.count_typed(placed, 0)
            };
            let orphan = (1..self.parts.len())
                .find(|at| fits(at) && (numbers(*at) && !self.names_something(placed) || more(*at)));
            return orphan.or(Some(0).filter(fits));
        }
        let follows = self.turned || line == self.last_line + 1;
        let names = self.parts[turn].heads.named && follows;
        if fits(&turn) && (numbers(turn) || names || !fits(&0)) {
            Some(turn)
        } else {
            Some(0).filter(fits).or(Some(turn).filter(fits))
        }
    }

    /// Which of two parts under one and the same ruler the line is, where the begins of those above tell them apart.
    pub(super) fn part_by_begin(&self, placed: &Placed<'_>) -> Option<usize> {
        let [first, second] = self.parts.as_slice() else { return None };
        let is_indented = placed.columns().at(first.heads.ruler.columns[0].0) == b' ';
        if first.heads.ruler == second.heads.ruler { self.begins.tell(is_indented) } else { None }
    }

    pub(super) fn count_typed(&self, placed: &Placed<'_>, part: usize) -> usize {
        let columns = 0..self.parts[part].heads.ruler.columns.len();
        columns.filter(|column| self.read(placed, part, *column, 0).status == Status::Typed).count()
    }

    fn names_something(&self, placed: &Placed<'_>) -> bool {
        placed.columns().at(0) != b' '
    }

    fn all_numbers(&self, placed: &Placed<'_>, part: usize) -> bool {
        let columns = 0..self.parts[part].heads.ruler.columns.len();
        let mut cells = columns.map(|column| self.read(placed, part, column, 0));
        let count = cells.try_fold(0, |count, cell| match cell.status {
            Status::Typed | Status::Overflow => Some(count + 1),
            Status::Blank => Some(count),
            Status::Text | Status::Failed => (placed.words_of(&cell) == "N/A").then_some(count),
        });
        count.is_some_and(|count| count > 0)
    }

    /// Whether the line is a row of figures and not a piece of a statement that happens to have gaps at the right places.
    fn is_figures(&self, placed: &Placed<'_>) -> bool {
        let columns = 0..self.parts[0].heads.ruler.columns.len();
        let figures = columns.clone().map(|column| self.read(placed, 0, column, 0));
        let typed = figures
            .filter(|cell| matches!(cell.status, Status::Typed | Status::Overflow | Status::Blank))
            .count();
        let right = self.parts[0].heads.ruler.columns[0].1;
        typed + 2 >= columns.len()
            && placed.columns().at(right - 1) != b' '
            && placed.columns().len() + 1 >= self.parts[0].heads.ruler.end() * 2 / 3
    }

    /// Whether words go on right of the last column, after a gap.
    fn is_overhang(&self, placed: &Placed<'_>, part: usize) -> bool {
        let (page, ruler) = (placed.columns(), &self.parts[part].heads.ruler);
        page.len() > ruler.cell(&page, ruler.columns.len() - 1).1 && !ruler.labelled
    }

    /// Whether a number that begins further right stands where names do, in a row of several lines: it is none of this part's.
    fn is_misnamed(&self, placed: &Placed<'_>, part: usize) -> bool {
        let (from, heads) = (self.parts[part].heads.ruler.columns[0].0, &self.parts[part].heads);
        self.parts.len() > 1
            && heads.named
            && placed.columns().at(from) == b' '
            && self.read(placed, part, 0, 0).status == Status::Typed
    }

    /// Whether what stands left of the first dashes is a label, where labels stand there: they end in a colon, one in its unit.
    fn is_labelled(&self, placed: &Placed<'_>) -> bool {
        let part = &self.parts[0];
        if !part.heads.ruler.labelled {
            return true;
        }
        let (from, to) = part.heads.ruler.cell(&placed.columns(), 0);
        let (words, _) = placed.words(from, to);
        let words = words.trim();
        let short =
            if part.heads.names[0].is_empty() { words.len() <= MARK_BYTES_MAX } else { !words.contains(' ') };
        let has_figure = || self.read(placed, 0, 1, 0).status == Status::Typed;
        short || words.ends_with(':') || words.ends_with(')') && has_figure()
    }
}
