//! Samples at positions that were declared, on the regular grids that bases know.

/// Why positions are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionsError {
    /// Fewer than two.
    #[error("positions are two numbers or more")]
    TooFew,
    /// Not rising.
    #[error(
        "position {0} (counting from 1) is not a finite number above the one before it; give positions in rising order, each once"
    )]
    NotRising(usize),
    /// Beyond one turn.
    #[error(
        "positions on a circle are angles in radians within one turn: the last less the first must be below 2π"
    )]
    BeyondATurn,
}

/// Where functions on an interval or a circle were sampled, and the regular grid they are taken to: record by record, by linear
/// interpolation, so that what is made of one record depends on that record alone. A grid that is regular already is left as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Positions {
    grid: Vec<f64>,
    /// For each point of the grid: two samples, and the weight of the second; nothing where the positions are the grid.
    between: Option<Vec<(usize, usize, f64)>>,
}

/// A grid whose points lie this near to their regular places, in steps, is regular.
const REGULAR: f64 = 1e-9;

impl Positions {
    /// On an interval, from the first position to the last.
    ///
    /// # Errors
    /// [`PositionsError`].
    pub fn on_interval(positions: &[f64]) -> Result<Self, PositionsError> {
        check(positions)?;
        let (m, first, last) = (positions.len(), positions[0], positions[positions.len() - 1]);
        let step = (last - first) / (m - 1) as f64;
        let grid: Vec<f64> =
            (0..m).map(|l| if l + 1 == m { last } else { first + step * l as f64 }).collect();
        Ok(Self::between(positions, grid, step, None))
    }

    /// On a circle, in radians; the grid begins at the first position.
    ///
    /// # Errors
    /// [`PositionsError`].
    pub fn on_circle(positions: &[f64]) -> Result<Self, PositionsError> {
        check(positions)?;
        let (m, first, last) = (positions.len(), positions[0], positions[positions.len() - 1]);
        let turn = std::f64::consts::TAU;
        if last - first >= turn {
            return Err(PositionsError::BeyondATurn);
        }
        let step = turn / m as f64;
        let grid = (0..m).map(|l| first + step * l as f64).collect();
        Ok(Self::between(positions, grid, step, Some(turn)))
    }

    /// The regular grid.
    pub fn grid(&self) -> &[f64] {
        &self.grid
    }

    /// One function's samples `(positions, channels)` on the grid. Samples that do not fit are returned as they are.
    pub fn resampled(&self, samples: Vec<f64>, channels: usize) -> Vec<f64> {
        let Some(between) = self.between.as_ref().filter(|b| b.len() * channels == samples.len()) else {
            return samples;
        };
        let at = |&(a, b, t): &(usize, usize, f64), c: usize| {
            (1.0 - t) * samples[a * channels + c] + t * samples[b * channels + c]
        };
        between.iter().flat_map(|place| (0..channels).map(move |c| at(place, c))).collect()
    }

    fn between(positions: &[f64], grid: Vec<f64>, step: f64, turn: Option<f64>) -> Self {
        let regular = positions.iter().zip(&grid).all(|(p, g)| (p - g).abs() <= REGULAR * step);
        let place = |x: &f64| {
            let b = positions.partition_point(|p| p <= x).clamp(1, positions.len());
            let (a, left) = (b - 1, positions[b - 1]);
            match (positions.get(b), turn) {
                (Some(right), _) => (a, b, ((x - left) / (right - left)).clamp(0.0, 1.0)),
                (None, Some(turn)) => (a, 0, ((x - left) / (positions[0] + turn - left)).clamp(0.0, 1.0)),
                (None, None) => (a, a, 0.0),
            }
        };
        let between = (!regular).then(|| grid.iter().map(place).collect());
        Self { grid, between }
    }
}

fn check(positions: &[f64]) -> Result<(), PositionsError> {
    if positions.len() < 2 {
        return Err(PositionsError::TooFew);
    }
    let fault = (0..positions.len())
        .find(|&i| !positions[i].is_finite() || (i > 0 && positions[i] <= positions[i - 1]));
    fault.map_or(Ok(()), |i| Err(PositionsError::NotRising(i + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linear_stays_so() {
        let at = [2.0, 2.5, 4.0, 7.0, 10.0];
        let positions = Positions::on_interval(&at).unwrap();
        assert_eq!(positions.grid(), [2.0, 4.0, 6.0, 8.0, 10.0]);
        let samples = at.iter().flat_map(|x| [3.0 * x - 1.0, -x]).collect();
        for (x, y) in positions.grid().iter().zip(positions.resampled(samples, 2).chunks_exact(2)) {
            approx::assert_relative_eq!(y[0], 3.0 * x - 1.0, max_relative = 1e-14);
            approx::assert_relative_eq!(y[1], -x, max_relative = 1e-14);
        }
    }

    #[test]
    fn circles_close() {
        let at = [0.1, 1.0, 2.0, 3.5, 5.0, 6.0];
        let positions = Positions::on_circle(&at).unwrap();
        let found = positions.resampled(at.iter().map(|t| t.cos()).collect(), 1);
        for (t, c) in positions.grid().iter().zip(found) {
            // Chords of arcs of up to 1.5.
            assert!((c - t.cos()).abs() < 1.5 * 1.5 / 8.0, "{t}: {c}");
        }
        // The last point of the grid, 5.336, lies between 5 and 6.
        let two = Positions::on_circle(&[0.0, 1.0]).unwrap();
        let expected = [1.0, 2.0 - (std::f64::consts::PI - 1.0) / (std::f64::consts::TAU - 1.0)];
        let found = two.resampled(vec![1.0, 2.0], 1);
        approx::assert_relative_eq!(found[1], expected[1], max_relative = 1e-14);
        assert_eq!(found[0], expected[0]);
    }

    #[test]
    fn regular_positions_change_nothing_and_others_must_rise() {
        let regular: Vec<f64> = (0..7).map(|l| 5.0 + 0.1 * f64::from(l)).collect();
        let samples: Vec<f64> = (0..7).map(|l| f64::from(l * l) / 3.0).collect();
        assert_eq!(Positions::on_interval(&regular).unwrap().resampled(samples.clone(), 1), samples);
        assert_eq!(Positions::on_interval(&[1.0]), Err(PositionsError::TooFew));
        assert_eq!(Positions::on_interval(&[1.0, 1.0]), Err(PositionsError::NotRising(2)));
        assert_eq!(Positions::on_interval(&[f64::NAN, 1.0]), Err(PositionsError::NotRising(1)));
        assert_eq!(Positions::on_circle(&[0.0, 6.3]), Err(PositionsError::BeyondATurn));
    }
}
