//! Dialled disks as others use them. One program for all of it: each would be linked anew.

mod laws;
mod mirror;
