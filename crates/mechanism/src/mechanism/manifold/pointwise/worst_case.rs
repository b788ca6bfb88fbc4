//! Triangles, of which one turns into its farthest neighbour: no configuration of unit size has all the coordinates that the bound
//! allows, so part of the claim must stay unused.

use super::{ALIGNED, Alignment, PointwiseShape};
use crate::manifold::{Kendall, Manifold};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{NoisedPoint, PublicBall};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    ClipRadius, ClipSource, Entry, Epsilon, Ledger, Mechanism, Released, ScaleCheck, release,
};
use nalgebra::{Complex, DVector};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "pointwise-shape",
    title: ALIGNED,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[
    WorstCase {
        name: "pointwise-aligned",
        make: |n, p| audit(n, p, Alignment::Aligned),
        loss: |p| loss(p, Alignment::Aligned),
        runs: 100_000,
    },
    WorstCase {
        name: "pointwise-unaligned",
        make: |n, p| audit(n, p, Alignment::Unaligned),
        loss: |p| loss(p, Alignment::Unaligned),
        runs: 600_000,
    },
];

const RADIUS: f64 = 0.3;

type Preshape = DVector<Complex<f64>>;

fn mechanism(
    n: u64,
    epsilon: Epsilon,
    alignment: Alignment,
) -> Result<(PointwiseShape, Kendall, Preshape), MechanismError> {
    let shapes = Kendall::new(3)?;
    let centre = shapes.preshape(&[[1.0, 0.0], [-0.5, 0.8], [-0.5, -0.8]])?;
    let ball = PublicBall::new(shapes, centre.clone(), ClipRadius::new(RADIUS, ClipSource::Public)?)?;
    Ok((PointwiseShape::new(ball, n, epsilon, alignment)?, shapes, centre))
}

/// The two neighbouring datasets.
fn neighbours(
    shapes: &Kendall,
    centre: &Preshape,
    alignment: Alignment,
) -> Result<[Vec<Option<Preshape>>; 2], MechanismError> {
    let towards = shapes.preshape(&[[0.9, -0.4], [0.1, 0.9], [-1.0, -0.5]])?;
    let v = shapes.log(centre, &towards)?;
    let v = shapes.scale(0.5 / shapes.norm(centre, &v), &v);
    let (near, far) = match alignment {
        Alignment::Aligned => (shapes.exp(centre, &v), shapes.exp(centre, &-&v)),
        // A shape turned half round, of coordinates that are as large as they can be together.
        Alignment::Unaligned => {
            let large = shapes.preshape(&[[1.0, 1.0], [1.0, 1.0], [-2.0, -2.0]])?;
            (large.clone(), -large)
        }
    };
    Ok([near.clone(), far].map(|last| [near.clone(), near.clone(), last].map(Some).to_vec()))
}

fn audit(name: &'static str, parameter: f64, alignment: Alignment) -> Result<Box<dyn Auditable>, AuditError> {
    let no_claim = |_: MechanismError| AuditError::NoClaim(name.to_owned());
    let epsilon = Epsilon::new(parameter)?;
    let (mechanism, shapes, centre) = mechanism(3, epsilon, alignment).map_err(no_claim)?;
    let data = neighbours(&shapes, &centre, alignment).map_err(no_claim)?;
    let first = mechanism.prepare(&data[0]).map_err(no_claim)?;
    let second = mechanism.prepare(&data[1]).map_err(no_claim)?;
    // Of the noised coordinates, which the shape is made from.
    let look = move |released: &Released<NoisedPoint<Preshape>>| {
        let x = &released.value.noised;
        let far = |from: &[f64]| x.iter().zip(from).map(|(a, b)| (a - b).abs()).sum::<f64>();
        let along = x.iter().zip(first.iter().zip(&second)).map(|(x, (a, b))| (x - a) * (b - a)).sum();
        vec![along, far(&first) - far(&second)]
    };
    PairAudit::boxed(name, mechanism, data, |records| &records[..], Box::new(look))
}

/// The sum of what every coordinate loses: ε ‖s − s′‖₁/Δ₁, where all of them are beyond both.
fn loss(parameter: f64, alignment: Alignment) -> f64 {
    let lost = || -> Result<f64, MechanismError> {
        let (mechanism, shapes, centre) = mechanism(3, Epsilon::new(parameter)?, alignment)?;
        let data = neighbours(&shapes, &centre, alignment)?;
        let (first, second) = (mechanism.prepare(&data[0])?, mechanism.prepare(&data[1])?);
        let moved: f64 = first.iter().zip(&second).map(|(a, b)| (a - b).abs()).sum();
        Ok(moved / mechanism.price().scale.unwrap_or(f64::NAN))
    };
    lost().unwrap_or(f64::NAN)
}

/// Laplace noise of scale 2k·r/n/ε in every coordinate: its absolute value is exponential.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (mechanism, _, centre) = mechanism(20, Epsilon::new(0.8)?, Alignment::Aligned)?;
    let records = vec![Some(centre); 20];
    let exact = mechanism.prepare(&records)?;
    let b = 6.0 * RADIUS / 20.0 / 0.8;
    let (mut noise, mut sizes) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..2000 {
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        sizes.extend(released.value.noised.iter().zip(&exact).map(|(x, s)| (x - s).abs()));
    }
    Ok(ScaleCheck::of(&sizes, b, b * b, 1.0))
}
