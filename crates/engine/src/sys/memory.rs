//! Memory for I/O: page-aligned, mapped once, cut into buffers that each have one owner.
//!
//! The kernel writes into a buffer while an I/O is under way. So a [`Buffer`] is moved into the I/O and moved back out of
//! its completion; in between nobody has it, which the compiler checks.

use std::io;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::error::{CoreError, Result};

/// A huge page of x86-64 and of aarch64 with 4 KiB pages; where they are larger, the advice comes to nothing.
const HUGE_PAGE_BYTES: usize = 2 << 20;
/// Mappings of at least this size lie in huge pages: each buffer is then one piece for the device, not one for each page.
const HUGE_FROM_BYTES: usize = 128 << 10;

/// Memory of the kernel's, given back when the last buffer in it is gone.
struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a mapping only says what to give back; its memory is reached through buffers, which do not overlap.
unsafe impl Send for Mapping {}
// SAFETY: nothing can be done with a shared one.
unsafe impl Sync for Mapping {}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this length, and the last buffer in it is gone.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// One buffer's stretch of a mapping, on pages of its own.
struct Part {
    start: NonNull<u8>,
    bytes: usize,
    /// Its number among those that were cut from the mapping.
    index: u32,
    _mapping: Arc<Mapping>,
}

// SAFETY: a part is the only one that reaches its stretch of the mapping.
unsafe impl Send for Part {}

/// Memory for one I/O, page-aligned as direct I/O needs it; a slice to whoever owns it, and one pointer to move.
///
/// Who submits an I/O gives its buffer away, and so cannot touch it while the kernel does:
///
/// ```
/// # use plimsoll_engine::engines::Engine;
/// # use plimsoll_engine::io::Io;
/// # use plimsoll_engine::sys::memory::Buffer;
/// fn write(engine: &mut dyn Engine, io: &Io, mut buffer: Buffer) {
///     buffer[0] = 1;
///     engine.submit(io, Some(buffer));
/// }
/// ```
///
/// ```compile_fail,E0382
/// # use plimsoll_engine::engines::Engine;
/// # use plimsoll_engine::io::Io;
/// # use plimsoll_engine::sys::memory::Buffer;
/// fn write(engine: &mut dyn Engine, io: &Io, mut buffer: Buffer) {
///     engine.submit(io, Some(buffer));
///     buffer[0] = 1;
/// }
/// ```
///
/// Nor can a part of it be kept:
///
/// ```compile_fail,E0505
/// # use plimsoll_engine::engines::Engine;
/// # use plimsoll_engine::io::Io;
/// # use plimsoll_engine::sys::memory::Buffer;
/// fn write(engine: &mut dyn Engine, io: &Io, mut buffer: Buffer) {
///     let first = &mut buffer[0];
///     engine.submit(io, Some(buffer));
///     *first = 1;
/// }
/// ```
///
/// And there is no second one of the same memory:
///
/// ```
/// # use plimsoll_engine::sys::memory::Buffer;
/// fn moved<T: Send>() {}
/// moved::<Buffer>();
/// ```
///
/// ```compile_fail,E0277
/// # use plimsoll_engine::sys::memory::Buffer;
/// fn doubled<T: Clone>() {}
/// doubled::<Buffer>();
/// ```
pub struct Buffer(Box<Part>);

impl Buffer {
    /// A buffer of at least so many bytes, rounded up to whole pages, all of them zero.
    pub fn new(bytes: usize) -> Result<Self> {
        Ok(Self::carve(1, bytes)?.remove(0))
    }

    /// As many such buffers next to each other.
    pub fn carve(buffers: usize, bytes: usize) -> Result<Vec<Self>> {
        let bytes = bytes.checked_next_multiple_of(rustix::param::page_size());
        let all_bytes = bytes.and_then(|bytes| bytes.checked_mul(buffers.max(1))).unwrap_or(usize::MAX);
        let (mapping, base) = mapped(all_bytes)?;
        let (mapping, bytes) = (Arc::new(mapping), all_bytes / buffers.max(1));
        let part = |index: usize| {
            // SAFETY: so many buffers lie one behind the other from `base` on, all within the mapping.
            let start = unsafe { base.add(index * bytes) };
            Self(Box::new(Part { start, bytes, index: index as u32, _mapping: Arc::clone(&mapping) }))
        };
        Ok((0..buffers).map(part).collect())
    }

    /// Takes the buffer out of reach, for as long as the kernel may use it.
    pub(super) fn lend(self) -> Lent {
        watched::forbid(&self);
        Lent(ManuallyDrop::new(self.0))
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: this is the only owner of the stretch, which stays mapped for as long as the part lives.
        unsafe { std::slice::from_raw_parts(self.0.start.as_ptr(), self.0.bytes) }
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` makes the borrow unique.
        unsafe { std::slice::from_raw_parts_mut(self.0.start.as_ptr(), self.0.bytes) }
    }
}

/// A buffer that the kernel may be using. Nobody can read or write it; and one that is dropped is never given back to the
/// system, since the kernel could still write into it.
pub(super) struct Lent(ManuallyDrop<Box<Part>>);

impl Lent {
    /// Its address, for the kernel.
    pub(super) fn start(&self) -> *mut u8 {
        self.0.start.as_ptr()
    }

    /// Address of the first of `len` bytes from `skip` on, which are within the buffer.
    pub(super) fn at(&self, skip: u32, len: u32) -> *mut u8 {
        let end = skip as usize + len as usize;
        assert!(end <= self.0.bytes, "an i/o stays within its buffer: byte {end} of {}", self.0.bytes);
        // SAFETY: `skip` is within the buffer, as just asserted.
        unsafe { self.start().add(skip as usize) }
    }

    /// Its number among the buffers that were made together.
    pub(super) fn index(&self) -> u32 {
        self.0.index
    }

    /// Its owner's again.
    ///
    /// # Safety
    /// The kernel has no use for the buffer any more: its I/O has completed, or was never taken.
    pub(super) unsafe fn back(self) -> Buffer {
        let buffer = Buffer(ManuallyDrop::into_inner(self.0));
        watched::allow(&buffer);
        buffer
    }
}

/// Under the address sanitizer whoever touches a buffer that is lent is found out, whatever the types say.
#[cfg(plimsoll_asan)]
mod watched {
    use super::Buffer;

    unsafe extern "C" {
        fn __asan_poison_memory_region(start: *const u8, bytes: usize);
        fn __asan_unpoison_memory_region(start: *const u8, bytes: usize);
    }

    pub(super) fn forbid(buffer: &Buffer) {
        // SAFETY: the region is the buffer's, and this changes nothing in it.
        unsafe { __asan_poison_memory_region(buffer.0.start.as_ptr(), buffer.0.bytes) }
    }

    pub(super) fn allow(buffer: &Buffer) {
        // SAFETY: as above.
        unsafe { __asan_unpoison_memory_region(buffer.0.start.as_ptr(), buffer.0.bytes) }
    }
}

#[cfg(not(plimsoll_asan))]
mod watched {
    pub(super) fn forbid(_: &super::Buffer) {}
    pub(super) fn allow(_: &super::Buffer) {}
}

/// So many bytes, all zero, from an address on at which a page begins, and the mapping that they lie in.
fn mapped(bytes: usize) -> Result<(Mapping, NonNull<u8>)> {
    let huge =
        bytes.checked_next_multiple_of(HUGE_PAGE_BYTES).and_then(|huge| huge.checked_add(HUGE_PAGE_BYTES));
    let mapping = map(if bytes >= HUGE_FROM_BYTES { huge.unwrap_or(usize::MAX) } else { bytes })?;
    let base = if mapping.bytes > bytes { with_huge_pages(&mapping) } else { mapping.start };
    // Every page is touched now, so that none is first touched while a run measures.
    // SAFETY: `base` has at least `bytes` bytes of the fresh mapping behind it.
    unsafe { base.write_bytes(0, bytes) };
    Ok((mapping, base))
}

fn map(bytes: usize) -> Result<Mapping> {
    // SAFETY: a fresh anonymous mapping at an address of the kernel's choice overlaps nothing.
    let start = unsafe {
        mmap_anonymous(std::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
    };
    let start = start.map_err(|errno| {
        let what = format!("could not get {bytes} bytes of memory for buffers");
        CoreError::kernel("out-of-memory", what, &io::Error::from(errno))
            .hint("Use a smaller --depth, --jobs or --block.")
    })?;
    Ok(Mapping {
        start: NonNull::new(start.cast()).expect("a successful mapping is never at address 0"),
        bytes,
    })
}

/// The first address of a mapping at which a huge page can begin, after the kernel was asked to use them. It need not
/// follow; then the pages are ordinary ones.
fn with_huge_pages(mapping: &Mapping) -> NonNull<u8> {
    let skipped_bytes = mapping.start.align_offset(HUGE_PAGE_BYTES);
    // SAFETY: the mapping is one huge page longer than needed, so what is skipped is within it.
    let base = unsafe { mapping.start.add(skipped_bytes) };
    // SAFETY: the range is the rest of the mapping, and this advice changes no contents.
    let _ = unsafe { madvise(base.as_ptr().cast(), mapping.bytes - HUGE_PAGE_BYTES, Advice::LinuxHugepage) };
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_page_aligned_zero_and_apart() {
        for (buffers, bytes) in [(1, 1), (3, 4096), (64, 5000), (2, 1 << 20)] {
            let mut all = Buffer::carve(buffers, bytes).expect("there is memory");
            assert_eq!(all.len(), buffers);
            for (index, buffer) in all.iter_mut().enumerate() {
                assert_eq!(buffer.as_ptr().align_offset(rustix::param::page_size()), 0);
                assert!(buffer.len() >= bytes && buffer.iter().all(|&byte| byte == 0));
                buffer.fill(index as u8 + 1);
            }
            assert!(
                all.iter()
                    .enumerate()
                    .all(|(index, buffer)| buffer.iter().all(|&byte| byte == index as u8 + 1))
            );
        }
        assert_eq!(size_of::<Option<Buffer>>(), size_of::<usize>(), "to move one is to move a pointer");
    }

    #[test]
    fn memory_goes_with_its_last_buffer_unless_the_kernel_has_one() {
        let of = |buffer: &Buffer| Arc::downgrade(&buffer.0._mapping);
        let mut two = Buffer::carve(2, 4096).expect("there is memory");
        let mapping = of(&two[0]);
        drop(two.remove(0));
        assert!(mapping.upgrade().is_some());
        drop(two);
        assert!(mapping.upgrade().is_none());
        let lone = Buffer::new(4096).expect("there is memory");
        let mapping = of(&lone);
        let _ = Some(lone.lend());
        assert!(mapping.upgrade().is_some());
    }

    #[test]
    fn more_than_there_can_be_is_an_error() {
        for (buffers, bytes) in [(1, usize::MAX), (usize::MAX, 4096), (1 << 20, 1 << 44)] {
            let error = Buffer::carve(buffers, bytes).err().expect("nobody has so much");
            assert_eq!(error.id, "out-of-memory");
        }
    }
}
