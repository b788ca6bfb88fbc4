//! What a private mean surface can be expected to be like, before any scan is read.

use super::inputs::SurfaceInputs;
use super::records::space_about;
use super::space::{SurfaceSpace, usual_spectrum};
use super::template::PublicTemplate;
use crate::study::points::PointStudyError;
use crate::study::points::plan::{Guess, PointForecast, PointPlan};
use crate::study::tangent::{TangentSpace, plan_means};

/// What is to be planned, by its template; all of it public.
#[derive(Debug)]
pub struct SurfacePlan(SurfaceSpace);

impl SurfacePlan {
    /// Reads the template, and the prior where there is one. Scans are left out.
    ///
    /// # Errors
    /// [`PointStudyError`]: a file that is no template, a prior that is none, a radius that is none.
    pub fn open(inputs: &SurfaceInputs) -> Result<Self, PointStudyError> {
        inputs.check()?;
        let loaded = PublicTemplate::read(&inputs.template)?;
        Ok(Self(space_about(inputs, &loaded)?.0))
    }

    /// How far records may lie from the template, or the prior's mean, root mean square over its area, in its units.
    pub fn radius(&self) -> f64 {
        self.0.radius()
    }

    /// How surfaces lie where nothing is said: a quarter of the radius from their mean, as the stated errors of means take it, and their mean a
    /// tenth of it from the template; made-up organs have .19 to .26 and .08 to .10. With a prior, as the prior's surfaces differ, and half as far
    /// from its mean.
    pub fn guess(&self) -> Guess {
        let usual = Guess { spread: self.0.usual_spread(), distance: 0.1 * self.radius() };
        self.0.known().map_or(usual, |known| Guess {
            spread: known.spread().unwrap_or(usual.spread),
            distance: 0.5 * usual.distance,
        })
    }

    /// Of means, for every n and every budget, in units of the template: of made-up surfaces that differ by the public spectrum of the harmonics, but
    /// for their position, which registration takes out; or as those of a prior do.
    ///
    /// # Errors
    /// [`PointStudyError`], about public numbers.
    pub fn means(&self, plan: &PointPlan) -> Result<Vec<PointForecast>, PointStudyError> {
        plan_means(&self.0, &usual_spectrum, plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::write_ply;
    use crate::privacy::{Mu, PrivacyLoss};
    use crate::study::Place;
    use visard_geometry::synth::OrganKind;

    #[test]
    fn more_people_and_more_budget_mean_less_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.ply");
        write_ply(&file, OrganKind::Hippocampus.template()).unwrap();
        let inputs = SurfaceInputs::new(Vec::new(), &file, Place::new("."));
        let plan = SurfacePlan::open(&inputs).unwrap();
        let budgets = [0.3, 3.0].map(|mu| PrivacyLoss::Gaussian(Mu::new(mu).unwrap())).to_vec();
        let guess = plan.guess();
        let asked = PointPlan { sizes: vec![60, 600], budgets, mechanism: None, guess };
        let found = plan.means(&asked).unwrap();
        let errors: Vec<f64> = found.iter().filter_map(|row| row.error).collect();
        assert!(errors[0] > errors[1] && errors[0] > errors[2] && errors[2] > 2.0 * errors[3], "{errors:?}");
        assert!((found[3].template_error / guess.distance - 1.0).abs() < 0.2, "{found:?}");
        assert!(!found[0].is_worth_it() && found[3].is_worth_it());
        let prior = folder.path().join("prior.npy");
        let own: Vec<f64> =
            OrganKind::Hippocampus.template().vertices().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        // Thirty of them, moved up and down by 1.
        let moved = |i: usize| {
            let z = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
            own.chunks_exact(3).flat_map(move |p| [p[0], p[1], p[2] + z])
        };
        let surfaces: Vec<f64> = (0..30).flat_map(moved).collect();
        crate::io::write_npy(&prior, &[30, own.len() / 3, 3], &surfaces).unwrap();
        let inputs = SurfaceInputs { prior: Some(prior), ..inputs };
        let plan = SurfacePlan::open(&inputs).unwrap();
        let with = plan.guess();
        assert!((with.spread - (30.0f64 / 29.0).sqrt()).abs() < 1e-6, "{with:?}");
        assert_eq!(with.distance, 0.5 * guess.distance);
        let budgets = asked.budgets[..1].to_vec();
        let known =
            plan.means(&PointPlan { sizes: vec![600], budgets, guess: with, mechanism: None }).unwrap();
        // Surfaces that differ in one way only.
        assert!(known[0].error.unwrap() < 0.75 * errors[2], "{known:?} {errors:?}");
        let wrong = SurfaceInputs { radius: Some(-1.0), ..inputs };
        assert!(SurfacePlan::open(&wrong).unwrap_err().to_string().contains("radius"));
    }
}
