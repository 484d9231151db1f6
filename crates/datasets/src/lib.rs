//! Tables of many reports as files: Parquet for DuckDB, Polars and Spark, CSV for spreadsheets.
//!
//! A report's rows become Arrow batches (`tables`), wait with those of other reports until they are many (`dataset`), to which they may come from other processes (`gathered`), get in front
//! what names their report (`identity`), and become bytes (`parquet`, of which `listed` writes some columns; `csv`). Who asked
//! writes the bytes into a folder.

mod csv;
mod dataset;
mod gathered;
mod identity;
mod listed;
mod parquet;
mod pile;
mod rows;
pub mod spreadsheets;
pub mod tables;

pub use self::dataset::{Dataset, Format, Limits, Part, files_of};
pub use self::gathered::Gathered;
pub use self::identity::Identity;
pub use self::rows::{Kind, batch_of};

/// Why no file could be made: a defect of ours.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Columns that do not fit each other.
    #[error(transparent)]
    Arrow(#[from] arrow_schema::ArrowError),
    /// A file that the library could not put together.
    #[error(transparent)]
    Parquet(#[from] ::parquet::errors::ParquetError),
    /// An encoder that ended without its file.
    #[error("a row group was given up while it was encoded")]
    Ended,
    /// Bytes that no group of reports was made to.
    #[error("rows on their way from another process are damaged")]
    Gathered,
    /// Rows from outside that do not fit their columns.
    #[error("column {0} cannot hold {1}")]
    Value(String, String),
}
