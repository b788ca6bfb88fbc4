//! Matrices, directions and hyperbolic points as records in the tangent space at a point, public or found first.

use super::chart::{Chart, FOUND};
use super::opened::{Files, PointRecords, Source, Then};
use super::records::{Opened, TangentRecords};
use super::search::Search;
use super::space::{Circumstances, TangentSpace};
use crate::io::{Matrices, RecordSize, Rows, read_matrices, read_rows};
use crate::job::average;
use crate::manifold::{Manifold, PolarVolume, SpdAffineInvariant, SpdLogEuclidean, Sphere};
use crate::mechanism::MechanismError;
use crate::mechanism::manifold::{CentreStatistic, DirectionStatistic};
use crate::privacy::{ClipRadius, ClipSource, PublicInput};
use crate::study::points::{
    Array, BallCentre, InSpace, PointStudyError, Read, SpdCentre, SpdMetric, VectorCentre, VectorSpace,
    Words, first_axis, in_first_ball, no_origin, one_matrix, one_row, point_of, positive_definite,
};
use crate::study::{Counting, Place, Unusable};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;
use std::sync::Arc;

/// Symmetric positive definite matrices, and what is known of them in advance; all of it public but the matrices.
#[derive(Debug, Clone)]
pub struct TangentMatrices {
    /// The matrices, (n, k, k).
    pub file: PathBuf,
    /// Log-Euclidean or affine-invariant.
    pub metric: SpdMetric,
    /// The public centre, or where a private one is sought.
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
    /// The public centre, or where a private one is sought; spheres have no origin.
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

/// Records about a public centre.
fn about<M, T: Then>(opened: Files<M::Point>, chart: Chart<M>, then: T) -> Result<T::Done, PointStudyError>
where
    M: Manifold<Tangent = <M as Manifold>::Point> + 'static,
    for<'a> Array: From<&'a M::Point>,
{
    then.about(&PointRecords { seen_from: Arc::new(chart), opened })
}

/// Records about a private centre; the chart is at any public point, within the radius that they are expected in about that centre.
fn seeking<M, C, T: Then>(
    opened: Files<M::Point>,
    chart: Chart<M>,
    centre: BallCentre<M::Point, C>,
    then: T,
) -> Result<T::Done, PointStudyError>
where
    M: Manifold<Tangent = <M as Manifold>::Point> + 'static,
    M::Point: Serialize + DeserializeOwned + 'static,
    C: CentreStatistic<Point = M::Point> + Clone + Send + Sync + 'static,
    for<'a> Array: From<&'a M::Point>,
{
    then.seeking(&PointRecords { seen_from: Search::new(chart, centre)?, opened })
}

impl<M> TangentRecords for PointRecords<M::Point, Arc<Chart<M>>>
where
    M: Manifold<Tangent = <M as Manifold>::Point> + 'static,
    for<'a> Array: From<&'a M::Point>,
{
    fn space(&self) -> Arc<dyn TangentSpace> {
        self.seen_from.clone()
    }

    fn read(&self) -> Result<Read<Vec<f64>>, PointStudyError> {
        let Read { points, problems, notes } = self.read_as(|point| self.seen_from.coordinates(&point))?;
        let points = self.people().one_each(points, |_, own| Ok::<_, PointStudyError>(average(&own)))?;
        Ok(Read { points, problems, notes })
    }
}

impl TangentMatrices {
    /// Opens the files: what is public, and how many records there are.
    ///
    /// # Errors
    /// [`PointStudyError`]; nothing is charged.
    pub(super) fn open<T: Then>(&self, then: T) -> Result<T::Done, PointStudyError> {
        let words = |distance, space| Words {
            command: "spd",
            record: "matrix",
            records: "matrices",
            distance,
            space,
        };
        let matrices = read_matrices(&self.file)?;
        let order = matrices.order();
        match self.metric {
            SpdMetric::LogEuclidean => {
                let words = words("log-Euclidean distance", "matrices, log-Euclidean metric");
                self.about(SpdLogEuclidean::new(order)?, matrices, words, then)
            }
            SpdMetric::AffineInvariant => {
                let words = words("affine-invariant distance", "matrices, affine-invariant metric");
                self.about(SpdAffineInvariant::new(order)?, matrices, words, then)
            }
            SpdMetric::BuresWasserstein => Err(PointStudyError::Input(
                "the Bures-Wasserstein metric has no private mechanism here: take --metric log-euclidean or affine-invariant".into(),
            )),
        }
    }

    fn about<M, T: Then>(
        &self,
        space: M,
        matrices: Matrices,
        words: Words,
        then: T,
    ) -> Result<T::Done, PointStudyError>
    where
        M: Manifold<Point = DMatrix<f64>, Tangent = DMatrix<f64>> + 'static,
    {
        let order = matrices.order();
        let identity = || DMatrix::identity(order, order);
        let (mut public_inputs, mut first) = (Vec::new(), None);
        let centre = match &self.centre {
            SpdCentre::Identity => (identity(), "the identity"),
            SpdCentre::Known(matrix) => (matrix.clone(), "known without data"),
            SpdCentre::Private { about, first_radius } => {
                first = Some(*first_radius);
                (about.clone().unwrap_or_else(identity), FOUND)
            }
            SpdCentre::File(file) => {
                let (matrix, input) = one_matrix(file, order)?;
                public_inputs.push(input);
                (matrix, GIVEN)
            }
        };
        let circumstances =
            Circumstances { public_inputs, counting: self.counting.clone(), unusable: self.unusable };
        let to_point = Box::new(move |numbers: &[f64]| positive_definite(order, numbers));
        let files = Files::new(Source::Matrices(matrices), to_point, circumstances)?;
        let chart = Chart::new(space.clone(), centre.clone(), self.radius, words)?;
        match first {
            None => about(files, chart, then),
            Some(first) => {
                let centre = in_first_ball(&space, centre.0, radius(self.radius)?, first)?;
                seeking(files, chart, centre, then)
            }
        }
    }
}

fn radius(public: f64) -> Result<ClipRadius, PointStudyError> {
    Ok(ClipRadius::new(public, ClipSource::Public).map_err(MechanismError::from)?)
}

impl TangentVectors {
    /// Opens the files: what is public, and how many records there are.
    ///
    /// # Errors
    /// [`PointStudyError`]; nothing is charged.
    pub(super) fn open<T: Then>(&self, then: T) -> Result<T::Done, PointStudyError> {
        let size = self.dim.map_or(RecordSize::Heading, RecordSize::Known);
        let (mut given, mut public_inputs) = (None, Vec::new());
        if let VectorCentre::File(file) = &self.centre {
            let (row, input) = one_row(file, size, self.space)?;
            given = Some(row);
            public_inputs.push(input);
        }
        // What the public centre tells, no record need.
        let width = given.as_ref().map_or(size, |centre| RecordSize::Known(centre.len()));
        let rows = read_rows(&self.file, width)?.of_coordinates()?;
        let d = rows.width();
        let given = given.map(|centre| (centre, GIVEN));
        let records = VectorRecords { vectors: self, given, rows, public_inputs, then };
        if self.space == VectorSpace::Sphere && matches!(self.centre, VectorCentre::Private { .. }) {
            return records.directions(Sphere::unit(d.saturating_sub(1))?);
        }
        self.space.with(d, records)
    }
}

/// Rows whose files are open, of whichever space.
struct VectorRecords<'a, T> {
    vectors: &'a TangentVectors,
    given: Option<(DVector<f64>, &'static str)>,
    rows: Rows,
    public_inputs: Vec<PublicInput>,
    then: T,
}

impl<T: Then> VectorRecords<'_, T> {
    /// The files, and what is done with them.
    fn files<M>(self, space: M) -> Result<(Files<DVector<f64>>, T), PointStudyError>
    where
        M: Manifold<Point = DVector<f64>> + 'static,
    {
        let Self { vectors, rows, public_inputs, then, .. } = self;
        let kind = vectors.space;
        let to_point = Box::new(move |numbers: &[f64]| {
            let point = point_of(kind, numbers);
            space.check(&point).map(|()| point).map_err(|e| e.to_string())
        });
        let circumstances =
            Circumstances { public_inputs, counting: vectors.counting.clone(), unusable: vectors.unusable };
        Ok((Files::new(Source::Rows(rows), to_point, circumstances)?, then))
    }

    /// Directions about a private centre, which needs no ball.
    fn directions(self, sphere: Sphere) -> Result<T::Done, PointStudyError> {
        let (vectors, anywhere) = (self.vectors, first_axis(self.rows.width()));
        let centre = (anywhere.clone(), FOUND);
        let chart = Chart::new(sphere, centre, vectors.radius, vectors.space.words())?;
        let statistic = DirectionStatistic::new(sphere);
        let (files, then) = self.files(sphere)?;
        seeking(files, chart, BallCentre::Private { statistic, anywhere }, then)
    }
}

impl<T: Then> InSpace for VectorRecords<'_, T> {
    type Done = T::Done;

    fn within<M>(self, space: M, origin: Option<DVector<f64>>) -> Result<T::Done, PointStudyError>
    where
        M: PolarVolume<Point = DVector<f64>, Tangent = DVector<f64>> + 'static,
    {
        let vectors = self.vectors;
        let first = match vectors.centre {
            VectorCentre::Private { first_radius } => Some(first_radius),
            _ => None,
        };
        let from = if first.is_some() { FOUND } else { "the origin" };
        let centre = self.given.clone().or_else(|| origin.map(|origin| (origin, from)));
        let centre = centre.ok_or_else(no_origin)?;
        let chart = Chart::new(space.clone(), centre.clone(), vectors.radius, vectors.space.words())?;
        let (files, then) = self.files(space.clone())?;
        match first {
            None => about(files, chart, then),
            Some(first) => {
                let centre = in_first_ball(&space, centre.0, radius(vectors.radius)?, first)?;
                seeking(files, chart, centre, then)
            }
        }
    }
}
