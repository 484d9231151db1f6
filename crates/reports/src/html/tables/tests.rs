//! Tables of pages that are whole, and what is said of those that are not.

#[test]
fn labels_and_values_without_headings_may_be_of_any_number() {
    let rows = "<tr><td>Soft Parse %:</td><td>99.5</td><td>Latch Hit %:</td><td>100</td></tr>\
                <tr><td>Flash Cache Hit %:</td><td>0.0</td></tr>";
    let page = format!("<h3>Instance Efficiency Percentages</h3><table>{rows}</table>");
    let report = crate::read(page.into_bytes());
    assert!(report.tables.problems.is_empty());
    assert_eq!(report.tables.rows.len(), 2);
}

fn codes(page: &str) -> Vec<&'static str> {
    let report = crate::read(page.as_bytes().to_vec());
    report.tables.problems.iter().map(|problem| problem.code).collect()
}

#[test]
fn headings_of_groups_alone_are_said() {
    let groups = "<h3>Waits</h3><table><tr><td></td><th colspan=2>CR</th><th colspan=2>CU</th></tr>";
    let own = "<tr><th>I#</th><th>Gets</th><th>Time</th><th>Gets</th><th>Time</th></tr>";
    let row = "<tr><td>1</td><td>7</td><td>2</td><td>5</td><td>3</td></tr></table>";
    assert_eq!(codes(&format!("{groups}{own}{row}")), [""; 0]);
    assert_eq!(codes(&format!("{groups}{row}")), ["heading-empty"]);
}

#[test]
fn one_row_that_is_less_wide_than_all_others_is_said() {
    let head = "<h3>Smart Things</h3><table><tr><td></td><th colspan=2>Flash</th><th colspan=2>Reverse</th></tr>\
                <tr><th>Cell</th><th>MB</th><th>per Sec</th><th>% Reverse</th></tr>";
    let row = |cells: &[&str]| {
        let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        format!("<tr>{cells}</tr>")
    };
    let whole = row(&["cell1", "12", "3.5", "7", "1"]);
    let lost = row(&["cell2", "3.5", "7", "1"]);
    assert_eq!(codes(&format!("{head}{}</table>", whole.repeat(3))), [""; 0]);
    assert_eq!(codes(&format!("{head}{}{lost}</table>", whole.repeat(2))), ["row-odd"]);
}

#[test]
fn cells_outside_of_a_table_and_tags_without_an_end_are_said() {
    let table = "<table><tr><th>Name</th><th>Gets</th></tr><tr><td>a</td><td>1</td></tr></table>";
    assert_eq!(codes(&format!("<h3>Waits</h3>{table}")), [""; 0]);
    let stray = format!("<h3>Latches</h3><tr><td>9</td></tr></table>Words{table}");
    assert_eq!(codes(&stray), ["tag-damaged", "title-missing"]);
    let cut = table.replace("<th>Gets</th>", "<th Gets</th>");
    assert!(codes(&format!("<h3>Waits</h3>{cut}")).contains(&"tag-damaged"));
}

#[test]
fn headings_in_a_row_of_data_are_said() {
    let head = "<h3>Reasons</h3><table><tr><th>Reason</th><th>Sessions</th></tr>";
    let row = "<tr><td>first</td><td>1</td></tr>";
    assert_eq!(codes(&format!("{head}{row}{row}</table>")), [""; 0]);
    let lost = head.replace("<th>Sessions</th></tr>", "<td>first</td><td>1</td></tr>");
    assert_eq!(codes(&format!("{lost}{row}</table>")), ["heading-damaged", "heading-empty"][..1]);
}

#[test]
fn the_only_cell_without_its_end_is_said() {
    let head = "<h3>Waits</h3><table><tr><th>Name</th><th>Gets</th></tr>";
    let row = "<tr><td>a</td><td>1</td></tr>";
    assert_eq!(codes(&format!("{head}{row}</table>")), [""; 0]);
    assert_eq!(codes(&format!("{head}<tr><td>a</td><td>1{row}</table>")), ["tag-damaged"]);
    let open = "<tr><td>b<td>2".repeat(4);
    assert_eq!(codes(&format!("{head}{open}</table>")), [""; 0]);
}

#[test]
fn notes_of_ospreps_tables_are_no_rows() {
    let page = "<TITLE>StatsPack Report for SHOP</TITLE><H2>StatsPack Report for SHOP</H2>\
        <TABLE><TR><TH COLSPAN=\"3\">Top 5 Wait Events</TH></TR>\
        <TR><TD COLSPAN=\"3\">Ordered by Waits<DIV>Start with these 5</DIV></TD></TR>\
        <TR><TH>Event</TH><TH>Waits</TH><TH>Time (s)</TH></TR>\
        <TR><TD>log file sync</TD><TD>7</TD><TD>2</TD></TR></TABLE>";
    let report = crate::read(page.as_bytes().to_vec());
    assert_eq!(report.kind.name(), "osprep");
    let table = report.tables.tables.last().unwrap();
    assert_eq!((table.title.as_str(), table.row_count), ("Top 5 Wait Events", 1));
    assert_eq!(table.columns.as_ref(), ["Event", "Waits", "Time (s)"]);
    let cells = report.tables.cells_of(report.tables.rows_of(table)[0]);
    assert_eq!(report.text.get(cells[0].span), "log file sync");
    assert!(report.tables.problems.is_empty(), "{:?}", report.tables.problems);
}

#[test]
fn statements_of_ospreps_tables_may_be_a_column_wider() {
    let page = "<TITLE>StatsPack Report for SHOP</TITLE><H2>StatsPack Report for SHOP</H2>\
        <TABLE><TR><TH COLSPAN=\"2\">Top 5 SQL ordered by Executions</TH></TR>\
        <TR><TH>Executions</TH><TH>Hash Value</TH></TR>\
        <TR><TD>459,461</TD><TD>1053795750</TD></TR>\
        <TR><TD>&nbsp;</TD><TD COLSPAN=\"2\">COMMIT</TD></TR></TABLE>";
    let report = crate::read(page.as_bytes().to_vec());
    let table = report.tables.tables.last().unwrap();
    assert_eq!((table.title.as_str(), table.row_count), ("Top 5 SQL ordered by Executions", 2));
    assert_eq!(table.columns.as_ref(), ["Executions", "Hash Value", ""]);
    assert!(report.tables.problems.is_empty(), "{:?}", report.tables.problems);
}

#[test]
fn rows_below_a_plan_in_ospreps_tables_are_rows() {
    let page = "<TITLE>StatsPack Report for SHOP</TITLE><H2>StatsPack Report for SHOP</H2>\
        <TABLE><TR><TH COLSPAN=\"2\">Top 5 SQL ordered by Gets</TH></TR>\
        <TR><TH>Buffer Gets</TH><TH>Hash Value</TH></TR>\
        <TR><TD>9,461</TD><TD>1053795750</TD></TR>\
        <TR><TD>&nbsp;</TD><TD COLSPAN=\"2\">\n\
        <TABLE><TR><TH>Operation</TH><TH>Cost</TH></TR><TR><TD>DELETE STATEMENT</TD><TD>7</TD></TR></TABLE></TD></TR>\
        <TR><TD>4,125</TD><TD>3324404337</TD></TR></TABLE>";
    let report = crate::read(page.as_bytes().to_vec());
    let tables = &report.tables.tables;
    let shown: Vec<_> = tables.iter().map(|table| (table.title.as_str(), table.row_count)).collect();
    assert!(shown.contains(&("Top 5 SQL ordered by Gets", 3)), "{shown:?}");
    assert!(tables.iter().any(|table| table.columns.as_ref() == ["Operation", "Cost"]));
    assert!(report.tables.problems.is_empty(), "{:?}", report.tables.problems);
    assert_eq!(report.tables.numbers.unread, 0);
}
