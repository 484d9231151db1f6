//! Tables of Markdown, as notes, tickets and chats hold what somebody copied out of a report: made HTML, line by line.

use std::fmt::Write;

/// Markdown wants a dash below each heading, at least.
const DASHES_MIN: usize = 1;
/// The longest run of a ruler is no shorter.
const RUN_MIN: usize = 3;
/// A longer line above a table is no title.
const TITLE_BYTES_MAX: usize = 120;

/// The text with its tables as HTML, on as many lines; None where it has none, or tables of a report as text beside them.
pub fn to_html(text: &str) -> Option<String> {
    if memchr::memchr(b'|', text.as_bytes()).is_none() || has_cells(text) {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let tables = tables(&lines);
    if tables.is_empty() || lines.iter().any(|line| is_ruler(line)) {
        return None;
    }
    let mut page = String::with_capacity(text.len() * 2);
    let mut next = 0;
    for table in &tables {
        words(&lines[next..table.0], &mut page);
        rows(&lines[table.0..table.1], &mut page);
        next = table.1;
    }
    words(&lines[next..], &mut page);
    Some(page)
}

fn has_cells(text: &str) -> bool {
    ["<td", "<TD"].iter().any(|tag| memchr::memmem::find(text.as_bytes(), tag.as_bytes()).is_some())
}

/// The line of headings of each table, and the one behind its last row.
fn tables(lines: &[&str]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in 1..lines.len() {
        let begins_behind = found.last().is_none_or(|(_, end)| at > *end);
        if begins_behind && is_separator(lines[at]) && width(lines[at - 1]) == width(lines[at]) {
            let rows = lines[at + 1..].iter().take_while(|line| line.contains('|')).count();
            found.push((at - 1, at + 1 + rows));
        }
    }
    found
}

fn width(line: &str) -> usize {
    cells(line).len()
}

/// `|---|--:|`
fn is_separator(line: &str) -> bool {
    let is_run = |cell: &str| {
        let dashes = cell.trim().trim_start_matches(':').trim_end_matches(':');
        dashes.len() >= DASHES_MIN && dashes.bytes().all(|byte| byte == b'-')
    };
    let cells = cells(line);
    cells.len() > 1 && cells.iter().all(|cell| is_run(cell))
}

/// Several runs of dashes, and nothing else: the ruler of a table of text.
fn is_ruler(line: &str) -> bool {
    let is_run = |run: &str| run.bytes().all(|byte| matches!(byte, b'-' | b'~'));
    let runs: Vec<&str> = line.split_ascii_whitespace().collect();
    runs.len() > 1 && runs.iter().all(|run| is_run(run)) && runs.iter().any(|run| run.len() >= RUN_MIN)
}

/// What stands between the bars; a bar behind a backslash is one of the words.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').filter(|line| !line.ends_with('\\')).unwrap_or(line);
    let bytes = line.as_bytes();
    let is_bar = |at: &usize| *at == 0 || bytes[at - 1] != b'\\';
    let bars = memchr::memchr_iter(b'|', bytes).filter(is_bar);
    let mut begin = 0;
    let mut found: Vec<&str> = bars.map(|at| &line[std::mem::replace(&mut begin, at + 1)..at]).collect();
    found.push(&line[begin..]);
    found
}

/// Without marks of emphasis and code.
fn plain(words: &str) -> String {
    let bare = words.trim().replace("\\|", "|").replace("**", "").replace('`', "");
    bare.replace('<', "&lt;").replace('>', "&gt;")
}

/// Lines of words; the last before a table is its title, and so is each heading.
fn words(lines: &[&str], page: &mut String) {
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    for (at, line) in lines.iter().enumerate() {
        let words = plain(line.trim().trim_start_matches('#'));
        let is_title =
            line.trim_start().starts_with('#') || last == Some(at) && words.len() <= TITLE_BYTES_MAX;
        let _ = if is_title { writeln!(page, "<h3>{words}</h3>") } else { writeln!(page, "{words}") };
    }
}

/// Headings, the line of dashes below them, and rows.
fn rows(lines: &[&str], page: &mut String) {
    let row = |tag: &str, line: &str| {
        let cells = cells(line).into_iter().map(|cell| format!("<{tag}>{}</{tag}>", plain(cell)));
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    page.push_str("<table>");
    for (at, line) in lines.iter().enumerate() {
        match at {
            0 => page.push_str(&row("th", line)),
            1 => {}
            _ => page.push_str(&row("td", line)),
        }
        page.push_str(if at + 1 == lines.len() { "</table>\n" } else { "\n" });
    }
}

#[cfg(test)]
mod tests {
    use super::to_html;

    #[test]
    fn a_table_keeps_its_lines() {
        let marked = "Hello,\n\n## Top Events\n\n| Event | Time |\n|:------|-----:|\n| **a** `b\\|c` <d> | 1,500 |\n\nbye\n";
        let page = "Hello,\n\n<h3>Top Events</h3>\n\n<table><tr><th>Event</th><th>Time</th></tr>\n\n\
            <tr><td>a b|c &lt;d&gt;</td><td>1,500</td></tr></table>\n\n<h3>bye</h3>\n";
        assert_eq!(to_html(marked).unwrap(), page);
    }

    #[test]
    fn bars_at_the_ends_may_be_left_out() {
        let page = to_html("Event | Waits | Time\n---|---|---\nDB CPU | | 1\n").unwrap();
        assert!(page.contains("<tr><td>DB CPU</td><td></td><td>1</td></tr></table>"), "{page}");
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "a | b\nc | d\n",
            "a | b\n---|---|---\n",
            "Event  Time\n------ ----\na | b\n---|---\nc | d\n",
            "<td>a</td>\na | b\n---|---\nc | d\n",
            "--- | ---\n",
        ] {
            assert_eq!(to_html(text), None, "{text}");
        }
    }
}
