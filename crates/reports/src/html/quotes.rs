//! Pages that went through an export which doubles every quote, in tags and in words.

use memchr::memmem;

/// So many attributes tell, from the beginning of the page.
const BYTES_LOOKED_AT_MAX: usize = 1 << 16;
const DOUBLED_MIN: usize = 3;

/// The page with each pair of quotes made one again; None where they are not doubled.
pub fn single(page: &str) -> Option<String> {
    let head = &page.as_bytes()[..page.len().min(BYTES_LOOKED_AT_MAX)];
    let (mut doubled, mut all) = (0, 0);
    for at in memmem::find_iter(head, b"=\"") {
        all += 1;
        // An empty value is two quotes as well, but then no word follows.
        doubled += usize::from(
            head.get(at + 2) == Some(&b'"') && head.get(at + 3).is_some_and(u8::is_ascii_alphanumeric),
        );
    }
    (doubled >= DOUBLED_MIN && doubled * 2 >= all).then(|| page.replace("\"\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::single;

    #[test]
    fn doubled_quotes_are_made_one() {
        let page = "<td class=\"\"awrc\"\" colspan=\"\" 2\"\">by \"\"User I/O\"\"</td>".repeat(3);
        let expected = "<td class=\"awrc\" colspan=\" 2\">by \"User I/O\"</td>".repeat(3);
        assert_eq!(single(&page), Some(expected));
        assert_eq!(single(&"<td class=\"awrc\" title=\"\">a \"\" b</td>".repeat(9)), None);
    }
}
