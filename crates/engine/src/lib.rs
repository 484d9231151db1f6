//! The engine moves bytes against a target and times every one of its I/Os.
//!
//! The data path, in order: [`spec`] says what to do, [`stream`] decides which I/O comes next and when
//! ([`pace`], [`patterns`]), [`drive`] submits it to one of the [`engines`] and reaps it, [`record`]
//! counts it, [`gather`] merges the threads' counts, and [`run`] is the handle around all of it.
//! Time comes from [`clock`] alone, so the simulated engine runs this very code in virtual time.

pub mod check;
pub mod clock;
pub mod connections;
pub mod control;
pub mod counts;
pub mod drive;
pub mod engines;
pub mod error;
pub mod file;
pub mod fill;
pub mod gather;
pub mod hdr;
pub mod inspect;
pub mod io;
pub mod limits;
pub mod over_libnfs;
pub mod pace;
pub mod patterns;
pub mod permit;
pub mod permute;
pub mod probe;
pub mod record;
pub mod remote;
mod remote_findings;
pub mod result;
pub mod rng;
pub mod run;
pub mod sketch;
pub mod spec;
pub mod stream;
pub mod sys;
pub mod times;

pub use error::{CoreError, Result};
