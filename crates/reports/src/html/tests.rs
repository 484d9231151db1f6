//! Small pages: what damage leaves of titles and cells, and what is said of it.

use crate::model::Tables;

const ROW: &str = "<tr><td>cache buffers</td><td>1,234</td></tr>";
const HEADS: &str = "<tr><th>Latch Name</th><th>Requests</th></tr>";

fn read(page: &str) -> Tables {
    crate::read(page.as_bytes().to_vec()).tables
}

fn codes(page: &str) -> Vec<&'static str> {
    read(page).problems.iter().map(|problem| problem.code).collect()
}

#[test]
fn a_table_behind_the_way_back_has_lost_its_title() {
    let table = format!("<table>{HEADS}{ROW}</table>");
    let back = "<p><a href=\"#top\">Back to Top</a></p>";
    assert_eq!(codes(&format!("<h3>Latches</h3>{table}{back}<h3>More</h3>{table}")), [""; 0]);
    let page = format!("<h3>Latches</h3>{table}{back}{table}");
    assert_eq!(codes(&page), ["title-missing"]);
    assert_eq!(read(&page).tables[1].title, "");
}

#[test]
fn a_heading_without_its_end_tag_ends_with_the_next() {
    let page = format!("<h3>Latches<h3>More</h3><table>{HEADS}{ROW}</table>");
    assert_eq!(read(&page).tables[0].title, "More");
}

#[test]
fn words_too_long_for_a_title_are_none() {
    let page = format!("<h3>{}</h3><table>{HEADS}{ROW}</table>", "word ".repeat(30));
    assert_eq!(codes(&page), ["title-missing"]);
}

#[test]
fn a_cell_whose_end_is_damaged_may_have_another_sign_at_its_end() {
    let page = format!("<h3>Latches</h3><table>{HEADS}<tr><td>shared pool</td><td>1.58/td></tr></table>");
    let read = read(&page);
    assert!(read.problems.iter().any(|problem| problem.code == "tag-damaged"));
}

#[test]
fn a_heading_ends_a_table_whose_first_row_has_not_ended() {
    let page =
        format!("<h1>Report</h1><table><tr><th>DB Name</th><th><h3>Latches</h3><table>{HEADS}{ROW}</table>");
    assert_eq!(codes(&page), ["table-unfinished"]);
    assert_eq!(read(&page).tables[1].title, "Latches");
}

#[test]
fn cells_that_span_rows_widen_the_last_row_of_headings() {
    let heads = "<tr><th>Name</th><th colspan=2>Disks</th><th rowspan=2>Sum</th></tr><tr><th></th><th>In</th><th>Out</th></tr>";
    let page = |row: &str| format!("<h3>Cells</h3><table>{heads}<tr>{row}</tr></table>");
    assert_eq!(codes(&page("<td>a</td><td>1</td><td>2</td><td>3</td>")), [""; 0]);
    assert_eq!(codes(&page("<td>a</td><td>1</td><td>3</td>")), ["row-odd"]);
}

#[test]
fn a_page_that_ends_in_what_addm_says_may_be_cut_there() {
    let words = crate::addm::testing::HEAD;
    assert_eq!(codes(&format!("<html><body><pre>{words}</pre></body></html>")), [""; 0]);
    assert_eq!(codes(&format!("<html><body><pre>{words}")), ["table-unfinished"]);
    let lost = words.replace("Database 'SHOP' with DB ID 1329819247.\n", "");
    assert_eq!(codes(&format!("<html><body><pre>{lost}</pre></body></html>")), ["row-unread"]);
}

#[test]
fn no_table_stands_in_one_with_headings() {
    let page = format!("<h3>Load</h3><table>{HEADS}<tr><td>cache<p>Latches<table>{HEADS}{ROW}</table>");
    assert_eq!(codes(&page), ["table-unfinished", "row-odd", "title-missing"]);
    assert_eq!(read(&page).tables[1].title, "");
    let layout = format!("<h3>Latches</h3><table><tr><td><table>{HEADS}{ROW}</table></td></tr></table>");
    assert_eq!(codes(&layout), [""; 0]);
}

#[test]
fn a_heading_that_ends_as_data_is_damaged() {
    let page = format!("<h3>Latches</h3><table><tr><th>Latch Name</th><th>Requests</td></tr>{ROW}</table>");
    assert_eq!(codes(&page), ["tag-damaged"]);
    // Written so throughout.
    assert_eq!(codes(&page.repeat(4)), [""; 0]);
}

#[test]
fn headings_that_are_there_twice_are_said() {
    let page = |heads: &str, row: &str| codes(&format!("<h3>Latches</h3><table>{heads}{row}</table>"));
    let groups = "<tr><td></td><th colspan=2>Sent</th><th colspan=2>Received</th></tr>";
    let under = "<tr><th>I#</th><th>Cache</th><th>IPQ</th><th>Cache</th><th>IPQ</th></tr>";
    let row = "<tr><td>1</td><td>2</td><td>3</td><td>4</td><td>5</td></tr>";
    assert_eq!(page(&format!("{groups}{under}"), row), [""; 0]);
    assert_eq!(page(&format!("{groups}{under}{under}"), row), ["heading-damaged"]);
    let wider = groups.replace("</tr>", "<th colspan=2>Received</th></tr>");
    assert_eq!(page(&format!("{wider}{under}"), row), ["heading-damaged"]);
}
