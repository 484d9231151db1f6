//! Tables of a view in which a column of figures has no heading: it may be any of the view's that are missing.

use super::view::Shape;
use crate::model::{Problem, Status, Table, Tables};

/// A problem for each such table.
pub fn problems(tables: &Tables) -> Vec<Problem> {
    let suspects = tables.tables.iter().filter(|table| {
        let blank = table.columns.iter().filter(|heading| heading.trim().is_empty()).count();
        // Labels and values side by side have no headings at all.
        blank > 0 && blank < table.columns.len()
    });
    suspects.filter(|table| has_view_of_rows(table) && lacks_heading(tables, table)).map(problem).collect()
}

fn has_view_of_rows(table: &Table) -> bool {
    super::for_title(&table.title)
        .views
        .iter()
        .any(|view| !matches!(view.shape, Shape::Pairs(_) | Shape::Labels))
}

fn lacks_heading(tables: &Tables, table: &Table) -> bool {
    let is_figure = |at: usize| {
        let cells = tables.rows_of(table).iter().filter_map(|row| tables.cells_of(*row).get(at));
        cells.into_iter().any(|cell| cell.status == Status::Typed)
    };
    let mut nameless = (0..table.columns.len()).filter(|at| table.columns[*at].trim().is_empty());
    // Labels stand in the first column, and need no heading where the view is found.
    nameless.any(|at| if at == 0 { table.view.is_empty() && table.columns.len() > 1 } else { is_figure(at) })
}

fn problem(table: &Table) -> Problem {
    let section = if table.view.is_empty() { table.title.clone() } else { table.view.to_owned() };
    Problem {
        code: "heading-empty",
        line: Some(table.line),
        section: Some(section),
        message: "a column of this table has no heading, so that its values are left out".to_owned(),
        loses: true,
    }
}

#[cfg(test)]
mod tests {
    use crate::sections::testing::html;

    #[test]
    fn figures_without_a_heading_are_said() {
        let codes = |page: &str| {
            let report = crate::read(page.as_bytes().to_vec());
            report.tables.problems.iter().map(|problem| problem.code).collect::<Vec<_>>()
        };
        let row: &[&[&str]] = &[&["dc_users", "9", "1.5", "4", "0.5"]];
        let heads = ["Cache", "Get Requests", "", "Scan Reqs", "Pct Miss"];
        assert_eq!(codes(&html("Dictionary Cache Stats", &heads, row)), ["heading-empty"]);
        let heads = ["Cache", "Get Requests", "Pct Miss", "Scan Reqs", "Pct Miss"];
        assert!(codes(&html("Dictionary Cache Stats", &heads, row)).is_empty());
    }
}
