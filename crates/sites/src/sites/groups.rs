//! Groups that a plan compares: their names and sizes, which are public, and which of a site's people are in which.

use super::error::SitesError;
use crate::job::groups::is_label;
use crate::mechanism::functional::SiteGroups;
use crate::mechanism::vector::GroupAim;
use crate::study::face::FaceStudy;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Groups that are compared, and what for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct PlannedGroups {
    /// Their labels, sorted: differences are from the first.
    pub names: Vec<String>,
    /// Where they differ, or whether they do.
    pub aim: GroupAim,
}

impl PlannedGroups {
    /// With the people of every group at every site, in the order of the names.
    ///
    /// # Errors
    /// In words: what is wrong with the plan.
    pub(super) fn sizes<'a>(
        &self,
        sites: impl Iterator<Item = (&'a str, u64, &'a [u64])>,
    ) -> Result<SiteGroups, String> {
        if let Some(label) = self.names.iter().find(|name| !is_label(name)) {
            return Err(format!("{label:?} is not a valid group label: use letters, digits, - and _"));
        }
        if !self.names.is_sorted_by(|a, b| a < b) {
            return Err("the labels of groups are sorted, and none is there twice".into());
        }
        let mut sizes = Vec::new();
        for (name, n, groups) in sites {
            let sum = groups.iter().try_fold(0u64, |sum, n| sum.checked_add(*n));
            if groups.len() != self.names.len() || sum != Some(n) {
                return Err(format!(
                    "{name} has {n} people, and needs a number for each of {}, which add up to that",
                    self.names.join(", ")
                ));
            }
            sizes.push(groups.to_vec());
        }
        let all: Vec<usize> = (0..sizes.len()).collect();
        let sizes = SiteGroups::new(sizes).map_err(|e| e.to_string())?;
        match sizes.people(&all).iter().position(|n| *n < 2) {
            Some(small) => Err(format!("the group {} has fewer than two people", self.names[small])),
            None => Ok(sizes),
        }
    }

    /// The group of every person of a site, by its place in the plan.
    ///
    /// # Errors
    /// [`SitesError`]: a table that does not go with the records, or other numbers than those planned.
    pub(super) fn labels(
        &self,
        study: &FaceStudy<'_>,
        table: Option<&Path>,
        (name, planned): (&str, &[u64]),
    ) -> Result<Vec<usize>, SitesError> {
        let missing = || SitesError::Asked("this plan compares groups: give the table --groups".into());
        let labels = study.planned_groups(table.ok_or_else(missing)?, &self.names)?;
        let mut here = vec![0u64; self.names.len()];
        labels.iter().for_each(|group| here[*group] += 1);
        if here == planned {
            return Ok(labels);
        }
        let words = |numbers: &[u64]| {
            let each = self.names.iter().zip(numbers).map(|(name, n)| format!("{n} of {name}"));
            each.collect::<Vec<_>>().join(", ")
        };
        Err(SitesError::Asked(format!(
            "the plan says that {name} has {}; here are {}: the numbers are public and fixed",
            words(planned),
            words(&here)
        )))
    }
}
