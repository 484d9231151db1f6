//! Any bytes as a report of text: everything that is made of them is sound.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use plimsoll_reports::kind::Form;

#[path = "../../crates/reports/tests/sound/mod.rs"]
mod sound;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let report = plimsoll_reports::read(bytes.to_vec());
    if report.form != Form::Text {
        return Corpus::Reject;
    }
    sound::check(&report);
    Corpus::Keep
});
