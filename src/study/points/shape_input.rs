//! The files of a shape study: the table of landmarks, and the public centre or the public records.

use super::records::{Record, points};
use super::treatment::Treated;
use super::{PointRequest, PointStudyError, Treatment, Unusable};
use crate::io::shapes::{ShapeRecord, Shapes};
use crate::io::{Content, Limit, Place, RecordError, RecordSize, open, open_as, read_shapes, shapes_of};
use crate::manifold::Kendall;
use crate::privacy::PublicInput;
use crate::stats::{FrechetOptions, frechet_mean, full_procrustes_mean};
use crate::study::{People, public_input};
use nalgebra::{Complex, DVector};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

type Preshape = DVector<Complex<f64>>;

/// Where the centre comes from.
#[derive(Debug, Clone)]
pub enum ShapeCentre {
    /// A file with one shape.
    File(PathBuf),
    /// The mean of shapes that are public: a table of shapes, or (`.txt`) names of records of the study, one on each line.
    /// Either way they are taken out of the study, and out of n.
    PublicRecords(PathBuf),
    /// A first pass paid from the budget; no shape need be public.
    Private,
}

/// What is read, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub table: &'a Path,
    pub centre: &'a ShapeCentre,
    /// Landmarks of a shape, where that is known beforehand.
    pub landmarks: Option<usize>,
    pub drop_missing: bool,
    /// What is done to each record by itself.
    pub treatment: &'a Treatment,
    pub request: &'a PointRequest,
}

/// What the public files tell, and the table, no record of which has been read.
pub(super) struct Input<'a> {
    pub space: Kendall,
    pub public: Option<PublicCentre>,
    pub public_inputs: Vec<PublicInput>,
    pub treated: Treated,
    table: Shapes,
    given: Option<Given<'a>>,
}

impl Input<'_> {
    /// The study's records: those that are not public.
    fn shapes(&self) -> impl Iterator<Item = (usize, Placed)> {
        let public = |shape: &Placed| self.given.as_ref().is_some_and(|given| given.takes_out(shape));
        self.table.iter().enumerate().filter(move |(_, shape)| !public(shape))
    }

    /// Who gave which.
    pub fn people(&self, request: &PointRequest) -> Result<People, PointStudyError> {
        if request.counting.people.is_none() {
            return Ok(request.counting.people(self.n(), |_| Vec::new())?);
        }
        let names = self.names();
        Ok(request.counting.people(names.len(), |i| vec![names[i].clone()])?)
    }

    /// What the records are called: by their ID, or by their number from 0 in a file that gives them none.
    pub fn names(&self) -> Vec<String> {
        let name = |(i, shape): (usize, Placed)| {
            let name = shape.map_or_else(|error| error.name, |(_, shape)| shape.id);
            name.unwrap_or_else(|| i.to_string())
        };
        self.shapes().map(name).collect()
    }

    /// How many there are.
    fn n(&self) -> usize {
        self.shapes().count()
    }

    /// What whoever holds the data should know of the records.
    pub fn remarks(&self) -> Vec<String> {
        let readable: Vec<ShapeRecord> = self.shapes().filter_map(|(_, shape)| Some(shape.ok()?.1)).collect();
        self.treated.remarks(readable.iter())
    }

    /// SHA-256 of the table's file.
    pub fn file(&self) -> [u8; 32] {
        self.table.file().sha256()
    }
}

/// A public centre and the public shapes it was made of.
pub(super) type PublicCentre = (Preshape, Vec<Preshape>);

impl Source<'_> {
    /// Opens the files, the public one first: what it tells, no record need.
    pub fn open(&self) -> Result<Input<'_>, PointStudyError> {
        let given = match self.centre {
            ShapeCentre::Private => None,
            ShapeCentre::File(path) | ShapeCentre::PublicRecords(path) => Some(self.given(path)?),
        };
        let known = given.as_ref().and_then(Given::landmarks).or(self.landmarks);
        // Where a record of another size stops the study, all records have to agree before anything is charged: then any of them may tell.
        // Where it counts as the centre, neighbours could differ in what the first one tells.
        let stops = self.request.unusable == Unusable::Stop && !self.drop_missing;
        let told = if stops { RecordSize::Content } else { RecordSize::Heading };
        let table = read_shapes(self.table, known.map_or(told, RecordSize::Known))?
            .taking_as_missing(&self.treatment.missing);
        if table.dimension() == Some(3) {
            return Err(in_space(self.table));
        }
        let Some(given) = given else {
            let first = || table.iter().find_map(|shape| Some(shape.ok()?.1.landmarks()));
            let told = table.landmarks().or_else(|| if stops { first() } else { None });
            let space = Kendall::new(self.agreed(told)?)?;
            let treated = self.treatment.open(None, space.landmarks())?;
            let public_inputs = treated.public_inputs.clone();
            return Ok(Input { space, public: None, public_inputs, treated, table, given: None });
        };
        let shapes = given.shapes(&table)?;
        let space = Kendall::new(self.agreed(shapes.first().map(ShapeRecord::landmarks))?)?;
        let (centre, public) = public_centre(&space, given.path, &shapes)?;
        let curves = shapes.first().map(|shape| shape.curves().to_vec()).unwrap_or_default();
        let template = ShapeRecord::planar(None, &space.configuration(&centre)).with_curves(curves);
        let treated = self.treatment.open(Some(&template), space.landmarks())?;
        let public_inputs = [given.inputs(&shapes), treated.public_inputs.clone()].concat();
        let path = given.path;
        let public = Some((centre, public));
        let input = Input { space, public, public_inputs, treated, table, given: Some(given) };
        if input.n() == 0 {
            return Err(too_few(path));
        }
        Ok(input)
    }

    /// How many landmarks shapes have, by what was known beforehand and by what the files tell.
    fn agreed(&self, told: Option<usize>) -> Result<usize, PointStudyError> {
        match (self.landmarks, told) {
            (Some(known), Some(told)) if known != told => Err(PointStudyError::Input(format!(
                "--landmarks {known} does not agree with the public shapes, which have {told} landmarks"
            ))),
            (Some(k), _) | (None, Some(k)) => Ok(k),
            (None, None) => Err(PointStudyError::Input(format!(
                "{}: give the number of landmarks of a shape as --landmarks K; it is published, so where \
                 records that cannot be used count as the centre no record may tell it, and in this format nothing else does but a public centre",
                self.table.display()
            ))),
        }
    }

    fn given<'a>(&self, path: &'a Path) -> Result<Given<'a>, PointStudyError> {
        let (is_centre, by_name) = match self.centre {
            ShapeCentre::PublicRecords(_) => {
                (false, path.extension().is_some_and(|e| e.eq_ignore_ascii_case("txt")))
            }
            _ => (true, false),
        };
        if by_name {
            let file = open(path, Limit::SMALL)?;
            let lines = file.text()?.lines().map(str::trim).filter(|name| !name.is_empty());
            let names = lines.map(str::to_owned).collect();
            return Ok(Given { path, input: public_input(&file), shapes: None, names });
        }
        let file = open_as(path, Content::Shapes)?;
        // All of it is public: it may tell itself how many landmarks its shapes have.
        let size = self.landmarks.map_or(RecordSize::Content, RecordSize::Known);
        let input = public_input(&file);
        let shapes = shapes_of(file, size)?.all()?;
        if is_centre && shapes.len() != 1 {
            return Err(PointStudyError::Input(format!(
                "{} holds {} shapes where the public centre should be one; give several as --public-records",
                path.display(),
                shapes.len()
            )));
        }
        // A centre that has a record's name is another shape all the same.
        let names = shapes.iter().filter(|_| !is_centre).filter_map(|shape| shape.id.clone()).collect();
        Ok(Given { path, input, shapes: Some(shapes), names })
    }

    /// The records as preshapes; `None` for one that counts as the centre.
    pub fn records(
        &self,
        input: &Input<'_>,
        people: &People,
    ) -> Result<Vec<Option<Preshape>>, PointStudyError> {
        let space = &input.space;
        let whose = match self.centre {
            ShapeCentre::Private => "every shape of this study",
            _ => "the public centre",
        };
        let point = |shape: &ShapeRecord| -> Result<Option<Preshape>, String> {
            let (found, expected) = (shape.landmarks(), space.landmarks());
            if found != expected {
                return Err(format!(
                    "has {found} landmarks where {whose} has {expected}; every record must have the same"
                ));
            }
            let missing = shape.missing();
            if missing > 0 && self.drop_missing {
                return Ok(None);
            }
            if missing > 0 && !input.treated.fills() {
                return Err(format!(
                    "has {missing} missing landmarks; give a public shape as --center, from which they are estimated, or --drop-missing \
                     (the record then counts as the centre)"
                ));
            }
            let shape = input.treated.apply(shape)?;
            planar(&shape).and_then(|p| space.preshape(p).map_err(|e| e.to_string())).map(Some)
        };
        let placed = |(_, shape): (usize, Placed)| {
            let (place, shape) = match shape {
                Ok(found) => found,
                Err(error) => return Record::unread(error),
            };
            let about = RecordError::label(place, shape.id.as_deref());
            let point = point(&shape).map_err(|e| format!("{about}{e}"));
            Record::new(shape.coordinates(), point).at(about)
        };
        points(self.request, people, input.shapes().map(placed))
    }
}

/// A shape of a table and where it begins, or what is wrong with it.
type Placed = Result<(Place, ShapeRecord), RecordError>;

/// A file that is public.
struct Given<'a> {
    path: &'a Path,
    input: PublicInput,
    /// The shapes in it; `None` where it only names records of the study.
    shapes: Option<Vec<ShapeRecord>>,
    /// The names of records that are public, and so none of the study's.
    names: HashSet<String>,
}

impl Given<'_> {
    /// Landmarks of its shapes.
    fn landmarks(&self) -> Option<usize> {
        self.shapes.as_ref()?.first().map(ShapeRecord::landmarks)
    }

    /// Whether a record of the study's table is public.
    fn takes_out(&self, shape: &Placed) -> bool {
        let name = match shape {
            Ok((_, shape)) => &shape.id,
            Err(error) => &error.name,
        };
        name.as_ref().is_some_and(|name| self.names.contains(name))
    }

    /// The public shapes: its own, or those of the table that it names.
    fn shapes(&self, table: &Shapes) -> Result<Vec<ShapeRecord>, PointStudyError> {
        let shapes = match &self.shapes {
            Some(shapes) => shapes.clone(),
            None => {
                let fail =
                    |problem: String| PointStudyError::Input(format!("{} {problem}", self.path.display()));
                let named = table.iter().filter(|shape| self.takes_out(shape));
                let named: Vec<ShapeRecord> = named
                    .map(|shape| shape.map(|(_, shape)| shape))
                    .collect::<Result<_, _>>()
                    .map_err(|e| fail(format!("names a record that cannot be read: {e}")))?;
                if named.len() != self.names.len() {
                    let (names, found) = (self.names.len(), named.len());
                    return Err(fail(format!(
                        "names {names} records, of which {found} are in the study; correct the names"
                    )));
                }
                named
            }
        };
        if shapes.is_empty() {
            return Err(too_few(self.path));
        }
        Ok(shapes)
    }

    /// The certificate's entries for it.
    fn inputs(&self, shapes: &[ShapeRecord]) -> Vec<PublicInput> {
        let input = self.input.clone();
        if self.shapes.is_some() {
            return vec![input];
        }
        // The file holds names only: what was assumed public are the shapes.
        let name = format!("{}: landmarks of the records it names", input.name);
        vec![PublicInput::of_bytes(name, &contents(shapes)), input]
    }
}

fn in_space(file: &Path) -> PointStudyError {
    PointStudyError::Input(format!(
        "{}: holds landmarks in space; this command takes landmarks in the plane, so export two coordinates of each",
        file.display()
    ))
}

/// The landmarks of a shape in the plane.
fn planar(shape: &ShapeRecord) -> Result<&[[f64; 2]], String> {
    shape.plane().ok_or_else(|| {
        "has landmarks in space where this command takes landmarks in the plane; export two coordinates of each".into()
    })
}

fn too_few(file: &Path) -> PointStudyError {
    PointStudyError::Input(format!(
        "{}: public records and study both need at least one shape",
        file.display()
    ))
}

/// Names and landmarks of shapes, to be hashed: `name\0`, then x and y of each landmark as little-endian doubles.
fn contents(shapes: &[ShapeRecord]) -> Vec<u8> {
    let bytes = |shape: &ShapeRecord| {
        let name = shape.id.clone().unwrap_or_default();
        let numbers = shape.coordinates().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        [name.as_bytes(), b"\0", &numbers].concat()
    };
    shapes.iter().flat_map(bytes).collect()
}

/// The mean of public shapes.
fn public_centre(
    space: &Kendall,
    file: &Path,
    shapes: &[ShapeRecord],
) -> Result<PublicCentre, PointStudyError> {
    let fail = |e| PointStudyError::Input(format!("{}: {e}", file.display()));
    let public = shapes
        .iter()
        .map(|shape| space.preshape(planar(shape).map_err(|_| in_space(file))?).map_err(fail))
        .collect::<Result<Vec<_>, _>>()?;
    let centre = match &public[..] {
        [one] => one.clone(),
        many => {
            let start = full_procrustes_mean(space, many, None)?;
            frechet_mean(space, many, None, Some(&start), FrechetOptions::default())?.point
        }
    };
    Ok((centre, public))
}
