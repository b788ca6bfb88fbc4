//! The one course of a study of shapes, after its price.

use super::input::{Specimen, Specimens};
use crate::io::shapes::ShapeRecord;
use crate::io::{WriteError, internal, write_npy, write_text};
use crate::job::layout::{DISTANCES, NONPRIVATE_MEAN_NPY, UNUSABLE};
use crate::job::unusable::{Problem, write_problems};
use crate::job::{Digest, Job, Priced, Publication, Published, ReleaseFolder};
use crate::manifold::LandmarkShapes;
use crate::mechanism::landmarks::{OfShapes, ReleasedShapes, ShapeMechanism, ShapeRecords};
use crate::mechanism::{Mechanism, Released};
use crate::privacy::Certificate;
use crate::study::points::{MeanFiles, PointStudyError, Read, distance_line, distances_csv, private_page};
use nalgebra::DMatrix;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Write as _;
use std::path::Path;

/// What a study has read: secret.
pub(super) struct Gathered {
    pub specimens: Vec<Option<Specimen>>,
    /// Which could not be used, and why.
    problems: Vec<Problem>,
    /// What the data holder should know of them.
    notes: Vec<String>,
    pub records: ShapeRecords,
    /// SHA-256 of tables beside that of the landmarks.
    pub tables: Vec<[u8; 32]>,
}

impl Gathered {
    /// Reads the records. Nothing of them may be read before the job was given its price.
    pub fn read(specimens: &Specimens<'_>) -> Result<Self, PointStudyError> {
        let Read { points, problems, notes } = specimens.read()?;
        let records = specimens.people_of(&points);
        Ok(Self {
            records,
            specimens: points,
            problems,
            notes: specimens.remarks().into_iter().chain(notes).collect(),
            tables: specimens.people.table().into_iter().collect(),
        })
    }

    /// How many could not be used.
    pub fn failed(&self) -> usize {
        self.specimens.iter().filter(|specimen| specimen.is_none()).count()
    }
}

/// What was drawn and published, with its certificate.
type Paid<V> = (Published<ReleasedShapes<V>>, Certificate);

/// Pays, draws and publishes, or goes on with what an interrupted run of the same settings and records has drawn.
pub(super) fn release<M, P>(
    job: &mut Job<'_>,
    priced: &Priced<P>,
    mechanism: &ShapeMechanism<M>,
    specimens: &Specimens<'_>,
    gathered: &Gathered,
    settings: &impl std::fmt::Debug,
) -> Result<Paid<M::Value>, PointStudyError>
where
    M: OfShapes<Value: Serialize + DeserializeOwned>,
    P: Publication<Value = ReleasedShapes<M::Value>, Error = PointStudyError>,
{
    let prepared = mechanism.prepare(&gathered.records)?;
    let inputs = specimens.inputs();
    let settings =
        format!("{:?} {settings:?} {:?}{}", inputs.public(), specimens.public_inputs, inputs.table.told());
    let tables = gathered.tables.iter().copied();
    let digest = Digest::of(&settings, mechanism.price(), std::iter::once(specimens.file()).chain(tables));
    let mut noise = job.noise(0)?;
    let published =
        job.release::<_, _, PointStudyError>(priced, mechanism, &prepared, &digest, &mut noise)?;
    let certificate = job.publish(priced, &published)?;
    Ok((published, certificate))
}

/// Writes what only the data holder may see: the mean without noise, how far every record lies from the released `mean`, and a page.
pub(super) fn write_internal(
    job: &Job<'_>,
    specimens: &Specimens<'_>,
    gathered: &Gathered,
    mean: Option<&DMatrix<f64>>,
) -> Result<(), PointStudyError> {
    let (space, dir) = (specimens.space, job.folder().internal());
    write_problems(&dir, &gathered.problems)?;
    job.tell(gathered.notes.iter().cloned());
    let filled = |s: &Specimen| Some(s.filled(&space, mean)?.0);
    let shapes: Vec<DMatrix<f64>> = gathered.specimens.iter().flatten().filter_map(filled).collect();
    let own = space.mean(&shapes);
    let seen = mean.or(own.as_ref());
    write_text(&dir.join(DISTANCES), &distances(specimens, gathered, seen))?;
    let mut page = private_page("Internal: shapes");
    let apart = mean.zip(own.as_ref()).map(|(mean, own)| space.dist(mean, own));
    distance_line(&mut page, apart);
    page.paragraph(&format!(
        "{} records, {} of which cannot be used and contribute zero ({UNUSABLE}). {DISTANCES} has how far each lies from the {} mean.",
        gathered.specimens.len(),
        gathered.failed(),
        if mean.is_some() { "released" } else { "own" }
    ));
    job.write_page(page)?;
    if let Some(own) = &own {
        let turned = seen.map_or_else(|| own.clone(), |mean| space.rotated(mean, own));
        let shape = [turned.nrows(), turned.ncols()];
        internal::write_npy(&dir.join(NONPRIVATE_MEAN_NPY), &shape, turned.transpose().as_slice())?;
    }
    Ok(())
}

fn distances(specimens: &Specimens<'_>, gathered: &Gathered, from: Option<&DMatrix<f64>>) -> String {
    let space: LandmarkShapes = specimens.space;
    let found = |(i, specimen): (usize, &Option<Specimen>)| {
        let (shape, size) = specimen.as_ref()?.filled(&space, from)?;
        Some((specimens.name(i).concat(), space.dist(from?, &shape), size))
    };
    let found: Vec<Option<_>> = gathered.specimens.iter().enumerate().map(found).collect();
    let known = || found.iter().flatten();
    let table =
        distances_csv(&known().map(|(name, distance, _)| (name.clone(), *distance)).collect::<Vec<_>>());
    let mut sizes: Vec<(f64, f64)> = known().map(|(_, distance, size)| (*distance, *size)).collect();
    sizes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut lines = table.lines();
    let mut csv = format!("{},centroid_size\n", lines.next().unwrap_or_default());
    for (line, (_, size)) in lines.zip(&sizes) {
        let _ = writeln!(csv, "{line},{size}");
    }
    // Those that cannot be used lie nowhere.
    for i in (0..found.len()).filter(|&i| found[i].is_none()) {
        let _ = writeln!(csv, "{},,,", specimens.name(i).concat().replace(['"', ','], " "));
    }
    csv
}

/// A shape as an array (k, d).
pub(super) fn write_shape(path: &Path, shape: &DMatrix<f64>) -> Result<(), WriteError> {
    write_npy(path, &[shape.nrows(), shape.ncols()], shape.transpose().as_slice())
}

/// Publishes a mean shape.
pub(super) fn write_mean(
    folder: &mut ReleaseFolder,
    files: &MeanFiles,
    mean: &DMatrix<f64>,
) -> Result<(), PointStudyError> {
    let record = ShapeRecord::from_matrix(Some("mean".into()), mean);
    let record =
        record.ok_or_else(|| PointStudyError::Input("landmarks have two or three coordinates".into()))?;
    files.write(folder, &[record])
}

/// Publishes (k, d) fields one after the other, as an array of this shape.
pub(super) fn write_fields(
    folder: &mut ReleaseFolder,
    name: &str,
    shape: &[usize],
    fields: &[DMatrix<f64>],
) -> Result<(), PointStudyError> {
    let all: Vec<f64> = fields.iter().flat_map(|field| field.transpose().as_slice().to_vec()).collect();
    Ok(folder.write_with(name, |path| write_npy(path, shape, &all))?)
}

/// The value that was drawn.
pub(super) type Drawn<V> = Released<ReleasedShapes<V>>;
