//! The K-norm gradient mechanism for Fréchet means, drawn exactly.

use super::polar::{TooWide, direction_accepted};
use super::radial::{RadialDensity, RadialLaw};
use super::volume::PolarVolume;
use super::{ManifoldMeanError, ManifoldPrice, PublicBall};
use crate::privacy::noise::{NoiseDescription, NoisePath, NoiseSource, PaidGenerator};
use crate::privacy::{Charge, Epsilon, PrivacyLoss};

/// A draw from the density ∝ exp(−‖∇F(x)‖/σ) with ∇F(x) = −(1/n) Σ log_x(x_i), with respect to volume; on the public ball where
/// the curvature is positive, on the whole space where it is not (Soto, Bharath, Reimherr and Slavković 2022).
///
/// # Proof of ε-DP
/// One record moves ∇F by at most Δ at every point of the domain ([`PublicBall::gradient_sensitivity`]), so the unnormalized
/// density by at most exp(Δ/σ), and its normalizer, which depends on the records, by as much again: σ = 2Δ/ε. (The factor 1 of
/// the paper's simulation loses up to 1.4 ε; only on flat space, where the density is a Laplace law about the mean and its
/// normalizer constant, is 1 right, and [`super::RiemannianLaplace`] is that mechanism.)
///
/// # Exact sampling
/// Along geodesics from the Fréchet mean, ‖∇F(x)‖ ≥ g(d(x̄, x)), g(t) = ∫₀ᵗ (1/n) Σ h(d_i + u) du with d_i = d(x̄, x_i) and
/// h(u) = u√κ cot(u√κ), or 1 where κ ≤ 0 (Hessian comparison). The radius is drawn from exp(−g(t)/σ)·A(t)·(share of the
/// sphere of radius t inside the ball), the direction uniformly among those inside, and the point accepted with probability
/// exp(−(‖∇F‖ − g)/σ): no chain. The share is computed to about 1e-12; σ carries a margin of 1e-9 for it.
#[derive(Debug)]
pub struct KNormGradient<'a, M: PolarVolume> {
    ball: PublicBall<'a, M>,
    price: ManifoldPrice,
    sigma: f64,
}

/// How hard a draw was: for benchmarks and the data holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempts {
    /// Points whose gradient was computed.
    pub proposed: u64,
}

struct KngRadius<'b, 'a, M: PolarVolume> {
    ball: &'b PublicBall<'a, M>,
    sigma: f64,
    /// √κ, 0 where κ ≤ 0.
    root: f64,
    /// d(x̄, x_i), gathered into bins at their upper ends (h falls, so this bounds from below), with the share of each.
    distances: Vec<(f64, f64)>,
    /// d(p₀, x̄).
    offset: f64,
    end: f64,
    /// Whether the radius is counted from x̄ or from p₀.
    about: About,
}

/// Where proposals are centred. Both give the same law; which one is quicker depends on how far apart mean and centre are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    /// The Fréchet mean: few gradients, but in high dimension few directions of the outer spheres lie in the ball.
    Mean,
    /// The ball's centre: every proposal lies in the ball, but the envelope is looser by e^{d(p₀, x̄)/σ}.
    Centre,
}

impl<M: PolarVolume> KngRadius<'_, '_, M> {
    /// g(t), by five Gauss points on each of four pieces: the integrand is smooth, so this is exact to rounding.
    fn lower_gradient(&self, t: f64) -> f64 {
        if self.root == 0.0 {
            return t;
        }
        const NODES: [(f64, f64); 3] = [
            (0.0, 0.568_888_888_888_888_9),
            (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
            (0.906_179_845_938_664, 0.236_926_885_056_189_08),
        ];
        let pieces = 4;
        let width = t / f64::from(pieces);
        let mut sum = 0.0;
        for (d, share) in &self.distances {
            for piece in 0..pieces {
                let middle = d + width * (f64::from(piece) + 0.5);
                for (x, w) in NODES {
                    sum += share * w * hessian(self.root * (middle - 0.5 * width * x));
                    if x > 0.0 {
                        sum += share * w * hessian(self.root * (middle + 0.5 * width * x));
                    }
                }
            }
        }
        0.5 * width * sum
    }

    /// ln of the share of the sphere of radius t about x̄ that lies in the ball: 0 near x̄, falling with t because the ball is
    /// convex and holds x̄.
    fn ln_share(&self, t: f64) -> f64 {
        let radius = self.ball.radius().get();
        if self.root == 0.0 || t + self.offset <= radius {
            return 0.0;
        }
        if t > self.end {
            return f64::NEG_INFINITY;
        }
        match self.ball.manifold().two_point() {
            Some((space, unit)) if self.offset > 1e-12 * unit => {
                space.share_within(t / unit, self.offset / unit, radius / unit).ln()
            }
            // The mean is the centre.
            _ => f64::NEG_INFINITY,
        }
    }
}

/// u cot u, 1 at 0.
fn hessian(u: f64) -> f64 {
    if u < 1e-4 { 1.0 - u * u / 3.0 } else { u / u.tan() }
}

impl<M: PolarVolume> RadialDensity for KngRadius<'_, '_, M> {
    fn concave(&self, t: f64) -> f64 {
        self.ball.manifold().ln_area_concave(t) - if self.root == 0.0 { t / self.sigma } else { 0.0 }
    }
    fn rest(&self, t: f64) -> f64 {
        if self.about == About::Centre {
            // d(x̄, x) ≥ t − d(p₀, x̄), and g grows.
            return -self.lower_gradient((t - self.offset).max(0.0)) / self.sigma;
        }
        if self.root == 0.0 {
            return self.ball.manifold().ln_area_rise(t);
        }
        -self.lower_gradient(t) / self.sigma + self.ln_share(t)
    }
    fn rest_bound(&self, a: f64, b: f64) -> f64 {
        // g grows and the share falls (κ > 0); the volume's rise grows (κ ≤ 0).
        if self.root == 0.0 { self.ball.manifold().ln_area_rise(b) } else { self.rest(a) }
    }
    fn rest_slope(&self) -> f64 {
        self.ball.manifold().ln_area_rise_slope()
    }
    fn end(&self) -> f64 {
        self.end
    }
}

impl<'a, M: PolarVolume> KNormGradient<'a, M> {
    /// For n records in the ball. The sampler needs d_i + t < π/√κ throughout, which the ball's radius bound gives.
    ///
    /// # Errors
    /// n = 0; a positively curved space that is not two-point homogeneous; noise so wide that it has no law (κ < 0).
    pub fn new(ball: PublicBall<'a, M>, n: u64, epsilon: Epsilon) -> Result<Self, ManifoldMeanError> {
        let manifold = ball.manifold();
        let positive = manifold.curvature().upper > 0.0;
        if positive && manifold.two_point().is_none() {
            return Err(ManifoldMeanError::NotTwoPointHomogeneous);
        }
        let sensitivity = ball.gradient_sensitivity(n)?;
        let sigma = 2.0 * sensitivity.get() / epsilon.get() * (1.0 + 1e-9);
        if !positive {
            // The law's envelope does not depend on the records here: whether it exists is public.
            let radius = KngRadius {
                ball: &ball,
                sigma,
                root: 0.0,
                distances: Vec::new(),
                offset: 0.0,
                end: manifold.largest_distance(),
                about: About::Mean,
            };
            RadialLaw::new(radius, sigma * manifold.dim() as f64).map_err(|_| TooWide(sigma))?;
        }
        let price = ManifoldPrice {
            mechanism: "K-norm gradient (KNG)",
            loss: PrivacyLoss::Pure(epsilon),
            n,
            sensitivity: sensitivity.get(),
            radius: ball.radius(),
            scale: sigma,
            statistic: "gradient of the Fréchet objective of the records in the public ball",
        };
        Ok(Self { ball, price, sigma })
    }

    /// What it costs; known before a record is read.
    pub fn price(&self) -> &ManifoldPrice {
        &self.price
    }

    /// Everything about one dataset that its draws share. `mean` is the Fréchet mean of `bounded` (which the law does not
    /// depend on: it makes the envelope tight).
    ///
    /// # Errors
    /// None inside the ball.
    pub fn sampler<'b>(
        &'b self,
        bounded: &'b [M::Point],
        mean: &'b M::Point,
    ) -> Result<KngSampler<'b, 'a, M>, ManifoldMeanError> {
        self.sampler_about(bounded, mean, None)
    }

    /// For figures: proposals about the ball's centre unless that is hopeless, so that setting up is quick and
    /// [`KngSampler::draw_within`] bounds the work.
    pub(crate) fn quick_sampler<'b>(
        &'b self,
        bounded: &'b [M::Point],
        mean: &'b M::Point,
    ) -> Result<KngSampler<'b, 'a, M>, ManifoldMeanError> {
        let offset = self.ball.manifold().dist(self.ball.centre(), mean);
        self.sampler_about(bounded, mean, (offset < 6.0 * self.sigma).then_some(true))
    }

    /// `centred`: whether proposals are made about the ball's centre; by default what looks quicker.
    pub(super) fn sampler_about<'b>(
        &'b self,
        bounded: &'b [M::Point],
        mean: &'b M::Point,
        centred: Option<bool>,
    ) -> Result<KngSampler<'b, 'a, M>, ManifoldMeanError> {
        let manifold = self.ball.manifold();
        let root = manifold.curvature().upper.max(0.0).sqrt();
        let offset = manifold.dist(self.ball.centre(), mean);
        let end = if root > 0.0 { self.ball.radius().get() + offset } else { manifold.largest_distance() };
        let distances = if root > 0.0 {
            binned(bounded.iter().map(|p| manifold.dist(mean, p)).collect())
        } else {
            Vec::new()
        };
        let scale = self.sigma * manifold.dim() as f64;
        let radius = |about, end| KngRadius {
            ball: &self.ball,
            sigma: self.sigma,
            root,
            distances: distances.clone(),
            offset,
            end,
            about,
        };
        let law = |about, end| RadialLaw::new(radius(about, end), scale).map_err(|_| TooWide(self.sigma));
        let law = match centred {
            _ if root == 0.0 => law(About::Mean, end)?,
            Some(false) => law(About::Mean, end)?,
            Some(true) => law(About::Centre, self.ball.radius().get())?,
            // A looser envelope costs a few gradients, the share of a sphere inside the ball a double integral.
            None if offset < 2.0 * self.sigma => law(About::Centre, self.ball.radius().get())?,
            None => {
                let about_mean = law(About::Mean, end)?;
                // A membership test costs about a thirtieth of a gradient.
                let hard = about_mean.density().ln_share(about_mean.mode()) + 30f64.ln();
                if hard < -offset / self.sigma {
                    law(About::Centre, self.ball.radius().get())?
                } else {
                    about_mean
                }
            }
        };
        Ok(KngSampler { mechanism: self, bounded, mean, law })
    }

    /// The noise, for the certificate.
    pub fn noise(&self) -> NoiseDescription {
        NoiseDescription {
            distribution: "k-norm-gradient".into(),
            path: NoisePath::IdealizedReals,
            scale: self.price.scale,
            dimension: self.ball.manifold().dim(),
            step: None,
            sampler: "exact: rejection from a radial envelope".into(),
        }
    }
}

/// Distances in 32 bins: (upper end, share).
fn binned(mut distances: Vec<f64>) -> Vec<(f64, f64)> {
    distances.sort_by(f64::total_cmp);
    let each = distances.len().div_ceil(32).max(1);
    let total = distances.len() as f64;
    distances.chunks(each).map(|bin| (bin.last().copied().unwrap_or(0.0), bin.len() as f64 / total)).collect()
}

/// Draws of the mechanism on one dataset.
pub struct KngSampler<'b, 'a, M: PolarVolume> {
    mechanism: &'b KNormGradient<'a, M>,
    bounded: &'b [M::Point],
    mean: &'b M::Point,
    law: RadialLaw<KngRadius<'b, 'a, M>>,
}

impl<M: PolarVolume> KngSampler<'_, '_, M> {
    /// One private point.
    ///
    /// # Errors
    /// When `paid` does not cover the loss; geometry errors cannot happen inside the ball.
    pub fn draw(
        &self,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<(M::Point, Attempts), ManifoldMeanError> {
        let mut rng = noise.open(paid, self.mechanism.price.loss)?;
        let mut attempts = Attempts { proposed: 0 };
        loop {
            attempts.proposed += 1;
            if let Some(x) = self.attempt(&mut rng)? {
                return Ok((x, attempts));
            }
        }
    }

    /// One private point, or `None` after `most` attempts: not a draw from the law then, so for the data holder's figures only.
    pub(crate) fn draw_within(
        &self,
        noise: &mut NoiseSource,
        paid: Charge,
        most: u32,
    ) -> Result<Option<M::Point>, ManifoldMeanError> {
        let mut rng = noise.open(paid, self.mechanism.price.loss)?;
        for _ in 0..most {
            if let Some(x) = self.attempt(&mut rng)? {
                return Ok(Some(x));
            }
        }
        Ok(None)
    }

    /// One proposal inside the ball, accepted or not.
    fn attempt(&self, rng: &mut PaidGenerator<'_>) -> Result<Option<M::Point>, ManifoldMeanError> {
        let (ball, sigma) = (&self.mechanism.ball, self.mechanism.sigma);
        let manifold = ball.manifold();
        let radius = self.law.density();
        let t = self.law.draw(rng);
        let (from, nearest) = match radius.about {
            About::Mean => (self.mean, t),
            About::Centre => (ball.centre(), (t - radius.offset).max(0.0)),
        };
        let (x, v) = loop {
            let v = manifold.scale(t, &manifold.random_direction(from, rng));
            let x = manifold.exp(from, &v);
            if radius.root == 0.0 || radius.about == About::Centre || ball.contains(&x) {
                break (x, v);
            }
        };
        let gradient = manifold.mean_log(&x, self.bounded, None)?.log;
        let excess = (manifold.norm(&x, &gradient) - radius.lower_gradient(nearest)).max(0.0);
        Ok(direction_accepted(manifold, from, &v, -excess / sigma, rng).then_some(x))
    }
}
