//! What a measurement's figures need of statistics. Distributions are those of `statrs`, matrices those of `nalgebra`.

mod columns;
mod least_squares;
mod levels;
mod quantiles;
mod trend;

pub use columns::{number_columns, word_columns};
pub use least_squares::{LeastSquares, least_squares};
pub use levels::cheapest_cuts;
pub use quantiles::{normal_cdf, student_quantile};
pub use trend::{mann_kendall_z, theil_sen_slope};
