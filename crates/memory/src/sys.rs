//! What the kernel is asked for: memory on a node, in pages of a size, and a CPU for a thread. Only here, and where arrays
//! are walked past the compiler, is code that it does not check.
#![allow(unsafe_code)]

use std::io;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
use rustix::thread::{CpuSet, sched_setaffinity};

/// Pages are taken from these nodes alone (`MPOL_BIND`, set_mempolicy(2)).
const BIND: libc::c_int = 2;
const NODES_MAX: usize = 1024;
const WORD_BITS: usize = usize::BITS as usize;

/// Memory of the kernel's, aligned to pages, given back when it is dropped.
pub struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
    /// What is given back: for huge pages the mapping begins before it, and ends behind it.
    mapped: (NonNull<u8>, usize),
}

// SAFETY: a mapping has one owner, and its memory belongs to no thread.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Memory that nobody has touched, on `node` or wherever the kernel takes it; for huge pages of so many bytes it begins where one
    /// of them can, which not every kernel sees to by itself.
    pub fn new(bytes: usize, node: Option<usize>, huge: Option<usize>) -> io::Result<Self> {
        let whole = bytes.checked_add(huge.unwrap_or(0)).ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: no address is asked for, so that nothing that is there is replaced.
        let first = unsafe {
            mmap_anonymous(std::ptr::null_mut(), whole, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
        }?;
        let first = NonNull::new(first.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let before = huge.map_or(0, |page| first.addr().get().next_multiple_of(page) - first.addr().get());
        // SAFETY: there is a page more than is used, and what is skipped is less than that.
        let start = unsafe { first.add(before) };
        let mapping = Self { start, bytes, mapped: (first, whole) };
        let advice = if huge.is_some() { Advice::LinuxHugepage } else { Advice::LinuxNoHugepage };
        // SAFETY: the whole mapping is ours, and the advice changes nothing that is in it.
        let advised = unsafe { madvise(start.as_ptr().cast(), bytes, advice) };
        if huge.is_some() {
            advised?; // a kernel without huge pages has only small ones, and need not be told
        }
        node.map_or(Ok(()), |node| mapping.bind(node))?;
        Ok(mapping)
    }

    /// Lets the kernel take its pages from one node alone (mbind(2)).
    fn bind(&self, node: usize) -> io::Result<()> {
        if node >= NODES_MAX {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut mask = [0_usize; NODES_MAX / WORD_BITS];
        mask[node / WORD_BITS] = 1 << (node % WORD_BITS);
        // SAFETY: the mapping is ours, and the kernel reads as many bits of the mask as are said to be there.
        let done = unsafe {
            libc::syscall(
                libc::SYS_mbind,
                self.start.as_ptr(),
                self.bytes,
                BIND,
                mask.as_ptr(),
                NODES_MAX + 1, // the kernel takes one off
                0,
            )
        };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// How many of its bytes are in transparent huge pages, as the kernel tells now (proc_pid_smaps(5)); none: it does not.
    pub fn huge_bytes(&self) -> Option<usize> {
        let start = self.start.addr().get();
        let told = std::fs::read_to_string("/proc/self/smaps").ok()?;
        huge_within(&told, start, start + self.bytes)
    }

    /// Its memory as words.
    pub fn words(&mut self) -> &mut [u64] {
        // SAFETY: the memory is ours alone, aligned to pages, zero where nobody has written, and any bits are a number.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.bytes / size_of::<u64>()) }
    }

    /// Its memory as doubles.
    pub fn doubles(&mut self) -> &mut [f64] {
        // SAFETY: as for words.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.bytes / size_of::<f64>()) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this length, and whoever had its memory borrowed is done.
        let _ = unsafe { munmap(self.mapped.0.as_ptr().cast(), self.mapped.1) };
    }
}

/// Bytes in huge pages between two addresses; none: no mapping there tells.
fn huge_within(smaps: &str, start: usize, end: usize) -> Option<usize> {
    let (mut is_within, mut found) = (false, None);
    for line in smaps.lines() {
        if let Some((from, to)) = addresses(line) {
            is_within = from < end && start < to;
        } else if let (true, Some(told)) = (is_within, line.strip_prefix("AnonHugePages:")) {
            let kib: usize = told.trim().strip_suffix(" kB")?.parse().ok()?;
            found = Some(found.unwrap_or(0) + kib * 1024);
        }
    }
    Some(found?.min(end - start)) // a neighbour's pages may be told in one with ours
}

/// Of the first line of a mapping: `7f00-7f10 rw-p …`.
pub fn addresses(line: &str) -> Option<(usize, usize)> {
    let (from, to) = line.split_once(' ')?.0.split_once('-')?;
    Some((usize::from_str_radix(from, 16).ok()?, usize::from_str_radix(to, 16).ok()?))
}

/// Binds the calling thread to a CPU.
pub fn pin(cpu: usize) -> io::Result<()> {
    if cpu >= CpuSet::MAX_CPU {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "1000-3000 rw-p 00000000 00:00 0 \nRss: 8 kB\nAnonHugePages:         4 kB\n\
        3000-7000 rw-p 00000000 00:00 0 [heap]\nAnonHugePages:         8 kB\nVmFlags: rd wr\n\
        9000-a000 r--p 00000000 08:01 7 /lib/a-b\nRss: 4 kB\n";

    #[test]
    fn huge_pages_are_those_between_the_addresses() {
        assert_eq!(huge_within(SMAPS, 0x3000, 0x7000), Some(8192));
        assert_eq!(huge_within(SMAPS, 0x1000, 0x7000), Some(12288));
        assert_eq!(huge_within(SMAPS, 0x3000, 0x4000), Some(4096));
        assert_eq!(huge_within(SMAPS, 0x7000, 0x8000), None);
        assert_eq!(huge_within(SMAPS, 0x9000, 0xa000), None);
    }

    /// Far larger ones than those that the kernel sees to by itself, so that none begins there by chance.
    #[test]
    fn memory_begins_where_a_huge_page_can() {
        const PAGE: usize = 256 << 20;
        match Mapping::new(PAGE, None, Some(PAGE)) {
            Ok(mut mapping) => assert!(mapping.words().as_ptr().addr().is_multiple_of(PAGE)),
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::EINVAL), "a kernel that has none"),
        }
    }

    #[test]
    fn small_pages_are_told_as_no_huge_ones() {
        let mut mapping = Mapping::new(4 << 20, None, None).unwrap();
        mapping.words().fill(1);
        assert!(matches!(mapping.huge_bytes(), Some(0) | None));
    }
}
