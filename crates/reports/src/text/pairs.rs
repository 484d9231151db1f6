//! Lines of labels and values: `Buffer Nowait %:  100.00       Redo NoWait %:  100.00`.

/// Where the labels and values of a line stand, each label before its value; empty where the line has none.
///
/// A label ends in a colon that white space follows, and may hold several words with wide gaps between; a value ends at a gap of two
/// spaces.
pub fn find(line: &str) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    let mut at = 0;
    while let Some((label_end, value)) = next(line, at) {
        let label_start = at + (line[at..].len() - line[at..].trim_start().len());
        places.push((label_start, label_end));
        places.push(value);
        at = value.1;
    }
    places
}

/// The end of the next label and the place of its value.
fn next(line: &str, from: usize) -> Option<(usize, (usize, usize))> {
    let colon = line[from..].match_indices(':').map(|(at, _)| from + at).find(|at| {
        let after = line.as_bytes().get(at + 1);
        after.is_none_or(|byte| *byte == b' ') && *at > from
    })?;
    let rest = &line[colon + 1..];
    let start = colon + 1 + (rest.len() - rest.trim_start().len());
    if start - colon > VALUE_GAP_MAX || start >= line.len() {
        return Some((colon + 1, (colon + 1, colon + 1)));
    }
    let end = start + value_len(&line[start..]);
    Some((colon + 1, (start, end)))
}

/// A value that stands further away belongs to another label.
const VALUE_GAP_MAX: usize = 40;

/// Up to a gap of two spaces, or the unit in parentheses behind a number.
fn value_len(words: &str) -> usize {
    let gap = words.find("  ").unwrap_or(words.len());
    let unit = words[..gap].find(") ").map_or(gap, |at| at + 1);
    unit.min(gap)
}

#[cfg(test)]
mod tests {
    use super::find;

    fn words(line: &str) -> Vec<&str> {
        find(line).into_iter().map(|(start, end)| &line[start..end]).collect()
    }

    #[test]
    fn labels_and_values_alternate() {
        let line = "            Buffer  Hit   %:   98.68  Optimal W/A Exec %:  100.00";
        assert_eq!(words(line), ["Buffer  Hit   %:", "98.68", "Optimal W/A Exec %:", "100.00"]);
        let line = "   Elapsed:   1,439.98 (mins) Av Act Sess:       0.0";
        assert_eq!(words(line), ["Elapsed:", "1,439.98 (mins)", "Av Act Sess:", "0.0"]);
        assert_eq!(words("    DB time(s):"), ["DB time(s):", ""]);
        assert!(words("a line of prose 12:30").is_empty());
    }
}
