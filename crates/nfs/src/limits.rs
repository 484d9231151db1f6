//! Every limit of the client, in one place, with its reason.

use std::time::Duration;

/// Bytes of a file handle; the protocol's own limit (NFS3_FHSIZE).
pub const HANDLE_BYTES_MAX: usize = 64;
/// Bytes of the proof of identity in a reply; the protocol's own limit (RFC 5531).
pub const AUTH_BYTES_MAX: usize = 400;
/// Bytes of a name or a path; longer ones fit no server.
pub const PATH_BYTES_MAX: usize = 1024;
/// The longest record that is put together of fragments or read whole: the largest block and what stands before it.
pub const RECORD_BYTES_MAX: usize = (64 << 20) + REPLY_HEAD_BYTES_MAX;
/// What can stand before the data in the answer to a READ, and all of an answer to a WRITE or a COMMIT.
pub const REPLY_HEAD_BYTES_MAX: usize = 1024;
/// Memory that answers are received into; many small ones fit.
pub const STAGING_BYTES: usize = 256 << 10;
/// Reads from this size on are received straight into the caller's memory.
pub const STRAIGHT_BYTES_MIN: u32 = 32 << 10;
/// Requests of one connection: a slot number in the lower half of a transaction number, and its turn in the upper half.
pub const REQUESTS_MAX: usize = 1 << 16;
/// Longest wait for one answer while nothing is measured yet.
pub const SETUP_PATIENCE: Duration = Duration::from_secs(10);
/// A request without an answer for so long is asked again, on a new connection.
pub const ANSWER_NS_MAX: u64 = 10_000_000_000;
/// How often a request is sent before it counts as failed.
pub const TRIES_MAX: u32 = 3;
/// A lost connection is tried again for so long; then everything that is under way has failed.
pub const LOST_NS_MAX: u64 = 5_000_000_000;
/// Between two attempts to connect.
pub const CONNECT_AGAIN_NS: u64 = 100_000_000;
/// A server that asks for patience (NFS3ERR_JUKEBOX) is asked again after so long.
pub const JUKEBOX_NS: u64 = 100_000_000;
/// A thread looks at least this often for what is late.
pub const ATTENTION_NS_MAX: u64 = 50_000_000;
/// How often a block is written again because the server lost it; one that loses each would be written to for ever.
pub const REWRITES_MAX: u32 = 16;
/// Pieces that go out with one system call; the kernel's own limit is 1024.
pub const PIECES_SENT_MAX: usize = 96;
