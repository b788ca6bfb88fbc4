//! Groups compared, of whatever has a tangent space: a private mean of each, where they differ, and whether they do.

use super::centring::{Expected, Told};
use super::numbers::numbers_table;
use super::run::{write_arrays, write_bands};
use super::space::TangentSpace;
use super::statistic::Statistic;
use crate::estimate::Band;
use crate::job::ReleaseFolder;
use crate::job::layout::{DIFFERENCE, DIFFERENCE_UNSHRUNK, TEST};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{DifferenceMap, FunctionGroups, Want};
use crate::privacy::{Mu, Price, Statement};
use crate::report::page::Page;
use crate::study::Groups;
use crate::study::differences::{self, GroupDifference};
use crate::study::face::compare::TestStatement;
use crate::study::points::PointStudyError;
use std::sync::Arc;

/// Groups by their public labels.
#[derive(Debug, Clone)]
pub(in crate::study) struct ComparisonStatistic {
    pub budget: Mu,
    pub groups: Groups,
    pub want: Want,
}

/// What a comparison found.
#[derive(Debug, Clone)]
pub struct FoundGroups {
    /// Labels of the groups, sorted, with their sizes.
    pub groups: Vec<(String, u64)>,
    /// The test, where one was wanted.
    pub test: Option<TestStatement>,
    /// Every group's difference from the first, where a map was wanted.
    pub map: Vec<GroupDifference>,
    /// Whether n and budget are so small that little can be told: public.
    pub small: bool,
    inner: Arc<FunctionGroups>,
    /// Every group's mean, as an array.
    pub(super) means: Vec<Vec<f64>>,
    /// Shrunk differences as arrays, with bands of the entries about the unshrunk ones.
    pub(super) differences: Vec<(Vec<f64>, Band)>,
}

impl ComparisonStatistic {
    /// The axes that count differences: none for two groups.
    fn before(&self) -> Vec<usize> {
        let others = self.groups.names().len() - 1;
        if others > 1 { vec![others] } else { Vec::new() }
    }

    fn difference(
        &self,
        space: &dyn TangentSpace,
        second: usize,
        (map, band): (&DifferenceMap, &Band),
    ) -> GroupDifference {
        let names = self.groups.names();
        let points = space.basis().points();
        // At a sample of a function all channels together; a matrix or point has one place an entry.
        let places = if space.entries().is_none() { points } else { band.centre.len() };
        let excess = band.excess();
        let of_each = excess.chunks(excess.len() / places.max(1));
        let outside = of_each.filter(|place| place.iter().any(|excess| *excess > 0.0)).count();
        GroupDifference {
            first: names[0].clone(),
            second: names[second].clone(),
            size: space.size(&map.shrunk),
            error: map.error.sqrt(),
            reach_in_standard_errors: band.reach,
            mean_half_width: space.half_width(band),
            share_outside: outside as f64 / places as f64,
        }
    }
}

impl Statistic for ComparisonStatistic {
    type Inner = FunctionGroups;
    type Found = FoundGroups;

    const NAME: &'static str = "compare";

    fn budget(&self) -> Mu {
        self.budget
    }

    fn inner(&self, expected: Expected) -> Result<FunctionGroups, MechanismError> {
        let Expected { basis, centre, reach, mu, .. } = expected;
        FunctionGroups::new(self.want, &basis, &centre, self.groups.labels().clone(), reach, mu)
    }

    fn settings(&self) -> String {
        format!("{:?} {:?} {}", self.budget, self.want, self.groups.sha256())
    }

    fn find(&self, told: Told<'_, FunctionGroups>, _: &Price) -> Result<FoundGroups, PointStudyError> {
        let Told { space, inner, value } = told;
        let others = 1..self.groups.names().len();
        let maps: Vec<DifferenceMap> =
            others.filter_map(|second| inner.difference(value, 0, second)).collect();
        let band = |map: &DifferenceMap| match space.entries() {
            None => Some(map.band.clone()),
            Some(entries) => inner.band_of(map, entries),
        };
        let bands: Vec<Band> = maps.iter().filter_map(band).collect();
        let numbers = maps.iter().zip(&bands).enumerate();
        let means = inner.means(value).unwrap_or_default();
        Ok(FoundGroups {
            groups: differences::sizes(&self.groups),
            test: differences::test(&self.groups, &inner, value),
            map: numbers.map(|(place, both)| self.difference(&*space, place + 1, both)).collect(),
            small: differences::is_small(&self.groups, &inner),
            means: means.iter().map(|mean| space.point(mean)).collect(),
            differences: maps.iter().map(|map| space.displacement(&map.shrunk)).zip(bands).collect(),
            inner,
        })
    }

    fn mean(_: &FoundGroups) -> Option<&[f64]> {
        None
    }

    fn state(&self, _: &dyn TangentSpace, statement: &mut Statement) {
        differences::groups_details(&self.groups, self.want, statement);
    }

    fn describe(&self, space: &dyn TangentSpace, found: &FoundGroups, statement: &mut Statement) {
        let terms = space.terms();
        let compared = (&self.groups, &*found.inner);
        let of = (terms.displacements, terms.numbers);
        differences::found_details(compared, &found.map, found.test.as_ref(), of, statement);
    }

    fn title(&self, _: &dyn TangentSpace) -> [&'static str; 2] {
        ["Private comparison", "groups"]
    }

    fn write(
        &self,
        space: &dyn TangentSpace,
        found: &FoundGroups,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        for (name, mean) in self.groups.names().iter().zip(&found.means) {
            write_arrays(folder, &format!("mean_{name}.npy"), &[], space, [mean])?;
        }
        if !found.differences.is_empty() {
            let before = self.before();
            let shrunk = found.differences.iter().map(|(shrunk, _)| shrunk);
            write_arrays(folder, DIFFERENCE, &before, space, shrunk)?;
            let unshrunk: Vec<Vec<f64>> =
                found.differences.iter().map(|(_, band)| space.numbers(&band.centre)).collect();
            write_arrays(folder, DIFFERENCE_UNSHRUNK, &before, space, &unshrunk)?;
            let bands = found.differences.iter().map(|(_, band)| band);
            write_bands(folder, &before, space, bands)?;
        }
        if let Some(test) = &found.test {
            let text = serde_json::to_string_pretty(test)
                .map_err(|_| PointStudyError::Mechanism(MechanismError::Shape("a test has no number")))?;
            folder.write(TEST, text.as_bytes())?;
        }
        Ok(())
    }

    fn section(
        &self,
        space: &dyn TangentSpace,
        found: &FoundGroups,
        page: &mut Page,
    ) -> Result<(), PointStudyError> {
        differences::test_section(page, found.test.as_ref());
        if found.means.len() > 1 {
            page.heading("Where they differ");
            let named: Vec<(&str, Vec<f64>)> =
                self.groups.names().iter().map(String::as_str).zip(found.means.iter().cloned()).collect();
            for row in space.means_figures(&named)? {
                page.figures(&row);
            }
            differences::differences_table(page, &found.map, space.terms().places);
            let means = named.iter().map(|(name, mean)| (format!("mean of {name}"), mean));
            let differences = found.map.iter().zip(&found.differences);
            let differences =
                differences.map(|(d, (shrunk, _))| (format!("{} minus {}", d.second, d.first), shrunk));
            numbers_table(page, space, means.chain(differences));
        }
        Ok(())
    }
}
