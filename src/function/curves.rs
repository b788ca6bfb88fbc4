use super::FunctionError;
use super::error::check_values;

/// J closed curves of m samples in space: the face radial curves of one face (Soto et al. 2024, section 3).
///
/// Curve j is the image of the circle of radius r_j of the disk, sample l that of the angle 2πl/m: m **distinct**
/// samples, the first is not repeated. Coordinates are those of a centred surface of unit area, in the pose and the
/// parameterization of the public template. Row-major (J, m, 3).
#[derive(Debug, Clone, PartialEq)]
pub struct FaceCurves {
    curves: usize,
    samples: usize,
    data: Vec<f64>,
}

impl FaceCurves {
    /// Curves from their coordinates, row-major (`curves`, `samples`, 3).
    ///
    /// # Errors
    /// [`FunctionError`] when there are no curves or samples, when the number of coordinates is not
    /// `curves`·`samples`·3, or when one is not finite.
    pub fn new(curves: usize, samples: usize, data: Vec<f64>) -> Result<Self, FunctionError> {
        if curves == 0 || samples == 0 {
            return Err(FunctionError::BadDomain(
                "face curves need at least one curve and one sample".into(),
            ));
        }
        let expected = curves.checked_mul(samples).and_then(|n| n.checked_mul(3)).unwrap_or(usize::MAX);
        check_values("face curves", &data, expected)?;
        Ok(Self { curves, samples, data })
    }

    /// Number of curves J.
    pub fn curves(&self) -> usize {
        self.curves
    }

    /// Samples m on each curve.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// All coordinates, row-major (J, m, 3).
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// The coordinates, taken out.
    pub fn into_data(self) -> Vec<f64> {
        self.data
    }

    /// Coordinate `k` (0, 1, 2) of sample `l` of curve `j`.
    ///
    /// # Panics
    /// When an index is out of range, as slices do.
    pub fn get(&self, j: usize, l: usize, k: usize) -> f64 {
        assert!(j < self.curves && l < self.samples && k < 3, "curve, sample or coordinate out of range");
        self.data[(j * self.samples + l) * 3 + k]
    }

    /// Sample `l` of curve `j`.
    pub fn point(&self, j: usize, l: usize) -> [f64; 3] {
        [self.get(j, l, 0), self.get(j, l, 1), self.get(j, l, 2)]
    }

    /// Whether the other face has as many curves and samples.
    pub fn same_shape(&self, other: &Self) -> bool {
        (self.curves, self.samples) == (other.curves, other.samples)
    }

    /// Mean over all samples of the squared distance between corresponding points: the error measure of the
    /// private mean. `None` when the shapes differ.
    pub fn mean_square_distance(&self, other: &Self) -> Option<f64> {
        self.same_shape(other).then(|| {
            let total: f64 = self.data.iter().zip(&other.data).map(|(a, b)| (a - b) * (a - b)).sum();
            total / (self.curves * self.samples) as f64
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_where_the_layout_says() {
        let c = FaceCurves::new(2, 4, (0..24).map(f64::from).collect()).unwrap();
        assert_eq!(c.get(1, 2, 0), 18.0);
        assert_eq!(c.point(0, 3), [9.0, 10.0, 11.0]);
        let moved = FaceCurves::new(2, 4, c.data().iter().map(|x| x + 2.0).collect()).unwrap();
        assert_eq!(c.mean_square_distance(&moved), Some(12.0));
    }

    #[test]
    fn malformed_curves_are_refused() {
        assert!(FaceCurves::new(0, 4, vec![]).is_err());
        assert!(FaceCurves::new(usize::MAX, 4, vec![]).is_err());
        assert_eq!(
            FaceCurves::new(1, 1, vec![0.0, 1.0]).unwrap_err().to_string(),
            "face curves: 3 values expected, got 2"
        );
        assert!(FaceCurves::new(1, 1, vec![0.0, f64::NAN, 0.0]).is_err());
        let small = FaceCurves::new(1, 1, vec![0.0; 3]).unwrap();
        let large = FaceCurves::new(1, 2, vec![0.0; 6]).unwrap();
        assert_eq!(small.mean_square_distance(&large), None);
    }
}
