//! Whether findings and their recommendations follow each other by number: where they do not, lines are lost.

use super::Said;
use super::findings::{FINDING, RECOMMENDATION};

/// The line of the first row that does not follow the one above: findings of one analysis have the numbers from 1 on, and so have
/// the recommendations of one finding.
pub fn first_break(rows: &[Said]) -> Option<u32> {
    let place = |(_, row): &Said| {
        [FINDING, RECOMMENDATION].map(|at: usize| row[at].parse::<u32>().unwrap_or_default())
    };
    let mut above: Option<(&str, [u32; 2])> = None;
    for row in rows {
        let (task, [finding, recommendation]) = (row.1[0].as_str(), place(row));
        let last = above.filter(|(known, _)| *known == task).map_or([0, 0], |(_, last)| last);
        let goes_on = finding == last[0] && last[1] > 0 && recommendation == last[1] + 1;
        if !goes_on && (finding != last[0] + 1 || recommendation > 1) {
            return Some(row.0);
        }
        above = Some((task, [finding, recommendation]));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::findings::{COLUMNS, FINDING, RECOMMENDATION};
    use super::first_break;

    #[test]
    fn findings_and_recommendations_follow_each_other_by_number() {
        let broken = |rows: &[(&str, &str, &str)]| {
            let row = |(task, finding, recommendation): &(&str, &str, &str)| {
                let mut row = vec![String::new(); COLUMNS.len()];
                (row[0], row[FINDING], row[RECOMMENDATION]) =
                    (task.to_string(), finding.to_string(), recommendation.to_string());
                row
            };
            first_break(&rows.iter().map(row).zip(1..).map(|(row, line)| (line, row)).collect::<Vec<_>>())
        };
        assert_eq!(
            broken(&[("T", "1", "1"), ("T", "1", "2"), ("T", "2", ""), ("T", "3", "1"), ("U", "1", "")]),
            None
        );
        assert_eq!(broken(&[("T", "1", "1"), ("T", "3", "1")]), Some(2));
        assert_eq!(broken(&[("T", "1", "1"), ("T", "1", "1")]), Some(2));
        assert_eq!(broken(&[("T", "2", "1")]), Some(1));
        assert_eq!(broken(&[("T", "1", "1"), ("T", "2", "2")]), Some(2));
    }
}
