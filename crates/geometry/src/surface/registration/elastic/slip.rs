//! Mouths that lie a lip too high or too low. Lips are much alike: from a pose that is not good, as children's may be, one can come to lie on the other,
//! and later steps do not leave there. From the pose that was found meanwhile the fit does not go there.

use super::fit::{self, Fitted};
use super::prepared::Elastic;
use super::target::Target;
use crate::mesh::Point;

/// Nodes within this distance of the middle of the mouth are its own, nominal millimetres.
const MOUTH: f64 = 25.0;
/// A slip is looked for where the misfit of the mouth is more than this many times that of the face. Of made-up people and those of SIMPOP (seeds 17, 41, 42 of
/// the odd faces) mouths that were where they belong had at most 1.6, of ICT 2.1; two of SIMPOP's children that had slipped by 5 and 6 mm 2.9 and 3.5.
const SUSPECT: f64 = 2.2;
/// It had slipped where the misfit of the face falls below this part of what it was: with those two .57 and .48, with others .85 and more.
const BETTER: f64 = 0.8;

impl Elastic<'_> {
    /// The fit, or, where the mouth had slipped, another that begins where this one ended.
    pub(super) fn unslipped(&self, target: &Target, fitted: Fitted) -> Fitted {
        let Some(middle) = self.middle_of_mouth() else { return fitted };
        if self.misfit_of_mouth(&fitted, &middle) <= SUSPECT * fitted.last_misfit() {
            return fitted;
        }
        match fit::fit(self, target, fitted.motion) {
            Ok(again) if again.last_misfit() < BETTER * fitted.last_misfit() => self.unslipped(target, again),
            _ => fitted,
        }
    }

    /// Root-mean-square distance of the nodes of the mouth to the planes they were matched to, over those that were.
    fn misfit_of_mouth(&self, fitted: &Fitted, middle: &Point) -> f64 {
        let nodes = self.mesh.vertices().iter().zip(&fitted.gaps);
        let gaps = nodes.filter(|(p, _)| (*p - middle).norm() < MOUTH).filter_map(|(_, gap)| *gap);
        let (squares, count) = gaps.fold((0.0, 0), |(squares, count), gap| (squares + gap * gap, count + 1));
        (squares / f64::from(count.max(1))).sqrt()
    }
}
