//! What is released of the people of all parts: public.

use crate::estimate::Design;
use crate::function::FaceCurves;
use crate::mechanism::functional::Want;
use crate::mechanism::functional::passes::InPasses;
use crate::privacy::{ClipRadius, ClipSource, Mu};
use crate::study::Groups;
use crate::study::face::{
    ClipChoice, FaceMean, FaceMechanism, LoadedTemplate, StudyError, compare, modes, regress,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The statistic of a release whose records are added up in parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum PartStatistic {
    /// A mean.
    Mean {
        /// Which.
        mechanism: FaceMechanism,
        /// Whether it is aimed at a band.
        band: bool,
        /// The public clip radius, where it is not the default.
        clip_radius: Option<f64>,
    },
    /// Modes of variation, with their mean.
    Modes,
    /// A regression on covariates.
    Regression {
        /// What is known of the covariates beforehand.
        design: Design,
        /// Whether the modes of what they leave are released too.
        residuals: bool,
    },
    /// A comparison of groups.
    Groups {
        /// A test, a map, or both.
        want: Want,
        /// Their labels, sorted.
        names: Vec<String>,
        /// How many persons each has.
        sizes: Vec<u64>,
        /// SHA-256 of who is in which.
        partition: String,
    },
}

/// How many people, and their budget.
pub(super) type OfPeople = (u64, Mu);

const NO_SUCH_MEAN: &str = "parts are added up for the mechanisms joint and joint-1; a band goes with joint";
const NO_GROUPS: &str = "a comparison is of groups";

impl PartStatistic {
    /// What goes through the records, pass by pass, about the template's own curves; of these groups, where some are compared.
    ///
    /// # Errors
    /// [`StudyError`], about public numbers.
    pub(super) fn in_passes(
        &self,
        (template, own): (&Arc<LoadedTemplate>, &FaceCurves),
        (n, mu): OfPeople,
        groups: Option<&Groups>,
    ) -> Result<Box<dyn InPasses>, StudyError> {
        Ok(match (self, groups) {
            (Self::Mean { .. }, _) => Box::new(self.mean((template, own), mu)?.drawn_by(n, mu)?),
            (Self::Modes, _) => Box::new(modes::mechanism(own, n, mu)?),
            (Self::Regression { design, residuals }, _) => {
                Box::new(regress::mechanism(own, (design, *residuals), n, mu)?)
            }
            (Self::Groups { want, .. }, Some(groups)) => {
                Box::new(compare::mechanism(*want, own, groups.labels().clone(), mu)?)
            }
            (Self::Groups { .. }, None) => return Err(StudyError::Parts(NO_GROUPS.into())),
        })
    }

    /// The mean around the template whose `own` curves these are, where that is what is released.
    pub(super) fn mean(
        &self,
        (template, own): (&Arc<LoadedTemplate>, &FaceCurves),
        mu: Mu,
    ) -> Result<FaceMean, StudyError> {
        let no_such = || StudyError::Parts(NO_SUCH_MEAN.into());
        let Self::Mean { mechanism, band, clip_radius } = *self else {
            return Err(no_such());
        };
        match mechanism {
            FaceMechanism::Joint => {}
            FaceMechanism::JointOnce if !band => {}
            _ => return Err(no_such()),
        }
        let clip = match clip_radius {
            None => ClipChoice::Default,
            Some(radius) => ClipChoice::Public(ClipRadius::new(radius, ClipSource::Public)?),
        };
        let mut mean = FaceMean::new((template.clone(), own.clone()), mechanism, mu);
        (mean.clip, mean.band) = (clip, band);
        Ok(mean)
    }

    /// The comparison of these groups.
    pub(super) fn of_groups(groups: &Groups, want: Want) -> Self {
        let (names, sizes) = (groups.names().to_vec(), groups.labels().sizes().to_vec());
        Self::Groups { want, names, sizes, partition: groups.sha256() }
    }

    /// The groups by their sizes, where they are compared.
    pub(super) fn groups(&self) -> Result<Groups, StudyError> {
        let Self::Groups { names, sizes, partition, .. } = self else {
            return Err(StudyError::Parts(NO_GROUPS.into()));
        };
        Ok(Groups::of_sums(names.clone(), sizes.clone(), partition.clone())?)
    }
}

/// The first setting in which two statistics differ, in words.
pub(super) fn difference(one: &PartStatistic, other: &PartStatistic) -> Option<&'static str> {
    use PartStatistic::{Groups, Mean, Modes, Regression};
    match (one, other) {
        (
            Mean { mechanism, band, clip_radius },
            Mean { mechanism: theirs, band: other_band, clip_radius: radius },
        ) => {
            if (mechanism, band) != (theirs, other_band) {
                return Some("the mechanism");
            }
            (clip_radius != radius).then_some("the clip radius")
        }
        (Modes, Modes) => None,
        (Regression { design, residuals }, Regression { design: other, residuals: theirs }) => {
            if residuals != theirs {
                return Some("whether modes of what the covariates leave are wanted");
            }
            (design != other).then_some("bounds, levels or splines of the covariates")
        }
        (Groups { want, .. }, Groups { want: theirs, .. }) if want != theirs => {
            Some("what is wanted of the comparison")
        }
        (Groups { .. }, Groups { .. }) => (one != other).then_some("the table of groups"),
        _ => Some("the statistic"),
    }
}
