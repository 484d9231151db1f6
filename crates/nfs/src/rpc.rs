//! ONC RPC version 2 (RFC 5531): the head of a call, and of its reply.

use crate::limits::AUTH_BYTES_MAX;
use crate::xdr::{Put, Read, Reader, Unread};

/// The bit of a record's mark that says that its last fragment follows.
pub const LAST_FRAGMENT: u32 = 1 << 31;
const CALL: u32 = 0;
const REPLY: u32 = 1;
const RPC_VERSION: u32 = 2;
const AUTH_SYS: u32 = 1;

/// A procedure of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Procedure {
    /// Number of the program.
    pub program: u32,
    /// Its version.
    pub version: u32,
    /// Number of the procedure in it.
    pub number: u32,
}

/// Who asks, as the server is told (AUTH_SYS).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// User number.
    pub uid: u32,
    /// Group number.
    pub gid: u32,
}

/// Proof of identity and the empty one that is expected back, ready to be put into each call.
pub fn credential(identity: Identity, machine: &str) -> Vec<u8> {
    let mut body = Vec::new();
    body.put_u32(0);
    body.put_opaque(&machine.as_bytes()[..machine.len().min(64)]);
    body.put_u32(identity.uid);
    body.put_u32(identity.gid);
    body.put_u32(0);
    let mut out = Vec::new();
    out.put_u32(AUTH_SYS);
    out.put_opaque(&body);
    out.put_u64(0);
    out
}

/// Begins a call; its arguments follow.
pub fn begin_call(out: &mut Vec<u8>, xid: u32, procedure: Procedure, credential: &[u8]) {
    for value in [xid, CALL, RPC_VERSION, procedure.program, procedure.version, procedure.number] {
        out.put_u32(value);
    }
    out.extend_from_slice(credential);
}

/// Why a server did not do what a call asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It speaks another version of RPC.
    RpcMismatch,
    /// It does not accept who asks, with the number of its reason.
    Auth(u32),
    /// It does not have the program.
    NoProgram,
    /// It has other versions of the program.
    NoVersion {
        /// The lowest one that it has.
        low: u32,
        /// The highest one.
        high: u32,
    },
    /// It does not have the procedure.
    NoProcedure,
    /// It could not read the arguments.
    GarbageArguments,
    /// It failed for another reason.
    SystemError,
}

impl Refusal {
    /// AUTH_TOOWEAK: what servers answer that want a source port below 1024.
    pub const TOO_WEAK: Refusal = Refusal::Auth(5);

    /// The nearest error number of the system.
    pub fn errno(self) -> i32 {
        match self {
            Refusal::Auth(_) => libc::EACCES,
            Refusal::SystemError => libc::EREMOTEIO,
            Refusal::RpcMismatch | Refusal::NoProgram | Refusal::NoVersion { .. } | Refusal::NoProcedure => {
                libc::EPROTONOSUPPORT
            }
            Refusal::GarbageArguments => libc::EPROTO,
        }
    }

    /// In words.
    pub fn words(self) -> String {
        match self {
            Refusal::RpcMismatch => "it speaks another version of RPC".to_owned(),
            Refusal::Auth(reason) => format!("it does not accept the identity (AUTH_ERROR {reason})"),
            Refusal::NoProgram => "it does not have the program (PROG_UNAVAIL)".to_owned(),
            Refusal::NoVersion { low, high } => {
                format!("it has versions {low} to {high} only (PROG_MISMATCH)")
            }
            Refusal::NoProcedure => "it does not have the procedure (PROC_UNAVAIL)".to_owned(),
            Refusal::GarbageArguments => "it could not read the arguments (GARBAGE_ARGS)".to_owned(),
            Refusal::SystemError => "it failed (SYSTEM_ERR)".to_owned(),
        }
    }
}

/// Reads the head of a reply: whose it is, and whether the call was done; its result follows.
pub fn read_reply(reader: &mut Reader) -> Read<(u32, Result<(), Refusal>)> {
    let xid = reader.u32()?;
    if reader.u32()? != REPLY {
        return Err(Unread::Bad);
    }
    let outcome = match reader.u32()? {
        0 => accepted(reader)?,
        1 => Err(denied(reader)?),
        _ => return Err(Unread::Bad),
    };
    Ok((xid, outcome))
}

fn accepted(reader: &mut Reader) -> Read<Result<(), Refusal>> {
    reader.u32()?;
    reader.opaque(AUTH_BYTES_MAX)?;
    Ok(Err(match reader.u32()? {
        0 => return Ok(Ok(())),
        1 => Refusal::NoProgram,
        2 => Refusal::NoVersion { low: reader.u32()?, high: reader.u32()? },
        3 => Refusal::NoProcedure,
        4 => Refusal::GarbageArguments,
        5 => Refusal::SystemError,
        _ => return Err(Unread::Bad),
    }))
}

fn denied(reader: &mut Reader) -> Read<Refusal> {
    match reader.u32()? {
        0 => {
            reader.u64()?;
            Ok(Refusal::RpcMismatch)
        }
        1 => Ok(Refusal::Auth(reader.u32()?)),
        _ => Err(Unread::Bad),
    }
}

/// Reads the head of a call, as a server does: its number, what it asks for, and who asks; its arguments follow.
pub fn read_call(reader: &mut Reader) -> Read<(u32, Procedure, Option<Identity>)> {
    let xid = reader.u32()?;
    if (reader.u32()?, reader.u32()?) != (CALL, RPC_VERSION) {
        return Err(Unread::Bad);
    }
    let procedure = Procedure { program: reader.u32()?, version: reader.u32()?, number: reader.u32()? };
    let flavour = reader.u32()?;
    let mut body = Reader::new(reader.opaque(AUTH_BYTES_MAX)?);
    reader.u32()?;
    reader.opaque(AUTH_BYTES_MAX)?;
    if flavour != AUTH_SYS {
        return Ok((xid, procedure, None));
    }
    body.u32()?;
    body.opaque(255)?;
    Ok((xid, procedure, Some(Identity { uid: body.u32()?, gid: body.u32()? })))
}

/// Begins a reply that says that the call was done, or why not; a result follows.
pub fn begin_reply(out: &mut Vec<u8>, xid: u32, outcome: Result<(), Refusal>) {
    out.put_u32(xid);
    out.put_u32(REPLY);
    let words: &[u32] = match outcome {
        Err(Refusal::RpcMismatch) => &[1, 0, RPC_VERSION, RPC_VERSION],
        Err(Refusal::Auth(reason)) => &[1, 1, reason],
        Ok(()) => &[0, 0, 0, 0],
        Err(Refusal::NoProgram) => &[0, 0, 0, 1],
        Err(Refusal::NoVersion { low, high }) => &[0, 0, 0, 2, low, high],
        Err(Refusal::NoProcedure) => &[0, 0, 0, 3],
        Err(Refusal::GarbageArguments) => &[0, 0, 0, 4],
        Err(Refusal::SystemError) => &[0, 0, 0, 5],
    };
    words.iter().for_each(|&word| out.put_u32(word));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outcome_is_read_as_it_was_written() {
        let refusals = [
            Refusal::RpcMismatch,
            Refusal::TOO_WEAK,
            Refusal::NoProgram,
            Refusal::NoVersion { low: 4, high: 4 },
            Refusal::NoProcedure,
            Refusal::GarbageArguments,
            Refusal::SystemError,
        ];
        for outcome in refusals.into_iter().map(Err).chain([Ok(())]) {
            let mut out = Vec::new();
            begin_reply(&mut out, 77, outcome);
            let mut reader = Reader::new(&out);
            assert_eq!(read_reply(&mut reader), Ok((77, outcome)));
            assert_eq!(reader.left(), 0);
            for end in 0..out.len() {
                assert_eq!(
                    read_reply(&mut Reader::new(&out[..end])),
                    Err(Unread::Short),
                    "{outcome:?} at {end}"
                );
            }
        }
    }

    #[test]
    fn a_call_says_who_asks() {
        let (procedure, identity) =
            (Procedure { program: 100_003, version: 3, number: 6 }, Identity { uid: 54321, gid: 54322 });
        let mut out = Vec::new();
        begin_call(&mut out, 5, procedure, &credential(identity, "host"));
        let mut reader = Reader::new(&out);
        assert_eq!(read_call(&mut reader), Ok((5, procedure, Some(identity))));
        assert_eq!(reader.left(), 0);
    }
}
