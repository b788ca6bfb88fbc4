//! What comes with the second round, and what follows from n and μ alone.

use super::*;
use crate::estimate::Prior;
use crate::function::{Basis, Domain};
use crate::privacy::{ClipSource, Ledger, Released, release};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::borrow::Cow;

const DISK: Domain = Domain::Disk { curves: 4, samples: 12 };

fn mean(aim: Aim, n: u64, mu: f64) -> TwoRoundMean {
    let basis = Basis::new(DISK, 3);
    let template = vec![0.1; basis.len()];
    TwoRoundMean::aiming(aim, basis, template, 1.0, Mu::new(mu).unwrap(), n).unwrap()
}

/// People about the template, their coefficients as the public spectrum has them; and their spread.
fn people(n: usize, seed: u64) -> (Vec<Option<Vec<f64>>>, f64) {
    let basis = Basis::new(DISK, 3);
    let prior = Prior::new(&basis, |_| 1.0);
    let scale = 0.02 / prior.spectrum.iter().sum::<f64>().sqrt();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut one = || {
        let normal = |lambda: &f64, rng: &mut ChaCha8Rng| -> f64 {
            let z: f64 = StandardNormal.sample(rng);
            scale * lambda.sqrt() * z
        };
        let x: Vec<f64> = prior.spectrum.iter().map(|lambda| normal(lambda, &mut rng)).collect();
        Some(basis.synthesize(&x).iter().map(|x| x + 0.1).collect())
    };
    ((0..n).map(|_| one()).collect(), 0.02)
}

/// Everybody moved by so much.
fn moved(n: u64, by: f64, seed: u64) -> Vec<Option<Vec<f64>>> {
    let away = |person: Option<Vec<f64>>| person.map(|x| x.into_iter().map(|x| x + by).collect());
    people(n as usize, seed).0.into_iter().map(away).collect()
}

fn exact_mean(records: &[Option<Vec<f64>>]) -> Vec<f64> {
    let mut mean = vec![0.0; records.iter().flatten().next().map_or(0, Vec::len)];
    for record in records.iter().flatten() {
        mean.iter_mut().zip(record).for_each(|(m, x)| *m += x / records.len() as f64);
    }
    mean
}

fn drawn(mechanism: &TwoRoundMean, records: &Vec<Option<Vec<f64>>>, seed: u64) -> NoisedFunction {
    let mut noise = NoiseSource::seeded(seed);
    release(mechanism, records, &mut Ledger::in_memory(None), &mut noise).unwrap().value
}

/// Where no radius is counted, how far records lie beyond the public one is: what was shortened is made longer, and the error is stated.
#[test]
fn people_far_from_the_template_are_neither_taken_for_near_ones_nor_the_reverse() {
    let (n, runs) = (70, 40);
    let mechanism = mean(Aim::Mean, n, 1.0);
    for (by, factor) in [(0.0, 1.0..1.15), (0.09, 1.25..2.2)] {
        let records = moved(n, by, 2);
        let exact = exact_mean(&records);
        let (mut found, mut stated, mut times, points) = (0.0, 0.0, 0.0, mechanism.basis().points());
        for seed in 0..runs {
            let value = drawn(&mechanism, &records, seed);
            stated += value.mean_square_error(points);
            found +=
                value.samples.iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / points as f64;
            times += value.lengthened.unwrap() / runs as f64;
            assert!(by > 0.0 || !mechanism.is_at_the_edge(&value), "{seed}");
        }
        assert!(factor.contains(&times), "{by}: {times}");
        let ratio = (stated / found).sqrt();
        assert!((0.75..1.3).contains(&ratio), "{by}: {ratio}");
    }
    // So far that nothing tells how far, and everything says so.
    for seed in 0..5 {
        assert!(mechanism.is_at_the_edge(&drawn(&mechanism, &moved(n, 0.5, 2), seed)), "{seed}");
    }
}

/// Where nobody looks, as for bands, people far from the template are told by where their mean is found.
#[test]
fn a_mean_near_the_public_radius_tells_that_records_were_shortened() {
    let at_the_edge = |n: u64, by: f64, seed: u64| {
        let mechanism = mean(Aim::Band, n, 1.0);
        mechanism.is_at_the_edge(&drawn(&mechanism, &moved(n, by, 2), seed))
    };
    for seed in 0..5 {
        assert!(!at_the_edge(140, 0.0, seed) && at_the_edge(140, 0.2, seed), "{seed}");
        // Radii are counted there.
        assert!(!at_the_edge(160, 0.2, seed));
    }
}

#[test]
fn losses_add_up_to_the_whole_budget_and_no_more() {
    for aim in [Aim::Mean, Aim::Band] {
        for (n, mu) in [(20, 0.3), (120, 1.0), (1000, 1.0)] {
            let total = mean(aim, n, mu).price().parts.mu().unwrap().unwrap().get();
            assert!(total <= mu && total > mu * (1.0 - 1e-9), "{aim:?} {n} {mu}: {total}");
        }
    }
    assert_eq!(
        (mean(Aim::Band, 20, 0.3).norm(), mean(Aim::Mean, 20, 0.3).norm()),
        (Norm::Half, Norm::Quarter)
    );
    // nμ = 120: enough for a radius about a mean, not for a band.
    assert!(mean(Aim::Mean, 120, 1.0).radius.is_some() && mean(Aim::Band, 120, 1.0).radius.is_none());
}

#[test]
fn the_spread_of_people_comes_with_the_mean() {
    let (people, spread) = people(600, 1);
    let mechanism = mean(Aim::Mean, 600, 2.0);
    let release = |seed| {
        let mut noise = NoiseSource::seeded(seed);
        release(&mechanism, &people, &mut Ledger::in_memory(None), &mut noise).unwrap()
    };
    for seed in 0..4 {
        let released = release(seed);
        let moments = released.value.moments.as_ref().unwrap();
        assert_eq!(moments.size(), coefficients(600, 2.0));
        let found = mechanism.record_spread(&released.value).unwrap();
        // Clipping makes it smaller.
        let ratio = found.square.sqrt() / spread;
        assert!((0.8..1.1).contains(&ratio) && found.noise < 0.2 * found.square, "{ratio} {found:?}");
        assert_eq!(mechanism.band(&released.value), None);
        assert_eq!(released.parts.last().unwrap().clip.unwrap().get(), moments.radius);
    }
    // What version 0.1 or an unfinished study has stored has no second moment.
    let mut old = serde_json::to_value(&release(0).value).unwrap();
    old.as_object_mut().unwrap().remove("moments");
    let old: NoisedFunction = serde_json::from_value(old).unwrap();
    assert_eq!((mechanism.record_spread(&old), mechanism.band(&old)), (None, None));
}

#[test]
fn bands_lie_about_the_unshrunk_mean_and_within_the_public_radius() {
    let (people, _) = people(300, 2);
    let mechanism = mean(Aim::Band, 300, 1.0);
    let mut noise = NoiseSource::seeded(1);
    let released = release(&mechanism, &people, &mut Ledger::in_memory(None), &mut noise).unwrap();
    let clip = released.clip().unwrap();
    assert!(clip.source() == ClipSource::Private && clip.get() <= mechanism.public_radius().get());
    let band = mechanism.band(&released.value).unwrap();
    assert!(band.holds(&band.centre) && band.reach > 3.0 && band.reach < 5.0);
    assert!(band.centre != released.value.samples);
    // The population's mean is the template.
    assert!(band.holds(&vec![0.1; band.centre.len()]));
}

/// A failed record contributes zero in the second round too: it does not drag the mean back to the template.
#[test]
fn failed_records_lie_at_every_centre() {
    let n = 200;
    let mechanism = mean(Aim::Mean, n, 15.0);
    let far = 0.02;
    let people: Vec<Option<Vec<f64>>> =
        (0..n).map(|i| (i % 10 < 7).then(|| vec![0.1 + far; mechanism.template.len()])).collect();
    let mut noise = NoiseSource::seeded(2);
    let released = release(&mechanism, &people, &mut Ledger::in_memory(None), &mut noise).unwrap().value;
    let mean = |samples: &[f64]| samples.iter().sum::<f64>() / samples.len() as f64 - 0.1;
    // Seven of ten to 0.7 of the way, a little less by shrinkage, and then 0.7 of what is left.
    let (centre, found) = (mean(&released.centre), mean(&released.samples));
    assert!((0.6..0.72).contains(&(centre / far)), "{centre}");
    assert!(((found - centre) / (far - centre) - 0.7).abs() < 0.1, "{found}");
    // A missing size moves no released size: what there is of it is the noise of both rounds.
    let sized = mean_with_size(n);
    let sizes: Vec<f64> = vec![f64::NAN; n as usize];
    let records = Measured { people, log_sizes: sizes, ..Measured::default() };
    let mut noise = NoiseSource::seeded(2);
    let size =
        release(&sized, &records, &mut Ledger::in_memory(None), &mut noise).unwrap().value.size.unwrap();
    assert!(size.log.abs() < 0.1, "{}", size.log);
}

fn mean_with_size(n: u64) -> TwoRoundMean {
    mean(Aim::Mean, n, 15.0).with_size(0.405).unwrap()
}

/// People with sizes, or of some of whom a part was filled in from the template.
#[derive(Default)]
struct Measured {
    people: Vec<Option<Vec<f64>>>,
    log_sizes: Vec<f64>,
    filled: Vec<f64>,
}

impl FunctionRecords for Measured {
    fn count(&self) -> usize {
        self.people.len()
    }
    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        self.people[i].as_deref().map(Cow::Borrowed)
    }
    fn log_size(&self, i: usize) -> Option<f64> {
        self.log_sizes.get(i).copied()
    }
    fn filled(&self, i: usize) -> f64 {
        self.filled.get(i).copied().unwrap_or(0.0)
    }
}

/// The mean size comes with an error that is true, at less than 1 % of the function's accuracy by design: the noise is as much wider as stated.
#[test]
fn mean_sizes_have_the_error_they_state_and_cost_the_function_next_to_nothing() {
    let (people, _) = people(300, 3);
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
    let sizes: Vec<f64> = (0..300).map(|_| -0.08 + 0.05 * normal(&mut rng)).collect();
    let truth = sizes.iter().sum::<f64>() / 300.0;
    let records = Measured { people: people.clone(), log_sizes: sizes, ..Measured::default() };
    let plain = mean(Aim::Mean, 300, 1.0);
    let sized = mean(Aim::Mean, 300, 1.0).with_size(0.405).unwrap();
    assert_eq!(plain.price().loss, sized.price().loss);
    let (mut square, mut stated, mut wider) = (0.0, 0.0, 0.0);
    let draws = 40;
    for seed in 0..draws {
        let (mut ledger, mut noise) = (Ledger::in_memory(None), NoiseSource::seeded(seed));
        let with = release(&sized, &records, &mut ledger, &mut noise).unwrap();
        let mut noise = NoiseSource::seeded(seed);
        let without = release(&plain, &people, &mut Ledger::in_memory(None), &mut noise).unwrap();
        let size = with.value.size.unwrap();
        assert_eq!(with.value.coordinates.len(), without.value.coordinates.len());
        square += (size.log - truth).powi(2) / draws as f64;
        stated += size.error / draws as f64;
        // In units of the radius, which is counted anew in each draw.
        let relative =
            |r: &Released<NoisedFunction>| r.value.sigma / r.value.moments.as_ref().unwrap().radius;
        wider += relative(&with) / relative(&without) / draws as f64;
    }
    assert!(square.sqrt() < 0.012, "{}", square.sqrt());
    // 40 draws: a variance is known within 25 % (one standard deviation 22 %).
    let ratio = stated / square;
    assert!((0.5..2.0).contains(&ratio), "stated {ratio}");
    approx::assert_relative_eq!(wider, 1.0, max_relative = 1e-9);
    assert!(mean(Aim::Mean, 20, 1.0).with_size(0.0).is_err());
}

/// Faces about the template in 3 directions of the public spectrum, a share of them `far` times as far out; or with independent noise at every sample.
fn odd_people(n: usize, far: (f64, f64), rough: f64, seed: u64) -> Vec<Option<Vec<f64>>> {
    let (people, _) = people(n, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 77);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let mut one = |(i, person): (usize, Option<Vec<f64>>)| {
        let times = if (i as f64) < far.0 * n as f64 { far.1 } else { 1.0 };
        person.map(|x| x.iter().map(|x| 0.1 + times * (x - 0.1) + rough * normal()).collect())
    };
    people.into_iter().enumerate().map(&mut one).collect()
}

/// Errors over some draws, in root mean squares: true, and stated; and the norms that were chosen.
fn errors(mechanism: &TwoRoundMean, people: &[Option<Vec<f64>>], draws: u64) -> (f64, f64, Vec<Norm>) {
    errors_from(&mean_of_usable(people), mechanism, &people.to_vec(), draws)
}

fn mean_of_usable(people: &[Option<Vec<f64>>]) -> Vec<f64> {
    let usable: Vec<&Vec<f64>> = people.iter().flatten().collect();
    (0..usable[0].len()).map(|j| usable.iter().map(|x| x[j]).sum::<f64>() / usable.len() as f64).collect()
}

/// The same from this mean.
fn errors_from(
    truth: &[f64],
    mechanism: &TwoRoundMean,
    records: &(dyn FunctionRecords + 'static),
    draws: u64,
) -> (f64, f64, Vec<Norm>) {
    let points = truth.len() / 3;
    let (mut square, mut stated, mut norms) = (0.0, 0.0, Vec::new());
    for seed in 0..draws {
        let mut noise = NoiseSource::seeded(seed);
        let found = release(mechanism, records, &mut Ledger::in_memory(None), &mut noise).unwrap().value;
        let off: f64 = found.samples.iter().zip(truth).map(|(a, b)| (a - b).powi(2)).sum();
        square += off / (points as f64 * draws as f64);
        stated += found.mean_square_error(points) / draws as f64;
        norms.extend(found.norm);
    }
    (square.sqrt(), stated.sqrt(), norms)
}

/// Where single records are far rougher than the public spectrum has it, the counts choose the other norm, and the statement is still true: before there
/// was a choice everybody was clipped, and more people made it worse.
#[test]
fn rough_records_are_seen_in_a_norm_of_their_own() {
    let mut last = f64::INFINITY;
    for (n, mu) in [(300, 1.5), (600, 1.5), (600, 3.0)] {
        let mechanism = mean(Aim::Mean, n, mu);
        let (found, stated, norms) = errors(&mechanism, &odd_people(n as usize, (0.0, 1.0), 0.03, 4), 6);
        assert!(norms.iter().all(|norm| *norm == Norm::Quarter), "{n} {mu}: {norms:?}");
        assert!((0.75..1.35).contains(&(stated / found)), "{n} {mu}: {stated} for {found}");
        assert!(found < last, "{n} {mu}: {found} after {last}");
        last = found;
    }
    let (_, _, norms) = errors(&mean(Aim::Mean, 600, 1.5), &people(600, 4).0, 3);
    assert!(norms.iter().all(|norm| *norm == Norm::Half), "{norms:?}");
}

/// What lies beyond the radius is in the statement.
#[test]
fn a_clip_that_moves_the_mean_is_stated() {
    let mechanism = mean(Aim::Mean, 1000, 3.0);
    let (found, stated, _) = errors(&mechanism, &odd_people(1000, (0.03, 10.0), 0.0, 5), 6);
    assert!((0.7..1.8).contains(&(stated / found)), "{stated} for {found}");
    let parts = mechanism.price().parts.parts().len();
    assert_eq!((parts, mean(Aim::Band, 1000, 3.0).price().parts.parts().len()), (4, 3));
}

/// Half of the records cannot be used, or half of each of two thirds was filled in: the release lies that much nearer to the template, and says so.
#[test]
fn what_unusable_and_filled_records_move_is_stated() {
    let n = 1500;
    let elsewhere =
        |person: Option<Vec<f64>>| person.map(|x| x.iter().map(|x| x + 0.02).collect::<Vec<f64>>());
    let people: Vec<_> = people(n, 6).0.into_iter().map(elsewhere).collect();
    let mechanism = mean(Aim::Mean, n as u64, 3.0);
    let told = |records: &(dyn FunctionRecords + 'static)| {
        let mut noise = NoiseSource::seeded(3);
        let found = release(&mechanism, records, &mut Ledger::in_memory(None), &mut noise).unwrap();
        found.value.unseen.unwrap()
    };
    let none = told(&people);
    assert_eq!((none.unusable, none.filled), (0.0, 0.0));
    let mut some = people.clone();
    some.iter_mut().step_by(2).for_each(|one| *one = None);
    let shares = told(&some);
    assert!((0.45..0.5).contains(&shares.unusable) && shares.filled == 0.0, "{shares:?}");
    let (found, stated, _) = errors(&mechanism, &some, 6);
    assert!((0.75..1.3).contains(&(stated / found)), "{stated} for {found}");

    let truth = mean_of_usable(&people);
    let mut part = Measured { people, filled: vec![0.0; n], ..Measured::default() };
    for i in (0..n).filter(|i| i % 3 > 0) {
        part.filled[i] = 0.5;
        let half = mechanism.template().len() / 2;
        part.people[i].iter_mut().for_each(|x| x[..half].fill(0.1));
    }
    let shares = told(&part);
    let expected = 2.0 / 3.0 * 0.5_f64.sqrt();
    assert!((expected - 0.04..expected).contains(&shares.filled) && shares.unusable == 0.0, "{shares:?}");
    let (found, stated, _) = errors_from(&truth, &mechanism, &part, 6);
    assert!((0.75..1.3).contains(&(stated / found)), "{stated} for {found}");
}
