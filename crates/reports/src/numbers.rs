//! How many numbers a report prints, and how many of them no table holds: so that nothing is lost in silence.
//!
//! A number is a run of digits with points and commas between them: `1,234.5` is one, and so is the 19 of `Oracle19c`.
//! What is read is not counted one by one: all that a report prints is, and what was left out of its tables.

use crate::limits::{REPORT_UNREAD_NUMBERS_MAX, REPORT_UNREAD_SHARE_MAX};

/// What became of the numbers of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// All that are printed, of text; see [`crate::model::Tables::printed`].
    pub printed: u32,
    /// In notes of explanation, which say what a table holds.
    pub notes: u32,
    /// In no table, head, finding or note.
    pub unread: u32,
    /// The first line with one of those.
    pub unread_line: Option<u32>,
    /// In a line that may be a title, and the line.
    supposed: (u32, u32),
}

impl Numbers {
    /// Words of a line that explain something.
    pub fn note(&mut self, words: &str) {
        self.notes += count(words.as_bytes());
    }

    /// Words of a line that became nothing.
    pub fn lose(&mut self, words: &str, line: u32) {
        self.lost(count(words.as_bytes()), line);
    }

    /// Words of a line that is a title if something comes under it.
    pub fn suppose(&mut self, words: &str, line: u32) {
        self.refute();
        self.supposed = (count(words.as_bytes()), line);
    }

    /// Something came under the line that may be a title.
    pub fn confirm(&mut self) {
        self.supposed = (0, 0);
    }

    /// Another title came, or the end: nothing stands under that line.
    pub fn refute(&mut self) {
        let (lost, line) = std::mem::take(&mut self.supposed);
        self.lost(lost, line);
    }

    fn lost(&mut self, lost: u32, line: u32) {
        if lost > 0 {
            self.unread += lost;
            self.unread_line = Some(self.unread_line.map_or(line, |first| first.min(line)));
        }
    }

    /// Whether more is lost than scripts and mails put around a report.
    pub fn are_lost(&self, printed: u32) -> bool {
        let share = f64::from(self.unread) / f64::from(printed.max(1));
        self.unread > REPORT_UNREAD_NUMBERS_MAX || self.unread > 1 && share > REPORT_UNREAD_SHARE_MAX
    }
}

/// How many numbers stand in the bytes.
pub fn count(bytes: &[u8]) -> u32 {
    let head = &bytes[..bytes.len().min(2)];
    let mut begin = [b' '; 4];
    begin[2..2 + head.len()].copy_from_slice(head);
    count_behind_two(&begin) + count_behind_two(bytes)
}

/// How many begin behind the first two bytes. In pieces whose sum fits a byte, so that many bytes are taken at a time.
fn count_behind_two(bytes: &[u8]) -> u32 {
    let mut sum = 0;
    let mut rest = bytes;
    while rest.len() > 2 {
        let end = rest.len().min(PIECE_BYTES + 2);
        let (before, last, first) = (&rest[..end - 2], &rest[1..end - 1], &rest[2..end]);
        let triples = before.iter().zip(last).zip(first);
        sum += u32::from(
            triples.fold(0_u8, |sum, ((before, last), first)| sum + begins(*before, *last, *first)),
        );
        rest = &rest[end - 2..];
    }
    sum
}

const PIECE_BYTES: usize = 255;

fn begins(before: u8, last: u8, first: u8) -> u8 {
    let is_digit = |byte: u8| byte.wrapping_sub(b'0') < 10;
    let goes_on = is_digit(last) | ((last == b'.') | (last == b',')) & is_digit(before);
    u8::from(is_digit(first) & !goes_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_once_each() {
        for (words, numbers) in [
            ("", 0),
            ("none", 0),
            ("1", 1),
            ("1,234.56 and .5", 2),
            (".5", 1),
            ("5,", 1),
            ("a.1", 1),
            ("7 8\n9", 3),
            ("12:30:59 sp_9", 4),
            ("x1 y22", 2),
        ] {
            assert_eq!(count(words.as_bytes()), numbers, "{words}");
        }
        assert_eq!(count("1 ".repeat(1000).as_bytes()), 1000);
        assert_eq!(count(" 1".repeat(1000).as_bytes()), 1000);
    }

    #[test]
    fn a_few_numbers_around_a_long_report_are_no_loss() {
        let are_lost = |unread, printed| Numbers { unread, ..Numbers::default() }.are_lost(printed);
        assert!(!are_lost(REPORT_UNREAD_NUMBERS_MAX, 10_000));
        assert!(are_lost(REPORT_UNREAD_NUMBERS_MAX + 1, 10_000));
        assert!(are_lost(3, 200));
        assert!(!are_lost(1, 20));
    }
}
