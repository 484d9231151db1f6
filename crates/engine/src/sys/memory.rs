//! Memory for I/O: page-aligned, mapped once, one buffer for each slot.

use std::io;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::error::{CoreError, Result};

/// A huge page of x86-64 and of aarch64 with 4 KiB pages; where they are larger, the advice comes to nothing.
const HUGE_PAGE_BYTES: usize = 2 << 20;
/// Arenas of at least this size lie in huge pages: each buffer is then one piece for the device, not one for each page.
const HUGE_FROM_BYTES: usize = 128 << 10;

/// Page-aligned memory cut into equal buffers. Direct I/O needs the alignment; the kernel may keep pointers into it.
pub struct Arena {
    mapping: NonNull<u8>,
    mapped_bytes: usize,
    base: NonNull<u8>,
    buffer_bytes: usize,
    buffers: usize,
}

// SAFETY: the arena owns its mapping alone and hands out slices only through `&mut self`.
unsafe impl Send for Arena {}

impl Arena {
    /// Maps `buffers` buffers of at least `buffer_bytes` each, every one on pages of its own, all of them zero.
    pub fn new(buffers: usize, buffer_bytes: usize) -> Result<Self> {
        let buffer_bytes = buffer_bytes.next_multiple_of(rustix::param::page_size());
        let bytes = buffers.max(1) * buffer_bytes;
        let mapped_bytes = if bytes >= HUGE_FROM_BYTES {
            bytes.next_multiple_of(HUGE_PAGE_BYTES) + HUGE_PAGE_BYTES
        } else {
            bytes
        };
        let mapping = map(mapped_bytes)?;
        let base = if mapped_bytes > bytes { with_huge_pages(mapping, mapped_bytes) } else { mapping };
        // Every page is touched now, so that none is first touched while a run measures.
        // SAFETY: `base` has at least `bytes` bytes of the fresh mapping behind it.
        unsafe { base.write_bytes(0, bytes) };
        Ok(Self { mapping, mapped_bytes, base, buffer_bytes, buffers })
    }

    /// Bytes of one buffer, a multiple of the page size.
    pub fn buffer_bytes(&self) -> usize {
        self.buffer_bytes
    }

    /// The buffer of one slot.
    pub fn buffer_mut(&mut self, slot: u32) -> &mut [u8] {
        let start = self.start(slot);
        // SAFETY: `start` checked the slot, the buffers do not overlap, and `&mut self` makes the borrow unique.
        unsafe { std::slice::from_raw_parts_mut(start, self.buffer_bytes) }
    }

    /// Address of one slot's buffer, for the kernel.
    pub fn start(&self, slot: u32) -> *mut u8 {
        assert!((slot as usize) < self.buffers, "slot {slot} of {}", self.buffers);
        // SAFETY: the slot is within the mapping, as just asserted.
        unsafe { self.base.as_ptr().add(slot as usize * self.buffer_bytes) }
    }
}

fn map(bytes: usize) -> Result<NonNull<u8>> {
    // SAFETY: a fresh anonymous mapping at an address of the kernel's choice overlaps nothing.
    let mapping = unsafe {
        mmap_anonymous(std::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
    };
    let mapping = mapping.map_err(|errno| {
        let what = format!("could not get {bytes} bytes of memory for buffers");
        CoreError::kernel("out-of-memory", what, &io::Error::from(errno))
            .hint("Use a smaller --depth, --jobs or --block.")
    })?;
    Ok(NonNull::new(mapping.cast()).expect("a successful mapping is never at address 0"))
}

/// The first address of a mapping at which a huge page can begin, after the kernel was asked to use them. It need not
/// follow; then the pages are ordinary ones.
fn with_huge_pages(mapping: NonNull<u8>, mapped_bytes: usize) -> NonNull<u8> {
    let skipped_bytes = mapping.align_offset(HUGE_PAGE_BYTES);
    // SAFETY: the mapping is one huge page longer than needed, so what is skipped is within it.
    let base = unsafe { mapping.add(skipped_bytes) };
    // SAFETY: the range is the rest of the mapping, and this advice changes no contents.
    let _ = unsafe { madvise(base.as_ptr().cast(), mapped_bytes - HUGE_PAGE_BYTES, Advice::LinuxHugepage) };
    base
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` with this length, and no slice outlives `self`.
        let _ = unsafe { munmap(self.mapping.as_ptr().cast(), self.mapped_bytes) };
    }
}
