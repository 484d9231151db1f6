//! How fast reports are read: `cargo run --release -p plimsoll-reports --example throughput -- SECONDS FILE…`.

use std::time::{Duration, Instant};
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let seconds: f64 = arguments.next().ok_or("name the seconds to read for")?.parse()?;
    let reports = arguments.map(fs::read).collect::<Result<Vec<_>, _>>()?;
    let total: usize = reports.iter().map(Vec::len).sum();
    let (start, mut passes) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_secs_f64(seconds) {
        for report in &reports {
            std::hint::black_box(plimsoll_reports::read(report.clone()));
        }
        passes += 1;
    }
    let rate = total as f64 * f64::from(passes) / start.elapsed().as_secs_f64() / 1e6;
    println!("{rate:.0} MB/s over {} reports of {:.1} MB", reports.len(), total as f64 / 1e6);
    Ok(())
}
