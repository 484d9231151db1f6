//! NFS version 3 over TCP (RFC 1813, RFC 5531), as far as a load on one file needs it. It stands alone, so that it can be built,
//! tested and fuzzed without the engine.
//!
//! [`session`] asks one question after the other, to find a file, to make one and to remove it. [`pipe`] keeps many reads and
//! writes under way. [`server`] answers from memory, and misbehaves by name.

pub mod error;
pub mod file;
pub mod limits;
pub mod listing;
pub mod mount;
pub mod open;
pub mod pipe;
pub mod proc;
pub mod receive;
pub mod removal;
pub mod rpc;
pub mod server;
pub mod session;
pub mod socket;
pub mod status;
mod sys;
pub mod table;
pub mod url;
pub mod xdr;

pub use error::{NfsError, Result};
