//! What no safe crate offers of sockets; the only file here with `unsafe`.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// From how many bytes on a socket counts as one from which can be read (SO_RCVLOWAT).
pub fn set_low_water(socket: BorrowedFd, bytes: usize) -> io::Result<()> {
    let value = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    let size = size_of_val(&value) as libc::socklen_t;
    // SAFETY: the kernel reads as many bytes at that address as it is told that there are, and keeps none of them.
    let failed = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_RCVLOWAT,
            (&raw const value).cast(),
            size,
        )
    };
    if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
