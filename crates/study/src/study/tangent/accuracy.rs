//! How far a released mean lies from the mean without noise, as far as the release itself tells.

use crate::estimate::Spread;
use crate::mechanism::functional::Estimate;
use crate::privacy::Price;
use crate::report::colour::short;
use crate::report::page::Page;
use crate::study::face::Correspondence;
use crate::study::points::PointAccuracy;
use crate::study::seen::too_little;

/// How far records lie from their mean where the release does not tell: root mean square, as a share of the public radius.
const USUAL_SPREAD: f64 = 0.25;

/// A private centre amid the records lies nearer to their mean than this share of the public radius; one that does not is lost.
const LOST_FROM: f64 = 0.5;

/// Of an estimate that lies `moved` from the centre, where the space stretches displacements by `stretch` and samples lack the share `unseen`; it has so many points, of n records within a
/// radius. `sought_within`: how far from the mean a private centre can be. `spread`: the records' mean square distance from their mean, where the release
/// tells. What shortening the farthest records does is not in it. Where too little was seen, or a private centre is lost, an upper bound.
pub(super) fn accuracy(
    estimate: &Estimate,
    (moved, stretch, unseen): (f64, f64, f64),
    (points, radius, sought_within): (usize, f64, Option<f64>),
    price: &Price,
    spread: Option<Spread>,
) -> PointAccuracy {
    let seen = estimate.errors.iter().sum::<f64>() / points as f64;
    let error = (stretch * stretch * seen + unseen * moved * moved).sqrt();
    let usual = (USUAL_SPREAD * radius).powi(2);
    let square = spread.map_or(usual, |spread| spread.towards(usual, usual));
    let sampling_rms = Some((square / price.n as f64).sqrt());
    let found = PointAccuracy { sampling_rms, ..PointAccuracy::of(error, moved, true) };
    let lost = sought_within.is_some() && moved > LOST_FROM * radius;
    if lost || too_little(price) { found.at_most(sought_within.unwrap_or(radius) + moved) } else { found }
}

/// In words, for terminal and report.
pub(super) fn sentence(distance: &str, accuracy: &PointAccuracy, is_public: bool) -> String {
    let PointAccuracy { rms, template_rms, prior_rms, sampling_rms, data_share, .. } = *accuracy;
    let (centre, from_centre) = match prior_rms {
        Some(from_prior) => ("prior's mean", from_prior),
        None => (if is_public { "public centre" } else { "rough private centre" }, template_rms),
    };
    if let Some(text) = accuracy.bound_sentence(distance, &format!("the {centre}")) {
        return text;
    }
    let mut text = format!(
        "The mean lies {} from the mean without noise ({}; beside that, what shortening the farthest records does); the {} alone \
         lies about {} from it{}.",
        short(rms),
        distance,
        centre,
        short(from_centre),
        prior_rms.map_or_else(String::new, |_| format!(", the template alone about {}", short(template_rms)))
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

/// What registration adds, in words.
pub(super) fn registration_sentence(Correspondence { skin_rms, normal_rms, .. }: Correspondence) -> String {
    format!(
        " Beside this, registration of the scans may move the mean by {} along the surface and {} across it, as it does with public made-up surfaces.",
        short(skin_rms),
        short(normal_rms)
    )
}

/// On a page.
pub(in crate::study) fn accuracy_section(page: &mut Page, sentence: &str) {
    page.heading("How exact the mean is");
    page.paragraph(sentence);
}
