//! The law of the error of an unshrunk estimate: people as a sample, and noise.

use super::{Prior, RecordCovariance};
use crate::function::Basis;
use nalgebra::{DMatrix, DVector};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use visard_base::parallel;

/// From weighted coordinates to samples: linear.
pub trait Synthesis: Sync {
    /// The samples of which `u` are the coordinates.
    fn field(&self, u: &[f64]) -> Vec<f64>;
    /// The variances of the samples where coordinates are independent, of these variances.
    fn variances(&self, of_coordinates: &[f64]) -> Vec<f64>;
}

/// All coefficients of a basis, with their weights.
#[derive(Debug, Clone, Copy)]
pub struct Weighted<'a> {
    /// Where functions are analysed.
    pub basis: &'a Basis,
    /// Its coefficients' weights.
    pub prior: &'a Prior,
}

impl Synthesis for Weighted<'_> {
    fn field(&self, u: &[f64]) -> Vec<f64> {
        let x: Vec<f64> = u.iter().zip(&self.prior.roots).map(|(u, root)| u / root).collect();
        self.basis.synthesize(&x)
    }
    fn variances(&self, of_coordinates: &[f64]) -> Vec<f64> {
        let x = of_coordinates.iter().zip(&self.prior.roots).map(|(v, root)| v / (root * root));
        self.basis.variances(&x.collect::<Vec<f64>>())
    }
}

/// The part of a field of vectors along one direction at each point, as along the normals of a surface: one number a point.
#[derive(Clone, Copy)]
pub struct Along<'a> {
    /// Of the vectors, samples `(points, 3)`; coordinates are of one channel each.
    pub field: &'a dyn Synthesis,
    /// Unit directions, one a point.
    pub directions: &'a [[f64; 3]],
}

impl Along<'_> {
    /// The part of a field's samples along the directions.
    pub fn of(&self, samples: &[f64]) -> Vec<f64> {
        let points = samples.chunks_exact(3).zip(self.directions);
        points.map(|(p, d)| p.iter().zip(d).map(|(x, d)| x * d).sum()).collect()
    }
}

impl Synthesis for Along<'_> {
    fn field(&self, u: &[f64]) -> Vec<f64> {
        self.of(&self.field.field(u))
    }
    fn variances(&self, of_coordinates: &[f64]) -> Vec<f64> {
        let variances = self.field.variances(of_coordinates);
        let points = variances.chunks_exact(3).zip(self.directions);
        points.map(|(v, d)| v.iter().zip(d).map(|(v, d)| v * d * d).sum()).collect()
    }
}

/// What a linear map makes of a field's samples, as of coordinates in a tangent space the entries of a matrix.
#[derive(Clone, Copy)]
pub struct Mapped<'a> {
    /// The field.
    pub field: &'a dyn Synthesis,
    /// From its samples, one a column, to values, one a row.
    pub maps: &'a DMatrix<f64>,
}

impl Mapped<'_> {
    /// The values of these samples.
    pub fn of(&self, samples: &[f64]) -> Vec<f64> {
        (self.maps * DVector::from_column_slice(samples)).as_slice().to_vec()
    }
}

impl Synthesis for Mapped<'_> {
    fn field(&self, u: &[f64]) -> Vec<f64> {
        self.of(&self.field.field(u))
    }
    // Samples need not be independent, so the coordinates are taken one by one.
    fn variances(&self, of_coordinates: &[f64]) -> Vec<f64> {
        let mut variances = vec![0.0; self.maps.nrows()];
        let mut unit = vec![0.0; of_coordinates.len()];
        for (j, variance) in of_coordinates.iter().enumerate() {
            unit[j] = 1.0;
            variances.iter_mut().zip(self.field(&unit)).for_each(|(v, x)| *v += variance * x * x);
            unit[j] = 0.0;
        }
        variances
    }
}

/// A normal law of errors in weighted coordinates: covariance C · sampling + noise · I, C that of single records.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorLaw {
    /// Standard deviations of independent parts.
    independent: Vec<f64>,
    /// Directions times their standard deviations, on `chosen` coordinates.
    directions: Vec<Vec<f64>>,
    chosen: Vec<usize>,
}

impl ErrorLaw {
    /// `sampling`: 1/n for a mean, 1/n_A + 1/n_B for a difference; `noise`: the variance of the noise in each coordinate.
    pub fn new(records: &RecordCovariance, sampling: f64, noise: f64) -> Self {
        let visible = records.visible.values.iter().zip(records.visible.vectors.column_iter());
        let direction = |(value, vector): (&f64, nalgebra::DVectorView<'_, f64>)| {
            let scale = (value * sampling).sqrt();
            vector.iter().map(|v| scale * v).collect()
        };
        Self {
            independent: records.diagonal.iter().map(|v| (v * sampling + noise).sqrt()).collect(),
            directions: visible.map(direction).collect(),
            chosen: records.chosen.clone(),
        }
    }

    /// Adds independent errors of these variances, one a coordinate.
    pub fn add(&mut self, variances: impl IntoIterator<Item = f64>) {
        self.independent.iter_mut().zip(variances).for_each(|(sd, more)| *sd = (*sd * *sd + more).sqrt());
    }

    /// Adds an error along these coordinates, the chosen ones, times a standard normal number.
    pub fn add_along(&mut self, direction: Vec<f64>) {
        self.directions.push(direction);
    }

    /// The variance of every coordinate.
    pub fn variances(&self) -> Vec<f64> {
        let mut variances: Vec<f64> = self.independent.iter().map(|sd| sd * sd).collect();
        for direction in &self.directions {
            self.chosen.iter().zip(direction).for_each(|(j, x)| variances[*j] += x * x);
        }
        variances
    }

    /// The standard deviation at every sample.
    pub fn errors(&self, synthesis: &dyn Synthesis) -> Vec<f64> {
        let squares: Vec<f64> = self.independent.iter().map(|sd| sd * sd).collect();
        let mut variances = synthesis.variances(&squares);
        let fields: Vec<Vec<f64>> =
            parallel::map_slice(&self.directions, |d| synthesis.field(&self.spread(d)));
        for field in fields {
            variances.iter_mut().zip(field).for_each(|(v, x)| *v += x * x);
        }
        variances.into_iter().map(f64::sqrt).collect()
    }

    /// A direction as coordinates.
    fn spread(&self, direction: &[f64]) -> Vec<f64> {
        let mut coordinates = vec![0.0; self.independent.len()];
        self.chosen.iter().zip(direction).for_each(|(j, x)| coordinates[*j] = *x);
        coordinates
    }

    /// The `field`-th error of a public generator with this seed, in coordinates.
    pub fn draw(&self, seed: u64, field: u64) -> Vec<f64> {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        rng.set_stream(field);
        let mut u: Vec<f64> = self.independent.iter().map(|sd| sd * normal(&mut rng)).collect();
        for direction in &self.directions {
            let z = normal(&mut rng);
            self.chosen.iter().zip(direction).for_each(|(j, d)| u[*j] += z * d);
        }
        u
    }
}

fn normal<R: Rng>(rng: &mut R) -> f64 {
    StandardNormal.sample(rng)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::{Visible, prior::spectrum};

    #[test]
    fn variances_under_a_map_are_those_of_drawn_fields() {
        let basis = Basis::of_faces(2, 4, false);
        let prior = Prior::new(&basis, |place| spectrum(place).powf(-0.5));
        let whole = Weighted { basis: &basis, prior: &prior };
        let maps = DMatrix::from_fn(3, basis.len(), |i, j| ((i * 5 + j * 3) % 7) as f64 - 3.0);
        let mapped = Mapped { field: &whole, maps: &maps };
        let of: Vec<f64> = (0..basis.len()).map(|j| 0.1 + (j % 3) as f64).collect();
        let found = mapped.variances(&of);
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let (runs, mut squares) = (8000, [0.0; 3]);
        for _ in 0..runs {
            let u: Vec<f64> = of.iter().map(|v| v.sqrt() * normal(&mut rng)).collect();
            squares.iter_mut().zip(mapped.field(&u)).for_each(|(s, x)| *s += x * x / f64::from(runs));
        }
        for (square, expected) in squares.iter().zip(found) {
            assert!((square / expected - 1.0).abs() < 0.06, "{square} {expected}");
        }
    }

    /// Errors along directions that differ from point to point are those of drawn fields, though channels go together.
    #[test]
    fn errors_along_directions_are_those_of_drawn_fields() {
        let basis = Basis::of_faces(3, 8, true);
        let prior = Prior::new(&basis, |place| spectrum(place).powf(-0.5));
        let chosen = prior.leading(4);
        let vectors = DMatrix::from_column_slice(4, 1, &[0.5, 0.5, -0.5, 0.5]);
        let records = RecordCovariance {
            chosen,
            visible: Visible { values: vec![8.0], vectors },
            diagonal: (0..prior.len()).map(|j| prior.weighted(j)).collect(),
        };
        let law = ErrorLaw::new(&records, 0.1, 0.02);
        let directions: Vec<[f64; 3]> = (0..24)
            .map(|i| {
                let t = f64::from(i);
                [0.8 * t.cos(), 0.8 * t.sin(), 0.6]
            })
            .collect();
        let whole = Weighted { basis: &basis, prior: &prior };
        let along = Along { field: &whole, directions: &directions };
        let errors = law.errors(&along);
        let runs = 3000;
        let mut squares = [0.0; 24];
        let mut of_coordinate = 0.0;
        for run in 0..runs {
            let u = law.draw(5, run);
            of_coordinate += u[records.chosen[0]].powi(2) / runs as f64;
            squares.iter_mut().zip(along.field(&u)).for_each(|(s, x)| *s += x * x / runs as f64);
        }
        for (square, error) in squares.iter().zip(&errors) {
            assert!((square / (error * error) - 1.0).abs() < 0.13, "{square} {error}");
        }
        assert!((of_coordinate / law.variances()[records.chosen[0]] - 1.0).abs() < 0.13);
    }
}
