//! Reports of invented numbers, and what checks find in them.

/// A table: its title, headings and rows.
pub type Made<'a> = (&'a str, &'a [&'a str], &'a [&'a [&'a str]]);

/// What a check finds in an AWR report of these tables.
pub fn found(check: &super::Check, tables: &[Made<'_>]) -> Vec<String> {
    let words = tables.iter().map(html).collect::<String>();
    let report = crate::read(format!("<h1>WORKLOAD REPOSITORY report for</h1>{words}").into_bytes());
    let pages = super::Pages::new(&report.text, &report.tables, &report.header);
    let mut messages = Vec::new();
    (check.find)(&pages, &mut |violation| messages.push(violation.message));
    messages
}

fn html((title, headings, rows): &Made<'_>) -> String {
    let row = |tag: &str, cells: &[&str]| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let rows: String = rows.iter().map(|cells| row("td", cells)).collect();
    format!("<h3>{title}</h3><table>{}{rows}</table>", row("th", headings))
}

/// An hour between two snapshots.
pub const HOUR: Made<'static> = (
    "report for",
    &["", "Snap Id", "Snap Time", "Sessions"],
    &[
        &["Begin Snap:", "7", "01-Feb-23 10:00:00", "5"],
        &["End Snap:", "8", "01-Feb-23 11:00:00", "5"],
        &["Elapsed:", "", "60.00 (mins)", ""],
        &["DB Time:", "", "20.00 (mins)", ""],
    ],
);
