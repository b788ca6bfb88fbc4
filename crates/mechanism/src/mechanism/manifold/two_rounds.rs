//! The mean of points of a flat space in two rounds.

use super::{NoisedPoint, PublicBall};
use crate::function::Basis;
use crate::manifold::Manifold;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{Aim, Reach, TwoRoundMean};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Drawn, Mechanism, Mu, Price};
use visard_base::parallel;

/// The mean is expected this far from the ball's centre, as a share of its radius: for shrinkage only.
const EXPECTED: f64 = 0.5;

/// The mean in two rounds ([`TwoRoundMean`]) of the records' vectors at the centre of a public ball.
///
/// # Proof of μ-GDP
/// A record becomes its vector by itself, by a public map; [`TwoRoundMean`] is μ-GDP for any vectors. The point is made from its release alone.
/// No other noise is drawn and nothing else is looked at, so the worst case is that of [`TwoRoundMean`].
#[derive(Debug)]
pub struct TwoRoundPoints<M: Manifold> {
    ball: PublicBall<M>,
    mean: TwoRoundMean,
    price: Price,
}

impl<M: Manifold> TwoRoundPoints<M> {
    /// Of n records at budget μ. The ball may be far larger than the records' spread: a private radius about a private centre takes its place.
    ///
    /// # Errors
    /// [`MechanismError::NotHere`] for a curved space, where a mean of vectors depends on where they are seen from; n = 0; a radius out of range.
    pub fn new(ball: PublicBall<M>, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        let curvature = ball.manifold().curvature();
        if (curvature.lower, curvature.upper) != (0.0, 0.0) {
            return Err(MechanismError::NotHere {
                mechanism: "two-rounds",
                space: "anything but log-Euclidean matrices",
                remedy: "choose tangent-gaussian",
            });
        }
        let (d, radius) = (ball.manifold().dim(), ball.radius().get());
        let reach = Reach::RootMeanSquare(radius);
        let mean = TwoRoundMean::aiming(Aim::Far, Basis::of_coordinates(d), vec![0.0; d], reach, mu, n)?
            .expecting_centre_within(EXPECTED * radius);
        let mut price = mean.price().clone();
        price.statistic = format!("of points as vectors at the ball's centre: {}", price.statistic);
        Ok(Self { ball, mean, price })
    }
}

impl<M: Manifold> Mechanism for TwoRoundPoints<M> {
    type Records = [Option<M::Point>];
    /// The records' vectors: secret.
    type Prepared<'a>
        = Vec<Option<Vec<f64>>>
    where
        Self: 'a;
    type Value = NoisedPoint<M::Point>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &[Option<M::Point>]) -> Result<Vec<Option<Vec<f64>>>, MechanismError> {
        let (manifold, centre) = (self.ball.manifold(), self.ball.centre());
        let vector = |i: usize| {
            let v = manifold.log(centre, records[i].as_ref()?).ok()?;
            Some(manifold.coordinates(centre, &v))
        };
        let vectors = parallel::map(records.len(), vector);
        // What can fail for want of data fails here, not after the charge.
        self.mean.prepare(&vectors)?;
        Ok(vectors)
    }

    fn draw(
        &self,
        vectors: &Vec<Option<Vec<f64>>>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedPoint<M::Point>>, MechanismError> {
        let Drawn { value, mut parts } = self.mean.draw(&self.mean.prepare(vectors)?, noise, paid)?;
        if let Some(last) = parts.last_mut() {
            last.expected_error = Some(value.mean_square_error(1).sqrt());
        }
        let (manifold, centre) = (self.ball.manifold(), self.ball.centre());
        let point = manifold.exp(centre, &manifold.from_coordinates(centre, &value.samples));
        Ok(Drawn { value: NoisedPoint { point, noised: value.coordinates }, parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{Euclidean, Sphere};
    use crate::privacy::{ClipRadius, ClipSource, Ledger, release};
    use nalgebra::DVector;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::StandardNormal;

    /// Points near one another and far from the public centre: the error is a small part of what one round about that centre has, it falls in n and
    /// in μ, and it is as stated.
    #[test]
    fn records_far_from_the_centre_are_averaged_near_themselves() {
        let (d, radius) = (6, 4.0);
        let mut last = f64::INFINITY;
        for (n, mu) in [(300, 1.0), (1000, 1.0), (1000, 3.0)] {
            let mut rng = ChaCha8Rng::seed_from_u64(5);
            let mut point = || {
                let normal = |_: usize, _: usize| 1.2 + 0.1 * rng.sample::<f64, _>(StandardNormal);
                Some(DVector::from_fn(d, normal))
            };
            let records: Vec<_> = (0..n).map(|_| point()).collect();
            let truth = records.iter().flatten().sum::<DVector<f64>>() / n as f64;
            let clip = ClipRadius::new(radius, ClipSource::Public).unwrap();
            let ball = PublicBall::new(Euclidean::new(d), DVector::zeros(d), clip).unwrap();
            let mean = TwoRoundPoints::new(ball, n, Mu::new(mu).unwrap()).unwrap();
            let (mut square, mut stated) = (0.0, 0.0);
            for seed in 0..20 {
                let mut noise = NoiseSource::seeded(seed);
                let found = release(&mean, &records, &mut Ledger::in_memory(None), &mut noise).unwrap();
                square += (&found.value.point - &truth).norm_squared() / 20.0;
                stated += found.noise().unwrap().expected_error.unwrap().powi(2) / 20.0;
            }
            let one_round = d as f64 * (2.0 * radius / (n as f64 * mu)).powi(2);
            assert!(square < one_round / 15.0 && square < last, "{n} {mu}: {square} {one_round} {last}");
            assert!((0.6..1.4).contains(&(stated / square)), "{n} {mu}: {stated} {square}");
            last = square;
        }
    }

    #[test]
    fn curved_spaces_are_refused() {
        let clip = ClipRadius::new(0.5, ClipSource::Public).unwrap();
        let ball = PublicBall::new(Sphere::unit(2).unwrap(), DVector::from_vec(vec![1.0, 0.0, 0.0]), clip);
        let refused = TwoRoundPoints::new(ball.unwrap(), 100, Mu::new(1.0).unwrap());
        assert!(matches!(refused, Err(MechanismError::NotHere { .. })));
    }
}
