//! Budgets of releases in two rounds: a rough private centre, a private radius about it, and the rest.

use super::MechanismError;
use super::quantile::{BisectedRadius, RadiusGrid};
use crate::privacy::{Charge, ClipRadius, ClipSource, Composition, Mechanism, Mu, PrivacyLoss};

/// The bracket of radii begins at this share of the public one.
const LEAST: f64 = 1.0 / 8.0;

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
    /// The second round's radius in units of the one that was counted; never beyond the public one.
    pub widened: f64,
}

/// A budget shared out over two rounds: μ₁² + μ_q² + μ₂² ≤ μ², so that all of it together is μ-GDP, whatever the later parts do with
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
    /// For the second round.
    pub second: Mu,
}

/// What was paid for the parts.
pub struct PaidRounds {
    /// For the rough centre.
    pub first: Charge,
    /// For the radius about it.
    pub radius: Option<Charge>,
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
        let radius = if n as f64 * total >= shares.countable { shares.radius * total } else { 0.0 };
        // A few last places pay for the rounding of these lines.
        let second = (total * total - first * first - radius * radius).sqrt() * (1.0 - 8.0 * f64::EPSILON);
        let radius = if radius > 0.0 { Some(Mu::new(radius)?) } else { None };
        Ok(Self { shares, n, total: mu, first: Mu::new(first)?, radius, second: Mu::new(second)? })
    }

    /// What the parts cost, in the order in which they are drawn.
    fn losses(&self) -> Vec<PrivacyLoss> {
        let parts = [Some(self.first), self.radius, Some(self.second)];
        parts.into_iter().flatten().map(PrivacyLoss::Gaussian).collect()
    }

    /// The same with names: of the first round, of the second.
    pub fn parts(&self, first: &str, radius: Option<&BisectedRadius>, second: &str) -> Composition {
        let mut parts = Composition::new();
        parts.add(first, PrivacyLoss::Gaussian(self.first));
        if let Some(radius) = radius {
            parts.add(radius.price().mechanism.clone(), radius.price().loss);
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
        let radius = if self.radius.is_some() { Some(paid.next().ok_or_else(missing)?) } else { None };
        Ok(PaidRounds { first, radius, second: paid.next().ok_or_else(missing)? })
    }

    /// How the second round's radius is found below the public one, where it can be counted.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn bisected(&self, public: ClipRadius) -> Result<Option<BisectedRadius>, MechanismError> {
        let bracket = RadiusGrid { low: LEAST * public.get(), high: public.get(), ratio: 2.0 };
        self.radius.map(|paid| BisectedRadius::new(&bracket, self.shares.held, self.n, paid)).transpose()
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
    pub fn widened(&self, counted: ClipRadius, public: ClipRadius) -> Result<ClipRadius, MechanismError> {
        let radius = (self.shares.widened * counted.get()).min(public.get());
        Ok(ClipRadius::new(radius, ClipSource::Private)?)
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
