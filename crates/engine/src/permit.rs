//! The right to write to one very target, checked against what was opened.

/// Names the one file or device that may be written, as whoever granted the permit saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WritePermit {
    /// Path that was confirmed.
    pub path: String,
    /// Device number of the file (`st_dev`).
    pub device: u64,
    /// Inode number of the file (`st_ino`).
    pub inode: u64,
    /// Number of the device behind a device node (`st_rdev`); 0 for a file.
    pub number: u64,
}
