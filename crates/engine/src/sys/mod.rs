//! The only folder with `unsafe`: memory for I/O, the ring, and the few system calls that no safe crate offers.
#![allow(unsafe_code)]

pub mod aio;
pub mod batch;
pub mod completion;
pub mod fiemap;
pub mod libnfs;
pub mod memory;
pub mod ring;
pub mod thread;
pub mod usage;
