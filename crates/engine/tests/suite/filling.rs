//! Filling a file, and finding what was not filled.

use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::common::*;
use plimsoll_engine::inspect::{Method, inspect};
use plimsoll_engine::result::{Ended, Outcome};
use plimsoll_engine::{Result, fill};
use serde_json::json;

const MIB: u64 = 1 << 20;

fn try_fill(path: &Path, offset_bytes: u64, span_bytes: u64, block_bytes: u64) -> Result<Outcome> {
    fill::start(&spec(path, offset_bytes, span_bytes, block_bytes), &permit(path))?.collect()
}

fn spec(path: &Path, offset_bytes: u64, span_bytes: u64, block_bytes: u64) -> String {
    let spec = json!({
        "path": path, "offset_bytes": offset_bytes, "span_bytes": span_bytes, "block_bytes": block_bytes,
        "direct": false, "seed": 3,
    });
    spec.to_string()
}

fn empty_file(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("fresh");
    File::create(&path).expect("the scratch folder is writable");
    path
}

/// Shannon entropy in bits for each byte; random data has nearly 8.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0f64; 256];
    bytes.iter().for_each(|&byte| counts[byte as usize] += 1.0);
    let shares = counts.iter().map(|count| count / bytes.len() as f64).filter(|&share| share > 0.0);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

#[test]
fn a_fill_writes_every_byte_with_data_that_cannot_be_saved() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = empty_file(folder.path());
    let odd_bytes = 4 * MIB + 12_345;
    let outcome = try_fill(&path, 0, odd_bytes, 256 * 1024).expect("there is space");
    assert_eq!(run_rows(&outcome)[0].ios, 16, "every whole block is written once");
    let bytes = fs::read(&path).expect("the file reads");
    assert_eq!(bytes.len() as u64, odd_bytes);
    assert!(entropy(&bytes) > 7.999, "{}", entropy(&bytes));
    let mut seen = HashSet::new();
    assert!(bytes.chunks_exact(512).all(|sector| seen.insert(sector)), "no sector is there twice");
    assert!(bytes[bytes.len() - 12_345..].iter().any(|&byte| byte != 0), "the end is written too");
    let found = inspect(path.to_str().expect("the path is text"), 200).expect("the file can be read");
    assert_eq!((found.contents.zero_samples, found.contents.duplicate_samples), (0, 0));
    assert_eq!(found.space.hole_bytes.unwrap_or(0), 0);
    assert_eq!(found.space.unwritten_bytes.unwrap_or(0), 0);
}

#[test]
fn a_fill_leaves_what_is_around_it_alone() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = numbered_file(folder.path());
    try_fill(&path, 65536, 65536, 16384).expect("there is space");
    let bytes = fs::read(&path).expect("the file reads");
    assert_eq!(bytes.len() as u64, FILE_BYTES);
    for (number, block) in bytes.chunks(4096).enumerate() {
        assert_eq!(block == block_of(number as u64), !(16..32).contains(&number), "block {number}");
    }
}

#[test]
fn a_fill_that_cannot_be_is_refused_before_it_begins() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = empty_file(folder.path());
    let full = try_fill(&path, 0, 1 << 50, MIB).expect_err("no disk has a pebibyte");
    assert_eq!(full.id, "disk-full", "{full}");
    assert!(full.hint.is_some());
    assert_eq!(fs::metadata(&path).expect("the file is there").len(), 0, "what was reserved is given back");
    let nothing = try_fill(&path, 0, 0, MIB).expect_err("there is nothing to write");
    assert_eq!(nothing.id, "spec-invalid");
    for block_bytes in [0, 100, 1 << 30] {
        let refused = try_fill(&path, 0, 2 << 30, block_bytes).expect_err("no block is so short or so long");
        assert!(refused.message.contains("block_bytes of class fill"), "{refused}");
        assert_eq!(fs::metadata(&path).expect("the file is there").len(), 0, "nothing was reserved");
    }
    let other = numbered_file(folder.path());
    let spec = json!({"path": path, "span_bytes": MIB, "block_bytes": 65536, "direct": false}).to_string();
    let wrong = fill::start(&spec, &permit(&other)).err().expect("the permit is for another file");
    assert_eq!(wrong.id, "write-not-permitted");
}

#[test]
fn a_fill_that_was_stopped_ends_without_another_look_at_its_file() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = empty_file(folder.path());
    let mut run = fill::start(&spec(&path, 0, 64 * MIB, 4096), &permit(&path)).expect("there is space");
    run.stop();
    // To flush it, it would have to be opened anew.
    fs::remove_file(&path).expect("the file is there");
    let outcome = run.collect().expect("a fill that was stopped has a result");
    assert_eq!(outcome.ended, Ended::Stopped);
}

#[test]
fn holes_are_found_and_so_is_what_was_only_reserved() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("sparse");
    let file = File::create(&path).expect("the scratch folder is writable");
    file.set_len(16 * MIB).expect("a file can be long");
    let name = path.to_str().expect("the path is text");
    let sparse = inspect(name, 64).expect("the file can be read");
    assert_eq!(sparse.size_bytes, 16 * MIB);
    assert_eq!(sparse.contents.samples, 64);
    assert_eq!(sparse.contents.zero_samples, 64);
    assert_ne!(sparse.space.method, Method::None);
    assert_eq!(sparse.space.hole_bytes, Some(16 * MIB));

    let reserve = rustix::fs::FallocateFlags::empty();
    rustix::fs::fallocate(&file, reserve, 0, 8 * MIB).expect("the scratch file system can reserve");
    file.write_all_at(&vec![1; MIB as usize], 0).and_then(|()| file.sync_all()).expect("there is space");
    let partly = inspect(name, 0).expect("the file can be read");
    // Without a map of extents, reserved space may count as a hole or as data: that is the file system's choice.
    if partly.space.method == Method::Fiemap {
        assert_eq!(partly.space.unwritten_bytes, Some(7 * MIB));
        assert_eq!(partly.space.hole_bytes, Some(8 * MIB));
    }
}

#[test]
fn equal_blocks_are_noticed() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("same");
    fs::write(&path, b"plimsoll".repeat(1 << 17)).expect("the scratch folder has space");
    let found = inspect(path.to_str().expect("the path is text"), 100).expect("the file can be read");
    assert_eq!(found.contents.duplicate_samples, 99, "all samples but the first are like an earlier one");
    assert_eq!(found.contents.zero_samples, 0);
}

#[test]
fn a_small_file_has_no_more_samples_than_blocks() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let path = folder.path().join("small");
    fs::write(&path, vec![7; 10_000]).expect("the scratch folder has space");
    let found = inspect(path.to_str().expect("the path is text"), 100).expect("the file can be read");
    assert_eq!((found.size_bytes, found.contents.samples), (10_000, 2));
    let missing = inspect("/nowhere/at/all", 1).expect_err("there is no such file");
    assert_eq!((missing.id, missing.errno), ("target-open", Some(libc::ENOENT)));
}
