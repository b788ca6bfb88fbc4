//! What a plan releases: the mean, the mean and modes of variation, a comparison of groups, or a regression; its rounds, and how its release is
//! written.

use super::error::SitesError;
use super::regression::PlannedRegression;
use crate::function::FaceCurves;
use crate::job::{self, Publication, ReleaseFolder};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{
    AboutPublic, CurveMean, RoundResult, SiteGroups, Sites, SitesGroups, SitesMean, SitesModes,
    SitesRegression, SitesRounds, Want,
};
use crate::mechanism::vector::GroupAim;
use crate::privacy::{Caveat, Certificate, Drawn, Mu, Price, Released, Statement};
use crate::study::face::Accuracy;
use crate::study::face::mean::basis;
use crate::study::face::{FaceMean, FaceMechanism, FaceSpace, LoadedTemplate};
use crate::study::points::PointAccuracy;
use crate::study::tangent::{
    Circumstances, ComparisonStatistic, FoundFields, FoundGroups, ModesStatistic, PublicCentre,
    RegressionStatistic, TangentPublication,
};
use crate::study::{Counting, Groups, Place, Unusable};
use crate::surface::registration::Registration;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What a plan asks for.
pub(super) enum Wanted {
    Mean,
    Modes(usize),
    Groups(GroupAim, Vec<String>, SiteGroups),
    Regression(PlannedRegression),
}

/// What a release of many sites tells, in numbers.
#[derive(Debug, Clone)]
pub enum Findings {
    /// The error of the mean.
    Mean(Accuracy),
    /// That of the mean that comes with modes.
    Modes(PointAccuracy),
    /// How groups differ.
    Groups(Box<FoundGroups>),
    /// What covariates do.
    Regression(Box<FoundFields>),
}

/// The statistic of a plan.
pub(super) enum SitesStatistic {
    /// The mean.
    Mean(Box<SitesMean>),
    /// Mean and at most so many modes.
    Modes(Box<SitesModes>, usize),
    /// Groups compared, with their labels.
    Groups(Box<SitesGroups>, GroupAim, Vec<String>),
    /// A regression.
    Regression(Box<SitesRegression>, PlannedRegression),
}

/// Public things that a release says beside its values.
pub(super) struct Around {
    pub(super) loaded: LoadedTemplate,
    pub(super) own: FaceCurves,
    pub(super) registration: Registration,
    pub(super) caveats: Vec<Caveat>,
    pub(super) details: Map<String, Value>,
    /// Whether any noise came from a fixed seed.
    pub(super) seeded: bool,
    /// The budget.
    pub(super) mu: Mu,
    /// People of the last round.
    pub(super) n: u64,
}

impl SitesStatistic {
    /// Of these sites about the template's `own` curves.
    pub(super) fn new(
        wanted: Wanted,
        own: &FaceCurves,
        mu: Mu,
        sites: Sites,
    ) -> Result<Self, MechanismError> {
        let (basis, template) = (basis(own), own.data().to_vec());
        Ok(match wanted {
            Wanted::Mean => Self::Mean(Box::new(SitesMean::new(basis, template, mu, sites)?)),
            Wanted::Modes(most) => Self::Modes(Box::new(SitesModes::new(basis, template, mu, sites)?), most),
            Wanted::Groups(aim, names, sizes) => {
                let groups = SitesGroups::new(aim, (&basis, template), mu, sites, sizes)?;
                Self::Groups(Box::new(groups), aim, names)
            }
            Wanted::Regression(planned) => {
                let design = planned.covariates.clone();
                let regression = SitesRegression::new((basis, template), design, mu, sites)?;
                Self::Regression(Box::new(regression), planned)
            }
        })
    }

    /// The rounds.
    pub(super) fn rounds(&self) -> &SitesRounds {
        match self {
            Self::Mean(mean) => mean.rounds(),
            Self::Modes(modes, _) => modes.rounds(),
            Self::Groups(groups, ..) => groups.rounds(),
            Self::Regression(regression, _) => regression.rounds(),
        }
    }

    /// The release of all rounds.
    pub(super) fn publish(
        self,
        results: &[RoundResult],
        around: Around,
        place: &Place,
    ) -> Result<(Certificate, Findings), SitesError> {
        let price = Price { n: around.n, ..self.rounds().price().clone() };
        let Around { loaded, own, registration, caveats, mut details, seeded, mu, n } = around;
        // Whether a site's records can be used is known there only: no site may refuse.
        let (template, counting, unusable) = (Arc::new(loaded), Counting::default(), Unusable::Zero);
        let public_inputs = vec![template.input.clone()];
        let circumstances = Circumstances { public_inputs, counting, unusable };
        let Some(last) = results.last() else {
            return Err(MechanismError::Shape("there are no results of any round").into());
        };
        let public = |template, own| {
            let space = Arc::new(FaceSpace::new(template, own, registration));
            PublicCentre { space, mu, n }
        };
        match self {
            Self::Mean(mean) => {
                let released = released(mean.finish(results)?, price, seeded);
                let faces = (template.clone(), own.clone());
                let of = TangentPublication {
                    statistic: FaceMean::new(faces, FaceMechanism::Joint, mu).over_sites(),
                    centring: public(template, own),
                    mechanism: AboutPublic(Arc::new(CurveMean::Sites(mean))),
                    circumstances,
                };
                let accuracy = Findings::Mean(of.found(&released)?.1.accuracy);
                Ok((published(OverSites { of, caveats, details }, released, place)?, accuracy))
            }
            Self::Modes(modes, most) => {
                let released = released(modes.finish(results)?, price, seeded);
                let of = TangentPublication {
                    statistic: ModesStatistic { budget: mu, most },
                    centring: public(template, own),
                    mechanism: AboutPublic(Arc::new(modes.functional().clone())),
                    circumstances,
                };
                let accuracy = Findings::Modes(of.found(&released)?.1.accuracy);
                Ok((published(OverSites { of, caveats, details }, released, place)?, accuracy))
            }
            Self::Groups(groups, aim, names) => {
                let Drawn { value, parts } = groups.finish(results)?;
                let value = groups.comparison(value);
                let mechanism = groups.functional(last)?;
                let (want, aim_key) =
                    if aim == GroupAim::Map { (Want::Map, "map") } else { (Want::Test, "test") };
                // Each site's table is its own; only numbers are known here.
                details.insert("partition_sha256".into(), Value::Null);
                details.insert("budgets".into(), json!({ aim_key: &price.loss }));
                let released = released(Drawn { value, parts }, price, seeded);
                let groups = Groups::of_sizes(names, &groups.sizes(last)?)?;
                let of = TangentPublication {
                    statistic: ComparisonStatistic { budget: mu, groups, want },
                    centring: public(template, own),
                    mechanism: AboutPublic(Arc::new(mechanism)),
                    circumstances,
                };
                let found = Findings::Groups(Box::new(of.found(&released)?.1));
                Ok((published(OverSites { of, caveats, details }, released, place)?, found))
            }
            Self::Regression(regression, planned) => {
                let released = released(regression.finish(results)?, price, seeded);
                let PlannedRegression { covariates, residuals } = planned;
                let of = TangentPublication {
                    statistic: RegressionStatistic::on(None, covariates, mu, residuals),
                    centring: public(template, own),
                    mechanism: AboutPublic(Arc::new(regression.functional(last))),
                    circumstances,
                };
                let found = Findings::Regression(Box::new(of.found(&released)?.1));
                Ok((published(OverSites { of, caveats, details }, released, place)?, found))
            }
        }
    }
}

fn released<V>(Drawn { value, parts }: Drawn<V>, price: Price, seeded: bool) -> Released<V> {
    Released { value, parts, price, seeded, recorded: true }
}

fn published<P: Publication<Error: Into<SitesError>>>(
    publication: P,
    released: Released<P::Value>,
    place: &Place,
) -> Result<Certificate, SitesError> {
    job::run(place, |job| job.publish_charged_elsewhere(&publication, released).map_err(Into::into))
}

/// A release with what is said of its sites.
struct OverSites<P> {
    of: P,
    caveats: Vec<Caveat>,
    details: Map<String, Value>,
}

impl<P: Publication> Publication for OverSites<P> {
    type Value = P::Value;
    type Error = P::Error;

    fn counts_persons(&self) -> bool {
        self.of.counts_persons()
    }

    fn describe(&self, released: &Released<P::Value>, statement: &mut Statement) {
        self.of.describe(released, statement);
        statement.caveats.extend(self.caveats.iter().cloned());
        statement.details.extend(self.details.clone());
    }

    fn statistic(&self) -> String {
        format!("site {}", self.of.statistic())
    }

    fn write(
        &self,
        released: &Released<P::Value>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), P::Error> {
        self.of.write(released, certificate, folder)
    }
}
