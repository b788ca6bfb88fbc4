//! Private means of made-up people at any budget: to feel what μ means without spending anyone's privacy.

use crate::error::ViewerError;
use crate::subject::{Shape, Subject};
use crate::template::template;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use visard::function::FaceCurves;
use visard::mesh::TriMesh;
use visard::privacy::noise::NoiseSource;
use visard::privacy::{Ledger, Mu, release};
use visard::study::face::{ClipChoice, FaceMechanism, mean};
use visard::study::standing::Standing;
use visard::synth::{FaceParameters, builtin_template};

/// How many people the population has.
pub const PEOPLE: usize = 200;
const CURVES: usize = 23;
const SAMPLES: usize = 80;

/// The curves of made-up people, known exactly: no scanning, no registration.
pub struct MadeUpPeople {
    own: FaceCurves,
    records: Vec<Option<FaceCurves>>,
}

impl MadeUpPeople {
    /// The same people every time, whose mean is as far from the template as that of real ones.
    ///
    /// # Errors
    /// [`ViewerError`]; not met in practice.
    pub fn new(people: usize) -> Result<Self, ViewerError> {
        let template = template()?;
        let own = template.own_curves(CURVES, SAMPLES)?;
        let (mean, mut rng) = (FaceParameters::elsewhere(), ChaCha20Rng::seed_from_u64(7));
        let records = (0..people)
            .map(|_| {
                let face = FaceParameters::sample_about(&mean, &mut rng).vertices();
                template.curves_of(&face, CURVES, SAMPLES).ok()
            })
            .collect();
        Ok(Self { own, records })
    }

    /// How many people there are.
    pub fn people(&self) -> usize {
        self.records.len()
    }

    /// A draw of the default mechanism at this μ; the same for the same `draw`.
    ///
    /// # Errors
    /// [`ViewerError`]: a μ the mechanism refuses.
    pub fn draw(&self, mu: f64, draw: u64) -> Result<Subject, ViewerError> {
        let template = template()?;
        let mu = Mu::new(mu)?;
        let n = self.records.len() as u64;
        let mechanism = mean::mechanism(FaceMechanism::Joint, &self.own, n, ClipChoice::Default, mu)?
            .ok_or(ViewerError::NoMechanism)?;
        let (mut ledger, mut noise) = (Ledger::in_memory(None), NoiseSource::seeded(draw));
        let released = release(&mechanism, &self.records, &mut ledger, &mut noise)?;
        let curves = FaceCurves::new(self.own.curves(), self.own.samples(), released.value.samples)?;
        let mesh = template.face_through(&curves)?;
        let name = format!("synthetic people, n = {}, {mu}", self.people());
        Ok(Subject { curves: curves_in_space(&curves), ..public(name, mesh) })
    }
}

fn curves_in_space(curves: &FaceCurves) -> Vec<Vec<visard::mesh::Point>> {
    let points = |c: &[f64]| c.chunks_exact(3).map(|p| visard::mesh::Point::new(p[0], p[1], p[2])).collect();
    curves.data().chunks(3 * curves.samples()).map(points).collect()
}

fn public(name: String, mesh: TriMesh) -> Subject {
    Subject::new(name.clone(), name, Standing::Public, Shape::Surface(mesh))
}

/// The built-in template face.
pub fn template_subject() -> Subject {
    public("built-in template".to_owned(), builtin_template().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertices(subject: &Subject) -> Vec<visard::mesh::Point> {
        subject.shape.points()
    }

    #[test]
    fn less_budget_moves_the_face_more_and_draws_repeat() {
        let people = MadeUpPeople::new(30).unwrap();
        let at = |mu, draw| vertices(&people.draw(mu, draw).unwrap());
        let distance = |a: &[visard::mesh::Point], b: &[visard::mesh::Point]| {
            (a.iter().zip(b).map(|(p, q)| (p - q).norm_squared()).sum::<f64>() / a.len() as f64).sqrt()
        };
        assert_eq!(at(1.0, 5), at(1.0, 5));
        // Not the distance between draws: at small budgets shrinkage brings them all to the template.
        let mean = at(1000.0, 1);
        let (near, far) = (distance(&at(50.0, 1), &mean), distance(&at(1.0, 1), &mean));
        assert!(far > 3.0 * near, "{near} {far}");
        assert!(people.draw(f64::NAN, 1).is_err() && people.draw(-1.0, 1).is_err());
    }
}
