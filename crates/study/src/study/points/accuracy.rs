//! How far a released mean of points lies from the mean without noise, as far as the release itself tells.

use crate::report::colour::short;
use crate::report::page::Page;
use crate::study::face::Correspondence;
use crate::study::seen::MOST_SHORTENED;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An error statement: root-mean-square distances in the space, from noised values and public numbers only. It leaves out what clipping
/// to the ball takes away: nothing where the ball holds all records.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct PointAccuracy {
    /// Of the release from the mean without noise; with smoothing, its bias included.
    pub rms: f64,
    /// Where too little was seen for an expectation, or most records may have been shortened: `rms` is an upper bound then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub upper_bound: bool,
    /// Of the centre of the ball from the mean without noise: what publishing it would give.
    pub template_rms: f64,
    /// The same of the prior's mean, where there is one: then `template_rms` is of the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior_rms: Option<f64>,
    /// Of that mean from its population's: not known, since the release tells nothing of how records differ.
    pub sampling_rms: Option<f64>,
    /// The part of `rms` that the clip may have, where it is stated: what shortening the farthest records may move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip_rms: Option<f64>,
    /// Share of the squared distance between centre and mean that the data decided.
    pub data_share: f64,
    /// `rms` in millimetres: `None` without a released size.
    pub rms_mm: Option<f64>,
    /// What registration adds where the records are scans of faces; no part of `rms`.
    #[serde(flatten)]
    pub registration: Option<Correspondence>,
}

impl PointAccuracy {
    /// Of a release this far from the centre whose error is `rms`; `shrunk` if it is an estimate drawn towards the centre, else unbiased.
    pub(in crate::study) fn of(rms: f64, from_centre: f64, shrunk: bool) -> Self {
        // The noise adds to an unbiased estimate's distance; a shrunk one lies nearer to the centre than the mean.
        let error = rms * rms;
        let square = from_centre * from_centre + if shrunk { error } else { -error };
        let data_share = if square > error { 1.0 - error / square } else { 0.0 };
        let template_rms = square.max(0.0).sqrt();
        Self {
            rms,
            upper_bound: false,
            template_rms,
            prior_rms: None,
            sampling_rms: None,
            clip_rms: None,
            data_share,
            rms_mm: None,
            registration: None,
        }
    }

    /// The same where too little was seen for an expectation: at most this.
    pub(in crate::study) fn at_most(self, bound: f64) -> Self {
        Self { rms: bound, upper_bound: true, template_rms: bound, data_share: 0.0, ..self }
    }

    /// The same where the mean lies so near the public radius, `reach`, that most records may have been shortened, by how much nobody saw: of a mean
    /// within it, on the side of the estimate.
    pub(in crate::study) fn at_the_edge(self, reach: f64) -> Self {
        Self { rms: reach.max(self.rms), upper_bound: true, ..self }
    }

    /// The same about a prior's mean: the estimate lies so far from the template.
    pub(in crate::study) fn of_prior(self, from_template: f64) -> Self {
        let template_rms =
            if self.upper_bound { from_template + self.rms } else { from_template.hypot(self.rms) };
        Self { prior_rms: Some(self.template_rms), template_rms, ..self }
    }

    /// In words, where [`Self::rms`] is a bound; else `None`. `distance`: what it is measured in; `centre`: what would be published unread.
    pub(in crate::study) fn bound_sentence(&self, distance: &str, centre: &str) -> Option<String> {
        let bound = short(self.rms);
        let from_centre = short(self.prior_rms.unwrap_or(self.template_rms));
        let (why, of_centre, help) = if self.data_share > 0.0 {
            (
                MOST_SHORTENED,
                format!("; {centre} alone lies about {from_centre} from it, or farther"),
                "More records, a larger budget, a larger public radius or a nearer centre",
            )
        } else {
            let as_near = format!(", and {centre} alone may be as near");
            ("too little was seen of these records", as_near, "More records, or a larger budget,")
        };
        self.upper_bound.then(|| {
            format!(
                "How far the mean lies from the mean without noise is not known: {why}. It is at most {bound} ({distance}){of_centre}. {help} would \
                 change that."
            )
        })
    }

    /// For certificates and commands.
    pub(super) fn state(accuracy: Option<&Self>) -> Value {
        accuracy.map_or_else(|| json!(null), |accuracy| json!(accuracy))
    }

    /// In words, for terminal and report.
    pub fn sentence(&self) -> String {
        let Self { rms, template_rms, data_share, .. } = *self;
        let worth = if data_share < 0.5 {
            " Publishing the centre would be about as good: more records, or a larger budget, would change that."
        } else {
            ""
        };
        format!(
            "The release lies {} from the mean without noise (root mean square, in the distance of the space); the ball's centre would lie \
             about {} from it, if it were published unread. The data decided {:.0} % of the squared distance between centre and mean.{worth}",
            short(rms),
            short(template_rms),
            100.0 * data_share
        )
    }
}

/// "How exact it is" on a page to publish.
pub(super) fn accuracy_section(page: &mut Page, accuracy: Option<&PointAccuracy>) {
    if let Some(accuracy) = accuracy {
        page.heading("How exact it is");
        page.paragraph(&accuracy.sentence());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_distance_add_up() {
        let plain = PointAccuracy::of(3.0, 5.0, false);
        assert_eq!((plain.template_rms, plain.data_share), (4.0, 1.0 - 9.0 / 16.0));
        let shrunk = PointAccuracy::of(3.0, 4.0, true);
        assert_eq!((shrunk.template_rms, shrunk.data_share), (5.0, 1.0 - 9.0 / 25.0));
        let of_prior = shrunk.of_prior(6.0);
        assert_eq!((of_prior.prior_rms, of_prior.template_rms), (Some(5.0), 45f64.sqrt()));
        // What is at most 7 from an estimate that lies 6 from the template.
        let unknown = shrunk.at_most(7.0).of_prior(6.0);
        assert_eq!((unknown.prior_rms, unknown.template_rms, unknown.data_share), (Some(7.0), 13.0, 0.0));
        assert_eq!(shrunk.bound_sentence("Riemannian", "the centre"), None);
        let text = unknown.bound_sentence("Riemannian", "the centre").unwrap();
        assert!(text.contains("at most 7 (Riemannian), and the centre alone may be as near"), "{text}");
        let edge = shrunk.at_the_edge(7.0);
        assert_eq!((edge.rms, edge.template_rms, edge.upper_bound), (7.0, 5.0, true));
        assert!(
            edge.bound_sentence("Riemannian", "the centre").is_some_and(|text| text.contains("shortened"))
        );
        let nothing = PointAccuracy::of(3.0, 2.0, false);
        assert_eq!((nothing.template_rms, nothing.data_share), (0.0, 0.0));
        assert!(nothing.sentence().contains("about as good"));
    }
}
