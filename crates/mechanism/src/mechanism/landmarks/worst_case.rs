//! Triangles as far apart as triangles can be: the first one way, or the other.

use super::likelihood::{Likelihood, Noises, Pair, Person};
use super::{
    Centre, Expected, RADIUS, ReleasedShapes, ShapeMechanism, ShapeMoment, ShapeSetting, TITLE, VOTE_SHARE,
};
use crate::estimate::design::{Covariate, Design, Kind};
use crate::manifold::LandmarkShapes;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionGroups, FunctionRegression, FunctionalModes, TwoRoundMean, Want};
use crate::mechanism::manifold::PrivateCentre;
use crate::mechanism::vector::GroupLabels;
use crate::mechanism::vector::modes::{RATIO, SHARES};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Entry, Ledger, Mechanism, Mu, PrivacyLoss, Released, ScaleCheck, release};
use nalgebra::DMatrix;
use std::sync::Arc;

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "landmarks",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: WORST_CASES,
};

const WORST_CASES: &[WorstCase] = &[
    WorstCase { name: "landmarks", make: in_plane, loss: whole, runs: 20_000 },
    WorstCase {
        name: "landmarks-space",
        make: in_space,
        loss: |p| told(p, RECORDS, (4, 3), [1.0, 0.0, 1.0]),
        runs: 20_000,
    },
    WorstCase {
        name: "landmarks-vote",
        make: mirrored,
        loss: |p| told(p, mirrored_people(p), (4, 3), [0.0, 1.0, MIRRORED]),
        runs: 100_000,
    },
    WorstCase {
        name: "landmarks-missing",
        make: incomplete,
        loss: |p| told(p, incomplete_people(p), (6, 2), [0.0, 0.0, 1.0]),
        runs: 80_000,
    },
    WorstCase {
        name: "landmarks-modes",
        make: of_modes,
        loss: |p| told(p, RECORDS, (3, 2), [1.0, 0.0, MODES]),
        runs: 20_000,
    },
    WorstCase { name: "landmarks-groups", make: of_groups, loss: whole, runs: 100_000 },
    WorstCase { name: "landmarks-regression", make: of_regression, loss: whole, runs: 20_000 },
];

const RECORDS: usize = 30;

/// What is told of μ, of `n` people with `k` landmarks in `d` dimensions, where these parts of what the matrix, the vote and the rest may tell
/// (squared, each of its own) are.
fn told(mu: f64, n: usize, (k, d): (usize, usize), [matrix, vote, rest]: [f64; 3]) -> f64 {
    let voted = if d > 2 { VOTE_SHARE * VOTE_SHARE } else { 0.0 };
    let share = LandmarkShapes::new(k, d).ok().zip(Mu::new(mu).ok());
    let share = share.and_then(|(space, mu)| super::centre_share(space, 0, n as u64, mu).ok());
    // Without a share there is no mechanism to audit either.
    let Some(centre) = share else { return f64::NAN };
    mu * (centre * matrix + voted * vote + (1.0 - centre - voted) * rest).sqrt()
}

/// The mean of shapes in two rounds.
pub(super) fn mean(setting: &ShapeSetting) -> Result<ShapeMechanism<TwoRoundMean>, MechanismError> {
    let n = setting.n;
    ShapeMechanism::new(
        setting,
        Arc::new(move |basis, p, Expected { scale, .. }, mu| TwoRoundMean::new(basis, p, scale, mu, n)),
    )
}

/// Modes of shapes.
pub(super) fn modes(setting: &ShapeSetting) -> Result<ShapeMechanism<FunctionalModes>, MechanismError> {
    let n = setting.n;
    let make = move |basis, p, expected: Expected, mu| FunctionalModes::new(basis, p, expected.scale, mu, n);
    ShapeMechanism::new(setting, Arc::new(make))
}

pub(super) fn setting(
    k: usize,
    d: usize,
    centre: Centre,
    n: u64,
    mu: Mu,
) -> Result<ShapeSetting, MechanismError> {
    let space = LandmarkShapes::new(k, d)?;
    Ok(ShapeSetting { space, centre, outlines: 0, radius: RADIUS, n, mu })
}

/// An audit of the whole of what is noised, and of its parts; the last statistic is of the first `of` people.
fn audit<M>(
    name: &'static str,
    parameter: f64,
    (k, d): (usize, usize),
    (pair, of): (Pair, usize),
    make: impl FnOnce(&ShapeSetting) -> Result<ShapeMechanism<M>, MechanismError>,
) -> Made
where
    M: Noises + Clone + 'static,
    M::Value: Send + Sync + 'static,
{
    let no_claim = |_: MechanismError| AuditError::NoClaim(name.to_owned());
    let n = 1 + pair.others.iter().map(|(_, times)| times).sum::<usize>();
    let setting = setting(k, d, Centre::Private, n as u64, Mu::new(parameter)?).map_err(no_claim)?;
    let mechanism = make(&setting).map_err(no_claim)?;
    let share =
        super::centre_share(setting.space, setting.outlines, setting.n, setting.mu).map_err(no_claim)?;
    let parts = [share.sqrt() * parameter, VOTE_SHARE * parameter];
    let likelihood = Likelihood::new(mechanism.clone(), pair, of, parts).map_err(no_claim)?;
    let data = likelihood.data();
    let look = move |released: &Released<ReleasedShapes<M::Value>>| {
        likelihood.of(&released.value).unwrap_or_else(|| vec![f64::NAN; 4])
    };
    PairAudit::boxed(name, mechanism, data, |records| records, Box::new(look))
}

type Made = Result<Box<dyn Auditable>, AuditError>;

fn person(shape: &DMatrix<f64>) -> Person {
    Person { shapes: vec![shape.clone()], ..Person::default() }
}

/// Triangles π/2 apart: two of three landmarks in one place, or the third in the middle between them. Their matrices are orthogonal, and from
/// every triangle they lie in opposite directions.
fn apart() -> [DMatrix<f64>; 2] {
    let (half, third) = (0.5f64.sqrt(), (1.0f64 / 6.0).sqrt());
    [[half, -half, 0.0], [third, third, -2.0 * third]]
        .map(|x| DMatrix::from_fn(3, 2, |i, j| if j == 0 { x[i] } else { 0.0 }))
}

/// As many people at either end, so that the centre lies between them; the first at one or the other.
fn at_ends(ends: [DMatrix<f64>; 2], n: usize) -> Pair {
    let [a, b] = ends.each_ref().map(person);
    let half = (n - 1) / 2;
    Pair { first: [a.clone(), b.clone()], others: vec![(a, half), (b, n - 1 - half)] }
}

fn in_plane(name: &'static str, parameter: f64) -> Made {
    audit(name, parameter, (3, 2), (at_ends(apart(), RECORDS), RECORDS), mean)
}

/// Four landmarks on a line, two of them in the middle: matrices that are orthogonal, as in the plane. Flat shapes have no vote.
fn in_space(name: &'static str, parameter: f64) -> Made {
    let half = 0.5f64.sqrt();
    let ends = [[half, -half, 0.0, 0.0], [0.0, 0.0, half, -half]]
        .map(|x| DMatrix::from_fn(4, 3, |i, j| if j == 0 { x[i] } else { 0.0 }));
    audit(name, parameter, (4, 3), (at_ends(ends, RECORDS), RECORDS), mean)
}

fn mirrored_people(parameter: f64) -> usize {
    (80.0 / parameter.max(1.0)).ceil() as usize
}

fn incomplete_people(parameter: f64) -> usize {
    (60.0 / parameter.max(1.0)).ceil() as usize
}

/// A thick shape or its mirror image, which matrices do not tell apart; the others are so flat that the two lie on either side of them, and not
/// so flat that the third eigenvalue is lost in the noise.
fn mirrored(name: &'static str, parameter: f64) -> Made {
    let n = mirrored_people(parameter);
    let shape = |sizes: [f64; 3]| {
        let waves = [[0.5, 0.5, -0.5, -0.5], [0.5, -0.5, 0.5, -0.5], [0.5, -0.5, -0.5, 0.5]];
        DMatrix::from_fn(4, 3, |i, j| sizes[j] * waves[j][i])
    };
    let thick = 0.36f64.sqrt() * 0.5f64.sqrt();
    let first = [shape([thick, 0.8, thick]), shape([thick, -0.8, thick])].each_ref().map(person);
    let wide = 0.44f64.sqrt();
    let others = vec![(person(&shape([wide, 0.12f64.sqrt(), wide])), n - 1)];
    audit(name, parameter, (4, 3), (Pair { first, others }, n), mean)
}

/// Two shapes far out on either side of all others, each without one landmark: the centre does not see them, and what is missing is filled
/// from it.
fn incomplete(name: &'static str, parameter: f64) -> Made {
    let no_claim = |_: crate::manifold::ManifoldError| AuditError::NoClaim(name.to_owned());
    let space = LandmarkShapes::new(6, 2).map_err(no_claim)?;
    let middle = super::anywhere(&space);
    // Shears leave a regular hexagon's centre where it is, and TPS knows them.
    let sheared = DMatrix::from_fn(6, 2, |i, j| if j == 0 { middle[(i, 0)] } else { -middle[(i, 1)] });
    let along = space.project(&middle, &sheared);
    let along = &along / along.norm();
    let first = [0.8, -0.8].map(|far| {
        let mut x = space.exp(&middle, &(&along * far));
        x.row_mut(0).fill(f64::NAN);
        Person { incomplete: vec![x], ..Person::default() }
    });
    let n = incomplete_people(parameter);
    audit(name, parameter, (6, 2), (Pair { first, others: vec![(person(&middle), n - 1)] }, n), mean)
}

/// What mirror images tell of the rest, as a part of what opposite records do: the logarithm of the likelihood ratio had variance .40, and .54 for
/// those of `in_space` (3000 releases of each).
const MIRRORED: f64 = 0.74;

/// What opposite records tell of modes: all of the rough mean, and 4s/(2(1 + s/2)²) of both moments, s = ½.
const MODES: f64 =
    SHARES.first + (1.0 - SHARES.first) * 2.0 * RATIO / ((1.0 + 0.5 * RATIO) * (1.0 + 0.5 * RATIO));

fn of_modes(name: &'static str, parameter: f64) -> Made {
    audit(name, parameter, (3, 2), (at_ends(apart(), RECORDS), RECORDS), modes)
}

/// The first half of the people are one group.
fn of_groups(name: &'static str, parameter: f64) -> Made {
    let [a, b] = apart().each_ref().map(person);
    let of = RECORDS / 2;
    let mut pair = at_ends(apart(), of);
    pair.others.extend([(a, of / 2), (b, RECORDS - of - of / 2)]);
    audit(name, parameter, (3, 2), (pair, of), |setting| {
        let labels = GroupLabels::new((0..RECORDS).map(|i| usize::from(i >= of)).collect())?;
        let make = move |basis, template: Vec<f64>, Expected { scale, .. }, mu| {
            FunctionGroups::new(Want::Map, &basis, &template, labels.clone(), scale, mu)
        };
        ShapeMechanism::new(setting, Arc::new(make))
    })
}

/// The same covariates for all, as long as they may be.
fn of_regression(name: &'static str, parameter: f64) -> Made {
    let kind = Kind::Linear { lower: -1.0, upper: 1.0 };
    let design = Design::new(vec![Covariate { name: "x".into(), kind }]);
    let design = design.map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let mut pair = at_ends(apart(), RECORDS);
    let row = design.row(&[Some(1.0)]);
    let people = pair.first.iter_mut().chain(pair.others.iter_mut().map(|(person, _)| person));
    people.for_each(|person| person.row.clone_from(&row));
    audit(name, parameter, (3, 2), (pair, RECORDS), |setting| {
        let make = move |basis, template, Expected { scale, .. }, mu| {
            FunctionRegression::new(basis, template, scale, design.clone(), RECORDS as u64, mu)
        };
        ShapeMechanism::new(setting, Arc::new(make))
    })
}

/// The centre's σ = √2/(nμ) in every coordinate, of Gram matrices in space.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (space, n, mu) = (LandmarkShapes::new(8, 3)?, 30, Mu::new(1.0)?);
    let mechanism = PrivateCentre::new(ShapeMoment::new(space, 0, n, mu), n, PrivacyLoss::Gaussian(mu))?;
    let records = vec![Some(vec![super::anywhere(&space)]); n as usize];
    let exact = mechanism.prepare(&records)?;
    let sigma = std::f64::consts::SQRT_2 / (n as f64 * mu.get());
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..300 {
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        squares.extend(released.value.noised.iter().zip(&exact).map(|(x, s)| (x - s).powi(2)));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}
