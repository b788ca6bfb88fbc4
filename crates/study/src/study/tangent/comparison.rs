//! Groups compared, of whatever has a tangent space: a private mean of each, where they differ, and whether they do.

use super::centring::{Expected, Told};
use super::numbers::numbers_table;
use super::run::{write_arrays, write_bands};
use super::space::{Differing, TangentSpace};
use super::statistic::Statistic;
use crate::estimate::Band;
use crate::job::ReleaseFolder;
use crate::job::layout::{DIFFERENCE, DIFFERENCE_UNSHRUNK, TEST};
use crate::mechanism::functional::{DifferenceMap, FunctionGroups, Want};
use crate::mechanism::{MechanismError, UnseenShares};
use crate::privacy::{Mu, Price, Statement};
use crate::report::page::Page;
use crate::study::Groups;
use crate::study::differences::{self, GroupDifference, TestStatement};
use crate::study::points::PointStudyError;
use serde_json::json;
use std::sync::Arc;

/// Groups by their public labels.
#[derive(Debug, Clone)]
pub struct ComparisonStatistic {
    /// What is paid.
    pub budget: Mu,
    /// Who is in which group.
    pub groups: Groups,
    /// A test, a map, or both.
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
    /// Of all records, and of each group's.
    unseen: Option<(UnseenShares, Vec<f64>)>,
    /// Every group's mean, as an array.
    pub(super) means: Vec<Vec<f64>>,
    pub(super) differences: Vec<Mapped>,
}

/// Where a group's mean differs from that of the first.
#[derive(Debug, Clone)]
pub(super) struct Mapped {
    /// The shrunk difference, as an array.
    pub(super) shrunk: Vec<f64>,
    /// A band of the entries, about the unshrunk one.
    pub(super) band: Band,
    /// How far it stands out of its band, place by place.
    standing: Vec<f64>,
}

impl ComparisonStatistic {
    /// The axes that count differences: none for two groups.
    fn before(&self) -> Vec<usize> {
        let others = self.groups.names().len() - 1;
        if others > 1 { vec![others] } else { Vec::new() }
    }

    fn map_section(
        &self,
        space: &dyn TangentSpace,
        found: &FoundGroups,
        page: &mut Page,
    ) -> Result<(), PointStudyError> {
        page.heading("The groups' means");
        let names = self.groups.names();
        let named: Vec<(&str, Vec<f64>)> =
            names.iter().map(String::as_str).zip(found.means.iter().cloned()).collect();
        for row in space.means_figures(&named)? {
            page.figures(&row);
        }
        page.heading("Where they differ");
        let minus = |one: &GroupDifference| format!("{} minus {}", one.second, one.first);
        for ((one, mapped), mean) in found.map.iter().zip(&found.differences).zip(&found.means) {
            let (by, standing, caption) = (&mapped.shrunk, &mapped.standing, &minus(one));
            for row in space.difference_figures(&Differing { mean, by, standing, caption })? {
                page.wide_figures(&row);
            }
            page.paragraph(&differences::difference_sentence(one, space));
        }
        page.paragraph(&differences::map_note(&found.inner, space));
        let means = named.iter().map(|(name, mean)| (format!("mean of {name}"), mean));
        let shown = found.map.iter().map(minus).zip(found.differences.iter().map(|one| &one.shrunk));
        numbers_table(page, space, means.chain(shown));
        Ok(())
    }

    /// In numbers, where the map of the group `second` has this size and error.
    fn difference(
        &self,
        space: &dyn TangentSpace,
        (second, map): (usize, &DifferenceMap),
        Mapped { band, standing, .. }: &Mapped,
    ) -> GroupDifference {
        let names = self.groups.names();
        let [mean_half_width, largest_half_width] = space.half_widths(band);
        let outside = standing.iter().filter(|excess| **excess > 0.0).count();
        GroupDifference {
            first: names[0].clone(),
            second: names[second].clone(),
            size: space.size(&map.shrunk),
            error: map.error.sqrt(),
            reach_in_standard_errors: band.reach,
            mean_half_width,
            largest_half_width,
            share_outside: outside as f64 / standing.len() as f64,
        }
    }
}

impl Statistic for ComparisonStatistic {
    type Inner = FunctionGroups;
    type Found = FoundGroups;

    const NAME: &'static str = "compare";
    const OF: &'static str = "means of groups";

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
        let one = |second: usize| {
            let map = inner.difference(value, 0, second)?;
            let band = match space.entries() {
                None => map.band.clone(),
                Some(entries) => inner.band_of(&map, entries)?,
            };
            let standing = space.standing_out(&inner, &map, &band);
            let mapped = Mapped { shrunk: space.displacement(&map.shrunk), band, standing };
            Some((self.difference(&*space, (second, &map), &mapped), mapped))
        };
        let (map, differences) = (1..self.groups.names().len()).filter_map(one).unzip();
        let means = inner.means(value).unwrap_or_default();
        Ok(FoundGroups {
            groups: differences::sizes(&self.groups),
            test: differences::test(&self.groups, &inner, value),
            map,
            small: differences::is_small(&self.groups, &inner),
            means: means.iter().map(|mean| space.point(mean)).collect(),
            differences,
            unseen: inner.unseen(value),
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
        let compared = (&self.groups, &*found.inner);
        if let Some((shares, unusable)) = &found.unseen {
            let (name, mut detail) = shares.detail();
            let each =
                found.groups.iter().map(|(label, _)| label.clone()).zip(unusable.iter().map(|u| json!(u)));
            detail["unusable_by_group"] = each.collect::<serde_json::Map<_, _>>().into();
            statement.details.insert(name, detail);
        }
        differences::found_details(compared, &found.map, found.test.as_ref(), space, statement);
    }

    fn title(&self, space: &dyn TangentSpace) -> [String; 2] {
        let groups: Vec<String> =
            differences::sizes(&self.groups).iter().map(|(label, n)| format!("{label}: {n}")).collect();
        let what = format!("comparison of the means of {} groups ({})", groups.len(), groups.join(", "));
        [format!("Private comparison of {}", space.words().records), what]
    }

    fn write(
        &self,
        space: &dyn TangentSpace,
        found: &FoundGroups,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        for (name, mean) in self.groups.names().iter().zip(&found.means) {
            space.write_group(folder, name, mean)?;
        }
        if !found.differences.is_empty() {
            let before = self.before();
            let all = || found.differences.iter();
            write_arrays(folder, DIFFERENCE, &before, space, all().map(|one| &one.shrunk))?;
            let unshrunk: Vec<Vec<f64>> = all().map(|one| space.numbers(&one.band.centre)).collect();
            write_arrays(folder, DIFFERENCE_UNSHRUNK, &before, space, &unshrunk)?;
            write_bands(folder, &before, space, all().map(|one| &one.band))?;
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
        if found.small {
            page.paragraph(
                "These are few records for this budget: the radius is a public guess, and differences of ordinary size cannot be distinguished \
                 from noise.",
            );
        }
        if let Some(test) = &found.test {
            differences::test_section(page, test, space);
        }
        if !found.means.is_empty() {
            self.map_section(space, found, page)?;
        }
        page.paragraph(
            "Which record is in which group is taken to be public, and so are the groups' sizes: what is protected is each record, not that it \
             is in the group.",
        );
        Ok(())
    }
}
