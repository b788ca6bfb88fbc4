//! Regression of vectors on covariates: all moments that it needs, noised together.

mod noised;
#[cfg(test)]
mod tests;
mod worst_case;

pub use noised::NoisedRegression;
pub use worst_case::ENTRY;

use super::vectors::shortened;
use super::{AboutCentre, Given, PreparedVectors, Recentred, Recentring, Vectors};
use crate::mechanism::rounds::{BRACKET, Shares};
use crate::mechanism::{MechanismError, unseen};
use crate::privacy::noise::{ClippedSecond, NoiseSource, NoisedSecond};
use crate::privacy::{Charge, ClipRadius, ClipSource, Drawn, Mechanism, Mu, Price, PrivacyLoss, Title};

const TITLE: Title = Title {
    name: "regression moments in two rounds",
    sentence: "A first, rough private mean serves as centre, and a radius about it is read off noised counts where there are records \
               enough; then the products of every record's covariates with one another and with its deviation from the centre, shortened \
               to that radius, are averaged, and normal noise that covers what any one record can do to all of them together is added; \
               the regression is worked out from the noised averages.",
};

/// nμ from which the radius holds nine tenths of the records, not half: above it, the bias that a tight radius brings is seen.
const MUCH: f64 = 3000.0;

/// How the budget is shared out: a tenth of μ² for the rough centre, .15 μ for the radius where nμ ≥ 60.
pub(in crate::mechanism) fn shares(n: u64, mu: f64) -> Shares {
    let held = if n as f64 * mu >= MUCH { 0.9 } else { 0.5 };
    Shares {
        first: 0.1,
        radius: 0.15,
        countable: 60.0,
        held,
        uncounted: 0.6,
        widened: 1.0,
        excess: 0.0,
        measured: 0.0,
        bracket: BRACKET,
    }
}

/// One record: secret.
#[derive(Debug, Clone, PartialEq)]
pub struct RegressionRecord {
    /// x̃, its covariates in the design's columns.
    pub covariates: Vec<f64>,
    /// Its vector about the public origin; `None` for a failed record, which contributes zero in every round and keeps its covariates.
    pub vector: Option<Vec<f64>>,
    /// Which share of it was not seen and is what a public template has there, 0 to 1.
    pub filled: f64,
}

/// What is released for a regression of vectors u ∈ ℝ^k on covariates x̃ ∈ ℝ^q: their second moments, about a private centre.
///
#[doc = include_str!("proof.md")]
#[derive(Debug, Clone)]
pub struct VectorRegression {
    price: Price,
    recentring: Recentring,
    second: ClippedSecond,
    columns: usize,
    reach: f64,
    total: Mu,
}

/// The records' vectors with their covariates, without a second copy of all vectors.
fn vectors(records: &[RegressionRecord]) -> Vectors<'_> {
    let filled: Vec<f64> = records.iter().map(|record| record.filled).collect();
    let rows: Vec<Vec<f64>> = records.iter().map(|record| record.covariates.clone()).collect();
    let vectors = Vectors::asked(records.len(), |i| records[i].vector.clone());
    vectors.with_filled(filled).with_covariates(rows)
}

impl VectorRegression {
    /// Of `n` records with vectors of expected variances `prior` (up to scale) that are clipped to the `public` radius about the origin in
    /// the first round, and `columns` covariates of length at most `reach` (X); all of these are public. The second round looks at all of a
    /// vector ([`Self::looking_at`]).
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn new(
        prior: Vec<f64>,
        public: ClipRadius,
        columns: usize,
        reach: f64,
        n: u64,
        mu: Mu,
    ) -> Result<Self, MechanismError> {
        if columns == 0 || !(reach > 0.0 && reach.is_finite()) {
            return Err(MechanismError::Shape(
                "a regression needs covariates of a length that is bounded by a positive number",
            ));
        }
        let recentring = Recentring::new(shares(n, mu.get()), prior, public, n, mu)?;
        Self::of(recentring, columns, reach, mu)
    }

    /// The same whose second round looks at the first k coordinates only; the rough centre has all.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn looking_at(self, k: usize) -> Result<Self, MechanismError> {
        Self::of(self.recentring.looking_at(k), self.columns, self.reach, self.total)
    }

    fn of(recentring: Recentring, columns: usize, reach: f64, mu: Mu) -> Result<Self, MechanismError> {
        let n = recentring.n();
        let unit = ClipRadius::new(1.0, ClipSource::Public)?;
        let dimension = columns + recentring.dimension();
        let second = ClippedSecond::new(dimension, n, unit, recentring.second())?;
        let what = format!(
            "second moments of {columns} covariates (the intercept among them; scaled by public bounds to a length of at most \
             {reach:.4}) and of {} weighted coefficients of the deviation from a private centre, each divided by its bound; with {}",
            recentring.dimension(),
            unseen::WHAT
        );
        let mut price = Price::new(TITLE, n, PrivacyLoss::Gaussian(mu), &what)?;
        price.parts = recentring.parts(SECOND);
        (price.sensitivity, price.scale) = (second.price().sensitivity, second.price().scale);
        if !recentring.counts_radius() {
            price.clip = Some(recentring.public_radius()?);
        }
        Ok(Self { price, recentring, second, columns, reach, total: mu })
    }

    /// What is made of a release in which so many records took part, fewer than were planned for.
    pub(in crate::mechanism) fn of_records(&self, n: u64) -> Self {
        Self { recentring: self.recentring.clone().of_records(n), ..self.clone() }
    }

    /// The second round: of z = (x̃/X, (u − c)/τ)/√2.
    pub(in crate::mechanism) fn second(&self) -> &ClippedSecond {
        &self.second
    }

    /// Whether so many records have a row of the design each.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] where they do not.
    pub(in crate::mechanism) fn check_rows(
        &self,
        rows: &[Vec<f64>],
        count: usize,
    ) -> Result<(), MechanismError> {
        if rows.len() == count && rows.iter().all(|row| row.len() == self.columns) {
            return Ok(());
        }
        Err(MechanismError::Shape("every record needs a row of covariates"))
    }

    /// q.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// k.
    pub fn dimension(&self) -> usize {
        self.recentring.dimension()
    }

    /// X.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Whether the second round's radius is the median of the vectors' lengths, which takes something off every field.
    pub fn clips_at_median(&self) -> bool {
        let nmu = self.price.n as f64 * self.total.get();
        self.recentring.counts_radius() && nmu < MUCH
    }

    /// The first round.
    pub fn recentring(&self) -> &Recentring {
        &self.recentring
    }
}

const SECOND: &str = "second moments of covariates and of deviations from the private centre";

impl AboutCentre for VectorRegression {
    type Second = ClippedSecond;
    type Value = NoisedRegression;

    fn first_round(&self) -> &Recentring {
        &self.recentring
    }

    fn moments(&self, _: &Recentred) -> Result<Vec<ClippedSecond>, MechanismError> {
        Ok(vec![self.second.clone()])
    }

    /// z about a released centre.
    fn placed(&self, _: usize, (record, row): Given<'_>, centre: &Recentred) -> Option<(usize, Vec<f64>)> {
        let covariates = shortened(row.to_vec(), self.reach);
        let usable = record.filter(|u| u.iter().all(|x| x.is_finite()));
        let vector = shortened(centre.about(usable), centre.radius.get());
        let half = 0.5f64.sqrt();
        Some((0, covariates.into_iter().chain(vector).map(|x| half * x).collect()))
    }

    fn value(&self, recentred: Recentred, moments: Vec<NoisedSecond>) -> Option<NoisedRegression> {
        let (columns, reach) = (self.columns, self.reach);
        Some(NoisedRegression {
            recentred,
            moments: moments.into_iter().next()?,
            columns,
            reach,
            scores: None,
        })
    }
}

impl Mechanism for VectorRegression {
    type Records = [RegressionRecord];
    type Prepared<'a> = PreparedVectors<'a>;
    type Value = NoisedRegression;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(&'a self, records: &'a [RegressionRecord]) -> Result<PreparedVectors<'a>, MechanismError> {
        if records.iter().any(|record| record.covariates.len() != self.columns) {
            return Err(MechanismError::Shape("a record has another number of covariates than the design"));
        }
        self.prepare_all(vectors(records))
    }

    fn draw(
        &self,
        prepared: &PreparedVectors<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<NoisedRegression>, MechanismError> {
        self.draw_all(prepared, noise, paid)
    }
}
