//! Records far out in one direction, and a last one there or where both moments together tell it most.

use super::{NoisedModes, RATIO, SHARES, TITLE, VectorModes};
use crate::mechanism::MechanismError;
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry =
    Entry { name: "modes", title: TITLE, proof: include_str!("proof.md"), scale, worst_cases: WORST_CASES };

const WORST_CASES: &[WorstCase] = &[WorstCase { name: "modes", make: audit, loss, runs: 100_000 }];

const RADIUS: f64 = 2.0;

pub(super) fn mechanism(n: u64, mu: Mu) -> Result<VectorModes, MechanismError> {
    VectorModes::new(vec![1.0, 1.0], ClipRadius::new(RADIUS, ClipSource::Public)?, n, mu)
}

/// Unit vectors whose cosine is −s/2, at which the second round tells most.
const COSINE: f64 = -0.5 * RATIO;

/// Few enough records for a public radius: then all of the budget goes into what is looked at here.
const RECORDS: u64 = 24;

/// All records lie so far out that the clip leaves directions only, in either round and whatever the centre. The many lie in the direction
/// of one of the two: the rough mean is then well above its noise, and the shrunk centre keeps what the first round has drawn.
fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let mu = Mu::new(parameter)?;
    let mechanism = mechanism(RECORDS, mu).map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let (one, other) = ([1.0, 0.0], [COSINE, (1.0f64 - COSINE * COSINE).sqrt()]);
    let with = |u: [f64; 2]| {
        let mut records = vec![Some(vec![1e9, 0.0]); RECORDS as usize];
        records[0] = Some(vec![1e9 * u[0], 1e9 * u[1]]);
        records
    };
    let across = [one[0] - other[0], one[1] - other[1]];
    let products = |u: [f64; 2]| [u[0] * u[0], u[0] * u[1], u[1] * u[1]];
    let (p, q) = (products(one), products(other));
    let first_sigma = 2.0 * RADIUS / (RECORDS as f64 * mechanism.recentring.first().get());
    let look = move |released: &Released<NoisedModes>| {
        let NoisedModes { recentred, moments } = &released.value;
        let along = |x: &[f64]| x.iter().zip(across).map(|(x, d)| x * d).sum::<f64>();
        // In each part: the difference that the record makes over the variance of the noise.
        let rough = along(&recentred.centre) * RADIUS / first_sigma.powi(2);
        let tau = recentred.radius.get();
        let mean = along(&moments.mean) * tau / moments.mean_sigma.powi(2);
        let matrix: f64 = moments
            .second
            .entries
            .iter()
            .zip([1.0, 2.0, 1.0])
            .zip(p.iter().zip(q))
            // Entries above the diagonal have half the variance.
            .map(|((x, twice), (p, q))| x * twice * (p - q))
            .sum::<f64>()
            * (tau / moments.second.sigma).powi(2);
        vec![rough + mean + matrix, mean + matrix]
    };
    PairAudit::boxed(name, mechanism, [with(one), with(other)], |records| &records[..], Box::new(look))
}

/// All of the second round, and of the first what vectors tell that are not opposite.
pub(in crate::mechanism) fn loss(parameter: f64) -> f64 {
    parameter * (1.0 - SHARES.first * 0.5 * (1.0 + COSINE)).sqrt()
}

/// The noise of the second round of records that all failed: of the mean, of the diagonal, above it; each over what the proof says.
pub(super) fn scales(seed: u64, draws: usize) -> Result<[ScaleCheck; 3], Box<dyn std::error::Error>> {
    let (mu, n) = (0.7, 4u64);
    let mechanism = mechanism(n, Mu::new(mu)?)?;
    let tau = SHARES.uncounted * RADIUS;
    let own = mu * (1.0 - SHARES.first).sqrt();
    let matrix = 2.0f64.sqrt() * tau * tau / (n as f64 * own) * (1.0 + 0.5 * RATIO);
    let sigmas = [matrix / (tau * RATIO.sqrt()), matrix, matrix / 2.0f64.sqrt()];
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), [const { Vec::new() }; 3]);
    for _ in 0..draws {
        let records = vec![None; n as usize];
        let NoisedModes { recentred, moments } =
            release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?.value;
        // The origin as seen from the private centre.
        let mut y = recentred.about(None);
        let length = y.iter().map(|x| x * x).sum::<f64>().sqrt();
        y.iter_mut().for_each(|x| *x *= if length > tau { tau / length } else { 1.0 });
        let [first, above, last] = moments.second.entries[..] else { return Err("not 2 × 2".into()) };
        squares[0].extend(moments.mean.iter().zip(&y).map(|(x, y)| (x - y).powi(2)));
        squares[1].extend([(first - y[0] * y[0]).powi(2), (last - y[1] * y[1]).powi(2)]);
        squares[2].push((above - y[0] * y[1]).powi(2));
    }
    Ok([0, 1, 2].map(|part: usize| ScaleCheck::of_squares(&squares[part], sigmas[part].powi(2))))
}

/// The one of the three that is farthest off.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    ScaleCheck::farthest(scales(seed, 6000)?)
}
