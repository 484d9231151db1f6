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
}

// SAFETY: a mapping has one owner, and its memory belongs to no thread.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Memory that nobody has touched, on `node` or wherever the kernel takes it.
    pub fn new(bytes: usize, node: Option<usize>, huge: bool) -> io::Result<Self> {
        // SAFETY: no address is asked for, so that nothing that is there is replaced.
        let start = unsafe {
            mmap_anonymous(std::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
        }?;
        let start = NonNull::new(start.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let mapping = Self { start, bytes };
        let advice = if huge { Advice::LinuxHugepage } else { Advice::LinuxNoHugepage };
        // SAFETY: the whole mapping is ours, and the advice changes nothing that is in it.
        let advised = unsafe { madvise(start.as_ptr().cast(), bytes, advice) };
        if huge {
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
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
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
