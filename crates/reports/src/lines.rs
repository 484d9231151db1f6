//! Which line of the file a byte stands in.

/// Answers for bytes that come in rising order, each in a step or two.
pub struct Lines {
    /// Where each line after the first begins.
    begins: Vec<u32>,
    at: usize,
}

impl Lines {
    /// Of a report's text.
    pub fn new(text: &str) -> Self {
        let ends = || memchr::memchr_iter(b'\n', text.as_bytes());
        let mut begins = Vec::with_capacity(ends().count());
        begins.extend(ends().map(|at| at as u32 + 1));
        Self { begins, at: 0 }
    }

    /// Of a text whose lines after the first begin here.
    pub fn at(begins: Vec<u32>) -> Self {
        Self { begins, at: 0 }
    }

    /// Where each line after the first begins.
    pub fn begins(&self) -> impl Iterator<Item = usize> {
        self.begins.iter().map(|begin| *begin as usize)
    }

    /// The lines between two bytes, each by its first byte, the byte behind its last, and its number.
    pub fn between(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, usize, u32)> {
        let first = self.begins.partition_point(|begin| *begin as usize <= start);
        let inner =
            self.begins[first..].iter().map(|begin| *begin as usize).take_while(move |begin| *begin < end);
        let ends = inner.clone().chain([end]);
        let starts = [start].into_iter().chain(inner);
        starts.zip(ends).zip(first as u32 + 1..).map(|((start, end), line)| (start, end, line))
    }

    /// The line, from 1. Asking for an earlier byte than the last time gives that time's line.
    pub fn of(&mut self, byte: usize) -> u32 {
        while self.begins.get(self.at).is_some_and(|begin| *begin as usize <= byte) {
            self.at += 1;
        }
        self.at as u32 + 1
    }
}

/// Where the last of so many lines ends; None where there are no more.
pub fn end_of(text: &str, lines: usize) -> Option<usize> {
    let ends = || memchr::memchr_iter(b'\n', text.as_bytes());
    // No text has more lines than bytes, and to count them is far faster than to find each.
    let has_more = text.len() > lines && ends().count() > lines;
    has_more.then(|| ends().nth(lines.saturating_sub(1))).flatten().map(|end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::{Lines, end_of};

    #[test]
    fn so_many_lines_end_somewhere_where_there_are_more() {
        let text = "ab\ncd\n\nef";
        assert_eq!([1, 2, 3, 4].map(|lines| end_of(text, lines)), [Some(3), Some(6), None, None]);
    }

    #[test]
    fn lines_between_two_bytes_have_their_numbers() {
        let text = "ab\ncd\n\nef\ngh";
        let lines: Vec<_> =
            Lines::new(text).between(4, 9).map(|(from, to, line)| (&text[from..to], line)).collect();
        assert_eq!(lines, [("d\n", 2), ("\n", 3), ("ef", 4)]);
        assert_eq!(Lines::new("ab").between(0, 2).collect::<Vec<_>>(), [(0, 2, 1)]);
    }
}
