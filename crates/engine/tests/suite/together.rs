//! What several hosts need to measure together: a begin at a moment of the wall clock, and windows that are told as they end.

use crate::common::*;
use plimsoll_engine::clock::NS_PER_S;
use plimsoll_engine::result::Scope;
use plimsoll_engine::run;
use serde_json::json;

#[test]
fn a_run_begins_at_its_moment_and_never_after_it() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = numbered_file(folder.path());
    let now_ns = plimsoll_engine::clock::unix_ns();
    let begin_ns = now_ns + 300_000_000;
    let spec = with(real("psync", &path), json!({"begin_unix_ns": begin_ns}));
    let outcome = finish(&spec);
    assert!(outcome.first_io_unix_ns.expect("there were I/Os") >= begin_ns);
    assert!(outcome.started_unix_ns.abs_diff(begin_ns) < NS_PER_S);
    let missed = with(real("psync", &path), json!({"begin_unix_ns": now_ns}));
    assert_eq!(try_run(&missed, None).unwrap_err().id, "begin-missed");
    let far = with(real("psync", &path), json!({"begin_unix_ns": now_ns + 3_600_000_000_000_u64}));
    assert_eq!(try_run(&far, None).unwrap_err().id, "spec-invalid");
}

#[test]
fn windows_are_told_while_the_run_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = numbered_file(folder.path());
    let changes = json!({"ios_max": null, "runtime_s": 60.0, "window_s": 0.05});
    let mut run = run::start(parsed(&with(real("psync", &path), changes)), &[]).expect("it starts");
    let told = std::iter::repeat_with(|| run.windows(1)).find(|rows| rows.len() > 1).expect("windows end");
    run.stop();
    let outcome = run.collect().expect("it works");
    let kept: Vec<_> = outcome.rows.iter().filter(|row| matches!(row.scope, Scope::Window(1..))).collect();
    assert!(told.iter().zip(kept).all(|(told, kept)| told == kept), "what was told is what is kept");
    assert!(run.windows(0).is_empty());
}
