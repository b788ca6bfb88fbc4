//! Private mean faces, drawn and measured.

use super::{AnyError, Population};
use crate::mechanism::functional::{
    CurveMean, FunctionRecords, PointwiseMean, PointwiseRanges, PreparedMean, RangeScale,
};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{self, Ledger, Mechanism, Mu};

/// μ of the paper's functional mechanism: √(23(0.2² + 0.2² + 0.55²)).
pub(super) const PAPER_MU: f64 = 2.9661;

/// Noise on every coordinate of every vertex, ranges measured on the data as in the paper.
pub(super) fn pointwise(faces: &Population, scale: RangeScale, mu: Mu) -> Result<CurveMean, AnyError> {
    let first = faces.dense.first().and_then(Option::as_ref).ok_or("no faces")?;
    let n = faces.dense.len() as u64;
    Ok(CurveMean::Pointwise(PointwiseMean::new(first.clone(), PointwiseRanges::Measured, scale, mu, n)?))
}

/// The mean of all vertices.
pub(super) fn dense_mean(faces: &Population) -> Vec<f64> {
    let mut sum = vec![0.0; faces.dense.iter().flatten().next().map_or(0, Vec::len)];
    for face in faces.dense.iter().flatten() {
        sum.iter_mut().zip(face).for_each(|(s, x)| *s += x);
    }
    let n = faces.dense.len() as f64;
    sum.iter().map(|s| s / n).collect()
}

/// One draw: charge, noise, post-processing.
pub(super) fn draw(
    mechanism: &CurveMean,
    prepared: &PreparedMean<'_>,
    seed: u64,
) -> Result<Vec<f64>, AnyError> {
    let paid = privacy::pay(mechanism.price(), &mut Ledger::in_memory(None))?;
    Ok(privacy::draw(mechanism, prepared, &mut NoiseSource::seeded(seed), paid)?.value.samples)
}

/// One draw from these records.
pub(super) fn released(
    mechanism: &CurveMean,
    records: &(dyn FunctionRecords + 'static),
    seed: u64,
) -> Result<Vec<f64>, AnyError> {
    draw(mechanism, &mechanism.prepare(records)?, seed)
}

/// Sum over coordinates of the squared difference, per point of three coordinates.
pub(super) fn mean_square(a: &[f64], b: &[f64]) -> f64 {
    3.0 * a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / a.len() as f64
}

/// The smoothed mean of a mechanism per curve, without noise.
pub(super) fn without_noise(
    mechanism: &CurveMean,
    records: &(dyn FunctionRecords + 'static),
) -> Result<Vec<f64>, AnyError> {
    match mechanism {
        CurveMean::PerCurve(mean) => Ok(mean.nonprivate(records)?),
        CurveMean::Joint(_)
        | CurveMean::TwoRounds(_)
        | CurveMean::Pointwise(_)
        | CurveMean::PrivateRadius(_)
        | CurveMean::Sites(_)
        | CurveMean::Stream(_) => Err("this mechanism does not smooth".into()),
    }
}

/// Mean over draws of a distance of the released values.
pub(super) fn average(
    mechanism: &CurveMean,
    prepared: &PreparedMean<'_>,
    draws: u64,
    distance: impl Fn(&[f64]) -> f64,
) -> Result<f64, AnyError> {
    let mut total = 0.0;
    for seed in 0..draws {
        total += distance(&draw(mechanism, prepared, seed)?);
    }
    Ok(total / draws as f64)
}
