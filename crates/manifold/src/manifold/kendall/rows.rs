//! Batches of shapes as rows of numbers: configurations, landmark by landmark, each standing for its shape.

use super::flat::{aligned, dot, exp, log, preshape, scale};
use super::shapes::LandmarkShapes;
use super::space::Kendall;
use super::turn::{Shapes, Turn};
use crate::manifold::error::ManifoldError;
use crate::manifold::rows::{Batch, MeanRows, RowError, Rows};
use crate::manifold::space::{Manifold, MeanLog};
use crate::manifold::weights::total_weight;
use nalgebra::{Complex, DVector};
use pulp::{Arch, Simd, WithSimd};
use std::borrow::Cow;
use visard_base::parallel;

/// Below this all rotations match equally well: the cut locus of planar shapes.
const LOST: f64 = 8.0 * f64::EPSILON;

enum Task<'a> {
    /// Preshapes into this room.
    Prepare(&'a mut [f64]),
    Dist(Batch<'a>, &'a mut [f64]),
    Exp(Batch<'a>, &'a mut [f64]),
    Log(Batch<'a>, &'a mut [f64]),
    /// Of preshapes: weights, the sum of logarithms, that of squares.
    Mean(Option<&'a [f64]>, &'a mut [f64], &'a mut f64),
}

/// Something of shapes of landmarks in D dimensions: p the base points (of a mean one preshape), `points` those of a mean.
struct Part<'a, const D: usize> {
    width: usize,
    p: Batch<'a>,
    points: Batch<'a>,
    task: Task<'a>,
}

impl<const D: usize> WithSimd for Part<'_, D>
where
    Shapes: Turn<D>,
{
    /// The first row that is no good.
    type Output = Option<usize>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Option<usize> {
        let Self { width, p, points, task } = self;
        let mut room = vec![0.0; 3 * width];
        let (base, rest) = room.split_at_mut(width);
        let (other, found) = rest.split_at_mut(width);
        let shape = |i: usize, base: &mut [f64]| {
            if i == 0 || !p.is_one() {
                preshape::<D>(p.get(i), base);
            }
        };
        match task {
            Task::Prepare(out) => {
                let wrong = |(i, out): (usize, &mut [f64])| !preshape::<D>(p.get(i), out);
                return out.chunks_exact_mut(width).enumerate().position(wrong);
            }
            Task::Dist(q, out) => {
                for (i, out) in out.iter_mut().enumerate() {
                    shape(i, base);
                    preshape::<D>(q.get(i), other);
                    *out = aligned::<D>(base, other, found).2;
                }
            }
            Task::Exp(v, out) => {
                for (i, out) in out.chunks_exact_mut(width).enumerate() {
                    shape(i, base);
                    other.copy_from_slice(v.get(i));
                    exp::<D>(base, other, out);
                }
            }
            Task::Log(q, out) => {
                for (i, out) in out.chunks_exact_mut(width).enumerate() {
                    shape(i, base);
                    preshape::<D>(q.get(i), other);
                    if log::<D>(base, other, out) <= LOST && D == 2 {
                        return Some(i);
                    }
                }
            }
            Task::Mean(weights, sum, square) => {
                for i in 0..points.rows() {
                    let z = points.get(i);
                    let (mut turn, cos, theta, ratio) = aligned::<D>(p.get(0), z, found);
                    if cos <= LOST && D == 2 {
                        return Some(i);
                    }
                    let weight = weights.map_or(1.0, |w| w[i]);
                    turn.as_flattened_mut().iter_mut().for_each(|x| *x *= weight * ratio);
                    for (sum, z) in sum.chunks_exact_mut(D).zip(z.chunks_exact(D)) {
                        for j in 0..D {
                            sum[j] += (0..D).map(|i| z[i] * turn[i][j]).sum::<f64>();
                        }
                    }
                    *square += weight * theta * theta;
                }
            }
        }
        None
    }
}

/// Shapes of landmarks in two or three dimensions.
#[derive(Clone, Copy)]
struct Of {
    landmarks: usize,
    dimensions: usize,
}

/// Shapes a thread takes at a time where logarithms are averaged.
const BLOCK: usize = 64;

impl Of {
    fn width(self) -> usize {
        self.landmarks * self.dimensions
    }

    fn run(self, p: Batch<'_>, points: Batch<'_>, task: Task<'_>) -> Option<usize> {
        let width = self.width();
        match self.dimensions {
            2 => Arch::new().dispatch(Part::<2> { width, p, points, task }),
            _ => Arch::new().dispatch(Part::<3> { width, p, points, task }),
        }
    }

    /// Σ w log_p(x) / Σ w and Σ w θ² / Σ w of preshapes.
    fn mean_log(
        self,
        p: &[f64],
        points: Batch<'_>,
        weights: Option<&[f64]>,
    ) -> Result<(Vec<f64>, f64), ManifoldError> {
        let total = total_weight(points.rows(), weights)?;
        let block = |start: usize| {
            let rows = start..(start + BLOCK).min(points.rows());
            let (mut sum, mut square) = (vec![0.0; self.width()], 0.0);
            let weights = weights.map(|w| &w[rows.clone()]);
            let task = Task::Mean(weights, &mut sum, &mut square);
            match self.run(Batch::new(p, self.width()), points.part(rows), task) {
                None => Ok((sum, square)),
                Some(_) => Err(ManifoldError::CutLocus(super::preshape::NAME)),
            }
        };
        let starts: Vec<usize> = (0..points.rows()).step_by(BLOCK).collect();
        let parts: Vec<_> = match starts.len() {
            ..=2 => starts.into_iter().map(block).collect(),
            _ => parallel::map_vec(starts, block),
        };
        let (mut log, mut square) = (vec![0.0; self.width()], 0.0);
        for part in parts {
            let (sum, more) = part?;
            log.iter_mut().zip(sum).for_each(|(log, x)| *log += x);
            square += more;
        }
        // Without what lies along p.
        let along = dot(p, &log);
        log.iter_mut().zip(p).for_each(|(log, p)| *log -= along * p);
        scale(&mut log, 1.0 / total);
        Ok((log, square / total))
    }
}

/// A mean of shapes that are rows.
#[derive(Debug, Clone)]
pub struct MeanShape {
    /// The preshape, landmark by landmark.
    pub shape: Vec<f64>,
    /// The length of the mean logarithm there.
    pub gradient_norm: f64,
    /// Steps taken.
    pub iterations: usize,
}

impl LandmarkShapes {
    /// The Fréchet mean of preshapes that are rows ([`Rows::prepare`]): steps along mean logarithms from the first shape, each of which
    /// leaves a share of the way of the order of the squared spread, until the mean logarithm is no longer than `tolerance`, `most` steps are
    /// taken, no step makes it shorter, or `asked` says so.
    ///
    /// # Errors
    /// No shapes, or weights that do not fit.
    pub fn mean_of_rows(
        &self,
        rows: &[f64],
        weights: Option<&[f64]>,
        (tolerance, most): (f64, usize),
        asked: &(dyn Fn() -> bool + Sync),
    ) -> Result<MeanShape, ManifoldError> {
        let of = self.of();
        let points = Batch::new(rows, of.width());
        total_weight(points.rows(), weights)?;
        let mut shape = rows[..of.width()].to_vec();
        let (mut log, _) = of.mean_log(&shape, points, weights)?;
        let mut found = MeanShape { gradient_norm: dot(&log, &log).sqrt(), shape: Vec::new(), iterations: 0 };
        while found.gradient_norm > tolerance && found.iterations < most && !asked() {
            let mut next = vec![0.0; of.width()];
            let task = Task::Exp(Batch::new(&log, of.width()), &mut next);
            of.run(Batch::new(&shape, of.width()), points, task);
            let (further, _) = of.mean_log(&next, points, weights)?;
            let norm = dot(&further, &further).sqrt();
            if norm >= found.gradient_norm {
                break;
            }
            (shape, log) = (next, further);
            (found.gradient_norm, found.iterations) = (norm, found.iterations + 1);
        }
        Ok(MeanShape { shape, ..found })
    }

    fn of(&self) -> Of {
        Of { landmarks: self.landmarks(), dimensions: self.dimensions() }
    }
}

impl Kendall {
    fn of(&self) -> Of {
        Of { landmarks: self.landmarks(), dimensions: 2 }
    }
}

macro_rules! shape_rows {
    ($space:ty, $why:expr) => {
        impl Rows for $space {
            fn width(&self) -> usize {
                self.of().width()
            }
            fn work(&self) -> usize {
                20 * self.of().width() + 200
            }
            fn check_part(&self, points: Batch<'_>) -> Result<(), RowError> {
                let mut room = vec![0.0; self.of().width()];
                for row in 0..points.rows() {
                    if self
                        .of()
                        .run(Batch::new(points.get(row), room.len()), points, Task::Prepare(&mut room))
                        .is_some()
                    {
                        return Err(RowError { batch: 0, row, error: $why(self, points.get(row)) });
                    }
                }
                Ok(())
            }
            fn dist_part(&self, p: Batch<'_>, q: Batch<'_>, out: &mut [f64]) {
                self.of().run(p, q, Task::Dist(q, out));
            }
            fn exp_part(&self, p: Batch<'_>, v: Batch<'_>, out: &mut [f64]) {
                self.of().run(p, v, Task::Exp(v, out));
            }
            fn log_part(&self, p: Batch<'_>, q: Batch<'_>, out: &mut [f64]) -> Result<(), RowError> {
                match self.of().run(p, q, Task::Log(q, out)) {
                    None => Ok(()),
                    Some(row) => {
                        Err(RowError { batch: 1, row, error: ManifoldError::CutLocus(super::preshape::NAME) })
                    }
                }
            }
            fn prepare<'a>(&self, points: Batch<'a>) -> Result<Cow<'a, [f64]>, RowError> {
                self.check_rows(points)?;
                let mut shapes = vec![0.0; points.rows() * self.of().width()];
                self.of().run(points, points, Task::Prepare(&mut shapes));
                Ok(Cow::Owned(shapes))
            }
        }
    };
}

/// What the space itself says of a configuration.
fn planar(space: &Kendall, row: &[f64]) -> ManifoldError {
    let landmarks: Vec<[f64; 2]> = row.chunks_exact(2).map(|xy| [xy[0], xy[1]]).collect();
    space.preshape(&landmarks).err().unwrap_or(ManifoldError::NotFinite(super::preshape::NAME))
}

fn spatial(space: &LandmarkShapes, row: &[f64]) -> ManifoldError {
    let landmarks = nalgebra::DMatrix::from_row_slice(space.landmarks(), space.dimensions(), row);
    space.preshape(&landmarks).err().unwrap_or(ManifoldError::NotFinite(super::preshape::NAME))
}

shape_rows!(Kendall, planar);
shape_rows!(LandmarkShapes, spatial);

/// Of preshapes.
impl MeanRows for Kendall {
    fn of_row(&self, row: &[f64]) -> DVector<Complex<f64>> {
        DVector::from_iterator(self.landmarks(), row.chunks_exact(2).map(|xy| Complex::new(xy[0], xy[1])))
    }

    fn put_point(&self, p: &DVector<Complex<f64>>, row: &mut [f64]) {
        row.chunks_exact_mut(2).zip(p.iter()).for_each(|(xy, z)| xy.copy_from_slice(&[z.re, z.im]));
    }

    fn mean_log_rows(
        &self,
        p: &DVector<Complex<f64>>,
        points: Batch<'_>,
        weights: Option<&[f64]>,
    ) -> Result<MeanLog<DVector<Complex<f64>>>, ManifoldError> {
        let mut row = vec![0.0; self.of().width()];
        self.put_point(p, &mut row);
        let (log, mean_square) = self.of().mean_log(&row, points, weights)?;
        // Horizontal to the last digit: the mean is much shorter than its terms.
        Ok(MeanLog { log: self.project_tangent(p, &self.of_row(&log)), mean_square })
    }

    fn rough_mean_rows(
        &self,
        points: Batch<'_>,
        weights: Option<&[f64]>,
    ) -> Result<DVector<Complex<f64>>, ManifoldError> {
        total_weight(points.rows(), weights)?;
        let first = weights.and_then(|w| w.iter().position(|w| *w > 0.0)).unwrap_or(0);
        let first = self.of_row(points.get(first));
        let log = self.mean_log_rows(&first, points, weights);
        // Where a shape is too far from the first, the first has to do.
        Ok(log.map_or_else(|_| first.clone(), |mean| self.exp(&first, &mean.log)))
    }
}
