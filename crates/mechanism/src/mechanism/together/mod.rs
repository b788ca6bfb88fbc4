//! Two statistics of the same records under one charge.

mod worst_case;

pub use worst_case::ENTRY;

use super::MechanismError;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Composition, Drawn, Mechanism, Mu, Price, PrivacyLoss, Title};
use serde::{Deserialize, Serialize};

const TITLE: Title = Title {
    name: "two statistics under one charge",
    sentence: "Two statistics of the same records are released, each by a mechanism of its own with noise of its own and half of the \
               squared budget, and charged at once.",
};

/// Two mechanisms on the same records, each at μ/√2.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct Together<A, B> {
    first: A,
    second: B,
    price: Price,
}

/// What two mechanisms released.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Both<A, B> {
    /// The first one's.
    pub first: A,
    /// The second one's.
    pub second: B,
}

/// What each of two statistics gets of a budget: equal parts of μ².
///
/// # Errors
/// [`MechanismError::Budget`] for budgets too small to be shared out.
pub fn half(mu: Mu) -> Result<Mu, MechanismError> {
    // A few last places pay for rounding, as in every sum of squares that must not exceed the whole.
    Ok(Mu::new(mu.get() * 0.5f64.sqrt() * (1.0 - 8.0 * f64::EPSILON))?)
}

impl<A, B> Together<A, B>
where
    A: Mechanism<Error = MechanismError>,
    B: Mechanism<Records = A::Records, Error = MechanismError>,
{
    /// Two mechanisms, each made at [`half`] of `mu`, with what they are called in the list of parts.
    ///
    /// # Errors
    /// [`MechanismError`] when they are not of equally many records or not of that budget.
    pub fn new(mu: Mu, first: (&str, A), second: (&str, B)) -> Result<Self, MechanismError> {
        let ((name, first), (other, second)) = (first, second);
        let own = PrivacyLoss::Gaussian(half(mu)?);
        let (a, b) = (first.price(), second.price());
        if a.n != b.n || a.loss != own || b.loss != own {
            return Err(MechanismError::Shape("two statistics under one charge have half of it each"));
        }
        let statistic = format!("{name}: {}; {other}: {}", a.statistic, b.statistic);
        let mut price = Price::new(TITLE, a.n, PrivacyLoss::Gaussian(mu), &statistic)?;
        price.sentence =
            format!("{} For the {name}: {} For the {other}: {}", TITLE.sentence, a.sentence, b.sentence);
        price.neighbours = a.neighbours.common(&b.neighbours);
        price.parts = Composition::new();
        for (name, price_of) in [(name, a), (other, b)] {
            for part in price_of.parts.parts() {
                let loss = part.loss().ok_or(MechanismError::Shape("a part of a mechanism has a loss"))?;
                price.parts.add(format!("{name}: {}", part.mechanism), loss);
            }
        }
        Ok(Self { first, second, price })
    }

    /// The first mechanism.
    pub fn first(&self) -> &A {
        &self.first
    }

    /// The second mechanism.
    pub fn second(&self) -> &B {
        &self.second
    }
}

impl<A, B> Mechanism for Together<A, B>
where
    A: Mechanism<Error = MechanismError> + 'static,
    B: Mechanism<Records = A::Records, Error = MechanismError> + 'static,
{
    type Records = A::Records;
    type Prepared<'a> = (A::Prepared<'a>, B::Prepared<'a>);
    type Value = Both<A::Value, B::Value>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(&'a self, records: &'a Self::Records) -> Result<Self::Prepared<'a>, MechanismError> {
        Ok((self.first.prepare(records)?, self.second.prepare(records)?))
    }

    fn draw(
        &self,
        prepared: &Self::Prepared<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Self::Value>, MechanismError> {
        let missing = || MechanismError::Shape("a payment has a part for every part of the release");
        let mut paid = paid.split(&[self.first.price().loss, self.second.price().loss])?.into_iter();
        let first = self.first.draw(&prepared.0, noise, paid.next().ok_or_else(missing)?)?;
        let second = self.second.draw(&prepared.1, noise, paid.next().ok_or_else(missing)?)?;
        let mut parts = first.parts;
        parts.extend(second.parts);
        Ok(Drawn { value: Both { first: first.value, second: second.value }, parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Ledger, Neighbours, release};

    #[test]
    fn two_halves_are_the_whole_and_each_is_paid_for_once() {
        for mu in [0.01, 0.3, 1.0, 7.0] {
            let mu = Mu::new(mu).unwrap();
            let mechanism = worst_case::mechanism(mu).unwrap();
            let total = mechanism.price().parts.mu().unwrap().unwrap().get();
            assert!(total <= mu.get() && total > mu.get() * (1.0 - 1e-9), "{total} of {}", mu.get());
            let mut ledger = Ledger::in_memory(None);
            let records = worst_case::records(1.0);
            let released = release(&mechanism, &records, &mut ledger, &mut NoiseSource::seeded(1)).unwrap();
            // Seeded, so that the ledger states no bound; what it was charged is the cost of the noise.
            let part = ledger.spent().parts()[0].clone().with_terms(Neighbours::default(), false);
            let spent = Composition::from(part).mu().unwrap().unwrap().get();
            assert!((spent / mu.get() - 1.0).abs() < 1e-9 && released.parts.len() == 2, "{spent}");
        }
    }

    #[test]
    fn mechanisms_of_another_budget_are_refused() {
        let (whole, own) = (Mu::new(1.0).unwrap(), half(Mu::new(1.0).unwrap()).unwrap());
        let dear = Together::new(
            whole,
            ("a", worst_case::one(own).unwrap()),
            ("b", worst_case::one(whole).unwrap()),
        );
        assert!(dear.is_err());
        assert!(
            Together::new(
                Mu::new(2.0).unwrap(),
                ("a", worst_case::one(own).unwrap()),
                ("b", worst_case::one(own).unwrap())
            )
            .is_err()
        );
    }
}
