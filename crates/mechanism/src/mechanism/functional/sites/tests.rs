//! Many sites are as one place, up to the shares of noise that are more than needed.

use super::*;
use crate::estimate::Prior;
use crate::function::Domain;
use crate::mechanism::functional::FunctionRecords;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, Mechanism, PrivacyLoss, release};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const DISK: Domain = Domain::Disk { curves: 4, samples: 12 };

fn mean(sizes: Vec<u64>, sharing: Sharing, mu: f64) -> Result<SitesMean, MechanismError> {
    let basis = Basis::new(DISK, 3);
    let template = vec![0.1; basis.len()];
    SitesMean::new(basis, template, Mu::new(mu).unwrap(), Sites { sizes, sharing })
}

/// People whose coefficients are as the public spectrum has them, and their mean.
fn people(n: usize, seed: u64) -> (Vec<Option<Vec<f64>>>, Vec<f64>) {
    let basis = Basis::new(DISK, 3);
    let prior = Prior::new(&basis, |_| 1.0);
    let scale = 0.02 / prior.spectrum.iter().sum::<f64>().sqrt();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut one = || {
        let mut normal = |lambda: &f64| -> f64 {
            let z: f64 = StandardNormal.sample(&mut rng);
            scale * lambda.sqrt() * z
        };
        let x: Vec<f64> = prior.spectrum.iter().map(&mut normal).collect();
        basis.synthesize(&x).iter().map(|x| x + 0.11).collect::<Vec<f64>>()
    };
    let people: Vec<Vec<f64>> = (0..n).map(|_| one()).collect();
    let mut mean = vec![0.0; basis.len()];
    people.iter().for_each(|p| mean.iter_mut().zip(p).for_each(|(m, x)| *m += x / n as f64));
    (people.into_iter().map(Some).collect(), mean)
}

/// Mean square error of the released samples over some draws.
fn error<M>(mechanism: &M, people: &Vec<Option<Vec<f64>>>, truth: &[f64]) -> f64
where
    M: Mechanism<Records = dyn FunctionRecords, Value = NoisedFunction, Error = MechanismError>,
{
    let draws = 24;
    (0..draws)
        .map(|seed| {
            let (mut ledger, mut noise) = (Ledger::in_memory(None), NoiseSource::seeded(seed));
            let released = release(mechanism, people, &mut ledger, &mut noise).unwrap().value;
            released.samples.iter().zip(truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / draws as f64
        })
        .sum()
}

/// So many rounds that together cost all of the budget and no more.
pub(super) fn assert_paid_by(all: &SitesRounds, mu: f64, rounds: usize) {
    let losses = all.losses().unwrap();
    assert_eq!((all.count_rounds(), losses.len()), (rounds, rounds));
    let square = |loss: &PrivacyLoss| match loss {
        PrivacyLoss::Gaussian(mu) => mu.get().powi(2),
        _ => f64::INFINITY,
    };
    let total = losses.iter().map(square).sum::<f64>().sqrt();
    assert!(total <= mu && total > mu * (1.0 - 1e-9), "{total}");
}

#[test]
fn all_rounds_are_paid_for_by_one_budget_and_no_more() {
    for (sizes, mu, rounds) in [(vec![200; 5], 1.0, 9), (vec![3, 9, 4], 1.0, 2)] {
        let mean = mean(sizes, Sharing::Sites { honest: 2 }, mu).unwrap();
        let all = mean.rounds();
        assert_paid_by(all, mu, rounds);
        let paid = || Ledger::in_memory(None).charge_part(mean.price().charged()).unwrap();
        assert!(all.part(paid(), rounds - 1).is_ok() && all.part(paid(), rounds).is_err());
    }
}

/// Five sites of 60: with four honest shares of five the noise has 1.25 times the variance; apart, five times.
#[test]
fn five_sites_are_nearly_one_place_and_apart_as_one_at_the_fifth_of_the_squared_budget() {
    let (people, truth) = people(300, 1);
    let basis = Basis::new(DISK, 3);
    let central = |mu: f64| {
        let mean = crate::mechanism::functional::TwoRoundMean::new(
            basis.clone(),
            vec![0.1; basis.len()],
            1.0,
            Mu::new(mu).unwrap(),
            300,
        );
        error(&mean.unwrap(), &people, &truth)
    };
    let sites = |sharing| error(&mean(vec![60; 5], sharing, 2.0).unwrap(), &people, &truth);
    let (one, fifth) = (central(2.0), central(2.0 / 5f64.sqrt()));
    let shared = sites(Sharing::Sites { honest: 4 });
    let aggregated = sites(Sharing::Aggregators);
    let apart = sites(Sharing::Each);
    // Twenty-four draws: the ratio of two such errors is known within about 8 %.
    let root = |a: f64, b: f64| (a / b).sqrt();
    assert!((0.95..1.2).contains(&root(shared, one)), "{}", root(shared, one));
    assert!((1.05..1.6).contains(&root(aggregated, one)), "{}", root(aggregated, one));
    assert!((0.85..1.15).contains(&root(apart, fifth)), "{}", root(apart, fifth));
}

/// Half of the people have no usable record: told of all sites together, whatever is shared, and in the stated error.
#[test]
fn what_cannot_be_used_is_told_over_sites() {
    let (mut people, _) = people(1200, 2);
    people.iter_mut().flatten().flatten().for_each(|x| *x += 0.02);
    let truth = |people: &[Option<Vec<f64>>]| -> Vec<f64> {
        let usable: Vec<&Vec<f64>> = people.iter().flatten().collect();
        (0..usable[0].len()).map(|j| usable.iter().map(|x| x[j]).sum::<f64>() / usable.len() as f64).collect()
    };
    people.iter_mut().step_by(2).for_each(|one| *one = None);
    let truth = truth(&people);
    for sharing in [Sharing::Sites { honest: 2 }, Sharing::Aggregators, Sharing::Each] {
        let mechanism = mean(vec![800, 300, 100], sharing, 6.0).unwrap();
        let mut noise = NoiseSource::seeded(5);
        let released = release(&mechanism, &people, &mut Ledger::in_memory(None), &mut noise).unwrap().value;
        let told = released.unseen.unwrap();
        assert!((0.46..0.5).contains(&told.unusable) && told.filled == 0.0, "{sharing:?}: {told:?}");
        let off: f64 = released.samples.iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum();
        let ratio = (released.errors.iter().sum::<f64>() / off).sqrt();
        assert!((0.7..1.5).contains(&ratio), "{sharing:?}: stated/true {ratio}");
    }
}

#[test]
fn sites_of_unequal_size_are_weighed_by_what_they_know() {
    let sizes = vec![200u64, 50, 10];
    let mean = mean(sizes.clone(), Sharing::Each, 1.0).unwrap().rounds;
    let round = mean.next(&[]).unwrap().unwrap();
    let dim = round.noise().clip().dimension();
    let answer =
        |steps: [i128; 3]| Answer::Apart(steps.iter().enumerate().map(|(i, k)| (i, vec![*k; dim])).collect());
    // Sites that say the same have that for a result, whatever their weights.
    let same = round.result(&answer([200_000, 50_000, 10_000]), mean.sites()).unwrap();
    let one = round.noise().clip().to_f64(1000);
    assert!(same.values.iter().all(|x| (x / one - 1.0).abs() < 1e-12));
    // No more noise than in the plain mean of all people, and much less than if sites counted alike.
    let sigmas = round.sigmas(&same, mean.sites());
    let pooled = round.noise().sigma(3) / 260.0;
    let alike = round.noise().sigma(1) / 3.0 * sizes.iter().map(|n| (*n as f64).powi(-2)).sum::<f64>().sqrt();
    assert!(sigmas.iter().all(|s| *s <= pooled * (1.0 + 1e-9) && *s < 0.3 * alike));
}

#[test]
fn sites_may_come_and_go_between_rounds_but_not_too_many() {
    let whole = mean(vec![100; 4], Sharing::Sites { honest: 2 }, 1.0).unwrap();
    let mean = whole.rounds();
    let round = mean.next(&[]).unwrap().unwrap();
    let dim = round.noise().clip().dimension();
    let pooled = |sites: Vec<usize>| Answer::Pooled { sites, sum: vec![3_000_000; dim] };
    let three = round.result(&pooled(vec![0, 1, 3]), mean.sites()).unwrap();
    let second = mean.next(std::slice::from_ref(&three)).unwrap().unwrap();
    assert_eq!(second.kind(), RoundKind::Count { number: 1 });
    for sites in [vec![0, 1], vec![1, 0, 2], vec![0, 1, 1], vec![0, 1, 4]] {
        let refused = round.result(&pooled(sites), mean.sites()).unwrap_err().to_string();
        assert!(refused.contains("sites"), "{refused}");
    }
    assert!(round.result(&Answer::Pooled { sites: vec![0, 1, 2], sum: vec![0; 3] }, mean.sites()).is_err());
    assert!(round.result(&Answer::Apart(vec![(0, vec![0; dim]), (1, vec![0; dim])]), mean.sites()).is_err());
    assert!(whole.finish(&[three]).is_err());
}

#[test]
fn what_cannot_be_planned_is_refused() {
    assert!(mean(vec![5, 5, 5], Sharing::Sites { honest: 3 }, 1.0).is_err());
    assert!(mean(vec![5, 5, 5], Sharing::Sites { honest: 0 }, 1.0).is_err());
    assert!(mean(vec![5, 0, 5], Sharing::Sites { honest: 2 }, 1.0).is_err());
    assert!(mean(vec![], Sharing::Each, 1.0).is_err());
    assert!(mean(vec![5], Sharing::Aggregators, 1.0).is_err());
    assert!(mean(vec![5], Sharing::Each, 1.0).is_ok());
}
