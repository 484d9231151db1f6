//! What the kernel and a target can do for the engines, each with the kernel's reason where they cannot. Nothing is
//! assumed from versions: what can be tried is tried.

use std::fs;
use std::io::{self, IoSliceMut};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};
use rustix::io::{ReadWriteFlags, preadv2};

use crate::error::{Result, errno_text};
use crate::file::{self, Target};
use crate::sys::memory::Buffer;
use crate::sys::ring::{self, Mode};

/// Bytes of the reads that are tried, unless the target needs longer ones.
const READ_BYTES: u32 = 4096;

/// Whether something works; if not, the reason in words.
pub type Trial = std::result::Result<(), String>;

/// What was found out about one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abilities {
    /// The form of ring that the kernel grants.
    pub io_uring: std::result::Result<Mode, String>,
    /// sysctl kernel.io_uring_disabled: 0 for all, 1 for privileged processes alone, 2 for nobody; none on kernels before
    /// 6.6, which have no such switch.
    pub io_uring_disabled: Option<u32>,
    /// Reads whose completion is polled for, without an interrupt (io_uring's IOPOLL; fio calls it hipri).
    pub polling: Trial,
    /// Reads that return instead of blocking (RWF_NOWAIT). Without them io_uring hands each read to a worker thread.
    pub nowait: Trial,
    /// The device makes one write durable without emptying its cache; none where that is not known.
    pub fua: Option<bool>,
    /// The device has a cache that forgets without power, so durable writes have to empty it; none where that is not known.
    pub volatile_write_cache: Option<bool>,
}

/// Tries out what works for `path`, opened directly or through the page cache; reads one block of it, writes nothing.
pub fn probe(path: &str, direct: bool) -> Result<Abilities> {
    let target = file::open(path, direct, None)?;
    let bytes = READ_BYTES.max(target.alignment.offset_bytes);
    let size_bytes = file::size_bytes(&target.file, path)?;
    let queue = target.file.metadata().ok().and_then(|meta| queue_folder(&meta));
    let setting = |name: &str| queue.as_ref().and_then(|folder| word(&folder.join(name)));
    Ok(Abilities {
        io_uring: ring::build(1).map(|(_, mode)| mode).map_err(|error| errno_text(&error)),
        io_uring_disabled: word(Path::new("/proc/sys/kernel/io_uring_disabled"))
            .and_then(|word| word.parse().ok()),
        polling: long_enough(size_bytes, bytes).and_then(|()| try_polling(&target, direct, bytes)),
        nowait: long_enough(size_bytes, bytes).and_then(|()| try_nowait(&target, bytes)),
        fua: setting("fua").map(|word| word == "1"),
        volatile_write_cache: setting("write_cache").map(|word| word == "write back"),
    })
}

fn long_enough(size_bytes: u64, bytes: u32) -> Trial {
    if size_bytes >= bytes.into() { Ok(()) } else { Err(format!("the target is shorter than {bytes} bytes")) }
}

fn try_polling(target: &Target, direct: bool, bytes: u32) -> Trial {
    if !direct {
        return Err("polling needs direct i/o".to_owned());
    }
    ring::read_polled(&target.file, bytes).map_err(|error| errno_text(&error))
}

fn try_nowait(target: &Target, bytes: u32) -> Trial {
    let mut buffer = Buffer::new(bytes as usize).map_err(|error| error.message)?;
    match preadv2(
        &target.file,
        &mut [IoSliceMut::new(&mut buffer[..bytes as usize])],
        0,
        ReadWriteFlags::NOWAIT,
    ) {
        // To say that it would block is what it is there for.
        Ok(_) | Err(rustix::io::Errno::AGAIN) => Ok(()),
        Err(errno) => Err(errno_text(&io::Error::from(errno))),
    }
}

/// Where the kernel describes the queue of the device on which a file lies; none for file systems without a device of
/// their own, and for those that span several.
fn queue_folder(meta: &fs::Metadata) -> Option<PathBuf> {
    let device = if meta.file_type().is_block_device() { meta.rdev() } else { meta.dev() };
    let folder = fs::canonicalize(format!("/sys/dev/block/{}:{}", major(device), minor(device))).ok()?;
    // A partition has the queue of its disk, which is the folder above.
    let queues = [folder.join("queue"), folder.parent()?.join("queue")];
    queues.into_iter().find(|queue| queue.is_dir())
}

fn word(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

impl Mode {
    /// The word in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::DeferredPlain => "deferred, without array",
            Mode::Deferred => "deferred",
            Mode::Cooperative => "cooperative",
            Mode::Basic => "basic",
        }
    }
}
