//! Runs one specification from standard input and says what it cost. Made for counting instructions, which no neighbour
//! on the machine disturbs. Twice with different `ios_max`:
//! `RUSTFLAGS=--cfg=rustix_use_libc cargo build --release --target-dir target/count --example run` and then
//! `valgrind --tool=callgrind --callgrind-out-file=/dev/null target/count/release/examples/run < spec.json`;
//! the difference of the counts, divided by the difference of the I/Os, is what one I/O costs. (Valgrind does not bear
//! how rustix finds the kernel's clock by itself, so it is told to ask the C library.)

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
