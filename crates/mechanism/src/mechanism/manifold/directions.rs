//! Directions on S² that tests of noise share: everything is in closed form.

use super::{NoisedPoint, PublicBall};
use crate::manifold::{Manifold, Sphere};
use crate::mechanism::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Ledger, Mechanism, ScaleCheck, pay};
use nalgebra::{DVector, dvector};

pub(super) type Records = Vec<Option<DVector<f64>>>;

/// The ball of this radius about the north pole.
pub(super) fn ball(radius: f64) -> Result<PublicBall<Sphere>, MechanismError> {
    let radius = ClipRadius::new(radius, ClipSource::Public)?;
    PublicBall::new(Sphere::unit(2)?, dvector![0.0, 0.0, 1.0], radius)
}

/// Distances of draws from the pole, where all records are, beside the mean of the density `law`(t) sin t on [0, `end`].
pub(super) fn distances<K>(
    mechanism: &K,
    n: u64,
    draws: usize,
    seed: u64,
    end: f64,
    law: impl Fn(f64) -> f64,
) -> Result<ScaleCheck, Box<dyn std::error::Error>>
where
    K: Mechanism<Records = [Option<DVector<f64>>], Value = NoisedPoint<DVector<f64>>, Error = MechanismError>,
{
    let pole = dvector![0.0, 0.0, 1.0];
    let records: Records = vec![Some(pole.clone()); n as usize];
    let sphere = Sphere::unit(2)?;
    let (mut noise, mut distances) = (NoiseSource::seeded(seed), Vec::with_capacity(draws));
    let prepared = mechanism.prepare(&records[..])?;
    for _ in 0..draws {
        let paid = pay(mechanism.price(), &mut Ledger::in_memory(None))?;
        let drawn = mechanism.draw(&prepared, &mut noise, paid)?;
        distances.push(sphere.dist(&pole, &drawn.value.point));
    }
    let steps = 200_000;
    let mut moments = [0.0; 3];
    for i in 0..steps {
        let t = end * (f64::from(i) + 0.5) / f64::from(steps);
        let weight = law(t) * t.sin();
        moments.iter_mut().enumerate().for_each(|(k, m)| *m += weight * t.powi(k as i32));
    }
    let mean = moments[1] / moments[0];
    Ok(ScaleCheck::of(&distances, mean, moments[2] / moments[0] - mean * mean, 1.0))
}
