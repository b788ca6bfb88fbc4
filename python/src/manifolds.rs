//! Manifolds as values, for batches of points: the arrays' own numbers, never a copy, without the interpreter's lock.

use crate::failure::{Failure, Kind};
use crate::work;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use visard::manifold::{
    Batch, Kendall, LandmarkShapes, Lorentz, Manifold, ManifoldError, MeanRows, PoincareBall, RowCloud,
    RowError, Rows, SpdAffineInvariant, SpdBuresWasserstein, SpdLogEuclidean, Sphere,
};
use visard::stats::{FrechetMean, FrechetOptions, frechet_mean_of_rows};

#[derive(Debug, Clone)]
enum Any {
    AffineInvariant(SpdAffineInvariant),
    LogEuclidean(SpdLogEuclidean),
    BuresWasserstein(SpdBuresWasserstein),
    Sphere(Sphere),
    Poincare(PoincareBall),
    Lorentz(Lorentz),
    Kendall(Kendall),
    Landmarks(LandmarkShapes),
}

macro_rules! with {
    ($any:expr, $m:ident => $do:expr) => {
        match $any {
            Any::AffineInvariant($m) => $do,
            Any::LogEuclidean($m) => $do,
            Any::BuresWasserstein($m) => $do,
            Any::Sphere($m) => $do,
            Any::Poincare($m) => $do,
            Any::Lorentz($m) => $do,
            Any::Kendall($m) => $do,
            Any::Landmarks($m) => $do,
        }
    };
}

/// An array's rows, with what they are called.
#[derive(Clone, Copy)]
struct Named<'a> {
    name: &'a str,
    data: &'a [f64],
    width: usize,
}

impl<'a> Named<'a> {
    /// An array of this many numbers a row.
    fn new(name: &'a str, array: &'a PyReadonlyArray2<'_, f64>, width: usize) -> PyResult<Self> {
        let found = array.shape()[1];
        if found != width {
            let said = format!("{name}: {found} numbers a point, this space has {width}");
            return Err(Failure::input(said).into());
        }
        let unordered = |_| Failure::input(format!("{name}: must be contiguous"));
        Ok(Self { name, data: array.as_slice().map_err(unordered)?, width })
    }

    fn batch(&self) -> Batch<'a> {
        Batch::new(self.data, self.width)
    }

    fn rows(&self) -> usize {
        self.batch().rows()
    }

    /// Rows from one to another, or the only one.
    fn part(&self, rows: &std::ops::Range<usize>) -> Batch<'a> {
        if self.rows() == 1 {
            return self.batch();
        }
        Batch::new(&self.data[rows.start * self.width..rows.end * self.width], self.width)
    }

    /// An error of one row.
    fn at(&self, row: usize, error: impl std::fmt::Display) -> Failure {
        if self.rows() == 1 {
            return Failure::input(format!("{}: {error}", self.name));
        }
        Failure::input(format!("{}[{row}]: {error}", self.name))
    }
}

/// Does something with two batches, some rows at a time, so that Ctrl-C is answered in between: `work` gets rows of both and the numbers to
/// fill, `width` for each pair.
fn in_turn<'py>(
    py: Python<'py>,
    (p, q): (Named<'_>, Named<'_>),
    cost: usize,
    width: usize,
    work: impl Fn(Batch<'_>, Batch<'_>, &mut [f64]) -> Result<(), RowError> + Sync,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let Some(rows) = p.batch().together(&q.batch()) else {
        let (a, b) = (p.rows(), q.rows());
        let message = format!("{}, {}: {a} and {b} points do not go together", p.name, q.name);
        return Err(Failure::input(message).into());
    };
    let found = PyArray1::<f64>::zeros(py, [rows * width], false);
    let mut numbers = found.readwrite();
    let out = numbers.as_slice_mut().map_err(Failure::other)?;
    let step = (LONG / cost.max(1)).max(1);
    for start in (0..rows).step_by(step) {
        let range = start..(start + step).min(rows);
        let out = &mut out[range.start * width..range.end * width];
        work::short(py, || {
            work(p.part(&range), q.part(&range), out).map_err(|e| {
                let batch = if e.batch == 0 { p } else { q };
                batch.at(e.row + start, e.error)
            })
        })?;
        py.check_signals()?;
    }
    drop(numbers);
    Ok(found)
}

/// What a mean is asked for.
struct Asked<'a> {
    points: Named<'a>,
    weights: Option<&'a [f64]>,
    options: FrechetOptions,
    stop: &'a (dyn Fn() -> bool + Sync),
}

/// A mean as a row, the gradient's norm there, the steps taken.
type Mean = (Vec<f64>, f64, usize);

impl Asked<'_> {
    fn prepared<M: Rows>(&self, space: &M) -> Result<std::borrow::Cow<'_, [f64]>, Failure> {
        space.prepare(self.points.batch()).map_err(|e| self.points.at(e.row, e.error))
    }

    fn mean<M: MeanRows>(&self, space: &M) -> Result<Mean, Failure> {
        let rows = self.prepared(space)?;
        let cloud = RowCloud::new(&rows, self.points.width, self.weights);
        let found = frechet_mean_of_rows(space, &cloud, self.options, self.stop);
        let FrechetMean { point, certificate, .. } = found.map_err(|e| Failure::input(format!("X: {e}")))?;
        if !certificate.settled() {
            return Err(unsettled(certificate.gradient_norm, certificate.tolerance, certificate.iterations));
        }
        let mut row = vec![0.0; self.points.width];
        space.put_point(&point, &mut row);
        Ok((row, certificate.gradient_norm, certificate.iterations))
    }

    fn mean_shape(&self, space: &LandmarkShapes) -> Result<Mean, Failure> {
        let rows = self.prepared(space)?;
        let FrechetOptions { gradient_tolerance: tolerance, max_iterations: most } = self.options;
        let found = space.mean_of_rows(&rows, self.weights, (tolerance, most), self.stop);
        let found = found.map_err(|e| Failure::input(format!("X: {e}")))?;
        if found.gradient_norm > tolerance.max(ROUNDING) {
            return Err(unsettled(found.gradient_norm, tolerance, found.iterations));
        }
        Ok((found.shape, found.gradient_norm, found.iterations))
    }
}

/// What rounding alone may leave of a mean logarithm of shapes.
const ROUNDING: f64 = 1e-15;

fn unsettled(norm: f64, tolerance: f64, steps: usize) -> Failure {
    let message = format!(
        "the mean was not reached: after {steps} steps the gradient's norm is {norm:.1e}, above {tolerance:.1e}"
    );
    Failure::of(Kind::NotConverged, message)
}

/// A manifold. Points are rows of `width` numbers, in C-contiguous arrays (n, width).
#[pyclass(frozen, module = "visard._visard")]
#[derive(Debug)]
pub struct Space(Any);

/// Multiplications between two looks at Ctrl-C: some tenths of a second.
const LONG: usize = 300_000_000;

/// The same for a mean, whose steps are some ten operations on every point.
const LONG_MEAN: usize = LONG / 10;

#[pymethods]
impl Space {
    /// A space by name and order (matrices), dimension (spheres, hyperbolic spaces) or number of landmarks.
    #[new]
    fn new(name: &str, size: usize) -> PyResult<Self> {
        let refused = |e: ManifoldError| Failure::input(e);
        Ok(Self(match name {
            "affine-invariant" => Any::AffineInvariant(SpdAffineInvariant::new(size).map_err(refused)?),
            "log-euclidean" => Any::LogEuclidean(SpdLogEuclidean::new(size).map_err(refused)?),
            "bures-wasserstein" => Any::BuresWasserstein(SpdBuresWasserstein::new(size).map_err(refused)?),
            "sphere" => Any::Sphere(Sphere::unit(size).map_err(refused)?),
            "poincare" => Any::Poincare(PoincareBall::new(size).map_err(refused)?),
            "lorentz" => Any::Lorentz(Lorentz::new(size).map_err(refused)?),
            "kendall" => Any::Kendall(Kendall::new(size).map_err(refused)?),
            "kendall-3d" => Any::Landmarks(LandmarkShapes::new(size, 3).map_err(refused)?),
            _ => return Err(Failure::input(format!("no space is called {name:?}")).into()),
        }))
    }

    /// The manifold's dimension.
    #[getter]
    fn dim(&self) -> usize {
        match &self.0 {
            Any::AffineInvariant(m) => m.dim(),
            Any::LogEuclidean(m) => m.dim(),
            Any::BuresWasserstein(m) => m.dim(),
            Any::Sphere(m) => m.dim(),
            Any::Poincare(m) => m.dim(),
            Any::Lorentz(m) => m.dim(),
            Any::Kendall(m) => m.dim(),
            Any::Landmarks(m) => 3 * m.landmarks() - 7,
        }
    }

    /// Numbers in a row.
    #[getter]
    fn width(&self) -> usize {
        with!(&self.0, m => m.width())
    }

    /// d(p, q), row by row.
    fn dist<'py>(
        &self,
        py: Python<'py>,
        p: PyReadonlyArray2<'py, f64>,
        q: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let width = self.width();
        let both = (Named::new("point_a", &p, width)?, Named::new("point_b", &q, width)?);
        with!(&self.0, m => in_turn(py, both, m.work(), 1, |p, q, out| m.dist_rows(p, q, out)))
    }

    /// exp_p(v), row by row; v is projected onto the tangent space.
    fn exp<'py>(
        &self,
        py: Python<'py>,
        v: PyReadonlyArray2<'py, f64>,
        p: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let width = self.width();
        let both = (Named::new("base_point", &p, width)?, Named::new("tangent_vec", &v, width)?);
        let found =
            with!(&self.0, m => in_turn(py, both, m.work(), width, |p, v, out| m.exp_rows(p, v, out)))?;
        self.table(&found)
    }

    /// log_p(q), row by row.
    fn log<'py>(
        &self,
        py: Python<'py>,
        q: PyReadonlyArray2<'py, f64>,
        p: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let width = self.width();
        let both = (Named::new("base_point", &p, width)?, Named::new("point", &q, width)?);
        let found =
            with!(&self.0, m => in_turn(py, both, m.work(), width, |p, q, out| m.log_rows(p, q, out)))?;
        self.table(&found)
    }

    /// The first row that is no point, and why.
    fn complaint(&self, py: Python<'_>, p: PyReadonlyArray2<'_, f64>) -> PyResult<Option<(usize, String)>> {
        let p = Named::new("p", &p, self.width())?;
        work::short(py, || {
            let wrong = with!(&self.0, m => m.check_rows(p.batch()).err());
            Ok(wrong.map(|e| (e.row, e.error.to_string())))
        })
    }

    /// The Fréchet mean of all rows, the gradient's norm there, and the steps taken.
    #[pyo3(signature = (points, weights, tolerance, most))]
    fn frechet_mean<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArray2<'py, f64>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        tolerance: f64,
        most: usize,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, f64, usize)> {
        let options = FrechetOptions { gradient_tolerance: tolerance, max_iterations: most };
        let weights: Option<Vec<f64>> = weights.map(|w| w.to_vec()).transpose().map_err(Failure::input)?;
        let (points, weights) = (Named::new("X", &points, self.width())?, weights.as_deref());
        let mean = |stop: &(dyn Fn() -> bool + Sync)| {
            let asked = Asked { points, weights, options, stop };
            match &self.0 {
                Any::AffineInvariant(m) => asked.mean(m),
                Any::LogEuclidean(m) => asked.mean(m),
                Any::BuresWasserstein(m) => asked.mean(m),
                Any::Sphere(m) => asked.mean(m),
                Any::Poincare(m) => asked.mean(m),
                Any::Lorentz(m) => asked.mean(m),
                Any::Kendall(m) => asked.mean(m),
                Any::Landmarks(m) => asked.mean_shape(m),
            }
        };
        let work = with!(&self.0, m => m.work()).saturating_mul(points.rows());
        let (mean, norm, steps) =
            if work < LONG_MEAN { work::short(py, || mean(&|| false))? } else { work::beside(py, mean)? };
        Ok((PyArray1::from_vec(py, mean), norm, steps))
    }
}

impl Space {
    fn table<'py>(&self, data: &Bound<'py, PyArray1<f64>>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let width = self.width();
        data.reshape([data.len() / width, width])
    }
}
