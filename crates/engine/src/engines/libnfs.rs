//! A file of an NFS server by libnfs, where that is installed: beside our own client to compare, and for version 4.

use std::time::Duration;

use plimsoll_nfs::open::check_version;
use plimsoll_nfs::url::Url;

use super::nfs::only_target;
use super::null::idle_until;
use super::{Engine, Kind, Opened, Setup};
use crate::clock::{Clock, RealClock};
use crate::error::{CoreError, Result};
use crate::io::Io;
use crate::limits::ATTENTION_NS_MAX;
use crate::over_libnfs::{INSTALL, VERSION_4, check_url, place_of, place_of_4, refused, whole_seconds};
use crate::permit::WritePermit;
use crate::remote;
use crate::result::Note;
use crate::spec::{Stable, TargetSpec};
use crate::sys::completion::Completion;
use crate::sys::libnfs::{File, Place, probe};
use crate::sys::memory::Buffer;

/// Registry entry.
pub struct Libnfs;

impl Kind for Libnfs {
    fn name(&self) -> &'static str {
        "libnfs"
    }

    fn title(&self) -> &'static str {
        "a file of an NFS server by libnfs, where that is installed"
    }

    fn help(&self) -> &'static str {
        "For targets like nfs://HOST/EXPORT/FILE, to compare with the engine nfs, and with version=4 to read a file over NFS 4. It \
         calls libnfs 4 or 5 (libnfs.so.13, libnfs.so.14), which has to be installed: over one connection for each job, with up to \
         depth I/Os outstanding on it. Writes are FILE_SYNC (O_SYNC). It copies what it reads once more, and knows one path; an \
         answer that takes longer than --path-timeout, in whole seconds, has failed, and a lost connection ends the run."
    }

    fn real(&self) -> bool {
        true
    }

    fn local(&self) -> bool {
        false
    }

    fn probe(&self) -> Result<()> {
        probe().map_err(|words| CoreError::new("engine-unavailable", words).hint(INSTALL))
    }

    fn check_file(&self, path: &str, stable: Stable, writes: bool) -> Result<()> {
        let url = Url::parse(path)?;
        if writes {
            check_writes(&url, stable)?;
        }
        check_url(&url)
    }

    fn open(&self, setup: &Setup) -> Result<Opened> {
        let (place, target) = only_target(setup, self.name())?;
        let permit = if setup.spec.writes_to(place) { Some(setup.permit_for(&target.path)?) } else { None };
        let url = Url::parse(&target.path)?;
        self.check_file(&target.path, setup.spec.stable, permit.is_some())?;
        let patience_s = whole_seconds(Duration::from_secs_f64(setup.spec.path_timeout_s));
        let (place, number) = placed(&url, target, permit, patience_s)?;
        let file = File::open(&place, setup.depth).map_err(|error| refused(&url, "open", &error))?;
        check_file(&url, &file, target, number, setup.spec.fresh_data)?;
        let buffers = Buffer::carve(setup.depth as usize, setup.block_bytes_max as usize)?;
        Ok(Opened::real(Box::new(State { file, under_way: 0 }), buffers))
    }
}

/// Our own client makes the file; and libnfs knows FILE_SYNC, or UNSTABLE without the COMMIT behind it.
fn check_writes(url: &Url, stable: Stable) -> Result<()> {
    check_version(url)?;
    if stable == Stable::File {
        return Ok(());
    }
    Err(CoreError::new(
        "nfs-unfit",
        "engine libnfs makes each write durable (--stable file), and no other way",
    )
    .hint("Leave --stable out, or leave --engine out: the engine nfs takes it."))
}

/// Where the file is, and its number where our own client has found it, as it has every file that is written to.
fn placed(
    url: &Url,
    target: &TargetSpec,
    permit: Option<&WritePermit>,
    patience_s: u32,
) -> Result<(Place, Option<u64>)> {
    if url.version == VERSION_4 {
        return Ok((place_of_4(url, patience_s)?, None));
    }
    let found = remote::open(&target.path, permit)?;
    Ok((place_of(&found, patience_s, permit.is_some()), Some(found.attributes.fileid)))
}

/// That it is the file that was found, and as long as is asked for; what is filled grows by it.
fn check_file(url: &Url, file: &File, target: &TargetSpec, number: Option<u64>, grows: bool) -> Result<()> {
    let told = file.told().map_err(|error| refused(url, "look at", &error))?;
    if let Some(number) = number.filter(|&number| number != told.inode) {
        let message = format!("libnfs opened file {} as {}, and not file {number}", told.inode, target.path);
        return Err(CoreError::new("write-not-permitted", message)
            .hint("Nothing was written. Something replaced the file meanwhile: name it again."));
    }
    if grows { Ok(()) } else { remote::check_end(told.size_bytes, target) }
}

struct State {
    file: File,
    under_way: usize,
}

impl Engine for State {
    fn submit(&mut self, io: &Io, buffer: Option<Buffer>) {
        self.under_way += 1;
        self.file.submit(io, buffer);
    }

    fn reap(&mut self, deadline_ns: u64, done: &mut Vec<Completion>) -> Result<()> {
        if self.under_way == 0 {
            idle_until(deadline_ns);
            return Ok(());
        }
        let before = done.len();
        self.file.wait(deadline_ns.saturating_sub(RealClock.now_ns()).min(ATTENTION_NS_MAX), done);
        self.under_way -= done.len() - before;
        Ok(())
    }

    fn is_gone(&self) -> bool {
        self.file.is_gone()
    }

    fn notes(&self) -> Vec<Note> {
        let note = |words: &str| Note {
            code: "libnfs-failed",
            message: format!("libnfs said of the first I/O that failed: {words}"),
        };
        self.file.failure().map(note).into_iter().collect()
    }
}
