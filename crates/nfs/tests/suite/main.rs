//! The client against the server in memory, which goes wrong by name.
#![allow(clippy::disallowed_methods)]

mod faults;
mod finding;
mod load;
mod paths;
mod removing;
mod wire;
