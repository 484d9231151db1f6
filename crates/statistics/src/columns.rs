//! Columns of numbers out of lines of text, whose values are between tabs: what is kept for years is read in one go.

/// What stands where nothing is known, as PostgreSQL's COPY writes it.
const UNKNOWN: &str = "\\N";

/// The numbers of these columns, line by line; NaN where nothing is known. None where a line has too few values, or no number.
#[must_use]
pub fn number_columns(text: &str, places: &[usize]) -> Option<Vec<Vec<f64>>> {
    let mut found = vec![Vec::new(); places.len()];
    each_cell(text, places, |place, cell| {
        let number = if cell == UNKNOWN { Some(f64::NAN) } else { cell.parse().ok() };
        number.map(|number| found[place].push(number))
    })?;
    Some(found)
}

/// The words of these columns, line by line. None where a line has too few values.
#[must_use]
pub fn word_columns<'text>(text: &'text str, places: &[usize]) -> Option<Vec<Vec<&'text str>>> {
    let mut found = vec![Vec::new(); places.len()];
    each_cell(text, places, |place, cell| {
        found[place].push(cell);
        Some(())
    })?;
    Some(found)
}

/// Hands over each value of these columns, with the place of its column among `places`.
fn each_cell<'text>(
    text: &'text str,
    places: &[usize],
    mut take: impl FnMut(usize, &'text str) -> Option<()>,
) -> Option<()> {
    let mut order: Vec<(usize, usize)> = places.iter().copied().zip(0..).collect();
    order.sort_unstable();
    for line in text.split('\n').filter(|line| !line.is_empty()) {
        let mut cells = line.split('\t');
        let mut next = 0;
        let mut cell = "";
        for &(column, place) in &order {
            if column + 1 != next {
                cell = cells.nth(column - next)?;
                next = column + 1;
            }
            take(place, cell)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn columns_come_in_the_order_in_which_they_are_wanted() {
        let text = "1.5\tread,write\t\\N\n\n2\t\t-3e2";
        let found = number_columns(text, &[2, 0, 2]).expect("numbers");
        assert!(found[0][0].is_nan());
        assert_eq!(found[0][1], -300.0);
        assert_eq!(found[1], [1.5, 2.0]);
        assert_eq!(found[2][1], -300.0);
        assert_eq!(word_columns(text, &[1]), Some(vec![vec!["read,write", ""]]));
    }

    #[test]
    fn what_does_not_fit_is_none() {
        assert_eq!(number_columns("1\t2\n3", &[1]), None);
        assert_eq!(number_columns("1\tx", &[1]), None);
        assert_eq!(word_columns("a\nb\tc", &[1]), None);
        assert_eq!(number_columns("", &[4]), Some(vec![vec![]]));
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(rows in prop::collection::vec(prop::collection::vec(-1e300..1e300_f64, 3), 0..20)) {
            let lines: Vec<String> = rows
                .iter()
                .map(|row| row.iter().map(f64::to_string).collect::<Vec<_>>().join("\t"))
                .collect();
            let found = number_columns(&lines.join("\n"), &[0, 1, 2]).expect("numbers");
            for (at, row) in rows.iter().enumerate() {
                prop_assert_eq!(&[found[0][at], found[1][at], found[2][at]][..], &row[..]);
            }
        }

        #[test]
        fn no_text_ends_it(text in "[\\t\\n0-9N\\\\x.e-]{0,80}", places in prop::collection::vec(0..5_usize, 0..4)) {
            if let Some(found) = number_columns(&text, &places) {
                let lines = text.split('\n').filter(|line| !line.is_empty()).count();
                prop_assert!(found.iter().all(|column| column.len() == lines));
            }
        }
    }
}
