//! People far out in one direction at all sites, and one there or where both moments together tell it most; as many sites silent as may be.

use super::super::rounds::Centre;
use super::super::worst_case::as_counted;
use super::super::{Sharing, Sites, SitesRounds};
use super::{SitesModes, TITLE};
use crate::function::{Basis, Domain};
use crate::mechanism::MechanismError;
use crate::mechanism::vector::NoisedModes;
use crate::mechanism::vector::modes::{RATIO, SHARES};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "sites-modes",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: &[WorstCase { name: "sites-modes", make: audit, loss, runs: 20_000 }],
};

const CIRCLE: Domain = Domain::Circle { samples: 6 };
const LENGTH: usize = 12;
const TEMPLATE: f64 = 0.25;
/// Few enough people for a public radius: then all of the budget goes into what is looked at here.
const PEOPLE: [u64; 3] = [8, 6, 10];
/// Unit vectors whose cosine is −s/2, at which the last round tells most.
const COSINE: f64 = -0.5 * RATIO;

/// Only as many shares of noise are drawn as must be honest: what one sees who knows the others.
pub(super) fn mechanism(honest: u64, sizes: &[u64], mu: Mu) -> Result<SitesModes, MechanismError> {
    let sites = Sites { sizes: sizes.to_vec(), sharing: Sharing::Sites { honest } };
    let modes = SitesModes::new(Basis::new(CIRCLE, 2), vec![TEMPLATE; LENGTH], mu, sites)?;
    let rounds = SitesRounds { drawing: honest as usize, ..modes.rounds };
    Ok(SitesModes { rounds, ..modes })
}

/// As for modes in one place: all lie so far out that the clip leaves directions only.
fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let mu = Mu::new(parameter)?;
    let mechanism = mechanism(2, &PEOPLE, mu).map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let leading = mechanism.functional.coordinates();
    let (k, n) = (leading.len(), PEOPLE.iter().sum::<u64>() as usize);
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
    // The noise that K′ shares have.
    let missing = (2.0f64 / PEOPLE.len() as f64).sqrt();
    let pair = [with(one), with(other)];
    let look = move |released: &Released<NoisedModes>| {
        let NoisedModes { recentred, moments } = &released.value;
        let along = |x: &[f64]| x.iter().zip(across).map(|(x, d)| x * d).sum::<f64>();
        // In each part: the difference that the record makes over the variance of the noise.
        let rough = along(&recentred.centre) * public / first_sigma.powi(2);
        let tau = recentred.radius.get();
        let mean = along(&moments.mean) * tau / (missing * moments.mean_sigma).powi(2);
        let entries = [
            moments.second.entries[0],
            moments.second.entries[1],
            moments.second.entries[moments.mean.len()],
        ];
        let matrix: f64 = entries
            .iter()
            .zip([1.0, 2.0, 1.0])
            .zip(p.iter().zip(q))
            // Entries above the diagonal have half the variance.
            .map(|((x, twice), (p, q))| x * twice * (p - q))
            .sum::<f64>()
            * (tau / (missing * moments.second.sigma)).powi(2);
        vec![rough + mean + matrix, mean + matrix]
    };
    PairAudit::boxed(name, mechanism, pair, |records| records, Box::new(look))
}

/// All of the last round, and of the first what vectors tell that are not opposite.
fn loss(parameter: f64) -> f64 {
    parameter * (1.0 - SHARES.first * 0.5 * (1.0 + COSINE)).sqrt()
}

/// The noise of the last round of records that are the template, K′ shares in: of the mean, of the diagonal, above it; each over what the proof says.
pub(super) fn scales(seed: u64, draws: usize) -> Result<[ScaleCheck; 3], Box<dyn std::error::Error>> {
    let mu = 0.7;
    let mechanism = mechanism(3, &[1; 4], Mu::new(mu)?)?;
    let own = &mechanism.rounds;
    let (tau, mu_second) = (own.rounds.uncounted(own.public)?, own.rounds.second.get());
    let matrix = 2.0f64.sqrt() * tau.get().powi(2) / (4.0 * mu_second) * (1.0 + 0.5 * RATIO);
    let sigmas = [matrix / (tau.get() * RATIO.sqrt()), matrix, matrix / 2.0f64.sqrt()];
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), [const { Vec::new() }; 3]);
    let records = vec![Some(vec![TEMPLATE; LENGTH]); 4];
    for _ in 0..draws {
        let NoisedModes { recentred, moments } =
            release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?.value;
        let centre = Centre {
            values: recentred.centre,
            error: recentred.error,
            rest: recentred.rest,
            unseen: recentred.unseen,
        };
        let y = as_counted(&[TEMPLATE; LENGTH], own, &centre, tau)?;
        squares[0].extend(moments.mean.iter().zip(&y).map(|(x, y)| (x - y).powi(2)));
        let mut entries = moments.second.entries.iter();
        for i in 0..y.len() {
            for (j, x) in (i..y.len()).zip(&mut entries) {
                squares[if i == j { 1 } else { 2 }].push((x - y[i] * y[j]).powi(2));
            }
        }
    }
    Ok([0, 1, 2].map(|part: usize| ScaleCheck::of_squares(&squares[part], sigmas[part].powi(2))))
}

/// The one of the three that is farthest off.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    ScaleCheck::farthest(scales(seed, 700)?)
}
