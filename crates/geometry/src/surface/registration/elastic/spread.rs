//! How far a registered vertex is from its true place: the spread that the last step's posterior leaves.
//!
//! Displacement and motion have, given the scan, the covariance (BᵀW B + P)⁻¹ of Gaussian-process regression (Rasmussen and
//! Williams 2006, section 2.1) in the basis. Errors of a registration are correlated from node to node and shapes differ from
//! the prior, so this says where errors are larger rather than how large; the size is calibrated on faces whose truth is known, by how far they
//! are from the template and how much of the scan is left over ([`ORDINARY`]).

use super::fit::{Fitted, Posterior};
use super::prepared::Elastic;
use nalgebra::DMatrix;

/// Mean distance from the truth over posterior standard deviation, of a face with [`ORDINARY`]'s displacement and misfit: of scans that were cut, and
/// of those that end where the template does, whose border says more than the posterior makes of it. From 142 cut and 140 whole scans of three
/// populations, ordinary and twice as far from the template (seeds 911 and 912).
const CALIBRATION: f64 = 0.44;
const CALIBRATION_WHOLE: f64 = 0.38;
/// Mean square of the displacement's coefficients (the prior's is 1) and misfit (nominal millimetres) of a face that is as far off as the
/// posterior says; and the powers of both by which others are farther or less far off: what differs more from the template in ways that are seen
/// does so in ways that are not, and what is left over, noise or shape, misleads. By least squares from 72 scans of 36 people of three populations,
/// clean and with 1 mm of noise (seeds 61 and 67).
const ORDINARY: (f64, f64) = (0.05, 0.4);
const POWERS: (f64, f64) = (0.5, 0.4);
/// Beyond this factor either way nothing was seen.
const MOST: f64 = 4.0;

/// For every vertex of the template its expected distance from the true place, in the template's units.
pub fn expected_errors(prepared: &Elastic<'_>, fitted: &Fitted) -> Vec<f64> {
    let Some(posterior) = &fitted.posterior else { return Vec::new() };
    let at_nodes = deviations(prepared, posterior, fitted);
    let energy = (posterior.energy() / ORDINARY.0).powf(POWERS.0);
    let left_over = (fitted.last_misfit() / ORDINARY.1).powf(POWERS.1);
    let factor = (energy * left_over).clamp(1.0 / MOST, MOST);
    let calibration = if fitted.ends_alike { CALIBRATION_WHOLE } else { CALIBRATION };
    let scale = calibration * factor * prepared.unit();
    let blend = |(corners, weights): &([usize; 3], [f64; 3])| -> f64 {
        corners.iter().zip(weights).map(|(&i, w)| at_nodes[i] * w).sum()
    };
    prepared.control.blends.iter().map(|b| scale * blend(b)).collect()
}

/// √trace of the posterior covariance of every node's place.
fn deviations(prepared: &Elastic<'_>, posterior: &Posterior, fitted: &Fitted) -> Vec<f64> {
    let covariance = posterior.factor.inverse();
    let each = posterior.rank.0 + posterior.rank.1;
    let first = 3 * each;
    let mut squares = vec![0.0; fitted.nodes.len()];
    for d in 0..3 {
        // The coefficients of this coordinate, and the motion's.
        let used: Vec<usize> = (d * each..(d + 1) * each).chain(first..first + 7).collect();
        let part = DMatrix::from_fn(used.len(), used.len(), |i, j| covariance[(used[i], used[j])]);
        let mut rows = DMatrix::zeros(used.len(), fitted.nodes.len());
        for (i, y) in fitted.nodes.iter().enumerate() {
            let mut column = rows.column_mut(i);
            column.iter_mut().zip(prepared.basis.row(i, d, posterior.rank)).for_each(|(o, v)| *o = v);
            // Shift, turn a × y, growth.
            column[each + d] = 1.0;
            column[each + 3 + (d + 1) % 3] = y[(d + 2) % 3];
            column[each + 3 + (d + 2) % 3] = -y[(d + 1) % 3];
            column[each + 6] = y[d];
        }
        let spread = part * &rows;
        for (i, square) in squares.iter_mut().enumerate() {
            *square += spread.column(i).dot(&rows.column(i));
        }
    }
    squares.into_iter().map(|s: f64| s.max(0.0).sqrt()).collect()
}
