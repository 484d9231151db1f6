//! A file of an NFS 3 server, reached without the kernel's client: one connection for each job, and many reads and writes under way
//! on it. The protocol is in crate `plimsoll-nfs`.

use plimsoll_nfs::open::check_version;
use plimsoll_nfs::pipe::{Outage, PathTold, Patience, Pipe, Wish};
use plimsoll_nfs::proc;
use plimsoll_nfs::table::{Ask, Work};
use plimsoll_nfs::url::Url;

use super::{Engine, Kind, Opened, Setup};
use crate::connections::{Connections, PathCounts};
use crate::error::{CoreError, Result, invalid};
use crate::io::{Action, Io};
use crate::limits::REMOTE_DRAIN_NS_MAX;
use crate::remote;
use crate::result::{Counted, Note};
use crate::spec::{Stable, TargetSpec};
use crate::sys::completion::Completion;
use crate::sys::memory::Buffer;

/// Registry entry.
pub struct Nfs;

impl Kind for Nfs {
    fn name(&self) -> &'static str {
        "nfs"
    }

    fn title(&self) -> &'static str {
        "a file of an NFS 3 server, without the kernel's client"
    }

    fn help(&self) -> &'static str {
        "For targets like nfs://HOST/EXPORT/FILE, and for no other. It speaks NFS version 3 over TCP itself, over one connection for \
         each job, or with paths= over one to each of up to four addresses, with up to depth I/Os outstanding on them, so that neither \
         the kernel's client nor its cache has a part in it; the server's cache has. Writes are FILE_SYNC unless --stable says otherwise. Blocks that are larger than the server's rtmax or wtmax are \
         several requests at once."
    }

    fn real(&self) -> bool {
        true
    }

    fn local(&self) -> bool {
        false
    }

    fn check_file(&self, path: &str, _: Stable, _: bool) -> Result<()> {
        Ok(check_version(&Url::parse(path)?)?)
    }

    fn open(&self, setup: &Setup) -> Result<Opened> {
        let (place, target) = only_target(setup, self.name())?;
        let permit = if setup.spec.writes_to(place) { Some(setup.permit_for(&target.path)?) } else { None };
        let found = remote::open(&target.path, permit)?;
        // What is filled grows by it.
        if !setup.spec.fresh_data {
            remote::check_size(&found, target)?;
        }
        let wish = Wish {
            depth: setup.depth,
            block_bytes_max: setup.block_bytes_max,
            stable: asked(setup.spec.stable),
            writable: permit.is_some(),
            patience: Patience::of((setup.spec.path_timeout_s * 1e9) as u64),
        };
        let pipe = Pipe::open(found, &wish).map_err(CoreError::from)?;
        let buffers = Buffer::carve(setup.depth as usize, setup.block_bytes_max as usize)?;
        let unstable = permit.is_some() && setup.spec.stable == Stable::None;
        Ok(Opened::real(Box::new(State { pipe, unstable }), buffers))
    }
}

/// The target of the groups that a lane works for, and its index in the run: each has one of its own, and may share it with others.
pub fn only_target<'a>(setup: &Setup<'a>, engine: &str) -> Result<(usize, &'a TargetSpec)> {
    let used = |place: usize| setup.groups.iter().any(|group| group.uses(place));
    let mut targets = setup.spec.targets.iter().enumerate().filter(|(place, _)| used(*place));
    match (targets.next(), targets.count()) {
        (Some(only), 0) => Ok(only),
        (first, more) => {
            let targets = usize::from(first.is_some()) + more;
            Err(invalid(format!("a group of engine {engine} works on one target, not on {targets}")))
        }
    }
}

fn asked(stable: Stable) -> proc::Stable {
    match stable {
        Stable::File => proc::Stable::File,
        Stable::Data => proc::Stable::Data,
        Stable::None => proc::Stable::Unstable,
    }
}

struct State {
    pipe: Pipe<Buffer>,
    /// Whether writes end with a COMMIT.
    unstable: bool,
}

impl Engine for State {
    fn submit(&mut self, io: &Io, buffer: Option<Buffer>) {
        let work = match io.action {
            Action::Read => Work::Read,
            // A write has ended when it is durable, however that is asked of the server.
            Action::Write | Action::WriteDurably => Work::Write,
            Action::Flush(_) => Work::Commit,
        };
        let Io { slot, offset_bytes, skip_bytes: skip, len_bytes: len, .. } = *io;
        self.pipe.submit(&Ask { work, slot, offset_bytes, skip, len }, buffer);
    }

    fn reap(&mut self, deadline_ns: u64, done: &mut Vec<Completion>) -> Result<()> {
        self.pipe.reap(deadline_ns, |ended| {
            done.push(Completion { slot: ended.slot, result: ended.result, buffer: ended.buffer });
        });
        Ok(())
    }

    fn measure(&mut self, from_ns: u64, until_ns: u64) {
        self.pipe.measure(from_ns, until_ns);
    }

    fn connections(&self) -> Connections {
        let outages = self.pipe.outages();
        Connections {
            outages: outages.iter().map(|&Outage { begin_ns, end_ns }| (begin_ns, end_ns)).collect(),
            paths: self.pipe.paths().into_iter().map(counts).collect(),
        }
    }

    fn is_gone(&self) -> bool {
        self.pipe.is_gone()
    }

    fn drain_ns(&self) -> u64 {
        REMOTE_DRAIN_NS_MAX
    }

    fn notes(&self) -> Vec<Note> {
        let unstable = "writes were UNSTABLE, and each ended with the COMMIT that covered it; one COMMIT covers all that was \
                        answered before it was sent";
        let ports = "no port below 1024 was free on this host, so that the server was asked from another one; an export that is \
                     marked secure refuses that";
        let told = [
            ("nfs-unstable", self.unstable, unstable),
            ("nfs-ports-taken", self.pipe.finds_ports_taken(), ports),
        ];
        let told = told.into_iter().filter(|(_, is_so, _)| *is_so);
        told.map(|(code, _, message)| Note { code, message: message.to_owned() }).collect()
    }

    fn counted(&self) -> Vec<Counted> {
        let counts = self.pipe.counts();
        let told = [
            (
                "nfs-rewritten",
                counts.rewritten,
                "block was written again, because the server lost it before its COMMIT (its verifier changed)",
                "blocks were written again, because the server lost them before their COMMIT (its verifier changed)",
            ),
            (
                "nfs-less-durable",
                counts.less_durable,
                "write was answered as less durable than asked; a COMMIT made it so, and is in its latency",
                "writes were answered as less durable than asked; a COMMIT made them so, and is in their latency",
            ),
            (
                "nfs-short-reads",
                counts.short_reads,
                "read brought less than was asked for, and was continued",
                "reads brought less than was asked for, and were continued",
            ),
            (
                "nfs-short-writes",
                counts.short_writes,
                "write was taken in part, and was continued",
                "writes were taken in part, and were continued",
            ),
            (
                "nfs-put-off",
                counts.put_off,
                "request was put off by the server (NFS3ERR_JUKEBOX) and asked again 0.1 s later",
                "requests were put off by the server (NFS3ERR_JUKEBOX) and asked again 0.1 s later",
            ),
            (
                "nfs-reconnected",
                self.pipe.reconnects(),
                "time a lost or silent connection was made anew",
                "times a lost or silent connection was made anew",
            ),
            (
                "nfs-resent",
                counts.resent,
                "request was sent again over another connection",
                "requests were sent again over another connection",
            ),
            (
                "nfs-held",
                counts.held,
                "write waited for an earlier one to the same bytes, so that it does not come over a newer one",
                "writes waited for an earlier one to the same bytes, so that none comes over a newer one",
            ),
            (
                "nfs-strays",
                counts.strays,
                "answer came to nothing that was asked, and was dropped",
                "answers came to nothing that was asked, and were dropped",
            ),
        ];
        told.into_iter().map(|(code, amount, one, many)| Counted { code, amount, one, many }).collect()
    }
}

fn counts(told: PathTold) -> PathCounts {
    PathCounts {
        address: told.server.ip().to_string(),
        requests: told.tally.answers,
        bytes: told.tally.bytes,
        latency_ns: told.tally.latency_ns,
        losses: told.losses,
        away_ns: told.away_ns,
    }
}
