//! What every engine promises, tried on each one that this host can use.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use crate::common::*;
use plimsoll_engine::clock::{Clock, RealClock};
use plimsoll_engine::engines::{self, Opened, Setup};
use plimsoll_engine::file::{self, Alignment, Target};
use plimsoll_engine::io::{Action, FlushCall, Io};
use plimsoll_engine::result::Ended;
use plimsoll_engine::spec::RunSpec;
use plimsoll_engine::sys::memory::Buffer;
use plimsoll_engine::{CoreError, clock::NS_PER_S, patterns, run};
use serde_json::json;

fn setup_of(spec: &RunSpec, targets: Vec<Target>, depth: u32, block_bytes_max: u32) -> Setup<'_> {
    Setup { spec, targets: Arc::new(targets), permits: &[], groups: &spec.groups, depth, block_bytes_max }
}

fn opened(engine: &str, path: &Path, writable: bool, depth: u32) -> Opened {
    let spec = parsed(&with(any(engine, path), json!({"depth": depth})));
    let kind = engines::find(engine).expect("the engine is registered");
    let depth = kind.layout(1, depth).depth;
    let file = OpenOptions::new().read(true).write(writable).open(path).expect("the test's file opens");
    let alignment = Alignment { offset_bytes: 1, memory_bytes: 1 };
    let target = Target { file, path: path.display().to_string(), alignment };
    kind.open(&setup_of(&spec, vec![target], depth, BLOCK_BYTES)).expect("the engine opens")
}

fn io(slot: u32, action: Action, offset_bytes: u64) -> Io {
    Io { slot, action, target: 0, offset_bytes, skip_bytes: 0, len_bytes: BLOCK_BYTES }
}

/// Submits everything and reaps until all of it has ended; the slots and their results.
fn perform(opened: &mut Opened, ios: &[Io]) -> Vec<(u32, i32)> {
    let (mut done, memory) = (Vec::new(), opened.buffers.len());
    for io in ios {
        opened.engine.submit(io, opened.buffers.pop());
    }
    while done.len() < ios.len() {
        opened.engine.reap(u64::MAX, &mut done).expect("the engine is not broken");
    }
    let results = done.iter().map(|completion| (completion.slot, completion.result)).collect();
    opened.buffers.extend(done.into_iter().filter_map(|completion| completion.buffer));
    assert_eq!(opened.buffers.len(), memory, "each completion gives back what was submitted");
    results
}

#[test]
fn registries_have_unique_names_titles_and_help() {
    let engines = engines::ALL.iter().map(|kind| (kind.name(), kind.title(), kind.help()));
    let patterns = patterns::ALL.iter().map(|kind| (kind.name(), kind.title(), kind.help()));
    for entries in [engines.collect::<Vec<_>>(), patterns.collect()] {
        for (index, (name, title, help)) in entries.iter().enumerate() {
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
            assert!(!title.is_empty() && help.ends_with('.'), "{name} explains itself in sentences");
            assert!(entries[..index].iter().all(|other| other.0 != *name), "{name} is there once");
        }
    }
}

#[test]
fn every_submitted_io_completes_once_with_its_bytes() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    for engine in usable_engines() {
        let mut opened = opened(engine, &path, false, 4);
        let depth = if engine == "psync" { 1 } else { 4 };
        for round in 0..50 {
            let ios: Vec<_> = (0..depth).map(|slot| io(slot, Action::Read, u64::from(slot) * 4096)).collect();
            let mut done = perform(&mut opened, &ios);
            done.sort_unstable();
            let wanted: Vec<_> = (0..depth).map(|slot| (slot, BLOCK_BYTES as i32)).collect();
            assert_eq!(done, wanted, "{engine}, round {round}");
        }
    }
}

#[test]
fn reads_bring_the_bytes_of_their_offset() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    for engine in real_engines() {
        let mut opened = opened(engine, &path, false, 1);
        for block in [0, 1, 17, 255] {
            perform(&mut opened, &[io(0, Action::Read, block * 4096)]);
            let buffer = &opened.buffers[0];
            assert_eq!(buffer[..BLOCK_BYTES as usize], block_of(block), "{engine}, block {block}");
        }
    }
}

#[test]
fn writes_carry_the_buffer_to_their_offset() {
    for engine in real_engines() {
        for action in [Action::Write, Action::WriteDurably] {
            let folder = tempfile::tempdir().expect("a scratch folder");
            let path = numbered_file(folder.path());
            let mut opened = opened(engine, &path, true, 1);
            opened.buffers[0][..4096].fill(0xAB);
            perform(&mut opened, &[io(0, action, 3 * 4096)]);
            let flush = Io { len_bytes: 0, ..io(0, Action::Flush(FlushCall::Fdatasync), 0) };
            assert_eq!(perform(&mut opened, &[flush])[0].1, 0, "{engine} flushes");
            let mut bytes = vec![0; 3 * 4096];
            File::open(&path)
                .and_then(|file| file.read_exact_at(&mut bytes, 2 * 4096))
                .expect("the file reads");
            assert_eq!(bytes[..4096], block_of(2), "{engine} leaves the block before alone");
            assert!(bytes[4096..8192].iter().all(|&byte| byte == 0xAB), "{engine}");
            assert_eq!(bytes[8192..], block_of(4), "{engine} leaves the block after alone");
        }
    }
}

#[test]
fn a_short_io_says_how_much_it_moved_and_the_rest_can_be_asked_for() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    File::options()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_len(4096 + 1024))
        .expect("the file shrinks");
    for engine in real_engines() {
        let mut opened = opened(engine, &path, false, 1);
        let first = perform(&mut opened, &[io(0, Action::Read, 4096)]);
        assert_eq!(first[0].1, 1024, "{engine}");
        let rest = Io { skip_bytes: 1024, len_bytes: 3072, ..io(0, Action::Read, 4096 + 1024) };
        assert_eq!(perform(&mut opened, &[rest])[0].1, 0, "{engine} is at the end of the file");
        let second_half = Io { skip_bytes: 2048, len_bytes: 2048, ..io(0, Action::Read, 0) };
        assert_eq!(perform(&mut opened, &[second_half])[0].1, 2048);
        let buffer = &opened.buffers[0];
        assert_eq!(buffer[2048..4096], block_of(0)[..2048], "{engine} puts the rest behind what is there");
    }
}

#[test]
fn a_refused_io_completes_with_the_kernels_error() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    for engine in real_engines() {
        let mut opened = opened(engine, &path, false, 1);
        let done = perform(&mut opened, &[io(0, Action::Write, 0)]);
        assert_eq!(done, [(0, -libc::EBADF)], "{engine} cannot write a file opened to read");
        assert_eq!(
            perform(&mut opened, &[io(0, Action::Read, 0)])[0].1,
            4096,
            "{engine} goes on after an error"
        );
    }
}

#[test]
fn an_idle_engine_wakes_at_the_deadline() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    for engine in usable_engines() {
        let mut opened = opened(engine, &path, false, 1);
        let mut done = Vec::new();
        let deadline_ns = opened.clock.now_ns() + NS_PER_S / 500;
        while opened.clock.now_ns() < deadline_ns {
            opened.engine.reap(deadline_ns, &mut done).expect("the engine is not broken");
        }
        assert!(done.is_empty(), "{engine} made something up");
    }
}

#[test]
fn a_simulated_server_serves_in_the_order_of_arrival() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let mut opened = opened("sim", &numbered_file(folder.path()), false, 64);
    let ios: Vec<_> = (0..64).map(|slot| io(slot, Action::Read, 0)).collect();
    let order: Vec<_> = perform(&mut opened, &ios).iter().map(|&(slot, _)| slot).collect();
    assert_eq!(order, (0..64).collect::<Vec<_>>());
}

#[test]
fn a_run_does_exactly_the_asked_number_of_ios_and_its_books_balance() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    for engine in usable_engines() {
        for jobs in [1, 3] {
            let outcome = finish(&with(any(engine, &path), json!({"jobs": jobs})));
            assert_eq!(outcome.ended, Ended::IosMax, "{engine}");
            assert_eq!(run_rows(&outcome)[0].ios, 1000, "{engine} with {jobs} jobs");
            check_books(&outcome);
        }
    }
}

#[test]
fn a_run_of_some_time_lasts_that_time_and_has_all_its_windows() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    let change = json!({"ios_max": null, "runtime_s": 0.25, "warm_up_s": 0.05, "window_s": 0.1});
    for engine in usable_engines() {
        let outcome = finish(&with(any(engine, &path), change.clone()));
        let lengths: Vec<_> =
            window_rows(&outcome).iter().map(|row| (row.duration_s * 1e3).round()).collect();
        assert_eq!(lengths, [100.0, 100.0, 50.0], "{engine}");
        assert_eq!(outcome.ended, Ended::InTime);
        assert_eq!(outcome.runtime_s, 0.25);
        assert!(run_rows(&outcome)[0].ios > 0, "{engine}");
        check_books(&outcome);
    }
}

#[test]
fn an_open_loop_offers_the_same_arrivals_to_every_engine() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    let change = json!({
        "ios_max": null, "runtime_s": 0.2, "warm_up_s": 0.02,
        "arrivals": {"kind": "poisson", "rate_per_s": 2000.0},
    });
    let outcomes: Vec<_> = usable_engines()
        .into_iter()
        .map(|engine| finish(&with(any(engine, &path), change.clone())))
        .collect();
    for outcome in &outcomes {
        check_books(outcome);
        assert!(run_rows(outcome)[0].lateness_us_max.is_some());
        // Real runs begin at any nanosecond, so an arrival on the border may fall to either side.
        assert!(outcome.offered_ios.abs_diff(outcomes[0].offered_ios) <= 2, "{}", outcome.offered_ios);
    }
}

#[test]
fn classes_share_the_ios_by_weight_and_are_counted_apart() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    let classes = json!([
        {"name": "small", "op": "read", "pattern": "random", "block_bytes": 4096, "weight": 3.0},
        {"name": "large", "op": "read", "pattern": "sequential", "block_bytes": 65536, "weight": 1.0},
    ]);
    for engine in usable_engines() {
        let outcome = finish(&with(any(engine, &path), json!({"classes": classes.clone(), "ios_max": 4000})));
        let rows = run_rows(&outcome);
        assert_eq!((rows[0].class.as_str(), rows[1].class.as_str()), ("small", "large"));
        assert_eq!(rows[0].ios + rows[1].ios, 4000);
        // Six standard deviations of a binomial of 4000 and 3/4.
        assert!(rows[0].ios.abs_diff(3000) < 165, "{engine}: {} of 4000", rows[0].ios);
        check_books(&outcome);
    }
}

#[test]
fn a_stopped_run_keeps_what_it_measured() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    for engine in usable_engines() {
        let spec =
            parsed(&with(any(engine, &path), json!({"ios_max": null, "runtime_s": 2e6, "window_s": 1e4})));
        let mut run = run::start(spec, &[]).expect("the run starts");
        while run.progress().ios < 10 {
            std::thread::yield_now();
        }
        run.stop();
        let outcome = run.collect().expect("a stopped run has a result");
        assert_eq!(outcome.ended, Ended::Stopped, "{engine}");
        assert!(run_rows(&outcome)[0].ios >= 10, "{engine}");
        assert!(run.progress().finished);
        check_books(&outcome);
        assert_eq!(run.collect().expect_err("a result is collected once").id, "already-collected");
    }
}

#[test]
fn writing_without_the_right_permit_is_refused_and_leaves_the_file_alone() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    let other = folder.path().join("other");
    fs::write(&other, b"other").expect("the scratch folder is writable");
    let before = fs::read(&path).expect("the file reads");
    let classes = json!([{"name": "write", "op": "write", "pattern": "random", "block_bytes": 4096}]);
    for engine in real_engines() {
        let spec = with(any(engine, &path), json!({"classes": classes.clone()}));
        for permit in [None, Some(permit(&other))] {
            let error = try_run(&spec, permit.as_ref()).expect_err("nothing allows this write");
            assert_eq!(error.id, "write-not-permitted", "{engine}");
            assert!(error.hint.is_some());
        }
    }
    assert_eq!(fs::read(&path).expect("the file reads"), before);
}

#[test]
fn permitted_writes_stay_in_their_span_and_no_two_blocks_are_equal() {
    let classes =
        json!([{"name": "write", "op": "write", "pattern": "sequential", "block_bytes": 4096, "sync": true}]);
    for engine in real_engines() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = numbered_file(folder.path());
        let target = json!([{"path": path, "offset_bytes": 65536, "span_bytes": 131072}]);
        let spec =
            with(any(engine, &path), json!({"classes": classes.clone(), "targets": target, "ios_max": 32}));
        let outcome = try_run(&spec, Some(&permit(&path))).expect("the permit is right");
        assert_eq!(run_rows(&outcome)[0].ios, 32, "{engine}");
        let bytes = fs::read(&path).expect("the file reads");
        let blocks: Vec<_> = bytes.chunks(4096).collect();
        let kept = |number: usize| blocks[number] == block_of(number as u64);
        assert!((0..16).chain(48..256).all(kept), "{engine} wrote outside its span");
        assert!((16..48).all(|number| !kept(number)), "{engine} left a block of its span unwritten");
        assert!(
            (17..48).all(|number| !blocks[16..number].contains(&blocks[number])),
            "{engine} repeated a block"
        );
    }
}

#[test]
fn faults_are_counted_named_and_kept_apart() {
    let faults = json!({"error": 0.1, "short": 0.2, "delay": 0.05, "delay_us": 1e6});
    let device = json!({"law": "constant", "mean_us": 100.0, "faults": faults});
    let outcome = finish(&with(sim(), json!({"simulation": device, "ios_max": 10_000})));
    let row = run_rows(&outcome)[0];
    assert_eq!(row.ios + row.errors, 10_000, "an i/o either succeeds or fails");
    // An I/O that came back short is continued, and each part may fail again.
    assert!((1000..1600).contains(&row.errors), "{} errors", row.errors);
    assert!((1500..2700).contains(&row.short_ios), "{} short", row.short_ios);
    assert!(quantile_us(&row.latency_hdr, 0.99) > 1e6, "delays show in the tail");
    assert_eq!(outcome.io_errors.len(), 8, "the first few are kept");
    let first = &outcome.io_errors[0];
    assert_eq!((first.errno, first.class.as_str(), first.op), (Some(libc::EIO), "read", "read"));
    assert_eq!(first.message, "input/output error");
    check_books(&outcome);
}

#[test]
fn equal_seeds_give_equal_results_and_others_do_not() {
    let latencies = |seed: u64| run_rows(&finish(&with(sim(), json!({"seed": seed}))))[0].latency_hdr.clone();
    assert_eq!(latencies(1), latencies(1));
    assert_ne!(latencies(1), latencies(2));
}

#[test]
fn a_run_whose_every_io_fails_ends_with_that_error() {
    let device = json!({"law": "constant", "mean_us": 100.0, "faults": {"error": 1.0}});
    let change = json!({"simulation": device, "ios_max": null, "runtime_s": 1e6, "window_s": 1e6});
    let error = try_run(&with(sim(), change), None).expect_err("nothing was measured");
    assert_eq!((error.id, error.errno), ("all-ios-failed", Some(libc::EIO)));
    assert!(error.message.contains("input/output error"), "{error}");
}

#[test]
fn a_target_that_shrinks_under_the_run_shows_as_errors() {
    for engine in real_engines() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = numbered_file(folder.path());
        let spec = parsed(&with(any(engine, &path), json!({"ios_max": null, "runtime_s": 60.0})));
        let mut run = run::start(spec, &[]).expect("the run starts");
        while run.progress().ios < 10 {
            std::thread::yield_now();
        }
        File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_len(FILE_BYTES / 2))
            .expect("it shrinks");
        while run.progress().errors < 10 {
            std::thread::yield_now();
        }
        run.stop();
        let outcome = run.collect().expect("half of the reads work");
        assert!(run_rows(&outcome)[0].errors >= 10, "{engine}");
        assert_eq!(outcome.io_errors[0].errno, None);
        assert_eq!(outcome.io_errors[0].message, "the target ended before the block did");
        assert!(outcome.io_errors[0].offset >= FILE_BYTES / 2);
    }
}

fn refusal(spec: &serde_json::Value) -> CoreError {
    try_run(spec, None).expect_err("this target cannot be used")
}

#[test]
fn targets_that_cannot_be_used_say_why_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    for engine in real_engines() {
        let missing = refusal(&real(engine, &folder.path().join("missing")));
        assert_eq!((missing.id, missing.errno), ("target-open", Some(libc::ENOENT)));
        let large = json!([{"path": path, "span_bytes": FILE_BYTES + 1}]);
        assert_eq!(refusal(&with(real(engine, &path), json!({"targets": large}))).id, "target-too-small");
        let odd = json!([{"name": "odd", "op": "read", "pattern": "random", "block_bytes": 5000}]);
        let direct = refusal(&with(real(engine, &path), json!({"classes": odd, "direct": true})));
        assert!(["block-misaligned", "no-direct"].contains(&direct.id), "{engine}: {direct}");
        assert!(direct.hint.is_some_and(|hint| hint.contains("--no-direct")));
    }
    for (path, words) in [(folder.path(), "it is a folder"), (Path::new("/dev/zero"), "neither a file nor")] {
        let kind = refusal(&real("psync", path));
        assert_eq!(kind.id, "target-open");
        assert!(kind.message.contains(words), "{kind}");
    }
    let kernel = refusal(&with(real("psync", Path::new("/proc/version")), json!({"direct": true})));
    assert_eq!(kernel.id, "no-direct", "{kernel}");
}

#[test]
fn direct_reads_work_where_the_file_system_has_them() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    for engine in real_engines() {
        match try_run(&with(real(engine, &path), json!({"direct": true})), None) {
            Ok(outcome) => assert_eq!(run_rows(&outcome)[0].ios, 1000, "{engine}"),
            Err(error) => assert_eq!(error.id, "no-direct", "{engine}: {error}"),
        }
    }
}

#[test]
fn the_kernels_workers_are_charged_for_what_they_did() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    assert_eq!(finish(&sim()).workers_s, None, "virtual time has no processor");
    for engine in real_engines() {
        let outcome = finish(&real(engine, &path));
        let all_s = outcome.usage.user_s + outcome.usage.system_s;
        if let Some(workers_s) = outcome.workers_s {
            assert!(engine == "io_uring" || workers_s == 0.0, "{engine}: {workers_s}");
            assert!((0.0..=all_s + 0.1).contains(&workers_s), "{workers_s} of {all_s}");
        }
    }
}

/// Memory file systems make the kernel hand reads to workers, where they take them at all.
#[test]
fn handed_over_ios_show_as_time_of_workers() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return eprintln!("there is no /dev/shm here") };
    let path = numbered_file(folder.path());
    if !real_engines().contains(&"io_uring") {
        return;
    }
    let outcome = finish(&with(real("io_uring", &path), json!({"ios_max": 5000})));
    let punted = outcome.notes.iter().any(|note| note.code == "io-wq-punted");
    let worked = outcome.workers_s.is_none_or(|workers_s| workers_s > 0.0);
    assert!(!punted || worked, "{:?}", outcome.workers_s);
}

/// The kernel keeps pointers into an engine's memory while I/Os are under way; who takes the memory next must not be
/// written into.
#[test]
fn an_engine_that_is_dropped_leaves_the_kernel_no_pointers() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    let direct = [true, false].map(|direct| file::open(&path.display().to_string(), direct, None));
    for engine in real_engines().into_iter().filter(|&engine| engine != "psync") {
        for target in direct.iter().flatten() {
            let file = target.file.try_clone().expect("the descriptor can be doubled");
            for _ in 0..20 {
                let targets =
                    vec![Target { file: file.try_clone().expect("again"), path: String::new(), ..*target }];
                let spec = parsed(&real(engine, &path));
                let setup = setup_of(&spec, targets, 64, 4096);
                let mut opened = engines::find(engine).and_then(|kind| kind.open(&setup)).expect("it opens");
                for slot in 0..64 {
                    opened
                        .engine
                        .submit(&io(slot, Action::Read, u64::from(slot) * 4096), opened.buffers.pop());
                }
                drop(opened);
                let mut next = Buffer::carve(64, 4096).expect("memory is there again");
                next.iter_mut().for_each(|buffer| buffer.fill(0x5A));
                RealClock.sleep_until(RealClock.now_ns() + 1_000_000);
                assert!(next.iter().all(|buffer| buffer.iter().all(|&byte| byte == 0x5A)), "{engine}");
            }
        }
    }
}

#[test]
fn every_pattern_runs_on_every_engine_and_stays_in_its_span() {
    for engine in usable_engines() {
        for pattern in patterns::ALL {
            let folder = tempfile::tempdir().expect("a scratch folder");
            let path = numbered_file(folder.path());
            let class = json!({
                "name": "write", "op": "write", "pattern": pattern.name(), "skew": pattern.usual_skew(),
                "block_bytes": 8192, "sync": true,
                "sizes": [{"bytes": 4096, "weight": 1.0}, {"bytes": 8192, "weight": 1.0}],
            });
            let targets = json!([{"path": path, "offset_bytes": 65536, "span_bytes": 131072}]);
            let change = json!({"classes": [class], "targets": targets, "ios_max": 100, "jobs": 2});
            let outcome = try_run(&with(any(engine, &path), change), Some(&permit(&path)));
            let outcome = outcome.expect("every pattern can be written with");
            let row = run_rows(&outcome)[0];
            assert_eq!((row.ios, row.space_blocks), (100, 16), "{} on {engine}", pattern.name());
            assert!((1..=16).contains(&row.distinct_blocks), "{}", row.distinct_blocks);
            let bytes = fs::read(&path).expect("the file reads");
            let kept = |number: usize| bytes[number * 4096..][..4096] == block_of(number as u64);
            assert!((0..16).chain(48..256).all(kept), "{} on {engine} left its span", pattern.name());
        }
    }
}
