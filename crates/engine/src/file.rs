//! Opens targets: directly where asked, for writing only with a permit, and with the alignment that they need.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};

use rustix::fs::{SeekFrom, StatxFlags, seek, statx};

use crate::error::{CoreError, Result};
use crate::permit::WritePermit;
use crate::spec::{ClassSpec, RunSpec, TargetSpec};
use crate::sys::memory::Buffer;

/// Alignments to try, smallest first, where the kernel does not tell.
const ALIGNMENTS_TRIED: [u32; 4] = [512, 1024, 2048, 4096];

/// What direct I/O needs of offsets, lengths and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alignment {
    /// Offsets and lengths are multiples of this.
    pub offset_bytes: u32,
    /// Addresses are multiples of this.
    pub memory_bytes: u32,
}

/// One opened target.
#[derive(Debug)]
pub struct Target {
    /// The open file or device.
    pub file: File,
    /// Where it was found.
    pub path: String,
    /// 1 and 1 where I/O goes through the page cache.
    pub alignment: Alignment,
}

/// Opens every target of a run and checks it against the specification.
pub fn open_all(spec: &RunSpec, permits: &[WritePermit]) -> Result<Vec<Target>> {
    (0..spec.targets.len()).map(|index| open_one(spec, index, permits)).collect()
}

fn open_one(spec: &RunSpec, index: usize, permits: &[WritePermit]) -> Result<Target> {
    let wanted = &spec.targets[index];
    let permit = if spec.writes_to(index) { Some(needed(&wanted.path, permits)?) } else { None };
    let target = open(&wanted.path, spec.direct, permit)?;
    check_size(&target, wanted)?;
    check_blocks(&target, wanted, spec, index)?;
    Ok(target)
}

/// The permit for that path; with one permit only it is that one, and the comparison after opening tells whether it fits.
pub(crate) fn needed<'a>(path: &str, permits: &'a [WritePermit]) -> Result<&'a WritePermit> {
    permits.iter().find(|permit| permit.path == path).or(permits.first()).ok_or_else(|| {
        CoreError::new("write-not-permitted", format!("writing to {path} needs a permit, and none was given"))
            .hint("Writes go only to scratch files of our own, or to a target that was confirmed by name.")
    })
}

/// Opens one path; for writing exactly when a permit is given, which must name this very file.
pub fn open(path: &str, direct: bool, permit: Option<&WritePermit>) -> Result<Target> {
    check_kind(path)?;
    let flags = if direct { libc::O_DIRECT | libc::O_CLOEXEC } else { libc::O_CLOEXEC };
    let file = OpenOptions::new().read(true).write(permit.is_some()).custom_flags(flags).open(path);
    let file = file.map_err(|error| refusal(path, direct, permit.is_some(), &error))?;
    if let Some(permit) = permit {
        check_permit(&file, path, permit)?;
    }
    let alignment =
        if direct { alignment(&file, path)? } else { Alignment { offset_bytes: 1, memory_bytes: 1 } };
    Ok(Target { file, path: path.to_owned(), alignment })
}

/// Only files and block devices hold data at offsets; to open a pipe could even wait for ever.
fn check_kind(path: &str) -> Result<()> {
    let meta = std::fs::metadata(path).map_err(|error| refusal(path, false, false, &error))?;
    let kind = meta.file_type();
    if kind.is_file() || kind.is_block_device() {
        return Ok(());
    }
    let what = if kind.is_dir() { "a folder" } else { "neither a file nor a block device" };
    Err(CoreError::new("target-open", format!("could not open {path}: it is {what}"))
        .hint("Name a file or a block device; in a folder a scratch file can be made."))
}

/// The identity of the opened file decides, not its name: a name can point elsewhere a moment later.
fn check_permit(file: &File, path: &str, permit: &WritePermit) -> Result<()> {
    let meta = file
        .metadata()
        .map_err(|error| CoreError::kernel("target-open", format!("could not examine {path}"), &error))?;
    if (meta.dev(), meta.ino(), meta.rdev()) == (permit.device, permit.inode, permit.number) {
        return Ok(());
    }
    let message = format!(
        "the permit is for device {} inode {} ({}), but {path} is device {} inode {}",
        permit.device,
        permit.inode,
        permit.path,
        meta.dev(),
        meta.ino()
    );
    Err(CoreError::new("write-not-permitted", message)
        .hint("Nothing was written. Something replaced the file after it was confirmed: confirm it again."))
}

fn refusal(path: &str, direct: bool, write: bool, error: &io::Error) -> CoreError {
    let refused = CoreError::kernel("target-open", format!("could not open {path}"), error);
    match error.raw_os_error() {
        Some(libc::EINVAL) if direct => no_direct(path, error),
        Some(libc::ENOENT) => refused.hint("Check the path; a file that is to be made needs --size."),
        Some(libc::EACCES | libc::EPERM) if write => {
            refused.hint("Writing needs write permission: run as its owner, or choose another target.")
        }
        Some(libc::EACCES | libc::EPERM) => refused
            .hint("Reading needs read permission: run as its owner or as root, or choose another target."),
        _ => refused,
    }
}

fn no_direct(path: &str, error: &io::Error) -> CoreError {
    CoreError::kernel("no-direct", format!("the file system of {path} refuses direct I/O"), error).hint(
        "Choose a target on another file system, or use --no-direct; then the page cache answers many reads, and the \
         result is not the storage's alone.",
    )
}

/// Bytes of a file or device, by seeking to its end, which works for both.
pub fn size_bytes(file: &File, path: &str) -> Result<u64> {
    seek(file, SeekFrom::End(0)).map_err(|errno| {
        CoreError::kernel("target-open", format!("could not find the size of {path}"), &errno.into())
    })
}

fn check_size(target: &Target, wanted: &TargetSpec) -> Result<()> {
    let size = size_bytes(&target.file, &target.path)?;
    let end = wanted.offset_bytes + wanted.span_bytes;
    if end <= size {
        return Ok(());
    }
    let message = format!("{} has {size} bytes, and the span ends at byte {end}", target.path);
    Err(CoreError::new("target-too-small", message)
        .hint("Use a smaller --size, or fill the file first with --prefill."))
}

fn check_blocks(target: &Target, wanted: &TargetSpec, spec: &RunSpec, index: usize) -> Result<()> {
    let unit = target.alignment.offset_bytes;
    let misaligned = |what: &str, bytes: u64| {
        let message =
            format!("{what} of {bytes} bytes is no multiple of {unit}, which {} needs", target.path);
        CoreError::new("block-misaligned", message).hint(format!(
            "Use a multiple of {unit} bytes, or --no-direct; then the page cache answers many reads."
        ))
    };
    if !wanted.offset_bytes.is_multiple_of(u64::from(unit)) {
        return Err(misaligned("an offset", wanted.offset_bytes));
    }
    let groups = spec.groups.iter().filter(|group| group.uses(index));
    let mut sizes = groups.flat_map(|group| &group.classes).flat_map(ClassSpec::all_sizes);
    match sizes.find(|bytes| !bytes.is_multiple_of(unit)) {
        Some(bytes) => Err(misaligned("a block", bytes.into())),
        None => Ok(()),
    }
}

/// What direct I/O on an open file needs: as `statx` says (STATX_DIOALIGN, Linux 6.1), else by trying.
pub fn alignment(file: &File, path: &str) -> Result<Alignment> {
    match told_alignment(file) {
        Some(told) if told.offset_bytes == 0 => {
            Err(no_direct(path, &io::Error::from_raw_os_error(libc::EINVAL)))
        }
        Some(told) => Ok(told),
        None => tried_alignment(file, path),
    }
}

fn told_alignment(file: &File) -> Option<Alignment> {
    let told = statx(file, c"", rustix::fs::AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN).ok()?;
    if told.stx_mask & StatxFlags::DIOALIGN.bits() == 0 {
        return None;
    }
    Some(Alignment { offset_bytes: told.stx_dio_offset_align, memory_bytes: told.stx_dio_mem_align })
}

/// Reads the first bytes with ever larger units until the kernel does not refuse. Memory is page-aligned anyway.
fn tried_alignment(file: &File, path: &str) -> Result<Alignment> {
    let mut buffer = Buffer::new(4096)?;
    let mut last = io::Error::from_raw_os_error(libc::EINVAL);
    for unit in ALIGNMENTS_TRIED {
        match file.read_at(&mut buffer[..unit as usize], 0) {
            Ok(_) => return Ok(Alignment { offset_bytes: unit, memory_bytes: unit }),
            Err(error) => last = error,
        }
    }
    Err(no_direct(path, &last))
}
