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
/// Where so much of a read is still to come, and others are under way behind it, a thread sleeps until it is there, and not until the
/// next packet is.
pub const GATHERED_BYTES_MIN: usize = 128 << 10;
/// No more than that is waited for: it is copied when it has come, and nothing else is done meanwhile.
pub const GATHERED_BYTES_MAX: usize = 1 << 20;
/// Requests at once: so many numbers are told apart by the lower half of a transaction number, and how often each was used by the upper
/// half. The deepest queue (65,536) fits, with the requests that belong to no I/O.
pub const REQUESTS_MAX: usize = 1 << 17;
/// Addresses of one server over which a file is reached; Oracle's Direct NFS takes as many.
pub const PATHS_MAX: usize = 4;
/// Longest wait for one answer while nothing is measured yet.
pub const SETUP_PATIENCE: Duration = Duration::from_secs(10);
/// A path over which nothing went either way for so long while something was asked is given up, and what was asked over it is asked
/// over another one, or on a new connection. TCP waits for minutes, and does not see answers that are lost.
pub const PATH_TIMEOUT_NS: u64 = 5_000_000_000;
/// After half of that a path is asked whether anybody is there, so that a server that is slow is told from a path that is lost.
pub const PING_SHARE: u64 = 2;
/// Of so many requests one at most goes over a slow path to see whether it is fast again, where others have as few under way. It is less
/// than a hundredth, so that a 99th percentile is not that of slow paths.
pub const TRIED_EVERY: u64 = 128;
/// A path that was silent again on its next connection is given twice as long each time, up to this: some servers answer nothing
/// else while they work on something long.
pub const PATIENCE_NS_MAX: u64 = 600_000_000_000;
/// A request without an answer for so many timeouts is one that the server may have lost, although it answers others: its connection
/// is given up too. It is a minute, as of the kernel's client, and twice as long each time after that.
pub const OVERDUE_TIMES: u64 = 12;
/// How often a request is sent whose answer cannot be one, before it counts as failed. One that is lost is sent again without end,
/// as a hard mount does.
pub const TRIES_MAX: u32 = 3;
/// When there was no path for so many timeouts after the last one was given up, everything that is under way has failed, and nothing
/// more is tried. Silence before that does not count: it grows with [`PATIENCE_NS_MAX`].
pub const LOST_TIMES: u64 = 6;
/// Bytes of a write that was sent again stay claimed for so long after its end: what went over the lost connection may still wait in
/// the server, and must not come over newer bytes.
pub const DOUBT_NS: u64 = 1_000_000_000;
/// Longest time between request and answer that is told apart.
pub const LATENCY_NS_MAX: u64 = 3_600_000_000_000;
/// Between two attempts to connect.
pub const CONNECT_AGAIN_NS: u64 = 100_000_000;
/// A server that asks for patience (NFS3ERR_JUKEBOX) is asked again after so long.
pub const JUKEBOX_NS: u64 = 100_000_000;
/// A request that is put off for so long has failed: a server that never does what is asked would be asked for ever.
/// Outside a run it is for all that finds or removes a file together.
pub const PUT_OFF_NS_MAX: u64 = 60_000_000_000;
/// Bytes of names in one answer to READDIR.
pub const LISTED_BYTES: u32 = 32 << 10;
/// Answers to READDIR that are read of one folder, some hundreds of names each: where there are more, what a run left is not looked for further.
pub const LISTINGS_MAX: u32 = 64;
/// How many names that nobody should know are tried before one is taken for free.
pub const FREE_NAMES_MAX: u32 = 4;
/// A thread looks at least this often for what is late.
pub const ATTENTION_NS_MAX: u64 = 50_000_000;
/// How often a block is written again because the server lost it; one that loses each would be written to for ever.
pub const REWRITES_MAX: u32 = 16;
/// Pieces that go out with one system call; the kernel's own limit is 1024.
pub const PIECES_SENT_MAX: usize = 96;
