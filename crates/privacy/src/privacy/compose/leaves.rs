//! The leaves of a composition tree by kind, as one person bears them, and the rules that mix kinds.

use super::super::group::Group;
use super::super::loss_distribution::{Bound, LossDistributions};
use super::super::pairs::{ApproximateTerm, DominatingPairs};
use super::super::rounding::{add_up, mul_up, sqrt_up};
use super::super::{BudgetError, Delta, Epsilon, Mu, PrivacyLoss, RenyiCurve, Rho, SampledGaussian};
use super::recent::Recent;
use super::{Composition, Cost};

/// Transforms take some ten milliseconds.
static BY_LOSSES: Recent<(Leaves, Delta), EpsilonBound> = Recent::new();

/// By which theorem an ε was obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Nothing was released.
    Empty,
    /// Σε, Σδ.
    Sum,
    /// √(Σμ²) and the exact δ(ε) of μ-GDP.
    GaussianRoot,
    /// The exact hockey-stick divergence of the product of dominating pairs.
    DominatingPairs,
    /// Privacy loss distributions of dominating pairs, composed by Fourier transforms, bounded from above.
    LossDistributions,
    /// Sum of Rényi curves.
    RenyiSum,
    /// Rényi for the terms known only by their curves, dominating pairs for the rest, δ split between them.
    Split,
}

impl Rule {
    /// One line for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Empty => "nothing released",
            Self::Sum => "sum of the epsilons, sum of the deltas",
            Self::GaussianRoot => "root of the sum of mu squared, exact Gaussian curve",
            Self::DominatingPairs => "exact product of dominating pairs",
            Self::LossDistributions => {
                "privacy loss distributions, composed by Fourier transforms and rounded up"
            }
            Self::RenyiSum => "sum of Renyi curves",
            Self::Split => "Renyi sum and dominating pairs, delta split",
        }
    }
}

/// An ε and how it was obtained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpsilonBound {
    /// ε, rounded up.
    pub epsilon: Epsilon,
    /// The rule that gave the smallest.
    pub rule: Rule,
}

/// The leaves of a tree by kind, multiplicities applied.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in super::super) struct Leaves {
    gaussians: Vec<Mu>,
    sampled: Vec<(SampledGaussian, u32)>,
    /// Pure (δ = 0) and approximate terms.
    approximate: Vec<ApproximateTerm>,
    rho: f64,
    curves: Option<RenyiCurve>,
    pub(in super::super) non_private: bool,
}

fn sum_epsilon(terms: &[ApproximateTerm]) -> f64 {
    terms.iter().map(|t| mul_up(t.epsilon, f64::from(t.times))).fold(0.0, add_up)
}

fn sum_delta(terms: &[ApproximateTerm]) -> f64 {
    terms.iter().map(|t| mul_up(t.delta, f64::from(t.times))).fold(0.0, add_up)
}

impl Leaves {
    /// What a member of `group` loses by all these `trees`; without a group, what everyone does.
    pub(super) fn of(trees: &[&Composition], group: Option<&Group>) -> Result<Self, BudgetError> {
        let mut leaves = Self::default();
        for part in trees.iter().flat_map(|tree| tree.parts()) {
            leaves.gather(part.times, &part.cost, group)?;
        }
        Ok(leaves)
    }

    fn gather(&mut self, times: u32, cost: &Cost, group: Option<&Group>) -> Result<(), BudgetError> {
        if times == 0 {
            return Ok(());
        }
        match cost {
            Cost::Parts(parts) => {
                for part in parts.parts() {
                    let times = times
                        .checked_mul(part.times)
                        .ok_or(BudgetError::NoSuchBound("a composition repeats more than 2^32 times"))?;
                    self.gather(times, &part.cost, group)?;
                }
            }
            Cost::Group(of) if group == Some(of.group()) => self.gather(times, of.cost(), group)?,
            Cost::Group(_) => {}
            Cost::Terms(terms) if terms.is_seeded() => self.non_private = true,
            Cost::Terms(terms) => self.gather(times, terms.cost(), group)?,
            Cost::Renyi(curve) => {
                let curve = curve.times(times);
                self.curves = Some(self.curves.take().map_or(curve.clone(), |sum| sum.plus(&curve)));
            }
            Cost::Sampled(step) => self.gather_step(*step, times)?,
            Cost::Loss(loss) => self.gather_loss(*loss, times)?,
        }
        Ok(())
    }

    fn gather_step(&mut self, step: SampledGaussian, times: u32) -> Result<(), BudgetError> {
        let too_often = BudgetError::NoSuchBound("a composition repeats more than 2^32 times");
        match self.sampled.iter_mut().find(|(known, _)| *known == step) {
            Some((_, count)) => *count = count.checked_add(times).ok_or(too_often)?,
            None => self.sampled.push((step, times)),
        }
        Ok(())
    }

    fn gather_loss(&mut self, loss: PrivacyLoss, times: u32) -> Result<(), BudgetError> {
        match loss {
            PrivacyLoss::Gaussian(mu) if times == 1 => self.gaussians.push(mu),
            PrivacyLoss::Gaussian(mu) => {
                let root = sqrt_up(f64::from(times));
                self.gaussians.push(Mu::new(mul_up(mu.get(), root))?);
            }
            PrivacyLoss::Pure(epsilon) => {
                self.approximate.push(ApproximateTerm { epsilon: epsilon.get(), delta: 0.0, times });
            }
            PrivacyLoss::Approximate(epsilon, delta) => {
                self.approximate.push(ApproximateTerm { epsilon: epsilon.get(), delta: delta.get(), times });
            }
            PrivacyLoss::ZeroConcentrated(rho) => {
                self.rho = add_up(self.rho, mul_up(rho.get(), f64::from(times)));
            }
            PrivacyLoss::NonPrivate => self.non_private = true,
        }
        Ok(())
    }

    /// Whether every term is one of no loss, or there is none.
    pub(in super::super) fn nothing_lost(&self) -> bool {
        self.only_approximate() && self.approximate.iter().all(|t| t.epsilon == 0.0 && t.delta == 0.0)
    }

    /// Whether there is nothing but pure and approximate terms.
    pub(super) fn only_approximate(&self) -> bool {
        self.gaussians.is_empty() && self.has_exact_pairs() && !self.non_private
    }

    /// Σδ of the terms' own δ.
    pub(super) fn own_delta(&self) -> f64 {
        sum_delta(&self.approximate)
    }

    /// Whether no term is known by its ρ or its curve only, and none is a sampled step.
    fn has_exact_pairs(&self) -> bool {
        self.curves.is_none() && self.rho == 0.0 && self.sampled.is_empty()
    }

    pub(in super::super) fn mu(&self) -> Result<Option<Mu>, BudgetError> {
        if self.non_private || !self.has_exact_pairs() {
            return Ok(None);
        }
        let mut all = self.gaussians.clone();
        for term in self.approximate.iter().filter(|t| t.epsilon > 0.0 || t.delta > 0.0) {
            if term.delta > 0.0 {
                return Ok(None);
            }
            let mu = Mu::of_pure(Epsilon::new(term.epsilon)?)?;
            all.push(Mu::new(mul_up(mu.get(), sqrt_up(f64::from(term.times))))?);
        }
        Mu::compose(all)
    }

    pub(in super::super) fn pure_epsilon(&self) -> Result<Option<Epsilon>, BudgetError> {
        let pure = self.only_approximate() && self.approximate.iter().all(|t| t.delta == 0.0);
        if pure { Epsilon::new(sum_epsilon(&self.approximate)).map(Some) } else { Ok(None) }
    }

    pub(in super::super) fn rho(&self) -> Result<Option<Rho>, BudgetError> {
        let no_rho = self.curves.is_some() || !self.sampled.is_empty();
        if self.non_private || no_rho || self.approximate.iter().any(|t| t.delta > 0.0) {
            return Ok(None);
        }
        let mut sum = self.rho;
        for mu in &self.gaussians {
            sum = add_up(sum, mu.to_rho()?.get());
        }
        for term in &self.approximate {
            let one = mul_up(term.epsilon, 0.5 * term.epsilon);
            sum = add_up(sum, mul_up(one, f64::from(term.times)));
        }
        if sum == 0.0 { Ok(None) } else { Rho::new(sum).map(Some) }
    }

    pub(in super::super) fn epsilon_at(&self, delta: Delta) -> Result<EpsilonBound, BudgetError> {
        if self.non_private {
            return Err(BudgetError::NoSuchBound("something was released without a privacy bound"));
        }
        if !self.sampled.is_empty() {
            return BY_LOSSES.answer(&(self.clone(), delta), || self.with_sampled_steps(delta));
        }
        let bounds = [
            self.by_sum(delta)
                .map(|epsilon| (epsilon, if self.is_empty() { Rule::Empty } else { Rule::Sum })),
            self.by_root(delta)?.map(|epsilon| (epsilon, Rule::GaussianRoot)),
            self.by_pairs(delta)?.map(|epsilon| (epsilon, Rule::DominatingPairs)),
            self.by_renyi(delta.get())?.map(|epsilon| (epsilon, Rule::RenyiSum)),
            self.by_split(delta.get())?.map(|epsilon| (epsilon, Rule::Split)),
        ];
        let best = bounds.into_iter().flatten().reduce(|a, b| if b.0 < a.0 { b } else { a });
        best.map(|(epsilon, rule)| EpsilonBound { epsilon, rule }).ok_or(BudgetError::NoSuchBound(
            "no composition theorem gives a finite epsilon at this delta; state a larger delta",
        ))
    }

    /// By the steps' privacy loss distributions where everything else has a dominating pair too; by their Rényi curves where something has
    /// not, or where the grid would be coarse.
    fn with_sampled_steps(&self, delta: Delta) -> Result<EpsilonBound, BudgetError> {
        let by_losses = self.by_losses(delta)?;
        if let Some(bound) = by_losses.filter(|bound| bound.fine) {
            return Ok(EpsilonBound { epsilon: bound.epsilon, rule: Rule::LossDistributions });
        }
        let by_curves = self.with_curves().epsilon_at(delta);
        match (by_losses, by_curves) {
            (Some(bound), Ok(curves)) if curves.epsilon <= bound.epsilon => Ok(curves),
            (Some(bound), _) => Ok(EpsilonBound { epsilon: bound.epsilon, rule: Rule::LossDistributions }),
            (None, curves) => curves,
        }
    }

    fn by_losses(&self, delta: Delta) -> Result<Option<Bound>, BudgetError> {
        if self.curves.is_some() || self.rho > 0.0 {
            return Ok(None);
        }
        let mu = Mu::compose(self.gaussians.iter().copied())?;
        let losses = LossDistributions::new(&self.sampled, mu, &self.approximate);
        Ok(losses.and_then(|losses| losses.epsilon_at(delta)))
    }

    /// The same with sampled steps as Rényi curves.
    fn with_curves(&self) -> Self {
        let mut curves = self.curves.clone();
        for (step, times) in &self.sampled {
            let curve = step.renyi_curve().times(*times);
            curves = Some(curves.map_or(curve.clone(), |sum| sum.plus(&curve)));
        }
        Self { curves, sampled: Vec::new(), ..self.clone() }
    }

    /// The Rényi curve of all but the approximate terms, of which the sums of ε and δ are told.
    pub(in super::super) fn curve_and_rest(&self) -> Result<(RenyiCurve, [f64; 2]), BudgetError> {
        let (pure, rest): (Vec<ApproximateTerm>, Vec<ApproximateTerm>) =
            self.approximate.iter().partition(|term| term.delta == 0.0);
        let mut curve = self.with_curves().bare_curve()?;
        for term in &pure {
            curve = curve.plus(&RenyiCurve::of_pure(Epsilon::new(term.epsilon)?).times(term.times));
        }
        for mu in &self.gaussians {
            curve = curve.plus(&RenyiCurve::of_gaussian(*mu));
        }
        Ok((curve, [sum_epsilon(&rest), sum_delta(&rest)]))
    }

    /// No terms at all.
    fn is_empty(&self) -> bool {
        self.only_approximate() && self.approximate.is_empty()
    }

    /// Σε, where Σδ is within δ.
    pub(in super::super) fn by_sum(&self, delta: Delta) -> Option<Epsilon> {
        let applies = self.only_approximate() && self.own_delta() <= delta.get();
        if applies { Epsilon::new(sum_epsilon(&self.approximate)).ok() } else { None }
    }

    /// The exact Gaussian curve, where all terms are Gaussian.
    fn by_root(&self, delta: Delta) -> Result<Option<Epsilon>, BudgetError> {
        if !(self.has_exact_pairs() && self.approximate.is_empty()) {
            return Ok(None);
        }
        let mu = Mu::compose(self.gaussians.iter().copied())?;
        Ok(mu.and_then(|mu| mu.epsilon_at(delta).ok()))
    }

    /// The exact product of pairs, where all terms have one and there are not too many.
    fn by_pairs(&self, delta: Delta) -> Result<Option<Epsilon>, BudgetError> {
        if !self.has_exact_pairs() || self.approximate.is_empty() || delta.get() == 0.0 {
            return Ok(None);
        }
        let mu = Mu::compose(self.gaussians.iter().copied())?;
        Ok(DominatingPairs::new(mu, &self.approximate).and_then(|pairs| pairs.epsilon_at(delta.get())))
    }

    /// The curve of the terms known only by ρ or a curve.
    fn bare_curve(&self) -> Result<RenyiCurve, BudgetError> {
        let mut curve = self.curves.clone().unwrap_or_else(|| RenyiCurve::from_fn(|_| 0.0));
        if self.rho > 0.0 {
            curve = curve.plus(&RenyiCurve::of_rho(Rho::new(self.rho)?));
        }
        Ok(curve)
    }

    /// Everything by Rényi, approximate terms by plain addition: where exact pairs are not to be had.
    fn by_renyi(&self, delta: f64) -> Result<Option<Epsilon>, BudgetError> {
        let exact = self.has_exact_pairs() && DominatingPairs::feasible(&self.approximate);
        if exact || delta == 0.0 {
            return Ok(None);
        }
        let rest = delta - sum_delta(&self.approximate);
        let (pure, approximate): (Vec<ApproximateTerm>, Vec<ApproximateTerm>) =
            self.approximate.iter().partition(|t| t.delta == 0.0);
        let Ok(rest) = Delta::new(rest.next_down()) else { return Ok(None) };
        let mut rho = self.rho;
        let mut curve = self.curves.clone();
        let mut include = |more: RenyiCurve| {
            curve = Some(curve.take().map_or(more.clone(), |sum| sum.plus(&more)));
        };
        for term in pure {
            include(RenyiCurve::of_pure(Epsilon::new(term.epsilon)?).times(term.times));
        }
        for mu in &self.gaussians {
            rho = add_up(rho, mu.to_rho()?.get());
        }
        let by_order = match (curve, rho > 0.0) {
            // ρ alone: the order is optimized freely.
            (None, true) => Rho::new(rho)?.epsilon_at(rest),
            // Nothing but approximate terms: their plain sum is a rule of its own.
            (None, false) => return Ok(None),
            (Some(curve), true) => curve.plus(&RenyiCurve::of_rho(Rho::new(rho)?)).epsilon_at(rest),
            (Some(curve), false) => curve.epsilon_at(rest),
        };
        let Ok(by_order) = by_order else { return Ok(None) };
        Epsilon::new(add_up(by_order.get(), sum_epsilon(&approximate))).map(Some)
    }

    /// The bare curves at a part of δ become one more approximate term.
    fn by_split(&self, delta: f64) -> Result<Option<Epsilon>, BudgetError> {
        let mu = Mu::compose(self.gaussians.iter().copied())?;
        if self.has_exact_pairs() || delta == 0.0 || (mu.is_none() && self.approximate.is_empty()) {
            return Ok(None);
        }
        let curve = self.bare_curve()?;
        let mut best: Option<Epsilon> = None;
        for share in [0.01, 0.1, 0.5, 0.9, 0.99] {
            let Ok(part) = Delta::new(delta * share) else { continue };
            let Ok(epsilon) = curve.epsilon_at(part) else { continue };
            let mut terms = self.approximate.clone();
            terms.push(ApproximateTerm { epsilon: epsilon.get(), delta: part.get(), times: 1 });
            let found = DominatingPairs::new(mu, &terms).and_then(|pairs| pairs.epsilon_at(delta));
            best = match (best, found) {
                (Some(a), Some(b)) => Some(if b < a { b } else { a }),
                (a, b) => a.or(b),
            };
        }
        Ok(best)
    }
}
