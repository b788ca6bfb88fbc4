//! How many people of every group there are at every site: public.

use crate::mechanism::MechanismError;

/// People of every group at every site; a site may have none of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteGroups {
    sizes: Vec<Vec<u64>>,
}

impl SiteGroups {
    /// Of the groups of every site, in the same order everywhere.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] for no sites, fewer than two groups, or sites with different numbers of groups.
    pub fn new(sizes: Vec<Vec<u64>>) -> Result<Self, MechanismError> {
        let groups = sizes.first().map_or(0, Vec::len);
        if groups < 2 || sizes.iter().any(|site| site.len() != groups) {
            return Err(MechanismError::Shape(
                "every site has a number of people for each of two groups or more",
            ));
        }
        Ok(Self { sizes })
    }

    /// Number of groups.
    pub fn count(&self) -> usize {
        self.sizes.first().map_or(0, Vec::len)
    }

    /// People of every group at these sites.
    pub fn people(&self, sites: &[usize]) -> Vec<u64> {
        let of = |g: usize| sites.iter().filter_map(|i| self.sizes.get(*i)?.get(g)).sum();
        (0..self.count()).map(of).collect()
    }

    /// People of every group at a site; none at an unknown one.
    pub fn at(&self, site: usize) -> &[u64] {
        self.sizes.get(site).map_or(&[], Vec::as_slice)
    }

    /// People of every group.
    pub(super) fn total(&self) -> Vec<u64> {
        self.people(&(0..self.sizes.len()).collect::<Vec<_>>())
    }

    /// Of the smallest group.
    pub(in crate::mechanism::functional::sites) fn smallest(&self) -> u64 {
        self.total().into_iter().min().unwrap_or_default()
    }

    /// As [`Self::people`], where every group has two at least.
    pub(in crate::mechanism::functional::sites) fn enough(
        &self,
        sites: &[usize],
    ) -> Result<Vec<u64>, MechanismError> {
        let people = self.people(sites);
        if people.iter().any(|n| *n < 2) {
            return Err(MechanismError::Shape(
                "a group has fewer than two people at the sites that are left",
            ));
        }
        Ok(people)
    }

    /// Whether the groups make up the people of sites of these sizes.
    pub(super) fn check(&self, sites: &[u64]) -> Result<(), MechanismError> {
        let sum = |site: &Vec<u64>| site.iter().try_fold(0u64, |all, n| all.checked_add(*n));
        let all: Option<Vec<u64>> = self.sizes.iter().map(sum).collect();
        if all.as_deref() != Some(sites) {
            return Err(MechanismError::Shape("the groups of a site add up to its people"));
        }
        Ok(())
    }

    /// Labels of a site's people, the first group's first.
    pub(in crate::mechanism::functional::sites) fn in_order(&self, site: usize) -> Vec<usize> {
        let groups = self.at(site).iter().enumerate();
        groups.flat_map(|(g, n)| std::iter::repeat_n(g, *n as usize)).collect()
    }
}
