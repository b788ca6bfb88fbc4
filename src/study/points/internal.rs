//! `internal/` of a study of points: for the data holder only.

use super::Exploration;
use super::internal_page::utility_csv;
use super::run::{PointForm, PointStudyError};
use crate::io::write_bytes;
use crate::manifold::Manifold;
use crate::mechanism::manifold::{PublicBall, ReleasedPoints};
use crate::privacy::Released;
use crate::study::StudyFolder;
use crate::study::layout::REPORT;

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

/// Writes it; returns how many records were brought into the ball, and how many stand at its centre.
pub(super) fn write_internal<P, Q>(
    folder: &StudyFolder,
    form: &impl PointForm<P, Q>,
    internal: &Internal<P>,
    released: Option<&Released<ReleasedPoints<P, Q>>>,
) -> Result<(usize, usize), PointStudyError> {
    let dir = folder.internal();
    let [n, projected, failed] = internal.counts;
    let counts = format!(
        "what,count\nrecords,{n}\nprojected onto the ball,{projected}\nunusable or without projection (stand at the \
         centre),{failed}\n"
    );
    write_bytes(&dir.join("records.csv"), counts.as_bytes())?;
    if let Some(exploration) = &internal.exploration {
        write_bytes(&dir.join("utility.csv"), utility_csv(exploration).as_bytes())?;
    }
    write_bytes(&dir.join(REPORT), form.internal_page(internal, released).as_bytes())?;
    // Last: its presence says that the rest is there.
    form.write_mean(&dir, &internal.mean)?;
    Ok((projected, failed))
}
