//! Waves of the frequency that a block's smoother passes best, on one side and on the other.

use super::{BlockNoise, BlockRadii, MATCHED, PUBLISHED, PerCurveMean, PerCurveSettings};
use crate::function::FaceCurves;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::NoisedFunction;
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};

/// Matched noise, as the registry knows it.
pub const CURVES_ENTRY: Entry = Entry {
    name: "curves",
    title: MATCHED,
    proof: include_str!("proof.md"),
    scale: scale_matched,
    worst_cases: CURVES,
};

/// The paper's mechanism, as the registry knows it.
pub const PAPER_ENTRY: Entry = Entry {
    name: "paper",
    title: PUBLISHED,
    proof: include_str!("proof.md"),
    scale: scale_published,
    worst_cases: PAPER,
};

const CURVES: &[WorstCase] = &[WorstCase { name: "curves", make: matched, loss: whole, runs: 20_000 }];
const PAPER: &[WorstCase] = &[WorstCase { name: "paper", make: published, loss: whole, runs: 100_000 }];

const J: usize = 2;
const SAMPLES: usize = 8;
const RECORDS: u64 = 4;
const RADIUS: f64 = 0.05;

fn mechanism(settings: Option<PerCurveSettings>, mu: Mu) -> Result<PerCurveMean, MechanismError> {
    let settings = settings.ok_or(MechanismError::Shape("kernel parameters out of range"))?;
    let template = FaceCurves::new(J, SAMPLES, vec![0.25; 3 * J * SAMPLES])
        .map_err(|_| MechanismError::Shape("audit curves"))?;
    let radii = BlockRadii::Public(vec![ClipRadius::new(RADIUS, ClipSource::Public)?; 3 * J]);
    PerCurveMean::new(template, radii, settings, mu, RECORDS)
}

fn matched(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    audit(name, PerCurveSettings::matched(), Mu::new(parameter)?)
}

/// With the exact sensitivity: with the paper's bound the audit could only show that half of the claim is used.
fn published(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    let settings = PerCurveSettings::paper().map(|s| PerCurveSettings { noise: BlockNoise::ExactBound, ..s });
    audit(name, settings, Mu::new(parameter)?)
}

/// The record at every point `sign` times far out along a wave of this frequency.
fn wave(frequency: usize, sign: f64) -> Vec<f64> {
    let value = |i: usize| {
        let angle = std::f64::consts::TAU * (frequency * (i / 3 % SAMPLES)) as f64 / SAMPLES as f64;
        0.25 + sign * 1e6 * angle.cos()
    };
    (0..3 * J * SAMPLES).map(value).collect()
}

fn audit(
    name: &'static str,
    settings: Option<PerCurveSettings>,
    mu: Mu,
) -> Result<Box<dyn Auditable>, AuditError> {
    let unknown = |_: MechanismError| AuditError::NoClaim(name.to_owned());
    let mechanism = mechanism(settings, mu).map_err(unknown)?;
    let none: Vec<Option<Vec<f64>>> = vec![None; RECORDS as usize];
    let blocks = mechanism.prepared(&none).map_err(unknown)?.blocks;
    let mut worst = (0.0, vec![], 0);
    for frequency in 0..=SAMPLES / 2 {
        let [a, b] = [1.0, -1.0].map(|sign| mechanism.coordinates(&blocks, Some(&wave(frequency, sign))));
        let direction: Vec<f64> = a.iter().zip(&b).map(|(x, y)| x - y).collect();
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > worst.0 {
            worst = (length, direction, frequency);
        }
    }
    let (_, direction, frequency) = worst;
    let first = vec![Some(wave(frequency, 1.0)); RECORDS as usize];
    let mut second = first.clone();
    second[0] = Some(wave(frequency, -1.0));
    let look = move |released: &Released<NoisedFunction>| {
        let value = &released.value;
        vec![value.coordinates.iter().zip(&direction).map(|(x, d)| x * d).sum(), value.sigma]
    };
    PairAudit::boxed(name, mechanism, [first, second], |records| records, Box::new(look))
}

/// Noise of variance one in coordinates in which a record's share is at most nμ_b/2 for block b, that is of standard deviation
/// 2τ/(nμ_b) on the coefficients of a matched block, and (2τ/n√φ)/μ_b √λ on those of the published one.
fn scale(
    settings: Option<PerCurveSettings>,
    seed: u64,
    per_block: impl Fn(&PerCurveMean, usize, usize) -> f64,
) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let mechanism = mechanism(settings, Mu::new(0.7)?)?;
    let none: Vec<Option<Vec<f64>>> = vec![None; RECORDS as usize];
    let prepared = mechanism.prepared(&none)?;
    let exact = prepared.sum.nonprivate_mean();
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..170 {
        let released = release(&mechanism, &none, &mut Ledger::in_memory(None), &mut noise)?;
        for (k, (y, x)) in released.value.coordinates.iter().zip(&exact).enumerate() {
            let block = &prepared.blocks[k / SAMPLES];
            // Back to coefficients, and there in units of the expected standard deviation.
            let back = match mechanism.settings.noise {
                BlockNoise::Matched => block.scale,
                _ => block.scale * mechanism.eigenvalues[k % SAMPLES].sqrt(),
            };
            squares.push(((y - x) * back / per_block(&mechanism, block.coordinate, k % SAMPLES)).powi(2));
        }
    }
    Ok(ScaleCheck::of_squares(&squares, 1.0))
}

fn scale_matched(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    // Equal shares among 3J blocks.
    let block_mu = 0.7 / ((3 * J) as f64).sqrt();
    scale(PerCurveSettings::matched(), seed, |_, _, _| 2.0 * RADIUS / RECORDS as f64 / block_mu)
}

fn scale_published(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let shares: [f64; 3] = [0.2, 0.2, 0.55];
    let total = (J as f64 * shares.iter().map(|s| s * s).sum::<f64>()).sqrt();
    let phi: [f64; 3] = [0.01, 0.01, 0.005];
    scale(PerCurveSettings::paper(), seed, |mechanism, k, i| {
        2.0 * RADIUS / RECORDS as f64 / phi[k].sqrt() / (0.7 * shares[k] / total)
            * mechanism.eigenvalues[i].sqrt()
    })
}
