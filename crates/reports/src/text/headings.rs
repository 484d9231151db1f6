//! The names of columns from lines that are stacked over a ruler.

use super::ruler::{Ruler, runs};
use crate::value::Decimal;

/// Each column's name: the words over it, from top to bottom. A heading with dashes around or under it stands over all columns that
/// the dashes reach.
pub fn names(ruler: &Ruler, stacked: &[&str]) -> Vec<String> {
    let mut names = vec![String::new(); ruler.columns.len()];
    for (at, line) in stacked.iter().enumerate() {
        let below = stacked.get(at + 1).filter(|line| is_underline(line));
        if is_underline(line) {
            continue;
        }
        for group in groups(line, below.copied()) {
            for (name, column) in names.iter_mut().zip(&ruler.columns) {
                if column.0 < group.end && column.1 > group.start {
                    join(name, &group.words);
                }
            }
        }
        let grouped = grouped(line, below.copied());
        for (start, word) in words(line) {
            if !grouped.iter().any(|(from, to)| (*from..*to).contains(&start)) {
                join(&mut names[nearest(ruler, start, start + word.len())], word);
            }
        }
    }
    names
}

/// Whether a heading is none: a number that has a fraction, two numbers side by side, the same words twice, or a piece of a ruler.
pub fn is_damaged(heading: &str) -> bool {
    is_twice(heading)
        || heading.contains("-----")
        || heading.bytes().any(|byte| byte.is_ascii_digit()) && has_figures(heading)
}

fn is_twice(heading: &str) -> bool {
    let middle = heading.len() / 2;
    heading.as_bytes().get(middle) == Some(&b' ') && heading[..middle] == heading[middle + 1..]
}

fn has_figures(heading: &str) -> bool {
    let is_number = |word: &str| crate::value::parse(word.as_bytes(), Decimal::Point).is_some();
    let fraction = heading.split(' ').any(|word| word.contains(['.', ',']) && is_number(word));
    let mut pairs = heading.split(' ').zip(heading.split(' ').skip(1));
    fraction || pairs.any(|(one, other)| is_number(one) && is_number(other))
}

/// A line of nothing but dashes among headings, in one run or under several groups.
fn is_underline(line: &str) -> bool {
    let words = line.trim_ascii();
    !words.is_empty() && words.bytes().all(|byte| matches!(byte, b'-' | b' '))
}

struct Group {
    start: usize,
    end: usize,
    words: String,
}

/// `----- % of Waits -----` in the line, or words over a run of dashes in the line below.
fn groups(line: &str, below: Option<&str>) -> Vec<Group> {
    let inline = inline_groups(line).into_iter().map(|(start, end)| Group {
        start,
        end,
        words: line.get(start..end).unwrap_or_default().trim_matches(['-', ' ']).to_owned(),
    });
    let under = below
        .into_iter()
        .flat_map(|dashes| runs(dashes.as_bytes(), b'-'))
        .map(|(start, end)| Group { start, end, words: words_from(line, start, end) });
    inline.chain(under).filter(|group| !group.words.is_empty()).collect()
}

/// The words that begin between two places; the last one may end behind the second.
fn words_from(line: &str, start: usize, end: usize) -> String {
    let within = words(line).filter(|(at, _)| (start..end).contains(at));
    within.map(|(_, word)| word).collect::<Vec<_>>().join(" ")
}

/// Each from the dashes before its words to those behind them.
fn inline_groups(line: &str) -> Vec<(usize, usize)> {
    if memchr::memchr(b'-', line.as_bytes()).is_none() || !line.contains("--") {
        return Vec::new();
    }
    let runs: Vec<_> =
        runs(line.as_bytes(), b'-').into_iter().filter(|(start, end)| end - start >= 2).collect();
    // Words that touch dashes were put into a ruler.
    let apart = |pair: &[(usize, usize)]| {
        let blank = |at: usize| line.as_bytes()[at] == b' ';
        blank(pair[0].1) && blank(pair[1].0 - 1)
    };
    runs.chunks_exact(2).filter(|pair| apart(pair)).map(|pair| (pair[0].0, pair[1].1)).collect()
}

/// Where groups stand in the line, and over the line below.
fn grouped(line: &str, below: Option<&str>) -> Vec<(usize, usize)> {
    let under = below.map_or_else(Vec::new, |dashes| runs(dashes.as_bytes(), b'-'));
    inline_groups(line).into_iter().chain(under).collect()
}

/// The words of a line with where they begin.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_ascii_whitespace().map(|word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// The column that the word reaches into most, or the nearest.
fn nearest(ruler: &Ruler, start: usize, end: usize) -> usize {
    if let Some(around) = ruler.columns.iter().position(|column| column.0 <= start && end <= column.1) {
        return around;
    }
    let score = |column: &(usize, usize)| {
        let overlap = end.min(column.1) as i64 - start.max(column.0) as i64;
        (overlap, -(column.0 as i64 - start as i64).abs())
    };
    let columns = ruler.columns.iter().enumerate();
    columns.max_by_key(|(_, column)| score(column)).map_or(0, |(at, _)| at)
}

fn join(name: &mut String, word: &str) {
    if !name.is_empty() {
        name.push(' ');
    }
    name.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::names;
    use crate::text::ruler::Ruler;

    #[test]
    fn stacked_words_join_under_their_column() {
        let ruler = Ruler::read(b"----------- ---------- ------").unwrap();
        let stacked = ["            Total Wait   wait", "Event         Time (s)   (ms)"];
        assert_eq!(names(&ruler, &stacked), ["Event", "Total Wait Time (s)", "wait (ms)"]);
    }

    #[test]
    fn groups_side_by_side_stand_over_their_columns() {
        let ruler = Ruler::read(b"---- ----   ------ ------").unwrap();
        let stacked =
            [" Snap Ids    Number of Hosts", "---------   -------------", "  Id  End       In    All"];
        assert_eq!(
            names(&ruler, &stacked),
            ["Snap Ids Id", "Snap Ids End", "Number of Hosts In", "Number of Hosts All"]
        );
    }

    #[test]
    fn a_heading_among_dashes_stands_over_all_that_they_reach() {
        let ruler = Ruler::read(b"----- ----- ----- -----").unwrap();
        let inline = ["Event Waits -- % of W --", "Event Waits  <1ms  <2ms"];
        assert_eq!(names(&ruler, &[inline[1]])[2], "<1ms");
        let stacked = ["            % of Waits", "            -----------", "Event Waits  <1ms  <2ms"];
        assert_eq!(names(&ruler, &stacked), ["Event", "Waits", "% of Waits <1ms", "% of Waits <2ms"]);
    }
}
