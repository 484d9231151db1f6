//! Writes a stretch of a file in full, with random data, so that later reads come from the disk.
//!
//! A fill is an ordinary run: blocking writes, one after the other, every block once, each with data of its own.
//! What is special is before it (the space is reserved, so that a full disk shows at once) and after it (what is left
//! over at the end, and fsync).

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::{FallocateFlags, fallocate};
use serde::Deserialize;

use crate::error::invalid;
use crate::error::{CoreError, Result};
use crate::file;
use crate::io::Op;
use crate::permit::WritePermit;
use crate::remote;
use crate::result::{Ended, Outcome};
use crate::rng::{self, Purpose};
use crate::run::{self, Run};
use crate::spec::{Arrivals, ClassSpec, GroupSpec, RunSpec, Stable, TargetSpec, path_timeout_s, read};

/// Writes under way at once: enough to keep a device busy while the next data is made.
const DEPTH: u32 = 4;

/// What to fill.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FillSpec {
    /// An existing file.
    pub path: String,
    /// First byte.
    #[serde(default)]
    pub offset_bytes: u64,
    /// Bytes to write; the file grows where it is shorter.
    pub span_bytes: u64,
    /// Bytes of one write.
    pub block_bytes: u32,
    /// Bypass the page cache.
    pub direct: bool,
    /// Seed of the data.
    #[serde(default)]
    pub seed: u64,
    /// How long a path to a server may be silent, as of a run.
    #[serde(default = "path_timeout_s")]
    pub path_timeout_s: f64,
}

/// Starts a fill. Fails with `write-not-permitted`, `disk-full`, `no-direct` and the errors of opening.
pub fn start(json: &str, permit: &WritePermit) -> Result<Run> {
    let (fill, spec) = plan(json)?;
    reserve(&fill, permit)?;
    let permit_after = permit.clone();
    run::start_with(
        spec,
        std::slice::from_ref(permit),
        Box::new(move |outcome| conclude(&fill, &permit_after, outcome)),
    )
}

/// What a request asks for, and the run that does it; checked as far as that goes without opening anything.
pub fn plan(json: &str) -> Result<(FillSpec, RunSpec)> {
    let fill: FillSpec = read(json)?;
    if fill.span_bytes == 0 {
        return Err(invalid("span_bytes is 0, so nothing would be filled"));
    }
    let spec = run_spec(&fill);
    spec.check()?;
    Ok((fill, spec))
}

fn run_spec(fill: &FillSpec) -> RunSpec {
    let block_bytes = u64::from(fill.block_bytes).min(fill.span_bytes) as u32;
    let blocks = fill.span_bytes / u64::from(block_bytes.max(1));
    let class = ClassSpec {
        name: "fill".to_owned(),
        op: Op::Write,
        pattern: "sequential".to_owned(),
        skew: None,
        block_bytes,
        sizes: Vec::new(),
        flush: None,
        weight: 1.0,
        sync: false,
    };
    let group = GroupSpec {
        name: "fill".to_owned(),
        engine: if remote::is_remote(&fill.path) { "nfs" } else { "psync" }.to_owned(),
        jobs: 1,
        depth: DEPTH,
        classes: vec![class],
        arrivals: Arrivals::Closed,
        think_us: 0.0,
        targets: None,
        pin: false,
        delay_s: 0.0,
        runtime_s: None,
        ios_max: None,
    };
    let target =
        TargetSpec { path: fill.path.clone(), offset_bytes: fill.offset_bytes, span_bytes: fill.span_bytes };
    RunSpec {
        targets: vec![target],
        stripe_bytes: None,
        direct: fill.direct,
        merge: true,
        groups: vec![group],
        runtime_s: None,
        ios_max: Some(blocks),
        warm_up_s: 0.0,
        begin_unix_ns: None,
        window_s: 1.0,
        give_up_latency_us: None,
        seed: fill.seed,
        // What is kept in the server's memory meanwhile is made durable before a write has ended.
        stable: Stable::None,
        path_timeout_s: fill.path_timeout_s,
        simulation: None,
        fresh_data: true,
    }
}

/// Reserves the space, so that a full disk shows before anything is written. Where the file system cannot reserve, the
/// file is only made long enough.
fn reserve(fill: &FillSpec, permit: &WritePermit) -> Result<()> {
    // NFS 3 has no call for it.
    if remote::is_remote(&fill.path) {
        return Ok(());
    }
    let target = file::open(&fill.path, false, Some(permit))?;
    let end = fill.offset_bytes + fill.span_bytes;
    let size = file::size_bytes(&target.file, &fill.path)?;
    match fallocate(&target.file, FallocateFlags::empty(), fill.offset_bytes, fill.span_bytes) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => lengthen(&target.file, size, end)
            .map_err(|error| write_error(&fill.path, &error, "could not lengthen")),
        // A block device has its space already.
        Err(rustix::io::Errno::NODEV) => Ok(()),
        Err(errno) => {
            // What was reserved until the disk was full is given back.
            let _ = target.file.set_len(size);
            Err(write_error(
                &fill.path,
                &errno.into(),
                &format!("could not reserve {} bytes for", fill.span_bytes),
            ))
        }
    }
}

fn lengthen(file: &File, size: u64, end: u64) -> io::Result<()> {
    if size < end { file.set_len(end) } else { Ok(()) }
}

fn write_error(path: &str, error: &io::Error, attempt: &str) -> CoreError {
    let message = format!("{attempt} {path}");
    match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG) => CoreError::kernel("disk-full", message, error)
            .hint("Free some space, use a smaller --size, or choose another folder."),
        errno => {
            let failed = CoreError::kernel("fill-failed", message, error);
            if remote::is_remote(path) { failed.hint(server_hint(errno)) } else { failed }
        }
    }
}

/// What may be wrong with a server that does not take the data of a scratch file.
fn server_hint(errno: Option<i32>) -> &'static str {
    match errno {
        Some(libc::EIO) => {
            "The server could not write or commit the data; or it starts anew before each COMMIT and loses what was written before (its \
             verifier changes each time), as behind an address that several servers share. Its own log says more."
        }
        Some(
            libc::ECONNREFUSED
            | libc::ECONNRESET
            | libc::ETIMEDOUT
            | libc::EPIPE
            | libc::EHOSTUNREACH
            | libc::ENETUNREACH,
        ) => "The server does not answer any more: see whether it is up (rpcinfo -p HOST), and try again.",
        Some(libc::EAGAIN) => {
            "The server asked to be asked again later for a minute: try again when it is at rest."
        }
        Some(libc::ESTALE) => "Somebody took the scratch file away, or its export was replaced: try again.",
        _ => "The server's own log says more.",
    }
}

/// A fill counts only when it is complete and on the disk.
fn conclude(fill: &FillSpec, permit: &WritePermit, outcome: Result<Outcome>) -> Result<Outcome> {
    let outcome = match outcome {
        Err(error) if error.id == "all-ios-failed" => {
            let reason = error.errno.map(io::Error::from_raw_os_error).unwrap_or(io::ErrorKind::Other.into());
            return Err(write_error(&fill.path, &reason, "could not fill"));
        }
        other => other?,
    };
    // To flush may take minutes, and whoever stopped it waits; the file counts as not filled anyway.
    if outcome.ended == Ended::Stopped {
        return Ok(outcome);
    }
    if let Some(failed) = outcome.io_errors.first() {
        let reason =
            failed.errno.map_or_else(|| io::ErrorKind::WriteZero.into(), io::Error::from_raw_os_error);
        return Err(write_error(&fill.path, &reason, &format!("could not write byte {} of", failed.offset)));
    }
    if remote::is_remote(&fill.path) {
        let (offset_bytes, bytes) = rest(fill);
        remote::open(&fill.path, Some(permit))?.write_durably(offset_bytes, &bytes)?;
        return Ok(outcome);
    }
    let target = file::open(&fill.path, false, Some(permit))?;
    write_rest(fill, &target.file)
        .map_err(|error| write_error(&fill.path, &error, "could not fill the end of"))?;
    target.file.sync_all().map_err(|error| write_error(&fill.path, &error, "could not flush"))?;
    Ok(outcome)
}

/// Writes what is left after the last whole block, through the page cache, which has no alignment to keep.
fn write_rest(fill: &FillSpec, file: &File) -> io::Result<()> {
    let (offset_bytes, bytes) = rest(fill);
    file.write_all_at(&bytes, offset_bytes)
}

/// What is left after the last whole block, and where it belongs.
fn rest(fill: &FillSpec) -> (u64, Vec<u8>) {
    let block_bytes = u64::from(fill.block_bytes).min(fill.span_bytes);
    let rest = fill.span_bytes % block_bytes;
    let mut bytes = vec![0; rest as usize];
    rng::fill(&mut rng::generator(fill.seed, u64::MAX, Purpose::Data), &mut bytes);
    (fill.offset_bytes + fill.span_bytes - rest, bytes)
}
