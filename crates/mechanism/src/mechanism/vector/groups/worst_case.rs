//! Records of one group far out on one side, and a last one there too or at the angle at which it tells most.

use super::super::recentring::EXPECTED;
use super::{GroupAim, GroupLabels, NoisedGroups, TITLE, VectorGroups};
use crate::estimate::wiener;
use crate::function::shrink::Expectation;
use crate::mechanism::MechanismError;
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry =
    Entry { name: "groups", title: TITLE, proof: include_str!("proof.md"), scale, worst_cases: WORST_CASES };

const WORST_CASES: &[WorstCase] = &[WorstCase { name: "groups", make: audit, loss: whole, runs: 100_000 }];

const RADIUS: f64 = 2.0;
/// Two in the first group, three in the second.
const LABELS: [usize; 5] = [0, 1, 0, 1, 1];

fn mechanism(mu: Mu, prior: &[f64]) -> Result<VectorGroups, MechanismError> {
    let labels = GroupLabels::new(LABELS.to_vec())?;
    let public = ClipRadius::new(RADIUS, ClipSource::Public)?;
    VectorGroups::new(GroupAim::Map, labels, prior.to_vec(), public, mu)
}

/// The first record, of the first group, lies far out on one side, or on the other; all others are at the origin. What is looked at is the
/// log-likelihood ratio of both rounds, and of each; there is one coordinate, so that the rough mean can be told from the centre.
fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let mu = Mu::new(parameter)?;
    let mechanism = mechanism(mu, &[1.0]).map_err(|_| AuditError::NoClaim(name.to_owned()))?;
    let with = |x: f64| {
        let mut records = vec![Some(vec![0.0]); LABELS.len()];
        records[0] = Some(vec![x]);
        records
    };
    let (n, own) = (LABELS.len() as f64, 2.0);
    let first = parameter * GroupAim::Map.shares(1.0).first.sqrt();
    // Noise of both rounds at the public radius, which so few records have.
    let sigma = [2.0 * RADIUS / (n * first), 2.0 * RADIUS / (own * mechanism.recentring.second().get())];
    let rough = rough_means(sigma[0]);
    let look = move |released: &Released<NoisedGroups>| {
        let NoisedGroups { recentred, groups, .. } = &released.value;
        let (centre, mean) = (recentred.centre[0], groups[0].mean[0]);
        // Without noise: records far out on either side, and one at the origin, about this centre.
        let clip = |x: f64| x.clamp(-RADIUS, RADIUS);
        let at = |far: f64| 0.5 * (clip(far - centre) + clip(-centre));
        let (up, down) = (at(1e9), at(-1e9));
        let second = ((mean - down).powi(2) - (mean - up).powi(2)) / (2.0 * sigma[1].powi(2));
        let before = rough[rough.partition_point(|(c, _)| *c < centre).min(rough.len() - 1)].1;
        let first = 2.0 * RADIUS / n * before / sigma[0].powi(2);
        vec![first + second, second, first]
    };
    let data = [with(1e9), with(-1e9)];
    PairAudit::boxed(name, mechanism, data, |records| &records[..], Box::new(look))
}

/// Centres that are made of rough means, which they rise with: (centre, rough mean).
fn rough_means(sigma: f64) -> Vec<(f64, f64)> {
    let expected = Expectation { energy: EXPECTED.0 * RADIUS * RADIUS, doubt: EXPECTED.1 };
    let one = |step: i32| {
        let rough = 0.005 * f64::from(step) * sigma;
        (wiener(&[rough], &[sigma * sigma], &[1.0], expected).values[0], rough)
    };
    (-1600..=1600).map(one).collect()
}

/// The second round's σ = (2τ/n_g)/μ_2 in every coordinate of both groups' means, for failed records; so few have a public τ.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (mu, draws) = (0.7, 3000);
    let mechanism = mechanism(Mu::new(mu)?, &[1.0, 1.0, 0.5])?;
    let records: Vec<Option<Vec<f64>>> = vec![None; LABELS.len()];
    let second = mu * (1.0 - GroupAim::Map.shares(1.0).first).sqrt();
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..draws {
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?;
        let NoisedGroups { recentred, groups, .. } = released.value;
        let about = recentred.about(None);
        let length = about.iter().map(|x| x * x).sum::<f64>().sqrt();
        let factor = if length > RADIUS { RADIUS / length } else { 1.0 };
        for (group, size) in groups.iter().zip([2.0, 3.0]) {
            let sigma = 2.0 * RADIUS / size / second;
            squares.extend(group.mean.iter().zip(&about).map(|(x, e)| ((x - factor * e) / sigma).powi(2)));
        }
    }
    Ok(ScaleCheck::of_squares(&squares, 1.0))
}
