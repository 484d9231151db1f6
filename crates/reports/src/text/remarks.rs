//! What somebody wrote behind a row of figures: `<-- look here`.

use super::page::Placed;
use super::statements::Below;
use super::table::OpenTable;
use crate::model::{Problem, Status, Tables};

/// A remark stands at least so far behind the last column.
const GAP_MIN: usize = 2;
/// A line with fewer figures may be one of words.
const FIGURES_MIN: usize = 2;

impl OpenTable {
    /// The words behind the last column of a row whose other columns say what they should; None where there are none.
    pub(super) fn remark<'a>(&self, placed: &Placed<'a>) -> Option<&'a str> {
        let [part] = self.parts.as_slice() else { return None };
        let (page, ruler) = (placed.columns(), &part.heads.ruler);
        let end = ruler.cell(&page, ruler.columns.len() - 1).1;
        let stands_apart = page.len() > end + GAP_MIN && page.is_blank(end, end + GAP_MIN);
        let may_be = stands_apart && !ruler.labelled && self.statements_below == Below::Nothing;
        (may_be && self.is_named_row_of_figures(placed)).then(|| placed.words(end, page.len()).0)
    }

    /// Whether a name stands first, and figures or nothing between it and the last column.
    fn is_named_row_of_figures(&self, placed: &Placed<'_>) -> bool {
        let count = self.parts[0].heads.ruler.columns.len();
        let status = |column| self.read(placed, 0, column, 0).status;
        let is_figure = |column| matches!(status(column), Status::Typed | Status::Blank | Status::Overflow);
        status(0) == Status::Text
            && (1..count - 1).all(is_figure)
            && self.count_typed(placed, 0) >= FIGURES_MIN
    }

    /// Says what was left out; numbers in it may be those of another row, whose line has lost its begin.
    pub(super) fn say_remarks(&self, out: &mut Tables) {
        for (line, has_numbers) in &self.remarks {
            out.problems.push(Problem {
                code: "row-remark",
                line: Some(*line),
                section: Some(self.title().to_owned()).filter(|title| !title.is_empty()),
                message: "words stand behind the last column of this row, and are left out".to_owned(),
                loses: *has_numbers,
            });
        }
    }
}
