//! Where the words of the first column begin: in nearly all tables at the left end of its dashes, and where a row takes several lines, at
//! one place in each of them.

use super::page::Placed;
use super::ruler::Ruler;
use super::table::PARTS_MAX;
use crate::model::{Cell, Status};

/// Fewer rows that begin at the left prove nothing in a table whose rows take one line.
const ALIGNED_MIN: u32 = 8;

/// How the first words of a table's rows stand.
#[derive(Default)]
pub struct Begins {
    /// By line of a row.
    parts: [Part; PARTS_MAX],
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
        if placed.columns().at(ruler.columns[0].0) == b' ' {
            counts.indented += 1;
            counts.last_indented = line;
        } else {
            counts.aligned += 1;
            counts.last_aligned = line;
        }
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
