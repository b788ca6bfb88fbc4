//! What a site's table says of its people: their groups, or their covariates.

use super::error::SitesError;
use super::plan::{Site, SitePlan};
use crate::mechanism::functional::SitePeople;
use crate::study::face::FaceStudy;
use std::fmt::Debug;
use std::path::Path;

/// What is known of a site's people besides their records: secret.
pub(super) enum SiteTable {
    None,
    /// The place of every person's group in the plan.
    Groups(Vec<usize>),
    /// A row of the design for every person.
    Covariates(Vec<Vec<f64>>),
}

impl SiteTable {
    /// As the plan asks for it, with what the data holder should know.
    ///
    /// # Errors
    /// [`SitesError`]: no table, one that does not go with the records, or other numbers than those planned.
    pub(super) fn read(
        plan: &SitePlan,
        own: &Site,
        study: &FaceStudy<'_>,
        table: Option<&Path>,
    ) -> Result<(Self, Vec<String>), SitesError> {
        if let Some(groups) = &plan.groups {
            let labels = groups.labels(study, table, (&own.name, &own.groups))?;
            return Ok((Self::Groups(labels), Vec::new()));
        }
        let Some(regression) = &plan.regression else { return Ok((Self::None, Vec::new())) };
        let missing = || SitesError::Asked("this plan is a regression: give the table --covariates".into());
        let (rows, remarks) = study.planned_covariates(table.ok_or_else(missing)?, &regression.covariates)?;
        Ok((Self::Covariates(rows), remarks))
    }

    /// As a round adds it up.
    pub(super) fn people(&self) -> SitePeople<'_> {
        match self {
            Self::None => SitePeople::Records,
            Self::Groups(labels) => SitePeople::Groups(labels),
            Self::Covariates(rows) => SitePeople::Covariates(rows),
        }
    }

    /// What tells these people from others of the same records, for the plan: those who change groups or covariates between rounds are others.
    pub(super) fn settings<'a>(&'a self, plan: &'a str) -> Box<dyn Debug + 'a> {
        match self {
            Self::None => Box::new(plan),
            Self::Groups(labels) => Box::new((plan, labels)),
            Self::Covariates(rows) => Box::new((plan, rows)),
        }
    }
}
