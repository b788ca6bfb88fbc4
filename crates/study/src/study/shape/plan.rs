//! What private statistics of shapes can be expected to show, before any record is read.

use super::centring::{modes_mechanism, regression_mechanism};
use super::mean::mean_mechanism;
use crate::estimate::prior::spectrum;
use crate::estimate::{Design, design};
use crate::manifold::LandmarkShapes;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionGroups, OfSamples, Want};
use crate::mechanism::landmarks::{
    Centre, Expected, RADIUS, ReleasedShapes, ShapeMechanism, ShapeRecords, ShapeSetting, Tangent, anywhere,
};
use crate::mechanism::vector::GroupLabels;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, Mechanism, Mu, PrivacyLoss, draw, pay};
use crate::study::JobError;
use crate::study::face::modes::Explained;
use crate::study::points::PointStudyError;
use crate::study::points::plan::{Guess, PointForecast, PointPlan};
use crate::study::tangent::MODES_WORTHWHILE;
use nalgebra::DMatrix;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::Serialize;
use std::sync::Arc;

/// Releases that are averaged.
const DRAWS: u64 = 4;
/// Made-up shapes at most; more records repeat them.
const SHAPES: usize = 1500;
const SEED: u64 = 0x51a9;
/// Size of a field whose recovery is planned for, Riemannian distance from the middle of a covariate's bounds to the upper one.
pub const FIELD: f64 = 0.03;

/// What is to be planned; all of it public.
#[derive(Debug, Clone)]
pub struct ShapePlan {
    /// How many landmarks, in how many dimensions.
    pub space: LandmarkShapes,
    /// How many closed outlines they go around, as many on each; 0 for landmarks without an order.
    pub outlines: usize,
    /// Whether the centre is public.
    pub public: bool,
    /// How far shapes may lie from it; by default [`RADIUS`].
    pub radius: Option<f64>,
    /// How records are taken to lie.
    pub guess: Guess,
}

/// What to expect of a mean: root-mean-square Riemannian distances.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanForecast {
    /// Of the release from the mean without noise.
    pub error: f64,
    /// Of the centre (public, or as it was found) from it.
    pub template_error: f64,
}

/// What to expect of modes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ModesForecast {
    /// How many stand out of the noise.
    pub visible: f64,
    /// What the private ones explain relative to as many without privacy.
    pub explained: f64,
    /// Whether private modes will be better than the public spectrum's own.
    pub worth: bool,
}

/// What to expect of a comparison of two groups of n/2.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct CompareForecast {
    /// How likely differences of these sizes (Riemannian distance) are found at 5 %.
    pub power: Vec<(f64, f64)>,
    /// Half the width of the band, in units of the centroid size.
    pub band: f64,
}

impl ShapePlan {
    fn setting(&self, n: u64, mu: Mu) -> ShapeSetting {
        let centre = if self.public { Centre::Public(anywhere(&self.space)) } else { Centre::Private };
        let radius = self.radius.unwrap_or(RADIUS);
        ShapeSetting { space: self.space, centre, outlines: self.outlines, radius, n, mu }
    }

    /// Shapes whose deviations from their mean have the public spectrum; the same ones for every budget.
    fn people(&self, n: u64) -> Result<ShapeRecords, MechanismError> {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let mut off = |tangent: &Tangent, size: f64| {
            let basis = tangent.basis();
            let lambdas: Vec<f64> = (0..basis.len()).map(|j| spectrum(&basis.place(j))).collect();
            let scale = size / lambdas.iter().sum::<f64>().sqrt();
            let x: Vec<f64> = lambdas.iter().map(|lambda| scale * lambda.sqrt() * normal()).collect();
            tangent.vector(&basis.synthesize(&x))
        };
        let centre = Tangent::new(self.space, anywhere(&self.space), self.outlines)?;
        let away = off(&centre, 1.0);
        let mean = self.space.exp(centre.centre(), &(&away * (self.guess.distance / away.norm())));
        let about = Tangent::new(self.space, mean, self.outlines)?;
        let count = (n as usize).min(SHAPES);
        let some: Vec<DMatrix<f64>> =
            (0..count).map(|_| self.space.exp(about.centre(), &off(&about, self.guess.spread))).collect();
        Ok(ShapeRecords::of((0..n as usize).map(|i| Some(some[i % count.max(1)].clone())).collect()))
    }

    /// Of means, for every n and every budget, as for single mechanisms.
    ///
    /// # Errors
    /// [`PointStudyError`], about public numbers.
    pub fn means(&self, plan: &PointPlan) -> Result<Vec<PointForecast>, PointStudyError> {
        let mut rows = Vec::new();
        for &n in &plan.sizes {
            for &loss in &plan.budgets {
                let mu = gaussian(loss).ok_or(MechanismError::NeedsDelta)?;
                let MeanForecast { error, template_error } = self.mean(n, mu)?;
                let sampling_error = self.guess.spread / (n as f64).sqrt();
                rows.push(PointForecast {
                    n,
                    loss,
                    error: Some(error),
                    refused: None,
                    template_error,
                    sampling_error,
                });
            }
        }
        Ok(rows)
    }

    /// Of the mean of n shapes.
    ///
    /// # Errors
    /// [`PointStudyError`], about public numbers.
    pub fn mean(&self, n: u64, mu: Mu) -> Result<MeanForecast, PointStudyError> {
        let records = self.people(n)?;
        let own = self.own(&records)?;
        let mechanism = mean_mechanism(&self.setting(n, mu), false)?;
        let (mut square, mut centre) = (0.0, 0.0);
        for seed in 0..DRAWS {
            let released = drawn(&mechanism, &records, seed)?;
            let (tangent, _) = mechanism.about(&released.centre)?;
            square += self.space.dist(&tangent.shape(&released.value.samples), &own).powi(2);
            centre += self.space.dist(tangent.centre(), &own).powi(2);
        }
        let root = |sum: f64| (sum / DRAWS as f64).sqrt();
        Ok(MeanForecast { error: root(square), template_error: root(centre) })
    }

    /// Of at most `asked` modes of n shapes.
    ///
    /// # Errors
    /// [`PointStudyError`], about public numbers.
    pub fn modes(&self, n: u64, mu: Mu, asked: usize) -> Result<ModesForecast, PointStudyError> {
        let records = self.people(n)?;
        let mechanism = modes_mechanism(&self.setting(n, mu))?;
        let (mut visible, mut explained) = (0.0, 0.0);
        for seed in 0..DRAWS {
            let released = drawn(&mechanism, &records, seed)?;
            let (tangent, modes) = mechanism.about(&released.centre)?;
            let found = modes.modes(&released.value, asked).ok_or_else(nobody)?;
            let rows: Vec<Vec<f64>> =
                records.people.iter().take(SHAPES).filter_map(|own| tangent.function(own)).collect();
            let judged = Explained::by(&rows).ok_or_else(nobody)?;
            let own: Vec<Vec<f64>> = judged.leading(asked).into_iter().map(|(_, mode)| mode).collect();
            let fields: Vec<Vec<f64>> =
                found.modes.iter().map(|mode| modes.coordinates().displacement(&mode.coordinates)).collect();
            visible += found.visible as f64 / DRAWS as f64;
            explained += judged.variance(&fields) / judged.variance(&own) / DRAWS as f64;
        }
        let worth = n as f64 * mu.get() >= MODES_WORTHWHILE && explained >= 0.5;
        Ok(ModesForecast { visible, explained, worth })
    }

    /// The error of a field of size [`FIELD`] of each of so many covariates, relative to saying nothing.
    ///
    /// # Errors
    /// [`PointStudyError`]: too many covariates for n and μ among them.
    pub fn regression(&self, n: u64, mu: Mu, covariates: usize) -> Result<f64, PointStudyError> {
        let items = (1..=covariates).map(|i| design::Covariate {
            name: format!("x{i}"),
            kind: design::Kind::Linear { lower: -1.0, upper: 1.0 },
        });
        let design = Design::new(items.collect()).map_err(|e| PointStudyError::Input(e.to_string()))?;
        let mut records = self.people(n)?;
        let own = self.own(&records)?;
        let tangent = Tangent::new(self.space, own.clone(), self.outlines)?;
        // The first one follows a field of the public spectrum's smoothest kind; the others nothing.
        let wave = self.space.project(&own, &anywhere(&self.space).map(|x| x * x));
        let field = &wave * (FIELD / wave.norm().max(f64::MIN_POSITIVE));
        let value = |i: usize, c: usize| 0.7 * ((1 + i) as f64 * (1.7 + c as f64)).sin();
        for (i, person) in records.people.iter_mut().enumerate() {
            let moved =
                |z: &DMatrix<f64>| self.space.exp(&own, &(self.space.log(&own, z) + &field * value(i, 0)));
            *person = person.iter().map(moved).collect();
        }
        let row = |i: usize| design.row(&(0..covariates).map(|c| Some(value(i, c))).collect::<Vec<_>>());
        records.rows = (0..n as usize).map(row).collect();
        let mechanism = regression_mechanism(&self.setting(n, mu), design)?;
        let mut square = 0.0;
        for seed in 0..DRAWS {
            let released = drawn(&mechanism, &records, seed)?;
            let (there, regression) = mechanism.about(&released.centre)?;
            let found = regression.fields(&released.value)?;
            let slope = there.vector(&found.columns.first().ok_or_else(nobody)?.samples);
            // Fields are tangent where the release was made: turned to where this one is.
            let turned = turned_like(&self.space, &there, &tangent, &slope);
            square += (turned - &field).norm_squared() / DRAWS as f64;
        }
        Ok(square.sqrt() / FIELD)
    }

    /// Of two groups of n/2 shapes.
    ///
    /// # Errors
    /// [`PointStudyError`], about public numbers.
    pub fn compare(&self, n: u64, mu: Mu) -> Result<CompareForecast, PointStudyError> {
        let records = self.people(n)?;
        let labels = GroupLabels::new((0..n as usize).map(|i| i % 2).collect())?;
        let make = move |basis, centre: Vec<f64>, Expected { scale, .. }, mu| {
            FunctionGroups::new(Want::Both, &basis, &centre, labels.clone(), scale, mu)
        };
        let mechanism = ShapeMechanism::new(&self.setting(n, mu), Arc::new(make))?;
        let mut forecast = CompareForecast { power: Vec::new(), band: 0.0 };
        for seed in 0..DRAWS {
            let released = drawn(&mechanism, &records, seed)?;
            let (tangent, groups) = mechanism.about(&released.centre)?;
            let sizes = [0.6, 1.0, 1.6].map(|size| size * groups.effect());
            let power = groups.power(&released.value, (0.05, &sizes)).ok_or_else(nobody)?;
            if forecast.power.is_empty() {
                forecast.power = sizes.iter().map(|size| (*size, 0.0)).collect();
            }
            forecast.power.iter_mut().zip(power).for_each(|(sum, power)| sum.1 += power / DRAWS as f64);
            let map = groups.difference(&released.value, 0, 1).ok_or_else(nobody)?;
            let points = (tangent.basis().points() as f64).sqrt();
            forecast.band += map.band.mean_half_width() / points / DRAWS as f64;
        }
        Ok(forecast)
    }

    fn own(&self, records: &ShapeRecords) -> Result<DMatrix<f64>, PointStudyError> {
        let some: Vec<DMatrix<f64>> = records.people.iter().take(SHAPES).flatten().cloned().collect();
        self.space.mean(&some).ok_or_else(nobody)
    }
}

/// A budget as μ of a Gaussian mechanism; `None` where there is none.
pub fn gaussian(loss: PrivacyLoss) -> Option<Mu> {
    match loss {
        PrivacyLoss::Gaussian(mu) => Some(mu),
        PrivacyLoss::Approximate(epsilon, delta) => Mu::within(epsilon, delta).ok(),
        _ => None,
    }
}

fn nobody() -> PointStudyError {
    PointStudyError::Input("there is nobody to simulate".into())
}

/// A tangent vector at one centre, turned as that centre is turned onto another.
fn turned_like(space: &LandmarkShapes, from: &Tangent, to: &Tangent, v: &DMatrix<f64>) -> DMatrix<f64> {
    // A small step along v, turned: what is left of it is v, to the first order.
    let step = 1e-4;
    let moved = from.centre() + v * step;
    let (a, b) = (space.rotated(to.centre(), from.centre()), space.rotated(to.centre(), &moved));
    (b - a) / step
}

fn drawn<M: OfSamples>(
    mechanism: &ShapeMechanism<M>,
    records: &ShapeRecords,
    seed: u64,
) -> Result<ReleasedShapes<M::Value>, PointStudyError> {
    let mut noise = NoiseSource::seeded(SEED ^ seed);
    let paid = pay(mechanism.price(), &mut Ledger::in_memory(None)).map_err(JobError::from)?;
    Ok(draw(mechanism, &mechanism.prepare(records)?, &mut noise, paid)?.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(public: bool) -> ShapePlan {
        ShapePlan {
            space: LandmarkShapes::new(12, 2).unwrap(),
            outlines: 0,
            public,
            radius: None,
            guess: Guess { spread: 0.07, distance: 0.06 },
        }
    }

    #[test]
    fn more_records_show_more() {
        let mu = Mu::new(1.0).unwrap();
        for public in [true, false] {
            let plan = plan(public);
            let [few, many] = [60, 600].map(|n| {
                let modes = plan.modes(n, mu, 3).unwrap();
                (plan.mean(n, mu).unwrap(), modes, plan.compare(n, mu).unwrap())
            });
            assert!(
                few.0.error > 3.0 * many.0.error && many.0.error < many.0.template_error,
                "{few:?} {many:?}"
            );
            assert!(few.1.explained < many.1.explained && many.1.explained <= 1.001 && many.1.worth);
            assert!(few.2.power[1].1 < many.2.power[1].1 && few.2.band > many.2.band, "{few:?} {many:?}");
        }
        let plan = plan(true);
        assert!(plan.regression(20, mu, 3).is_err());
        assert!(plan.regression(3000, mu, 1).unwrap() < 0.4);
    }
}
