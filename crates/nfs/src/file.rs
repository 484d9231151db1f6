//! Makes and looks at single files, one call after the other: what is done before and after a load.

use crate::error::{NfsError, Result, garbled};
use crate::limits::REWRITES_MAX;
use crate::open::{Found, attributes, failed, folder_of, look_up};
use crate::proc::{self, Attributes, Handle, Made, ReadHead, Verifier, Written};
use crate::rpc::Identity;
use crate::status;
use crate::url::Url;
use crate::xdr::{Put, Reader};

/// Makes a file that was not there before, for its owner alone. Fails with `nfs-exists`, `nfs-forbidden` and as [`find`] does; what
/// was made and cannot be told from others is taken away again.
pub fn create(url: &Url) -> Result<Attributes> {
    let (mut folder, name) = folder_of(url)?;
    let handle = folder.handle;
    let put = |out: &mut Vec<u8>| proc::put_create(out, &handle, &name);
    let answer = folder.session.ask(proc::CREATE, "to make a file", put, proc::read_made);
    match answer.map_err(|error| perhaps_made(url, &name, error))? {
        Ok(made) => told_of(&mut folder, url, &name, made).map_err(|error| undone(&mut folder, &name, error)),
        Err(status::EXIST) => Err(NfsError::new(
            "nfs-exists",
            format!("{} has a {} already", url.host, url.path),
            "Nothing was changed. Name another file, or a folder: a scratch file is made in it.",
        )
        .errno(libc::EEXIST)),
        Err(status) => Err(failed(url, folder.identity, "make a file", status, Some(&folder.attributes))),
    }
}

/// What a file is that was just made; asked where the answer to CREATE does not say it.
fn told_of(folder: &mut Found, url: &Url, name: &str, made: Made) -> Result<Attributes> {
    if let Some(attributes) = made.attributes {
        return Ok(attributes);
    }
    let (session, identity) = (&mut folder.session, folder.identity);
    let handle = match made.handle {
        Some(handle) => handle,
        None => look_up(session, url, identity, &folder.handle, name)?,
    };
    attributes(session, url, identity, &handle)
}

/// Whether a file was made whose answer did not come nobody knows, and what has its name may be another one's.
fn perhaps_made(url: &Url, name: &str, mut error: NfsError) -> NfsError {
    if error.id != "nfs-unreachable" && error.errno != Some(libc::EPROTO) {
        return error;
    }
    let folder = url.parent().map_or("/", |(folder, _)| folder);
    error.message = format!("{}; {name} may have been made in {folder} all the same", error.message);
    error.hint = format!("{} Look for {name} there, and remove it.", error.hint);
    error
}

/// Takes away what was just made; where that fails too, the error says that it is left there.
fn undone(folder: &mut Found, name: &str, mut error: NfsError) -> NfsError {
    if !matches!(folder.remove_name(name), Ok(Ok(()))) {
        let path = &folder.url.path;
        error.message = format!("{}; {name}, which was just made, is left in {path}", error.message);
    }
    error
}

impl Found {
    pub(crate) fn remove_name(&mut self, name: &str) -> Result<std::result::Result<(), u32>> {
        let handle = self.handle;
        let put = |out: &mut Vec<u8>| proc::put_name(out, &handle, name);
        self.session.ask(proc::REMOVE, "to remove a file", put, proc::read_status)
    }

    /// Bytes that its user may still write to its file system; none where the server does not tell.
    pub fn free_bytes(&mut self) -> Result<Option<u64>> {
        let handle = self.handle;
        let put = |out: &mut Vec<u8>| out.put_opaque(handle.as_bytes());
        Ok(self.session.ask(proc::FSSTAT, "how much room there is", put, proc::read_free_bytes)?.ok())
    }

    /// Bytes of the file from there on, as many as the server gives at once, and whether the file ends behind them.
    pub fn read(&mut self, offset_bytes: u64, bytes: u32) -> Result<(Vec<u8>, bool)> {
        let bytes = bytes.min(self.sizes.read_bytes_max);
        let handle = self.handle;
        let put = |out: &mut Vec<u8>| proc::put_read(out, &handle, offset_bytes, bytes);
        let name = self.url.host.clone();
        let read = |reader: &mut Reader| match proc::read_head(reader)? {
            Ok(ReadHead { data_bytes, end }) => Ok(Ok((reader.take(data_bytes as usize)?.to_vec(), end))),
            Err(status) => Ok(Err(status)),
        };
        let answer = self.session.ask(proc::READ, "for a file's bytes", put, read)?;
        let (data, end) = answer.map_err(|status| {
            failed(&self.url, self.identity, "read the bytes", status, Some(&self.attributes))
        })?;
        if data.len() > bytes as usize || (data.is_empty() && !end && bytes > 0) {
            return Err(garbled(&name, "a READ"));
        }
        Ok((data, end))
    }

    /// Fills `into` from there on. Fails with `nfs-failed` where the file ends before.
    pub fn read_exactly(&mut self, mut offset_bytes: u64, mut into: &mut [u8]) -> Result<()> {
        while !into.is_empty() {
            let (data, end) = self.read(offset_bytes, into.len() as u32)?;
            into[..data.len()].copy_from_slice(&data);
            into = &mut into[data.len()..];
            offset_bytes += data.len() as u64;
            if end && !into.is_empty() {
                return Err(NfsError::new(
                    "nfs-failed",
                    format!(
                        "{} of {} ended at byte {offset_bytes} while it was read",
                        self.url.path, self.url.host
                    ),
                    "Somebody may have shortened it; try again.",
                ));
            }
        }
        Ok(())
    }

    /// Writes all of it, durable when it returns: what the server took less durably it is made to commit, and what it lost before
    /// is written again.
    pub fn write_durably(&mut self, offset_bytes: u64, data: &[u8]) -> Result<()> {
        for _ in 0..=REWRITES_MAX {
            let uncommitted = self.write_all(offset_bytes, data)?;
            let Some(&first) = uncommitted.first() else { return Ok(()) };
            let committed = self.commit()?;
            if uncommitted.iter().all(|&verifier| verifier == first) && committed == first {
                return Ok(());
            }
        }
        Err(NfsError::new(
            "nfs-failed",
            format!(
                "{} lost what was written to {} before it was durable, again and again",
                self.url.host, self.url.path
            ),
            "The server's own log says more.",
        )
        .errno(libc::EIO))
    }

    /// Writes all of it once; the verifiers of the parts that the server did not make durable.
    fn write_all(&mut self, mut offset_bytes: u64, mut data: &[u8]) -> Result<Vec<Verifier>> {
        let mut uncommitted = Vec::new();
        while !data.is_empty() {
            let written = self.write(offset_bytes, data)?;
            if written.stable != proc::Stable::File {
                uncommitted.push(written.verifier);
            }
            data = &data[written.bytes as usize..];
            offset_bytes += u64::from(written.bytes);
        }
        Ok(uncommitted)
    }

    /// Writes as much of it as the server takes at once.
    fn write(&mut self, offset_bytes: u64, data: &[u8]) -> Result<Written> {
        let part = &data[..data.len().min(self.sizes.write_bytes_max as usize)];
        let handle = self.handle;
        let put = |out: &mut Vec<u8>| {
            proc::put_write(out, &handle, offset_bytes, part.len() as u32, proc::Stable::File);
            out.truncate(out.len() - 4);
            out.put_opaque(part);
        };
        let answer = self.session.ask(proc::WRITE, "to write", put, proc::read_written)?;
        let written = answer.map_err(|status| {
            failed(&self.url, self.identity, "write the bytes", status, Some(&self.attributes))
        })?;
        if written.bytes == 0 || written.bytes as usize > part.len() {
            return Err(garbled(&self.url.host, "a WRITE"));
        }
        Ok(written)
    }

    fn commit(&mut self) -> Result<Verifier> {
        let handle = self.handle;
        let put = |out: &mut Vec<u8>| proc::put_commit(out, &handle);
        let answer = self.session.ask(proc::COMMIT, "to commit", put, proc::read_committed)?;
        answer.map_err(|status| {
            failed(&self.url, self.identity, "commit the bytes", status, Some(&self.attributes))
        })
    }

    /// Whether it is a file, and not a folder or something odd.
    pub fn check_file(&self) -> Result<()> {
        if self.attributes.kind == Attributes::FILE {
            return Ok(());
        }
        Err(no_file(&self.url, self.attributes.kind))
    }

    /// The numbers that name this very file on its server.
    pub fn numbers(&self) -> (u64, u64) {
        (self.attributes.fsid, self.attributes.fileid)
    }

    /// The handle, and as whom it is used.
    pub fn means(&self) -> (Handle, Identity) {
        (self.handle, self.identity)
    }
}

/// What else there is under a name, and what to do about it.
fn no_file(url: &Url, kind: u32) -> NfsError {
    if kind == Attributes::LINK {
        return NfsError::new(
            "target-open",
            format!("could not open {} of {}: it is a symbolic link", url.path, url.host),
            "Links are not followed: name the file or folder that it leads to.",
        );
    }
    let what = if kind == Attributes::FOLDER { "a folder" } else { "no file" };
    NfsError::new(
        "target-open",
        format!("could not open {} of {}: it is {what}", url.path, url.host),
        "Name a file.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_called_one() {
        let url = Url::parse("nfs://filer/vol/data").expect("it is one");
        let link = no_file(&url, 5);
        assert!(link.message.ends_with("it is a symbolic link") && link.hint.contains("that it leads to"));
        assert!(no_file(&url, Attributes::FOLDER).message.ends_with("it is a folder"));
        assert!(no_file(&url, 4).message.ends_with("it is no file"));
    }
}
