//! How far a released shape lies from the mean without noise, as far as the release itself tells.

use crate::estimate::Spread;
use crate::manifold::LandmarkShapes;
use crate::mechanism::functional::Estimate;
use crate::mechanism::landmarks::{ReleasedShapes, Tangent};
use crate::privacy::Price;
use crate::report::colour::short;
use crate::study::points::PointAccuracy;
use crate::study::seen::too_little;
use std::f64::consts::FRAC_PI_2;

/// Root-mean-square Riemannian distance of a shape from its population's mean: of nine public collections .045 to .13. Said where a release
/// does not tell.
const RECORD_SPREAD: f64 = 0.07;
/// How far the mean square may be from that.
const SPREAD_DOUBT: f64 = RECORD_SPREAD * RECORD_SPREAD;

/// What a private centre's own error leaves where only some coefficients were looked at, which are expected to have this share of a record's
/// variance: of a centre that was shrunk along its outline as much as is expected beyond them, of any other the others' share of its noise.
fn unseen(tangent: &Tangent, centre_error: f64, (looked, expected_share): (usize, f64), shrunk: bool) -> f64 {
    let all = tangent.basis().len() as f64;
    let share = if shrunk { expected_share } else { looked as f64 / all };
    centre_error * (1.0 - share.min(1.0))
}

/// Of an estimate about a centre, public or private, that has a squared error of `unseen` where the estimate says nothing; `spread`: the records' mean square distance from their mean, where the release tells.
fn accuracy(
    tangent: &Tangent,
    estimate: &Estimate,
    (unseen, public): (f64, bool),
    n: u64,
    spread: Option<Spread>,
) -> PointAccuracy {
    let points = tangent.basis().points() as f64;
    let moved: Vec<f64> = estimate.samples.iter().zip(tangent.template()).map(|(x, c)| x - c).collect();
    let moved = tangent.vector(&moved).norm();
    let usual = RECORD_SPREAD * RECORD_SPREAD;
    let square = spread.map_or(usual, |spread| spread.towards(usual, SPREAD_DOUBT));
    let error = (estimate.errors.iter().sum::<f64>() / points
        + unseen
        + curved(&tangent.space(), square, moved, public))
    .sqrt();
    PointAccuracy { sampling_rms: Some((square / n as f64).sqrt()), ..PointAccuracy::of(error, moved, true) }
}

/// A private centre with so large an error, Riemannian distance, has a tangent space that says little of shapes near their mean. (58 brains, drawn
/// again and again: at nμ = 30 the centre is .93 off, and half of the error would be stated.)
const LOST_FROM: f64 = 0.7;

/// Of a mean about a centre, public with this radius or private with this squared error: an upper bound where too little was seen, or where a private centre did not stand out of its noise.
fn bounded(accuracy: PointAccuracy, centre_error: f64, price: &Price, public: Option<f64>) -> PointAccuracy {
    // A private centre that does not stand out of its noise has an error of π/2.
    let lost = public.is_none() && centre_error >= LOST_FROM * LOST_FROM;
    if !(lost || too_little(price)) {
        return accuracy;
    }
    let moved = (accuracy.template_rms.powi(2) - accuracy.rms.powi(2)).max(0.0).sqrt();
    let bound = public.map_or(FRAC_PI_2, |radius| (radius + moved).min(FRAC_PI_2));
    accuracy.at_most(bound)
}

/// The square that curvature may have moved a mean of tangent vectors about a centre by: records at a mean square distance `spread` from a mean that
/// lies `moved` from the centre pull along geodesics that turn, to the first order by κ spread·moved/3. It does not fall with n. κ averages the
/// sectional curvatures with one direction: in the plane 4 once and 1 otherwise (Kendall 1984). In space it is found: about a specimen 1.1 to 2.3 (brains,
/// hands, macaques, optical nerves), about a private centre 5, between what 22 optical nerves of 5 landmarks and hands in five poses need.
fn curved(space: &LandmarkShapes, spread: f64, moved: f64, public: bool) -> f64 {
    let dimension = 2.0 * space.landmarks() as f64 - 4.0;
    let curvature = match (space.dimensions(), public) {
        (2, _) => 1.0 + 3.0 / (dimension - 1.0).max(1.0),
        (_, true) => 2.0,
        (_, false) => 5.0,
    };
    (curvature / 3.0 * spread * moved).powi(2)
}

/// What a release says of its centre.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// See [`ReleasedShapes::centre_error`].
    centre_error: f64,
    /// See [`ReleasedShapes::filled_error`].
    filled_error: f64,
}

impl Seen {
    pub fn of<V>(released: &ReleasedShapes<V>) -> Self {
        Self { centre_error: released.centre_error, filled_error: released.filled_error }
    }
}

/// Of an estimate that looked at so many coefficients with this expected share of a record's variance, about a private centre that may be shrunk
/// along its outline, or a public one with this radius.
pub(super) fn of_part(
    (tangent, estimate): (&Tangent, &Estimate),
    (seen, public): (Seen, Option<f64>),
    (count, share, shrunk): (usize, f64, bool),
    price: &Price,
    spread: Option<Spread>,
) -> PointAccuracy {
    let unseen = unseen(tangent, seen.centre_error, (count, share), shrunk);
    let found = accuracy(tangent, estimate, (unseen, public.is_some()), price.n, spread);
    bounded(found, seen.centre_error, price, public)
}

/// Of a mean that looked at all coefficients, about a private centre or a public one with this radius.
pub(super) fn of_mean(
    (tangent, estimate): (&Tangent, &Estimate),
    seen: Seen,
    public: Option<f64>,
    price: &Price,
    spread: Option<Spread>,
) -> PointAccuracy {
    let found = accuracy(tangent, estimate, (seen.filled_error, public.is_some()), price.n, spread);
    bounded(found, seen.centre_error, price, public)
}

/// In words, for terminal and report.
pub(super) fn sentence(accuracy: &PointAccuracy, public: bool) -> String {
    let PointAccuracy { rms, upper_bound, template_rms, sampling_rms, data_share, .. } = *accuracy;
    let centre = if public { "the public centre" } else { "the rough private centre" };
    if let Some(text) = accuracy.bound_sentence("Riemannian distance", centre).filter(|_| data_share > 0.0) {
        return text;
    }
    if upper_bound {
        let more = if public { "" } else { " So would a public shape as --center." };
        return format!(
            "How far the mean shape lies from the mean without noise is not known: too little was seen of these records. It is at most {} (Riemannian \
             distance; no two shapes are further than 1.57 apart), and {centre} alone may be as near. This release is not worth its budget: more records, or a larger budget, would \
             change that.{more}",
            short(rms)
        );
    }
    let mut text = format!(
        "The mean shape lies {} from the mean without noise (root-mean-square Riemannian distance); {centre} alone lies about {} from it.",
        short(rms),
        short(template_rms)
    );
    if let Some(sampling) = sampling_rms {
        text.push_str(&format!(" That mean lies some {} from its population's.", short(sampling)));
    }
    if data_share < 0.5 {
        text.push_str(&format!(
            " Note: this release is essentially {centre}: at this budget, this many records add little to it. More records, or a larger budget, \
             would change that{}.",
            if public { "" } else { "; so would a public shape as --center" }
        ));
    }
    text
}
