//! What every engine promises, tried on the one for files of NFS servers, with a server in memory.

use crate::common::*;
use plimsoll_engine::permit::WritePermit;
use plimsoll_engine::result::{Ended, Outcome};
use plimsoll_engine::{CoreError, fill, remote, run};
use plimsoll_nfs::proc::{COMMIT, Stable, WRITE};
use plimsoll_nfs::server::{Faults, Server};
use plimsoll_nfs::socket::now_ns;
use serde_json::{Value, json};
use std::time::Duration;

const BLOCKS: u64 = FILE_BYTES / BLOCK_BYTES as u64;

fn served() -> Server {
    let server = Server::start().expect("a port is free");
    let data = (0..BLOCKS).flat_map(block_of).collect();
    server.add("data", rustix::process::geteuid().as_raw(), 0, data);
    server
}

fn spec(server: &Server, changes: Value) -> Value {
    let url = server.url("/export/data");
    let target = json!([{"path": url, "offset_bytes": 0, "span_bytes": FILE_BYTES}]);
    with(with(real("nfs", url.as_ref()), json!({"targets": target})), changes)
}

fn permit_of(server: &Server) -> WritePermit {
    let (device, inode) = server.numbers("data").expect("the file is there");
    WritePermit { path: server.url("/export/data"), device, inode, number: 0 }
}

/// Writes each block once, in place of the reads.
fn writes(mut changes: Value) -> Value {
    let class = json!([{"name": "write", "op": "write", "pattern": "shuffled", "block_bytes": BLOCK_BYTES}]);
    changes["classes"] = class;
    changes
}

fn has_note(outcome: &Outcome, code: &str) -> bool {
    outcome.notes.iter().any(|note| note.code == code)
}

fn refused(server: &Server, changes: Value, permit: Option<&WritePermit>) -> CoreError {
    try_run(&spec(server, changes), permit).expect_err("it is refused")
}

#[test]
fn a_run_does_exactly_the_asked_number_of_ios_and_its_books_balance() {
    for jobs in [1_u64, 3] {
        let server = served();
        let outcome = finish(&spec(&server, json!({"jobs": jobs})));
        assert_eq!((outcome.ended, run_rows(&outcome)[0].ios), (Ended::IosMax, 1000));
        assert_eq!((outcome.notes.len(), outcome.moved.reads), (0, 1000), "{:?}", outcome.notes);
        assert_eq!(server.seen().reads, 1000 + jobs, "and one of each job before it begins");
        check_books(&outcome);
    }
}

#[test]
fn arrivals_at_a_rate_are_kept() {
    let change = json!({
        "ios_max": null, "runtime_s": 0.5, "arrivals": {"kind": "uniform", "rate_per_s": 400.0}, "depth": 64,
    });
    let outcome = finish(&spec(&served(), change));
    let row = run_rows(&outcome)[0];
    assert_eq!(row.ios + row.unissued_ios, 200);
    check_books(&outcome);
}

#[test]
fn writes_reach_the_servers_disk_as_durably_as_asked() {
    for (stable, place) in [("file", 2), ("data", 1), ("none", 0)] {
        let server = served();
        let change = writes(json!({"ios_max": BLOCKS, "stable": stable}));
        let outcome = try_run(&spec(&server, change), Some(&permit_of(&server))).expect("it runs");
        let seen = server.seen();
        assert_eq!((seen.writes[place], seen.writes.iter().sum::<u64>()), (BLOCKS, BLOCKS), "{stable}");
        assert_eq!(seen.commits > 0, stable == "none");
        let durable = server.durable("data").expect("it is there");
        for (number, block) in durable.chunks(BLOCK_BYTES as usize).enumerate() {
            assert!(block != block_of(number as u64), "block {number} was not written");
        }
        check_books(&outcome);
    }
}

#[test]
fn a_commit_belongs_to_the_latency_of_the_writes_that_it_covers() {
    let server = served();
    server.set(Faults { delay: Some(std::time::Duration::from_millis(5)), ..Faults::default() });
    let latency_us = |stable: &str| {
        let change = writes(json!({"ios_max": 10, "depth": 1, "stable": stable}));
        let outcome = try_run(&spec(&server, change), Some(&permit_of(&server))).expect("it runs");
        quantile_us(&run_rows(&outcome)[0].latency_hdr, 0.0)
    };
    let (file, none) = (latency_us("file"), latency_us("none"));
    assert!(file >= 5.0, "an answer takes 5 ms: {file}");
    assert!(none >= 10.0, "an answer, and that of the COMMIT: {none}");
}

#[test]
fn durable_writes_and_flushes_are_there_too() {
    let server = served();
    let class = json!([{
        "name": "redo", "op": "write", "pattern": "sequential", "block_bytes": BLOCK_BYTES, "sync": true,
        "flush": {"every": 4, "call": "fdatasync"},
    }]);
    let change = json!({"classes": class, "depth": 1, "ios_max": 100});
    let outcome = try_run(&spec(&server, change), Some(&permit_of(&server))).expect("it runs");
    assert_eq!((server.seen().writes, server.seen().commits), ([0, 0, 100], 25));
    check_books(&outcome);
}

#[test]
fn nothing_is_written_without_a_permit_for_this_very_file() {
    let server = served();
    assert_eq!(refused(&server, writes(json!({})), None).id, "write-not-permitted");
    let right = permit_of(&server);
    for wrong in [
        WritePermit { inode: right.inode + 1, ..right.clone() },
        WritePermit { device: right.device + 1, ..right.clone() },
        WritePermit { number: 1, ..right.clone() },
    ] {
        let error = refused(&server, writes(json!({})), Some(&wrong));
        assert!(error.id == "write-not-permitted" && error.hint.is_some(), "{error:?}");
    }
    let other = WritePermit { inode: right.inode + 1, ..right.clone() };
    let instead = remote::remove(&right.path, &other).expect("it is asked");
    assert!(
        instead.is_some_and(|words| words.contains("another file has its name")),
        "nor is another one removed"
    );
    assert_eq!(server.seen().writes, [0; 3]);
    assert_eq!(server.names(), ["data"]);
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_done() {
    let server = served();
    let url = server.url("/export/data");
    let large = json!([{"path": url, "span_bytes": 2 * FILE_BYTES}]);
    assert_eq!(refused(&server, json!({"targets": large}), None).id, "target-too-small");
    let two = json!([{"path": url, "span_bytes": FILE_BYTES}, {"path": url, "span_bytes": FILE_BYTES}]);
    assert_eq!(refused(&server, json!({"targets": two}), None).id, "spec-invalid");
    server.set(Faults { read_bytes_max: 512, ..Faults::default() });
    let error = refused(&server, json!({"depth": 32_000}), None);
    assert_eq!(error.id, "nfs-too-deep");
    assert_eq!(server.seen().reads, 0);
}

#[test]
fn files_of_this_host_and_of_a_server_are_not_mixed() {
    let server = served();
    let mut both = spec(&server, json!({}));
    let mut other = both["groups"][0].clone();
    (other["name"], other["engine"], other["classes"][0]["name"]) = ("b".into(), "psync".into(), "b".into());
    both["groups"].as_array_mut().expect("groups are a list").push(other);
    assert_eq!(try_run(&both, None).expect_err("it is refused").id, "spec-invalid");
}

#[test]
fn what_happened_on_the_way_is_told() {
    let cut = |fault: Faults| {
        let server = served();
        // The first answer is for the look whether the file may be read.
        server.set(fault);
        let permit = permit_of(&server);
        try_run(&spec(&server, writes(json!({"ios_max": 200, "stable": "none"}))), Some(&permit))
            .expect("it runs")
    };
    let outcome = cut(Faults { cut: Some(50), ..Faults::default() });
    assert!(has_note(&outcome, "nfs-reconnected") && has_note(&outcome, "nfs-resent"), "{:?}", outcome.notes);
    assert_eq!(run_rows(&outcome)[0].ios, 200);
    let outcome = cut(Faults { restarts_before_commit: 1, ..Faults::default() });
    assert!(has_note(&outcome, "nfs-rewritten"), "{:?}", outcome.notes);
    let outcome = cut(Faults { put_off_every: Some(100), ..Faults::default() });
    assert!(has_note(&outcome, "nfs-put-off"), "{:?}", outcome.notes);
}

#[test]
fn what_was_counted_is_the_sum_over_all_jobs() {
    let server = served();
    let mut change = writes(json!({"jobs": 3, "depth": 1, "ios_max": 30}));
    change["classes"][0]["pattern"] = "random".into();
    server.set(Faults { less_durable: Some(Stable::Unstable), ..Faults::default() });
    let outcome = try_run(&spec(&server, change), Some(&permit_of(&server))).expect("it runs");
    let told = outcome.notes.iter().find(|note| note.code == "nfs-less-durable").expect("it is told");
    assert!(told.message.starts_with("30 writes"), "{}", told.message);
    assert!(outcome.notes.iter().all(|note| note.code != "nfs-unstable"));
}

#[test]
fn a_server_that_goes_away_ends_the_run_and_keeps_what_was_measured() {
    let mut server = served();
    let change = json!({"ios_max": null, "runtime_s": 60.0, "depth": 2, "path_timeout_s": 0.2});
    let parsed = parsed(&spec(&server, change));
    let mut run = run::start(parsed, &[]).expect("it runs");
    while run.progress().ios < 100 {
        std::thread::yield_now();
    }
    server.stop();
    let outcome = run.collect().expect("what was measured is kept");
    assert_eq!(outcome.ended, Ended::Errors);
    assert!(run_rows(&outcome)[0].ios >= 100 && !outcome.io_errors.is_empty());
    assert!(run_rows(&outcome)[0].errors <= 2, "no more than what was under way has failed");
    assert!(outcome.outages.len() == 1 && outcome.outages[0].duration_s >= 1.0, "{:?}", outcome.outages);
    assert!(outcome.notes.iter().all(|note| !note.code.starts_with("nfs-re")), "{:?}", outcome.notes);
}

#[test]
fn a_server_that_comes_back_is_waited_for_and_the_outage_is_told() {
    let server = served();
    let gone = Faults { gone: Some((100, std::time::Duration::from_millis(800))), ..Faults::default() };
    server.set(gone);
    let outcome = finish(&spec(&server, json!({"ios_max": 400, "depth": 4})));
    let [outage] = outcome.outages[..] else { panic!("{:?}", outcome.outages) };
    assert!((0.7..10.0).contains(&outage.duration_s) && outage.share == 1.0, "{outage:?}");
    let row = run_rows(&outcome)[0];
    assert_eq!((row.ios, row.errors, outcome.ended), (400, 0, Ended::IosMax));
    assert!(quantile_us(&row.latency_hdr, 1.0) >= 700_000.0, "what was under way waited");
    assert!(has_note(&outcome, "nfs-reconnected"), "{:?}", outcome.notes);
}

#[test]
fn each_path_of_each_job_is_in_the_result() {
    let server = Server::start_on(3).expect("a port is free");
    let data = (0..BLOCKS).flat_map(block_of).collect();
    server.add("data", rustix::process::geteuid().as_raw(), 0, data);
    let outcome = finish(&spec(&server, json!({"jobs": 2, "ios_max": 600, "depth": 6})));
    let addresses: Vec<_> = outcome.paths.iter().map(|path| path.address.as_str()).collect();
    assert_eq!(addresses, ["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
    assert_eq!(outcome.paths.iter().map(|path| path.requests).sum::<u64>(), 600);
    let bytes: u64 = outcome.paths.iter().map(|path| path.bytes).sum();
    assert_eq!(bytes, 600 * u64::from(BLOCK_BYTES));
    for path in &outcome.paths {
        assert!(path.requests > 0 && path.losses == 0, "{path:?}");
        assert!(path.latency_us_p50 <= path.latency_us_p99 && path.latency_us_p99 <= path.latency_us_max);
    }
    assert_eq!(server.seen().connections, 2 * (1 + 3), "of each job one for MOUNT and one for each path");
}

#[test]
fn a_run_that_waits_for_a_silent_server_ends_when_it_is_asked_to() {
    let server = served();
    server.set(Faults { drop: Some(2), ..Faults::default() });
    let parsed = parsed(&spec(&server, json!({"ios_max": 1, "depth": 1})));
    let run = run::start(parsed, &[]).expect("it runs");
    assert_eq!(run.progress().ios, 0);
    drop(run);
}

#[test]
fn a_fill_waits_no_longer_for_a_path_than_it_is_asked_to() {
    let server = Server::start().expect("a port is free");
    let url = server.url("/export/scratch");
    let made = remote::create(&url).expect("it can be made");
    let permit = WritePermit { path: url.clone(), device: made.fsid, inode: made.fileid, number: 0 };
    // After the answer that says that the file may be read, none comes: by the usual timeout it were lost after 35 s.
    server.set(Faults { frozen: Some(2), ..Faults::default() });
    let request = |path_timeout_s: f64| json!({"path": url, "span_bytes": 4 << 20, "block_bytes": 1 << 20, "direct": true, "path_timeout_s": path_timeout_s});
    let begin_ns = now_ns();
    let filled = fill::start(&request(0.2).to_string(), &permit).and_then(|mut run| run.collect());
    let error = filled.expect_err("nobody answers");
    assert!(now_ns() - begin_ns < 30_000_000_000, "{error}");
    let error = fill::plan(&request(0.01).to_string()).expect_err("it is checked");
    assert!(error.message.contains("path_timeout_s"), "{error}");
}

#[test]
fn why_a_file_of_a_server_could_not_be_filled_has_a_way_on() {
    for (faults, words) in [
        (Faults { restart_every: Some(1), ..Faults::default() }, "its verifier changes each time"),
        (
            Faults { refuse: Some((COMMIT.number, 5)), ..Faults::default() },
            "could not write or commit the data",
        ),
        (Faults { refuse: Some((WRITE.number, 70)), ..Faults::default() }, "took the scratch file away"),
        (
            Faults { gone: Some((3, Duration::from_secs(60))), ..Faults::default() },
            "does not answer any more",
        ),
    ] {
        let server = Server::start().expect("a port is free");
        let url = server.url("/export/scratch");
        let made = remote::create(&url).expect("it can be made");
        let permit = WritePermit { path: url.clone(), device: made.fsid, inode: made.fileid, number: 0 };
        server.set(faults);
        let request = json!({"path": url, "span_bytes": 4 << 20, "block_bytes": 1 << 20, "direct": true, "path_timeout_s": 0.1});
        let filled = fill::start(&request.to_string(), &permit).and_then(|mut run| run.collect());
        let error = filled.expect_err("it cannot be filled");
        let hint = error.hint.unwrap_or_default();
        assert!(error.id == "fill-failed" && hint.contains(words), "{words}: {} {hint}", error.message);
    }
}

#[test]
fn a_file_is_made_filled_looked_at_and_removed() {
    let server = Server::start().expect("a port is free");
    let url = server.url("/export/scratch");
    let made = remote::create(&url).expect("it can be made");
    let permit = WritePermit { path: url.clone(), device: made.fsid, inode: made.fileid, number: 0 };
    let bytes = 3 * (1 << 20) + 5000;
    let request =
        json!({"path": url, "span_bytes": bytes, "block_bytes": 1 << 20, "direct": true, "seed": 1});
    fill::start(&request.to_string(), &permit).and_then(|mut run| run.collect()).expect("it is filled");
    let durable = server.durable("scratch").expect("it is there");
    assert_eq!(durable.len(), bytes);
    let findings = remote::inspect(&url, 256).expect("it can be looked at");
    assert_eq!(findings.attributes.size_bytes, bytes as u64);
    assert_eq!(findings.free_bytes, None, "that is asked of folders");
    let contents = findings.contents;
    assert_eq!((contents.samples, contents.zero_samples, contents.duplicate_samples), (256, 0, 0));
    assert!(!durable[bytes - 5000..].iter().all(|&byte| byte == 0), "its end is filled too");
    assert_eq!(remote::remove(&url, &permit), Ok(None));
    assert!(server.names().is_empty());
    let folder = remote::inspect(&server.url("/export"), 256).expect("a folder");
    assert_eq!((folder.contents.samples, folder.free_bytes), (0, Some(1 << 40)));
}

#[test]
fn looks_into_a_file_end_when_they_take_too_long() {
    let server = served();
    let url = server.url("/export/data");
    remote::inspect_within(&url, 8, u64::MAX).expect("there is time enough");
    server.set(Faults { delay: Some(std::time::Duration::from_millis(1)), ..Faults::default() });
    let reads = server.seen().reads;
    let error = remote::inspect_within(&url, 8, 0).expect_err("there is no time");
    assert!(error.id == "nfs-unreachable" && error.hint.is_some(), "{error:?}");
    assert!(server.seen().reads <= reads + 1, "no more than the first is asked");
}

#[test]
fn fifty_connections_that_were_made_are_closed() {
    let server = served();
    for _ in 0..50 {
        finish(&spec(&server, json!({"ios_max": 1})));
    }
    assert_eq!(server.seen().connections, 100);
    assert_eq!(server.open_connections(), 0);
}
