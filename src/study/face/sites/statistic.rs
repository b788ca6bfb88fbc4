//! What a plan releases: the mean, or the mean and modes of variation; its rounds, and how its release is written.

use crate::function::FaceCurves;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{CurveMean, RoundResult, Sites, SitesMean, SitesModes, SitesRounds};
use crate::privacy::{Caveat, Certificate, Drawn, Mu, Price, Released, Statement};
use crate::study::face::mean::basis;
use crate::study::face::modes::ModesPublication;
use crate::study::face::publication::FacePublication;
use crate::study::face::template::LoadedTemplate;
use crate::study::face::{Accuracy, StudyError};
use crate::study::job::{self, Publication, ReleaseFolder};
use crate::study::{Counting, Place};
use crate::surface::registration::Registration;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The statistic of a plan.
pub(super) enum SitesStatistic {
    /// The mean.
    Mean(Box<SitesMean>),
    /// Mean and at most so many modes.
    Modes(Box<SitesModes>, usize),
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
    /// People of the last round.
    pub(super) n: u64,
}

impl SitesStatistic {
    /// Of these sites about the template's `own` curves.
    pub(super) fn new(
        modes: Option<usize>,
        own: &FaceCurves,
        mu: Mu,
        sites: Sites,
    ) -> Result<Self, MechanismError> {
        let (basis, template) = (basis(own), own.data().to_vec());
        Ok(match modes {
            None => Self::Mean(Box::new(SitesMean::new(basis, template, mu, sites)?)),
            Some(most) => Self::Modes(Box::new(SitesModes::new(basis, template, mu, sites)?), most),
        })
    }

    /// The rounds.
    pub(super) fn rounds(&self) -> &SitesRounds {
        match self {
            Self::Mean(mean) => mean.rounds(),
            Self::Modes(modes, _) => modes.rounds(),
        }
    }

    /// The release of all rounds.
    pub(super) fn publish(
        self,
        results: &[RoundResult],
        around: Around,
        place: &Place,
    ) -> Result<(Certificate, Accuracy), StudyError> {
        let price = Price { n: around.n, ..self.rounds().price().clone() };
        let Around { loaded, own, registration, caveats, details, seeded, n } = around;
        let (template, counting) = (Arc::new(loaded), Counting::default());
        match self {
            Self::Mean(mean) => {
                let released = released(mean.finish(results)?, price, seeded);
                let mechanism = CurveMean::Sites(mean);
                let of = FacePublication {
                    size: None,
                    prior: None,
                    template,
                    own,
                    mechanism,
                    registration,
                    counting,
                };
                let accuracy = of.accuracy(&released);
                published(OverSites { of, caveats, details }, released, accuracy, place)
            }
            Self::Modes(modes, most) => {
                let released = released(modes.finish(results)?, price, seeded);
                let mechanism = modes.functional().clone();
                let of = ModesPublication { template, own, mechanism, registration, counting, most };
                let accuracy = of.found(&released.value, n)?.accuracy;
                published(OverSites { of, caveats, details }, released, accuracy, place)
            }
        }
    }
}

fn released<V>(Drawn { value, parts }: Drawn<V>, price: Price, seeded: bool) -> Released<V> {
    Released { value, parts, price, seeded, recorded: true }
}

fn published<P: Publication<Error = StudyError>>(
    publication: P,
    released: Released<P::Value>,
    accuracy: Accuracy,
    place: &Place,
) -> Result<(Certificate, Accuracy), StudyError> {
    let certificate = job::run(place, |job| job.publish_charged_elsewhere(&publication, released))?;
    Ok((certificate, accuracy))
}

/// A release with what is said of its sites.
struct OverSites<P> {
    of: P,
    caveats: Vec<Caveat>,
    details: Map<String, Value>,
}

impl<P: Publication<Error = StudyError>> Publication for OverSites<P> {
    type Value = P::Value;
    type Error = StudyError;

    fn describe(&self, released: &Released<P::Value>, statement: &mut Statement) {
        self.of.describe(released, statement);
        statement.caveats.extend(self.caveats.iter().cloned());
        statement.details.extend(self.details.clone());
    }

    fn write(
        &self,
        released: &Released<P::Value>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), StudyError> {
        self.of.write(released, certificate, folder)
    }
}
