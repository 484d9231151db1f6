//! The dashed line under headings: where the columns of a table begin and end.

use std::ops::Range;

use crate::bounds::TEXT_COLUMNS_MAX;

/// Columns by their first character and the one after their last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruler {
    /// The columns from left to right.
    pub columns: Vec<(usize, usize)>,
    /// Whether the first column has no dashes: labels that stand left of the others.
    pub labelled: bool,
    /// Whether every column begins at its dashes: no label or wide gap stands before any.
    is_tight: bool,
}

/// One space stands between columns; where there are more, numbers may begin in it.
const WIDE_GAP_MIN: usize = 2;
/// Labels need so many characters before the first dashes.
const LABEL_WIDTH_MIN: usize = 4;

impl Ruler {
    /// From a line of dashes; tildes stand under a title, and what is left of the first dashes are then labels.
    pub fn read(line: &[u8]) -> Option<Self> {
        if !is_dashes(line) {
            return None;
        }
        let mut columns = runs(line, b'-');
        let first = columns.first().filter(|_| columns.len() <= TEXT_COLUMNS_MAX)?.0;
        let labelled = first >= LABEL_WIDTH_MIN;
        if labelled {
            columns.insert(0, (0, first - 1));
        }
        let is_tight = !labelled && columns.windows(2).all(|pair| pair[1].0 < pair[0].1 + WIDE_GAP_MIN);
        Some(Self { columns, labelled, is_tight })
    }

    /// Whether nothing stands between the columns; the signs of an overflow may.
    pub fn fits(&self, line: &Columns<'_>) -> bool {
        let before = self.columns[0].0;
        if self.is_tight {
            let mut gaps = self.columns[1..].iter().map(|column| line.at(column.0 - 1));
            return line.is_blank(0, before) && gaps.all(|byte| matches!(byte, b' ' | b'#'));
        }
        let between = (1..self.columns.len()).map(|at| (self.columns[at - 1].1, self.start(line, at)));
        line.is_blank(0, before) && between.into_iter().all(|(from, to)| line.is_blank_but_overflow(from, to))
    }

    /// Where a column begins in a line: at its dashes, or, behind a label or a wide gap, where a number wider than those begins.
    fn start(&self, line: &Columns<'_>, column: usize) -> usize {
        let dashes = self.columns[column].0;
        if self.is_tight {
            return dashes;
        }
        let before = if column > 0 { self.columns[column - 1].1 } else { 0 };
        if !self.labelled && dashes < before + WIDE_GAP_MIN {
            return dashes;
        }
        let from = if self.labelled && column == 1 { 1 } else { before + usize::from(self.labelled) };
        let mut start = dashes;
        while start >= from.max(1) && !line.at(start - 1).is_ascii_whitespace() {
            start -= 1;
        }
        let is_number = matches!(line.at(start), b'0'..=b'9' | b'.' | b'-') && line.at(dashes) != b' ';
        if start >= from && is_number { start } else { dashes }
    }

    /// Where a column's words stand in a line that fits: an overflow begins left of its dashes, and the last column's words may
    /// end right of them.
    pub fn cell(&self, line: &Columns<'_>, column: usize) -> (usize, usize) {
        let (dashes, mut end) = self.columns[column];
        let start = if column == 0 { dashes } else { self.start(line, column) };
        let from = if column == 0 { start } else { self.columns[column - 1].1 };
        let start = if line.at(start.wrapping_sub(1)) == b'#' { from } else { start };
        if self.labelled && column == 0 && self.columns.len() > 1 {
            end = end.min(self.start(line, 1));
        }
        if column + 1 == self.columns.len() {
            while !line.at(end).is_ascii_whitespace() {
                end += 1;
            }
        }
        (start, end)
    }

    /// The columns behind the first that a line, which is blank there, can say something in: all that stand left of its words or
    /// right of its end are blank.
    pub fn reached(&self, line: &Columns<'_>) -> Range<usize> {
        let first = line.bytes.iter().position(|byte| *byte != b' ').unwrap_or(line.len());
        let left = self.columns.partition_point(|column| column.1 <= first).min(self.columns.len() - 1);
        // The signs of an overflow may end right before the dashes.
        left.max(1)..self.columns.partition_point(|column| column.0 <= line.len()).max(1)
    }

    /// The character after the last column.
    pub fn end(&self) -> usize {
        self.columns.last().map_or(0, |column| column.1)
    }
}

/// A line whose bytes are found by their place on the page.
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    bytes: &'a [u8],
}

impl<'a> Columns<'a> {
    /// Of a line of ASCII, or one whose characters are padded by their bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The byte at a place; a space behind the line's end.
    pub fn at(&self, column: usize) -> u8 {
        self.bytes.get(column).copied().unwrap_or(b' ')
    }

    /// How long the line is.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    fn part(&self, from: usize, to: usize) -> &'a [u8] {
        let end = to.min(self.bytes.len());
        &self.bytes[from.min(end)..end]
    }

    /// Whether nothing stands between two places.
    pub fn is_blank(&self, from: usize, to: usize) -> bool {
        self.part(from, to).iter().all(|byte| *byte == b' ')
    }

    fn is_blank_but_overflow(&self, from: usize, to: usize) -> bool {
        self.part(from, to).iter().all(|byte| matches!(byte, b' ' | b'#'))
    }
}

/// Whether the line is dashes and tildes, at least two of them side by side, and nothing else.
pub fn is_dashes(line: &[u8]) -> bool {
    // Looking at all bytes is faster than looking where to stop.
    line.iter().fold(true, |is, byte| is & matches!(byte, b'-' | b'~' | b' '))
        && line.windows(2).any(|pair| pair == b"--")
}

/// Whether a line of several runs of dashes ends in something else, as no line of words does.
pub fn is_overwritten(line: &[u8]) -> bool {
    let begins = line.starts_with(b"--------") || line.starts_with(b" --------");
    begins && !is_dashes(line) && runs(line, b'-').iter().filter(|(start, end)| end - start > 1).count() > 1
}

/// The run of one sign, where there is one and no other.
pub fn only_run(line: &[u8], sign: u8) -> Option<(usize, usize)> {
    let start = memchr::memchr(sign, line)?;
    let end = start + line[start..].iter().take_while(|byte| **byte == sign).count();
    memchr::memchr(sign, &line[end..]).is_none().then_some((start, end))
}

/// Runs of one sign.
pub fn runs(line: &[u8], sign: u8) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < line.len() {
        if line[at] == sign {
            let start = at;
            while line.get(at) == Some(&sign) {
                at += 1;
            }
            runs.push((start, at));
        } else {
            at += 1;
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::{Columns, Ruler};

    #[test]
    fn an_overflow_may_stand_between_columns() {
        let ruler = Ruler::read(b"--- ---------- ----- ----------- -----------").unwrap();
        let line = b"D      352,636  97.3############ 344,886,531";
        let line = Columns::new(line);
        assert!(ruler.fits(&line));
        assert_eq!(ruler.cell(&line, 3), (20, 32));
        assert_eq!(ruler.cell(&line, 4), (33, 44));
    }

    #[test]
    fn a_number_may_begin_in_a_wide_gap() {
        let ruler = Ruler::read(b"------- --------  ------").unwrap();
        let line = Columns::new(b"     14      532 376,247");
        assert!(ruler.fits(&line));
        assert_eq!(ruler.cell(&line, 2), (17, 24));
    }

    #[test]
    fn behind_a_label_a_number_may_be_wider_than_its_dashes() {
        let ruler = Ruler::read(b"~~~~~~~~              --------     -----").unwrap();
        let line = Columns::new(b"     Redo size:   12,345,678.9     1,234");
        assert!(ruler.fits(&line));
        assert_eq!([0, 1, 2].map(|column| ruler.cell(&line, column)), [(0, 18), (18, 30), (35, 40)]);
        assert!(!ruler.fits(&Columns::new(b"  words that run on under the dashes all along")));
    }

    #[test]
    fn what_stands_left_of_the_first_dashes_is_a_label() {
        let ruler = Ruler::read(b"~~~~~~~~    ------ ----").unwrap();
        assert_eq!(ruler.columns, [(0, 11), (12, 18), (19, 23)]);
        assert!(ruler.labelled);
        assert!(Ruler::read(b"- ---- ---").unwrap().columns.len() == 3);
        assert!(Ruler::read(b"~~~~~~~").is_none());
    }
}
