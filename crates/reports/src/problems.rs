//! What was found wrong with a report: each thing by itself, up to a bound, and how many more there were.

use std::ops::Deref;

use serde::Serialize;

use crate::bounds::{Bound, MESSAGE_BYTES_MAX, Room};

/// Something that a reader of the results must know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What kind of problem, in words with hyphens.
    pub code: &'static str,
    /// The line of the file, where it has one.
    pub line: Option<u32>,
    /// The section's title, where it is in one.
    pub section: Option<String>,
    /// In a sentence.
    pub message: String,
    /// Whether something that the report prints was not read.
    pub loses: bool,
}

/// In the order in which they were found.
#[derive(Debug)]
pub struct Problems {
    kept: Vec<Problem>,
    max: usize,
    more: usize,
    /// Whether one of those loses something.
    more_lose: bool,
}

impl Problems {
    /// None yet, and no more than there is room for: two at least, one that is told and one that says how many are not.
    pub fn within(room: &Room) -> Self {
        Self { kept: Vec::new(), max: room.left(Bound::Problems).max(2), more: 0, more_lose: false }
    }

    /// One more.
    pub fn push(&mut self, problem: Problem) {
        if self.kept.len() < self.max {
            self.kept.push(shortened(problem));
        } else {
            self.leave_out(&problem);
        }
    }

    /// One that is told whatever else there is.
    pub fn put_first(&mut self, problem: Problem) {
        self.kept.insert(0, problem);
    }

    /// The lines that they name.
    pub fn lines_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        self.kept.iter_mut().filter_map(|problem| problem.line.as_mut())
    }

    fn leave_out(&mut self, problem: &Problem) {
        self.more += 1;
        self.more_lose |= problem.loses;
    }

    /// No more will come: says how many were left out.
    pub fn close(&mut self) {
        if self.more == 0 && self.kept.len() <= self.max {
            return;
        }
        for problem in self.kept.split_off(self.max - 1) {
            self.leave_out(&problem);
        }
        self.kept.push(Problem {
            code: "problems-many",
            line: None,
            section: None,
            message: format!("there are {} more problems, which are not told one by one", self.more),
            loses: self.more_lose,
        });
    }
}

impl Default for Problems {
    fn default() -> Self {
        Self::within(&Room::default())
    }
}

impl Deref for Problems {
    type Target = [Problem];

    fn deref(&self) -> &[Problem] {
        &self.kept
    }
}

impl Extend<Problem> for Problems {
    fn extend<T: IntoIterator<Item = Problem>>(&mut self, problems: T) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.into_iter()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.iter()
    }
}

/// With as much of the message as is told.
fn shortened(mut problem: Problem) -> Problem {
    if problem.message.len() > MESSAGE_BYTES_MAX {
        let end = (0..=MESSAGE_BYTES_MAX).rev().find(|at| problem.message.is_char_boundary(*at));
        problem.message.truncate(end.unwrap_or_default());
        problem.message.push('…');
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::PROBLEMS_MAX;

    fn problem(number: usize) -> Problem {
        let message = number.to_string();
        Problem { code: "row-odd", line: None, section: None, message, loses: number == PROBLEMS_MAX + 6 }
    }

    fn closed(count: usize, first: bool) -> Problems {
        let mut problems = Problems::default();
        problems.extend((0..count).map(problem));
        first.then(|| problems.put_first(problem(count)));
        problems.close();
        problems
    }

    #[test]
    fn the_last_one_says_how_many_more_there_are() {
        let all = closed(PROBLEMS_MAX, false);
        assert_eq!((all.len(), all[PROBLEMS_MAX - 1].code), (PROBLEMS_MAX, "row-odd"));
        for (count, more, loses) in [(PROBLEMS_MAX + 1, 2, false), (PROBLEMS_MAX + 7, 8, true)] {
            let problems = closed(count, false);
            let last = &problems[PROBLEMS_MAX - 1];
            assert_eq!((problems.len(), last.code, last.loses), (PROBLEMS_MAX, "problems-many", loses));
            assert!(last.message.starts_with(&format!("there are {more} more problems")), "{}", last.message);
        }
    }

    #[test]
    fn a_bound_that_is_met_is_told_whatever_else_there_is() {
        let problems = closed(PROBLEMS_MAX, true);
        assert_eq!(problems[0].message, PROBLEMS_MAX.to_string());
        assert!(problems[PROBLEMS_MAX - 1].message.starts_with("there are 2 more problems"));
    }

    #[test]
    fn a_message_quotes_no_more_than_can_be_read() {
        let mut problems = Problems::default();
        problems.push(Problem { message: "ä".repeat(MESSAGE_BYTES_MAX), ..problem(1) });
        assert_eq!(problems[0].message.len(), MESSAGE_BYTES_MAX + '…'.len_utf8());
    }
}
