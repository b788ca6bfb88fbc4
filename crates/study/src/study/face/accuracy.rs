//! How far a released mean face lies from the mean without noise, as far as the release itself tells.

use super::correspondence::Correspondence;
use crate::estimate::Spread;
use crate::function::FaceCurves;
use crate::mechanism::functional::NoisedFunction;
use crate::study::points::PointAccuracy;
use crate::study::seen::MOST_SHORTENED;
use crate::surface::{Neutral, Template};
use serde::{Deserialize, Serialize};

/// Root-mean-square distance of a face from the mean of its population, in units of √area: between the three public populations that the
/// public radii were chosen on (.0179, .0190 and .0315). Said where the release does not tell.
const RECORD_SPREAD: f64 = 0.022;

/// How far the mean square of a population may be from that of [`RECORD_SPREAD`]: the most of those three is twice it.
const SPREAD_DOUBT: f64 = RECORD_SPREAD * RECORD_SPREAD;

/// The records' mean square distance from their mean, drawn towards that of public populations by how noisy it is.
pub(super) fn usual(spread: Spread) -> f64 {
    spread.towards(RECORD_SPREAD * RECORD_SPREAD, SPREAD_DOUBT)
}

/// An error statement: root-mean-square distances over the points of the curves (three coordinates summed) on faces of unit area, from
/// noised values and public numbers only.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Accuracy {
    /// Of the release from the mean without noise, bias included: expected, or at most where `expected_rms` is given.
    pub rms: f64,
    /// Where too little was seen for more, what `rms` would be for people like those of public populations; `rms` is then an upper bound, for
    /// people whose mean lies within the public radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_rms: Option<f64>,
    /// Of the public template from the mean without noise: what publishing it unread would give.
    pub template_rms: f64,
    /// Of the mean without noise from its population's: by the records' spread as the noised second moment has it, or, where none was
    /// released or the noise hides it, for records as different as faces of public populations are.
    pub sampling_rms: f64,
    /// Share of the squared distance between public centre (the template, or the prior's mean) and mean that the data decided: 0 where the
    /// release is the centre.
    pub data_share: f64,
    /// Of the public prior's mean from the mean without noise, where one was given: what publishing that would give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior_rms: Option<f64>,
    /// `rms` in millimetres: `None` without a released size.
    pub rms_mm: Option<f64>,
    /// What registration adds where the records are scans; no part of `rms`.
    #[serde(flatten)]
    pub registration: Correspondence,
}

impl From<Accuracy> for PointAccuracy {
    fn from(of: Accuracy) -> Self {
        let Accuracy { rms, template_rms, prior_rms, data_share, rms_mm, .. } = of;
        Self {
            rms,
            upper_bound: of.expected_rms.is_some(),
            template_rms,
            prior_rms,
            sampling_rms: Some(of.sampling_rms),
            clip_rms: None,
            data_share,
            rms_mm,
            registration: Some(of.registration),
        }
    }
}

impl Accuracy {
    /// Of a release about the template's own curves; `spread`: of the records about their mean, where the release tells.
    pub(super) fn of(
        released: &NoisedFunction,
        own: &FaceCurves,
        prior: Option<&FaceCurves>,
        n: u64,
        spread: Option<Spread>,
    ) -> Self {
        let error = released.mean_square_error(own.data().len() / 3);
        Self::of_samples(&released.samples, error, own, prior, n, spread.map(usual))
    }

    /// Of released curves whose mean square distance per point from the mean without noise is expected to be `error`; `spread`: the records' mean square
    /// distance from their mean, where the release tells.
    pub(super) fn of_samples(
        samples: &[f64],
        error: f64,
        own: &FaceCurves,
        prior: Option<&FaceCurves>,
        n: u64,
        spread: Option<f64>,
    ) -> Self {
        let points = own.data().len() as f64 / 3.0;
        let square = spread.unwrap_or(RECORD_SPREAD * RECORD_SPREAD);
        // The mean is the release and its error; so far it lies from the template, or from the prior's mean.
        let from = |face: &FaceCurves| {
            let moved: f64 = samples.iter().zip(face.data()).map(|(a, b)| (a - b).powi(2)).sum();
            moved / points + error
        };
        let template = from(own);
        let centre = prior.map_or(template, from);
        Self {
            rms: error.sqrt(),
            expected_rms: None,
            template_rms: template.sqrt(),
            sampling_rms: (square / n as f64).sqrt(),
            data_share: if centre > 0.0 { (1.0 - error / centre).clamp(0.0, 1.0) } else { 0.0 },
            prior_rms: prior.map(|prior| from(prior).sqrt()),
            rms_mm: None,
            registration: Correspondence::of(template.sqrt()),
        }
    }

    /// The same of faces registered to this template, which may take their expressions out.
    pub(super) fn without_expressions(mut self, template: &Template) -> Self {
        self.registration.expression_rms = template.neutral().map(Neutral::expected_rms);
        self
    }

    /// As a bound, where too little was seen for an expectation: of a mean within `reach` of the public centre, from which the release is not far.
    pub(super) fn at_most(self, reach: f64) -> Self {
        let from_centre = self.prior_rms.unwrap_or(self.template_rms);
        let moved = (from_centre.powi(2) - self.rms.powi(2)).max(0.0).sqrt();
        let at_most = |rms: f64| reach.max(rms);
        let template_rms =
            if self.prior_rms.is_some() { self.template_rms } else { at_most(self.template_rms) };
        Self {
            rms: (reach + moved).max(self.rms),
            expected_rms: Some(self.rms),
            template_rms,
            prior_rms: self.prior_rms.map(at_most),
            data_share: 0.0,
            ..self
        }
    }

    /// As a bound, where a mean near the public radius tells that most records may have been shortened, by how much nobody saw: of a mean within
    /// `reach` of the public centre, on the side of the release.
    pub(super) fn at_the_edge(self, reach: f64) -> Self {
        Self { rms: reach.max(self.rms), expected_rms: Some(self.rms), ..self }
    }

    /// Why [`Self::rms`] is a bound, in words.
    pub fn why_a_bound(&self) -> &'static str {
        if self.data_share > 0.0 { MOST_SHORTENED } else { "too little was seen of these people" }
    }

    /// Whether the release says hardly more than the template does.
    pub fn is_mostly_template(&self) -> bool {
        self.data_share < 0.5
    }
}
