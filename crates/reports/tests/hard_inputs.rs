//! Inputs that were made to be hard, at sizes where work that grows with the square of the size would never end.

use plimsoll_reports::Report;

mod sound;

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
