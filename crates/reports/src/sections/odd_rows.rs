//! Rows that are not as wide as the headings over them: nobody knows what stands under which.

use crate::model::{Cell, Status, Tables};
use crate::value::Suffix;

/// Their numbers are numbers of nothing that is known: only the words that they are printed in are kept.
pub fn believe_none(tables: &mut Tables) {
    for at in &tables.odd_rows {
        let row = tables.rows[*at as usize];
        let cells = tables.cells[row.first as usize..(row.first + row.len) as usize].iter_mut();
        cells.filter(|cell| cell.status == Status::Typed).for_each(|cell| {
            *cell = Cell { status: Status::Failed, number: 0.0, suffix: Suffix::None, ..*cell };
        });
    }
}

/// Whether a row, by its place among all, is one of them.
pub fn is_odd(tables: &Tables, row: usize) -> bool {
    tables.odd_rows.binary_search(&(row as u32)).is_ok()
}

#[cfg(test)]
mod tests {
    use crate::model::Status;
    use crate::sections::testing::html;

    const TITLE: &str = "Instance Activity Stats";
    const HEADS: [&str; 4] = ["Statistic", "Total", "per Second", "per Trans"];
    const WHOLE: [&str; 4] = ["physical reads", "1,200", "2.5", "0.1"];

    /// How many rows are typed, how many cells are numbers, and the codes of problems.
    fn read(heads: &[&str], rows: &[&[&str]]) -> (usize, usize, Vec<&'static str>) {
        let report = crate::read(html(TITLE, heads, rows).into_bytes());
        let numbers = report.tables.cells.iter().filter(|cell| cell.status == Status::Typed).count();
        let codes = report.tables.problems.iter().map(|problem| problem.code).collect();
        (report.typed.iter().map(|typed| typed.rows()).sum(), numbers, codes)
    }

    #[test]
    fn rows_as_wide_as_their_headings_are_typed() {
        assert_eq!(read(&HEADS, &[&WHOLE, &WHOLE]), (2, 6, vec![]));
    }

    #[test]
    fn one_row_of_another_width_is_kept_as_words() {
        let wide = ["physical writes", "7", "900", "0.5", "0.2"];
        assert_eq!(read(&HEADS, &[&WHOLE, &wide]), (1, 3, vec!["row-odd"]));
    }

    #[test]
    fn where_a_heading_is_lost_or_there_is_one_more_no_row_is_typed() {
        let lost = ["Statistic", "per Second", "per Trans"];
        assert_eq!(read(&lost, &[&WHOLE]), (0, 0, vec!["row-odd"]));
        let more = ["Statistic", "Total", "Sessions", "per Second", "per Trans"];
        assert_eq!(read(&more, &[&WHOLE]), (0, 0, vec!["row-odd"]));
    }
}
