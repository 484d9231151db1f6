//! Inputs that were made to be hard, at sizes where work that grows with the square of the size would never end.

use plimsoll_reports::Report;

use crate::sound;

/// A million bytes: milliseconds where each byte is looked at a few times, minutes where each is looked at for each other.
const SIZE: usize = 1_000_000;
const TEXT: &str = "WORKLOAD REPOSITORY report for\n\n";
const HTML: &str = "<html><h1>WORKLOAD REPOSITORY report for</h1>\n";

fn read(head: &str, piece: &str) -> Report {
    let mut bytes = head.as_bytes().to_vec();
    bytes.extend(piece.bytes().cycle().take(SIZE));
    let report = plimsoll_reports::read(bytes);
    sound::check(&report);
    report
}

#[test]
fn one_line_without_an_end() {
    for piece in [
        "x",
        " ",
        "-",
        "- ",
        "--  ",
        "~",
        "1,",
        "a: ",
        "a:  1  ",
        ":",
        "\t",
        "DB/Inst: ",
        "->",
        "\x0c",
        "Wait for DB: ",
        "(",
    ] {
        read(TEXT, piece);
    }
}

#[test]
fn lines_of_one_kind() {
    let pieces = [
        "\n",
        "x\n",
        "--- ---\n",
        "~~~\n",
        "a  b\n--- ---\n",
        "-> x\n",
        "Section  DB/Inst: X/x\n--- ---\n1 2\n",
        "x: 1\n",
        "ORA-00942: x\n",
        "                  ----- ------\n",
        "No data exists for this section\n",
        "~~BEGIN-X~~\n",
    ];
    for piece in pieces {
        read(TEXT, piece);
    }
}

#[test]
fn headings_and_rulers_as_wide_as_the_report() {
    for piece in ["-- ", "- -- "] {
        let ruler: String = piece.chars().cycle().take(SIZE / 2).collect();
        let heading = "ab ".repeat(SIZE / 6);
        let report = plimsoll_reports::read(format!("{TEXT}{heading}\n{ruler}\n{heading}\n").into_bytes());
        sound::check(&report);
    }
}

#[test]
fn tags_without_an_end() {
    let pieces = [
        "<",
        "<a",
        "<td",
        "<td \"",
        "<td '",
        "<td \"x' ",
        "<a \"\"",
        "<!--",
        "<!",
        "</",
        "<td a=",
        "<style>",
        "<td summary ",
        "&",
        "&#",
        "<td>&lt",
        "<td>&#1",
    ];
    for piece in pieces {
        read(HTML, piece);
        read(&format!("{HTML}<table><tr>"), piece);
    }
}

#[test]
fn tables_within_tables() {
    let pieces = [
        "<table><tr><td>",
        "<table>",
        "<table><tr><th>a</th></tr><tr><td>1<table>",
        "<table><tr><td>1</table>",
        "<tr>",
        "<td>",
        "<tr><td>1",
        "<h3>a",
        "<ul>",
        "<h3>a</h3><table>",
        "<td colspan=200 rowspan=200>1",
        "<tr><td rowspan=200 colspan=200>1",
        "<th colspan=200>x",
    ];
    for piece in pieces {
        read(HTML, piece);
        read(&format!("{HTML}<table>"), piece);
    }
}

#[test]
fn a_title_as_long_as_the_report_over_many_tables() {
    let title = "Title ".repeat(SIZE / 12);
    let tables = "<table><tr><td>1</td></tr></table>".repeat(SIZE / 60);
    sound::check(&plimsoll_reports::read(format!("{HTML}<h3>{title}</h3>{tables}").into_bytes()));
    let tables = "Name  Number\n----- ------\nx          1\n\n".repeat(SIZE / 80);
    sound::check(&plimsoll_reports::read(format!("{TEXT}{title}  DB/Inst: X/x\n\n{tables}").into_bytes()));
}

#[test]
fn a_table_of_a_million_rows() {
    let rows = "<tr><td>log file sync</td><td>12,345</td></tr>\n".repeat(1_000_000);
    let report = plimsoll_reports::read(
        format!("{HTML}<h3>X</h3><table><tr><th>Event</th><th>Waits</th></tr>{rows}</table>").into_bytes(),
    );
    sound::check(&report);
    assert_eq!((report.tables.rows.len(), report.tables.problems.len()), (1_000_000, 0));
    let rows = "log file sync       12,345\n".repeat(1_000_000);
    let report = plimsoll_reports::read(
        format!("{TEXT}X  DB/Inst: X/x\n\nEvent                Waits\n--------------- ----------\n{rows}")
            .into_bytes(),
    );
    sound::check(&report);
    assert_eq!(report.tables.rows.len(), 1_000_000);
}

/// A piece up to the size, and an end.
fn read_up_to(head: &str, piece: &str, end: &str) -> Report {
    let words = format!("{head}{}{end}", piece.repeat(SIZE / piece.len()));
    let report = plimsoll_reports::read(words.into_bytes());
    sound::check(&report);
    report
}

#[test]
fn a_cell_that_goes_on_over_all_lines() {
    let report = read_up_to(&format!("{TEXT}- --\na bb\n"), "  cc\n", "");
    let cell = report.tables.cells.last().map(|cell| cell.span.len as usize);
    assert_eq!(cell, Some("bb".len() + SIZE / "  cc\n".len() * "cc".len()));
}

#[test]
fn long_lines_over_many_columns() {
    let ruler = format!("{}--\nx\n", "------- ".repeat(499));
    for line in ["ab cd ".repeat(40_000), "-- a -- ".repeat(30_000), "- - - -- ".repeat(25_000)] {
        read_up_to(TEXT, &format!("{line}\n"), &ruler);
    }
    let gaps = format!("{TEXT}         {}--\n", format!("--{}", " ".repeat(500)).repeat(490));
    read_up_to(&gaps, &format!("a:        {}\n", "1".repeat(240_000)), "");
    read_up_to(&format!("{TEXT}{}--\n{}\n", "-- ".repeat(499), "ab ".repeat(500)), "   cd\n", "");
}

#[test]
fn long_lines_of_addm() {
    let head = format!("{TEXT}  ADDM Report for Task 'T'\n  ------------------------\n\n");
    let ruler = format!("{head} - - {}\n", "-".repeat(250_000));
    read_up_to(&ruler, "1 a 2\n", "");
    let moments = format!("Analysis Period\n---------------\n{}\n", "1 ".repeat(125_000));
    read_up_to(&head, &moments, "\n");
}

#[test]
fn long_headings_over_many_rows() {
    let heading = "ab ".repeat(SIZE / 6);
    for (title, row) in [("Foreground Wait Events", "<td>a<td>-1"), ("Segments by Reads", "<td>a<td>1")] {
        let heads = format!("{HTML}<h3>{title}</h3><table><tr><th>Event<th>Owner {heading}</tr>");
        read_up_to(&heads, &format!("<tr>{row}</tr>"), "");
    }
    let buckets = "<th>% <1ms".repeat(990);
    let histogram = format!("{HTML}<h3>Wait Event Histogram</h3><table><tr><th>Event{buckets}</tr>");
    read_up_to(&histogram, "<tr><td>a<td>1", "");
}

#[test]
fn an_instance_in_each_row() {
    let ruler = "   snap dur_m end               inst\n------- ----- -------------- -------\n";
    let rows: String = (0..40_000).map(|at| format!("{at:7}    11 14/12/05 18:39 {at:7}\n")).collect();
    let report = format!("~~BEGIN-MAIN-METRICS~~\n\n{ruler}{rows}\n~~END-MAIN-METRICS~~\n");
    sound::check(&plimsoll_reports::read(report.into_bytes()));
}

#[test]
fn many_begins_of_what_may_be_a_report() {
    let title = "  ADDM Report for Task 'T'\n  ------------------------\n";
    let head =
        "STATSPACK report for\n\nDatabase    DB Id    Instance\n-------- ---------- --------\nX  1  2\n";
    for piece in [title, head, "STATSPACK report for\n", "> x\n", "12:00:00 x\n", "\x1b[1m", "SQL> \n"] {
        read(TEXT, piece);
        read("", piece);
    }
    let pieces = [
        "<pre></pre>",
        "<pre>",
        "</pre>",
        "<pre ",
        "<pre>x</pre><td>",
        "&lt;td",
        "<h1>STATSPACK report for</h1>",
    ];
    for piece in pieces {
        read(HTML, piece);
        read("", piece);
    }
    let page: String = format!("{HTML}<p>{}", title.repeat(SIZE / title.len()));
    sound::check(&plimsoll_reports::read(page.into_bytes()));
}
