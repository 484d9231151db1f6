//! The names of columns from lines that are stacked over a ruler.

use super::ruler::{Ruler, runs};
use crate::bounds::COLUMN_NAMES_BYTES_MAX;
use crate::value::is_value;

/// Each column's name: the words over it, from top to bottom. A heading with dashes around or under it stands over all columns that
/// the dashes reach. None where the names get longer than those of any report.
pub fn names(ruler: &Ruler, stacked: &[&str]) -> Option<Vec<String>> {
    let mut names =
        Names { ruler, names: vec![String::new(); ruler.columns.len()], left: COLUMN_NAMES_BYTES_MAX };
    for (at, line) in stacked.iter().enumerate().filter(|(_, line)| !is_underline(line)) {
        let below = stacked.get(at + 1).filter(|line| is_underline(line));
        names.add(&HeadLine::read(line, below.copied()))?;
    }
    Some(names.names)
}

struct Names<'a> {
    ruler: &'a Ruler,
    names: Vec<String>,
    /// How many bytes they may still take.
    left: usize,
}

impl Names<'_> {
    fn add(&mut self, line: &HeadLine<'_>) -> Option<()> {
        for (start, end, words) in line.groups() {
            for at in 0..self.names.len() {
                let column = self.ruler.columns[at];
                if column.0 < end && column.1 > start {
                    self.join(at, &words)?;
                }
            }
        }
        for (start, word) in line.words.iter().filter(|(start, _)| !line.is_grouped(*start)) {
            self.join(nearest(self.ruler, *start, start + word.len()), word)?;
        }
        Some(())
    }

    fn join(&mut self, at: usize, words: &str) -> Option<()> {
        // Some releases print a sign alone among their headings, on the first page and not on the next ones.
        if words == "`" {
            return Some(());
        }
        self.left = self.left.checked_sub(words.len() + 1)?;
        let name = &mut self.names[at];
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(words);
        Some(())
    }
}

/// Whether a heading is none: a number that has a fraction, two values side by side, the same words twice, or a piece of a ruler.
pub fn is_damaged(heading: &str) -> bool {
    is_twice(heading)
        || heading.contains("-----")
        || heading.bytes().any(|byte| byte.is_ascii_digit() || byte == b'#') && has_figures(heading)
}

fn is_twice(heading: &str) -> bool {
    let middle = heading.len() / 2;
    heading.as_bytes().get(middle) == Some(&b' ') && heading[..middle] == heading[middle + 1..]
}

fn has_figures(heading: &str) -> bool {
    let fraction = heading.split(' ').any(|word| word.contains(['.', ',']) && is_value(word));
    let mut pairs = heading.split(' ').zip(heading.split(' ').skip(1));
    fraction || pairs.any(|(one, other)| is_value(one) && is_value(other))
}

/// A line of nothing but dashes among headings, in one run or under several groups.
fn is_underline(line: &str) -> bool {
    let words = line.trim_ascii();
    !words.is_empty() && words.bytes().all(|byte| matches!(byte, b'-' | b' '))
}

/// A line of headings, with what groups them: each list is in the order of the line.
struct HeadLine<'a> {
    line: &'a str,
    /// Its words with where they begin.
    words: Vec<(usize, &'a str)>,
    /// `----- % of Waits -----`
    inline: Vec<(usize, usize)>,
    /// Runs of dashes in the line below.
    under: Vec<(usize, usize)>,
}

impl<'a> HeadLine<'a> {
    fn read(line: &'a str, below: Option<&str>) -> Self {
        let under = below.map_or_else(Vec::new, |dashes| runs(dashes.as_bytes(), b'-'));
        Self { line, words: words(line).collect(), inline: inline_groups(line), under }
    }

    /// Headings that stand over all columns between two places.
    fn groups(&self) -> impl Iterator<Item = (usize, usize, String)> {
        let inline = self.inline.iter().map(|(start, end)| {
            let words = self.line.get(*start..*end).unwrap_or_default().trim_matches(['-', ' ']);
            (*start, *end, words.to_owned())
        });
        let under = self.under.iter().map(|(start, end)| (*start, *end, self.words_from(*start, *end)));
        inline.chain(under).filter(|(.., words)| !words.is_empty())
    }

    /// The words that begin between two places; the last one may end behind the second.
    fn words_from(&self, start: usize, end: usize) -> String {
        let [from, to] = [start, end].map(|place| self.words.partition_point(|(at, _)| *at < place));
        self.words[from..to].iter().map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    }

    /// Whether what begins at a place belongs to a group.
    fn is_grouped(&self, place: usize) -> bool {
        [&self.inline, &self.under].into_iter().any(|groups| {
            let behind = groups.partition_point(|(from, _)| *from <= place);
            behind > 0 && place < groups[behind - 1].1
        })
    }
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

/// The words of a line with where they begin.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_ascii_whitespace().map(|word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// The column that the word reaches into most, or the nearest: one that it reaches into, or a neighbour of those.
fn nearest(ruler: &Ruler, start: usize, end: usize) -> usize {
    let columns = &ruler.columns;
    let first = columns.partition_point(|column| column.1 <= start).saturating_sub(1);
    let behind = columns.partition_point(|column| column.0 < end).saturating_add(1).min(columns.len());
    let score = |column: &(usize, usize)| {
        let overlap = end.min(column.1) as i64 - start.max(column.0) as i64;
        (overlap, -(column.0 as i64 - start as i64).abs())
    };
    let near = columns.iter().enumerate().take(behind).skip(first);
    near.max_by_key(|(_, column)| score(column)).map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::names;
    use crate::text::ruler::Ruler;

    fn named(ruler: &Ruler, stacked: &[&str]) -> Vec<String> {
        names(ruler, stacked).unwrap_or_default()
    }

    #[test]
    fn stacked_words_join_under_their_column() {
        let ruler = Ruler::read(b"----------- ---------- ------").unwrap();
        let stacked = ["            Total Wait   wait", "Event         Time (s)   (ms)"];
        assert_eq!(named(&ruler, &stacked), ["Event", "Total Wait Time (s)", "wait (ms)"]);
    }

    #[test]
    fn groups_side_by_side_stand_over_their_columns() {
        let ruler = Ruler::read(b"---- ----   ------ ------").unwrap();
        let stacked =
            [" Snap Ids    Number of Hosts", "---------   -------------", "  Id  End       In    All"];
        assert_eq!(
            named(&ruler, &stacked),
            ["Snap Ids Id", "Snap Ids End", "Number of Hosts In", "Number of Hosts All"]
        );
    }

    #[test]
    fn a_heading_among_dashes_stands_over_all_that_they_reach() {
        let ruler = Ruler::read(b"----- ----- ----- -----").unwrap();
        let inline = ["Event Waits -- % of W --", "Event Waits  <1ms  <2ms"];
        assert_eq!(named(&ruler, &[inline[1]])[2], "<1ms");
        let stacked = ["            % of Waits", "            -----------", "Event Waits  <1ms  <2ms"];
        assert_eq!(named(&ruler, &stacked), ["Event", "Waits", "% of Waits <1ms", "% of Waits <2ms"]);
    }
}
