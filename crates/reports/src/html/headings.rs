//! The names of columns from heading rows whose cells may span several columns and rows.

/// One cell of a heading row.
#[derive(Clone, Debug)]
pub struct HeadCell {
    /// Its words.
    pub words: String,
    /// The column that it begins in.
    pub column: usize,
    /// How many columns it spans.
    pub columns: usize,
}

impl HeadCell {
    fn spans(&self, column: usize) -> bool {
        (self.column..self.column + self.columns).contains(&column) && !self.words.is_empty()
    }
}

/// Columns that cells of earlier rows still reach into.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// For how many rows more, by column.
    rows: Vec<usize>,
    any: bool,
}

impl Reach {
    /// The first column from here on that no cell of an earlier row reaches into.
    pub fn free_from(&self, mut column: usize) -> usize {
        while self.any && self.rows.get(column).is_some_and(|rows| *rows > 0) {
            column += 1;
        }
        column
    }

    /// A cell that spans several rows was met in the row at hand.
    pub fn add(&mut self, column: usize, columns: usize, rows: usize) {
        if rows > 1 {
            self.any = true;
            self.rows.resize(self.rows.len().max(column + columns), 0);
            self.rows[column..column + columns].fill(rows);
        }
    }

    /// The row ends.
    pub fn end_row(&mut self) {
        if self.any {
            self.rows.iter_mut().for_each(|rows| *rows = rows.saturating_sub(1));
            self.any = self.rows.iter().any(|rows| *rows > 0);
        }
    }
}

/// Each column's name: what stands over it, from top to bottom, without repetition. What several columns share is the name of none:
/// one whose own heading is empty has none.
pub fn names(rows: &[Vec<HeadCell>]) -> Vec<String> {
    let width = rows.iter().flatten().map(|cell| cell.column + cell.columns).max().unwrap_or(0);
    let mut names = vec![String::new(); width];
    for cell in rows.iter().flatten().filter(|cell| !cell.words.is_empty()) {
        for name in &mut names[cell.column..cell.column + cell.columns] {
            if *name != cell.words {
                name.push_str(if name.is_empty() { "" } else { " " });
                name.push_str(&cell.words);
            }
        }
    }
    for cell in rows.last().into_iter().flatten().filter(|cell| cell.words.is_empty()) {
        if rows.len() > 1
            && rows[..rows.len() - 1]
                .iter()
                .flatten()
                .any(|above| above.columns > 1 && above.spans(cell.column))
        {
            names[cell.column].clear();
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{HeadCell, names};

    #[test]
    fn spanning_headings_stand_over_each_of_their_columns() {
        let cell = |words: &str, column, columns| HeadCell { words: words.into(), column, columns };
        let rows =
            [vec![cell("I#", 0, 1), cell("Wait", 1, 2)], vec![cell("Class", 1, 1), cell("Event", 2, 1)]];
        assert_eq!(names(&rows), ["I#", "Wait Class", "Wait Event"]);
    }

    #[test]
    fn an_emptied_heading_is_not_that_of_its_group() {
        let cell = |words: &str, column, columns| HeadCell { words: words.into(), column, columns };
        let rows = [
            vec![cell("", 0, 1), cell("Event", 1, 2)],
            vec![cell("I#", 0, 1), cell("Waits", 1, 1), cell("", 2, 1)],
        ];
        assert_eq!(names(&rows), ["I#", "Event Waits", ""]);
    }
}
