//! Prints the tables of a report: `cargo run -p plimsoll-reports --example tables -- FILE [TITLE]`.

use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let file = arguments.next().ok_or("name a report")?;
    let title = arguments.next();
    let report = plimsoll_reports::read(fs::read(&file)?);
    println!("{} {:?} {}", report.kind.name(), report.form, report.encoding);
    for table in &report.tables.tables {
        println!("{:6} {:4} rows  {}  {:?}", table.line, table.row_count, table.title, table.columns);
        if title.as_ref().is_some_and(|title| table.title.contains(title.as_str())) {
            for row in report.tables.rows_of(table) {
                let cells = report.tables.cells_of(*row).iter();
                let words: Vec<_> =
                    cells.map(|cell| format!("{}={}", cell.column, report.text.get(cell.span))).collect();
                println!("              {}", words.join(" | "));
            }
        }
    }
    println!("{:?}", report.tables.numbers);
    for problem in &report.tables.problems {
        println!("{problem:?}");
    }
    Ok(())
}
