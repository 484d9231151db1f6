//! Where a file's bytes lie (FS_IOC_FIEMAP): which are written, which only reserved.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Extents fetched by one call; 128 of them are 7 KiB.
const EXTENTS_PER_CALL: usize = 128;
/// `_IOWR('f', 11, struct fiemap)` of linux/fs.h, whose structure is 32 bytes long.
const FS_IOC_FIEMAP: u32 = 0xC020_660B;
/// Dirty pages get their place first, so that the answer is about the disk.
const FIEMAP_FLAG_SYNC: u32 = 0x1;
const FIEMAP_EXTENT_LAST: u32 = 0x1;
const FIEMAP_EXTENT_UNWRITTEN: u32 = 0x800;

/// One stretch of a file that has a place on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapped {
    /// First byte in the file.
    pub offset_bytes: u64,
    /// Length.
    pub len_bytes: u64,
    /// False for a stretch that is reserved and reads as zeros without the disk being asked.
    pub written: bool,
}

/// linux/fiemap.h: struct fiemap_extent.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct RawExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// linux/fiemap.h: struct fiemap, with room for extents.
#[repr(C)]
struct Request {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
    extents: [RawExtent; EXTENTS_PER_CALL],
}

/// The mapped extents of a file in order, at most `extents_max` of them; fails where the file system has no such map.
pub fn extents(file: &File, extents_max: usize) -> io::Result<Vec<Mapped>> {
    let mut found = Vec::new();
    let mut start = 0;
    while found.len() < extents_max {
        let batch = fetch(file, start)?;
        let Some(last) = batch.last() else { break };
        start = last.logical + last.length;
        let ended = last.flags & FIEMAP_EXTENT_LAST != 0;
        found.extend(batch.iter().map(|raw| Mapped {
            offset_bytes: raw.logical,
            len_bytes: raw.length,
            written: raw.flags & FIEMAP_EXTENT_UNWRITTEN == 0,
        }));
        if ended {
            break;
        }
    }
    Ok(found)
}

fn fetch(file: &File, start: u64) -> io::Result<Vec<RawExtent>> {
    let mut request = Request {
        start,
        length: u64::MAX - start,
        flags: FIEMAP_FLAG_SYNC,
        mapped_extents: 0,
        extent_count: EXTENTS_PER_CALL as u32,
        reserved: 0,
        extents: [RawExtent::default(); EXTENTS_PER_CALL],
    };
    // SAFETY: the structure has the kernel's layout and says how many extents there is room for.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP as libc::Ioctl, &raw mut request) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(request.extents[..request.mapped_extents as usize].to_vec())
}
