//! Words as they are compared, however a report spaces and capitalises them.

/// Words as they are compared: lower case, without white space.
pub fn plain(words: &str) -> String {
    if words.is_ascii() {
        let dark = words.bytes().filter(|byte| !char::from(*byte).is_whitespace());
        let mut plain = String::with_capacity(words.len());
        plain.extend(dark.map(|byte| char::from(byte.to_ascii_lowercase())));
        return plain;
    }
    words.chars().filter(|sign| !sign.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// Whether words are these, as they are compared. Known words are ASCII.
pub fn is_plain(words: &str, known: &str) -> bool {
    // Most words are told from the known ones by their first letter.
    if let (Some(first), Some(other)) = (words.bytes().next(), known.bytes().next())
        && first.is_ascii_alphabetic()
        && first.to_ascii_lowercase() != other
    {
        return false;
    }
    rest_of(words, known).is_some_and(|mut rest| rest.next().is_none())
}

/// Whether words begin with these, as they are compared.
pub fn begins_plain(words: &str, begin: &str) -> bool {
    rest_of(words, begin).is_some()
}

/// What stands behind the known words that others begin with.
fn rest_of(words: &str, known: &str) -> Option<impl Iterator<Item = char>> {
    let mut signs = words.chars().filter(|sign| !sign.is_whitespace());
    let mut matches = |known| signs.next().is_some_and(|sign| sign.to_ascii_lowercase() == char::from(known));
    known.bytes().all(&mut matches).then_some(signs)
}

/// A title as it is compared: each number in it is `#`.
pub fn plain_title(title: &str) -> String {
    let mut plain_title = String::with_capacity(title.len());
    for sign in plain(title).chars() {
        match sign {
            '0'..='9' if plain_title.ends_with('#') => {}
            '0'..='9' => plain_title.push('#'),
            other => plain_title.push(other),
        }
    }
    plain_title
}
