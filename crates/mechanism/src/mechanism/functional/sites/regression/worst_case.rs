//! A person with the same covariates and the opposite record: orthogonal z, and opposite vectors for the rough centre; as many sites silent as may be.

use super::super::{Sharing, Sites, SitesRounds};
use super::{RegressedPeople, SitesRegression, TITLE};
use crate::estimate::design::{Covariate, Design, Kind};
use crate::function::{Basis, Domain};
use crate::mechanism::MechanismError;
use crate::mechanism::vector::NoisedRegression;
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry = Entry {
    name: "sites-regression",
    title: TITLE,
    proof: include_str!("proof.md"),
    scale,
    worst_cases: &[WorstCase { name: "sites-regression", make: audit, loss: whole, runs: 20_000 }],
};

const CIRCLE: Domain = Domain::Circle { samples: 6 };
const LENGTH: usize = 12;
const TEMPLATE: f64 = 0.25;
/// Enough people for a covariate, and few enough for a public radius: then all of the budget goes into what is looked at here.
const PEOPLE: [u64; 3] = [12, 9, 14];

pub(super) fn design() -> Result<Design, MechanismError> {
    let kind = Kind::Linear { lower: -1.0, upper: 1.0 };
    let covariates = vec![Covariate { name: "age".into(), kind }];
    Design::new(covariates).map_err(|_| MechanismError::Shape("this is a design"))
}

/// Only as many shares of noise are drawn as must be honest: what one sees who knows the others.
pub(super) fn mechanism(honest: u64, sizes: &[u64], mu: Mu) -> Result<SitesRegression, MechanismError> {
    let sites = Sites { sizes: sizes.to_vec(), sharing: Sharing::Sites { honest } };
    let template = (Basis::new(CIRCLE, 2), vec![TEMPLATE; LENGTH]);
    let regression = SitesRegression::new(template, design()?, mu, sites)?;
    let rounds = SitesRounds { drawing: honest as usize, ..regression.rounds };
    Ok(SitesRegression { rounds, ..regression })
}

/// A record far outside both balls beside others that count as zero. Looked at is the direction in which the two matrices of the last round
/// differ, alone and with what the rough centre tells.
fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let mu = Mu::new(parameter)?;
    let mechanism = mechanism(2, &PEOPLE, mu).map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let leading = mechanism.functional.coordinates();
    let (columns, k) =
        (mechanism.functional.mechanism().columns(), mechanism.functional.mechanism().dimension());
    let n = PEOPLE.iter().sum::<u64>() as usize;
    let [one, other] = [1.0, -1.0].map(|sign: f64| {
        let mut coordinates = vec![0.0; leading.len()];
        coordinates[0] = sign * 1e9;
        let record: Vec<f64> = leading.displacement(&coordinates).iter().map(|d| TEMPLATE + d).collect();
        let mut people = RegressedPeople { functions: vec![None; n], rows: vec![vec![0.0; columns]; n] };
        (people.functions[0], people.rows[0][0]) = (Some(record), 1e9);
        people
    });
    let own = &mechanism.rounds;
    let (first, second) = (own.rounds.first.get(), own.rounds.second.get());
    let (public, n) = (own.public.get(), n as f64);
    // How far the rough mean moves over its variance, with K′ shares in.
    let rough = 2.0 * public / n / (2.0 * public / (n * first)).powi(2);
    let look = move |released: &Released<NoisedRegression>| {
        let value = &released.value;
        // The one entry of z zᵀ that differs, ½ against −½: covariate by vector. Of standard deviation 1/(nμ₂).
        debug_assert_eq!(value.moments.size(), columns + k);
        let matrix = value.moments.entries[columns] * (n * second).powi(2) / n;
        vec![matrix + value.recentred.centre[0] * rough, matrix]
    };
    PairAudit::boxed(name, mechanism, [one, other], |people| people, Box::new(look))
}

/// The noise of the last round of people who count as zero, K′ shares in: on the diagonal, above it; each over what the proof says.
pub(super) fn scales(seed: u64, draws: usize) -> Result<[ScaleCheck; 2], Box<dyn std::error::Error>> {
    let mu = 0.7;
    let sizes = [8u64, 7, 8, 7];
    let mechanism = mechanism(3, &sizes, Mu::new(mu)?)?;
    let n: u64 = sizes.iter().sum();
    let sigma = 2.0f64.sqrt() / (n as f64 * mechanism.rounds.rounds.second.get());
    let columns = mechanism.functional.mechanism().columns();
    let people =
        RegressedPeople { functions: vec![None; n as usize], rows: vec![vec![0.0; columns]; n as usize] };
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), [const { Vec::new() }; 2]);
    for _ in 0..draws {
        let moments = release(&mechanism, &people, &mut Ledger::in_memory(None), &mut noise)?.value.moments;
        let (mut entries, d) = (moments.entries.iter(), moments.size());
        for i in 0..d {
            for (j, x) in (i..d).zip(&mut entries) {
                squares[usize::from(i != j)].push(x * x);
            }
        }
    }
    let half = sigma * sigma / 2.0;
    Ok([ScaleCheck::of_squares(&squares[0], sigma * sigma), ScaleCheck::of_squares(&squares[1], half)])
}

/// The one of the two that is farther off.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    ScaleCheck::farthest(scales(seed, 600)?)
}
