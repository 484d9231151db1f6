//! What a report says twice must agree, and what it says must be possible. A new check is a file here and its name in the list.
//!
//! Checks look at the printed cells. What they find loses nothing: both cells are quoted, and who reads on decides whom to believe.

pub mod figure;
pub mod pages;
#[cfg(test)]
mod testing;

use crate::header::Header;
use crate::model::{Problem, Tables, Text};
use figure::Figure;
use pages::Pages;

/// One check.
#[derive(Debug)]
pub struct Check {
    /// Its name, and its file's.
    pub name: &'static str,
    /// What it holds reports to, in a sentence.
    pub about: &'static str,
    /// The code of its problems.
    pub code: &'static str,
    /// Looks for what contradicts it, and says so of each.
    pub find: fn(&Pages<'_>, Say<'_>),
}

/// Takes what is found, one by one: there may be as much of it as there are cells.
pub type Say<'a> = &'a mut dyn FnMut(Violation);

/// Cells that contradict each other, or one that contradicts what is possible.
#[derive(Debug)]
pub struct Violation {
    /// What is wrong, with the words and places of the cells.
    pub message: String,
    /// The title of the first cell's table.
    pub section: String,
    /// The first cell's line.
    pub line: u32,
}

impl Violation {
    /// Of a cell.
    pub fn of(figure: &Figure<'_>, message: String) -> Self {
        Self { message, section: figure.place.section.to_owned(), line: figure.place.line }
    }
}

macro_rules! checks {
    ($($name:ident),* $(,)?) => {
        $(mod $name;)*
        /// All checks.
        pub static ALL: &[&Check] = &[$(&$name::CHECK),*];
    };
}

checks!(
    snapshot_order,
    elapsed,
    restart,
    cpu_of_db_time,
    share_of_db_time,
    load_profile,
    io_profile,
    rates,
    histogram_sums,
    single_block_reads,
    read_times,
    request_size,
    negative_deltas,
    interconnect_traffic,
);

/// Runs all checks. One that finds the same in many rows of a table says it once, with their number.
pub fn run(text: &Text, tables: &mut Tables, header: &Header) {
    let problems = {
        let pages = Pages::new(text, tables, header);
        ALL.iter().flat_map(|check| problems(check, &pages)).collect::<Vec<_>>()
    };
    tables.problems.extend(problems);
}

fn problems(check: &Check, pages: &Pages<'_>) -> Vec<Problem> {
    let mut said: Vec<(Problem, usize)> = Vec::new();
    (check.find)(pages, &mut |Violation { message, section, line }| {
        let section = (!section.is_empty()).then_some(section);
        // Most are of the table that the last one is of.
        match said.iter_mut().rev().find(|(first, _)| first.section == section) {
            Some((_, more)) => *more += 1,
            None => {
                said.push((Problem { code: check.code, line: Some(line), section, message, loses: false }, 0))
            }
        }
    });
    let with_number = said.into_iter().map(|(mut problem, more)| {
        if more > 0 {
            problem.message.push_str(&format!("; so in {more} more rows"));
        }
        problem
    });
    with_number.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{ALL, Check, Pages, Violation, problems};

    #[test]
    fn names_are_their_own() {
        let names: HashSet<_> = ALL.iter().map(|check| check.name).collect();
        assert_eq!(names.len(), ALL.len());
    }

    #[test]
    fn many_rows_of_one_table_are_said_once() {
        static CHECK: Check = Check {
            name: "x",
            about: "",
            code: "identity-violated",
            find: |_, say| {
                for (section, line) in [("a", 7), ("a", 8), ("b", 9)] {
                    say(Violation { message: "m".into(), section: section.into(), line });
                }
            },
        };
        let (text, tables, header) = Default::default();
        let said = problems(&CHECK, &Pages::new(&text, &tables, &header));
        let said: Vec<_> = said.iter().map(|problem| (problem.line, problem.message.as_str())).collect();
        assert_eq!(said, [(Some(7), "m; so in 1 more rows"), (Some(9), "m")]);
    }
}
