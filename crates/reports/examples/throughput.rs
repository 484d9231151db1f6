//! How fast reports are read: `cargo run --release -p plimsoll-reports --example throughput -- PASSES FILE…`.

use std::{env, error::Error, fs, hint};

use mimalloc::MiMalloc;

/// As in the Python module.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let passes: u32 = arguments.next().ok_or("name how many times all files are read")?.parse()?;
    let reports = arguments.map(fs::read).collect::<Result<Vec<_>, _>>()?;
    let before_s = processor_s()?;
    for report in (0..passes).flat_map(|_| &reports) {
        hint::black_box(plimsoll_reports::read(report.clone()));
    }
    let used_s = processor_s()? - before_s;
    let megabytes = reports.iter().map(Vec::len).sum::<usize>() as f64 / 1e6 * f64::from(passes);
    println!("{:.0} MB per second of processor, {} reports", megabytes / used_s, reports.len());
    Ok(())
}

/// What this process has used, from its own line in /proc; a tick is a hundredth of a second on Linux.
fn processor_s() -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').ok_or("no name in /proc/self/stat")?.1;
    let ticks = after_name.split_ascii_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
}
