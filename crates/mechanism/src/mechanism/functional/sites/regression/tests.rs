//! Regressions over sites are those of all people together.

use super::super::tests::assert_paid_by;
use super::worst_case::{design, mechanism as few, scales};
use super::*;
use crate::estimate::design::{Covariate, Kind};
use crate::function::Domain;
use crate::mechanism::functional::{Answer, RoundKind, Sharing, SitePeople};
use crate::mechanism::vector::{AboutCentre, Vectors};
use crate::privacy::{Ledger, PrivacyLoss, release};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const CIRCLE: Domain = Domain::Circle { samples: 8 };

fn template() -> (Basis, Vec<f64>) {
    (Basis::new(CIRCLE, 2), vec![0.3; 16])
}

fn regression(sizes: Vec<u64>, sharing: Sharing, mu: f64) -> SitesRegression {
    SitesRegression::new(template(), design().unwrap(), Mu::new(mu).unwrap(), Sites { sizes, sharing })
        .unwrap()
}

fn drawn(regression: &SitesRegression, people: &RegressedPeople, seed: u64) -> NoisedRegression {
    release(regression, people, &mut Ledger::in_memory(None), &mut NoiseSource::seeded(seed)).unwrap().value
}

/// What a covariate at its upper bound does to every other sample.
const FIELD: f64 = 0.008;

/// People whose every other sample moves with their covariate.
fn people(n: usize) -> RegressedPeople {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let design = design().unwrap();
    let (mut functions, mut rows) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let x = (0.6 * normal()).clamp(-1.0, 1.0);
        rows.push(design.row(&[Some(x)]));
        functions
            .push(Some((0..16).map(|j| 0.302 + FIELD * x * f64::from(j % 2) + 0.003 * normal()).collect()));
    }
    RegressedPeople { functions, rows }
}

/// With next to no noise, whoever adds it, the moments are those that one place makes of all people about the same centre.
#[test]
fn moments_are_those_of_all_people_whoever_adds_the_noise() {
    let mut people = people(3000);
    people.functions[7] = None;
    people.functions[9] = Some(vec![1e300; 16]);
    people.rows[11] = vec![1e9, f64::NAN];
    for sharing in [Sharing::Sites { honest: 2 }, Sharing::Aggregators, Sharing::Each] {
        let regression = regression(vec![1500, 900, 600], sharing, 15.0);
        let found = drawn(&regression, &people, 1);
        let (moments, leading) = (regression.functional.mechanism(), regression.functional.coordinates());
        let d = moments.columns() + moments.dimension();
        let mut expected = vec![0.0; d * (d + 1) / 2];
        for (function, row) in people.functions.iter().zip(&people.rows) {
            let u = function.as_ref().map(|samples| leading.coordinates(samples));
            let (_, z) = moments.placed(0, (u.as_deref(), row), &found.recentred).unwrap();
            let products = (0..d).flat_map(|i| (i..d).map(move |j| (i, j)));
            expected.iter_mut().zip(products).for_each(|(sum, (i, j))| *sum += z[i] * z[j] / 3000.0);
        }
        assert!(found.moments.sigma < 1e-3 && found.moments.is_consistent());
        for (x, expected) in found.moments.entries.iter().zip(expected) {
            assert!((x - expected).abs() < 5.0 * found.moments.sigma, "{sharing:?} {x} {expected}");
        }
    }
}

/// The true field is found, nearly as in one place, with an error that says so.
#[test]
fn a_field_is_found_as_in_one_place() {
    let people = people(2000);
    let sites = regression(vec![500; 4], Sharing::Sites { honest: 3 }, 2.0);
    let last = RoundResult { sites: vec![0, 1, 2, 3], values: Vec::new() };
    let found = sites.functional(&last).fields(&drawn(&sites, &people, 5)).unwrap();
    let (basis, samples) = template();
    let mu = Mu::new(2.0).unwrap();
    let one = FunctionRegression::new(basis, samples, 1.0, design().unwrap(), 2000, mu).unwrap();
    let vectors: Vec<Vec<f64>> =
        people.functions.iter().flatten().map(|f| one.coordinates().coordinates(f)).collect();
    let records = Vectors::asked(2000, |i| Some(vectors[i].clone())).with_covariates(people.rows.clone());
    let prepared = one.mechanism().prepare_all(records).unwrap();
    let paid = Ledger::in_memory(None).charge("regression", PrivacyLoss::Gaussian(mu)).unwrap();
    let central = one.mechanism().draw_all(&prepared, &mut NoiseSource::seeded(6), paid).unwrap().value;
    let central = one.fields(&central).unwrap();
    let distance =
        |a: &[f64], b: &[f64]| (a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / 8.0).sqrt();
    let truth: Vec<f64> = (0..16).map(|j| FIELD * f64::from(j % 2)).collect();
    let (a, b) = (&found.columns[0], &central.columns[0]);
    let (off, size) = (distance(&a.samples, &truth), distance(&truth, &[0.0; 16]));
    assert!(off < 0.15 * size && off < 3.0 * a.error, "{off} {size} {}", a.error);
    assert!((0.5..2.5).contains(&(a.error / b.error)), "{} {}", a.error, b.error);
    assert!(distance(&a.samples, &b.samples) < 3.0 * (a.error + b.error));
}

#[test]
fn noise_on_the_diagonal_and_above_it_is_as_claimed() {
    for check in scales(12, 600).unwrap() {
        assert!(check.holds() && check.would_notice(), "{check:?}");
    }
}

/// A person with other covariates and the opposite record moves the sum by all that the noise allows, and no more.
#[test]
fn one_person_moves_the_sum_by_no_more_than_mu() {
    let mechanism = few(2, &[12, 9, 14], Mu::new(0.8).unwrap()).unwrap();
    let length = mechanism.functional.coordinates().len() + crate::mechanism::unseen::COORDINATES;
    let first = RoundResult { sites: vec![0, 1, 2], values: vec![0.0; length] };
    let round = mechanism.rounds.next(std::slice::from_ref(&first)).unwrap().unwrap();
    assert_eq!(round.kind(), RoundKind::Regression);
    let loss = *mechanism.rounds.losses().unwrap().last().unwrap();
    let steps = |far: f64, row: [f64; 2]| {
        let mut records: Vec<Option<Vec<f64>>> = vec![None; 5];
        records[1] = Some(vec![far; 12]);
        let mut rows = vec![vec![1.0, 0.2]; 5];
        rows[1] = row.to_vec();
        let sum = round.sum(&records, SitePeople::Covariates(&rows)).unwrap();
        let paid = Ledger::in_memory(None).charge("sum", loss).unwrap();
        round.noise().to_f64(&round.noise().bare(&sum, &paid).unwrap())
    };
    let PrivacyLoss::Gaussian(allowed) = loss else { panic!("{loss:?}") };
    let d = mechanism.functional.mechanism().second().dimension();
    let weights: Vec<f64> =
        (0..d).flat_map(|i| (i..d).map(move |j| if i == j { 1.0 } else { 2.0 })).collect();
    let told = |one: Vec<f64>, other: Vec<f64>| {
        let square: f64 = one.iter().zip(other).zip(&weights).map(|((x, y), w)| w * (x - y).powi(2)).sum();
        square.sqrt() / round.noise().sigma(2)
    };
    // The same covariates and opposite vectors, everything another's, covariates alone, a record that cannot be used.
    let far = told(steps(1e6, [1e9, 0.0]), steps(-1e6, [1e9, 0.0]));
    assert!(far <= allowed.get() && far > 0.999 * allowed.get(), "{far} {allowed:?}");
    for (one, other) in [
        ((1e6, [1e9, 0.0]), (-1e6, [0.0, 1e9])),
        ((1e6, [1e9, 0.0]), (1e6, [-1e9, 1e9])),
        ((1e6, [1.0, 0.5]), (f64::NAN, [f64::INFINITY, 0.5])),
    ] {
        let moved = told(steps(one.0, one.1), steps(other.0, other.1));
        assert!(moved <= allowed.get() && moved > 0.0, "{moved} {allowed:?}");
    }
}

#[test]
fn all_rounds_are_paid_for_by_one_budget_and_no_more() {
    for (sizes, mu, count) in [(vec![200; 5], 1.0, 9), (vec![12, 9, 14], 1.0, 2)] {
        let regression = regression(sizes, Sharing::Sites { honest: 2 }, mu);
        assert_paid_by(regression.rounds(), mu, count);
    }
}

/// Rows have to be there and be of the design; too few people for a design are refused; what is left of the sites is what counts.
#[test]
fn rows_survivors_and_designs_are_checked() {
    let mechanism = regression(vec![12, 9, 14, 9], Sharing::Sites { honest: 2 }, 1.0);
    let rounds = mechanism.rounds();
    let values = vec![0.0; rounds.next(&[]).unwrap().unwrap().noise().dimension()];
    let first = RoundResult { sites: vec![0, 1, 2, 3], values };
    let round = rounds.next(std::slice::from_ref(&first)).unwrap().unwrap();
    let records: Vec<Option<Vec<f64>>> = vec![None; 3];
    let rows = |count: usize, columns: usize| vec![vec![0.5; columns]; count];
    assert!(round.sum(&records, SitePeople::Covariates(&rows(3, 2))).is_ok());
    for rows in [rows(2, 2), rows(4, 2), rows(3, 1), rows(3, 3)] {
        assert!(round.sum(&records, SitePeople::Covariates(&rows)).is_err());
    }
    assert!(round.sum(&records, SitePeople::Records).is_err());
    assert!(round.sum(&records, SitePeople::Groups(&[0, 1, 0])).is_err());
    let answer = Answer::Pooled { sites: vec![0, 1, 2], sum: vec![0; round.noise().dimension()] };
    let last = round.result(&answer, rounds.sites()).unwrap();
    assert_eq!(mechanism.functional(&last).mechanism().recentring().n(), 35);
    let Drawn { value, parts } = mechanism.finish(&[first, last]).unwrap();
    assert_eq!((value.columns, parts.len()), (2, 2));
    // Noise of three of four shares, over 35 people.
    let sigma = round.noise().sigma(3) / 35.0;
    assert!((value.moments.sigma / sigma - 1.0).abs() < 1e-9, "{} {sigma}", value.moments.sigma);
    let many = (0..6).map(|i| {
        let kind = Kind::Linear { lower: 0.0, upper: 1.0 };
        Covariate { name: format!("x{i}"), kind }
    });
    let many = Design::new(many.collect()).unwrap();
    let sites = Sites { sizes: vec![12, 9, 14], sharing: Sharing::Each };
    assert!(SitesRegression::new(template(), many, Mu::new(1.0).unwrap(), sites).is_err());
}
