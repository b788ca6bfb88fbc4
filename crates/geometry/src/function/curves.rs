//! Face radial curves: a face as J closed curves of m samples in space (Soto et al. 2024, §3).

/// Why numbers are not a set of face radial curves.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CurvesError {
    /// The number of values does not fit.
    #[error("{given} values given for {curves} curves of {samples} samples in space")]
    WrongLength {
        /// J.
        curves: usize,
        /// m.
        samples: usize,
        /// How many values there are.
        given: usize,
    },
    /// A value is NaN or infinite.
    #[error("a curve has a value that is not a finite number")]
    NotFinite,
    /// The curves enclose no area that could be scaled to one.
    #[error("the curves have no area")]
    NoArea,
}

/// J closed curves of m distinct samples t_l = l/m, three coordinates each: `(J, m, 3)` in C order.
///
/// Curve 1 is nearest the nose tip. For a face: centred, of unit area, rotated to the template.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceCurves {
    curves: usize,
    samples: usize,
    data: Vec<f64>,
}

impl FaceCurves {
    /// Curves from `(J, m, 3)` values.
    ///
    /// # Errors
    /// [`CurvesError`].
    pub fn new(curves: usize, samples: usize, data: Vec<f64>) -> Result<Self, CurvesError> {
        if data.len() != 3 * curves * samples || data.is_empty() {
            return Err(CurvesError::WrongLength { curves, samples, given: data.len() });
        }
        if !data.iter().all(|x| x.is_finite()) {
            return Err(CurvesError::NotFinite);
        }
        Ok(Self { curves, samples, data })
    }

    /// J.
    pub fn curves(&self) -> usize {
        self.curves
    }

    /// m.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The values, `(J, m, 3)` in C order.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// The same, taken out.
    pub fn into_data(self) -> Vec<f64> {
        self.data
    }

    /// Coordinate `k` along curve `j`.
    pub fn coordinate(&self, j: usize, k: usize) -> Vec<f64> {
        (0..self.samples).map(|l| self.data[3 * (j * self.samples + l) + k]).collect()
    }

    /// Mean over all J·m points of the squared distance to another set of the same shape.
    pub fn mean_square_distance(&self, other: &Self) -> f64 {
        let sum: f64 = self.data.iter().zip(&other.data).map(|(a, b)| (a - b).powi(2)).sum();
        sum / (self.curves * self.samples) as f64
    }

    /// Root-mean-square distance to the mirror image: x ↦ −x, t ↦ ½ − t. Infinite for an odd number of samples, whose mirror
    /// image has its samples elsewhere.
    pub fn mirror_asymmetry(&self) -> f64 {
        let m = self.samples;
        if !m.is_multiple_of(2) {
            return f64::INFINITY;
        }
        let point = |j: usize, l: usize| &self.data[3 * (j * m + l)..][..3];
        let sum: f64 = (0..self.curves)
            .flat_map(|j| (0..m).map(move |l| (j, l)))
            .map(|(j, l)| {
                let (p, q) = (point(j, l), point(j, (m + m / 2 - l) % m));
                (p[0] + q[0]).powi(2) + (p[1] - q[1]).powi(2) + (p[2] - q[2]).powi(2)
            })
            .sum();
        (sum / (self.curves * m) as f64).sqrt()
    }
}
