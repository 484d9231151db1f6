//! Reads damaged reports and looks for panics and for numbers that differ in silence: `cargo run --release -p plimsoll-reports
//! --example mutants -- COUNT SEED FILE…`. The same count, seed and files give the same mutants. `MUTANT=NUMBER` tries that one alone,
//! and leaves it in `mutant.out`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, env, error::Error, fs, process::ExitCode};

use mutants::{Dice, Original, damage, judge};
use plimsoll_reports::kind::Form;
use plimsoll_reports::lines::Lines;
use plimsoll_reports::value::Decimal;
use plimsoll_reports::{Report, html};

#[path = "../tests/mutants/mod.rs"]
mod mutants;
#[path = "../tests/sound/mod.rs"]
mod sound;

/// A megabyte takes a hundredth of this.
const HANG: Duration = Duration::from_secs(10);
/// So many findings of one mutant are shown.
const SHOWN: usize = 4;

#[expect(clippy::disallowed_methods, reason = "whether a reader hangs is a matter of the clock on the wall")]
fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let count: usize = arguments.next().ok_or("name how many mutants")?.parse()?;
    let seed: u64 = arguments.next().ok_or("name a seed")?.parse()?;
    let files: Vec<String> = arguments.collect();
    let reports = files.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
    let read: Vec<_> = reports.iter().map(|bytes| plimsoll_reports::read(bytes.clone())).collect();
    let originals: Vec<Original> = read.iter().map(Original::of).collect();
    let all_written: Vec<_> =
        read.iter().zip(&reports).map(|(report, bytes)| written(report, bytes)).collect();
    let mut tally: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let wanted = env::var("MUTANT").ok().map(|number| number.parse::<usize>()).transpose()?;
    for number in wanted.map_or(0..count, |number| number..number + 1) {
        let mut dice = Dice(seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
        let first = number % files.len();
        let second = like(&all_written, first, dice.below(files.len()));
        let mutant = damage(&reports[first], &reports[second], &mut dice);
        let start = Instant::now();
        let tried = catch_unwind(AssertUnwindSafe(|| {
            let report = plimsoll_reports::read(mutant.bytes.clone());
            sound::check(&report);
            report
        }));
        let sums = tally.entry(mutant.what).or_default();
        sums[0] += 1;
        sums[1] += usize::from(start.elapsed() > HANG);
        let Ok(report) = tried else {
            sums[2] += 1;
            println!("mutant {number}: panic: {} {} + {}", mutant.what, files[first], files[second]);
            continue;
        };
        let found = judge(&mutant, &report, &[&originals[first], &originals[second]]);
        if !found.is_empty() {
            sums[3] += 1;
            let at = mutant.touched.first().map_or(mutant.seams.first().copied(), |range| Some(range.start));
            let line = mutant.line(at.unwrap_or_default());
            println!(
                "mutant {number}: {} at line {line} of {} + {}: {} numbers",
                mutant.what,
                files[first],
                files[second],
                found.len()
            );
            found.iter().take(SHOWN).for_each(|found| println!("    {found}"));
        }
        if wanted.is_some() {
            fs::write("mutant.out", &mutant.bytes)?;
        }
    }
    Ok(summed_up(&tally))
}

/// How a report is written: what holds for one half of a spliced file must hold for the other.
type Written<'a> = (Form, &'a str, Decimal, Option<&'a str>, bool);

fn written<'a>(report: &'a Report, bytes: &[u8]) -> Written<'a> {
    let words = String::from_utf8_lossy(bytes);
    let cut = report.form == Form::Html && html::unwrap(&words, &Lines::new(&words)).is_some();
    (report.form, report.encoding, report.tables.decimal, report.header.release.as_deref(), cut)
}

/// The next report from here on that is written as the first one is.
fn like(written: &[Written<'_>], first: usize, from: usize) -> usize {
    let others = (from..written.len()).chain(0..from);
    others.filter(|at| *at != first).find(|at| written[*at] == written[first]).unwrap_or(first)
}

fn summed_up(tally: &BTreeMap<&str, [usize; 4]>) -> ExitCode {
    for (what, [mutants, hangs, panics, different]) in tally {
        println!(
            "{what:12} {mutants:6} mutants  {hangs} hangs  {panics} panics  {different} with other numbers"
        );
    }
    let clean = tally.values().all(|[_, hangs, panics, different]| hangs + panics + different == 0);
    if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
