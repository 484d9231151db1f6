//! Headings that a view does not know and that look like one it misses: what stands there was damaged.

use super::layout::{Layout, Source};
use super::view::{Shape, TITLE, View};
use crate::model::{Problem, Table};

/// So many signs were put in, lost or changed at most.
const CHANGES_MAX: usize = 5;
/// A shorter piece of a heading stands in many.
const PIECE_MIN: usize = 3;

/// The columns with such headings: those that feed none of the view's.
pub fn find(view: &View, sources: &[Option<Source>], headings: &[String], read: &[u16]) -> Vec<u16> {
    let missing: Vec<&str> = view
        .columns
        .iter()
        .zip(sources)
        .filter(|(_, source)| source.is_none())
        .flat_map(|(column, _)| column.headings)
        .map(|(known, _)| known.split('@').next().unwrap_or_default())
        .filter(|known| known.len() >= PIECE_MIN && *known != TITLE && !known.contains('*'))
        .collect();
    let columns = headings.iter().zip(0_u16..).filter(|(_, column)| !read.contains(column));
    let damaged = columns.filter(|(heading, _)| {
        !missing.contains(&heading.as_str()) && missing.iter().any(|known| resembles(heading, known))
    });
    damaged.map(|(_, column)| column).collect()
}

fn resembles(heading: &str, known: &str) -> bool {
    let is_piece = heading.len() >= PIECE_MIN && (known.contains(heading) || heading.contains(known));
    let changes_max = CHANGES_MAX.min(known.len().max(heading.len()) / 2);
    // A sign takes four bytes at most: what is longer is changed more.
    let is_near = !heading.is_empty() && heading.len() <= 4 * (known.len() + changes_max);
    is_piece || is_near && strsim::levenshtein(heading, known) <= changes_max
}

/// Says so. Where labels stand for headings, the table has no heading of that number, or one that is none of the label's.
pub fn problem(view: &View, layout: &Layout, table: &Table) -> Option<Problem> {
    let place = usize::from(*layout.damaged_headings.first()?);
    let heading = table.columns.get(place).filter(|_| !matches!(view.shape, Shape::Labels));
    let what = heading.map_or_else(|| "a label".to_owned(), |heading| format!("the heading '{heading}'"));
    Some(Problem {
        code: "heading-damaged",
        line: Some(table.line),
        section: Some(view.name.to_owned()),
        message: format!("{what} is none that stands here, so that its values are left out"),
        loses: true,
    })
}

#[cfg(test)]
mod tests {
    use super::resembles;
    use crate::sections::testing::html;

    #[test]
    fn a_damaged_heading_is_said() {
        let codes = |heading: &str| {
            let heads = ["Cache", "Get Requests", "Pct Miss", heading, "Pct Miss"];
            let page = html("Dictionary Cache Stats", &heads, &[&["dc_users", "9", "1.5", "4", "0.5"]]);
            let report = crate::read(page.into_bytes());
            report.tables.problems.iter().map(|problem| problem.code).collect::<Vec<_>>()
        };
        assert_eq!(codes("Scan Reqs"), [""; 0]);
        assert_eq!(codes("Scam Reqs"), ["heading-damaged"]);
        assert_eq!(codes("Colour"), [""; 0]);
    }

    #[test]
    fn pieces_and_few_changes_resemble() {
        assert!(resembles("subobjec", "subobjectname") && resembles("ob27j.type", "obj.type"));
        assert!(!resembles("gets", "pctmiss") && !resembles("", "reads"));
    }
}
