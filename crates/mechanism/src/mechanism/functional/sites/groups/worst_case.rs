//! People far out in one direction at all sites, and one of the first group there or nearly opposite; as many sites silent as may be.

use super::super::rounds::Centre;
use super::super::worst_case::as_counted;
use super::super::{Sharing, Sites, SitesRounds};
use super::{SiteGroups, SitesGroups, TITLE};
use crate::function::{Basis, Domain};
use crate::mechanism::MechanismError;
use crate::mechanism::vector::{GroupAim, NoisedGroups};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase};
use crate::privacy::noise::{ClippedMoments, NoiseSource};
use crate::privacy::{Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "sites-groups",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: &[WorstCase { name: "sites-groups", make: audit, loss, runs: 20_000 }],
};

const CIRCLE: Domain = Domain::Circle { samples: 6 };
const LENGTH: usize = 12;
const TEMPLATE: f64 = 0.25;
/// Few enough people for a public radius: then all of the budget goes into what is looked at here.
const PEOPLE: [[u64; 2]; 3] = [[3, 5], [4, 2], [1, 9]];
/// Unit vectors of cosine c are told apart by √(1 − (1 + c)²/4) of the claim, means and products together: the most at −1, where products do not
/// differ at all. Here it is .98, and products make up a sixth of its square.
const COSINE: f64 = -0.6;

/// Only as many shares of noise are drawn as must be honest: what one sees who knows the others.
pub(super) fn mechanism(honest: u64, groups: &[[u64; 2]], mu: Mu) -> Result<SitesGroups, MechanismError> {
    let sizes = groups.iter().map(|[a, b]| a + b).collect();
    let sites = Sites { sizes, sharing: Sharing::Sites { honest } };
    let groups = SiteGroups::new(groups.iter().map(|site| site.to_vec()).collect())?;
    let basis = Basis::new(CIRCLE, 2);
    let all = SitesGroups::new(GroupAim::Map, (&basis, vec![TEMPLATE; LENGTH]), mu, sites, groups)?;
    let rounds = SitesRounds { drawing: honest as usize, ..all.rounds };
    Ok(SitesGroups { rounds, ..all })
}

/// All lie so far out that the clip leaves directions only; the first person, of the first group, with the others or nearly opposite.
fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let mu = Mu::new(parameter)?;
    let no_claim = || AuditError::NoClaim(name.to_owned());
    let mechanism = mechanism(2, &PEOPLE, mu).map_err(|_| no_claim())?;
    let (leading, _) = mechanism.functional.map_parts().ok_or_else(no_claim)?;
    let (k, n) = (leading.len(), PEOPLE.iter().flatten().sum::<u64>() as usize);
    let (one, other) = ([1.0, 0.0], [COSINE, (1.0f64 - COSINE * COSINE).sqrt()]);
    let face = |u: [f64; 2]| {
        let mut coordinates = vec![0.0; k];
        coordinates[..2].copy_from_slice(&[1e9 * u[0], 1e9 * u[1]]);
        Some(leading.displacement(&coordinates).iter().map(|d| TEMPLATE + d).collect::<Vec<f64>>())
    };
    let with = |u: [f64; 2]| {
        let mut records = vec![face(one); n];
        records[0] = face(u);
        records
    };
    let across = [one[0] - other[0], one[1] - other[1]];
    let products = |u: [f64; 2]| [u[0] * u[0], u[0] * u[1], u[1] * u[1]];
    let (p, q) = (products(one), products(other));
    let public = mechanism.rounds.public.get();
    let first_sigma = 2.0 * public / (n as f64 * mechanism.rounds.rounds.first.get());
    let own = PEOPLE.iter().map(|[a, _]| *a as f64).sum::<f64>();
    // The noise that K′ shares have.
    let missing = (2.0f64 / PEOPLE.len() as f64).sqrt();
    let pair = [with(one), with(other)];
    let look = move |released: &Released<NoisedGroups>| {
        let NoisedGroups { recentred, groups, .. } = &released.value;
        let (group, tau) = (&groups[0], recentred.radius.get());
        let along = |x: &[f64]| x.iter().zip(across).map(|(x, d)| x * d).sum::<f64>();
        // In each part: the difference that the record makes over the variance of the noise.
        let rough = along(&recentred.centre) * public / n as f64 / first_sigma.powi(2);
        let mean = along(&group.mean) * tau / own / (missing * group.mean_sigma).powi(2);
        let size = group.second.size();
        let entries = [group.second.entries[0], group.second.entries[1], group.second.entries[size]];
        let matrix: f64 = entries
            .iter()
            .zip([1.0, 2.0, 1.0])
            .zip(p.iter().zip(q))
            // Entries above the diagonal have half the variance.
            .map(|((x, twice), (p, q))| x * twice * (p - q))
            .sum::<f64>()
            * tau.powi(2)
            / own
            / (missing * group.second.sigma).powi(2);
        vec![rough + mean + matrix, mean + matrix]
    };
    PairAudit::boxed(name, mechanism, pair, |records| records, Box::new(look))
}

/// What such vectors tell in the last round, and in the first.
fn loss(parameter: f64) -> f64 {
    let first = GroupAim::Map.shares(1.0).first;
    let last = 1.0 - 0.25 * (1.0 + COSINE).powi(2);
    parameter * (first * 0.5 * (1.0 - COSINE) + (1.0 - first) * last).sqrt()
}

/// The noise of the last round of records that are the template, K′ shares in: of both groups' means, of the diagonals, above them; each over what the
/// proof says.
pub(super) fn scales(seed: u64, draws: usize) -> Result<[ScaleCheck; 3], Box<dyn std::error::Error>> {
    let mu = 0.7;
    let sizes = [[1, 1], [2, 1], [1, 1], [1, 2]];
    let mechanism = mechanism(3, &sizes, Mu::new(mu)?)?;
    let own = &mechanism.rounds;
    let (tau, mu_second) = (own.rounds.uncounted(own.public)?, own.rounds.second.get());
    let free = ClippedMoments::FREE;
    let matrix = 2.0f64.sqrt() * tau.get().powi(2) / mu_second * (1.0 + 0.5 * free);
    let sigmas = [matrix / (tau.get() * free.sqrt()), matrix, matrix / 2.0f64.sqrt()];
    let people = [5.0, 5.0];
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), [const { Vec::new() }; 3]);
    let records = vec![Some(vec![TEMPLATE; LENGTH]); 10];
    for _ in 0..draws {
        let NoisedGroups { recentred, groups, .. } =
            release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?.value;
        let centre = Centre {
            values: recentred.centre,
            error: recentred.error,
            rest: recentred.rest,
            unseen: recentred.unseen,
        };
        let y = as_counted(&[TEMPLATE; LENGTH], own, &centre, tau)?;
        for (group, n) in groups.iter().zip(people) {
            let mut push = |part: usize, off: f64| squares[part].push((off * n / sigmas[part]).powi(2));
            group.mean.iter().zip(&y).for_each(|(x, y)| push(0, x - y));
            let (mut entries, k) = (group.second.entries.iter(), group.second.size());
            for i in 0..k {
                for (j, x) in (i..k).zip(&mut entries) {
                    push(usize::from(i != j) + 1, x - y[i] * y[j]);
                }
            }
        }
    }
    Ok([0, 1, 2].map(|part: usize| ScaleCheck::of_squares(&squares[part], 1.0)))
}

/// The one of the three that is farthest off.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    ScaleCheck::farthest(scales(seed, 400)?)
}
