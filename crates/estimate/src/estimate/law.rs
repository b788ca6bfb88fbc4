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
    /// The same of several.
    fn fields(&self, us: &[Vec<f64>]) -> Vec<Vec<f64>> {
        us.iter().map(|u| self.field(u)).collect()
    }
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

/// So many fields are mapped at once: a map of many values is larger than a processor's caches, and is read once for all of them.
pub const TOGETHER: usize = 16;

impl Mapped<'_> {
    /// The values of these samples.
    pub fn of(&self, samples: &[f64]) -> Vec<f64> {
        (self.maps * DVector::from_column_slice(samples)).as_slice().to_vec()
    }

    /// The same of [`TOGETHER`] samples at most, to the last bit.
    fn of_some(&self, samples: &[Vec<f64>]) -> Vec<Vec<f64>> {
        const ROWS: usize = 128;
        let (rows, columns) = self.maps.shape();
        let lane = |f: usize, k: usize| samples.get(f).map_or(0.0, |samples| samples[k]);
        // Of a single coefficient most samples may be zero.
        let lanes: Vec<(usize, [f64; TOGETHER])> = (0..columns)
            .map(|k| (k, std::array::from_fn(|f| lane(f, k))))
            .filter(|(_, lane): &(usize, [f64; TOGETHER])| lane.iter().any(|x| *x != 0.0))
            .collect();
        let mut all = vec![Vec::with_capacity(rows); samples.len()];
        for start in (0..rows).step_by(ROWS) {
            let block = start..rows.min(start + ROWS);
            let mut sums = [[0.0; TOGETHER]; ROWS];
            for (k, lane) in &lanes {
                let column = &self.maps.as_slice()[k * rows..][block.clone()];
                for (sum, m) in sums.iter_mut().zip(column) {
                    *sum = std::array::from_fn(|f| sum[f] + m * lane[f]);
                }
            }
            for (f, values) in all.iter_mut().enumerate() {
                values.extend(sums[..block.len()].iter().map(|sum| sum[f]));
            }
        }
        all
    }
}

impl Synthesis for Mapped<'_> {
    fn field(&self, u: &[f64]) -> Vec<f64> {
        self.of(&self.field.field(u))
    }
    fn fields(&self, us: &[Vec<f64>]) -> Vec<Vec<f64>> {
        us.chunks(TOGETHER).flat_map(|us| self.of_some(&self.field.fields(us))).collect()
    }
    // Samples need not be independent, so the coordinates are taken one by one.
    fn variances(&self, of_coordinates: &[f64]) -> Vec<f64> {
        let d = of_coordinates.len();
        let unit = |j: usize| (0..d).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
        let some = |block: usize| {
            let units: Vec<Vec<f64>> = (block * TOGETHER..d.min((block + 1) * TOGETHER)).map(unit).collect();
            self.fields(&units)
        };
        let fields = parallel::map(d.div_ceil(TOGETHER), some);
        let mut variances = vec![0.0; self.maps.nrows()];
        for (variance, field) in of_coordinates.iter().zip(fields.iter().flatten()) {
            variances.iter_mut().zip(field).for_each(|(v, x)| *v += variance * x * x);
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
        let blocks: Vec<&[Vec<f64>]> = self.directions.chunks(TOGETHER).collect();
        let some = |block: &&[Vec<f64>]| {
            let spread: Vec<Vec<f64>> = block.iter().map(|direction| self.spread(direction)).collect();
            synthesis.fields(&spread)
        };
        for field in parallel::map_slice(&blocks, some).iter().flatten() {
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

    #[test]
    fn several_fields_are_mapped_as_one_is() {
        let basis = Basis::of_faces(3, 8, true);
        let prior = Prior::new(&basis, |_| 1.0);
        let maps = DMatrix::from_fn(300, basis.len(), |i, j| ((i * 7 + j * j) as f64).sin());
        let mapped = Mapped { field: &Weighted { basis: &basis, prior: &prior }, maps: &maps };
        let us: Vec<Vec<f64>> = (0..TOGETHER + 3)
            .map(|f| (0..basis.len()).map(|j| ((f * j + f) as f64).cos()).collect())
            .collect();
        let one_by_one: Vec<Vec<f64>> = us.iter().map(|u| mapped.field(u)).collect();
        assert_eq!(mapped.fields(&us), one_by_one);
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
