//! How an I/O ended, with the buffer that comes back.

use crate::sys::memory::Buffer;

/// How an I/O ended.
pub struct Completion {
    /// The slot that is free again.
    pub slot: u32,
    /// Bytes moved, or a negative error number.
    pub result: i32,
    /// What was submitted with the I/O.
    pub buffer: Option<Buffer>,
}
