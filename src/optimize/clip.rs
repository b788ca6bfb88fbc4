//! Sums of clipped gradients over batches.

use super::accounting::Sampling;
use super::method::Correction;
use super::problem::{PointOf, Problem, TangentOf, finite_norm};
use crate::manifold::{Linear, Manifold, blocks};
use rand::{Rng, RngExt};
use rayon::prelude::*;

/// A sum of clipped vectors.
pub(super) struct ClippedSum<T> {
    pub sum: T,
    /// How many were longer than the radius; for the data holder.
    pub clipped: usize,
}

/// clip_C(v) = min(C/‖v‖, 1) v, or `None` for a vector that is no number or of the wrong size: it counts as zero.
fn clip<P: Problem>(
    problem: &P,
    w: &PointOf<P>,
    mut v: TangentOf<P>,
    radius: f64,
    size: usize,
) -> Option<(TangentOf<P>, bool)> {
    if v.real_len() != size {
        return None;
    }
    let norm = finite_norm(problem.space(), w, &v)?;
    if norm > radius {
        v.scale_by(radius / norm);
    }
    Some((v, norm > radius))
}

/// Sums `term` over the batch, in blocks of fixed size.
fn sum_over<P: Problem>(
    problem: &P,
    w: &PointOf<P>,
    batch: &Batch,
    term: impl Fn(usize, usize) -> Option<(TangentOf<P>, bool)> + Sync,
) -> ClippedSum<TangentOf<P>> {
    let zero = problem.space().zero(w);
    let size = zero.real_len();
    let part = |block: std::ops::Range<usize>| {
        let mut part = ClippedSum { sum: zero.clone(), clipped: 0 };
        for i in block {
            if let Some((v, clipped)) = term(batch.record(i), size) {
                part.sum.add_scaled(1.0, &v);
                part.clipped += usize::from(clipped);
            }
        }
        part
    };
    let blocks = blocks(batch.len());
    let parts: Vec<_> = if blocks.len() < 2 {
        blocks.into_iter().map(part).collect()
    } else {
        blocks.into_par_iter().map(part).collect()
    };
    parts.into_iter().fold(ClippedSum { sum: zero.clone(), clipped: 0 }, |mut all, part| {
        all.sum.add_scaled(1.0, &part.sum);
        all.clipped += part.clipped;
        all
    })
}

/// Σ clip_C(∇f(w; zᵢ)) over the batch.
pub(super) fn gradient_sum<P: Problem>(
    problem: &P,
    w: &PointOf<P>,
    batch: &Batch,
    radius: f64,
) -> ClippedSum<TangentOf<P>> {
    sum_over(problem, w, batch, |i, size| clip(problem, w, problem.gradient(w, i)?, radius, size))
}

/// Σ of the bounded corrections over the batch, at w, from the anchor; `radius` is that of full gradients.
pub(super) fn correction_sum<P: Problem>(
    problem: &P,
    anchor: &PointOf<P>,
    w: &PointOf<P>,
    batch: &Batch,
    radius: f64,
    correction: Correction,
    distance: f64,
) -> ClippedSum<TangentOf<P>> {
    let space = problem.space();
    let own = if let Correction::Separate(own) = correction { own } else { radius };
    sum_over(problem, w, batch, |i, size| {
        let (mut share, a) = clip(problem, w, problem.gradient(w, i)?, own, size)?;
        let (there, b) = clip(problem, anchor, problem.gradient(anchor, i)?, own, size)?;
        share.add_scaled(-1.0, &space.transport(anchor, w, &there).ok()?);
        // The norm is bounded by 2·own up to the transport's rounding; this makes it exact.
        let (share, c) = clip(problem, w, share, correction.reach(distance), size)?;
        Some((share, a || b || c))
    })
}

/// The records of one step.
pub(super) enum Batch {
    All(usize),
    Some(Vec<usize>),
}

impl Batch {
    pub fn draw<R: Rng + ?Sized>(sampling: Sampling, n: usize, rng: &mut R) -> Self {
        if sampling.is_full(n) {
            return Self::All(n);
        }
        match sampling {
            Sampling::All => Self::All(n),
            Sampling::WithoutReplacement { batch } => {
                Self::Some(rand::seq::index::sample(rng, n, batch).into_vec())
            }
            Sampling::Poisson { .. } => {
                // The gaps between chosen records are geometric.
                let ln_miss = (-sampling.rate(n)).ln_1p();
                let mut chosen = Vec::new();
                let mut next = 0usize;
                loop {
                    let uniform: f64 = 1.0 - rng.random::<f64>();
                    let gap = uniform.ln() / ln_miss;
                    if gap >= (n - next) as f64 {
                        return Self::Some(chosen);
                    }
                    next += gap as usize;
                    if next >= n {
                        return Self::Some(chosen);
                    }
                    chosen.push(next);
                    next += 1;
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::All(n) => *n,
            Self::Some(records) => records.len(),
        }
    }

    fn record(&self, i: usize) -> usize {
        match self {
            Self::All(_) => i,
            Self::Some(records) => records[i],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    /// Inclusion counts of every record over 40,000 draws against the rate: a chi-square of 50 degrees of freedom is above
    /// 130 with probability below 1e-8.
    #[test]
    fn every_record_is_drawn_at_the_stated_rate() {
        let n = 50;
        for sampling in [Sampling::Poisson { batch: 7 }, Sampling::WithoutReplacement { batch: 7 }] {
            let mut rng = ChaCha20Rng::seed_from_u64(5);
            let (mut counts, mut pairs, draws) = (vec![0f64; n], 0f64, 40_000);
            for _ in 0..draws {
                let Batch::Some(batch) = Batch::draw(sampling, n, &mut rng) else { panic!("not sampled") };
                batch.iter().for_each(|&i| counts[i] += 1.0);
                pairs += f64::from(u8::from(batch.contains(&0) && batch.contains(&1)));
                if matches!(sampling, Sampling::WithoutReplacement { .. }) {
                    assert_eq!(batch.len(), 7);
                }
            }
            let q = sampling.rate(n);
            let mean = q * f64::from(draws);
            let chi: f64 = counts.iter().map(|c| (c - mean).powi(2) / (mean * (1.0 - q))).sum();
            assert!(chi < 130.0, "{sampling:?}: chi-square {chi}");
            // Independence (or its absence): P(both of two records) is q² or b(b−1)/n(n−1).
            let both = match sampling {
                Sampling::Poisson { .. } => q * q,
                _ => 42.0 / (50.0 * 49.0),
            };
            let z = (pairs - f64::from(draws) * both) / (f64::from(draws) * both).sqrt();
            assert!(z.abs() < 5.5, "{sampling:?}: {z}");
        }
    }
}
