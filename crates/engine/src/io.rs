//! One I/O: what it does, where, and which slot it occupies. The ground that specification, engines and system calls share.

use serde::{Deserialize, Serialize};

/// Whether an I/O reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Bytes come from the target.
    Read,
    /// Bytes go to the target; needs a permit.
    Write,
}

impl Op {
    /// The word used in specifications and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
        }
    }
}

/// Which call makes earlier writes durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FlushCall {
    /// Data and all metadata.
    Fsync,
    /// Data, and the metadata needed to find it.
    Fdatasync,
}

/// What an I/O does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Bytes come from the target.
    Read,
    /// Bytes go to the target.
    Write,
    /// Bytes go to the target and are durable when the I/O completes (RWF_DSYNC).
    WriteDurably,
    /// What was written before becomes durable; moves no bytes.
    Flush(FlushCall),
}

/// One I/O as an engine sees it.
#[derive(Debug, Clone, Copy)]
pub struct Io {
    /// Which of the lane's slots it occupies until it completes.
    pub slot: u32,
    /// What is done.
    pub action: Action,
    /// Which target of the run.
    pub target: u32,
    /// First byte in the target.
    pub offset_bytes: u64,
    /// Where in the buffer the first byte is; not 0 when the rest of a short I/O is asked for.
    pub skip_bytes: u32,
    /// How many bytes.
    pub len_bytes: u32,
}
