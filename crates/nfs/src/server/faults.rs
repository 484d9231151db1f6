//! What the server does wrong by wish, and what it has seen.

use std::time::Duration;

use crate::proc::Stable;
use crate::rpc::Refusal;

use super::files::FSID;

/// What the server does wrong. Answers are counted from when this was set, those to READ, WRITE and COMMIT alone.
#[derive(Debug, Clone)]
pub struct Faults {
    /// Each answer comes so much later.
    pub delay: Option<Duration>,
    /// In the middle of the answer of that number the connection ends.
    pub cut: Option<u64>,
    /// The answer of that number is never sent.
    pub drop: Option<u64>,
    /// Behind the answer of that number, with it, comes something that is none.
    pub nonsense: Option<u64>,
    /// After the answer of that number its connection is not read any more.
    pub deaf: Option<u64>,
    /// The answer of that number and all connections are cut, and for so long none is accepted.
    pub gone: Option<(u64, Duration)>,
    /// From the request of that number on nothing is answered over any address; what is asked is done.
    pub frozen: Option<u64>,
    /// Nothing is answered over one of the addresses for a while; what is asked there is done.
    pub silent: Option<Silence>,
    /// Each answer over that address, counted from 0, comes so much later.
    pub slow: Option<(usize, Duration)>,
    /// Reads and writes of one file take so long, one after the other, over whichever connection they come.
    pub file_lock: Option<Duration>,
    /// Two answers change places wherever two can.
    pub reorder: bool,
    /// Answers come in fragments of so many bytes.
    pub fragment_bytes: Option<usize>,
    /// A READ or a WRITE moves at most so many bytes.
    pub short_bytes: Option<u32>,
    /// Each so-manieth answer asks for patience (NFS3ERR_JUKEBOX).
    pub put_off_every: Option<u64>,
    /// Each call that is about no data asks for patience so often before it is done.
    pub put_off_each: u64,
    /// So many COMMITs find that the server has started anew and has lost what was not committed.
    pub restarts_before_commit: u32,
    /// The same before each so-manieth answer.
    pub restart_every: Option<u64>,
    /// Before each answer comes one to nothing that was asked.
    pub strays: bool,
    /// The answer of that number has the longest length that there is.
    pub huge: Option<u64>,
    /// Writes are at most that durable, whatever was asked.
    pub less_durable: Option<Stable>,
    /// Every call is refused.
    pub deny: Option<Refusal>,
    /// Calls come from a port below 1024, or are refused.
    pub wants_privileged: bool,
    /// Root is nobody.
    pub squash: bool,
    /// Attributes of a file are not told, but this status is.
    pub no_attributes: Option<u32>,
    /// The number that its file system is told to have.
    pub fsid: u64,
    /// Nothing is removed.
    pub no_remove: bool,
    /// Before the next call of that number somebody moves the file that it names aside, and gives its name to the file `data`.
    pub swap_before: Option<u32>,
    /// LOOKUP answers with the file that was moved aside, as a server does that has not noticed.
    pub remembers_names: bool,
    /// LOOKUP answers with a handle that holds the name, and is stale once the file has another one.
    pub handles_hold_names: bool,
    /// The connection ends when a call of that number was done, before its answer.
    pub cut_after: Option<u32>,
    /// Calls of the one number are answered with the other one as their status.
    pub refuse: Option<(u32, u32)>,
    /// The same once something was removed.
    pub refuse_afterwards: Option<(u32, u32)>,
    /// What is removed gets another name instead, as where a client of another server has it open.
    pub keeps_removed: bool,
    /// Room that is left.
    pub free_bytes: u64,
    /// There is no version 3.
    pub only_version_4: bool,
    /// Of one READ.
    pub read_bytes_max: u32,
    /// Of one WRITE.
    pub write_bytes_max: u32,
}

/// An address, counted from 0, over which nothing comes from the answer of one number on, until that of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silence {
    /// Which address.
    pub path: usize,
    /// The first answer that does not come, by the count over all addresses.
    pub from: u64,
    /// The first one that may.
    pub until: u64,
}

impl Silence {
    pub(super) fn covers(&self, path: usize, answered: u64) -> bool {
        path == self.path && (self.from..self.until).contains(&answered)
    }
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            delay: None,
            gone: None,
            frozen: None,
            silent: None,
            slow: None,
            file_lock: None,
            cut: None,
            drop: None,
            nonsense: None,
            deaf: None,
            reorder: false,
            fragment_bytes: None,
            short_bytes: None,
            put_off_every: None,
            put_off_each: 0,
            restarts_before_commit: 0,
            restart_every: None,
            strays: false,
            huge: None,
            less_durable: None,
            deny: None,
            wants_privileged: false,
            squash: false,
            no_attributes: None,
            fsid: FSID,
            no_remove: false,
            swap_before: None,
            remembers_names: false,
            handles_hold_names: false,
            cut_after: None,
            refuse: None,
            refuse_afterwards: None,
            keeps_removed: false,
            free_bytes: 1 << 40,
            only_version_4: false,
            read_bytes_max: 1 << 20,
            write_bytes_max: 1 << 20,
        }
    }
}

/// What was asked of the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Mounts that were not taken back.
    pub mounts: i64,
    /// Connections that were made.
    pub connections: u64,
    /// READs.
    pub reads: u64,
    /// Bytes that they brought.
    pub read_bytes: u64,
    /// WRITEs: asked to be unstable, with durable data, and all durable.
    pub writes: [u64; 3],
    /// Bytes that they took.
    pub write_bytes: u64,
    /// COMMITs.
    pub commits: u64,
}
