//! Prints what the heads of reports say: `cargo run -p plimsoll-reports --example headers -- FILE…`.

use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    for file in env::args().skip(1) {
        let report = plimsoll_reports::read(fs::read(&file)?);
        println!("{file} {} {} {}", report.kind.name(), report.form.name(), report.encoding);
        println!("{}", serde_json::to_string(&report.header)?);
    }
    Ok(())
}
