//! Takes a scratch file away, and no other one: what has its name may have become somebody else's file meanwhile.
//!
//! REMOVE takes a name, so between a look at the file of that name and its REMOVE another one could get the name. A RENAME to a name
//! that nobody knows comes first: what has that name is looked at, and only then removed. What turns out to be another file gets its
//! name back. A server that answers LOOKUP of what it remembers, and not of its disk, still shows the wrong file; afterwards the
//! handle of our own one tells, which is to be stale.

use std::hash::{BuildHasher, RandomState};

use crate::error::{NfsError, Result};
use crate::limits::{FREE_NAMES_MAX, PUT_OFF_NS_MAX};
use crate::open::{Found, failed, folder_until, read_attributes};
use crate::proc::{self, Attributes, Handle};
use crate::session::Session;
use crate::socket::now_ns;
use crate::status;
use crate::url::Url;
use crate::xdr::Put;

/// Removes the file with these numbers that has that name; a server that wants patience gets a minute for all of it. The result is none,
/// or what is so instead, in words that follow its name.
pub fn remove(url: &Url, fsid: u64, fileid: u64) -> Result<Option<String>> {
    remove_within(url, fsid, fileid, PUT_OFF_NS_MAX)
}

/// The same with another limit.
pub fn remove_within(url: &Url, fsid: u64, fileid: u64, patience_ns: u64) -> Result<Option<String>> {
    let (mut folder, name) = folder_until(url, now_ns().saturating_add(patience_ns))?;
    let Some((_, attributes)) = folder.look(&name)? else {
        return Ok(Some("was not there any more when it was to be removed".to_owned()));
    };
    if (attributes.fsid, attributes.fileid) != (fsid, fileid) {
        return Ok(Some(format!(
            "was not removed: another file has its name (number {}, and not {fileid}); the scratch file may be left under another name",
            attributes.fileid
        )));
    }
    let aside = folder.free_name(&name)?;
    let told = |error| left_as(error, &name, &aside);
    folder.rename(&name, &aside).map_err(told)?;
    // Some servers put the name into the handle, so that a RENAME changes it: the numbers tell whose it is.
    let handle = match folder.look(&aside).map_err(told)? {
        Some((handle, there)) if (there.fsid, there.fileid) == (fsid, fileid) => handle,
        Some(_) => return folder.give_back(&aside, &name).map(Some),
        None => {
            return Ok(Some(format!(
                "was not removed: it was called {aside} to be removed, and somebody took that name away"
            )));
        }
    };
    folder.remove(&aside).map_err(told).or_else(|error| folder.removed_all_the_same(&handle, error))?;
    Ok(folder.what_is_left(&handle, attributes.links).unwrap_or_else(|error| Some(unknown(&error))))
}

/// With both names that the file may have.
fn left_as(mut error: NfsError, name: &str, aside: &str) -> NfsError {
    error.message = format!("{}; it may be left as {name} or as {aside}", error.message);
    error
}

/// It has no name any more, whatever failed afterwards.
fn unknown(error: &NfsError) -> String {
    format!("was removed; whether its bytes are gone is not known: {}", error.message)
}

impl Found {
    /// What has a name in the folder; none where nothing has.
    fn look(&mut self, name: &str) -> Result<Option<(Handle, Attributes)>> {
        let folder = self.handle;
        let put = |out: &mut Vec<u8>| proc::put_name(out, &folder, name);
        let answer =
            self.session.ask(proc::LOOKUP, &format!("for {name}"), put, |reader| match reader.u32()? {
                status::OK => Handle::read(reader).map(Ok),
                status => Ok(Err(status)),
            })?;
        let handle = match answer {
            Ok(handle) => handle,
            Err(status::NOENT) => return Ok(None),
            Err(status) => return Err(self.refusal("look a file up", status)),
        };
        match attributes(&mut self.session, &handle)? {
            Ok(attributes) => Ok(Some((handle, attributes))),
            Err(status::STALE) => Ok(None),
            Err(status) => Err(self.refusal("ask for attributes", status)),
        }
    }

    /// A name that nobody knows, which begins like that of the file: whoever lists the folder sees whose it is.
    fn free_name(&mut self, name: &str) -> Result<String> {
        let stem = name.strip_suffix(".dat").unwrap_or(name);
        for number in 0..FREE_NAMES_MAX {
            let name = format!("{stem}-{:016x}.dat", RandomState::new().hash_one(number));
            if self.look(&name)?.is_none() {
                return Ok(name);
            }
        }
        Err(self.refusal("find a free name", status::EXIST))
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        let folder = self.handle;
        let put = |out: &mut Vec<u8>| {
            proc::put_name(out, &folder, from);
            proc::put_name(out, &folder, to);
        };
        let answer = self.session.ask(proc::RENAME, "to rename a file", put, proc::read_status)?;
        answer.map_err(|status| self.refusal("rename a file", status))
    }

    fn remove(&mut self, name: &str) -> Result<()> {
        let answer = self.remove_name(name)?;
        answer.map_err(|status| self.refusal("remove a file", status))
    }

    /// Somebody else's file gets its name back, unless that was given away again: RENAME would replace what has it.
    fn give_back(&mut self, aside: &str, name: &str) -> Result<String> {
        let told = |error| left_as(error, name, aside);
        let why = "was not removed: another file got its name meanwhile";
        let left = "the scratch file may be left under another name";
        if self.look(name).map_err(told)?.is_some() {
            return Ok(format!("{why}, and is called {aside} now, as the name is taken again; {left}"));
        }
        self.rename(aside, name).map_err(told)?;
        Ok(format!("{why}, and has it still; {left}"))
    }

    /// Where no answer came, whether it is gone is asked over a new connection; the error stays where it is not, or where that is not known.
    fn removed_all_the_same(&mut self, handle: &Handle, error: NfsError) -> Result<()> {
        if error.id != "nfs-unreachable" {
            return Err(error);
        }
        let Ok(session) = Session::open(self.caller.clone(), "NFS") else { return Err(error) };
        self.session = session;
        match attributes(&mut self.session, handle) {
            Ok(Ok(Attributes { links: 0, .. }) | Err(status::STALE | status::NOENT | status::BADHANDLE)) => {
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// What the handle of our own file says after its name was removed.
    fn what_is_left(&mut self, handle: &Handle, links_before: u32) -> Result<Option<String>> {
        let links = match attributes(&mut self.session, handle)? {
            Ok(attributes) => attributes.links,
            Err(status::STALE | status::NOENT | status::BADHANDLE) => 0,
            Err(status) => return Err(self.refusal("say whether the scratch file is gone", status)),
        };
        Ok(match links {
            0 => None,
            links if links < links_before => Some(format!(
                "was removed, but somebody gave the scratch file another name meanwhile ({links} left): its bytes are still there"
            )),
            _ => Some(
                "may be left: its name was removed, and the scratch file is still there. A server that re-exports NFS keeps a file that \
                 it has open, under a name such as .nfs0001, until it closes it (silly rename). Or another file had that name, and has \
                 been removed instead: the server answered by what it remembered of the folder"
                    .to_owned(),
            ),
        })
    }

    fn refusal(&self, what: &str, status: u32) -> NfsError {
        failed(&self.url, self.identity, what, status, Some(&self.attributes))
    }
}

fn attributes(session: &mut Session, handle: &Handle) -> Result<std::result::Result<Attributes, u32>> {
    let put = |out: &mut Vec<u8>| out.put_opaque(handle.as_bytes());
    session.ask(proc::GETATTR, "for a file's attributes", put, read_attributes)
}
