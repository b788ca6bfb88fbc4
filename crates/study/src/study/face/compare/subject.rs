//! What a comparison is of: public settings and the mechanism.

use super::normals::normals;
use crate::estimate::Band;
use crate::function::FaceCurves;
use crate::mechanism::functional::{DifferenceMap, FunctionGroups, NoisedComparison, Want};
use crate::privacy::PrivacyLoss;
use crate::study::face::template::LoadedTemplate;
use crate::study::{Counting, Groups, Unusable};
use crate::surface::registration::Registration;
use std::sync::Arc;

/// Below this n times μ, of each of the things wanted, the radius is a public guess and little can be told.
pub const LEAST: f64 = 60.0;

/// What a comparison publishes, and how.
#[derive(Debug, Clone)]
pub(in crate::study::face) struct ComparePublication {
    pub(in crate::study::face) template: Arc<LoadedTemplate>,
    /// The template's own curves.
    pub(in crate::study::face) own: FaceCurves,
    pub(in crate::study::face) mechanism: FunctionGroups,
    pub(in crate::study::face) groups: Groups,
    pub(in crate::study::face) want: Want,
    pub(in crate::study::face) registration: Registration,
    pub(in crate::study::face) counting: Counting,
    pub(in crate::study::face) unusable: Unusable,
}

/// A map with its band along the normals.
pub(super) struct Mapped {
    pub(super) map: DifferenceMap,
    pub(super) along: Band,
}

impl ComparePublication {
    /// Every group's difference from the first.
    pub(super) fn maps(&self, released: &NoisedComparison) -> Vec<Mapped> {
        let normals = normals(&self.own);
        let one = |second| {
            let map = self.mechanism.difference(released, 0, second)?;
            Some(Mapped { along: self.mechanism.along(&map, &normals)?, map })
        };
        (1..self.groups.names().len()).filter_map(one).collect()
    }

    /// Whether the numbers of people and the budget are too small for much to be told: public.
    pub(super) fn is_small(&self) -> bool {
        let n = self.groups.labels().n() as f64;
        let small = |loss: PrivacyLoss| matches!(loss, PrivacyLoss::Gaussian(mu) if n * mu.get() < LEAST);
        self.mechanism.budgets().into_iter().flatten().any(small)
    }
}
