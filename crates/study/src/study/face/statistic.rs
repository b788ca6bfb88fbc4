//! The mean face, as a statistic in the tangent space at the template.

use super::accuracy::Accuracy;
use super::band;
use super::error::StudyError;
use super::error_map::error_map;
use super::found::FoundFace;
use super::gather::FaceStudy;
use super::mean::{ClipChoice, FaceMechanism, mechanism, two_rounds};
use super::prior::FacePrior;
use super::release_report::{opening, section};
use super::settings::FaceStudySettings;
use super::size::SizeScale;
use super::template::{LoadedTemplate, TemplateSource};
use super::yardstick::Yardstick;
use crate::function::FaceCurves;
use crate::io::{write_npy, write_ply_with_scalar};
use crate::job::ReleaseFolder;
use crate::job::layout::{BAND, CURVES, ERROR, MEAN_PLY};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{Aim, CurveMean, NoisedFunction, StreamMean};
use crate::privacy::{Caveat, Mu, Price, PublicInput, Statement};
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::study::points::PointStudyError;
use crate::study::seen::too_little;
use crate::study::tangent::{Expected, Statistic, TangentSpace, Told};
use crate::surface::TemplateError;
use serde_json::{Value, json};
use std::sync::Arc;

/// A mean of faces, by one of several mechanisms.
#[derive(Debug, Clone)]
pub struct FaceMean {
    /// The budget.
    pub budget: Mu,
    /// Which mechanism.
    pub mechanism: FaceMechanism,
    /// Where its clip radius comes from.
    pub clip: ClipChoice,
    /// With a 95 % band about the unshrunk mean.
    pub band: bool,
    template: Arc<LoadedTemplate>,
    /// The template's own curves.
    own: FaceCurves,
    /// How sizes are measured, where the mean size is released too.
    pub(super) size: Option<SizeScale>,
    /// What is public of other people's faces, where something was given.
    pub(super) prior: Option<Arc<FacePrior>>,
    course: Course,
}

/// How it comes to be drawn.
#[derive(Debug, Clone)]
enum Course {
    /// At once.
    Once,
    /// In rounds of many sites.
    Sites,
    /// As a step of a stream.
    Stream(OfStream),
}

/// What is public of a step of a stream.
#[derive(Debug, Clone)]
pub(super) struct OfStream {
    /// The file of its plan.
    plan: PublicInput,
    /// Whether people are matched across steps.
    matched: bool,
    /// In how many steps somebody may be.
    visits: usize,
    /// For the certificate.
    details: Value,
}

impl OfStream {
    pub(super) fn new(plan: PublicInput, matched: bool, mean: &StreamMean) -> Self {
        let (noise, people) = (mean.noise(), &mean.past().people);
        let (sigma, once) = (mean.sigma(), mean.once_sigma());
        let neighbours = "one person is replaced with the records of all visits; in which steps a person's counted visits are, and how many records \
                          every step counts, is public. The loss is that of all steps together";
        let details = json!({
            "step": people.len(), "steps": noise.steps(), "visits": noise.visits(), "people": people, "matched": matched,
            "mean_noise": sigma, "one_round_noise": once, "noise_ratio": sigma / once, "neighbours": neighbours,
        });
        Self { plan, matched, visits: noise.visits(), details }
    }

    fn describe(&self, statement: &mut Statement) {
        statement.details.insert("stream".into(), self.details.clone());
        statement.public_inputs.push(self.plan.clone());
        if !self.matched {
            statement.caveats.push(Caveat::Other(format!(
                "assumed: people were not matched across the steps of this stream; it is taken that nobody gave more than one record to a step, nor to more \
                 than {} of the steps",
                self.visits
            )));
        }
    }
}

impl FaceMean {
    /// By this mechanism around the template whose `own` curves these are, without a band, a size or a prior.
    pub fn new(
        (template, own): (Arc<LoadedTemplate>, FaceCurves),
        mechanism: FaceMechanism,
        budget: Mu,
    ) -> Self {
        Self {
            budget,
            mechanism,
            clip: ClipChoice::Default,
            band: false,
            template,
            own,
            size: None,
            prior: None,
            course: Course::Once,
        }
    }

    /// As a study is set; `None` for a mean without noise.
    ///
    /// # Errors
    /// [`StudyError`]: what does not go together, or a prior that cannot be used.
    pub(super) fn of(
        settings: &FaceStudySettings,
        study: &FaceStudy<'_>,
    ) -> Result<Option<Self>, StudyError> {
        let &FaceStudySettings { mechanism, clip_radius: clip, band, .. } = settings;
        let Some(budget) = settings.budget.filter(|_| mechanism != FaceMechanism::None) else {
            return Ok(None);
        };
        let size = match settings.size {
            Some(_) if settings.records.prepared.is_some() => {
                return Err(StudyError::Shape("prepared records have unit area: a mean size needs scans"));
            }
            Some(units) => {
                let builtin = study.settings.template == TemplateSource::Builtin;
                Some(SizeScale::new(units, &study.loaded, builtin))
            }
            None => None,
        };
        let prior = settings.prior.as_ref().map(|path| FacePrior::load(path, &study.own)).transpose()?;
        if mechanism != FaceMechanism::Joint && (band || size.is_some() || prior.is_some()) {
            return Err(StudyError::Shape("a band, a size and a prior go with the joint mechanism only"));
        }
        let of = Self::new((study.loaded.clone(), study.own.clone()), mechanism, budget);
        Ok(Some(Self { clip, band, size, prior: prior.map(Arc::new), ..of }))
    }

    /// Drawn in rounds of many sites.
    #[must_use]
    pub fn over_sites(self) -> Self {
        Self { course: Course::Sites, ..self }
    }

    /// Drawn as a step of a stream.
    pub(super) fn of_stream(self, stream: OfStream) -> Self {
        Self { course: Course::Stream(stream), ..self }
    }

    /// The mechanism for n people at μ.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn drawn_by(&self, n: u64, mu: Mu) -> Result<CurveMean, MechanismError> {
        if self.mechanism != FaceMechanism::Joint {
            let none = MechanismError::Shape("a mean without noise is not released");
            return mechanism(self.mechanism, &self.own, n, self.clip, mu)?.ok_or(none);
        }
        let aim = if self.band { Aim::Band } else { Aim::Mean };
        let mean = two_rounds(aim, &self.own, n, self.clip, mu, self.prior.as_deref())?;
        let mean = if self.size.is_some() { mean.with_size(SizeScale::bound())? } else { mean };
        Ok(CurveMean::TwoRounds(Box::new(mean)))
    }

    /// How good a release is, as far as it tells itself.
    fn accuracy(
        &self,
        mean: &CurveMean,
        value: &NoisedFunction,
        curves: &FaceCurves,
        price: &Price,
    ) -> Accuracy {
        let spread = match mean {
            CurveMean::TwoRounds(mean) => mean.record_spread(value),
            _ => None,
        };
        let centre = self.prior.as_ref().map(|prior| &prior.mean);
        let accuracy = Accuracy::of(value, &self.own, centre, price.n, spread)
            .without_expressions(&self.template.template);
        let accuracy = match (mean, mean.shrunk_within()) {
            (_, Some(reach)) if too_little(price) => accuracy.at_most(reach),
            (CurveMean::TwoRounds(mean), Some(reach)) if mean.is_at_the_edge(value) => {
                accuracy.at_the_edge(reach)
            }
            _ => accuracy,
        };
        let rms_mm = self.size.zip(value.size).map(|(scale, size)| scale.error(&size, curves, accuracy.rms));
        Accuracy { rms_mm, ..accuracy }
    }

    fn budget_parts(&self, mean: &CurveMean) -> Vec<(String, f64)> {
        match mean {
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

impl Statistic for FaceMean {
    type Inner = CurveMean;
    type Found = FoundFace;

    const NAME: &'static str = "mean";
    const OF: &'static str = "mean";

    fn budget(&self) -> Mu {
        self.budget
    }

    fn full_name(&self, _: &str) -> String {
        match self.course {
            Course::Once => self.mechanism.statistic(self.band),
            Course::Sites => "face mean of several sites".into(),
            Course::Stream(_) => "face mean --stream".into(),
        }
    }

    fn inner(&self, Expected { mu, n, .. }: Expected) -> Result<CurveMean, MechanismError> {
        self.drawn_by(n, mu)
    }

    fn settings(&self) -> String {
        let prior = self.prior.as_ref().map(|prior| &prior.people.inputs);
        format!("{:?}", (self.mechanism, self.budget, self.clip, self.band, self.size, prior))
    }

    fn find(&self, told: Told<'_, CurveMean>, price: &Price) -> Result<FoundFace, PointStudyError> {
        let Told { inner, value, .. } = told;
        let curves = FaceCurves::new(self.own.curves(), self.own.samples(), value.samples.clone())
            .map_err(StudyError::from)?;
        let template = &self.template.template;
        let mesh = template.face_through(&curves).map_err(StudyError::from)?;
        let errors = error_map(template, &curves, &value.errors)?;
        let band = match &*inner {
            CurveMean::TwoRounds(mean) if mean.aim() == Aim::Band => {
                let none = "the stored draw has no second moment to make a band of";
                Some(mean.band(value).ok_or(MechanismError::Shape(none))?)
            }
            _ => None,
        };
        let yardstick = match self.size.zip(value.size) {
            Some((scale, size)) => Yardstick::Released(scale.millimetres(&size)),
            None => Yardstick::OfTwentyCentimetres,
        };
        Ok(FoundFace {
            accuracy: self.accuracy(&inner, value, &curves, price),
            budget_parts: self.budget_parts(&inner),
            curves,
            yardstick,
            mesh,
            errors,
            band,
            size: value.size,
            details: value.details(),
        })
    }

    fn mean(found: &FoundFace) -> Option<&[f64]> {
        Some(found.curves.data())
    }

    fn state(&self, _: &dyn TangentSpace, _: &mut Statement) {}

    fn describe(&self, _: &dyn TangentSpace, found: &FoundFace, statement: &mut Statement) {
        let parts: Vec<Value> =
            found.budget_parts.iter().map(|(what, mu)| json!({"what": what, "mu": mu})).collect();
        let units = match found.yardstick {
            Yardstick::Released(_) => {
                "curves, errors and bands: mean of faces of surface area 1 (its own area is a little less, about \
                 .99), centroid at the origin; mesh: the same in millimetres, by the released mean size"
            }
            Yardstick::OfTwentyCentimetres => {
                "curves and mesh: mean of faces of surface area 1 (its own area is a little less, about .99), \
                 centroid at the origin"
            }
        };
        let details = &mut statement.details;
        details.insert("units".into(), json!(units));
        details.insert("budget_parts".into(), json!(parts));
        details.insert("accuracy".into(), json!(found.accuracy));
        details.extend(found.details.clone());
        if let Some(prior) = &self.prior {
            let centre =
                "the prior's mean, in place of the template, and how its faces differ, for shrinkage";
            let prior = json!({"used_for": centre, "differences": prior.people.differences.len()});
            details.insert("prior".into(), prior);
        }
        if let Some((scale, size)) = self.size.zip(found.size) {
            details.insert("size".into(), scale.details(&size));
        }
        if let Some(band) = &found.band {
            details.insert("band".into(), band::details(band));
        }
        if let Course::Stream(stream) = &self.course {
            stream.describe(statement);
        }
    }

    fn title(&self, _: &dyn TangentSpace) -> [String; 2] {
        ["Private average face".into(), "average face".into()]
    }

    fn figures(&self, _: &dyn TangentSpace, found: &FoundFace) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        Ok(opening(found)?)
    }

    fn write(
        &self,
        _: &dyn TangentSpace,
        found: &FoundFace,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let FoundFace { curves, mesh, errors, .. } = found;
        let scaled = match found.yardstick {
            Yardstick::Released(mm) => mesh
                .with_vertices(mesh.vertices().iter().map(|p| p * mm).collect())
                .map_err(|e| StudyError::from(TemplateError::from(e)))?,
            Yardstick::OfTwentyCentimetres => mesh.clone(),
        };
        folder.write_with(MEAN_PLY, |path| write_ply_with_scalar(path, &scaled, "error", errors))?;
        let shape = [curves.curves(), curves.samples(), 3];
        folder.write_with(CURVES, |path| write_npy(path, &shape, curves.data()))?;
        folder.write_with(ERROR, |path| write_npy(path, &[errors.len()], errors))?;
        if let Some(band) = &found.band {
            let shape = [2, curves.curves(), curves.samples(), 3];
            folder.write_with(BAND, |path| write_npy(path, &shape, &band.borders()))?;
        }
        Ok(())
    }

    fn section(
        &self,
        _: &dyn TangentSpace,
        found: &FoundFace,
        page: &mut Page,
    ) -> Result<(), PointStudyError> {
        Ok(section(found, page)?)
    }

    fn parameters(&self, found: &FoundFace) -> Vec<Vec<String>> {
        found.budget_parts.iter().map(|(what, mu)| vec![what.clone(), format!("μ = {mu:.5}")]).collect()
    }
}
