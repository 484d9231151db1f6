//! Damaged reports give no panic, nothing unsound, and no other number in a table that claims to be whole. `make mutants` tries ten
//! thousand of larger ones. The two reports here are made by the tests' generator from invented facts.

use plimsoll_reports::Report;

#[path = "mutants/mod.rs"]
mod damaged;
mod sound;

use damaged::{Dice, Original, damage, judge};

const REPORTS: [&[u8]; 2] = [include_bytes!("mutants/awr.html"), include_bytes!("mutants/statspack.lst")];
const COUNT: u64 = 400;
/// Seeds whose damage the reader does not notice yet, by report: most lose a title, or splice one table into another of equal columns.
/// One that is mended leaves the list.
const OPEN: [&[u64]; 2] =
    [&[91, 140, 164, 271], &[15, 35, 47, 58, 134, 145, 166, 199, 217, 256, 272, 288, 341, 355]];

fn read(bytes: &[u8]) -> Report {
    let report = plimsoll_reports::read(bytes.to_vec());
    sound::check(&report);
    report
}

#[test]
fn no_damage_makes_another_number_in_silence() {
    for (bytes, open) in REPORTS.iter().zip(OPEN) {
        let original = Original::of(&read(bytes));
        let differing = |seed| {
            let mutant = damage(bytes, bytes, &mut Dice(seed));
            let found = judge(&mutant, &read(&mutant.bytes), &[&original]);
            found.first().map(|first| (seed, format!("{seed} {}: {first}", mutant.what)))
        };
        let (seeds, damages): (Vec<_>, Vec<_>) = (0..COUNT).filter_map(differing).unzip();
        assert_eq!(seeds, open, "{damages:#?}");
    }
}

#[test]
fn another_number_is_noticed() {
    let [html, text] = REPORTS.map(|bytes| Original::of(&read(bytes)));
    let mutant = damage(REPORTS[0], REPORTS[0], &mut Dice(2));
    assert!(!judge(&mutant, &read(&mutant.bytes), &[&text]).is_empty());
    assert!(judge(&mutant, &read(REPORTS[0]), &[&html]).is_empty());
}
