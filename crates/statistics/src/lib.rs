//! What a measurement's figures need of statistics. Distributions are those of `statrs`, matrices those of `nalgebra`.

mod least_squares;
mod quantiles;
mod trend;

pub use least_squares::{LeastSquares, least_squares};
pub use quantiles::{normal_cdf, student_quantile};
pub use trend::{mann_kendall_z, theil_sen_slope};
