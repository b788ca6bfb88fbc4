//! The K-norm gradient mechanism for Fréchet means, drawn exactly.

use super::lower_gradient::{LowerGradient, binned};
use super::polar::{TooWide, description, direction_accepted};
use super::radial::{RadialDensity, RadialLaw};
use super::volume::PolarVolume;
use super::von_mises_fisher::VonMisesFisher;
use super::{ManifoldMeanError, ManifoldPrice, PublicBall, Work};
use crate::privacy::noise::{NoiseDescription, NoiseSource, PaidGenerator};
use crate::privacy::{Charge, Epsilon, PrivacyLoss};

/// The largest gradient norm that a Fréchet mean given to [`KNormGradient::sampler`] may have.
pub const MEAN_GRADIENT: f64 = 1e-9;

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
/// exp(−(‖∇F‖ − g)/σ): no chain. The share is computed to about 1e-12; σ carries a margin of 1e-9 for it. The mean is one to
/// within a gradient of 1e-9 only, by which g may be too large: Δ counts it on both sides.
///
/// Where few directions of those spheres lie inside (high dimension, wide noise), proposals are made about the ball's centre p₀
/// instead. With o = d(p₀, x̄) and c the cosine of the angle at p₀ between x and x̄, d(x̄, x) ≥ t − o c, because d(x, ·) is convex
/// along the geodesic from p₀ to x̄ (distances stay below π/(2√κ)). g is concave, so for t ≥ o its chord gives
/// g(t − o c) ≥ g(t − o) + a o (1 − c), with the least chord slope a = (g(r + o) − g(r − o))/2o; for t < o the same holds with t − o
/// in place of g(t − o). So the radius is drawn from exp(−g(t − o)/σ)·A(t) on [0, r], the direction from the von
/// Mises–Fisher law of concentration a o/σ about x̄, and the point accepted with exp(−(‖∇F‖ − g(t − o) − a o (1 − c))/σ).
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
    /// g, where κ > 0.
    lower: LowerGradient,
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
    /// The ball's centre, directions leaning towards the mean: every proposal lies in the ball.
    Centre,
}

impl<M: PolarVolume> KngRadius<'_, '_, M> {
    /// g(t), t ≤ r + o.
    fn lower_gradient(&self, t: f64) -> f64 {
        if self.root == 0.0 { t } else { self.lower.at(t) }
    }

    /// g(t − o), continued by t − o below o.
    fn lower_about_centre(&self, t: f64) -> f64 {
        if t < self.offset { t - self.offset } else { self.lower_gradient(t - self.offset) }
    }

    /// a: the least slope of a chord of g of width 2o.
    fn slope(&self) -> f64 {
        let (r, o) = (self.ball.radius().get(), self.offset);
        if o < 1e-9 * r {
            return 0.0;
        }
        // A hair less: the mean may lie a rounding error outside.
        let inner = self.lower_gradient((r - o).max(0.0));
        (self.lower_gradient(r + o) - inner) / (2.0 * o) * (1.0 - 1e-9)
    }

    /// The least slope of g, which counts with the concave part so that the rest varies little.
    fn least_slope(&self) -> f64 {
        if self.root == 0.0 { 1.0 } else { self.lower.least_slope }
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

impl<M: PolarVolume> RadialDensity for KngRadius<'_, '_, M> {
    fn concave(&self, t: f64) -> f64 {
        self.ball.manifold().ln_area_concave(t) - self.least_slope() * t / self.sigma
    }
    fn rest(&self, t: f64) -> f64 {
        if self.about == About::Centre {
            return (self.least_slope() * t - self.lower_about_centre(t)) / self.sigma;
        }
        if self.root == 0.0 {
            return self.ball.manifold().ln_area_rise(t);
        }
        (self.least_slope() * t - self.lower_gradient(t)) / self.sigma + self.ln_share(t)
    }
    fn rest_bound(&self, a: f64, b: f64) -> f64 {
        // g grows at least as its least slope and the share falls (κ > 0); the volume's rise grows (κ ≤ 0).
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
    /// n = 0; a positively curved space that is not two-point homogeneous; a closed flat space; noise so wide that it has no law (κ < 0).
    pub fn new(ball: PublicBall<'a, M>, n: u64, epsilon: Epsilon) -> Result<Self, ManifoldMeanError> {
        let manifold = ball.manifold();
        let positive = manifold.curvature().upper > 0.0;
        if positive && manifold.two_point().is_none() {
            return Err(ManifoldMeanError::NotTwoPointHomogeneous);
        }
        if !positive && manifold.injectivity_radius().is_finite() {
            return Err(ManifoldMeanError::ClosedFlat);
        }
        let sensitivity = ball.gradient_sensitivity(n)?.plus_error(MEAN_GRADIENT)?;
        let sigma = 2.0 * sensitivity.get() / epsilon.get() * (1.0 + 1e-9);
        if !positive {
            // The law's envelope does not depend on the records here: whether it exists is public.
            let radius = KngRadius {
                ball: &ball,
                sigma,
                root: 0.0,
                lower: LowerGradient::default(),
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
        let lower = if root > 0.0 {
            let distances = binned(bounded.iter().map(|p| manifold.dist(mean, p)).collect());
            LowerGradient::new(&distances, root, end)
        } else {
            LowerGradient::default()
        };
        let scale = self.sigma * manifold.dim() as f64;
        let radius = |about, end| KngRadius {
            ball: &self.ball,
            sigma: self.sigma,
            root,
            lower: lower.clone(),
            offset,
            end,
            about,
        };
        let law = |about, end| RadialLaw::new(radius(about, end), scale).map_err(|_| TooWide(self.sigma));
        // Directions in one dimension have no concentration, and without positive curvature nothing is cut off.
        let possible = root > 0.0 && manifold.dim() > 1;
        if !possible || centred == Some(false) {
            return Ok(KngSampler::new(self, bounded, mean, law(About::Mean, end)?));
        }
        let about_centre = law(About::Centre, self.ball.radius().get())?;
        let loss = expected_loss(&about_centre, manifold.dim());
        let mut chosen = about_centre;
        // Up to some thousand gradients are cheaper than the double integrals of the share.
        if centred.is_none() && loss > 8.0 {
            let about_mean = law(About::Mean, end)?;
            // A membership test costs about a thirtieth of a gradient.
            if about_mean.density().ln_share(about_mean.mode()) + 30f64.ln() > -loss {
                chosen = about_mean;
            }
        }
        Ok(KngSampler::new(self, bounded, mean, chosen))
    }

    /// The noise, for the certificate.
    pub fn noise(&self) -> NoiseDescription {
        description(
            "k-norm-gradient",
            "exact: rejection from a radial envelope",
            &self.price,
            self.ball.manifold().dim(),
        )
    }
}

/// About how far, in units of ln, the envelope about the centre lies above the law where its mass is: by flat trigonometry.
fn expected_loss<M: PolarVolume>(law: &RadialLaw<KngRadius<'_, '_, M>>, dim: usize) -> f64 {
    let (density, t) = (law.density(), law.mode());
    let (o, half) = (density.offset, 0.5 * dim as f64);
    let concentration = density.slope() * o / density.sigma;
    let cosine = concentration / (half + half.hypot(concentration));
    let distance = (t * t + o * o - 2.0 * t * o * cosine).max(0.0).sqrt();
    ((distance - t + o * cosine) / density.sigma).max(0.0)
}

/// What becomes of a proposal.
enum Attempt<P> {
    /// It was too much work.
    GivenUp,
    /// Its gradient was computed, and it was not accepted.
    Refused,
    /// It is a draw.
    Accepted(P),
}

/// Draws of the mechanism on one dataset.
pub struct KngSampler<'b, 'a, M: PolarVolume> {
    mechanism: &'b KNormGradient<'a, M>,
    bounded: &'b [M::Point],
    mean: &'b M::Point,
    law: RadialLaw<KngRadius<'b, 'a, M>>,
    /// Concentration of directions about x̄, for proposals about the ball's centre.
    lean: VonMisesFisher,
    /// The unit vector at p₀ towards x̄; `None` where they coincide.
    towards: Option<M::Tangent>,
}

impl<'b, 'a, M: PolarVolume> KngSampler<'b, 'a, M> {
    fn new(
        mechanism: &'b KNormGradient<'a, M>,
        bounded: &'b [M::Point],
        mean: &'b M::Point,
        law: RadialLaw<KngRadius<'b, 'a, M>>,
    ) -> Self {
        let (manifold, centre) = (mechanism.ball.manifold(), mechanism.ball.centre());
        let radius = law.density();
        let lean = VonMisesFisher::new(manifold.dim(), radius.slope() * radius.offset / radius.sigma);
        let towards = manifold.log(centre, mean).ok().and_then(|v| {
            let norm = manifold.norm(centre, &v);
            (lean.concentration > 0.0 && norm > 0.0).then(|| manifold.scale(1.0 / norm, &v))
        });
        Self { mechanism, bounded, mean, law, lean, towards }
    }

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
            if let Attempt::Accepted(x) = self.attempt(&mut rng, &mut |_| true)? {
                return Ok((x, attempts));
            }
        }
    }

    /// One private point, or `None` when the work is more than was allowed: not a draw from the law then, so for the data holder's
    /// figures only.
    pub(crate) fn draw_within(
        &self,
        noise: &mut NoiseSource,
        paid: Charge,
        work: &mut Work,
    ) -> Result<Option<M::Point>, ManifoldMeanError> {
        let mut rng = noise.open(paid, self.mechanism.price.loss)?;
        loop {
            match self.attempt(&mut rng, &mut |logarithms| work.spend(logarithms))? {
                Attempt::Accepted(x) => return Ok(Some(x)),
                Attempt::GivenUp => return Ok(None),
                Attempt::Refused => {}
            }
        }
    }

    /// One proposal inside the ball. `spend` is told how many logarithms are about to be computed, and may stop that.
    fn attempt(
        &self,
        rng: &mut PaidGenerator<'_>,
        spend: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Attempt<M::Point>, ManifoldMeanError> {
        let (ball, sigma) = (&self.mechanism.ball, self.mechanism.sigma);
        let manifold = ball.manifold();
        let radius = self.law.density();
        let t = self.law.draw(rng);
        let (from, x, v, lower) = match radius.about {
            // The radius stays: its law counts the share of directions inside.
            About::Mean => loop {
                if !spend(1) {
                    return Ok(Attempt::GivenUp);
                }
                let v = manifold.scale(t, &manifold.random_direction(self.mean, rng));
                let x = manifold.exp(self.mean, &v);
                if radius.root == 0.0 || ball.contains(&x) {
                    break (self.mean, x, v, radius.lower_gradient(t));
                }
            },
            About::Centre => {
                let (direction, cosine) = self.leaning_direction(rng);
                let v = manifold.scale(t, &direction);
                let gained = radius.sigma * self.lean.concentration * (1.0 - cosine);
                (ball.centre(), manifold.exp(ball.centre(), &v), v, radius.lower_about_centre(t) + gained)
            }
        };
        if !spend(self.bounded.len()) {
            return Ok(Attempt::GivenUp);
        }
        let gradient = manifold.mean_log(&x, self.bounded, None)?.log;
        let excess = (manifold.norm(&x, &gradient) - lower).max(0.0);
        let accepted = direction_accepted(manifold, from, &v, -excess / sigma, rng);
        Ok(if accepted { Attempt::Accepted(x) } else { Attempt::Refused })
    }

    /// A unit vector at p₀ from the von Mises–Fisher law about x̄, and its cosine.
    fn leaning_direction(&self, rng: &mut PaidGenerator<'_>) -> (M::Tangent, f64) {
        let (manifold, centre) = (self.mechanism.ball.manifold(), self.mechanism.ball.centre());
        let Some(towards) = &self.towards else {
            // At concentration 0 the cosine does not matter.
            return (manifold.random_direction(centre, rng), 1.0);
        };
        let cosine = self.lean.cosine(rng);
        loop {
            let mut across = manifold.random_direction(centre, rng);
            manifold.axpy(-manifold.inner(centre, &across, towards), towards, &mut across);
            let norm = manifold.norm(centre, &across);
            if norm > 1e-6 {
                let mut v = manifold.scale((1.0 - cosine * cosine).max(0.0).sqrt() / norm, &across);
                manifold.axpy(cosine, towards, &mut v);
                return (v, cosine);
            }
        }
    }
}
