//! How far a released shape lies from the mean without noise, as far as the release itself tells.

use crate::estimate::Spread;
use crate::mechanism::functional::Estimate;
use crate::mechanism::landmarks::Tangent;
use crate::report::colour::short;
use crate::study::points::PointAccuracy;

/// Root-mean-square Riemannian distance of a shape from its population's mean: of nine public collections .045 to .13. Said where a release
/// does not tell.
const RECORD_SPREAD: f64 = 0.07;
/// How far the mean square may be from that.
const SPREAD_DOUBT: f64 = RECORD_SPREAD * RECORD_SPREAD;

/// What a private centre's own error leaves where only some coefficients were looked at, which are expected to have this share of a record's
/// variance: of a centre that was shrunk along its outline as much as is expected beyond them, of any other the others' share of its noise.
pub(super) fn unseen(
    tangent: &Tangent,
    centre_error: f64,
    (looked, expected_share): (usize, f64),
    shrunk: bool,
) -> f64 {
    let all = tangent.basis().len() as f64;
    let share = if shrunk { expected_share } else { looked as f64 / all };
    centre_error * (1.0 - share.min(1.0))
}

/// Of an estimate about a centre that has a squared error of `unseen` where the estimate says nothing; `spread`: the records' mean square distance from their mean, where the release tells.
pub(super) fn accuracy(
    tangent: &Tangent,
    estimate: &Estimate,
    unseen: f64,
    n: u64,
    spread: Option<Spread>,
) -> PointAccuracy {
    let points = tangent.basis().points() as f64;
    let error = (estimate.errors.iter().sum::<f64>() / points + unseen).sqrt();
    let moved: Vec<f64> = estimate.samples.iter().zip(tangent.template()).map(|(x, c)| x - c).collect();
    let usual = RECORD_SPREAD * RECORD_SPREAD;
    let square = spread.map_or(usual, |spread| spread.towards(usual, SPREAD_DOUBT));
    PointAccuracy {
        sampling_rms: Some((square / n as f64).sqrt()),
        ..PointAccuracy::of(error, tangent.vector(&moved).norm(), true)
    }
}

/// In words, for terminal and report.
pub fn sentence(accuracy: &PointAccuracy, public: bool) -> String {
    let PointAccuracy { rms, template_rms, sampling_rms, data_share, .. } = *accuracy;
    let centre = if public { "the public centre" } else { "the rough private centre" };
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
