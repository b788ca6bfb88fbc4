//! Budgets, extremal pairs, means and moments of the right records.

use super::*;
use crate::privacy::noise::MomentSum;
use crate::privacy::{ClipSource, Ledger, release};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

fn groups(aim: GroupAim, of: Vec<usize>, mu: f64) -> Result<VectorGroups, MechanismError> {
    let public = ClipRadius::new(1.5, ClipSource::Public).unwrap();
    VectorGroups::new(aim, GroupLabels::new(of)?, vec![1.0, 0.5, 0.25], public, Mu::new(mu).unwrap())
}

#[test]
fn the_parts_pay_for_the_whole_whatever_the_number_of_groups() {
    for (aim, n, of, mu) in [
        (GroupAim::Map, 20, 2, 0.3),
        (GroupAim::Map, 300, 5, 1.0),
        (GroupAim::Test, 90, 3, 1.0),
        (GroupAim::Test, 20, 2, 1.0),
    ] {
        let mechanism = groups(aim, (0..n).map(|i| i % of).collect(), mu).unwrap();
        let total = mechanism.price().parts.mu().unwrap().unwrap().get();
        assert!(total <= mu && total > mu * (1.0 - 1e-9), "{aim:?} {n}: {total}");
        let counted = n as f64 * mu >= if aim == GroupAim::Map { 100.0 } else { 60.0 };
        assert_eq!((mechanism.counts_radius(), mechanism.price().clip.is_none()), (counted, counted));
        assert!(mechanism.price().statistic.contains("within its group"));
    }
}

#[test]
fn one_group_and_groups_of_one_are_refused() {
    for (of, what) in [
        (vec![0, 0, 0], "two groups"),
        (vec![], "two groups"),
        (vec![0, 0, 1], "two records"),
        (vec![0, 0, 2, 2], "two records"),
        (vec![9, 9], "two groups"),
    ] {
        let problem = GroupLabels::new(of).unwrap_err().to_string();
        assert!(problem.contains(what), "{problem}");
    }
}

/// At a large budget the moments are those of the group's own records, about the centre.
#[test]
fn every_group_has_its_own_records() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut normal = || -> f64 { 0.1 * Distribution::<f64>::sample(&StandardNormal, &mut rng) };
    let of: Vec<usize> = (0..600).map(|i| usize::from(i % 3 == 0)).collect();
    let records: Vec<Option<Vec<f64>>> = of
        .iter()
        .enumerate()
        .map(|(i, &g)| (i % 7 != 0).then(|| vec![normal() + 0.2 * g as f64, normal(), normal() - 0.1]))
        .collect();
    let mechanism = groups(GroupAim::Map, of.clone(), 200.0).unwrap();
    let mut noise = NoiseSource::seeded(4);
    let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise).unwrap();
    let NoisedGroups { recentred, groups, unusable } = &released.value;
    assert!(unusable.iter().all(|share| (0.13..0.145).contains(share)), "{unusable:?}");
    for (g, found) in groups.iter().enumerate() {
        let own: Vec<Vec<f64>> = records
            .iter()
            .zip(&of)
            .filter(|(_, of)| **of == g)
            .map(|(record, _)| recentred.about(record.as_deref()))
            .collect();
        let n = own.len() as f64;
        for j in 0..3 {
            let mean = own.iter().map(|u| u[j]).sum::<f64>() / n;
            // A few records in a hundred are shortened a little.
            assert!((found.mean[j] - mean).abs() < 4e-3, "{g} {j}: {} {mean}", found.mean[j]);
        }
        let square = own.iter().map(|u| u[0] * u[0]).sum::<f64>() / n;
        assert!((found.second.diagonal()[0] / square - 1.0).abs() < 0.1, "{g}");
    }
    // Centre, radius, and a part for each group, each with the noise of its size.
    let whats: Vec<&str> = released.parts.iter().map(|part| &part.what[..]).collect();
    assert!(whats.len() == 4 && whats[3].contains("group 2 of 2"), "{whats:?}");
    let sigma = [2, 3].map(|i: usize| released.parts[i].noise.scale);
    approx::assert_relative_eq!(sigma[1] / sigma[0], 2.0, max_relative = 1e-6);
}

/// A record moves its own group's sums by what the noise of that group allows, and no other group's at all.
#[test]
fn one_record_moves_its_own_group_only_and_by_no_more_than_mu() {
    let mechanism = groups(GroupAim::Map, vec![0, 0, 1, 1, 1], 0.8).unwrap();
    let recentred = Recentred {
        centre: vec![0.3, -0.2, 0.1],
        rest: Default::default(),
        error: 0.0,
        radius: ClipRadius::new(0.7, ClipSource::Public).unwrap(),
        unseen: Default::default(),
    };
    let with = |record: Vec<f64>| {
        let mut records = vec![Some(vec![0.1, 0.1, 0.1]); 5];
        records[1] = Some(record);
        mechanism.sums(&recentred, &records[..].into(), 0).unwrap()
    };
    // At s = 2 opposite records are the extremal pair.
    let (one, other) = (with(vec![1e6, 0.0, 0.0]), with(vec![-1e6, 0.0, 0.0]));
    let exact = |sums: &[(ClippedMoments, MomentSum)], g: usize| {
        let (moments, sum) = &sums[g];
        let paid = Ledger::in_memory(None).charge("test", PrivacyLoss::NonPrivate).unwrap();
        // The same noise for both, which cancels.
        moments.noised(sum, &mut NoiseSource::seeded(9), paid).unwrap()
    };
    let (a, b) = (exact(&one, 0), exact(&other, 0));
    let moved = a.mean.iter().zip(&b.mean).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    let loss = moved / a.mean_sigma;
    let allowed = mechanism.recentring.second().get();
    assert!(loss <= allowed * (1.0 + 1e-9) && loss > allowed * (1.0 - 1e-6), "{loss} {allowed}");
    assert_eq!(exact(&one, 1), exact(&other, 1));
}
