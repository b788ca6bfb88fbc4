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
    /// Reads the template. Scans are left out.
    ///
    /// # Errors
    /// [`PointStudyError`]: a file that is no template, a radius that is none.
    pub fn open(inputs: &SurfaceInputs) -> Result<Self, PointStudyError> {
        inputs.check()?;
        let loaded = PublicTemplate::read(&inputs.template)?;
        Ok(Self(space_about(inputs, &loaded)?))
    }

    /// How far records may lie from the template, root mean square over its area, in its units.
    pub fn radius(&self) -> f64 {
        self.0.radius()
    }

    /// How surfaces lie where nothing is said: a quarter of the radius from their mean, as the stated errors of means take it, and their mean a
    /// tenth of it from the template; made-up organs have .19 to .26 and .08 to .10.
    pub fn guess(&self) -> Guess {
        Guess { spread: self.0.usual_spread(), distance: 0.1 * self.radius() }
    }

    /// Of means, for every n and every budget, in units of the template: of made-up surfaces that differ by the public spectrum of the harmonics, but
    /// for their position, which registration takes out.
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
        let wrong = SurfaceInputs { radius: Some(-1.0), ..inputs };
        assert!(SurfacePlan::open(&wrong).unwrap_err().to_string().contains("radius"));
    }
}
