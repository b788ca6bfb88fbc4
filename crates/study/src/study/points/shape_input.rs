//! The files of a shape study: the table of landmarks, and the public centre or the public records.

use super::records::{Read, Record, points};
use super::treatment::{Treated, or_are_negative};
use super::{PointRequest, PointStudyError, TableOptions, Treatment};
use crate::io::shapes::{LandmarkOrder, ShapeReading, ShapeRecord, Shapes};
use crate::io::{Content, Limit, Place, RecordError, RecordSize, holds_masks, open, open_as};
use crate::manifold::LandmarkShapes;
use crate::privacy::PublicInput;
use crate::study::{People, Unusable, public_input};
use nalgebra::DMatrix;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

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
pub(in crate::study) struct Source<'a> {
    pub table: &'a Path,
    pub centre: &'a ShapeCentre,
    /// Landmarks of a shape, where that is known beforehand.
    pub landmarks: Option<usize>,
    /// Coordinates of a landmark, where that is known beforehand.
    pub dimensions: Option<usize>,
    pub drop_missing: bool,
    /// What columns and negative numbers mean.
    pub options: &'a TableOptions,
    /// Whether records may have missing landmarks that no public shape fills: a private centre will.
    pub gaps: bool,
    /// What is done to each record by itself.
    pub treatment: &'a Treatment,
    pub request: &'a PointRequest,
}

/// What the public files tell, and the table, no record of which has been read.
pub(in crate::study) struct Input<'a> {
    pub space: LandmarkShapes,
    /// The public shapes, centred and of unit norm; none where the centre is private.
    pub public: Vec<DMatrix<f64>>,
    pub public_inputs: Vec<PublicInput>,
    pub treated: Treated,
    table: Shapes,
    /// Whether records with missing landmarks cannot be used.
    dropped: bool,
    gaps: bool,
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
            return Ok(request.counting.people(self.n(), &|_| Vec::new())?);
        }
        let names = self.names();
        Ok(request.counting.people(names.len(), &|i| vec![names[i].clone()])?)
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
        let mut remarks: Vec<String> = self.table.meaning().into_iter().collect();
        remarks.extend_from_slice(self.table.notes());
        remarks.extend(self.treated.remarks(readable.iter(), self.dropped, self.gaps));
        remarks
    }

    /// Refuses records of which some have a scale of their own and others none: their sizes are in several units.
    pub fn check_scales(&self) -> Result<(), PointStudyError> {
        let scaled = |(_, shape): (usize, Placed)| Some(shape.ok()?.1.is_scaled());
        let (with, without): (Vec<bool>, Vec<bool>) =
            self.shapes().filter_map(scaled).partition(|scaled| *scaled);
        match (with.len(), without.len()) {
            (0, _) | (_, 0) => Ok(()),
            (with, without) => Err(PointStudyError::Input(format!(
                "{}: {with} records have SCALE= and {without} have none, so that their sizes are not in one unit; give every record its scale",
                self.table.file().path().display()
            ))),
        }
    }

    /// SHA-256 of the table's file.
    pub fn file(&self) -> [u8; 32] {
        self.table.file().sha256()
    }
}

impl<'a> Source<'a> {
    /// Opens the files, the public one first: what it tells, no record need.
    pub fn open(&self) -> Result<Input<'a>, PointStudyError> {
        let given = match self.centre {
            ShapeCentre::Private => None,
            ShapeCentre::File(path) | ShapeCentre::PublicRecords(path) => Some(self.given(path)?),
        };
        let known = given.as_ref().and_then(Given::landmarks).or(self.landmarks);
        // Where a record of another size stops the study, all records have to agree before anything is charged: then any of them may tell.
        // Where it contributes zero, neighbours could differ in what the first one tells.
        let stops = self.request.unusable == Unusable::Refuse;
        let told = if stops { RecordSize::Content } else { RecordSize::Heading };
        let landmarks = known.map_or(told, RecordSize::Known);
        let order = given.as_ref().map_or(LandmarkOrder::Own, Given::order);
        let reading = ShapeReading { order, flat: self.dimensions, ..self.options.reading(landmarks) };
        let atlas = given.as_ref().and_then(Given::only);
        let (table, mut of_masks) = self.options.records(self.table, reading, known, atlas)?;
        let table = table.taking_as_missing(&self.treatment.missing);
        let Some(given) = given else {
            let first = table.iter().find_map(|shape| shape.ok()).filter(|_| stops).map(|(_, shape)| shape);
            let told = table.landmarks().or(first.as_ref().map(ShapeRecord::landmarks));
            let dimension = table.dimension().or(first.as_ref().map(ShapeRecord::dimension));
            let space = LandmarkShapes::new(self.agreed(told)?, self.dimension(dimension)?)?;
            let treated = self.treatment.open(None, space.landmarks())?;
            of_masks.extend_from_slice(&treated.public_inputs);
            let public_inputs = of_masks;
            return Ok(Input {
                space,
                public: Vec::new(),
                public_inputs,
                treated,
                table,
                dropped: self.drop_missing,
                gaps: self.gaps,
                given: None,
            });
        };
        let shapes = given.shapes(&table)?;
        let dimension = shapes.first().map(ShapeRecord::dimension);
        let landmarks = self.agreed(shapes.first().map(ShapeRecord::landmarks))?;
        let space = LandmarkShapes::new(landmarks, self.dimension(dimension)?)?;
        let public = public_shapes(&space, given.path, &shapes)?;
        let curves = shapes.first().map(|shape| shape.curves().to_vec()).unwrap_or_default();
        let centre = space.mean(&public).and_then(|centre| ShapeRecord::from_matrix(None, &centre));
        let template = centre.map(|centre| centre.with_curves(curves));
        let treated = self.treatment.open(template.as_ref(), space.landmarks())?;
        let mut public_inputs = given.inputs(&shapes);
        of_masks.retain(|input| !public_inputs.contains(input));
        public_inputs.extend(of_masks);
        public_inputs.extend_from_slice(&treated.public_inputs);
        let path = given.path;
        let input = Input {
            space,
            public,
            public_inputs,
            treated,
            table,
            dropped: self.drop_missing,
            gaps: self.gaps,
            given: Some(given),
        };
        if input.n() == 0 {
            return Err(too_few(path));
        }
        Ok(input)
    }

    /// Coordinates of a landmark, by what the files tell: published, like the number of landmarks.
    fn dimension(&self, told: Option<usize>) -> Result<usize, PointStudyError> {
        match (self.dimensions, told) {
            (Some(2), Some(3)) => Err(PointStudyError::Input(format!(
                "{}: holds landmarks in space, where landmarks in the plane were declared or are all that is known; for landmarks in space \
                 leave --mechanism out or give --mechanism joint, and --dimensions 3 if you give any",
                self.table.display()
            ))),
            (Some(known), Some(told)) if known != told => Err(PointStudyError::Input(format!(
                "--dimensions {known} does not agree with the shapes, whose landmarks have {told} coordinates"
            ))),
            (Some(d), _) | (None, Some(d)) => Ok(d),
            (None, None) => Err(PointStudyError::Input(format!(
                "{}: give the number of coordinates of a landmark as --dimensions 2 or 3; it is published, so the records may not determine it, \
                 and in this format only a public centre does; or give --unusable refuse: then all records have to agree",
                self.table.display()
            ))),
        }
    }

    /// How many landmarks shapes have, by what was known beforehand and by what the files tell.
    fn agreed(&self, told: Option<usize>) -> Result<usize, PointStudyError> {
        match (self.landmarks, told) {
            (Some(known), Some(told)) if known != told => Err(PointStudyError::Input(format!(
                "--landmarks {known} does not agree with the public shapes, which have {told} landmarks"
            ))),
            (Some(k), _) | (None, Some(k)) => Ok(k),
            (None, None) => Err(PointStudyError::Input(format!(
                "{}: give the number of landmarks of a shape as --landmarks K (and --dimensions 2 or 3); it is published, so the records may not \
                 determine it, and in this format only a public centre does; or give --unusable refuse: then all records have to agree",
                self.table.display()
            ))),
        }
    }

    fn given(&self, path: &'a Path) -> Result<Given<'a>, PointStudyError> {
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
            return Ok(Given {
                path,
                input: public_input(&file)?,
                shapes: None,
                names,
                order: LandmarkOrder::Own,
            });
        }
        if holds_masks(path) {
            let (shape, input) = self.options.outline(path, self.landmarks)?;
            let (shapes, names, order) = (Some(vec![shape]), HashSet::new(), LandmarkOrder::Own);
            return Ok(Given { path, input, shapes, names, order });
        }
        let file = open_as(path, Content::Shapes)?;
        // All of it is public: it may tell itself how many landmarks its shapes have.
        let size = self.landmarks.map_or(RecordSize::Content, RecordSize::Known);
        let input = public_input(&file)?;
        let table = self.options.public(file, size.into(), self.dimensions, is_centre)?;
        let shapes = table.all()?;
        if is_centre && shapes.len() != 1 {
            let is_array = path.extension().is_some_and(|ending| ending == "npy");
            let mask = if is_array { ", and the array of a mask in a folder of its own" } else { "" };
            return Err(PointStudyError::Input(format!(
                "{} holds {} shapes where the public centre should be one; give several as --public-records{mask}",
                path.display(),
                shapes.len()
            )));
        }
        // A centre that has a record's name is another shape all the same.
        let names = shapes.iter().filter(|_| !is_centre).filter_map(|shape| shape.id.clone()).collect();
        let order = LandmarkOrder::of(table.names());
        Ok(Given { path, input, shapes: Some(shapes), names, order })
    }

    /// What `make` makes of every record of the right number of landmarks, of which so many were estimated from the public centre.
    pub fn each<P>(
        &self,
        input: &Input<'_>,
        people: &People,
        make: impl Fn(&ShapeRecord, usize) -> Result<P, String>,
    ) -> Result<Read<P>, PointStudyError> {
        let space = &input.space;
        let whose = match self.centre {
            ShapeCentre::Private => "every shape of this study",
            _ => "the public centre",
        };
        let point = |shape: &ShapeRecord| -> Result<P, String> {
            let (found, expected) = (shape.landmarks(), space.landmarks());
            if found != expected {
                return Err(format!(
                    "has {found} landmarks where {whose} has {expected}; every record must have the same"
                ));
            }
            let (found, expected) = (shape.dimension(), space.dimensions());
            if found != expected {
                return Err(format!(
                    "has {found} coordinates a landmark where {whose} has {expected}; every record must have the same"
                ));
            }
            let missing = shape.missing();
            if missing > 0 && self.drop_missing {
                return Err(format!(
                    "has {missing} missing landmarks, which --drop-missing leaves as they are"
                ));
            }
            if missing > 0 && !input.treated.fills() && !self.gaps {
                return Err(format!(
                    "has {missing} missing landmarks; give a public shape as --center, from which they are estimated{}",
                    or_are_negative(shape)
                ));
            }
            make(&input.treated.apply(shape)?, if input.treated.fills() { missing } else { 0 })
        };
        let placed = |(_, shape): (usize, Placed)| {
            let (place, shape) = match shape {
                Ok(found) => found,
                Err(error) => return Record::unread(error),
            };
            let about = RecordError::label(place, shape.id.as_deref());
            let point = point(&shape).map_err(|e| format!("{about}{e}"));
            Record::of_shape(&shape, point).at(about)
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
    /// The order of its landmarks.
    order: LandmarkOrder,
}

impl Given<'_> {
    /// Landmarks of its shapes.
    fn landmarks(&self) -> Option<usize> {
        self.shapes.as_ref()?.first().map(ShapeRecord::landmarks)
    }

    /// The public shape, where it is one alone.
    fn only(&self) -> Option<&ShapeRecord> {
        match self.shapes.as_deref() {
            Some([only]) => Some(only),
            _ => None,
        }
    }

    fn order(&self) -> LandmarkOrder {
        self.order.clone()
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

/// Public shapes without place and size.
fn public_shapes(
    space: &LandmarkShapes,
    file: &Path,
    shapes: &[ShapeRecord],
) -> Result<Vec<DMatrix<f64>>, PointStudyError> {
    let one = |shape: &ShapeRecord| {
        if shape.negative() > 0 {
            let what = format!(
                "{}: a public shape has {} landmarks with a negative coordinate, which count as missing because of IMAGE=; if they are coordinates, \
                 give --negative valid or remove the line IMAGE=",
                file.display(),
                shape.negative()
            );
            return Err(PointStudyError::Input(what));
        }
        let found = space.preshape(&shape.to_matrix());
        found.map(|(z, _)| z).map_err(|e| PointStudyError::Input(format!("{}: {e}", file.display())))
    };
    shapes.iter().map(one).collect()
}
