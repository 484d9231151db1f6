//! How an NFS server says that something failed, as an error number of the system.

/// NFS3_OK.
pub const OK: u32 = 0;
/// Permission is needed that the user does not have.
pub const PERM: u32 = 1;
/// There is nothing of that name.
pub const NOENT: u32 = 2;
/// The device failed.
pub const IO: u32 = 5;
/// The user may not do that.
pub const ACCES: u32 = 13;
/// Something of that name is there.
pub const EXIST: u32 = 17;
/// It is no folder.
pub const NOTDIR: u32 = 20;
/// The server's storage is full.
pub const NOSPC: u32 = 28;
/// The export is read-only.
pub const ROFS: u32 = 30;
/// The file is gone, or the export is.
pub const STALE: u32 = 70;
/// The handle is none of the server's.
pub const BADHANDLE: u32 = 10_001;
/// The server wants to be asked again later.
pub const JUKEBOX: u32 = 10_008;

/// The nearest error number of the system; most are equal to it.
pub fn errno(status: u32) -> i32 {
    match status {
        63 => libc::ENAMETOOLONG,
        66 => libc::ENOTEMPTY,
        69 => libc::EDQUOT,
        STALE | BADHANDLE => libc::ESTALE,
        10_004 => libc::EOPNOTSUPP,
        10_005 | 10_007 => libc::EINVAL,
        10_006 => libc::EREMOTEIO,
        JUKEBOX => libc::EAGAIN,
        1..=34 => status as i32,
        _ => libc::EPROTO,
    }
}

/// The protocol's own name, where a reader may look it up.
pub fn name(status: u32) -> String {
    let known = match status {
        PERM => "PERM",
        NOENT => "NOENT",
        IO => "IO",
        ACCES => "ACCES",
        EXIST => "EXIST",
        NOTDIR => "NOTDIR",
        NOSPC => "NOSPC",
        ROFS => "ROFS",
        STALE => "STALE",
        BADHANDLE => "BADHANDLE",
        10_004 => "NOTSUPP",
        10_006 => "SERVERFAULT",
        JUKEBOX => "JUKEBOX",
        other => return format!("NFS3ERR {other}"),
    };
    format!("NFS3ERR_{known}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_failure_is_taken_for_a_success() {
        for status in (1..200).chain(10_000..10_020).chain([u32::MAX]) {
            assert!(errno(status) > 0, "{status}");
        }
        assert_eq!((errno(STALE), errno(NOSPC), errno(77_777)), (libc::ESTALE, libc::ENOSPC, libc::EPROTO));
    }
}
