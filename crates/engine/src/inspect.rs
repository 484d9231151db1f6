//! Looks at a file before it is measured: blocks that were never written are read without asking the disk, and equal
//! ones may be stored once, so both make a device look many times faster than it is.

use std::collections::HashSet;
use std::fs::File;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::os::unix::fs::{FileExt, MetadataExt};

use rustix::fs::{SeekFrom, seek};

use crate::error::{CoreError, Result};
use crate::file::{self, Alignment, Target};
use crate::rng::{self, Purpose};
use crate::sys::fiemap;
use crate::sys::memory::Buffer;

/// Bytes of one sample: the page of most file systems and the smallest unit of most deduplication.
const SAMPLE_BYTES: u64 = 4096;
/// A map of more extents is given up, as it would take minutes and gigabytes.
const EXTENTS_MAX: usize = 4_000_000;
/// Samples of one file; each costs one read.
pub(crate) const SAMPLES_MAX: u32 = 1_000_000;

/// How holes were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The file system's map of extents.
    Fiemap,
    /// SEEK_DATA and SEEK_HOLE.
    SeekHole,
    /// Not at all: a device, or a file system that has neither.
    None,
}

impl Method {
    /// The word in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Fiemap => "fiemap",
            Method::SeekHole => "seek_hole",
            Method::None => "none",
        }
    }
}

/// What there is to know of a file's space; unknown members are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Bytes without any place on the disk.
    pub hole_bytes: Option<u64>,
    /// Bytes with a place that nothing was written to.
    pub unwritten_bytes: Option<u64>,
    /// Pieces that the file lies in.
    pub extents: Option<u64>,
    /// How it was found out.
    pub method: Method,
}

/// What random samples of a file's contents showed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contents {
    /// Blocks of 4 KiB that were read.
    pub samples: u64,
    /// Of these, all zero.
    pub zero_samples: u64,
    /// Of these, not zero and equal to an earlier sample.
    pub duplicate_samples: u64,
}

/// All that was found out about a file or device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// Its length.
    pub size_bytes: u64,
    /// Bytes that the file system has set aside for it.
    pub blocks_bytes: u64,
    /// Where its bytes lie.
    pub space: Space,
    /// What is in it.
    pub contents: Contents,
    /// What direct I/O needs, or why there is none.
    pub direct: Result<Alignment>,
}

/// Inspects `path` and reads `samples` blocks of it, one at a random place of each of as many equal parts.
pub fn inspect(path: &str, samples: u32) -> Result<Findings> {
    if samples > SAMPLES_MAX {
        let message = format!("{samples} samples are more than {SAMPLES_MAX}");
        return Err(CoreError::new("samples-invalid", message));
    }
    let buffered = file::open(path, false, None)?;
    let meta = buffered.file.metadata();
    let meta =
        meta.map_err(|error| CoreError::kernel("target-open", format!("could not examine {path}"), &error))?;
    let size_bytes = file::size_bytes(&buffered.file, path)?;
    let direct = file::open(path, true, None);
    let contents = sample(direct.as_ref().unwrap_or(&buffered), size_bytes, samples)?;
    Ok(Findings {
        size_bytes,
        blocks_bytes: meta.blocks() * 512,
        space: if meta.is_file() { space(&buffered.file, size_bytes) } else { unknown_space() },
        contents,
        direct: direct.map(|target| target.alignment),
    })
}

fn unknown_space() -> Space {
    Space { hole_bytes: None, unwritten_bytes: None, extents: None, method: Method::None }
}

fn space(file: &File, size_bytes: u64) -> Space {
    mapped_space(file, size_bytes).or_else(|| sought_space(file, size_bytes)).unwrap_or_else(unknown_space)
}

fn mapped_space(file: &File, size_bytes: u64) -> Option<Space> {
    let extents = fiemap::extents(file, EXTENTS_MAX).ok().filter(|extents| extents.len() < EXTENTS_MAX)?;
    // An extent may reach beyond the end of the file, where nothing is read.
    let within = |extent: &fiemap::Mapped| {
        (extent.offset_bytes + extent.len_bytes).min(size_bytes).saturating_sub(extent.offset_bytes)
    };
    let mapped: u64 = extents.iter().map(within).sum();
    let written: u64 = extents.iter().filter(|extent| extent.written).map(within).sum();
    Some(Space {
        hole_bytes: Some(size_bytes - mapped.min(size_bytes)),
        unwritten_bytes: Some(mapped - written),
        extents: Some(extents.len() as u64),
        method: Method::Fiemap,
    })
}

/// Holes by seeking. Whether reserved space counts as a hole is the file system's choice, so that stays unknown.
fn sought_space(file: &File, size_bytes: u64) -> Option<Space> {
    let (mut at, mut data_bytes) = (0, 0);
    while at < size_bytes {
        match seek(file, SeekFrom::Data(at)) {
            Ok(start) => {
                at = seek(file, SeekFrom::Hole(start)).ok()?;
                data_bytes += at - start;
            }
            Err(rustix::io::Errno::NXIO) => break,
            Err(_) => return None,
        }
    }
    Some(Space {
        hole_bytes: Some(size_bytes - data_bytes),
        unwritten_bytes: None,
        extents: None,
        method: Method::SeekHole,
    })
}

fn sample(target: &Target, size_bytes: u64, samples: u32) -> Result<Contents> {
    sampled(size_bytes, samples, |bytes, offset_bytes| read_block(target, bytes, offset_bytes))
}

/// What so many blocks of 4 KiB hold, each at a random place of as many equal parts, as `read` brings them.
pub(crate) fn sampled(
    size_bytes: u64,
    samples: u32,
    mut read: impl FnMut(&mut [u8], u64) -> Result<()>,
) -> Result<Contents> {
    let blocks = size_bytes / SAMPLE_BYTES;
    let wanted = u64::from(samples).min(blocks);
    let mut rng = rng::generator(size_bytes, 0, Purpose::Samples);
    let mut buffer = Buffer::new(SAMPLE_BYTES as usize)?;
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let mut seen = HashSet::new();
    let mut contents = Contents::default();
    for part in 0..wanted {
        let first = scaled(blocks, part, wanted);
        let block = first + rng::below(&mut rng, scaled(blocks, part + 1, wanted) - first);
        let bytes = &mut buffer[..SAMPLE_BYTES as usize];
        read(bytes, block * SAMPLE_BYTES)?;
        contents.samples += 1;
        if bytes.iter().all(|&byte| byte == 0) {
            contents.zero_samples += 1;
        } else if !seen.insert(hasher.hash_one(&*bytes)) {
            contents.duplicate_samples += 1;
        }
    }
    Ok(contents)
}

fn scaled(blocks: u64, part: u64, parts: u64) -> u64 {
    (u128::from(blocks) * u128::from(part) / u128::from(parts)) as u64
}

fn read_block(target: &Target, bytes: &mut [u8], offset_bytes: u64) -> Result<()> {
    target.file.read_exact_at(bytes, offset_bytes).map_err(|error| {
        CoreError::kernel(
            "inspect-failed",
            format!("could not read {} at byte {offset_bytes}", target.path),
            &error,
        )
        .hint("Look at the kernel's log (dmesg) for the device.")
    })
}
