//! The records of a study of surfaces: opened without reading one, then read one by one.

use super::cache::{Cache, Made};
use super::inputs::{HARMONICS, RADIUS, SurfaceInputs};
use super::prepared::{complaint, count_of};
use super::prior::SurfacePrior;
use super::register::register;
use super::row::{self, SurfaceRow};
use super::space::SurfaceSpace;
use super::template::PublicTemplate;
use crate::function::Harmonics;
use crate::io::{Content, Limit, Opened as File, Records, list_scans, open, open_as, survey, write_text};
use crate::job::average;
use crate::job::layout::SCAN_TABLE;
use crate::privacy::PublicInput;
use crate::study::face::record::{is_landmark_file, landmark_file};
use crate::study::points::{PointStudyError, Read, Record, usable};
use crate::study::public_people::PriorError;
use crate::study::tangent::{Circumstances, Opened, TangentRecords, TangentSpace};
use crate::study::{JobError, People, StudyFolder};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The samples of a record, or what is wrong with it.
type Numbers = Result<Vec<f64>, String>;

/// Where records come from.
#[derive(Debug)]
enum Source {
    Scans(Vec<PathBuf>),
    Prepared { file: File, count: usize },
}

/// Records whose public parts have been read.
#[derive(Debug)]
pub(super) struct SurfaceRecords<'a> {
    inputs: &'a SurfaceInputs,
    loaded: Arc<PublicTemplate>,
    source: Source,
    people: People,
    space: Arc<SurfaceSpace>,
    prior: Option<SurfacePrior>,
    /// SHA-256 of the scans, once they have been read.
    sums: OnceLock<Vec<[u8; 32]>>,
    /// Which share of each person's surface was filled in, likewise.
    filled: OnceLock<Vec<f64>>,
}

impl<'a> SurfaceRecords<'a> {
    /// Reads what is public; opens no record.
    ///
    /// # Errors
    /// [`PointStudyError`]; nothing is charged.
    pub fn open(inputs: &'a SurfaceInputs) -> Result<Self, PointStudyError> {
        inputs.check()?;
        let loaded = Arc::new(PublicTemplate::read(&inputs.template)?);
        let mesh = loaded.template.mesh();
        let source = match &inputs.prepared {
            Some(file) => prepared(file, mesh.vertices().len())?,
            None => {
                loaded.check_pose()?;
                Source::Scans(list_scans(&inputs.scans)?)
            }
        };
        let people = match &source {
            Source::Scans(scans) => {
                inputs.counting.ask_about_folders(scans)?;
                inputs.counting.people_of_scans(scans, &|i| names(&scans[i]))?
            }
            Source::Prepared { count, .. } => inputs.counting.people(*count, &|i| vec![i.to_string()])?,
        };
        let (space, prior) = space_about(inputs, &loaded)?;
        let space = match &source {
            Source::Scans(_) => space.of_scans(loaded.clone()),
            Source::Prepared { .. } => space,
        };
        Ok(Self {
            inputs,
            loaded,
            source,
            people,
            space: Arc::new(space),
            prior,
            sums: OnceLock::new(),
            filled: OnceLock::new(),
        })
    }

    /// Registers the scans, or takes what an interrupted run has kept; and what was passed over in them.
    fn scans(&self, scans: &[PathBuf]) -> Result<(Vec<Numbers>, Vec<String>), PointStudyError> {
        let folder = StudyFolder::at(&self.inputs.place.out);
        let registration = self.inputs.registration;
        let templates = &self.loaded.public_inputs;
        let making = format!("{} {registration:?} {templates:?}", env!("CARGO_PKG_VERSION"));
        let cache = Cache::new(folder.records(), &making, self.space.axes()[0]);
        let stop = &self.inputs.place.stop;
        let one = |scan: &PathBuf| {
            if stop.asked() { Err(JobError::Stopped.into()) } else { self.scan(scan, &cache) }
        };
        let all: Result<Vec<(Made, [u8; 32])>, PointStudyError> = scans.par_iter().map(one).collect();
        let (made, sums): (Vec<Made>, Vec<[u8; 32]>) = all?.into_iter().unzip();
        let _ = self.sums.set(sums);
        let rows: Vec<SurfaceRow> = made.iter().map(|made| made.row.clone()).collect();
        let filled =
            self.people.one_each(rows.iter().map(SurfaceRow::counted).collect(), |_, own: Vec<f64>| {
                Ok::<_, PointStudyError>(Some(own.iter().sum::<f64>() / own.len() as f64))
            })?;
        let _ = self.filled.set(filled.into_iter().map(Option::unwrap_or_default).collect());
        write_text(&folder.internal().join(SCAN_TABLE), &row::table(&rows))?;
        let coefficients = |(i, made): (usize, Made)| match made.vertices {
            Some(vertices) => {
                self.sampled(i, &vertices.iter().flat_map(|p| [p.x, p.y, p.z]).collect::<Vec<_>>()).map(Ok)
            }
            None => Ok(Err(made.row.problem)),
        };
        let numbers: Result<_, PointStudyError> = made.into_iter().enumerate().map(coefficients).collect();
        Ok((numbers?, row::notes(&rows)))
    }

    /// A scan, and the SHA-256 of it and its marks.
    fn scan(&self, scan: &Path, cache: &Cache) -> Result<(Made, [u8; 32]), PointStudyError> {
        let name = scan.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = match open_as(scan, Content::Scan) {
            Ok(file) => file,
            Err(error) => {
                let row = SurfaceRow { scan: name, ..SurfaceRow::failed(error) };
                return Ok((Made { row, vertices: None }, [0; 32]));
            }
        };
        let mut parts = vec![file.sha256()];
        let marks = landmark_file(scan).and_then(|marks| open_as(&marks, Content::Landmarks).ok());
        parts.extend(marks.map(|marks| marks.sha256()));
        let key = cache.key(&parts);
        let sum = Sha256::digest(parts.concat()).into();
        let made = match cache.load(&key) {
            Some(made) => made,
            None => {
                let made = self.make(scan, &file);
                cache.store(&key, &made)?;
                made
            }
        };
        Ok((Made { row: SurfaceRow { scan: name, ..made.row }, ..made }, sum))
    }

    fn public_inputs(&self) -> Vec<PublicInput> {
        let prior = self.prior.iter().flat_map(|prior| &prior.people.inputs);
        self.loaded.public_inputs.iter().chain(prior).cloned().collect()
    }

    fn make(&self, scan: &Path, file: &File) -> Made {
        match register(&self.loaded, scan, file, &self.inputs.registration) {
            Ok((found, left_out)) => {
                Made { row: SurfaceRow::of(&found, left_out), vertices: Some(found.vertices) }
            }
            Err(problem) => Made { row: SurfaceRow::failed(problem), vertices: None },
        }
    }

    fn prepared(&self, file: &File) -> Result<Vec<Numbers>, PointStudyError> {
        let (template, size) = (self.loaded.vertices(), self.loaded.template.mesh().area().sqrt());
        let records = Records::of(file)?;
        let coefficients = |i: usize| {
            let data = records.record(i)?;
            match complaint(&data, &template, size) {
                Some(what) => Ok(Err(what)),
                None => self.sampled(i, &data).map(Ok),
            }
        };
        let all: Vec<_> = (0..self.count()).into_par_iter().map(coefficients).collect();
        all.into_iter().collect()
    }

    /// The samples of a record.
    ///
    /// # Errors
    /// [`PriorError::OwnRecord`] for one that is the prior's, to the last bit.
    fn sampled(&self, record: usize, vertices: &[f64]) -> Result<Vec<f64>, PointStudyError> {
        match &self.prior {
            Some(prior) if prior.people.has(vertices) => Err(PriorError::OwnRecord { record }.into()),
            _ => Ok(self.space.coefficients(vertices)),
        }
    }
}

impl Opened for SurfaceRecords<'_> {
    fn people(&self) -> &People {
        &self.people
    }

    fn count(&self) -> usize {
        match &self.source {
            Source::Scans(scans) => scans.len(),
            Source::Prepared { count, .. } => *count,
        }
    }

    fn names(&self, i: usize) -> Vec<String> {
        match &self.source {
            Source::Scans(scans) => names(&scans[i]),
            Source::Prepared { .. } => vec![i.to_string()],
        }
    }

    fn circumstances(&self) -> Circumstances {
        Circumstances {
            public_inputs: self.public_inputs(),
            counting: self.inputs.counting.clone(),
            unusable: self.inputs.unusable,
        }
    }

    /// Fewer harmonics than were asked for; what is passed over in folders.
    fn notes(&self) -> Vec<String> {
        let (asked, found) = (self.inputs.harmonics, self.space.count());
        let fewer = asked != HARMONICS && found < asked;
        let vertices = self.space.axes()[0];
        let told =
            || format!("of a template of {vertices} vertices {found} harmonics are looked at, not {asked}");
        fewer.then(told).into_iter().chain(passed_over(&self.inputs.scans)).collect()
    }

    fn sums(&self) -> Vec<[u8; 32]> {
        let own = match &self.source {
            Source::Scans(_) => self.sums.get().cloned().unwrap_or_default(),
            Source::Prepared { file, .. } => vec![file.sha256()],
        };
        own.into_iter().chain(self.people.table()).collect()
    }
}

impl TangentRecords for SurfaceRecords<'_> {
    fn space(&self) -> Arc<dyn TangentSpace> {
        self.space.clone()
    }

    fn filled(&self) -> Vec<f64> {
        self.filled.get().cloned().unwrap_or_default()
    }

    fn read(&self) -> Result<Read<Vec<f64>>, PointStudyError> {
        let (read, mut passed_over) = match &self.source {
            Source::Scans(scans) => self.scans(scans)?,
            Source::Prepared { file, .. } => (self.prepared(file)?, Vec::new()),
        };
        let SurfaceInputs { unusable, counting, .. } = self.inputs;
        let record = |(i, read): (usize, Numbers)| {
            let record = match read {
                Ok(coefficients) => Record::new(&coefficients.clone(), Ok(coefficients)),
                Err(problem) => Record::unread(problem),
            };
            record.at(self.names(i).pop().unwrap_or_default())
        };
        let Read { points, problems, notes } =
            usable(*unusable, counting, &self.people, read.into_iter().enumerate().map(record))?;
        passed_over.extend(notes);
        let points = self.people.one_each(points, |_, own| Ok::<_, PointStudyError>(average(&own)))?;
        Ok(Read { points, problems, notes: passed_over })
    }
}

/// The space of surfaces about the template, or about the mean of the prior, which is read.
///
/// # Errors
/// [`PointStudyError`]: a template too small for the harmonics, or without a Laplacian; a prior that is none.
pub(super) fn space_about(
    inputs: &SurfaceInputs,
    loaded: &PublicTemplate,
) -> Result<(SurfaceSpace, Option<SurfacePrior>), PointStudyError> {
    let mesh = loaded.template.mesh();
    let harmonics = Harmonics::new(mesh, inputs.harmonics.min(mesh.vertices().len() / 4))
        .map_err(|e| PointStudyError::Input(format!("{}: {e}", inputs.template.display())))?;
    let radius = inputs.radius.unwrap_or(RADIUS * mesh.area().sqrt());
    let space = SurfaceSpace::new(mesh.clone(), harmonics, radius, (loaded.kind(), inputs));
    let prior = inputs.prior.as_ref().map(|path| SurfacePrior::load(path, loaded)).transpose()?;
    Ok(match prior {
        Some(prior) => (space.about(&prior), Some(prior)),
        None => (space, None),
    })
}

/// What of folders is no scan, but for hidden files and the marks of scans: how many, and the first.
fn passed_over(folders: &[PathBuf]) -> Option<String> {
    let hidden = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let mut skipped = survey(folders, false).skipped;
    skipped.retain(|(path, _)| !hidden(path) && !is_landmark_file(path));
    let (first, why) = skipped.first()?;
    let (count, first) = (skipped.len(), first.display());
    Some(format!("passed over {count} in these folders, first {first}: {why}"))
}

/// Opens an array of vertices and reads its header.
fn prepared(path: &Path, vertices: usize) -> Result<Source, PointStudyError> {
    let file = open(path, Limit::TABLE)?;
    let count = count_of(&file, vertices)?;
    Ok(Source::Prepared { file, count })
}

/// What a scan is called in tables: its path as given, and the name of its file.
fn names(scan: &Path) -> Vec<String> {
    let name = scan.file_name().unwrap_or_default().to_string_lossy().into_owned();
    vec![scan.display().to_string(), name]
}
