//! What each system call is to a commit, by its number on this processor, as `enum call` of `bpf/commit.bpf.c` has it.

use libc::c_long;

/// Numbers of system calls, with room.
pub const CALLS: usize = 512;

const WRITE: u8 = 1;
const TRANSFER: u8 = 2;
const FLUSH: u8 = 3;
const LOCK: u8 = 4;
const SLEEP: u8 = 5;
const WORK: u8 = 6;
const READ: u8 = 7;
const FUTEX: u8 = 8;

const KNOWN: [(u8, &[c_long]); 8] = [
    (WRITE, &[libc::SYS_write, libc::SYS_pwrite64, libc::SYS_writev, libc::SYS_pwritev, libc::SYS_pwritev2]),
    (TRANSFER, &[libc::SYS_io_getevents, libc::SYS_sync_file_range]),
    (FLUSH, &[libc::SYS_fsync, libc::SYS_fdatasync]),
    (LOCK, &[libc::SYS_semop, libc::SYS_semtimedop]),
    (FUTEX, &[libc::SYS_futex]),
    (READ, &[libc::SYS_read, libc::SYS_readv]),
    (SLEEP, &[libc::SYS_nanosleep, libc::SYS_clock_nanosleep, libc::SYS_pselect6]),
    (
        WORK,
        &[
            libc::SYS_ppoll,
            libc::SYS_epoll_pwait,
            libc::SYS_epoll_pwait2,
            libc::SYS_recvfrom,
            libc::SYS_recvmsg,
            libc::SYS_recvmmsg,
            libc::SYS_accept,
            libc::SYS_accept4,
            libc::SYS_wait4,
            libc::SYS_waitid,
            libc::SYS_rt_sigtimedwait,
        ],
    ),
];

/// Calls that newer processors do without.
#[cfg(target_arch = "x86_64")]
const KNOWN_HERE: [(u8, &[c_long]); 2] =
    [(SLEEP, &[libc::SYS_select]), (WORK, &[libc::SYS_poll, libc::SYS_epoll_wait, libc::SYS_pause])];
#[cfg(not(target_arch = "x86_64"))]
const KNOWN_HERE: [(u8, &[c_long]); 0] = [];

/// What each is, by number; 0 is any other.
pub fn by_number() -> [u8; CALLS] {
    let mut calls = [0; CALLS];
    for (call, numbers) in KNOWN.iter().chain(&KNOWN_HERE) {
        for number in numbers.iter().filter_map(|number| usize::try_from(*number).ok()) {
            calls[number] = *call;
        }
    }
    calls
}

/// Whether a call moves data of its own, or has it moved.
pub(crate) fn is_transfer(call: u8) -> bool {
    matches!(call, WRITE | FLUSH)
}

/// The part of a commit that a thread is in which waits in such a call, as `part_of` of `bpf/commit.bpf.c` has it.
pub(crate) fn part_of(call: u8) -> &'static str {
    match call {
        WRITE | TRANSFER => "write",
        FLUSH => "flush",
        LOCK | SLEEP => "queue",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_is_known_by_its_number() {
        let calls = by_number();
        let of = |number: c_long| calls[usize::try_from(number).expect("a number")];
        assert_eq!(
            (of(libc::SYS_pwrite64), of(libc::SYS_fdatasync), of(libc::SYS_futex)),
            (WRITE, FLUSH, FUTEX)
        );
        assert_eq!((of(libc::SYS_ppoll), of(libc::SYS_read), of(libc::SYS_getpid)), (WORK, READ, 0));
    }
}
