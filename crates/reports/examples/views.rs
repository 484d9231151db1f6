//! Prints the rows of typed views of a report: `cargo run -p plimsoll-reports --example views -- FILE [VIEW]`.

use std::{env, error::Error, fs};

use arrow_array::{Array, Float64Array, RecordBatch, StringArray};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let file = arguments.next().ok_or("name a report")?;
    let view = arguments.next();
    let report = plimsoll_reports::read(fs::read(&file)?);
    for typed in &report.typed {
        let wanted = view.as_ref().is_none_or(|view| typed.view.name == view);
        println!("{} {} rows", typed.view.name, typed.rows());
        if wanted {
            let batch = typed.batch()?;
            (0..batch.num_rows()).for_each(|row| println!("    {}", said(&batch, row)));
        }
    }
    for problem in &report.tables.problems {
        println!("{problem:?}");
    }
    Ok(())
}

/// What the columns of a row say, but for those that say nothing.
fn said(batch: &RecordBatch, row: usize) -> String {
    let fields = batch.schema();
    let columns = fields.fields().iter().zip(batch.columns()).filter(|(_, array)| !array.is_null(row));
    let said = columns.map(|(field, array)| {
        let any = array.as_any();
        let words = any.downcast_ref::<StringArray>().map(|words| words.value(row).to_owned());
        let number = any.downcast_ref::<Float64Array>().map(|numbers| numbers.value(row).to_string());
        let instance =
            any.downcast_ref::<arrow_array::Int64Array>().map(|numbers| numbers.value(row).to_string());
        let count =
            any.downcast_ref::<arrow_array::UInt32Array>().map(|numbers| numbers.value(row).to_string());
        format!("{}={}", field.name(), words.or(number).or(instance).or(count).unwrap_or_default())
    });
    said.collect::<Vec<_>>().join(" ")
}
