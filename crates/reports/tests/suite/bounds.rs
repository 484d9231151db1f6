//! Reports that make more of memory than any real one: each is told of with the bound that it meets and the line, and what was read
//! until then is kept, within the bound.

use plimsoll_reports::bounds::{
    COLUMN_NAMES_BYTES_MAX, HEADING_ROWS_MAX, INSTANCES_MAX, LINE_BYTES_MAX, LINES_FREE, MESSAGE_BYTES_MAX,
    NESTING_MAX, PROBLEMS_MAX, TABLES_MAX, TEXT_COLUMNS_MAX, VIEW_WORDS_BYTES_FREE,
};
use plimsoll_reports::{Report, summary};

use crate::sound;

const TEXT: &str = "WORKLOAD REPOSITORY report for\n\n";
const HTML: &str = "<html><h1>WORKLOAD REPOSITORY report for</h1>\n";
const ROW: &str = "<tr><td>1</td></tr>\n";
const ADDM: &str = "  ADDM Report for Task 'T'\n  ------------------------\n\n";

fn read(words: &str) -> Report {
    let report = plimsoll_reports::read(words.as_bytes().to_vec());
    sound::check(&report);
    report
}

/// The lines and messages of the bounds that a report meets.
fn met(report: &Report) -> Vec<(u32, &str)> {
    let met = report.tables.problems.iter().take_while(|problem| problem.code == "page-unlikely");
    met.map(|problem| {
        assert!(problem.loses, "{problem:?}");
        let (what, _) = problem.message.split_once(", which no database prints: ").unwrap_or_default();
        (problem.line.unwrap_or_default(), what)
    })
    .collect()
}

fn only(words: &str) -> (u32, String) {
    let report = read(words);
    let met = met(&report);
    assert_eq!(met.len(), 1, "{met:?}");
    (met[0].0, met[0].1.to_owned())
}

#[test]
fn tables_are_so_many_and_stand_so_deep() {
    let table = format!("<table>{ROW}</table>");
    assert!(met(&read(&format!("{HTML}{}", table.repeat(TABLES_MAX)))).is_empty());
    let many = read(&format!("{HTML}{}", table.repeat(TABLES_MAX + 50)));
    assert_eq!(met(&many), [(TABLES_MAX as u32 + 2, "more than 10,000 tables")]);
    assert_eq!(many.tables.tables.len(), TABLES_MAX + 1);
    let deep = |count: usize| read(&format!("{HTML}{}", "<table><tr><td>x\n".repeat(count)));
    assert!(met(&deep(NESTING_MAX)).is_empty());
    let deeper = deep(NESTING_MAX + 9);
    assert_eq!(met(&deeper), [(NESTING_MAX as u32 + 2, "tables in tables, more than 32 deep")]);
    assert_eq!(deeper.tables.cells.len(), NESTING_MAX);
    let text = format!("{TEXT}{}", "A Title\n~~~~~~~\n--- ---\n1   2\n".repeat(TABLES_MAX + 1));
    assert_eq!(only(&text).1, "more than 10,000 tables");
}

#[test]
fn sections_without_data_are_tables_as_well() {
    let nothing = "No data exists for this section";
    assert_eq!(
        only(&format!("{HTML}{}", format!("{nothing}<p>\n").repeat(TABLES_MAX + 1))).1,
        "more than 10,000 tables"
    );
    assert_eq!(
        only(&format!("{TEXT}{}", format!("{nothing}\n\n").repeat(TABLES_MAX + 1))).1,
        "more than 10,000 tables"
    );
}

#[test]
fn cells_are_as_many_as_the_length_allows() {
    let rows = "<tr><td>\n".repeat(1_000_000);
    let page = read(&format!("{HTML}<table>{rows}"));
    let [(line, what)] = met(&page)[..] else { panic!("{:?}", met(&page)) };
    assert_eq!((line, what), (950_006, "more than 950,004 cells in a report of this length"));
    assert_eq!(page.tables.cells.len(), 950_005);
    let ruler = format!("{}--\n", "-- ".repeat(TEXT_COLUMNS_MAX - 1));
    let text = read(&format!("{TEXT}{ruler}{}", "x\n".repeat(10_000)));
    assert!(met(&text)[0].1.ends_with(" cells in a report of this length"));
    assert!(text.tables.cells.len() < 204_000);
}

#[test]
fn headings_have_so_many_rows_and_bytes() {
    let heads = |count: usize| format!("{HTML}<table>{}{ROW}", "<tr><th>a</th></tr>\n".repeat(count));
    assert!(met(&read(&heads(HEADING_ROWS_MAX))).is_empty());
    assert_eq!(only(&heads(HEADING_ROWS_MAX + 1)), (102, "more than 100 rows of headings in a table".into()));
    let bytes = "more than 16,777,216 bytes of column names";
    let word = "x".repeat(COLUMN_NAMES_BYTES_MAX / 200 + 1);
    assert_eq!(only(&format!("{HTML}<table>\n<tr><th colspan=200>{word}</tr>{ROW}")), (3, bytes.into()));
    let cells = "<td colspan=200>".repeat(5);
    assert_eq!(only(&format!("{HTML}{}", format!("<table><tr>{cells}</table>").repeat(1000))).1, bytes);
    let group = format!("-- {}--\n", "ab ".repeat(20_000));
    let ruler = format!("{}--\n", "-------- ".repeat(TEXT_COLUMNS_MAX - 1));
    assert_eq!(only(&format!("{TEXT}{}{ruler}x\n", group.repeat(8))), (11, bytes.into()));
}

#[test]
fn lines_are_so_many_and_so_long() {
    for (head, line) in [(HTML, "\n"), (TEXT, "x\n")] {
        let lines = read(&format!("{head}{}", line.repeat(LINES_FREE * 2)));
        let [(line, what)] = met(&lines)[..] else { panic!("{:?}", met(&lines)) };
        assert!(what.ends_with(" lines in a report of this length"), "{what}");
        assert!((LINES_FREE as u32..LINES_FREE as u32 * 3 / 2).contains(&line), "{line}");
    }
    let long = "x".repeat(LINE_BYTES_MAX);
    assert!(met(&read(&format!("{TEXT}{long}\n"))).is_empty());
    assert_eq!(only(&format!("{TEXT}{long}x\n")), (3, "a line of more than 262,144 bytes".into()));
    assert!(met(&read(&format!("{HTML}{long}x\n"))).is_empty(), "a page may be one line");
    let (line, what) = only(&format!("{TEXT}{}", "\t\t\t\t\t\t\t\tx\n".repeat(60_000)));
    assert!(line > 30_000 && what.starts_with("tabs for more than "), "{line} {what}");
}

#[test]
fn what_stands_before_is_read() {
    let table = "Latches\n~~~~~~~\nName   Gets\n----- -----\nredo     12\n";
    let report = read(&format!("{TEXT}{table}\n{}\n", "x".repeat(LINE_BYTES_MAX + 1)));
    let codes: Vec<_> = report.tables.problems.iter().map(|problem| problem.code).collect();
    assert_eq!((codes, report.tables.cells.len()), (vec!["page-unlikely"], 2));
}

#[test]
fn findings_are_repeated_within_bounds() {
    let finding = "Finding 1: Disks\nImpact is 5% of all.\n------\n";
    let words = "Words that each of them repeats.\n".repeat(10_000);
    let more = "   Recommendation 1: Disks\n   -----\n".repeat(1000);
    let report = read(&format!("{TEXT}{ADDM}{finding}{words}{more}"));
    assert!(met(&report)[0].1.ends_with(" bytes of findings"), "{:?}", met(&report));
    let page = read(&format!("{HTML}<pre>\n{ADDM}{}</pre>", finding.repeat(20_000)));
    assert!(met(&page)[0].1.ends_with(" cells in a report of this length"), "{:?}", met(&page));
}

#[test]
fn views_have_bounds_of_their_own() {
    let sql = "<h3>SQL ordered by Gets</h3><table><tr><th>Buffer Gets<th>Executions<th>SQL Id</tr>";
    let rows = read(&format!("{HTML}{sql}{}", ROW.repeat(30_000)));
    assert!(met(&rows)[0].1.ends_with(" values of typed views"), "{:?}", met(&rows));
    assert_eq!(rows.tables.rows.len(), 30_000);
    let slots = "<h3>Activity Over Time</h3><table><tr><th>Slot Time (Duration)<th>Event<th>Event Count</tr>";
    let word = "x".repeat(VIEW_WORDS_BYTES_FREE / 100);
    let carried = "<tr><td><td>e<td>5</tr>\n".repeat(300);
    let words = read(&format!("{HTML}{slots}<tr><td>{word}<td>e<td>5</tr>{carried}"));
    assert!(met(&words)[0].1.ends_with(" bytes of words in typed views"), "{:?}", met(&words));
}

#[test]
fn a_cluster_has_so_many_instances() {
    let head = "<html><h1>WORKLOAD REPOSITORY REPORT (RAC)</h1>\n<table><tr><th>I#<th>Startup</tr>";
    let of = |count: usize| read(&format!("{head}{}", "<tr><td>1<td>x</tr>".repeat(count)));
    assert!(met(&of(INSTANCES_MAX)).is_empty());
    let report = of(INSTANCES_MAX + 1);
    assert_eq!(met(&report), [(1, "more than 1,000 instances")]);
    assert_eq!(report.header.instances.len(), INSTANCES_MAX);
}

#[test]
fn a_head_says_names_and_no_pages() {
    let host = |host: &str| {
        let heads = "<tr><th>Host Name<th>Platform<th>CPUs</tr>";
        read(&format!("{HTML}<table>{heads}<tr><td>{host}<td>Linux<td>8</tr></table>")).header.host
    };
    assert_eq!(host("db7").as_deref(), Some("db7"));
    assert_eq!(host(&"x".repeat(2000)), None);
}

#[test]
fn problems_are_told_up_to_a_number_and_a_length() {
    let errors = read(&format!("{TEXT}{}", "ORA-00942: x\nno such table\n".repeat(PROBLEMS_MAX + 10)));
    let last = errors.tables.problems.last().map(|last| (last.code, last.message.as_str(), last.loses));
    let message = "there are 11 more problems, which are not told one by one";
    assert_eq!(errors.tables.problems.len(), PROBLEMS_MAX);
    assert_eq!(last, Some(("problems-many", message, true)));
    assert_eq!(summary::of(&errors).problems.len(), PROBLEMS_MAX);
    let long = read(&format!("{TEXT}ORA-00942: {}\n", "x".repeat(9000)));
    assert!(long.tables.problems[0].message.len() <= MESSAGE_BYTES_MAX + '…'.len_utf8());
}

#[test]
fn what_checks_find_in_many_rows_is_counted_and_not_kept() {
    let waits = "<h3>Foreground Wait Events</h3><table><tr><th>Event<th>Waits</tr>";
    let label = "x".repeat(5000);
    let rows = format!("<tr><td>{label}<td>-1</tr>\n").repeat(50);
    let report = read(&format!("{HTML}{waits}{rows}</table>"));
    let found: Vec<_> =
        report.tables.problems.iter().filter(|problem| problem.code == "negative-delta").collect();
    assert_eq!(found.len(), 1);
    assert!(found[0].message.ends_with("; so in 49 more rows"), "{}", found[0].message);
    assert!(found[0].message.len() < 500);
}
