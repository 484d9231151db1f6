//! Where numbers end: in nearly all tables at the right end of their dashes, so that one row whose numbers do not was pushed aside.

use super::page::Placed;
use super::ruler::Ruler;
use crate::model::{Cell, Status};

/// Fewer numbers in their places prove nothing.
const ALIGNED_MIN: u32 = 12;

/// How the numbers of a table stand.
#[derive(Default)]
pub struct Edges {
    aligned: u32,
    ragged: u32,
    first_ragged: u32,
}

impl Edges {
    /// The cells of one more line.
    pub fn add(&mut self, cells: &[Cell], ruler: &Ruler, placed: &Placed<'_>, line: u32) {
        let (mut aligned, mut ragged) = (0, false);
        // The first column's are names that stand at the left, as `4k` of a pool of blocks.
        for (cell, (_, right)) in cells.iter().zip(&ruler.columns).skip(1) {
            if cell.status == Status::Typed {
                let is_aligned = placed.end_of(cell) == *right;
                aligned += u32::from(is_aligned);
                ragged |= !is_aligned;
            }
        }
        self.aligned += aligned;
        if ragged {
            self.first_ragged = if self.ragged == 0 { line } else { self.first_ragged };
            self.ragged += 1;
        }
    }

    /// The line of the only row whose numbers do not all end where those of all others do.
    pub fn odd_row(&self) -> Option<u32> {
        (self.ragged == 1 && self.aligned >= ALIGNED_MIN).then_some(self.first_ragged)
    }
}

#[cfg(test)]
mod tests {
    const HEAD: &str = "STATSPACK report for\n\nLatch Activity  DB/Inst: X/x  Snaps: 1-2\n\n\
                        Latch                  Get Requests    Misses   Sleeps\n\
                        ---------------------- ------------ --------- --------\n";
    const END: &str = "          -------------------------------------------------------------\n";

    fn lines(odd: &[&str]) -> Vec<Option<u32>> {
        let row =
            |at: usize| format!("{:22} {:>12} {:>9} {:>8}\n", format!("latch {at}"), at * 97, at * 7, at);
        let rows: String = (1..8).map(row).collect();
        let odd: String = odd.iter().map(|row| format!("{row}\n")).collect();
        let report = crate::read(format!("{HEAD}{rows}{odd}{END}").into_bytes());
        let pushed = report.tables.problems.iter().filter(|problem| problem.message.contains("pushed aside"));
        pushed.map(|problem| problem.line).collect()
    }

    fn pushed(by: usize) -> String {
        format!("{:width$} {:>12}", "cache", "9,001", width = 22 + by)
    }

    #[test]
    fn numbers_that_end_elsewhere_than_all_others_were_pushed_aside() {
        assert!(lines(&[&pushed(0)]).is_empty());
        assert_eq!(lines(&[&pushed(6)]), [Some(14)]);
    }

    #[test]
    fn where_several_rows_are_so_it_is_how_they_are_printed() {
        assert!(lines(&[&pushed(6), &pushed(6)]).is_empty());
    }
}
