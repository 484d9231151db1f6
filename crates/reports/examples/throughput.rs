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
    let megabytes = total as f64 * f64::from(passes) / 1e6;
    let (by_clock, by_processor) = (megabytes / start.elapsed().as_secs_f64(), megabytes / processor_s()?);
    println!("{by_clock:.0} MB/s, {by_processor:.0} MB per second of processor, {} reports, {passes} passes", reports.len());
    Ok(())
}

/// What this process has used, from its own line in /proc; a tick is a hundredth of a second on Linux.
fn processor_s() -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').ok_or("no name in /proc/self/stat")?.1;
    let ticks = after_name.split_ascii_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
}
