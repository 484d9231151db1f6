//! The procedures of NFS version 3 (RFC 1813) that a load needs: their arguments and their results.

use crate::limits::{HANDLE_BYTES_MAX, PATH_BYTES_MAX};
use crate::rpc::Procedure;
use crate::xdr::{Put, Read, Reader, Unread};

/// The program's number.
pub const PROGRAM: u32 = 100_003;
/// The one version that is spoken here.
pub const VERSION: u32 = 3;

const fn procedure(number: u32) -> Procedure {
    Procedure { program: PROGRAM, version: VERSION, number }
}

/// Nothing: whether anybody is there.
pub const NULL: Procedure = procedure(0);
/// What a file is.
pub const GETATTR: Procedure = procedure(1);
/// Which file has a name in a folder.
pub const LOOKUP: Procedure = procedure(3);
/// Who may do what with a file; other clients than ours ask.
pub const ACCESS: Procedure = procedure(4);
/// Bytes of a file.
pub const READ: Procedure = procedure(6);
/// Bytes into a file.
pub const WRITE: Procedure = procedure(7);
/// A new file.
pub const CREATE: Procedure = procedure(8);
/// Takes a file away.
pub const REMOVE: Procedure = procedure(12);
/// Gives a file another name; what has that one is replaced.
pub const RENAME: Procedure = procedure(14);
/// Names in a folder.
pub const READDIR: Procedure = procedure(16);
/// How much room is left.
pub const FSSTAT: Procedure = procedure(18);
/// Sizes that the server can take.
pub const FSINFO: Procedure = procedure(19);
/// Makes unstable writes durable.
pub const COMMIT: Procedure = procedure(21);

/// A file's name for the server, in place so that it costs no allocation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Handle {
    bytes: [u8; HANDLE_BYTES_MAX],
    length: u8,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "Handle({:02x?})", self.as_bytes())
    }
}

impl Handle {
    /// Of bytes, which are at most 64.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let mut handle = Self { bytes: [0; HANDLE_BYTES_MAX], length: bytes.len() as u8 };
        handle.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(handle)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length as usize]
    }

    /// Reads one.
    pub fn read(reader: &mut Reader) -> Read<Self> {
        Self::new(reader.opaque(HANDLE_BYTES_MAX)?).ok_or(Unread::Bad)
    }
}

/// How durable a write is when it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Stable {
    /// In the server's memory; a COMMIT makes it durable.
    Unstable = 0,
    /// The data, and what is needed to find it.
    Data = 1,
    /// The data and all that is known of the file.
    File = 2,
}

impl Stable {
    /// As a server says it.
    pub fn read(reader: &mut Reader) -> Read<Self> {
        match reader.u32()? {
            0 => Ok(Self::Unstable),
            1 => Ok(Self::Data),
            2 => Ok(Self::File),
            _ => Err(Unread::Bad),
        }
    }
}

/// Changes when the server has lost unstable writes.
pub type Verifier = [u8; 8];

/// What a server tells of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// 1 for a file, 2 for a folder.
    pub kind: u32,
    /// Who may do what.
    pub mode: u32,
    /// How many names it has.
    pub links: u32,
    /// Its owner.
    pub uid: u32,
    /// Its group.
    pub gid: u32,
    /// Its length.
    pub size_bytes: u64,
    /// What it takes on the server.
    pub used_bytes: u64,
    /// Number of the file system.
    pub fsid: u64,
    /// Number of the file in it.
    pub fileid: u64,
}

impl Attributes {
    /// Of a file.
    pub const FILE: u32 = 1;
    /// Of a folder.
    pub const FOLDER: u32 = 2;
    /// Of a symbolic link.
    pub const LINK: u32 = 5;

    /// Reads those of one file.
    pub fn read(reader: &mut Reader) -> Read<Self> {
        let (kind, mode) = (reader.u32()?, reader.u32()?);
        let links = reader.u32()?;
        let (uid, gid) = (reader.u32()?, reader.u32()?);
        let (size_bytes, used_bytes) = (reader.u64()?, reader.u64()?);
        reader.u64()?;
        let (fsid, fileid) = (reader.u64()?, reader.u64()?);
        reader.take(24)?;
        Ok(Self { kind, mode, links, uid, gid, size_bytes, used_bytes, fsid, fileid })
    }

    /// Those that come with most answers, where the server has them at hand.
    pub fn maybe(reader: &mut Reader) -> Read<Option<Self>> {
        if reader.bool()? { Self::read(reader).map(Some) } else { Ok(None) }
    }

    /// As a server sends them.
    pub fn put(&self, out: &mut Vec<u8>) {
        for value in [self.kind, self.mode, self.links, self.uid, self.gid] {
            out.put_u32(value);
        }
        for value in [self.size_bytes, self.used_bytes, 0, self.fsid, self.fileid, 0, 0, 0] {
            out.put_u64(value);
        }
    }
}

/// Passes over what a file was before and after a change.
pub fn skip_change(reader: &mut Reader) -> Read<()> {
    if reader.bool()? {
        reader.take(24)?;
    }
    Attributes::maybe(reader).map(|_| ())
}

/// What stands before the data in the answer to a READ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadHead {
    /// Bytes that follow.
    pub data_bytes: u32,
    /// Whether the file ends behind them.
    pub end: bool,
}

/// Reads the answer to a READ up to its data, or the status that it failed with.
pub fn read_head(reader: &mut Reader) -> Read<Result<ReadHead, u32>> {
    let status = reader.u32()?;
    Attributes::maybe(reader)?;
    if status != crate::status::OK {
        return Ok(Err(status));
    }
    let (told, end, data_bytes) = (reader.u32()?, reader.bool()?, reader.u32()?);
    if told != data_bytes {
        return Err(Unread::Bad);
    }
    Ok(Ok(ReadHead { data_bytes, end }))
}

/// The answer to a WRITE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Bytes that the server took.
    pub bytes: u32,
    /// How durable they are.
    pub stable: Stable,
    /// The server's verifier.
    pub verifier: Verifier,
}

/// Reads the answer to a WRITE, or the status that it failed with.
pub fn read_written(reader: &mut Reader) -> Read<Result<Written, u32>> {
    let status = reader.u32()?;
    skip_change(reader)?;
    if status != crate::status::OK {
        return Ok(Err(status));
    }
    Ok(Ok(Written { bytes: reader.u32()?, stable: Stable::read(reader)?, verifier: reader.array()? }))
}

/// Reads the answer to a COMMIT, or the status that it failed with.
pub fn read_committed(reader: &mut Reader) -> Read<Result<Verifier, u32>> {
    let status = reader.u32()?;
    skip_change(reader)?;
    if status != crate::status::OK {
        return Ok(Err(status));
    }
    Ok(Ok(reader.array()?))
}

/// Reads from the answer to FSSTAT how many bytes the user may still write, or the status that it failed with.
pub fn read_free_bytes(reader: &mut Reader) -> Read<Result<u64, u32>> {
    let status = reader.u32()?;
    Attributes::maybe(reader)?;
    if status != crate::status::OK {
        return Ok(Err(status));
    }
    let (_whole, _free) = (reader.u64()?, reader.u64()?);
    reader.u64().map(Ok)
}

/// What CREATE made, as far as the server says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made {
    /// Its handle.
    pub handle: Option<Handle>,
    /// What the server tells of it.
    pub attributes: Option<Attributes>,
}

/// Reads the answer to CREATE, or the status that it failed with.
pub fn read_made(reader: &mut Reader) -> Read<Result<Made, u32>> {
    let status = reader.u32()?;
    if status != crate::status::OK {
        return Ok(Err(status));
    }
    let handle = if reader.bool()? { Some(Handle::read(reader)?) } else { None };
    Ok(Ok(Made { handle, attributes: Attributes::maybe(reader)? }))
}

/// Sizes that a server can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Of one READ.
    pub read_bytes_max: u32,
    /// Of one WRITE.
    pub write_bytes_max: u32,
}

/// Reads the answer to what is either done or not.
pub fn read_status(reader: &mut Reader) -> Read<Result<(), u32>> {
    match reader.u32()? {
        crate::status::OK => Ok(Ok(())),
        status => Ok(Err(status)),
    }
}

/// Reads the answer to FSINFO, or the status that it failed with.
pub fn read_sizes(reader: &mut Reader) -> Read<Result<Sizes, u32>> {
    let status = reader.u32()?;
    Attributes::maybe(reader)?;
    if status != crate::status::OK {
        return Ok(Err(status));
    }
    let read_bytes_max = reader.u32()?;
    reader.u64()?;
    Ok(Ok(Sizes { read_bytes_max, write_bytes_max: reader.u32()? }))
}

/// Arguments of a READ.
pub fn put_read(out: &mut Vec<u8>, file: &Handle, offset_bytes: u64, bytes: u32) {
    out.put_opaque(file.as_bytes());
    out.put_u64(offset_bytes);
    out.put_u32(bytes);
}

/// Arguments of a WRITE; its data follows.
pub fn put_write(out: &mut Vec<u8>, file: &Handle, offset_bytes: u64, bytes: u32, stable: Stable) {
    put_read(out, file, offset_bytes, bytes);
    out.put_u32(stable as u32);
    out.put_u32(bytes);
}

/// Arguments of a COMMIT of the whole file.
pub fn put_commit(out: &mut Vec<u8>, file: &Handle) {
    put_read(out, file, 0, 0);
}

/// Arguments of CREATE: a file that was not there before, for its owner alone.
pub fn put_create(out: &mut Vec<u8>, folder: &Handle, name: &str) {
    const GUARDED: u32 = 1;
    out.put_opaque(folder.as_bytes());
    out.put_opaque(name.as_bytes());
    // The mode is set, owner and group and size and both times are left to the server.
    for value in [GUARDED, 1, 0o600, 0, 0, 0, 0, 0] {
        out.put_u32(value);
    }
}

/// Arguments of LOOKUP and REMOVE, and half of those of RENAME.
pub fn put_name(out: &mut Vec<u8>, folder: &Handle, name: &str) {
    out.put_opaque(folder.as_bytes());
    out.put_opaque(name.as_bytes());
}

/// Reads a name that is an argument.
pub fn read_name(reader: &mut Reader) -> Read<(Handle, String)> {
    Ok((Handle::read(reader)?, reader.text(PATH_BYTES_MAX)?))
}
