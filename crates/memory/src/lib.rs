//! How fast memory is. Streams go through arrays in order, with either kind of store; chains of loads that each wait for the
//! one before tell latency, also while others load memory; random updates are what a database's cache is asked for.
//!
//! Each is done by threads that are bound to given CPUs and have memory of their own on a given node. They start together and
//! go round until the time is over, or somebody wants them to stop; what a thread did it times itself.

mod area;
mod chase;
mod code;
mod gate;
mod loaded;
mod place;
mod random;
mod sample;
mod streams;
mod sys;
mod team;
mod updates;

pub use chase::{Chased, chase};
pub use code::forget_code;
pub use loaded::{Loaded, loaded};
pub use place::{Pages, Place, Until};
pub use streams::{Kernel, Stream, Streamed, has_non_temporal, streams};
pub use updates::{Updated, update};

/// What an update, and a step of a chain, touches: as much as a cache fetches at a time.
pub const LINE_BYTES: usize = 64;
