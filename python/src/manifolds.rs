//! Manifolds as values, for batches of points.

use crate::failure::{Failure, Kind};
use crate::rows::Rows;
use crate::work;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::ops::Range;
use visard::manifold::{
    Kendall, Lorentz, Manifold, ManifoldError, PoincareBall, SpdAffineInvariant, SpdBuresWasserstein,
    SpdLogEuclidean, Sphere,
};
use visard::stats::{FrechetMean, FrechetOptions, frechet_mean_until};

#[derive(Debug, Clone)]
enum Any {
    AffineInvariant(SpdAffineInvariant),
    LogEuclidean(SpdLogEuclidean),
    BuresWasserstein(SpdBuresWasserstein),
    Sphere(Sphere),
    Poincare(PoincareBall),
    Lorentz(Lorentz),
    Kendall(Kendall),
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
        }
    };
}

/// Rows of numbers with what they are called.
struct Batch<'a> {
    name: &'a str,
    data: &'a [f64],
    width: usize,
}

/// Below this many rows threads cost more than they save.
const FEW: usize = 64;

impl<'a> Batch<'a> {
    fn new(name: &'a str, array: &'a PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let width = array.shape()[1];
        let unordered = |_| Failure::input(format!("{name}: must be contiguous"));
        Ok(Self { name, data: array.as_slice().map_err(unordered)?, width })
    }

    fn rows(&self) -> usize {
        self.data.len().checked_div(self.width).unwrap_or(0)
    }

    /// Row i, or the only one.
    fn row(&self, i: usize) -> &'a [f64] {
        let i = if self.rows() == 1 { 0 } else { i };
        &self.data[i * self.width..(i + 1) * self.width]
    }

    fn fits(&self, space: &impl Rows) -> Result<(), Failure> {
        if self.width == space.width() {
            return Ok(());
        }
        let (name, width) = (self.name, self.width);
        Err(Failure::input(format!("{name}: {width} numbers a point, this space has {}", space.width())))
    }

    fn point<M: Rows>(&self, space: &M, i: usize) -> Result<M::Point, Failure> {
        space.point(self.row(i)).map_err(|e| self.at(i, e))
    }

    /// All points, checked; some at a time, so that Ctrl-C is answered in between.
    fn points<M: Rows>(&self, py: Python<'_>, space: &M) -> PyResult<Vec<M::Point>> {
        self.fits(space)?;
        let step = (MANY / self.width.max(1)).max(FEW);
        let mut points = Vec::with_capacity(self.rows());
        for start in (0..self.rows()).step_by(step) {
            let rows = start..(start + step).min(self.rows());
            points.append(&mut work::short(py, || each(rows, |i| self.point(space, i)))?);
            py.check_signals()?;
        }
        Ok(points)
    }

    /// An error of one row.
    fn at(&self, i: usize, error: impl std::fmt::Display) -> Failure {
        if self.rows() == 1 {
            return Failure::input(format!("{}: {error}", self.name));
        }
        Failure::input(format!("{}[{i}]: {error}", self.name))
    }
}

/// Does something for every row; the first failure in order is the one that is told.
fn each<T: Send>(
    rows: Range<usize>,
    f: impl Fn(usize) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    if rows.len() < FEW {
        return rows.map(f).collect();
    }
    let part =
        |start: usize| (start..(start + FEW).min(rows.end)).map(&f).collect::<Result<Vec<T>, Failure>>();
    let parts: Vec<_> = rows.clone().into_par_iter().step_by(FEW).map(part).collect();
    let mut all = Vec::with_capacity(rows.len());
    for part in parts {
        all.extend(part?);
    }
    Ok(all)
}

/// How many rows two batches make together: one row goes with any number.
fn together(p: &Batch<'_>, q: &Batch<'_>) -> Result<usize, Failure> {
    match (p.rows(), q.rows()) {
        (a, b) if a == b => Ok(a),
        (1, n) | (n, 1) => Ok(n),
        (a, b) => {
            Err(Failure::input(format!("{}, {}: {a} and {b} points do not go together", p.name, q.name)))
        }
    }
}

/// Does something with two batches; of many numbers so that Ctrl-C is answered.
fn batched(
    py: Python<'_>,
    p: Batch<'_>,
    q: Batch<'_>,
    f: impl FnOnce(&Batch<'_>, &Batch<'_>) -> Result<Vec<f64>, Failure> + Send + 'static,
) -> PyResult<Vec<f64>> {
    if p.data.len() + q.data.len() < MANY {
        return work::short(py, || f(&p, &q));
    }
    // Names are words of this file, numbers are the caller's: copied, since the caller may go on before the work does.
    let own = |b: &Batch<'_>| (b.name.to_owned(), b.data.to_vec(), b.width);
    let (p, q) = (own(&p), own(&q));
    work::long(py, Default::default(), None, move |_| {
        f(&Batch { name: &p.0, data: &p.1, width: p.2 }, &Batch { name: &q.0, data: &q.1, width: q.2 })
    })
}

fn distances<M: Rows>(space: &M, p: &Batch<'_>, q: &Batch<'_>) -> Result<Vec<f64>, Failure> {
    p.fits(space)?;
    q.fits(space)?;
    each(0..together(p, q)?, |i| Ok(space.dist(&p.point(space, i)?, &q.point(space, i)?)))
}

fn exponentials<M: Rows>(space: &M, p: &Batch<'_>, v: &Batch<'_>) -> Result<Vec<f64>, Failure> {
    p.fits(space)?;
    v.fits(space)?;
    let one = |i: usize| {
        let (from, v) = (p.point(space, i)?, space.tangent(v.row(i)));
        let mut row = Vec::with_capacity(p.width);
        space.put_point(&space.exp(&from, &space.project_tangent(&from, &v)), &mut row);
        Ok(row)
    };
    Ok(each(0..together(p, v)?, one)?.concat())
}

fn logarithms<M: Rows>(space: &M, p: &Batch<'_>, q: &Batch<'_>) -> Result<Vec<f64>, Failure> {
    p.fits(space)?;
    q.fits(space)?;
    let one = |i: usize| {
        let v = space.log(&p.point(space, i)?, &q.point(space, i)?).map_err(|e| q.at(i, e))?;
        let mut row = Vec::with_capacity(p.width);
        space.put_tangent(&v, &mut row);
        Ok(row)
    };
    Ok(each(0..together(p, q)?, one)?.concat())
}

fn mean_of<M: Rows>(
    space: &M,
    points: &[M::Point],
    weights: Option<&[f64]>,
    options: FrechetOptions,
    asked: &(dyn Fn() -> bool + Sync),
) -> Result<(Vec<f64>, f64, usize), Failure> {
    let mut row = Vec::with_capacity(space.width());
    if let Some(mean) = space.closed_mean(points, weights) {
        space.put_point(&mean.map_err(|e| Failure::input(format!("X: {e}")))?, &mut row);
        return Ok((row, 0.0, 0));
    }
    let found = frechet_mean_until(space, points, weights, None, options, asked)
        .map_err(|e| Failure::input(format!("X: {e}")))?;
    let FrechetMean { point, certificate, .. } = found;
    if !certificate.settled() {
        let (norm, steps) = (certificate.gradient_norm, certificate.iterations);
        let message = format!(
            "the mean was not reached: after {steps} steps the gradient's norm is {norm:.1e}, above {:.1e}",
            certificate.tolerance
        );
        return Err(Failure::of(Kind::NotConverged, message));
    }
    space.put_point(&point, &mut row);
    Ok((row, certificate.gradient_norm, certificate.iterations))
}

/// A manifold. Points are rows of `width` numbers, in C-contiguous arrays (n, width).
#[pyclass(frozen, module = "visard._visard")]
#[derive(Debug)]
pub struct Space(Any);

/// Numbers in two batches, above which Ctrl-C is listened for: some tenths of a second of work.
const MANY: usize = 400_000;

/// Numbers in all points of a mean, above which Ctrl-C is listened for: below, a mean takes some hundredths of a second.
const LONG: usize = 100_000;

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
            _ => return Err(Failure::input(format!("no space is called {name:?}")).into()),
        }))
    }

    /// The manifold's dimension.
    #[getter]
    fn dim(&self) -> usize {
        with!(&self.0, m => m.dim())
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
        let (p, q) = (Batch::new("point_a", &p)?, Batch::new("point_b", &q)?);
        let found = with!(&self.0, m => {
            let m = *m;
            batched(py, p, q, move |p, q| distances(&m, p, q))?
        });
        Ok(PyArray1::from_vec(py, found))
    }

    /// exp_p(v), row by row; v is projected onto the tangent space.
    fn exp<'py>(
        &self,
        py: Python<'py>,
        v: PyReadonlyArray2<'py, f64>,
        p: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (p, v) = (Batch::new("base_point", &p)?, Batch::new("tangent_vec", &v)?);
        let found = with!(&self.0, m => {
            let m = *m;
            batched(py, p, v, move |p, v| exponentials(&m, p, v))?
        });
        self.table(py, found)
    }

    /// log_p(q), row by row.
    fn log<'py>(
        &self,
        py: Python<'py>,
        q: PyReadonlyArray2<'py, f64>,
        p: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (p, q) = (Batch::new("base_point", &p)?, Batch::new("point", &q)?);
        let found = with!(&self.0, m => {
            let m = *m;
            batched(py, p, q, move |p, q| logarithms(&m, p, q))?
        });
        self.table(py, found)
    }

    /// The first row that is no point, and why.
    fn complaint(&self, py: Python<'_>, p: PyReadonlyArray2<'_, f64>) -> PyResult<Option<(usize, String)>> {
        let p = Batch::new("p", &p)?;
        work::short(py, || {
            with!(&self.0, m => {
                p.fits(m)?;
                Ok((0..p.rows()).find_map(|i| m.point(p.row(i)).err().map(|e| (i, e.to_string()))))
            })
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
        let batch = Batch::new("X", &points)?;
        let (mean, norm, steps) = with!(&self.0, m => {
            let (m, records) = (*m, batch.points(py, m)?);
            if batch.data.len() < LONG {
                work::short(py, || mean_of(&m, &records, weights.as_deref(), options, &|| false))?
            } else {
                let stop = visard::study::Stop::default();
                let asked = stop.clone();
                let work = move |_: &work::Reporter<'_>| {
                    mean_of(&m, &records, weights.as_deref(), options, &|| asked.asked())
                };
                work::long(py, stop, None, work)?
            }
        });
        Ok((PyArray1::from_vec(py, mean), norm, steps))
    }
}

impl Space {
    fn table<'py>(&self, py: Python<'py>, data: Vec<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let width = self.width();
        let rows = data.len() / width;
        PyArray1::from_vec(py, data).reshape([rows, width])
    }
}
