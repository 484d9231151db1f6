//! Statements are named by thirteen small letters and digits: a name that is nearly one is damaged, and what stands below it is no
//! other statement's.

use super::Typed;
use crate::model::Problem;

/// Views name their column so.
const COLUMN: &str = "sql_id";
const ID_BYTES: usize = 13;
/// A name with fewer of its signs is another word.
const SIGNS_MIN: usize = 9;

/// A problem for the first such name of each view.
pub fn problems(typed: &[Typed]) -> Vec<Problem> {
    let first = |typed: &Typed| {
        let column = typed.view.columns.iter().position(|column| column.name == COLUMN)?;
        typed
            .words_of(column)
            .find(|(_, words)| is_damaged(words))
            .map(|(line, words)| problem(typed, line, words))
    };
    typed.iter().filter_map(first).collect()
}

fn is_damaged(words: &str) -> bool {
    let is_sign = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let signs = words.bytes().filter(is_sign).count();
    let is_one = words.len() == ID_BYTES && signs == ID_BYTES;
    !is_one && signs >= SIGNS_MIN && !words.contains(' ')
}

fn problem(typed: &Typed, line: u32, words: &str) -> Problem {
    Problem {
        code: "name-damaged",
        line: Some(line),
        section: Some(typed.view.name.to_owned()),
        message: format!("'{words}' is no name that statements have"),
        loses: true,
    }
}

#[cfg(test)]
mod tests {
    use super::is_damaged;

    #[test]
    fn a_statement_is_named_by_thirteen_letters_and_digits() {
        assert!(!is_damaged("9jsmqh5k9tr6w") && !is_damaged("(Unknown)") && !is_damaged("N/A"));
        for words in ["9jsm.qh5k9tr6w", "9jsmqh5k9tr\u{b6}w", "9jsmqh5k9tr6", "bymb3ujkr3ubk\u{bc}/a>"] {
            assert!(is_damaged(words), "{words}");
        }
    }
}
