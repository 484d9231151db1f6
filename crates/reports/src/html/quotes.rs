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
        doubled += usize::from(is_doubled(&head[at + 1..]));
    }
    (doubled >= DOUBLED_MIN && doubled * 2 >= all).then(|| page.replace("\"\"", "\""))
}

/// Whether a value in doubled quotes begins here. An empty value is two quotes as well, but what follows is no value.
fn is_doubled(value: &[u8]) -> bool {
    let Some(inner) = value.strip_prefix(b"\"\"") else { return false };
    let end = inner.iter().position(|byte| matches!(byte, b'"' | b'=' | b'>'));
    end.is_some_and(|end| end > 0 && inner[end] == b'"')
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
