//! Memory for I/O: page-aligned, mapped once, one buffer for each slot.

use std::io;
use std::ptr::NonNull;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use crate::error::{CoreError, Result};

/// Page-aligned memory cut into equal buffers. Direct I/O needs the alignment; the kernel may keep pointers into it.
pub struct Arena {
    base: NonNull<u8>,
    buffer_bytes: usize,
    buffers: usize,
}

// SAFETY: the arena owns its mapping alone and hands out slices only through `&mut self`.
unsafe impl Send for Arena {}

impl Arena {
    /// Maps `buffers` buffers of at least `buffer_bytes` each, every one on a page of its own.
    pub fn new(buffers: usize, buffer_bytes: usize) -> Result<Self> {
        let buffer_bytes = buffer_bytes.next_multiple_of(rustix::param::page_size());
        let bytes = buffers.max(1) * buffer_bytes;
        // SAFETY: a fresh anonymous mapping at an address of the kernel's choice overlaps nothing.
        let base = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE | MapFlags::POPULATE,
            )
        };
        let base = base.map_err(|errno| {
            let what = format!("could not get {bytes} bytes of memory for buffers");
            CoreError::kernel("out-of-memory", what, &io::Error::from(errno))
                .hint("Use a smaller --depth, --jobs or --block.")
        })?;
        let base = NonNull::new(base.cast()).expect("a successful mapping is never at address 0");
        Ok(Self { base, buffer_bytes, buffers })
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

impl Drop for Arena {
    fn drop(&mut self) {
        let bytes = self.buffers.max(1) * self.buffer_bytes;
        // SAFETY: the mapping was made by `new` with this length, and no slice outlives `self`.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), bytes) };
    }
}
