//! `release/` of a face study: made of the noised mean, the certificate and public settings only.

use super::accuracy::Accuracy;
use super::band;
use super::error::StudyError;
use super::error_map::error_map;
use super::mean::FaceMechanism;
use super::prior::FacePrior;
use super::release_report::{Page, release_report};
use super::size::SizeScale;
use super::template::LoadedTemplate;
use super::yardstick::Yardstick;
use crate::estimate::Band;
use crate::function::FaceCurves;
use crate::io::{write_npy, write_ply_with_scalar};
use crate::job::copies::Kind;
use crate::job::layout::{BAND, CURVES, ERROR, MEAN_PLY, REPORT};
use crate::job::unusable::ZERO_DEVIATION;
use crate::job::{Publication, ReleaseFolder};
use crate::mechanism::UnseenShares;
use crate::mechanism::functional::{Aim, CurveMean, NoisedFunction, NoisedSize, StreamMean};
use crate::privacy::{Caveat, Certificate, PublicInput, Released, Statement};
use crate::study::seen::too_little;
use crate::study::{Counting, Unusable};
use crate::surface::TemplateError;
use crate::surface::registration::Registration;
use serde_json::json;
use std::sync::Arc;

/// What a face study publishes, and how.
#[derive(Debug, Clone)]
pub struct FacePublication {
    /// The template.
    pub template: Arc<LoadedTemplate>,
    /// The template's own curves.
    pub own: FaceCurves,
    /// What drew it.
    pub mechanism: CurveMean,
    /// How faces were registered.
    pub registration: Registration,
    /// What counts as a person.
    pub counting: Counting,
    /// What becomes of records that cannot be used.
    pub unusable: Unusable,
    /// How sizes are measured, where the mean size is released too.
    pub(super) size: Option<SizeScale>,
    /// What is public of other people's faces, where something was given.
    pub(super) prior: Option<FacePrior>,
    /// Of which stream it is a step.
    pub(super) stream: Option<OfStream>,
}

/// What is public of a stream beside its mechanism.
#[derive(Debug, Clone)]
pub(super) struct OfStream {
    /// The file of its plan.
    pub(super) plan: PublicInput,
    /// Whether people are matched across steps.
    pub(super) matched: bool,
}

impl OfStream {
    /// For the certificate of a step.
    fn describe(&self, mean: &StreamMean, statement: &mut Statement) {
        let (noise, people) = (mean.noise(), &mean.past().people);
        let (sigma, once) = (mean.sigma(), mean.once_sigma());
        let neighbours = "one person is replaced with the records of all visits; in which steps a person's counted visits are, and how many records \
                          every step counts, is public. The loss is that of all steps together";
        statement.details.insert(
            "stream".into(),
            json!({
                "step": people.len(), "steps": noise.steps(), "visits": noise.visits(), "people": people, "matched": self.matched,
                "mean_noise": sigma, "one_round_noise": once, "noise_ratio": sigma / once, "neighbours": neighbours,
            }),
        );
        statement.public_inputs.push(self.plan.clone());
        if !self.matched {
            statement.caveats.push(Caveat::Other(format!(
                "assumed: people were not matched across the steps of this stream; it is taken that nobody gave more than one record to a step, nor to more \
                 than {} of the steps",
                noise.visits()
            )));
        }
    }
}

impl FacePublication {
    /// Of a mean of faces registered so to this template whose `own` curves these are, without a size, a prior or a stream.
    pub fn new(
        template: Arc<LoadedTemplate>,
        own: FaceCurves,
        mechanism: CurveMean,
        registration: Registration,
        counting: Counting,
        unusable: Unusable,
    ) -> Self {
        Self {
            template,
            own,
            mechanism,
            registration,
            counting,
            unusable,
            size: None,
            prior: None,
            stream: None,
        }
    }

    /// The released curves.
    pub(super) fn curves(&self, released: &Released<NoisedFunction>) -> Result<FaceCurves, StudyError> {
        let samples = released.value.samples.clone();
        Ok(FaceCurves::new(self.own.curves(), self.own.samples(), samples)?)
    }

    /// How good the release is, as far as it tells itself.
    pub fn accuracy(&self, released: &Released<NoisedFunction>) -> Accuracy {
        let spread = match &self.mechanism {
            CurveMean::TwoRounds(mean) => mean.record_spread(&released.value),
            _ => None,
        };
        let centre = self.prior.as_ref().map(|prior| &prior.mean);
        let accuracy = Accuracy::of(&released.value, &self.own, centre, released.price.n, spread)
            .without_expressions(&self.template.template);
        let accuracy = match (&self.mechanism, self.mechanism.shrunk_within()) {
            (_, Some(reach)) if too_little(&released.price) => accuracy.at_most(reach),
            (CurveMean::TwoRounds(mean), Some(reach)) if mean.is_at_the_edge(&released.value) => {
                accuracy.at_the_edge(reach)
            }
            _ => accuracy,
        };
        let rms_mm = self.sized(&released.value).and_then(|(scale, size)| {
            let curves = self.curves(released).ok()?;
            Some(scale.error(size, &curves, accuracy.rms))
        });
        Accuracy { rms_mm, ..accuracy }
    }

    /// The released size, and what it is measured in.
    fn sized<'a>(&'a self, value: &'a NoisedFunction) -> Option<(&'a SizeScale, &'a NoisedSize)> {
        Some((self.size.as_ref()?, value.size.as_ref()?))
    }

    /// What one unit of the curves is on the mean face.
    pub(super) fn yardstick(&self, value: &NoisedFunction) -> Yardstick {
        match self.sized(value) {
            Some((scale, size)) => Yardstick::Released(scale.millimetres(size)),
            None => Yardstick::OfTwentyCentimetres,
        }
    }

    /// The band for the population's mean, where the release was set for one.
    pub(super) fn band(&self, released: &Released<NoisedFunction>) -> Option<Band> {
        match &self.mechanism {
            CurveMean::TwoRounds(mean) => mean.band(&released.value),
            _ => None,
        }
    }

    /// Whether there must be a band.
    fn is_for_band(&self) -> bool {
        matches!(&self.mechanism, CurveMean::TwoRounds(mean) if mean.aim() == Aim::Band)
    }

    /// What the parts of a budget get, where a mechanism shares it out by itself.
    fn budget_parts(&self) -> Vec<(String, f64)> {
        match &self.mechanism {
            CurveMean::Joint(_)
            | CurveMean::TwoRounds(_)
            | CurveMean::PrivateRadius(_)
            | CurveMean::Sites(_)
            | CurveMean::Stream(_) => Vec::new(),
            CurveMean::PerCurve(mean) => ["x", "y", "z"]
                .iter()
                .zip(mean.block_budgets())
                .map(|(axis, mu)| (format!("each of {} curves, {axis}", self.own.curves()), mu))
                .collect(),
            CurveMean::Pointwise(mean) => {
                vec![(format!("each of {} coordinates", self.own.data().len()), mean.coordinate_budget())]
            }
        }
    }
}

impl Publication for FacePublication {
    type Value = NoisedFunction;
    type Error = StudyError;

    fn counts_persons(&self) -> bool {
        self.counting.counts_persons()
    }

    fn describe(&self, released: &Released<NoisedFunction>, statement: &mut Statement) {
        statement.public_inputs = self.template.inputs();
        statement.public_inputs.extend(self.prior.iter().flat_map(|prior| prior.people.inputs.clone()));
        let parts: Vec<_> =
            self.budget_parts().into_iter().map(|(what, mu)| json!({"what": what, "mu": mu})).collect();
        let details = json!({
            "record_kind": self.counting.kind("scan"),
            "statistic": "mean of face radial curves, each record centred, of unit area, registered to the public template",
            "coordinates": released.price.statistic,
            "curves": self.own.curves(),
            "samples": self.own.samples(),
            "registration": self.registration,
            "units": match self.yardstick(&released.value) {
                Yardstick::Released(_) => "curves, errors and bands: mean of faces of surface area 1 (its own area is a little less, about \
                                           .99), centroid at the origin; mesh: the same in millimetres, by the released mean size",
                Yardstick::OfTwentyCentimetres => "curves and mesh: mean of faces of surface area 1 (its own area is a little less, about \
                                                   .99), centroid at the origin",
            },
            "budget_parts": parts,
            "accuracy": self.accuracy(released),
            "unusable_records": self.unusable.describe(ZERO_DEVIATION),
        });
        if let serde_json::Value::Object(details) = details {
            statement.details.extend(details);
        }
        statement.details.extend(self.template.detail());
        statement.details.extend(self.counting.details(Kind::Faces));
        statement.details.extend([UnseenShares::detail_of(released.value.unseen)]);
        if let (CurveMean::Stream(mean), Some(stream)) = (&self.mechanism, &self.stream) {
            stream.describe(mean, statement);
        }
        if let Some(prior) = &self.prior {
            let centre =
                "the prior's mean, in place of the template, and how its faces differ, for shrinkage";
            statement.details.insert(
                "prior".into(),
                json!({"used_for": centre, "differences": prior.people.differences.len()}),
            );
        }
        if let Some((scale, size)) = self.sized(&released.value) {
            statement.details.insert("size".into(), scale.details(size));
        }
        if let Some(band) = self.band(released) {
            statement.details.insert("band".into(), band::details(&band));
        }
    }

    fn statistic(&self) -> String {
        let mechanism = match &self.mechanism {
            CurveMean::TwoRounds(_) => FaceMechanism::Joint,
            CurveMean::Joint(_) | CurveMean::PrivateRadius(_) => FaceMechanism::JointOnce,
            CurveMean::PerCurve(mean) if mean.is_as_published() => FaceMechanism::Paper,
            CurveMean::PerCurve(_) => FaceMechanism::Curves,
            CurveMean::Pointwise(_) => FaceMechanism::Pointwise,
            CurveMean::Sites(_) => return "face mean of several sites".into(),
            CurveMean::Stream(_) => return "face mean --stream".into(),
        };
        mechanism.statistic(self.is_for_band())
    }

    fn write(
        &self,
        released: &Released<NoisedFunction>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), StudyError> {
        let curves = self.curves(released)?;
        let mesh = self.template.template.face_through(&curves)?;
        let yardstick = self.yardstick(&released.value);
        let scaled = match yardstick {
            Yardstick::Released(mm) => mesh
                .with_vertices(mesh.vertices().iter().map(|p| p * mm).collect())
                .map_err(TemplateError::from)?,
            Yardstick::OfTwentyCentimetres => mesh.clone(),
        };
        let errors = error_map(&self.template.template, &curves, &released.value.errors)?;
        folder.write_with(MEAN_PLY, |path| write_ply_with_scalar(path, &scaled, "error", &errors))?;
        let shape = [curves.curves(), curves.samples(), 3];
        folder.write_with(CURVES, |path| write_npy(path, &shape, curves.data()))?;
        folder.write_with(ERROR, |path| write_npy(path, &[errors.len()], &errors))?;
        let band = self.band(released);
        if let Some(band) = &band {
            folder.write_with(BAND, |path| {
                write_npy(path, &[2, curves.curves(), curves.samples(), 3], &band.borders())
            })?;
        } else if self.is_for_band() {
            return Err(StudyError::Shape("the stored draw has no second moment to make a band of"));
        }
        let page = Page {
            curves: &curves,
            mesh: &mesh,
            errors: &errors,
            accuracy: &self.accuracy(released),
            statistic: &released.price.statistic,
            budget_parts: &self.budget_parts(),
            band: band.as_ref(),
            yardstick,
        };
        folder.write(REPORT, release_report(&page, certificate)?.as_bytes())?;
        Ok(())
    }
}
