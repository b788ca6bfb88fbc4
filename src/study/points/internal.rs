//! What a study of points finds out for the data holder only.

use super::{Exploration, PointStudyError};
use crate::manifold::Manifold;
use crate::mechanism::manifold::PublicBall;

/// What only the data holder may see.
#[derive(Debug, Clone)]
pub struct Internal<P> {
    /// The Fréchet mean of the records in the ball.
    pub mean: P,
    /// How many records there are, how many had to be brought into the ball, and how many stand at its centre.
    pub counts: [usize; 3],
    /// Draws on made-up records, where they were asked for.
    pub exploration: Option<Exploration>,
}

impl<P> Internal<P> {
    pub(super) fn of<M: Manifold<Point = P>>(
        ball: &PublicBall<M>,
        records: &[Option<P>],
    ) -> Result<Self, PointStudyError> {
        let located = ball.locate(records, records.len() as u64)?;
        let counts = [records.len(), located.bounded.projected, located.bounded.failed];
        Ok(Self { mean: located.mean, counts, exploration: None })
    }
}
