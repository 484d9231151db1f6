//! What the server answers to each call, as long as nothing goes wrong by wish.

use crate::mount;
use crate::proc::{self, Attributes, Handle, Stable};
use crate::rpc::{self, Identity, Procedure, Refusal};
use crate::status;
use crate::xdr::{Put, Read, Reader, Unread};

use super::files::{ASIDE, FOLDER, Files, handle, handle_with};
use super::{EXPORT, Faults, Seen};

/// What root becomes where it is squashed.
const NOBODY: u32 = 65_534;

/// What a file is called that is kept although it was removed.
const KEPT: &str = ".nfs0001";

/// All that an answer is made from.
pub(super) struct Server<'a> {
    pub(super) files: &'a mut Files,
    pub(super) faults: &'a mut Faults,
    pub(super) seen: &'a mut Seen,
    /// Whether the call came from a port below 1024.
    pub(super) privileged: bool,
}

/// The reply to one record, without its mark. None where the record is no call.
pub(super) fn reply(server: &mut Server, record: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(record);
    let (xid, procedure, identity) = rpc::read_call(&mut reader).ok()?;
    let mut out = Vec::new();
    if let Err(refusal) = server.accepts(procedure) {
        rpc::begin_reply(&mut out, xid, Err(refusal));
        return Some(out);
    }
    rpc::begin_reply(&mut out, xid, Ok(()));
    let identity = identity.unwrap_or(Identity { uid: NOBODY, gid: NOBODY });
    let uid = if server.faults.squash && identity.uid == 0 { NOBODY } else { identity.uid };
    if server.answer(procedure, uid, &mut reader, &mut out).is_err() {
        out.clear();
        rpc::begin_reply(&mut out, xid, Err(Refusal::GarbageArguments));
    }
    Some(out)
}

impl Server<'_> {
    fn accepts(&self, procedure: Procedure) -> Result<(), Refusal> {
        if let Some(refusal) = self.faults.deny {
            return Err(refusal);
        }
        if self.faults.wants_privileged && !self.privileged && procedure.program == proc::PROGRAM {
            return Err(Refusal::TOO_WEAK);
        }
        match procedure.program {
            proc::PROGRAM if self.faults.only_version_4 => Err(Refusal::NoVersion { low: 4, high: 4 }),
            mount::PROGRAM if self.faults.only_version_4 => Err(Refusal::NoProgram),
            proc::PROGRAM | mount::PROGRAM if procedure.version == 3 => Ok(()),
            proc::PROGRAM | mount::PROGRAM => Err(Refusal::NoVersion { low: 3, high: 3 }),
            _ => Err(Refusal::NoProgram),
        }
    }

    fn answer(&mut self, procedure: Procedure, uid: u32, from: &mut Reader, out: &mut Vec<u8>) -> Read<()> {
        if procedure.program == proc::PROGRAM && self.faults.swap_before == Some(procedure.number) {
            self.faults.swap_before = None;
            let name = proc::read_name(&mut { *from })?.1;
            self.files.swap(&name);
        }
        match procedure {
            proc::NULL | mount::NULL => {}
            mount::MNT => self.mount(from, out)?,
            mount::EXPORT => {
                out.put_u32(1);
                out.put_opaque(EXPORT.as_bytes());
                out.put_u64(0);
            }
            mount::UMNT => self.seen.mounts -= 1,
            proc::FSSTAT => {
                // Neither attributes nor, at the end, for how long it stays like this.
                [status::OK, 0].into_iter().for_each(|word| out.put_u32(word));
                let free_bytes = self.faults.free_bytes;
                [1 << 41, free_bytes + 4096, free_bytes, 0, 0, 0]
                    .into_iter()
                    .for_each(|value| out.put_u64(value));
                out.put_u32(0);
            }
            proc::GETATTR => match self.attributes(&Handle::read(from)?) {
                Some(attributes) => {
                    out.put_u32(status::OK);
                    attributes.put(out);
                }
                None => out.put_u32(self.faults.no_attributes.unwrap_or(status::STALE)),
            },
            proc::LOOKUP => self.look_up(from, out)?,
            proc::ACCESS => {
                Handle::read(from)?;
                // No attributes, and all that was asked for.
                [status::OK, 0, from.u32()?].into_iter().for_each(|word| out.put_u32(word));
            }
            proc::READ => self.read(uid, from, out)?,
            proc::WRITE => self.write(uid, from, out)?,
            proc::CREATE => self.create(uid, from, out)?,
            proc::REMOVE if self.faults.no_remove => {
                out.put_u32(status::ACCES);
                out.put_u64(0);
            }
            proc::REMOVE => {
                let name = proc::read_name(from)?.1;
                let keeps = self.faults.keeps_removed;
                let removed = if keeps { self.files.rename(&name, KEPT) } else { self.files.remove(&name) };
                self.faults.refuse = self.faults.refuse.or(self.faults.refuse_afterwards);
                out.put_u32(if removed { status::OK } else { status::NOENT });
                out.put_u64(0);
            }
            proc::RENAME => {
                let (old, new) = (proc::read_name(from)?.1, proc::read_name(from)?.1);
                let renamed = self.files.rename(&old, &new);
                out.put_u32(if renamed { status::OK } else { status::NOENT });
                [0, 0].into_iter().for_each(|word| out.put_u64(word));
            }
            proc::READDIR => self.list(from, out)?,
            proc::FSINFO => self.sizes(out),
            proc::COMMIT => self.commit(from, out)?,
            _ => return Err(Unread::Bad),
        }
        Ok(())
    }

    fn mount(&mut self, from: &mut Reader, out: &mut Vec<u8>) -> Read<()> {
        let path = from.text(1024)?;
        if self.faults.wants_privileged && !self.privileged {
            out.put_u32(status::ACCES);
        } else if path == EXPORT {
            self.seen.mounts += 1;
            out.put_u32(status::OK);
            out.put_opaque(handle(FOLDER).as_bytes());
            out.put_u32(1);
            out.put_u32(1);
        } else {
            out.put_u32(status::NOENT);
        }
        Ok(())
    }

    fn attributes(&mut self, file: &Handle) -> Option<Attributes> {
        let fsid = self.faults.fsid;
        if *file == handle(FOLDER) {
            return Some(Files::folder());
        }
        if self.faults.no_attributes.is_some() {
            return None;
        }
        self.files.by_handle(file).map(|file| Attributes { fsid, ..file.attributes() })
    }

    fn look_up(&mut self, from: &mut Reader, out: &mut Vec<u8>) -> Read<()> {
        let (_, name) = proc::read_name(from)?;
        let remembered = self.faults.remembers_names.then(|| self.files.by_name.get(ASIDE)).flatten();
        match remembered.or_else(|| self.files.by_name.get(&name)) {
            Some(file) => {
                out.put_u32(status::OK);
                let held = if self.faults.handles_hold_names { name.as_str() } else { "" };
                out.put_opaque(handle_with(file.number, held).as_bytes());
                out.put_u64(0);
            }
            None => {
                out.put_u32(status::NOENT);
                out.put_u32(0);
            }
        }
        Ok(())
    }

    fn read(&mut self, uid: u32, from: &mut Reader, out: &mut Vec<u8>) -> Read<()> {
        let (file, offset, bytes) = (Handle::read(from)?, from.u64()? as usize, from.u32()?);
        self.seen.reads += 1;
        let bytes = bytes.min(self.faults.short_bytes.unwrap_or(u32::MAX)).min(self.faults.read_bytes_max);
        let Some(file) = self.files.by_handle(&file) else {
            return put_failure(out, status::STALE, 1);
        };
        if !file.is_open_to(uid) {
            return put_failure(out, status::ACCES, 1);
        }
        let begin = offset.min(file.cached.len());
        let end = (begin + bytes as usize).min(file.cached.len());
        out.put_u32(status::OK);
        out.put_u32(1);
        file.attributes().put(out);
        out.put_u32((end - begin) as u32);
        out.put_u32(u32::from(end == file.cached.len()));
        out.put_opaque(&file.cached[begin..end]);
        self.seen.read_bytes += (end - begin) as u64;
        Ok(())
    }

    fn write(&mut self, uid: u32, from: &mut Reader, out: &mut Vec<u8>) -> Read<()> {
        let (file, offset, _) = (Handle::read(from)?, from.u64()? as usize, from.u32()?);
        let asked = Stable::read(from)?;
        let data = from.opaque(64 << 20)?;
        self.seen.writes[asked as usize] += 1;
        let taken = data.len().min(self.faults.short_bytes.unwrap_or(u32::MAX) as usize);
        let done = self.faults.less_durable.map_or(asked, |most| asked.min(most));
        let verifier = self.files.verifier();
        let Some(file) = self.files.by_handle(&file) else {
            return put_failure(out, status::STALE, 2);
        };
        if !file.is_open_to(uid) {
            return put_failure(out, status::ACCES, 2);
        }
        file.write(offset, &data[..taken], done != Stable::Unstable);
        self.seen.write_bytes += taken as u64;
        out.put_u32(status::OK);
        out.put_u32(0);
        out.put_u32(1);
        file.attributes().put(out);
        out.put_u32(taken as u32);
        out.put_u32(done as u32);
        out.extend_from_slice(&verifier);
        Ok(())
    }

    fn commit(&mut self, from: &mut Reader, out: &mut Vec<u8>) -> Read<()> {
        let file = Handle::read(from)?;
        self.seen.commits += 1;
        if self.faults.restarts_before_commit > 0 {
            self.faults.restarts_before_commit -= 1;
            self.files.restart();
        }
        let verifier = self.files.verifier();
        let Some(file) = self.files.by_handle(&file) else {
            return put_failure(out, status::STALE, 2);
        };
        file.commit();
        out.put_u32(status::OK);
        out.put_u64(0);
        out.extend_from_slice(&verifier);
        Ok(())
    }

    fn create(&mut self, uid: u32, from: &mut Reader, out: &mut Vec<u8>) -> Read<()> {
        let (_, name) = proc::read_name(from)?;
        if self.files.by_name.contains_key(&name) {
            return put_failure(out, status::EXIST, 2);
        }
        let made = self.files.add(&name, uid, 0, Vec::new());
        out.put_u32(status::OK);
        out.put_u32(1);
        out.put_opaque(made.as_bytes());
        for _ in 0..3 {
            out.put_u32(0);
        }
        Ok(())
    }

    /// Three names at once, so that a folder of a few takes several answers.
    fn list(&self, from: &mut Reader, out: &mut Vec<u8>) -> Read<()> {
        const NAMES: usize = 3;
        Handle::read(from)?;
        let begin = from.u64()? as usize;
        [status::OK, 0].into_iter().for_each(|word| out.put_u32(word));
        out.put_u64(1);
        let files = self.files.by_name.iter().enumerate().skip(begin).take(NAMES);
        for (at, (name, file)) in files {
            out.put_u32(1);
            out.put_u64(file.number);
            out.put_opaque(name.as_bytes());
            out.put_u64(at as u64 + 1);
        }
        out.put_u32(0);
        out.put_u32(u32::from(begin + NAMES >= self.files.by_name.len()));
        Ok(())
    }

    fn sizes(&self, out: &mut Vec<u8>) {
        let (read, write) = (self.faults.read_bytes_max, self.faults.write_bytes_max);
        for value in [status::OK, 0, read, read, 4096, write, write, 4096, 4096] {
            out.put_u32(value);
        }
        out.put_u64(i64::MAX as u64);
        out.put_u64(1);
        out.put_u32(0x1b);
    }
}

/// A status, and so many things that are not told about a file.
fn put_failure(out: &mut Vec<u8>, status: u32, untold: usize) -> Read<()> {
    out.put_u32(status);
    (0..untold).for_each(|_| out.put_u32(0));
    Ok(())
}
