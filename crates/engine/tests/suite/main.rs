//! The engine as others use it. One program for all of it: each would be linked anew.

#[path = "../common/mod.rs"]
mod common;

mod contract;
mod coverage;
mod device;
mod driving;
mod filling;
mod groups;
mod histograms;
mod libnfs;
mod nfs;
mod pacing;
mod patterns;
mod probing;
mod queueing;
mod specs;
mod together;
