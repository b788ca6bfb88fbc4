//! Sums of clipped gradients over batches, in integers.

use super::accounting::Sampling;
use super::method::Correction;
use super::problem::{PointOf, Problem, TangentOf, finite_norm};
use crate::manifold::{Linear, Manifold, TangentFrame, blocks};
use crate::privacy::noise::{IntegerClip, PaidGenerator};
use rand::Rng;
use visard_base::parallel;

/// A sum of clipped vectors, in steps of the clip's lattice.
pub(super) struct StepSum {
    pub sum: Vec<i128>,
    /// How many were longer than the radius; for the data holder.
    pub clipped: usize,
}

impl StepSum {
    fn zero(dim: usize) -> Self {
        Self { sum: vec![0; dim], clipped: 0 }
    }

    fn add(&mut self, steps: impl IntoIterator<Item = i128>, clipped: usize) {
        self.sum.iter_mut().zip(steps).for_each(|(sum, k)| *sum += k);
        self.clipped += clipped;
    }
}

/// Where vectors become coordinates, and how far they may reach there. Both are made of public and of released numbers.
pub(super) struct Query<'a, P: Problem> {
    pub problem: &'a P,
    pub point: &'a PointOf<P>,
    pub frame: &'a TangentFrame<P::Space>,
    pub clip: &'a IntegerClip,
}

impl<P: Problem> Query<'_, P> {
    /// Sums `term` over the batch, each clipped last, in integers, whatever was computed before. A vector that is no number or of the
    /// wrong size counts as zero.
    fn sum(&self, batch: &Batch, term: impl Fn(usize) -> Option<(TangentOf<P>, bool)> + Sync) -> StepSum {
        let size = self.problem.space().zero(self.point).real_len();
        let part = |block: std::ops::Range<usize>| {
            let mut part = StepSum::zero(self.clip.dimension());
            for i in block {
                let Some((v, shortened)) = term(batch.record(i)).filter(|(v, _)| v.real_len() == size) else {
                    continue;
                };
                let coordinates = self.frame.coordinates(&v);
                if let Some(steps) = self.clip.clip(&coordinates) {
                    let norm = coordinates.iter().map(|x| x * x).sum::<f64>().sqrt();
                    let clipped = usize::from(shortened || norm > self.clip.radius());
                    part.add(steps.into_iter().map(i128::from), clipped);
                }
            }
            part
        };
        let blocks = blocks(batch.len());
        let parts: Vec<_> = if blocks.len() < 2 {
            blocks.into_iter().map(part).collect()
        } else {
            parallel::map_vec(blocks, part)
        };
        parts.into_iter().fold(StepSum::zero(self.clip.dimension()), |mut all, part| {
            all.add(part.sum, part.clipped);
            all
        })
    }

    /// Σ clip_C(∇f(w; zᵢ)) over the batch.
    pub fn gradients(&self, batch: &Batch) -> StepSum {
        self.sum(batch, |i| Some((self.problem.gradient(self.point, i)?, false)))
    }

    /// Σ of the bounded corrections over the batch, from the anchor; `radius` is that of full gradients.
    pub fn corrections(
        &self,
        anchor: &PointOf<P>,
        batch: &Batch,
        radius: f64,
        correction: Correction,
    ) -> StepSum {
        let (problem, w, space) = (self.problem, self.point, self.problem.space());
        let own = if let Correction::Separate(own) = correction { own } else { radius };
        self.sum(batch, |i| {
            let (mut share, a) = shorten(problem, w, problem.gradient(w, i)?, own)?;
            let (there, b) = shorten(problem, anchor, problem.gradient(anchor, i)?, own)?;
            share.add_scaled(-1.0, &space.transport(anchor, w, &there).ok()?);
            Some((share, a || b))
        })
    }
}

/// min(C/‖v‖, 1) v, and whether it was longer: for accuracy only, the bound is that of integers.
fn shorten<P: Problem>(
    problem: &P,
    w: &PointOf<P>,
    mut v: TangentOf<P>,
    radius: f64,
) -> Option<(TangentOf<P>, bool)> {
    let space = problem.space();
    if v.real_len() != space.zero(w).real_len() {
        return None;
    }
    let norm = finite_norm(space, w, &v)?;
    if norm > radius {
        v.scale_by(radius / norm);
    }
    Some((v, norm > radius))
}

/// The records of one step.
pub(super) enum Batch {
    All(usize),
    Some(Vec<usize>),
}

impl Batch {
    /// Every inclusion has exactly the probability that is accounted for: whole random words against whole numbers.
    pub fn draw(sampling: Sampling, n: usize, rng: &mut PaidGenerator<'_>) -> Self {
        if sampling.is_full(n) {
            return Self::All(n);
        }
        match sampling {
            Sampling::All => Self::All(n),
            Sampling::WithoutReplacement { batch } => {
                // Floyd (Bentley 1987): every subset alike.
                let mut taken = vec![false; n];
                for last in n - batch..n {
                    let i = rng.below(last as u64 + 1) as usize;
                    let i = if taken[i] { last } else { i };
                    taken[i] = true;
                }
                Self::Some((0..n).filter(|i| taken[*i]).collect())
            }
            Sampling::Poisson { .. } => {
                let threshold = sampling.threshold(n);
                Self::Some((0..n).filter(|_| rng.next_u64() < threshold).collect())
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
    use crate::privacy::noise::NoiseSource;
    use crate::privacy::{Ledger, Mu, PrivacyLoss};

    /// Inclusion counts of every record over 40,000 draws against the rate: a chi-square of 50 degrees of freedom is above
    /// 130 with probability below 1e-8.
    #[test]
    fn every_record_is_drawn_at_the_stated_rate() {
        let n = 50;
        for sampling in [Sampling::Poisson { batch: 7 }, Sampling::WithoutReplacement { batch: 7 }] {
            let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
            let paid = Ledger::in_memory(None).charge("test", loss).unwrap();
            let mut source = NoiseSource::seeded(5);
            let mut rng = source.open(paid, loss).unwrap();
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
