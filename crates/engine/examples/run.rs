//! Runs one specification from standard input and says what it cost. Made for counting instructions:
//! `cargo build --release --example run`, then twice with different `ios_max`
//! `valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/run < spec.json`;
//! the difference of the counts, divided by the difference of the I/Os, is what one I/O costs.

use std::io::Read;

use plimsoll_engine::run;
use plimsoll_engine::spec::RunSpec;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut json = String::new();
    std::io::stdin().read_to_string(&mut json)?;
    let outcome = run::start(RunSpec::parse(&json)?, &[])?.collect()?;
    let (ios, cpu_s) = (outcome.offered_ios as f64, outcome.usage.user_s + outcome.usage.system_s);
    println!(
        "{ios} I/Os in {:.3} s: {:.0} a second, {:.1} ns of processor time each ({:.1} in user mode)",
        outcome.runtime_s,
        ios / outcome.runtime_s,
        cpu_s / ios * 1e9,
        outcome.usage.user_s / ios * 1e9,
    );
    for note in outcome.notes {
        println!("{}: {}", note.code, note.message);
    }
    Ok(())
}
