//! What is found of a file or folder of an NFS server, by whichever version of the protocol it was asked.

use plimsoll_nfs::proc::{Attributes, Sizes};

use crate::error::CoreError;
use crate::inspect::Contents;

/// What a file or folder of a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// What the server tells of it.
    pub attributes: Attributes,
    /// What the server takes at once.
    pub sizes: Sizes,
    /// Bytes that may still be written to a folder's file system; none for a file, and where the server does not tell.
    pub free_bytes: Option<u64>,
    /// What is in it; nothing was looked at in a folder.
    pub contents: Contents,
}

/// The refusal of a file whose samples take too long.
pub fn too_slow(path: &str, samples: u32, limit_ns: u64) -> CoreError {
    let message =
        format!("{samples} small reads of {path} were not answered within {} s", limit_ns / 1_000_000_000);
    CoreError::new("nfs-unreachable", message).hint("See whether the server is well, and its own log.")
}
