//! Watches from inside the kernel: who does which I/O, to which file, how large and how late, and what commits wait for.
//!
//! `bpf/block.bpf.c` counts in the kernel and is kept here compiled, so that no host needs a compiler; [`probe`] loads it, takes it
//! away again and reads what it counted, [`layout`] knows how that is laid out, and [`obstacles`] says before what would keep it out.
//! `bpf/commit.bpf.c` and [`commit`] do the same for commits; [`calls`] tells what each system call is to them; `bpf/call.bpf.c` and [`call`] for calls that read, write or flush a file. [`tables`] moves the
//! rows of both out of the kernel. [`askers`] finds who does I/O for others, and where that is noted.

mod askers;
pub mod call;
pub mod calls;
pub mod commit;
mod joined;
mod kernel;
pub mod layout;
pub mod obstacles;
mod parts;
pub mod probe;
mod symbols;
mod tables;
mod types;

pub use probe::Probe;
