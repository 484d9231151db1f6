//! Rows that stand in a table twice, alone or with their neighbours: lines of the file are there twice, and sums over them are wrong.

use crate::model::{Cell, Problem, Row, Status, Table, Tables, Text};

/// So many rows that are there twice together are noticed.
const TOGETHER_MAX: usize = 3;
/// A telling row has so many numbers of so many digits, from the first to the last that is no zero.
const LONG_NUMBERS_MIN: usize = 2;
const DIGITS_MIN: usize = 3;

/// A problem for each table with such rows.
pub fn problems(text: &Text, tables: &Tables) -> Vec<Problem> {
    let look = Look { text, tables };
    tables.tables.iter().filter_map(|table| look.first(table).map(|line| problem(table, line))).collect()
}

struct Look<'a> {
    text: &'a Text,
    tables: &'a Tables,
}

impl Look<'_> {
    /// The line of the first row that is there again.
    fn first(&self, table: &Table) -> Option<u32> {
        let rows = self.tables.rows_of(table);
        (1..=TOGETHER_MAX).find_map(|count| {
            let mut windows = rows.windows(2 * count);
            let both = windows.find(|both| {
                let (first, second) = both.split_at(count);
                // Few rows are equal: the words of the others are not looked at any further.
                first.iter().zip(second).all(|(one, other)| self.are_equal(*one, *other))
                    && first.iter().any(|row| self.is_telling(*row))
            });
            both.map(|both| self.cells(both[count])[0].line)
        })
    }

    fn cells(&self, row: Row) -> &[Cell] {
        self.tables.cells_of(row)
    }

    fn are_equal(&self, one: Row, other: Row) -> bool {
        let words = |cell: &Cell| self.text.get(cell.span);
        let (one, other) = (self.cells(one), self.cells(other));
        let last = one.len();
        // The rest of words that are wrapped, in a list behind all numbers, may stand below the second row alone.
        let is_begun = |one: &Cell, other: &Cell| {
            one.status == Status::Text && one.column > 1 && words(other).starts_with(words(one))
        };
        let are_alike = |(at, (one, other)): (usize, (&Cell, &Cell))| {
            words(one) == words(other) || at + 1 == last && is_begun(one, other)
        };
        other.len() == last && one.iter().zip(other).enumerate().all(are_alike)
    }

    /// Whether a row says so much that no other can say the same. Names are cut at the width of their column, and small numbers are
    /// equal by chance.
    fn is_telling(&self, row: Row) -> bool {
        let is_long = |cell: &&Cell| {
            let digits = self.text.get(cell.span).replace(|sign: char| !sign.is_ascii_digit(), "");
            cell.status == Status::Typed && digits.trim_matches('0').len() >= DIGITS_MIN
        };
        let cells = self.cells(row);
        cells.iter().any(|cell| cell.status == Status::Text)
            && cells.iter().filter(is_long).count() >= LONG_NUMBERS_MIN
    }
}

fn problem(table: &Table, line: u32) -> Problem {
    Problem {
        code: "row-doubled",
        line: Some(line),
        section: Some(if table.view.is_empty() { table.title.clone() } else { table.view.to_owned() }),
        message: "this row stands there twice: lines may be doubled, and what was in their place lost"
            .to_owned(),
        loses: true,
    }
}

#[cfg(test)]
mod tests {
    use crate::sections::testing::html;

    fn lines_of(rows: &[&[&str]]) -> Vec<Option<u32>> {
        let page = html("Dictionary Cache Stats", &["Cache", "Get Requests", "Mod Reqs"], rows);
        let report = crate::read(page.into_bytes());
        let doubled = report.tables.problems.iter().filter(|problem| problem.code == "row-doubled");
        doubled.map(|problem| problem.line).collect()
    }

    #[test]
    fn rows_that_stand_there_twice_are_said() {
        let (users, tables): (&[&str], &[&str]) =
            (&["dc_users", "9,001", "101"], &["dc_tables", "12,345", "1.25"]);
        assert!(lines_of(&[users, tables]).is_empty());
        assert!(lines_of(&[users, tables, users]).is_empty());
        assert_eq!(lines_of(&[users, tables, tables]).len(), 1);
        assert_eq!(lines_of(&[users, tables, users, tables]).len(), 1);
        assert!(lines_of(&[users, &["dc_users", "9,001", "102"]]).is_empty());
    }

    #[test]
    fn small_numbers_under_one_name_are_equal_by_chance() {
        let small: &[&str] = &["dc_users", "9,001", "100.00"];
        assert!(lines_of(&[small, small]).is_empty());
        let nameless: &[&str] = &["", "9,001", "101"];
        assert!(lines_of(&[nameless, nameless]).is_empty());
    }
}
