//! Any bytes as a request for a run or a fill. One that is accepted is planned: its I/Os lie where it says, and on the
//! simulated device a few of them are done.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::{Corpus, fuzz_target};
use plimsoll_engine::spec::RunSpec;
use plimsoll_engine::stream::{Budget, Planned, Stream};
use plimsoll_engine::times::Times;
use plimsoll_engine::{CoreError, engines, fill, run};

/// I/Os that are planned for one job, and that are done in one run.
const IOS: u64 = 64;
/// A run with more outstanding I/Os, classes or arrivals than these takes longer than its plan is worth.
const SLOTS_MAX: u32 = 64;
const CLASSES_MAX: usize = 4;
const ARRIVALS_MAX: f64 = 1e4;
/// Errors that a request may be refused with, whatever it says.
const REFUSALS: [&str; 4] = ["spec-invalid", "engine-unknown", "pattern-unknown", "target-too-small"];

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(json) = std::str::from_utf8(bytes) else { return Corpus::Reject };
    match fill::plan(json) {
        Ok((_, spec)) => plan(&spec),
        Err(refused) => check(&refused),
    }
    match RunSpec::parse(json).and_then(|spec| spec.check().map(|()| spec)) {
        Ok(spec) => {
            plan(&spec);
            perform(spec);
        }
        Err(refused) => check(&refused),
    }
    Corpus::Keep
});

fn check(refused: &CoreError) {
    assert!(REFUSALS.contains(&refused.id), "{refused:?}");
    // A path may be as long as the kernel allows.
    assert!(refused.message.len() < 8192, "{} bytes", refused.message.len());
}

fn plan(spec: &RunSpec) {
    let times = Times { start_ns: 0, measure_ns: 0, end_ns: u64::MAX, window_ns: 1 };
    for (index, group) in spec.groups.iter().enumerate() {
        for job in [0, group.jobs - 1] {
            let budget = Arc::new(Budget::new(Some(IOS)));
            let stream = Stream::new(spec, index, job, times, budget);
            let mut stream = stream.expect("an accepted request has a plan");
            while let Some(planned) = stream.take(0) {
                lies_in_a_target(spec, index, &planned);
            }
        }
    }
}

fn lies_in_a_target(spec: &RunSpec, group: usize, planned: &Planned) {
    let index = planned.place.target as usize;
    assert!(spec.groups[group].uses(index), "{planned:?}");
    let target = &spec.targets[index];
    let (begin, end) = (target.offset_bytes, target.offset_bytes + target.span_bytes);
    let last = planned.place.offset_bytes.checked_add(u64::from(planned.len_bytes));
    assert!(planned.place.offset_bytes >= begin && last.is_some_and(|last| last <= end), "{planned:?}");
}

/// Does it in virtual time, shortened to what takes no time.
fn perform(mut spec: RunSpec) {
    let slots: u64 = spec.groups.iter().map(|group| u64::from(group.jobs) * u64::from(group.depth)).sum();
    let simulated = spec.groups.iter().all(|group| engines::of(group).is_ok_and(|kind| kind.virtual_time()));
    if !simulated || slots > SLOTS_MAX.into() || spec.classes().count() > CLASSES_MAX {
        return;
    }
    spec.ios_max = Some(spec.ios_max.unwrap_or(IOS).min(IOS));
    spec.warm_up_s = spec.warm_up_s.min(1e-6);
    spec.runtime_s = spec.runtime_s.map(|runtime_s| runtime_s.min(100.0 * spec.window_s));
    spec.window_s = if spec.runtime_s.is_none() { 1e6 } else { spec.window_s };
    let rates = spec.groups.iter().filter_map(|group| group.arrivals.rate_per_s());
    if rates.sum::<f64>() * (spec.warm_up_s + spec.runtime_s.unwrap_or(0.0)) > ARRIVALS_MAX {
        return;
    }
    match run::start(spec, &[]).and_then(|mut run| run.collect()) {
        Ok(outcome) => assert!(outcome.completed_in_window_ios <= IOS, "{}", outcome.completed_in_window_ios),
        Err(failed) => assert_eq!(failed.id, "all-ios-failed", "{failed:?}"),
    }
}
