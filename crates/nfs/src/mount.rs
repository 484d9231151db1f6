//! The MOUNT protocol, version 3 (RFC 1813, appendix I), which gives the handle of an export, and the port mapper that knows where
//! it listens (RFC 1833).

use crate::proc::Handle;
use crate::rpc::Procedure;
use crate::xdr::{Put, Read, Reader};

/// MOUNT's number.
pub const PROGRAM: u32 = 100_005;
/// Its version that belongs to NFS 3.
pub const VERSION: u32 = 3;
/// Nothing: whether anybody is there; other clients than ours ask.
pub const NULL: Procedure = Procedure { program: PROGRAM, version: VERSION, number: 0 };
/// The handle of a path.
pub const MNT: Procedure = Procedure { program: PROGRAM, version: VERSION, number: 1 };
/// Forgets that a path was mounted.
pub const UMNT: Procedure = Procedure { program: PROGRAM, version: VERSION, number: 3 };
/// What is exported.
pub const EXPORT: Procedure = Procedure { program: PROGRAM, version: VERSION, number: 5 };
/// Where a program listens.
pub const GETPORT: Procedure = Procedure { program: 100_000, version: 2, number: 3 };
/// Where the port mapper itself listens.
pub const PORT_MAPPER: u16 = 111;
/// Exports that are named in a message.
const EXPORTS_MAX: usize = 64;
const TCP: u32 = 6;

/// Reads the answer to MNT, or the status that it failed with.
pub fn read_mounted(reader: &mut Reader) -> Read<Result<Handle, u32>> {
    match reader.u32()? {
        0 => Handle::read(reader).map(Ok),
        status => Ok(Err(status)),
    }
}

/// Reads the names of exports; who may mount them is passed over.
pub fn read_exports(reader: &mut Reader) -> Read<Vec<String>> {
    let mut names = Vec::new();
    while reader.bool()? && names.len() < EXPORTS_MAX {
        names.push(reader.text(crate::limits::PATH_BYTES_MAX)?);
        while reader.bool()? {
            reader.opaque(crate::limits::PATH_BYTES_MAX)?;
        }
    }
    Ok(names)
}

/// Arguments of GETPORT.
pub fn put_getport(out: &mut Vec<u8>, program: u32, version: u32) {
    for value in [program, version, TCP, 0] {
        out.put_u32(value);
    }
}
