//! Character references: `&#160;`, `&lt;`.

/// The words with their references replaced; one that is unknown stays as it is.
pub fn unescape(words: &str, out: &mut String) {
    let mut rest = words;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (character, len) = reference(rest).unwrap_or(('&', 1));
        out.push(character);
        rest = &rest[len..];
    }
    out.push_str(rest);
}

/// The longest reference is `&#1114111;`.
const REFERENCE_BYTES_MAX: usize = 10;
/// Names that browsers read without a semicolon as well.
const NAMED: [(&str, char); 6] =
    [("nbsp", '\u{a0}'), ("quot", '"'), ("apos", '\''), ("amp", '&'), ("lt", '<'), ("gt", '>')];

/// The character at the begin of the words, and how many bytes it takes.
fn reference(words: &str) -> Option<(char, usize)> {
    let named = NAMED.iter().find(|(name, _)| words[1..].starts_with(name));
    if let Some((name, character)) = named {
        let end = 1 + name.len();
        return Some((*character, end + usize::from(words[end..].starts_with(';'))));
    }
    let window = &words.as_bytes()[..words.len().min(REFERENCE_BYTES_MAX)];
    let end = memchr::memchr(b';', window)?;
    Some((numbered(&words[1..end])?, end + 1))
}

fn numbered(name: &str) -> Option<char> {
    let digits = name.strip_prefix('#')?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn references_become_characters_and_the_unknown_stay() {
        let mut out = String::new();
        unescape("a &lt; b &amp;&amp; c&#160;&#x41;&foo; &quot ;&", &mut out);
        assert_eq!(out, "a < b && c\u{a0}A&foo; \" ;&");
    }
}
