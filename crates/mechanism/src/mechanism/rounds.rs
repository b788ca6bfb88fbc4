//! Budgets of releases in two rounds: a rough private centre, a private radius about it, and the rest.

use super::MechanismError;
use super::quantile::{BisectedRadius, RadiusGrid};
use crate::privacy::{Charge, ClipRadius, ClipSource, Composition, Mechanism, Mu, PrivacyLoss};

/// The usual bracket of radii, in units of the public one: the first count is taken at that. What lies beyond it is as free as what lies below, since
/// the clip is public or noised either way.
pub const BRACKET: [f64; 2] = [1.0 / 8.0, 8.0];

/// nμ from which it is asked how far records lie beyond a public radius: records that lie far from the public centre are all shortened then.
const MEASURABLE: f64 = 30.0;
/// Which share of μ that takes. Of .1 and .2, .2 made errors of faces .05 from the template a tenth smaller, and others 1 % larger.
pub const MEASURED: f64 = 0.2;

/// What tells how far records lie beyond the radius, in words.
pub const EXCESS: &str = "mean length beyond the radius";

/// How a release in two rounds shares out its budget, and what it asks of its radius. Follows from n and μ alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// Of μ², for the first round.
    pub first: f64,
    /// Of μ, for the radius.
    pub radius: f64,
    /// nμ from which a radius can be counted.
    pub countable: f64,
    /// The share of the records that the second round's radius holds.
    pub held: f64,
    /// The second round's radius where none can be counted, as a share of the public one.
    pub uncounted: f64,
    /// The second round's radius in units of the one that was counted.
    pub widened: f64,
    /// Of μ, for how far records lie beyond that radius; 0 where it is not asked.
    pub excess: f64,
    /// The same where no radius is counted: [`MEASURED`], or 0.
    pub measured: f64,
    /// The least and the largest radius that is looked for, in units of the public one; mostly [`BRACKET`].
    pub bracket: [f64; 2],
}

/// A budget shared out over two rounds: μ₁² + μ_q² + μ_e² + μ₂² ≤ μ², so that all of it together is μ-GDP, whatever the later parts do with
/// what the earlier ones released.
#[derive(Debug, Clone, Copy)]
pub struct Rounds {
    shares: Shares,
    n: u64,
    total: Mu,
    /// For the rough centre.
    pub first: Mu,
    /// For the radius about it, where one can be counted.
    pub radius: Option<Mu>,
    /// For how far records lie beyond it, where that is asked.
    pub excess: Option<Mu>,
    /// For the second round.
    pub second: Mu,
}

/// What was paid for the parts.
pub struct PaidRounds {
    /// For the rough centre.
    pub first: Charge,
    /// For the radius about it.
    pub radius: Option<Charge>,
    /// For how far records lie beyond it.
    pub excess: Option<Charge>,
    /// For the second round.
    pub second: Charge,
}

impl Rounds {
    /// For n records at budget μ.
    ///
    /// # Errors
    /// [`MechanismError::Budget`] for budgets too small to be shared out.
    pub fn new(shares: Shares, n: u64, mu: Mu) -> Result<Self, MechanismError> {
        let total = mu.get();
        let first = total * shares.first.sqrt();
        let much = n as f64 * total;
        let (radius, excess) = if much >= shares.countable {
            (shares.radius * total, shares.excess * total)
        } else if much >= MEASURABLE {
            (0.0, shares.measured * total)
        } else {
            (0.0, 0.0)
        };
        // A few last places pay for the rounding of these lines.
        let left = total * total - first * first - radius * radius - excess * excess;
        let second = Mu::new(left.sqrt() * (1.0 - 8.0 * f64::EPSILON))?;
        let some = |part: f64| if part > 0.0 { Mu::new(part).map(Some) } else { Ok(None) };
        let (first, radius, excess) = (Mu::new(first)?, some(radius)?, some(excess)?);
        Ok(Self { shares, n, total: mu, first, radius, excess, second })
    }

    /// What the parts cost, in the order in which they are drawn.
    fn losses(&self) -> Vec<PrivacyLoss> {
        let parts = [Some(self.first), self.radius, self.excess, Some(self.second)];
        parts.into_iter().flatten().map(PrivacyLoss::Gaussian).collect()
    }

    /// The same with names: of the first round, of the second.
    pub fn parts(&self, first: &str, radius: Option<&BisectedRadius>, second: &str) -> Composition {
        let mut parts = Composition::new();
        parts.add(first, PrivacyLoss::Gaussian(self.first));
        if let Some(radius) = radius {
            parts.add(radius.price().mechanism.clone(), radius.price().loss);
        }
        if let Some(excess) = self.excess {
            parts.add(EXCESS, PrivacyLoss::Gaussian(excess));
        }
        parts.add(second, PrivacyLoss::Gaussian(self.second));
        parts
    }

    /// A payment for the whole, in parts.
    ///
    /// # Errors
    /// [`MechanismError`] when it is for something else.
    pub fn split(&self, paid: Charge) -> Result<PaidRounds, MechanismError> {
        let missing = || MechanismError::Shape("a payment has a part for every part of the release");
        let mut paid = paid.split(&self.losses())?.into_iter();
        let first = paid.next().ok_or_else(missing)?;
        let mut part = |asked: bool| if asked { paid.next().map(Some).ok_or_else(missing) } else { Ok(None) };
        let (radius, excess) = (part(self.radius.is_some())?, part(self.excess.is_some())?);
        Ok(PaidRounds { first, radius, excess, second: paid.next().ok_or_else(missing)? })
    }

    /// How the second round's radius is found about the public one, where it can be counted.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn bisected(&self, public: ClipRadius) -> Result<Option<BisectedRadius>, MechanismError> {
        let bracket = self.bracket(public);
        self.radius.map(|paid| BisectedRadius::new(&bracket, self.shares.held, self.n, paid)).transpose()
    }

    /// Radii about a public one.
    pub fn bracket(&self, public: ClipRadius) -> RadiusGrid {
        let [low, high] = self.shares.bracket.map(|factor| factor * public.get());
        RadiusGrid { low, high, ratio: 2.0 }
    }

    /// The second round's radius where none is counted.
    ///
    /// # Errors
    /// [`MechanismError`] for a radius out of range.
    pub fn uncounted(&self, public: ClipRadius) -> Result<ClipRadius, MechanismError> {
        Ok(ClipRadius::new(self.shares.uncounted * public.get(), ClipSource::Public)?)
    }

    /// The second round's radius from the one that was counted.
    ///
    /// # Errors
    /// [`MechanismError`] for a radius out of range.
    pub fn widened(&self, counted: ClipRadius) -> Result<ClipRadius, MechanismError> {
        Ok(ClipRadius::new(self.shares.widened * counted.get(), ClipSource::Private)?)
    }

    /// Whether n and μ are enough to count a radius.
    ///
    /// # Errors
    /// [`MechanismError::TooFew`] with the n and the μ that would be enough.
    pub fn check_countable(&self) -> Result<(), MechanismError> {
        let (n, mu, countable) = (self.n, self.total.get(), self.shares.countable);
        if n as f64 * mu >= countable {
            return Ok(());
        }
        let own = self.shares.radius * mu;
        let (records, times) = ((countable / mu).ceil() as u64, countable / (n.max(1) as f64 * mu));
        let doubt = BisectedRadius::count_deviation(own);
        Err(MechanismError::TooFew { n, mu: own, doubt, records, times })
    }
}
