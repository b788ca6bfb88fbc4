use super::FunctionalError;
use crate::privacy::IncompleteMean;

/// Sums and extremes of records as they are, for the mechanisms that take their bounds from the data. Nothing made of
/// it is private.
///
/// Sums are compensated (Neumaier 1974), so the order of records matters at the level of rounding of the result only.
#[derive(Debug, Clone)]
pub struct Measured {
    declared: u64,
    given: u64,
    sums: Vec<f64>,
    lost: Vec<f64>,
    lowest: Vec<f64>,
    highest: Vec<f64>,
    /// Largest root mean square of each block of equal length.
    block_norms: Vec<f64>,
}

impl Measured {
    pub(super) fn new(dim: usize, blocks: usize, declared: u64) -> Result<Self, FunctionalError> {
        if dim == 0 || blocks == 0 || !dim.is_multiple_of(blocks) || declared == 0 {
            return Err(IncompleteMean::Empty.into());
        }
        Ok(Self {
            declared,
            given: 0,
            sums: vec![0.0; dim],
            lost: vec![0.0; dim],
            lowest: vec![f64::INFINITY; dim],
            highest: vec![f64::NEG_INFINITY; dim],
            block_norms: vec![0.0; blocks],
        })
    }

    pub(super) fn add(&mut self, record: &[f64]) -> Result<(), FunctionalError> {
        if record.len() != self.sums.len() {
            let (expected, found) = (self.sums.len(), record.len());
            return Err(IncompleteMean::Length { expected, found }.into());
        }
        if self.given == self.declared {
            let (declared, given) = (self.declared, self.given + 1);
            return Err(IncompleteMean::Count { declared, given }.into());
        }
        self.given += 1;
        for (i, &x) in record.iter().enumerate() {
            let sum = self.sums[i] + x;
            self.lost[i] += if self.sums[i].abs() >= x.abs() {
                (self.sums[i] - sum) + x
            } else {
                (x - sum) + self.sums[i]
            };
            self.sums[i] = sum;
            self.lowest[i] = self.lowest[i].min(x);
            self.highest[i] = self.highest[i].max(x);
        }
        let length = record.len() / self.block_norms.len();
        for (norm, block) in self.block_norms.iter_mut().zip(record.chunks_exact(length)) {
            *norm = norm.max((block.iter().map(|x| x * x).sum::<f64>() / length as f64).sqrt());
        }
        Ok(())
    }

    pub(super) fn check_complete(&self) -> Result<(), FunctionalError> {
        if self.given == self.declared {
            Ok(())
        } else {
            Err(IncompleteMean::Count { declared: self.declared, given: self.given }.into())
        }
    }

    pub(super) fn mean(&self) -> Vec<f64> {
        let n = self.declared as f64;
        self.sums.iter().zip(&self.lost).map(|(s, l)| (s + l) / n).collect()
    }

    /// Range of each coordinate.
    pub(super) fn ranges(&self) -> Vec<f64> {
        self.lowest.iter().zip(&self.highest).map(|(l, h)| h - l).collect()
    }

    pub(super) fn block_norms(&self) -> &[f64] {
        &self.block_norms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_extremes_are_those_of_the_records() {
        let mut m = Measured::new(4, 2, 3).unwrap();
        for record in [[1e16, 1.0, 3.0, 4.0], [1.0, 2.0, 0.0, 0.0], [-1e16, 3.0, 0.0, 1.0]] {
            m.add(&record).unwrap();
        }
        assert!(m.add(&[0.0; 4]).is_err());
        assert_eq!(m.mean(), [1.0 / 3.0, 2.0, 1.0, 5.0 / 3.0]);
        assert_eq!(m.ranges(), [2e16, 2.0, 3.0, 4.0]);
        assert_eq!(m.block_norms()[1], 12.5_f64.sqrt());
        assert!(Measured::new(4, 3, 1).is_err() && Measured::new(0, 1, 1).is_err());
        assert!(Measured::new(2, 1, 1).unwrap().add(&[1.0]).is_err());
        assert!(Measured::new(2, 1, 1).unwrap().check_complete().is_err());
    }
}
