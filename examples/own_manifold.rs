//! Your own manifold: say what geodesics and distances are, have the laws of geometry checked, and every mechanism works on it.
//!
//! Lengths of bones, several for each person: a person 10 % larger everywhere is as far from the mean as one 10 % smaller, so what counts is
//! the logarithm of each length. `cargo run --release --example own_manifold`

use rand::{Rng, SeedableRng};
use std::error::Error;
use visard::manifold::laws::{Promise, check};
use visard::manifold::{CurvatureBounds, Manifold, ManifoldError, fill_standard_normal};
use visard::mechanism::manifold::{PublicBall, TangentMean};
use visard::nalgebra::{DVector, dvector};
use visard::prelude::*;
use visard::stats::{FrechetOptions, frechet_mean};

/// Vectors of d positive lengths, with d(p, q)² = Σ ln²(qᵢ/pᵢ): flat, in the logarithms.
#[derive(Debug, Clone)]
struct Lengths {
    d: usize,
}

impl Manifold for Lengths {
    type Point = DVector<f64>;
    type Tangent = DVector<f64>;

    fn dim(&self) -> usize {
        self.d
    }

    fn check(&self, p: &DVector<f64>) -> Result<(), ManifoldError> {
        if p.len() != self.d {
            return Err(ManifoldError::WrongSize { manifold: "lengths", expected: self.d, found: p.len() });
        }
        if p.iter().all(|x| *x > 0.0 && x.is_finite()) {
            return Ok(());
        }
        Err(ManifoldError::OffManifold {
            manifold: "lengths",
            constraint: "has a length that is not positive",
            remedy: "measure it again or remove the record",
        })
    }

    fn exp(&self, p: &DVector<f64>, v: &DVector<f64>) -> DVector<f64> {
        p.zip_map(v, |p, v| p * (v / p).exp())
    }

    fn log(&self, p: &DVector<f64>, q: &DVector<f64>) -> Result<DVector<f64>, ManifoldError> {
        Ok(p.zip_map(q, |p, q| p * ((q - p) / p).ln_1p()))
    }

    fn dist(&self, p: &DVector<f64>, q: &DVector<f64>) -> f64 {
        p.zip_map(q, |p, q| ((q - p) / p).ln_1p()).norm()
    }

    fn inner(&self, p: &DVector<f64>, u: &DVector<f64>, v: &DVector<f64>) -> f64 {
        (0..self.d).map(|i| u[i] * v[i] / (p[i] * p[i])).sum()
    }

    fn transport(
        &self,
        p: &DVector<f64>,
        q: &DVector<f64>,
        v: &DVector<f64>,
    ) -> Result<DVector<f64>, ManifoldError> {
        Ok(DVector::from_fn(self.d, |i, _| v[i] * q[i] / p[i]))
    }

    fn project_tangent(&self, _p: &DVector<f64>, ambient: &DVector<f64>) -> DVector<f64> {
        ambient.clone()
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds::constant(0.0)
    }

    fn injectivity_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn random_point<R: Rng + ?Sized>(&self, rng: &mut R) -> DVector<f64> {
        let one = DVector::repeat(self.d, 1.0);
        self.exp(&one, &self.tangent_gaussian(&one, 1.0, rng))
    }

    fn tangent_gaussian<R: Rng + ?Sized>(&self, p: &DVector<f64>, sigma: f64, rng: &mut R) -> DVector<f64> {
        let mut normal = vec![0.0; self.d];
        fill_standard_normal(rng, &mut normal);
        DVector::from_fn(self.d, |i, _| sigma * p[i] * normal[i])
    }

    fn zero(&self, _p: &DVector<f64>) -> DVector<f64> {
        DVector::zeros(self.d)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let space = Lengths { d: 3 };
    check(&space, &mut |rng| space.random_point(rng), &Promise::new(3.0, 1e-12))?;

    // Four hundred people about (46, 33, 25) cm, thigh, shin and foot; here made up.
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let typical = dvector![46.0, 33.0, 25.0];
    let people: Vec<DVector<f64>> =
        (0..400).map(|_| space.exp(&typical, &space.tangent_gaussian(&typical, 0.06, &mut rng))).collect();

    // Known before anyone was measured: lengths lie within a factor of about 1.6 of textbook ones.
    let ball = PublicBall::new(
        space.clone(),
        dvector![45.0, 35.0, 25.0],
        ClipRadius::new(0.5, ClipSource::Public)?,
    )?;
    let records: Vec<Option<DVector<f64>>> = people.iter().cloned().map(Some).collect();
    let mechanism = TangentMean::gaussian(ball, records.len() as u64, Mu::new(1.0)?)?;
    let released =
        release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
    let mean = frechet_mean(&space, &people, None, None, FrechetOptions::default())?.point;
    println!("private mean, in cm:{:.1}", released.value.point.transpose());
    println!("{:.4} from the mean without noise", space.dist(&mean, &released.value.point));
    println!("{}", visard::privacy::explain(&released.statement().certify()?));
    assert!(space.dist(&mean, &released.value.point) < 0.05);
    Ok(())
}
