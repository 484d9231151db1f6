//! Disks whose speed is dialled, for tests and for the laboratory: a file in a mounted folder, whose data is real and whose
//! answers come when a law of service says so, never earlier.
//!
//! [`spec`] says what can be dialled, [`disk`] works out in virtual time when each request ends, [`volume`] makes a mirror of two
//! of them where one was asked for, [`answers`] lets the wall clock get there, [`filesystem`] speaks with the kernel, and [`serve`] puts them together. A process that measures must not
//! be the one that serves: at its end the kernel would wait for an answer that nobody gives any more.

pub mod answers;
pub mod contents;
pub mod counters;
pub mod disk;
pub mod filesystem;
pub mod pauses;
pub mod serve;
pub mod spec;
pub mod volume;

pub use serve::Served;
