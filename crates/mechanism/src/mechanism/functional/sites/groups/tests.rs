//! Groups over sites are those of all people together.

use super::worst_case::{mechanism as few, scales};
use super::*;
use crate::function::Domain;
use crate::mechanism::functional::{Answer, RoundKind, Sharing, SitePeople};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, PrivacyLoss, release};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const CIRCLE: Domain = Domain::Circle { samples: 8 };

fn groups(
    aim: GroupAim,
    sizes: &[[u64; 2]],
    sharing: Sharing,
    mu: f64,
) -> Result<SitesGroups, MechanismError> {
    let sites = Sites { sizes: sizes.iter().map(|[a, b]| a + b).collect(), sharing };
    let of = SiteGroups::new(sizes.iter().map(|site| site.to_vec()).collect())?;
    SitesGroups::new(aim, (&Basis::new(CIRCLE, 2), vec![0.3; 16]), Mu::new(mu).unwrap(), sites, of)
}

fn drawn(groups: &SitesGroups, records: &Vec<Option<Vec<f64>>>, seed: u64) -> NoisedGroups {
    release(groups, records, &mut Ledger::in_memory(None), &mut NoiseSource::seeded(seed)).unwrap().value
}

/// People site after site, the first group's first; the second group's are moved in every other sample.
fn people(sizes: &[[u64; 2]]) -> (Vec<Option<Vec<f64>>>, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let labels: Vec<usize> =
        sizes.iter().flat_map(|[a, b]| [vec![0; *a as usize], vec![1; *b as usize]].concat()).collect();
    let one = |&g: &usize| {
        let moved = 0.008 * g as f64;
        Some((0..16).map(|j| 0.302 + moved * f64::from(j % 2) + 0.004 * normal()).collect())
    };
    (labels.iter().map(one).collect(), labels)
}

/// With next to no noise, whoever adds it, each group's moments are those of its own people's clipped deviations from the centre.
#[test]
fn moments_are_those_of_each_groups_people_whoever_adds_the_noise() {
    let sizes = [[900, 600], [0, 900], [350, 250]];
    let (mut people, labels) = people(&sizes);
    people[7] = None;
    people[9] = Some(vec![1e300; 16]);
    for sharing in [Sharing::Sites { honest: 2 }, Sharing::Aggregators, Sharing::Each] {
        let mechanism = groups(GroupAim::Map, &sizes, sharing, 15.0).unwrap();
        let NoisedGroups { recentred, groups, .. } = drawn(&mechanism, &people, 1);
        let (leading, _) = mechanism.functional.map_parts().unwrap();
        for (g, found) in groups.iter().enumerate() {
            let (k, tau) = (leading.len(), recentred.radius.get());
            let (mut mean, mut square, mut n) = (vec![0.0; k], 0.0, 0.0);
            for person in people.iter().zip(&labels).filter(|(_, of)| **of == g).map(|(person, _)| person) {
                n += 1.0;
                let Some(person) = person else { continue };
                let mut y = leading.coordinates(person);
                y.iter_mut().zip(&recentred.centre).for_each(|(y, c)| *y -= c);
                let largest = y.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                let length = y.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
                let factor = (tau / length / largest).min(1.0);
                mean.iter_mut().zip(&y).for_each(|(m, y)| *m += factor * y);
                square += (factor * y[0]).powi(2);
            }
            for (found, sum) in found.mean.iter().zip(mean) {
                assert!((found - sum / n).abs() < 1e-3 * tau, "{sharing:?} {g} {found} {}", sum / n);
            }
            let (found, second) = (found.second.diagonal()[0], &found.second);
            assert!((found - square / n).abs() < 5.0 * second.sigma + 1e-9, "{sharing:?} {g} {found}");
            assert!(second.is_consistent());
        }
    }
}

/// The true difference is found within its band, nearly as in one place, and the test tells it.
#[test]
fn a_difference_is_found_as_in_one_place() {
    let sizes = [[250, 250]; 4];
    let (people, labels) = people(&sizes);
    let sharing = Sharing::Sites { honest: 3 };
    let map = groups(GroupAim::Map, &sizes, sharing, 2.0).unwrap();
    let labels = GroupLabels::new(labels).unwrap();
    let one = |want| {
        let basis = Basis::new(CIRCLE, 2);
        FunctionGroups::new(want, &basis, &[0.3; 16], labels.clone(), 1.0, Mu::new(2.0).unwrap()).unwrap()
    };
    let last = RoundResult { sites: vec![0, 1, 2, 3], values: Vec::new() };
    let found = map.functional(&last).unwrap();
    let found = found.difference(&map.comparison(drawn(&map, &people, 5)), 0, 1).unwrap();
    let central = one(Want::Map);
    let mut noise = NoiseSource::seeded(6);
    let released = release(&central, &people, &mut Ledger::in_memory(None), &mut noise).unwrap().value;
    let central = central.difference(&released, 0, 1).unwrap();
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
    // Both errors are independent but for sampling: ten times their sum is far out.
    let apart = distance(&found.shrunk, &central.shrunk);
    assert!(apart < 10.0 * (found.error + central.error), "{apart} {} {}", found.error, central.error);
    assert!((0.5..2.5).contains(&(found.error / central.error)), "{} {}", found.error, central.error);
    let truth: Vec<f64> = (0..16).map(|j| 0.008 * f64::from(j % 2)).collect();
    let size = distance(&truth, &[0.0; 16]);
    assert!(distance(&found.shrunk, &truth) < 0.1 * size, "{}", distance(&found.shrunk, &truth) / size);
    let test = groups(GroupAim::Test, &sizes, sharing, 2.0).unwrap();
    let tests = test.functional(&last).unwrap().tests(&test.comparison(drawn(&test, &people, 7))).unwrap();
    assert!(tests.p_value < 0.05, "{}", tests.p_value);
}

#[test]
fn noise_of_means_diagonals_and_the_rest_is_as_claimed() {
    for check in scales(12, 400).unwrap() {
        assert!(check.holds() && check.would_notice(), "{check:?}");
    }
}

/// A record moves its own group's entries by what the noise there allows, and no other group's at all.
#[test]
fn one_person_moves_their_own_group_only_and_by_no_more_than_mu() {
    let mechanism = few(2, &[[2, 3], [2, 2], [1, 2]], Mu::new(0.8).unwrap()).unwrap();
    let k = mechanism.functional.map_parts().unwrap().0.len();
    let first =
        RoundResult { sites: vec![0, 1, 2], values: vec![0.0; k + crate::mechanism::unseen::COORDINATES] };
    let round = mechanism.rounds.next(std::slice::from_ref(&first)).unwrap().unwrap();
    assert_eq!(round.kind(), RoundKind::Groups);
    let loss = *mechanism.rounds.losses().unwrap().last().unwrap();
    let steps = |far: f64| {
        let mut records: Vec<Option<Vec<f64>>> = vec![None; 5];
        records[1] = Some(vec![far; 12]);
        let paid = Ledger::in_memory(None).charge("sum", loss).unwrap();
        let sum = round.sum(&records, SitePeople::Groups(&[0, 0, 1, 1, 1])).unwrap();
        round.noise().to_f64(&round.noise().bare(&sum, &paid).unwrap())
    };
    let (one, other) = (steps(1e6), steps(-1e6));
    let half = one.len() / 2;
    let moved = one[..k].iter().zip(&other[..k]).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    let told = moved / round.noise().sigma(2);
    let PrivacyLoss::Gaussian(allowed) = loss else { panic!("{loss:?}") };
    assert!(told <= allowed.get() && told > 0.999 * allowed.get(), "{told} {allowed:?}");
    assert_eq!(one[half..], other[half..]);
}

#[test]
fn other_groups_than_planned_are_refused() {
    let sharing = Sharing::Sites { honest: 2 };
    assert!(groups(GroupAim::Map, &[[2, 3], [0, 4], [4, 1]], sharing, 1.0).is_ok());
    assert!(groups(GroupAim::Map, &[[1, 3], [0, 4], [0, 1]], sharing, 1.0).is_err());
    assert!(SiteGroups::new(vec![vec![3], vec![4]]).is_err() && SiteGroups::new(vec![]).is_err());
    assert!(SiteGroups::new(vec![vec![3, 1], vec![4, 1, 2]]).is_err());
    let other = SiteGroups::new(vec![vec![3, 1], vec![4, 1]]).unwrap();
    let sites = Sites { sizes: vec![4, 6], sharing: Sharing::Each };
    let template = (&Basis::new(CIRCLE, 2), vec![0.3; 16]);
    assert!(SitesGroups::new(GroupAim::Test, template, Mu::new(1.0).unwrap(), sites, other).is_err());
}

/// Labels have to be there, and a group that the surviving sites have no longer cannot be compared.
#[test]
fn labels_and_survivors_are_checked() {
    let sizes = [[9, 3], [0, 9], [0, 9], [9, 0]];
    let mechanism = groups(GroupAim::Map, &sizes, Sharing::Sites { honest: 2 }, 1.0).unwrap();
    let rounds = mechanism.rounds();
    let first = RoundResult {
        sites: vec![0, 1, 2],
        values: vec![0.0; rounds.next(&[]).unwrap().unwrap().noise().dimension()],
    };
    let last = rounds.next(std::slice::from_ref(&first)).unwrap().unwrap();
    let records: Vec<Option<Vec<f64>>> = vec![None; 12];
    assert!(
        last.sum(&records, SitePeople::Records).is_err()
            && last.sum(&records, SitePeople::Groups(&[2; 12])).is_err()
    );
    let of = |sites| Answer::Pooled { sites, sum: vec![0; last.noise().dimension()] };
    assert!(last.result(&of(vec![0, 1, 2]), rounds.sites()).is_ok());
    let refused = groups(GroupAim::Map, &[[9, 3], [0, 9], [0, 9], [0, 9]], Sharing::Sites { honest: 2 }, 1.0);
    let refused = refused.unwrap();
    let last = refused.rounds().next(std::slice::from_ref(&first)).unwrap().unwrap();
    let without = last.result(&of(vec![1, 2, 3]), refused.rounds().sites()).unwrap_err().to_string();
    assert!(without.contains("fewer than two people"), "{without}");
}
