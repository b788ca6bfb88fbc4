//! All steps of a stream with all records in one place: for audits, tests and simulations.

use super::StreamNoise;
use crate::privacy::Charge;
use crate::privacy::noise::{ClippedSum, NoiseError, NoiseSource};
use crate::privacy::release::{Drawn, Mechanism, NoisedPart, Price};

/// A stream whose records are all there already.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct WholeStream {
    noise: StreamNoise,
    price: Price,
}

impl WholeStream {
    /// Of n records in all.
    ///
    /// # Errors
    /// [`NoiseError`] for n = 0.
    pub fn new(noise: StreamNoise, n: u64) -> Result<Self, NoiseError> {
        let price = noise.price(n, "weighted sums of the clipped records")?;
        Ok(Self { noise, price })
    }

    /// How it is noised.
    pub fn noise(&self) -> &StreamNoise {
        &self.noise
    }
}

impl Mechanism for WholeStream {
    /// The records of every step.
    type Records = [Vec<Option<Vec<f64>>>];
    type Prepared<'a> = Vec<Vec<i128>>;
    /// The answer of every step.
    type Value = Vec<Vec<i128>>;
    type Error = NoiseError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare(&self, records: &Self::Records) -> Result<Vec<Vec<i128>>, NoiseError> {
        let one = |records: &Vec<Option<Vec<f64>>>| {
            let mut sum: ClippedSum = self.noise.sum(records.len() as u64);
            records.iter().try_for_each(|record| sum.add(record.as_deref()))?;
            self.noise.closed(&sum)
        };
        records.iter().map(one).collect()
    }

    fn draw(
        &self,
        sums: &Vec<Vec<i128>>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Vec<Vec<i128>>>, NoiseError> {
        let answer = |step| self.noise.answer(&sums[..step], noise, &paid);
        let value = (1..=sums.len()).map(answer).collect::<Result<_, _>>()?;
        let part = NoisedPart {
            what: self.price.mechanism.clone(),
            loss: self.price.loss,
            sensitivity: self.price.sensitivity.ok_or(NoiseError::OutOfScale)?,
            clip: Some(self.noise.radius()),
            noise: self.noise.description(self.price.n),
            expected_error: None,
        };
        Ok(Drawn { value, parts: vec![part] })
    }
}
