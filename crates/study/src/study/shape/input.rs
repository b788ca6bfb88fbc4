//! The specimens of a shape study: landmarks in the plane or in space, who gave them, and the centre where it is public.

use crate::landmark::fill;
use crate::manifold::LandmarkShapes;
use crate::mechanism::landmarks::{Centre, RADIUS, ShapeRecords, ShapeSetting};
use crate::privacy::{Mu, PublicInput};
use crate::study::points::{
    Input, MeanFiles, PointRequest, PointStudyError, Read, ShapeCentre, Source, TableOptions, Treatment,
};
use crate::study::{Counting, People, Place, Unusable};
use nalgebra::DMatrix;
use std::f64::consts::FRAC_PI_2;
use std::path::PathBuf;

/// Who is in a study of shapes, where it works, and what is known of shapes beforehand.
#[derive(Debug, Clone)]
pub struct ShapeInputs {
    /// The table of landmarks.
    pub file: PathBuf,
    /// The centre that shapes are seen from.
    pub centre: ShapeCentre,
    /// How far shapes may lie from it (Riemannian distance, root mean square): public; a default where none is given.
    pub radius: Option<f64>,
    /// What columns and negative numbers mean, where options say so.
    pub table: TableOptions,
    /// How many closed outlines the landmarks go around, in order, one after the other and as many on each: declared, never guessed. 0 for landmarks
    /// without an order.
    pub outlines: usize,
    /// Landmarks of a shape, where neither a public shape nor a heading nor an array's shape tells.
    pub landmarks: Option<usize>,
    /// Coordinates of a landmark, likewise.
    pub dimensions: Option<usize>,
    /// Records with missing landmarks cannot be used; otherwise they are filled from the public or the private centre.
    pub drop_missing: bool,
    /// What is done to each record by itself.
    pub treatment: Treatment,
    /// What is done with records that cannot be used.
    pub unusable: Unusable,
    /// What counts as a person.
    pub counting: Counting,
    /// Folder, ledger, seed.
    pub place: Place,
}

impl ShapeInputs {
    /// Shapes of this table about a private centre, in this place.
    pub fn new(file: impl Into<PathBuf>, place: Place) -> Self {
        Self {
            file: file.into(),
            centre: ShapeCentre::Private,
            radius: None,
            table: TableOptions::default(),
            outlines: 0,
            landmarks: None,
            dimensions: None,
            drop_missing: false,
            treatment: Treatment::default(),
            unusable: Unusable::default(),
            counting: Counting::default(),
            place,
        }
    }

    /// What the readers of studies of points are told.
    pub(in crate::study) fn request(&self) -> PointRequest {
        let (unusable, counting) = (self.unusable, self.counting.clone());
        PointRequest { unusable, counting, ..PointRequest::nonprivate(self.place.clone()) }
    }

    /// Public settings, for the digest of a run.
    pub(super) fn public(&self) -> impl std::fmt::Debug + '_ {
        let Self {
            radius, outlines, landmarks, dimensions, drop_missing, treatment, unusable, counting, ..
        } = self;
        let Treatment { missing, sliding, unmirror, .. } = treatment;
        let treated = (missing, sliding, unmirror);
        (radius, outlines, landmarks, dimensions, drop_missing, treated, unusable, counting.identical)
    }
}

/// A usable record.
#[derive(Debug, Clone)]
pub(in crate::study) enum Specimen {
    /// Its shape (centred, of unit norm) and its centroid size in the file's unit.
    /// Of its landmarks the share `estimated` was missing, and is there by a public centre.
    Whole { shape: DMatrix<f64>, size: f64, estimated: f64 },
    /// Landmarks some of which are missing (NaN), to be filled from a private centre.
    Incomplete(DMatrix<f64>),
}

impl Specimen {
    /// Centroid size, where no landmark is missing.
    pub fn size(&self) -> Option<f64> {
        match self {
            Self::Whole { size, .. } => Some(*size),
            Self::Incomplete(_) => None,
        }
    }

    /// Shape and size; what is missing is filled from a shape, where there is one to fill it from.
    pub fn filled(&self, space: &LandmarkShapes, from: Option<&DMatrix<f64>>) -> Option<(DMatrix<f64>, f64)> {
        match self {
            Self::Whole { shape, size, .. } => Some((shape.clone(), *size)),
            Self::Incomplete(x) => space.preshape(&fill(x, from?).ok()?).ok(),
        }
    }
}

/// The files of a study whose public parts have been read, and no record.
pub(in crate::study) struct Specimens<'a> {
    inputs: &'a ShapeInputs,
    pub space: LandmarkShapes,
    pub centre: Option<DMatrix<f64>>,
    pub public_inputs: Vec<PublicInput>,
    pub people: People,
    pub names: Vec<String>,
    source: Source<'a>,
    input: Input<'a>,
}

impl<'a> Specimens<'a> {
    /// Opens the files, the public one first.
    ///
    /// # Errors
    /// [`PointStudyError`]; nothing is charged.
    pub fn open(inputs: &'a ShapeInputs, request: &'a PointRequest) -> Result<Self, PointStudyError> {
        let ShapeInputs { file, centre, landmarks, dimensions, drop_missing, .. } = inputs;
        inputs.table.check_outlines(file, inputs.outlines)?;
        if let Some(radius) = inputs.radius.filter(|radius| *radius > FRAC_PI_2) {
            return Err(PointStudyError::Input(format!(
                "no two shapes are further than pi/2 = 1.571 apart, so the radius {radius} bounds nothing; shapes of one kind are within 0.1 to 0.5"
            )));
        }
        let source = Source {
            table: file,
            centre,
            landmarks: *landmarks,
            dimensions: *dimensions,
            drop_missing: *drop_missing,
            options: &inputs.table,
            gaps: true,
            treatment: &inputs.treatment,
            request,
        };
        let input = source.open()?;
        Ok(Self {
            inputs,
            space: input.space,
            centre: input.space.mean(&input.public),
            public_inputs: input.public_inputs.clone(),
            people: input.people(request)?,
            names: input.names(),
            source,
            input,
        })
    }

    /// The settings.
    pub fn inputs(&self) -> &ShapeInputs {
        self.inputs
    }

    /// SHA-256 of the table.
    pub fn file(&self) -> [u8; 32] {
        self.input.file()
    }

    /// How means are published.
    pub fn files(&self) -> MeanFiles {
        MeanFiles::of(&self.inputs.file, &self.input.treated)
    }

    /// Lines of pictures, landmarks counted from 0.
    pub fn links(&self) -> Vec<[usize; 2]> {
        self.input.treated.links.clone()
    }

    /// Whether missing landmarks are estimated from a public centre.
    pub fn fills(&self) -> bool {
        self.input.treated.fills()
    }

    /// What the data holder should know of the records.
    pub fn remarks(&self) -> Vec<String> {
        self.input.remarks()
    }

    /// Refuses sizes in several units.
    pub fn check_scales(&self) -> Result<(), PointStudyError> {
        self.input.check_scales()
    }

    /// What is known of shapes beforehand.
    pub fn setting(&self, mu: Mu) -> ShapeSetting {
        ShapeSetting {
            space: self.space,
            centre: self.centre.clone().map_or(Centre::Private, Centre::Public),
            outlines: self.inputs.outlines,
            radius: self.radius(),
            n: self.people.count() as u64,
            mu,
        }
    }

    /// How far shapes may lie from the centre: what was given, half as much again as public shapes do, or a default.
    fn radius(&self) -> f64 {
        let public = match (&self.centre, &self.input.public[..]) {
            (Some(centre), [_, _, ..]) => {
                let farthest =
                    self.input.public.iter().map(|z| self.space.dist(centre, z)).fold(0.0, f64::max);
                Some(1.5 * farthest).filter(|radius| *radius > 0.0)
            }
            _ => None,
        };
        self.inputs.radius.or(public).unwrap_or(RADIUS)
    }

    /// The records.
    ///
    /// # Errors
    /// [`PointStudyError`]: the first record that is no shape, where the study stops at them.
    pub fn read(&self) -> Result<Read<Specimen>, PointStudyError> {
        self.source.each(&self.input, &self.people, |record, estimated| {
            let x = record.to_matrix();
            let (missing, d) = (record.missing(), self.space.dimensions());
            // What a thin-plate spline needs; a public centre has filled what was missing.
            if missing > 0 && x.nrows() - missing <= d {
                let left = x.nrows() - missing;
                return Err(format!(
                    "has {left} landmarks that are not missing, too few to estimate the others from"
                ));
            }
            if missing > 0 {
                return Ok(Specimen::Incomplete(x));
            }
            let (shape, size) = self.space.preshape(&x).map_err(|e| e.to_string())?;
            Ok(Specimen::Whole { shape, size, estimated: estimated as f64 / x.nrows() as f64 })
        })
    }

    /// People by their usable shapes.
    pub fn people_of(&self, specimens: &[Option<Specimen>]) -> ShapeRecords {
        let own =
            |own: &Vec<usize>| own.iter().filter_map(|&i| specimens.get(i)?.as_ref()).collect::<Vec<_>>();
        let (mut people, mut incomplete, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        for own in self.people.members().iter().map(own) {
            let (mut whole, mut gaps, mut filled) = (Vec::new(), Vec::new(), 0.0);
            for specimen in own {
                match specimen {
                    Specimen::Whole { shape, estimated, .. } => {
                        whole.push(shape.clone());
                        filled += estimated;
                    }
                    Specimen::Incomplete(x) => gaps.push(x.clone()),
                }
            }
            shares.push(filled / whole.len().max(1) as f64);
            people.push(whole);
            incomplete.push(gaps);
        }
        ShapeRecords { people, incomplete, estimated: shares, rows: Vec::new() }
    }
}
