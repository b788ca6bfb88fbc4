//! The specimens of a shape study: landmarks in the plane or in space, who gave them, and the centre where it is public.

use crate::io::{Content, Opened, npy, open_as};
use crate::manifold::LandmarkShapes;
use crate::mechanism::landmarks::{Centre, RADIUS, ShapeRecords, ShapeSetting};
use crate::privacy::{Mu, PublicInput};
use crate::study::points::{
    Input, PointRequest, PointStudyError, Record, ShapeCentre, Source, Unusable, points,
};
use crate::study::{Counting, People, Place, public_input};
use nalgebra::DMatrix;
use std::path::{Path, PathBuf};

/// Who is in a study of shapes, where it works, and what is known of shapes beforehand.
#[derive(Debug, Clone)]
pub struct ShapeInputs {
    /// The table of landmarks.
    pub file: PathBuf,
    /// The centre that shapes are seen from.
    pub centre: ShapeCentre,
    /// How far shapes may lie from it (Riemannian distance, root mean square): public; a default where none is given.
    pub radius: Option<f64>,
    /// Whether the landmarks go once around a closed outline, in order: declared, never guessed.
    pub outline: bool,
    /// Landmarks of a shape, where neither a public shape nor a heading nor an array's shape tells.
    pub landmarks: Option<usize>,
    /// Records with missing landmarks count as the centre instead of stopping the study.
    pub drop_missing: bool,
    /// What is done with records that are no shapes.
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
            outline: false,
            landmarks: None,
            drop_missing: false,
            unusable: Unusable::Stop,
            counting: Counting::default(),
            place,
        }
    }

    /// What the readers of studies of points are told.
    pub(super) fn request(&self) -> PointRequest {
        let (unusable, counting) = (self.unusable, self.counting.clone());
        PointRequest { unusable, counting, ..PointRequest::nonprivate(self.place.clone()) }
    }

    /// Public settings, for the digest of a run.
    pub(super) fn public(&self) -> impl std::fmt::Debug + '_ {
        let Self { radius, outline, landmarks, drop_missing, unusable, counting, .. } = self;
        (radius, outline, landmarks, drop_missing, unusable, counting.identical)
    }
}

/// A usable record: its shape (centred, of unit norm) and its centroid size in the file's unit.
#[derive(Debug, Clone)]
pub(super) struct Specimen {
    pub shape: DMatrix<f64>,
    pub size: f64,
}

/// The files of a study whose public parts have been read, and no record.
pub(super) struct Specimens<'a> {
    inputs: &'a ShapeInputs,
    request: &'a PointRequest,
    pub space: LandmarkShapes,
    pub centre: Option<DMatrix<f64>>,
    pub public_inputs: Vec<PublicInput>,
    pub people: People,
    names: Vec<String>,
    file: [u8; 32],
    held: Held<'a>,
}

enum Held<'a> {
    Planar(Source<'a>, Input<'a>),
    Spatial(npy::Array),
}

impl<'a> Specimens<'a> {
    /// Opens the files, the public one first.
    ///
    /// # Errors
    /// [`PointStudyError`]; nothing is charged.
    pub fn open(inputs: &'a ShapeInputs, request: &'a PointRequest) -> Result<Self, PointStudyError> {
        match spatial(&inputs.file)? {
            Some((file, array)) => Self::in_space(inputs, request, &file, array),
            None => Self::in_plane(inputs, request),
        }
    }

    fn in_plane(inputs: &'a ShapeInputs, request: &'a PointRequest) -> Result<Self, PointStudyError> {
        let (landmarks, drop_missing) = (inputs.landmarks, inputs.drop_missing);
        let source = Source { table: &inputs.file, centre: &inputs.centre, landmarks, drop_missing, request };
        let input = source.open()?;
        let space = LandmarkShapes::new(input.space.landmarks(), 2)?;
        let rows = |points: Vec<[f64; 2]>| DMatrix::from_row_slice(points.len(), 2, points.as_flattened());
        let centre = input.public.as_ref().map(|(centre, _)| rows(input.space.configuration(centre)));
        Ok(Self {
            inputs,
            request,
            space,
            centre,
            public_inputs: input.public_inputs.clone(),
            people: input.people(request)?,
            names: input.names(),
            file: input.file(),
            held: Held::Planar(source, input),
        })
    }

    fn in_space(
        inputs: &'a ShapeInputs,
        request: &'a PointRequest,
        file: &Opened,
        array: npy::Array,
    ) -> Result<Self, PointStudyError> {
        let (n, k) = (array.shape[0], array.shape[1]);
        if let Some(known) = inputs.landmarks.filter(|known| *known != k) {
            return Err(PointStudyError::Input(format!(
                "--landmarks {known} does not agree with the array, whose shapes have {k} landmarks"
            )));
        }
        let space = LandmarkShapes::new(k, 3)?;
        let (centre, public_inputs) = match &inputs.centre {
            ShapeCentre::Private => (None, Vec::new()),
            ShapeCentre::File(path) | ShapeCentre::PublicRecords(path) => {
                let (centre, input) = public_centre(&space, path)?;
                (Some(centre), vec![input])
            }
        };
        let people = request.counting.people(n, |i| vec![i.to_string()])?;
        let names = (0..n).map(|i| i.to_string()).collect();
        let (file, held) = (file.sha256(), Held::Spatial(array));
        Ok(Self { inputs, request, space, centre, public_inputs, people, names, file, held })
    }

    /// The settings.
    pub fn inputs(&self) -> &ShapeInputs {
        self.inputs
    }

    /// n.
    pub fn n(&self) -> u64 {
        self.people.count() as u64
    }

    /// How many records there are.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// What a record is called in tables.
    pub fn name(&self, i: usize) -> Vec<String> {
        vec![self.names[i].clone()]
    }

    /// SHA-256 of the table.
    pub fn file(&self) -> [u8; 32] {
        self.file
    }

    /// What is known of shapes beforehand.
    pub fn setting(&self, mu: Mu) -> ShapeSetting {
        ShapeSetting {
            space: self.space,
            centre: self.centre.clone().map_or(Centre::Private, Centre::Public),
            outline: self.inputs.outline,
            radius: self.inputs.radius.unwrap_or(RADIUS),
            n: self.n(),
            mu,
        }
    }

    /// The records; `None` for those that count as the centre.
    ///
    /// # Errors
    /// [`PointStudyError`]: the first record that is no shape, where the study stops at them.
    pub fn read(&self) -> Result<Vec<Option<Specimen>>, PointStudyError> {
        let space = self.space;
        let made = |rows: DMatrix<f64>| -> Result<Specimen, String> {
            let (shape, size) = space.preshape(&rows).map_err(|e| e.to_string())?;
            Ok(Specimen { shape, size })
        };
        match &self.held {
            Held::Planar(source, input) => source.each(input, &self.people, |shape| {
                made(DMatrix::from_row_slice(shape.landmarks.len(), 2, shape.landmarks.as_flattened()))
            }),
            Held::Spatial(array) => {
                let record = |numbers: &[f64]| {
                    let missing = numbers.chunks_exact(3).filter(|p| p.iter().any(|x| x.is_nan())).count();
                    let point = match missing {
                        0 => made(DMatrix::from_row_slice(space.landmarks(), 3, numbers)).map(Some),
                        _ if self.inputs.drop_missing => Ok(None),
                        _ => Err(format!(
                            "has {missing} missing landmarks; digitize or estimate them, or give --drop-missing (the record then counts \
                             as the centre)"
                        )),
                    };
                    Record::new(numbers, point)
                };
                let records = array.data.chunks_exact(3 * space.landmarks()).map(record);
                points(self.request, &self.people, records)
            }
        }
    }

    /// People by their usable shapes.
    pub fn people_of(&self, specimens: &[Option<Specimen>]) -> ShapeRecords {
        let of = |own: &Vec<usize>| {
            own.iter().filter_map(|&i| Some(specimens.get(i)?.as_ref()?.shape.clone())).collect()
        };
        ShapeRecords { people: self.people.members().iter().map(of).collect(), rows: Vec::new() }
    }
}

/// The array (n, k, 3) in this file, if that is what it is.
fn spatial(path: &Path) -> Result<Option<(Opened, npy::Array)>, PointStudyError> {
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy")) {
        return Ok(None);
    }
    let file = open_as(path, Content::Shapes)?;
    // One shape (k, 3) is public or an error; which of the two axes counts records is told by how many there are.
    let array = match npy::shape_of(&file)?[..] {
        [_, _, 3] => npy::of(&file)?,
        _ => return Ok(None),
    };
    if array.shape[0] == 0 || array.shape[1] == 0 {
        return Err(PointStudyError::Input(format!("{}: holds no shapes; save it again", path.display())));
    }
    Ok(Some((file, array)))
}

/// The mean of public shapes (m, k, 3), or the one public shape (k, 3).
fn public_centre(
    space: &LandmarkShapes,
    path: &Path,
) -> Result<(DMatrix<f64>, PublicInput), PointStudyError> {
    let file = open_as(path, Content::Shapes)?;
    let array = npy::of(&file)?;
    let k = space.landmarks();
    let fits = matches!(array.shape[..], [_, rows, 3] | [rows, 3] if rows == k) && !array.data.is_empty();
    if !fits {
        return Err(PointStudyError::Input(format!(
            "{}: has no shapes of {k} landmarks in space; public shapes are ({k}, 3) or (m, {k}, 3)",
            path.display()
        )));
    }
    let shapes = array.data.chunks_exact(3 * k).map(|numbers| {
        let shape = space.preshape(&DMatrix::from_row_slice(k, 3, numbers));
        shape.map(|(z, _)| z).map_err(|e| PointStudyError::Input(format!("{}: {e}", path.display())))
    });
    let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
    let centre = space.mean(&shapes).unwrap_or_else(|| shapes[0].clone());
    Ok((centre, public_input(&file)))
}
