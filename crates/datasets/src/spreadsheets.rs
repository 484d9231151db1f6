//! Texts that a spreadsheet would run as a formula when it opens the file.
//!
//! source: OWASP, CSV injection

/// Before a formula it makes a text of it.
pub const QUOTE: char = '\'';

/// How a formula begins; the last four are signs as East Asian keyboards write them.
const SIGNS: [char; 8] = ['=', '@', '\t', '\r', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Whether a spreadsheet would run the text: a sign before a plain number begins no formula.
pub fn begins_formula(text: &str) -> bool {
    let mut signs = text.chars();
    match signs.next() {
        Some('+' | '-') => !is_number(signs.as_str()),
        Some(first) => SIGNS.contains(&first),
        None => false,
    }
}

/// Digits with points, commas and percent signs behind a first digit; nothing at all begins no formula either.
fn is_number(text: &str) -> bool {
    let mut signs = text.chars();
    let is_first_sound = signs.next().is_none_or(|sign| sign.is_ascii_digit());
    let rest = text.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.' || sign == ',');
    is_first_sound && (rest.is_empty() || rest.starts_with('%'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_begin_with_signs() {
        for text in ["=1", "@sum", "\tx", "\r", "+cmd", "-2+3", "+1 2", "\u{ff1d}1", "\u{ff20}x", "--1"] {
            assert!(begins_formula(text), "{text}");
        }
    }

    #[test]
    fn numbers_and_words_are_no_formulas() {
        for text in ["", "-", "+", "-1", "+1,234.5", "-12%", "SELECT", "1+1", "'=1"] {
            assert!(!begins_formula(text), "{text}");
        }
    }
}
