//! Matrices, directions and hyperbolic points as records in the tangent space at a public point.

use super::chart::Chart;
use super::records::{Opened, TangentRecords};
use super::space::{Circumstances, TangentSpace};
use crate::io::{Matrices, RecordSize, Rows, read_matrices, read_rows};
use crate::job::average;
use crate::manifold::{Manifold, PolarVolume, SpdAffineInvariant, SpdLogEuclidean};
use crate::privacy::PublicInput;
use crate::study::points::{
    Array, InSpace, PointStudyError, Read, Record, SpdCentre, SpdMetric, VectorCentre, VectorSpace, Words,
    one_matrix, one_row, point_of, positive_definite, usable,
};
use crate::study::{Counting, People, Place, Unusable};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Symmetric positive definite matrices, and what is known of them in advance; all of it public but the matrices.
#[derive(Debug, Clone)]
pub struct TangentMatrices {
    /// The matrices, (n, k, k).
    pub file: PathBuf,
    /// Log-Euclidean or affine-invariant.
    pub metric: SpdMetric,
    /// The public centre; a private one is refused.
    pub centre: SpdCentre,
    /// How far matrices may lie from it, in the metric.
    pub radius: f64,
    /// What is done with records that cannot be used.
    pub unusable: Unusable,
    /// What counts as a person.
    pub counting: Counting,
    /// Folder, ledger, seed.
    pub place: Place,
}

/// Directions or hyperbolic points, and what is known of them in advance; all of it public but the records.
#[derive(Debug, Clone)]
pub struct TangentVectors {
    /// Rows of numbers.
    pub file: PathBuf,
    /// What they are.
    pub space: VectorSpace,
    /// The public centre; a private one is refused, and spheres have no origin.
    pub centre: VectorCentre,
    /// How far points may lie from it, in the distance of the space.
    pub radius: f64,
    /// Numbers in a row, where neither a heading nor an array's shape nor a public centre tells.
    pub dim: Option<usize>,
    /// What is done with records that cannot be used.
    pub unusable: Unusable,
    /// What counts as a person.
    pub counting: Counting,
    /// Folder, ledger, seed.
    pub place: Place,
}

/// Where a centre comes from that was given.
const GIVEN: &str = "a file (see the public inputs)";

/// What is said where the centre is not public.
fn no_private_centre() -> PointStudyError {
    PointStudyError::Input(
        "modes, regressions and comparisons of these records need a public centre, since only a mean can pay for a private one: give --center \
         FILE, for example the mean.npy of an earlier release"
            .into(),
    )
}

/// Where the numbers of records are.
enum Source {
    Matrices(Matrices),
    Rows(Rows),
}

impl Source {
    fn count(&self) -> usize {
        match self {
            Self::Matrices(matrices) => matrices.count(),
            Self::Rows(rows) => rows.count(),
        }
    }

    fn sha256(&self) -> [u8; 32] {
        match self {
            Self::Matrices(matrices) => matrices.file().sha256(),
            Self::Rows(rows) => rows.file().sha256(),
        }
    }

    fn notes(&self) -> Vec<String> {
        match self {
            Self::Matrices(_) => Vec::new(),
            Self::Rows(rows) => rows.notes(),
        }
    }

    fn numbers(&self) -> Vec<Result<Vec<f64>, String>> {
        match self {
            Self::Matrices(matrices) => matrices.iter().map(Ok).collect(),
            Self::Rows(rows) => rows.iter().map(|row| row.map_err(|e| e.to_string())).collect(),
        }
    }
}

/// From the numbers of a record to the point it is, or what is wrong with it.
type ToPoint<P> = Box<dyn Fn(&[f64]) -> Result<P, String> + Send + Sync>;

/// Records whose files are open.
pub(super) struct PointRecords<M: Manifold> {
    chart: Arc<Chart<M>>,
    source: Source,
    to_point: ToPoint<M::Point>,
    people: People,
    circumstances: Circumstances,
}

impl<M> PointRecords<M>
where
    M: Manifold<Tangent = <M as Manifold>::Point> + 'static,
    for<'a> Array: From<&'a M::Point>,
{
    fn boxed(
        chart: Chart<M>,
        source: Source,
        to_point: ToPoint<M::Point>,
        circumstances: Circumstances,
    ) -> Result<Box<dyn TangentRecords>, PointStudyError> {
        let people = circumstances.counting.people(source.count(), |i| vec![i.to_string()])?;
        Ok(Box::new(Self { chart: Arc::new(chart), source, to_point, people, circumstances }))
    }
}

impl<M: Manifold> Opened for PointRecords<M> {
    fn people(&self) -> &People {
        &self.people
    }

    fn count(&self) -> usize {
        self.source.count()
    }

    fn notes(&self) -> Vec<String> {
        self.source.notes()
    }

    fn circumstances(&self) -> Circumstances {
        self.circumstances.clone()
    }

    fn sums(&self) -> Vec<[u8; 32]> {
        std::iter::once(self.source.sha256()).chain(self.people.table()).collect()
    }
}

impl<M> TangentRecords for PointRecords<M>
where
    M: Manifold<Tangent = <M as Manifold>::Point> + 'static,
    for<'a> Array: From<&'a M::Point>,
{
    fn space(&self) -> Arc<dyn TangentSpace> {
        self.chart.clone()
    }

    fn read(&self) -> Result<Read<Vec<f64>>, PointStudyError> {
        let record = |numbers: Result<Vec<f64>, String>| match numbers {
            Err(problem) => Record::unread(problem),
            Ok(numbers) => {
                let point = (self.to_point)(&numbers);
                Record::new(&numbers, point.and_then(|point| self.chart.coordinates(&point)))
            }
        };
        let records: Vec<Record<Vec<f64>>> = self.source.numbers().into_par_iter().map(record).collect();
        let Circumstances { counting, unusable, .. } = &self.circumstances;
        let Read { points, problems, notes } =
            usable(*unusable, counting, &self.people, records.into_iter())?;
        let points = self.people.one_each(points, |_, own| Ok::<_, PointStudyError>(average(&own)))?;
        Ok(Read { points, problems, notes })
    }
}

impl TangentMatrices {
    /// Opens the files: what is public, and how many records there are.
    ///
    /// # Errors
    /// [`PointStudyError`]; nothing is charged.
    pub(super) fn open(&self) -> Result<Box<dyn TangentRecords>, PointStudyError> {
        let words = |distance, space| Words {
            command: "spd",
            record: "matrix",
            records: "matrices",
            distance,
            space,
        };
        if matches!(self.centre, SpdCentre::Private { .. }) {
            return Err(no_private_centre());
        }
        let matrices = read_matrices(&self.file)?;
        let order = matrices.order();
        match self.metric {
            SpdMetric::LogEuclidean => {
                let words = words("log-Euclidean distance", "matrices, log-Euclidean metric");
                self.about(SpdLogEuclidean::new(order)?, matrices, words)
            }
            SpdMetric::AffineInvariant => {
                let words = words("affine-invariant distance", "matrices, affine-invariant metric");
                self.about(SpdAffineInvariant::new(order)?, matrices, words)
            }
            SpdMetric::BuresWasserstein => Err(PointStudyError::Input(
                "the Bures-Wasserstein metric has no private mechanism here: take --metric log-euclidean or affine-invariant".into(),
            )),
        }
    }

    fn about<M>(
        &self,
        space: M,
        matrices: Matrices,
        words: Words,
    ) -> Result<Box<dyn TangentRecords>, PointStudyError>
    where
        M: Manifold<Point = DMatrix<f64>, Tangent = DMatrix<f64>> + 'static,
    {
        let order = matrices.order();
        let mut public_inputs = Vec::new();
        let centre = match &self.centre {
            SpdCentre::Identity => (DMatrix::identity(order, order), "the identity"),
            SpdCentre::Known(matrix) => (matrix.clone(), "known without data"),
            SpdCentre::Private { .. } => return Err(no_private_centre()),
            SpdCentre::File(file) => {
                let (matrix, input) = one_matrix(file, order)?;
                public_inputs.push(input);
                (matrix, GIVEN)
            }
        };
        let chart = Chart::new(space, centre, self.radius, words)?;
        let to_point = Box::new(move |numbers: &[f64]| positive_definite(order, numbers));
        let circumstances =
            Circumstances { public_inputs, counting: self.counting.clone(), unusable: self.unusable };
        PointRecords::boxed(chart, Source::Matrices(matrices), to_point, circumstances)
    }
}

impl TangentVectors {
    /// Opens the files: what is public, and how many records there are.
    ///
    /// # Errors
    /// [`PointStudyError`]; nothing is charged.
    pub(super) fn open(&self) -> Result<Box<dyn TangentRecords>, PointStudyError> {
        let size = self.dim.map_or(RecordSize::Heading, RecordSize::Known);
        let (mut given, mut public_inputs) = (None, Vec::new());
        match &self.centre {
            VectorCentre::Private { .. } => return Err(no_private_centre()),
            VectorCentre::Origin => {}
            VectorCentre::File(file) => {
                let (row, input) = one_row(file, size, self.space)?;
                given = Some(row);
                public_inputs.push(input);
            }
        }
        // What the public centre tells, no record need.
        let width = given.as_ref().map_or(size, |centre| RecordSize::Known(centre.len()));
        let rows = read_rows(&self.file, width)?.of_coordinates()?;
        let d = rows.width();
        let given = given.map(|centre| (centre, GIVEN));
        self.space.with(d, VectorRecords { vectors: self, given, rows, public_inputs })
    }
}

/// Rows whose files are open, of whichever space.
struct VectorRecords<'a> {
    vectors: &'a TangentVectors,
    given: Option<(DVector<f64>, &'static str)>,
    rows: Rows,
    public_inputs: Vec<PublicInput>,
}

impl InSpace for VectorRecords<'_> {
    type Done = Box<dyn TangentRecords>;

    fn within<M>(
        self,
        space: M,
        origin: Option<DVector<f64>>,
    ) -> Result<Box<dyn TangentRecords>, PointStudyError>
    where
        M: PolarVolume<Point = DVector<f64>, Tangent = DVector<f64>> + 'static,
    {
        let Self { vectors, given, rows, public_inputs } = self;
        let kind = vectors.space;
        let centre = given.or_else(|| origin.map(|origin| (origin, "the origin"))).ok_or_else(|| {
            PointStudyError::Input("a sphere has no origin: give the public centre as --center FILE".into())
        })?;
        let chart = Chart::new(space.clone(), centre, vectors.radius, kind.words())?;
        let to_point = Box::new(move |numbers: &[f64]| {
            let point = point_of(kind, numbers);
            space.check(&point).map(|()| point).map_err(|e| e.to_string())
        });
        let circumstances =
            Circumstances { public_inputs, counting: vectors.counting.clone(), unusable: vectors.unusable };
        PointRecords::boxed(chart, Source::Rows(rows), to_point, circumstances)
    }
}
