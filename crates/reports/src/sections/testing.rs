//! What views read from small tables, for their tests.

use super::apply::apply;
use super::typed::Typed;
use super::view::View;
use crate::report::Report;
use arrow_array::{Array, Float64Array, RecordBatch, StringArray};

/// A report in HTML with one table.
pub fn html(title: &str, headings: &[&str], rows: &[&[&str]]) -> String {
    let row = |tag: &str, cells: &[&str]| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
        format!("<tr>{cells}</tr>")
    };
    let rows: String = rows.iter().map(|cells| row("td", cells)).collect();
    let head = if headings.is_empty() { String::new() } else { row("th", headings) };
    format!("<h3>{title}</h3><table>{head}{rows}</table>")
}

/// The rows of a view in a report: what each column says, by its name, but for those that say nothing.
pub fn rows(view: &View, report: &str) -> Vec<String> {
    let mut report: Report = crate::read(report.as_bytes().to_vec());
    let failed = |problem: &&crate::model::Problem| problem.code == "cell-failed";
    assert_eq!(report.tables.problems.iter().find(failed), None);
    let typed = apply(&report.text, &mut report.tables, "");
    let found = typed.iter().find(|typed| typed.view.name == view.name);
    let batch = found.and_then(|typed: &Typed| typed.batch().ok());
    batch.map_or_else(Vec::new, |batch| (0..batch.num_rows()).map(|row| said(&batch, row)).collect())
}

fn said(batch: &RecordBatch, row: usize) -> String {
    let fields = batch.schema();
    let columns = fields.fields().iter().zip(batch.columns()).skip(2);
    let said = columns.filter(|(_, array)| !array.is_null(row)).map(|(field, array)| {
        let any = array.as_any();
        let words = any.downcast_ref::<StringArray>().map(|words| words.value(row).to_owned());
        let number = any.downcast_ref::<Float64Array>().map(|numbers| numbers.value(row).to_string());
        let instance =
            any.downcast_ref::<arrow_array::Int64Array>().map(|numbers| numbers.value(row).to_string());
        format!("{}={}", field.name(), words.or(number).or(instance).unwrap_or_default())
    });
    said.collect::<Vec<_>>().join(" ")
}
