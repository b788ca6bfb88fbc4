//! How far what a step has found is followed by the next one.
//!
//! A displacement regularized about the template is pulled towards it, an unusual face as much as an ordinary one. Regularized about what the
//! step before found (iterated Tikhonov regularization; Engl, Hanke and Neubauer 1996, section 5.1) it is pulled the less the more steps there
//! are, but then follows noise, and differences of shape that the kernel does not know, too. So this is done by as much as the displacement stands
//! out against what is left over. A step's equations may be solved several times so: what is found anew is then the centre at once.

use super::equations::DepthPrior;
use super::fit::Posterior;
use super::settings::Following;

impl Following {
    /// The share of the last displacement about which the next step is regularized, the misfit being what it is now (working units).
    pub(super) fn share(&self, last: &Posterior, misfit: f64) -> f64 {
        let energy = last.energy();
        rise(energy, self.departure) * rise(energy / misfit.powi(2).max(f64::MIN_POSITIVE), self.signal)
    }
}

/// From 0 at the first to 1 at the second.
fn rise(value: f64, (from, to): (f64, f64)) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

impl Posterior {
    /// The step's solution, displacement, motion and depth, as the centre of the next step's prior: a share of displacement and depth (were the
    /// border's depth regularized anew, what it had yielded would be drawn from the displacement step by step), no motion; `next` is what is
    /// known of the depth at the next step.
    pub(super) fn centre(&self, share: f64, next: &DepthPrior) -> nalgebra::DVector<f64> {
        let mut centre = &self.solution * share;
        let (motion, depth) = centre.as_mut_slice()[self.displacement()..].split_at_mut(7);
        motion.fill(0.0);
        depth.iter_mut().enumerate().for_each(|(k, c)| *c *= self.depth.scale(k) / next.scale(k));
        centre
    }
}
