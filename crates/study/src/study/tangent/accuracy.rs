//! How far a released mean lies from the mean without noise, as far as the release itself tells.

use crate::estimate::Spread;
use crate::mechanism::functional::Estimate;
use crate::report::colour::short;
use crate::report::page::Page;
use crate::study::points::PointAccuracy;

/// How far records lie from their mean where the release does not tell: root mean square, as a share of the public radius.
const USUAL_SPREAD: f64 = 0.25;

/// Of an estimate of so many points that lies `moved` from the public centre, of n records within a radius; `spread`: the records' mean square distance from their mean, where the release tells. What shortening the farthest records
/// does is not in it.
pub(super) fn accuracy(
    estimate: &Estimate,
    (points, moved, radius): (usize, f64, f64),
    n: u64,
    spread: Option<Spread>,
) -> PointAccuracy {
    let error = (estimate.errors.iter().sum::<f64>() / points as f64).sqrt();
    let usual = (USUAL_SPREAD * radius).powi(2);
    let square = spread.map_or(usual, |spread| spread.towards(usual, usual));
    PointAccuracy { sampling_rms: Some((square / n as f64).sqrt()), ..PointAccuracy::of(error, moved, true) }
}

/// In words, for terminal and report.
pub(super) fn sentence(distance: &str, accuracy: &PointAccuracy) -> String {
    let PointAccuracy { rms, template_rms, sampling_rms, data_share, .. } = *accuracy;
    let mut text = format!(
        "The mean lies {} from the mean without noise ({}; beside that, what shortening the farthest records does); the public centre alone \
         lies about {} from it.",
        short(rms),
        distance,
        short(template_rms)
    );
    if let Some(sampling) = sampling_rms {
        text.push_str(&format!(" That mean lies some {} from its population's.", short(sampling)));
    }
    if data_share < 0.5 {
        text.push_str(
            " Publishing the centre would be about as good: more records, a larger budget or a smaller public radius would change that.",
        );
    }
    text
}

/// On a page.
pub(in crate::study) fn accuracy_section(page: &mut Page, sentence: &str) {
    page.heading("How exact the mean is");
    page.paragraph(sentence);
}
