//! Statistics of records by their samples about a centre, with their covariates where a statistic has a use for them.

use super::leading::HELD;
use super::{FunctionRecords, FunctionRegression};
use crate::mechanism::MechanismError;
use crate::mechanism::vector::{AboutCentre, NoisedRegression, PreparedVectors};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Composition, Drawn, Mechanism, Mu, Price, PrivacyLoss, Title};
use std::sync::Arc;

/// Samples about a centre, as [`FunctionRecords`]: `None` for a record that could not be made.
pub type Samples = Vec<Option<Vec<f64>>>;

/// A statistic of samples, and of the rows of a design; what it costs is the same whatever the centre.
pub trait OfSamples {
    /// What is made of records before the charge: secret.
    type Prepared<'a>
    where
        Self: 'a;
    /// What is released.
    type Value;

    /// What it costs: the same whatever the centre.
    fn price_of(&self) -> &Price;

    /// Whether so many records have what it needs beside their samples.
    ///
    /// # Errors
    /// [`MechanismError::Shape`].
    fn check(&self, _count: usize, _rows: &[Vec<f64>]) -> Result<(), MechanismError> {
        Ok(())
    }

    /// Makes records ready.
    ///
    /// # Errors
    /// As [`Mechanism::prepare`].
    fn prepare_of<'a>(
        &'a self,
        samples: &'a (dyn FunctionRecords + 'static),
        rows: &[Vec<f64>],
    ) -> Result<Self::Prepared<'a>, MechanismError>;

    /// Draws once.
    ///
    /// # Errors
    /// As [`Mechanism::draw`].
    fn draw_of(
        &self,
        prepared: &Self::Prepared<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Self::Value>, MechanismError>;
}

impl<M: Mechanism<Records = dyn FunctionRecords, Error = MechanismError>> OfSamples for M {
    type Prepared<'a>
        = M::Prepared<'a>
    where
        M: 'a;
    type Value = M::Value;

    fn price_of(&self) -> &Price {
        self.price()
    }

    fn prepare_of<'a>(
        &'a self,
        samples: &'a (dyn FunctionRecords + 'static),
        _: &[Vec<f64>],
    ) -> Result<M::Prepared<'a>, MechanismError> {
        self.prepare(samples)
    }

    fn draw_of(
        &self,
        prepared: &M::Prepared<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<M::Value>, MechanismError> {
        self.draw(prepared, noise, paid)
    }
}

impl OfSamples for FunctionRegression {
    type Prepared<'a> = PreparedVectors<'a>;
    type Value = NoisedRegression;

    fn price_of(&self) -> &Price {
        self.price()
    }

    fn check(&self, count: usize, rows: &[Vec<f64>]) -> Result<(), MechanismError> {
        self.mechanism().check_rows(rows, count)
    }

    fn prepare_of<'a>(
        &'a self,
        samples: &'a (dyn FunctionRecords + 'static),
        rows: &[Vec<f64>],
    ) -> Result<PreparedVectors<'a>, MechanismError> {
        self.mechanism().prepare_all(self.vectors(samples, rows.to_vec(), HELD)?)
    }

    fn draw_of(
        &self,
        prepared: &PreparedVectors<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedRegression>, MechanismError> {
        self.drawn(prepared, noise, paid)
    }
}

/// The price of first passes, which cost `parts`, and of a statistic after them, of n records at μ together; `what` says what it is of.
pub(in crate::mechanism) fn priced_after(
    title: Title,
    what: &str,
    inner: &Price,
    mut parts: Composition,
    (n, mu): (u64, Mu),
) -> Result<Price, MechanismError> {
    let what = format!("{what}: {}", inner.statistic);
    let mut price = Price::new(title, n, PrivacyLoss::Gaussian(mu), &what)?;
    price.sentence = format!("{} {}", title.sentence, inner.sentence);
    (price.sensitivity, price.scale, price.clip) = (inner.sensitivity, inner.scale, inner.clip);
    price.neighbours = inner.neighbours.clone();
    price.parts = if parts.parts().is_empty() {
        inner.parts.clone()
    } else {
        parts.add_group(inner.mechanism.clone(), inner.parts.clone());
        parts
    };
    Ok(price)
}

/// n people by their samples about a public centre: secret.
pub struct SampledRecords {
    /// Of each person the samples.
    pub samples: Arc<dyn FunctionRecords>,
    /// Of each person the covariates, where there are any.
    pub rows: Vec<Vec<f64>>,
}

/// A statistic of samples about a public centre: the statistic itself.
#[derive(Debug, Clone)]
pub struct AboutPublic<M>(pub Arc<M>);

impl<M: OfSamples> Mechanism for AboutPublic<M> {
    type Records = SampledRecords;
    type Prepared<'a>
        = M::Prepared<'a>
    where
        Self: 'a;
    type Value = M::Value;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        self.0.price_of()
    }

    fn prepare<'a>(&'a self, records: &'a SampledRecords) -> Result<M::Prepared<'a>, MechanismError> {
        self.0.check(records.samples.count(), &records.rows)?;
        self.0.prepare_of(&*records.samples, &records.rows)
    }

    fn draw(
        &self,
        prepared: &M::Prepared<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<M::Value>, MechanismError> {
        self.0.draw_of(prepared, noise, paid)
    }
}
