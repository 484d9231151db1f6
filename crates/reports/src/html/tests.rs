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
