//! Runs that do not come to their end: stopped at a random moment, as by Ctrl-C, or on a device that fails under them.
//! `cut [RUNS] [SEED]` says in one line what came of them. `make asan` has the address sanitizer watch it.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use plimsoll_engine::permit::WritePermit;
use plimsoll_engine::result::Ended;
use plimsoll_engine::rng::{self, Purpose, Rng};
use plimsoll_engine::run::{self, Run};
use plimsoll_engine::spec::RunSpec;
use plimsoll_engine::{engines, file};
use serde_json::json;

const FILE_BYTES: u64 = 8 << 20;
/// A run is cut within so long from its start.
const CUT_MS_MAX: u64 = 40;
/// A run whose device fails ends by itself after some hundred errors, or is stopped after so long.
const FAILING: Duration = Duration::from_millis(300);

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What cuts a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Stop,
    TruncatedFile,
    LostDevice,
}

#[derive(Default)]
struct Totals {
    runs: u64,
    ios: u64,
    failed: u64,
    stopped: u64,
    failing: u64,
}

fn main() -> Outcome<()> {
    let numbers: Vec<u64> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let (runs, seed) = (numbers.first().copied().unwrap_or(100), numbers.get(1).copied().unwrap_or(1));
    let folder = tempfile::tempdir()?;
    let mut cuts = vec![Cut::Stop, Cut::TruncatedFile];
    match lost_device(folder.path()) {
        Ok(device) => {
            detach(&device)?;
            cuts.push(Cut::LostDevice);
        }
        Err(reason) => eprintln!("skipped: devices that are lost ({reason})"),
    }
    let engines = usable_engines();
    let mut draw = rng::generator(seed, 0, Purpose::Samples);
    let mut totals = Totals::default();
    for number in 0..runs as usize {
        let engine = engines[number % engines.len()];
        one(engine, cuts[number / engines.len() % cuts.len()], folder.path(), &mut draw, &mut totals)?;
    }
    let Totals { runs, ios, failed, stopped, failing } = totals;
    let engines = engines.join(", ");
    println!(
        "{runs} runs over {engines}: {ios} I/Os, {failed} failed; {stopped} runs stopped, {failing} ended by their device"
    );
    Ok(())
}

fn usable_engines() -> Vec<&'static str> {
    let real = engines::ALL.iter().filter(|kind| kind.real());
    let usable = real.filter(|kind| kind.probe().inspect_err(|error| eprintln!("skipped: {error}")).is_ok());
    usable.map(|kind| kind.name()).collect()
}

/// Makes a target, starts a run on it, cuts the run, and counts what came of it.
fn one(engine: &str, cut: Cut, folder: &Path, draw: &mut Rng, totals: &mut Totals) -> Outcome<()> {
    let backing = scratch_file(folder)?;
    let target = match cut {
        Cut::LostDevice => PathBuf::from(attach(&backing)?),
        _ => backing.clone(),
    };
    let after = Duration::from_millis(1 + rng::below(draw, CUT_MS_MAX));
    let cut_short = started(engine, &target, cut).and_then(|run| interrupt(run, cut, &backing, after));
    if cut == Cut::LostDevice {
        detach(&target)?;
    }
    let (ios, failed, ended) = cut_short?;
    totals.runs += 1;
    totals.ios += ios;
    totals.failed += failed;
    *(if ended == Ended::Stopped { &mut totals.stopped } else { &mut totals.failing }) += 1;
    Ok(())
}

fn interrupt(mut run: Run, cut: Cut, backing: &Path, after: Duration) -> Outcome<(u64, u64, Ended)> {
    run.finished().wait(after);
    if cut != Cut::Stop {
        OpenOptions::new().write(true).open(backing)?.set_len(0)?;
        run.finished().wait(FAILING);
    }
    run.stop();
    let progress = |run: &Run| (run.progress().ios, run.progress().errors);
    match run.collect() {
        Ok(outcome) => Ok((progress(&run).0, progress(&run).1, outcome.ended)),
        Err(error) if error.id == "all-ios-failed" => Ok((0, progress(&run).1, Ended::Errors)),
        Err(error) => Err(error.into()),
    }
}

/// Two jobs with several I/Os each at random places, for longer than anybody waits. Writes would make a file long again
/// that was cut off, so they are only there where nothing is.
fn started(engine: &str, target: &Path, cut: Cut) -> Outcome<Run> {
    let direct = file::open(&target.display().to_string(), true, None).is_ok();
    let class = |op: &str| json!({"name": op, "op": op, "pattern": "random", "block_bytes": 8192});
    let ops: &[&str] = if cut == Cut::Stop { &["read", "write"] } else { &["read"] };
    let classes: Vec<_> = ops.iter().map(|op| class(op)).collect();
    let group = json!({"name": engine, "engine": engine, "jobs": 2, "depth": 8, "classes": classes});
    let spec = json!({
        "targets": [{"path": target, "span_bytes": FILE_BYTES}], "groups": [group],
        "direct": direct, "runtime_s": 1000.0,
    });
    let meta = fs::metadata(target)?;
    let permit = WritePermit {
        path: target.display().to_string(),
        device: meta.dev(),
        inode: meta.ino(),
        number: meta.rdev(),
    };
    Ok(run::start(RunSpec::parse(&spec.to_string())?, &[permit])?)
}

fn scratch_file(folder: &Path) -> Outcome<PathBuf> {
    let path = folder.join("target");
    let mut bytes = vec![0; FILE_BYTES as usize];
    rng::fill(&mut rng::generator(1, 0, Purpose::Data), &mut bytes);
    fs::write(&path, bytes)?;
    File::open(&path)?.sync_all()?;
    Ok(path)
}

fn lost_device(folder: &Path) -> Outcome<PathBuf> {
    Ok(PathBuf::from(attach(&scratch_file(folder)?)?))
}

fn attach(backing: &Path) -> Outcome<String> {
    losetup(&["--find", "--show", "--direct-io=on", &backing.display().to_string()])
}

fn detach(device: &Path) -> Outcome<()> {
    losetup(&["--detach", &device.display().to_string()]).map(drop)
}

fn losetup(words: &[&str]) -> Outcome<String> {
    let made = Command::new("losetup").args(words).output().map_err(|error| format!("losetup: {error}"))?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).trim().to_owned().into());
    }
    Ok(String::from_utf8_lossy(&made.stdout).trim().to_owned())
}
