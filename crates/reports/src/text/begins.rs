//! Where the words of the first column begin: in nearly all tables at the left end of its dashes, and where a row takes several lines, at
//! one place in each of them.

use super::page::Placed;
use super::ruler::Ruler;
use super::table::PARTS_MAX;
use crate::model::{Cell, Status};

/// Fewer rows that begin at the left prove nothing in a table whose rows take one line.
const ALIGNED_MIN: u32 = 8;

/// Fewer rows begin here and there by chance.
const ALTERNATING_MIN: usize = 3;

/// How the first words of a table's rows stand.
#[derive(Default)]
pub struct Begins {
    /// By line of a row.
    parts: [Part; PARTS_MAX],
    /// How often a line began elsewhere than the one above.
    turns: usize,
    was_indented: bool,
    last: u32,
}

#[derive(Clone, Copy, Default)]
struct Part {
    aligned: u32,
    indented: u32,
    /// The last line of each kind.
    last_aligned: u32,
    last_indented: u32,
}

impl Begins {
    /// The first cell of one more line, which is one of so many parts of a row.
    pub fn add(&mut self, part: usize, cell: &Cell, ruler: &Ruler, placed: &Placed<'_>, line: u32) {
        if cell.status != Status::Text {
            return;
        }
        let counts = &mut self.parts[part];
        let is_indented = placed.columns().at(ruler.columns[0].0) == b' ';
        self.turns += usize::from(is_indented != self.was_indented && self.last > 0);
        (self.was_indented, self.last) = (is_indented, line);
        if is_indented {
            counts.indented += 1;
            counts.last_indented = line;
        } else {
            counts.aligned += 1;
            counts.last_aligned = line;
        }
    }

    /// The last line, where so many rows begin here and there by turns: each two are the lines of one, whose second ruler is lost.
    pub fn alternating(&self, rows: usize) -> Option<u32> {
        (rows >= ALTERNATING_MIN && self.turns + 1 == rows).then_some(self.last)
    }

    /// Which of two parts a line is whose first words are indented, or not, where all lines of one part are and none of the other.
    pub fn tell(&self, is_indented: bool) -> Option<usize> {
        let [first, second, ..] = &self.parts;
        let is_told = first.indented == 0 && first.aligned > 0 && second.aligned == 0 && second.indented > 0;
        is_told.then_some(usize::from(is_indented))
    }

    /// The line of a row that begins elsewhere than all others: one among many, or any where a row takes several lines.
    pub fn odd_row(&self, takes_several: bool) -> Option<u32> {
        let odd = |part: &Part| match (part.aligned, part.indented) {
            (_, 0) | (0, _) => None,
            (1, _) if takes_several => Some(part.last_aligned),
            (_, _) if takes_several => Some(part.last_indented),
            (ALIGNED_MIN.., 1) => Some(part.last_indented),
            _ => None,
        };
        self.parts.iter().find_map(odd)
    }
}
