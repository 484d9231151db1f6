//! Errors of the database that stand between the sections of a report.

use crate::model::{Problem, Tables};

/// Says of each error in words that belong to no table.
pub fn find(words: &str, line: u32, section: &str, out: &mut Tables) {
    for (at, words) in words.lines().enumerate() {
        if let Some(message) = error(words) {
            out.problems.push(Problem {
                code: "embedded-error",
                line: Some(line + at as u32),
                section: (!section.is_empty()).then(|| section.to_owned()),
                message: format!("the database put an error here: {message}"),
                loses: true,
            });
        }
    }
}

/// The error that a line begins with: `ORA-06550: …`, `PLS-00103: …`, `ERROR: …`.
fn error(words: &str) -> Option<&str> {
    let words = words.trim();
    let coded = ["ORA-", "PLS-", "SP2-"].iter().any(|prefix| {
        words.strip_prefix(prefix).is_some_and(|rest| {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            digits >= 4 && rest.as_bytes().get(digits) == Some(&b':')
        })
    });
    let named = words.starts_with("ERROR: ") || words.starts_with("Error encountered in ");
    (coded || named).then_some(words)
}
