//! The reader as others use it. One program for all of it: each would be linked anew.

#[path = "../mutants/mod.rs"]
mod damaged;
#[path = "../sound/mod.rs"]
mod sound;

mod bounds;
mod corpus;
mod hard_inputs;
mod mutants;
mod views_of_corpus;
mod whole;
