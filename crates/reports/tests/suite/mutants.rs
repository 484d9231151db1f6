//! Damaged reports give no panic, nothing unsound, and no other number in a table that claims to be whole. `make mutants` tries ten
//! thousand of larger ones. The two reports here are made by the tests' generator from invented facts.

use plimsoll_reports::Report;

use crate::damaged::{Dice, Original, damage, judge};
use crate::sound;

const REPORTS: [&[u8]; 2] =
    [include_bytes!("../mutants/awr.html"), include_bytes!("../mutants/statspack.lst")];
const COUNT: u64 = 400;
fn read(bytes: &[u8]) -> Report {
    let report = plimsoll_reports::read(bytes.to_vec());
    sound::check(&report);
    report
}

#[test]
fn no_damage_makes_another_number_in_silence() {
    for bytes in REPORTS {
        let original = Original::of(&read(bytes));
        let differing = |seed| {
            let mutant = damage(bytes, bytes, &mut Dice(seed));
            let found = judge(&mutant, &read(&mutant.bytes), &[&original]);
            found.first().map(|first| format!("{seed} {}: {first}", mutant.what))
        };
        let damages: Vec<String> = (0..COUNT).filter_map(differing).collect();
        assert!(damages.is_empty(), "{damages:#?}");
    }
}

#[test]
fn another_number_is_noticed() {
    let [html, text] = REPORTS.map(|bytes| Original::of(&read(bytes)));
    let mutant = damage(REPORTS[0], REPORTS[0], &mut Dice(2));
    assert!(!judge(&mutant, &read(&mutant.bytes), &[&text]).is_empty());
    assert!(judge(&mutant, &read(REPORTS[0]), &[&html]).is_empty());
}
