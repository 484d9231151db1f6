//! Whether the tables of a head can be believed.

use super::Printed;
use crate::dates;
use crate::model::{Row, Table, Tables, Text};

/// Whether headings or a row of the table are damaged, so that nobody knows what stands under which, or a row has lost its begin.
pub(super) fn is_damaged(text: &Text, tables: &Tables, table: &Table) -> bool {
    let last = tables.rows_of(table).last().and_then(|row| tables.cells_of(*row).first());
    let lines = table.line..=last.map_or(table.line, |cell| cell.line + WRAPPED_LINES_MAX);
    let lacks_heading = || lacks_last_heading(&Printed { text, tables, table });
    let is_damage = |code: &str| match code {
        "row-odd" => !lacks_heading(),
        "row-headless" | "tag-damaged" | "lines-doubled" => true,
        _ => false,
    };
    let within = |line: Option<u32>| line.is_some_and(|line| lines.contains(&line));
    tables.problems.iter().any(|problem| is_damage(problem.code) && within(problem.line))
}

/// Whether all rows of the snapshots have the same number of cells, more than there are headings, and what stands under headings is
/// what they say: reports of 12.2 on a container of a cluster print the open databases without one.
fn lacks_last_heading(table: &Printed<'_>) -> bool {
    let said = table.table.columns.iter().rposition(|heading| !heading.is_empty()).map_or(0, |last| last + 1);
    let widths = || table.rows().iter().map(|row| table.tables.cells_of(*row).len());
    let is_snapshot = |row: &Row| {
        let time = table.words(*row, &["snaptime"]);
        table.count(*row, &["snapid"]).is_some() && time.as_deref().and_then(dates::read).is_some()
    };
    widths().all(|width| width == table.table.columns.len() && width > said)
        && table.rows().iter().filter(|row| is_snapshot(row)).count() == SNAPSHOTS
}

/// The first and the last.
const SNAPSHOTS: usize = 2;

/// So many lines may go on with the last row of a head.
const WRAPPED_LINES_MAX: u32 = 2;
