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

pub(crate) use gauss::{eight_point_mean, panels, three_point_mean};
pub(crate) use half_line::HalfLine;
pub(crate) use interval::integrate;
