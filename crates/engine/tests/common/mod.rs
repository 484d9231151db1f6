//! What the tests share: specifications, scratch files with known contents, permits.
#![allow(dead_code, clippy::disallowed_methods)]

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use plimsoll_engine::permit::WritePermit;
use plimsoll_engine::result::{Outcome, Row, Scope};
use plimsoll_engine::spec::RunSpec;
use plimsoll_engine::{Result, engines, hdr, run};
use serde_json::{Value, json};

/// Bytes of the files that tests read and write.
pub const FILE_BYTES: u64 = 1 << 20;
/// Bytes of one block.
pub const BLOCK_BYTES: u32 = 4096;

/// A run on the simulated device: 1000 reads at depth 4 in a closed loop, exponential service of 100 µs.
pub fn sim() -> Value {
    let mut spec = real("sim", Path::new("sim:"));
    spec["simulation"] = json!({"law": "exponential", "mean_us": 100.0});
    spec
}

/// 1000 reads at depth 4 in a closed loop through the page cache.
pub fn real(engine: &str, path: &Path) -> Value {
    json!({
        "targets": [{"path": path, "offset_bytes": 0, "span_bytes": FILE_BYTES}],
        "direct": false,
        "groups": [{
            "name": "group",
            "engine": engine,
            "depth": 4,
            "classes": [{"name": "read", "op": "read", "pattern": "random", "block_bytes": BLOCK_BYTES}],
            "pin": false,
        }],
        "ios_max": 1000,
        "seed": 7,
    })
}

/// The same for any engine that can be used here; the simulated one gets its device.
pub fn any(engine: &str, path: &Path) -> Value {
    let mut spec = real(engine, path);
    if engine == "sim" {
        spec["simulation"] = sim()["simulation"].clone();
    }
    spec
}

/// Members of a group; all others are members of the run.
const OF_GROUPS: [&str; 7] = ["engine", "jobs", "depth", "classes", "arrivals", "think_us", "pin"];

/// Changes members of a specification, those of a group in its first one.
pub fn with(mut spec: Value, changes: Value) -> Value {
    for (key, value) in changes.as_object().expect("changes are an object") {
        let place = if OF_GROUPS.contains(&key.as_str()) { &mut spec["groups"][0] } else { &mut spec };
        place[key] = value.clone();
    }
    spec
}

/// The specification as the engine takes it.
pub fn parsed(spec: &Value) -> RunSpec {
    RunSpec::parse(&spec.to_string()).expect("the test's specification parses")
}

/// Starts and collects.
pub fn try_run(spec: &Value, permit: Option<&WritePermit>) -> Result<Outcome> {
    run::start(RunSpec::parse(&spec.to_string())?, permit.map(std::slice::from_ref).unwrap_or_default())?
        .collect()
}

/// Starts and collects a run that works.
pub fn finish(spec: &Value) -> Outcome {
    try_run(spec, None).expect("the run works")
}

/// Names of the engines for files of this host that it can use; the others are named, so that a gap shows. What an engine for a
/// server's files promises is tried in a suite of its own (`suite/nfs.rs`), as it needs a server.
pub fn usable_engines() -> Vec<&'static str> {
    let usable = |kind: &&&dyn engines::Kind| match kind.probe() {
        Ok(()) => true,
        Err(error) => {
            eprintln!("engine {} is left out: {error}", kind.name());
            false
        }
    };
    engines::ALL.iter().filter(|kind| kind.local()).filter(usable).map(|kind| kind.name()).collect()
}

/// The usable engines that do real I/O.
pub fn real_engines() -> Vec<&'static str> {
    usable_engines().into_iter().filter(|name| engines::find(name).is_ok_and(|kind| kind.real())).collect()
}

/// A file of [`FILE_BYTES`] in which every block says its number.
pub fn numbered_file(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("numbered");
    let mut file = File::create(&path).expect("the scratch folder is writable");
    for block in 0..FILE_BYTES / u64::from(BLOCK_BYTES) {
        file.write_all(&block_of(block)).expect("the scratch folder has space");
    }
    file.sync_all().expect("the scratch file can be flushed");
    path
}

/// The contents of one block of a numbered file; never zero.
pub fn block_of(number: u64) -> Vec<u8> {
    (number + 1).to_le_bytes().repeat(BLOCK_BYTES as usize / 8)
}

/// A permit for what is at `path` now.
pub fn permit(path: &Path) -> WritePermit {
    let meta = fs::metadata(path).expect("the file exists");
    WritePermit {
        path: path.display().to_string(),
        device: meta.dev(),
        inode: meta.ino(),
        number: meta.rdev(),
    }
}

/// The rows of the whole run.
pub fn run_rows(outcome: &Outcome) -> Vec<&Row> {
    outcome.rows.iter().filter(|row| row.scope == Scope::Run).collect()
}

/// The rows of the windows.
pub fn window_rows(outcome: &Outcome) -> Vec<&Row> {
    outcome.rows.iter().filter(|row| row.scope != Scope::Run).collect()
}

/// How many values a distribution holds.
pub fn count(v2: &[u8]) -> u64 {
    hdr::summary(v2).expect("the row carries a histogram").count
}

/// One quantile in microseconds.
pub fn quantile_us(v2: &[u8], share: f64) -> f64 {
    hdr::quantiles(v2, &[share]).expect("the row carries values")[0]
}

/// What must hold of every result, whatever was run.
pub fn check_books(outcome: &Outcome) {
    for row in &outcome.rows {
        assert_eq!(
            count(&row.latency_hdr),
            row.ios + row.unissued_ios,
            "each arrival has one latency: {row:?}"
        );
        assert_eq!(count(&row.service_hdr), row.ios, "each completed i/o has one service time");
        assert_eq!(row.bytes, row.ios * u64::from(row.block_bytes), "a completed i/o moved all its bytes");
    }
    let mut offered = 0;
    for (index, whole) in run_rows(outcome).into_iter().enumerate() {
        let classes = run_rows(outcome).len();
        let parts: Vec<_> = window_rows(outcome).into_iter().skip(index).step_by(classes).collect();
        let sum = |pick: fn(&Row) -> u64| parts.iter().map(|row| pick(row)).sum::<u64>();
        assert_eq!(sum(|row| row.ios), whole.ios, "windows add up to the run");
        assert_eq!(sum(|row| row.completed_ios), whole.completed_ios);
        assert_eq!(sum(|row| row.errors), whole.errors);
        assert_eq!(sum(|row| row.unissued_ios), 0, "who was never submitted belongs to no window");
        let hdrs: Vec<_> = parts.iter().map(|row| &row.service_hdr).collect();
        assert_eq!(hdr::merge(&hdrs).expect("windows merge"), whole.service_hdr, "histograms add up as well");
        let length: f64 = parts.iter().map(|row| row.duration_s).sum();
        assert!(
            (length - whole.duration_s).abs() < 1e-6,
            "windows cover the run: {length} of {}",
            whole.duration_s
        );
        offered += whole.ios + whole.errors + whole.unissued_ios;
    }
    assert_eq!(outcome.offered_ios, offered);
}
