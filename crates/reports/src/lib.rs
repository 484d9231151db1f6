//! Reads Statspack and AWR reports: bytes → text → one table model → typed views.

pub mod addm;
pub mod bounds;
pub mod cells;
pub mod checks;
pub mod dates;
pub mod embedded;
pub mod encoding;
pub mod header;
pub mod html;
pub mod kind;
pub mod limits;
pub mod lines;
mod markdown;
mod memo;
pub mod model;
pub mod numbers;
pub mod parts;
pub mod prefix;
pub mod problems;
pub mod report;
pub mod sections;
pub mod summary;
pub mod text;
mod title;
pub mod value;
pub mod words;
mod wrappers;

pub use report::{Report, read, read_all};
