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
        Self { begins: memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1).collect(), at: 0 }
    }

    /// Of a text whose lines after the first begin here.
    pub fn at(begins: Vec<u32>) -> Self {
        Self { begins, at: 0 }
    }

    /// The line, from 1. Asking for an earlier byte than the last time gives that time's line.
    pub fn of(&mut self, byte: usize) -> u32 {
        while self.begins.get(self.at).is_some_and(|begin| *begin as usize <= byte) {
            self.at += 1;
        }
        self.at as u32 + 1
    }
}
