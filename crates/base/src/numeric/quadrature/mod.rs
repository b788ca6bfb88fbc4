//! Integrals by rules of fixed nodes.
//!
//! | integrand | rule |
//! | --- | --- |
//! | analytic inside intervals, singular at their ends | [`integrate`]: tanh–sinh |
//! | falling, on the half-line | [`HalfLine`]: double exponential |
//! | analytic, taken at the same nodes many times over | [`panels`]: Gauss–Legendre |
//! | smooth, on many short pieces | [`three_point_mean`], [`eight_point_mean`]: Gauss–Legendre |

mod gauss;
mod half_line;
mod interval;

#[doc(hidden)]
pub use gauss::{eight_point_mean, panels, three_point_mean};
#[doc(hidden)]
pub use half_line::HalfLine;
#[doc(hidden)]
pub use interval::integrate;
