//! Nothing stays behind: fifty runs later there are as many descriptors and threads as before. One test alone, since
//! another one in the same process would be counted too.

mod common;

use std::fs;

use common::*;
use plimsoll_engine::run;
use serde_json::json;

fn entries(folder: &str) -> usize {
    fs::read_dir(folder).expect("/proc is mounted").count()
}

/// Rings are taken down by the kernel a moment after they are closed, and threads leave /proc a moment after they are
/// joined, so this looks until both are back or patience ends.
fn settled(before: (usize, usize)) -> (usize, usize) {
    let mut now = before;
    for _ in 0..1000 {
        now = (entries("/proc/self/fd"), entries("/proc/self/task"));
        if now.0 <= before.0 && now.1 <= before.1 {
            break;
        }
        plimsoll_engine::clock::RealClock.sleep_until(
            plimsoll_engine::clock::Clock::now_ns(&plimsoll_engine::clock::RealClock) + 10_000_000,
        );
    }
    now
}

#[test]
fn fifty_runs_leave_no_descriptor_and_no_thread() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    for engine in usable_engines() {
        let before = (entries("/proc/self/fd"), entries("/proc/self/task"));
        for cycle in 0..50 {
            let change = json!({"ios_max": null, "runtime_s": 1000.0, "jobs": 2});
            let mut run = run::start(parsed(&with(any(engine, &path), change)), &[]).expect("the run starts");
            run.stop();
            // Every fifth result is never asked for.
            if cycle % 5 != 0 {
                run.collect().expect("a stopped run has a result");
            }
        }
        let after = settled(before);
        assert!(after.0 <= before.0, "{engine}: {} descriptors became {}", before.0, after.0);
        assert!(after.1 <= before.1, "{engine}: {} threads became {}", before.1, after.1);
    }
}
