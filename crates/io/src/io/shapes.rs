//! Tables of landmark shapes, in the plane or in space: TPS as tpsDig and geomorph write it, CSV, NumPy arrays.

mod array;
mod long;
mod morphologika;
mod order;
mod reading;
mod record;
mod roles;
mod size;
mod slicer;
mod suspect;
mod tps;
mod wide;
mod write;

pub use reading::{LandmarkOrder, NO_COLUMN, Negative, ShapeColumns, ShapeReading};
pub use record::{ShapeIter, ShapeRecord};
pub use size::ShapeSize;
pub use suspect::{Suspect, suspects};
pub(super) use tps::tps_text;
pub use tps::write_tps;
pub(super) use write::array_to;
pub use write::{write_shape_array, write_shape_table};

use super::error::{Fault, Parsed, Place, ReadError, RecordError};
use super::open::Opened;
use array::Array;
use long::Long;
use morphologika::Morphologika;
use slicer::Labels;
use tps::{Manner, NamedBy};
use wide::{Found, Wide};

/// A table of shapes, taken from the file's bytes when they are asked for: nothing is kept twice.
#[derive(Debug, Clone)]
pub struct Shapes {
    file: Opened,
    form: Form,
    landmarks: Option<usize>,
    dimension: Option<usize>,
    /// Numbers that stand for a missing landmark.
    codes: Vec<f64>,
    notes: Vec<String>,
}

#[derive(Debug, Clone)]
enum Form {
    Tps(NamedBy, Option<Negative>),
    Wide(Wide),
    Long(Long),
    Array(Array),
    Morphologika(Morphologika),
    /// A file for each specimen.
    Slicer(Labels),
    /// Made from files of another kind: each with its name, and its landmarks in the plane or why it has none.
    Made(Vec<MadeShape>),
}

/// A shape that was not read from a table: its name, and its landmarks in the plane or why it has none.
pub type MadeShape = (String, Result<Vec<[f64; 2]>, String>);

impl Shapes {
    /// The file they are in.
    pub fn file(&self) -> &Opened {
        &self.file
    }

    /// Landmarks of a shape, where something public tells: a heading with columns for each landmark, an array's shape, the number that was known
    /// beforehand, or names of landmarks that three or more records agree on. `None` for TPS and other tables with a row for each landmark.
    pub fn landmarks(&self) -> Option<usize> {
        self.landmarks
    }

    /// Coordinates of a landmark, 2 or 3, where something public tells, as for [`landmarks`](Self::landmarks); TPS tells it record by
    /// record.
    pub fn dimension(&self) -> Option<usize> {
        self.dimension
    }

    /// The names of the landmarks, in order, where the file gives them.
    pub fn names(&self) -> &[String] {
        match &self.form {
            Form::Wide(Wide { names, .. })
            | Form::Long(Long { names, .. })
            | Form::Slicer(Labels { names, .. }) => names,
            Form::Tps(..) | Form::Array(_) | Form::Morphologika(_) | Form::Made(_) => &[],
        }
    }

    /// What a table's heading was taken to mean: what a row is, and which column names what. `None` where there is no heading.
    pub fn meaning(&self) -> Option<String> {
        match &self.form {
            Form::Long(long) => long.meaning(),
            Form::Wide(wide) => wide.meaning(),
            Form::Tps(..) | Form::Array(_) | Form::Morphologika(_) | Form::Slicer(_) | Form::Made(_) => None,
        }
    }

    /// What was passed over or put in order when the file was read: for the data holder.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The same, with landmarks taken for missing that have one of these numbers for a coordinate (before any SCALE).
    pub fn taking_as_missing(self, codes: &[f64]) -> Self {
        Self { codes: codes.to_vec(), ..self }
    }

    /// The shapes, in the order of the file. They need not have [`landmarks`](Self::landmarks) landmarks each, nor
    /// [`dimension`](Self::dimension) coordinates for each.
    pub fn iter(&self) -> ShapeIter<'_> {
        let bytes = self.file.bytes();
        let shapes = match &self.form {
            Form::Tps(named_by, negative) => {
                let manner = Manner { named_by: *named_by, negative: *negative, codes: &self.codes };
                return tps::specimens(bytes, manner);
            }
            Form::Wide(wide) => wide.shapes(bytes),
            Form::Long(long) => long.shapes(bytes),
            Form::Array(array) => array.shapes(bytes),
            Form::Morphologika(table) => table.shapes(bytes),
            Form::Slicer(labels) => slicer::shapes(&self.file, labels),
            Form::Made(made) => Box::new(made.iter().map(|(name, shape)| match shape {
                Ok(points) => Ok((Place::Whole, ShapeRecord::planar(Some(name.clone()), points))),
                Err(what) => Err(RecordError {
                    place: Place::Whole,
                    name: Some(name.clone()),
                    fault: Fault::Unclear { what: what.clone() },
                }),
            })),
        };
        Box::new(shapes.map(|shape| {
            shape.map(|(place, mut shape)| {
                shape.take_as_missing(&self.codes);
                (place, shape)
            })
        }))
    }

    /// All shapes, where the file is public or nothing is released.
    ///
    /// # Errors
    /// [`ReadError`] for the first that cannot be read.
    pub fn all(&self) -> Result<Vec<ShapeRecord>, ReadError> {
        let located = |RecordError { place, fault, .. }| ReadError::at(self.file.path(), place, fault);
        self.iter().map(|shape| shape.map(|(_, shape)| shape).map_err(located)).collect()
    }

    /// Shapes of this many landmarks in the plane that were made from a file, or from the files of a folder, of another kind.
    pub fn made(file: Opened, shapes: Vec<MadeShape>, landmarks: usize, notes: Vec<String>) -> Self {
        Self { notes, ..Self::new(file, Form::Made(shapes), Some(landmarks), Some(2)) }
    }

    /// Adds to what the data holder should know.
    pub fn note(&mut self, notes: impl IntoIterator<Item = String>) {
        self.notes.extend(notes);
    }

    fn new(file: Opened, form: Form, landmarks: Option<usize>, dimension: Option<usize>) -> Self {
        Self { file, form, landmarks, dimension, codes: Vec::new(), notes: Vec::new() }
    }

    fn not_empty(self) -> Result<Self, ReadError> {
        if self.iter().next().is_none() {
            return Err(self.file.error(Fault::Malformed("holds no shapes; export it again")));
        }
        Ok(self)
    }
}

/// A TPS file. Each specimen tells its own number of landmarks.
pub(super) fn tps(file: Opened, reading: &ShapeReading) -> Result<Shapes, ReadError> {
    reading.refuse_columns().map_err(|fault| file.error(fault))?;
    tps::check(file.bytes()).map_err(|located| file.error(located))?;
    let named_by = NamedBy::find(file.bytes());
    let form = Form::Tps(named_by, reading.negative);
    let shapes = Shapes::new(file, form, reading.size.known(), reading.size.dimension).not_empty()?;
    let notes = match named_by {
        NamedBy::Id => Vec::new(),
        NamedBy::Image => vec!["ID= does not tell the specimens apart: they are named by IMAGE=".to_owned()],
        NamedBy::Nothing => {
            vec![
                "neither ID= nor IMAGE= tells the specimens apart: they are named by their number from 0"
                    .to_owned(),
            ]
        }
    };
    Ok(Shapes { notes, ..shapes })
}

/// A text of Morphologika; or a table with a row for each landmark (columns x and y, and z in space, and such as name records and landmarks), or
/// one for each shape (x1, y1, x2, y2, … in any order, and other columns).
pub(super) fn table(file: Opened, reading: &ShapeReading) -> Result<Shapes, ReadError> {
    let size = reading.size;
    let parse = || -> Parsed<_> {
        if let Some(table) = Morphologika::find(file.bytes(), size)? {
            reading.refuse_columns()?;
            let (landmarks, dimension) = (table.landmarks, table.dimension);
            return Ok((Form::Morphologika(table), Some(landmarks), dimension, Vec::new()));
        }
        Ok(match wide::find(file.bytes(), file.path(), reading)? {
            Found::Long(mut long) => {
                let (dimension, notes) = (long.dimension(), std::mem::take(&mut long.notes));
                let landmarks = size.known().or(long.landmarks);
                (Form::Long(long), landmarks, dimension, notes)
            }
            Found::Wide(mut wide) => {
                let (landmarks, dimension, notes) =
                    (wide.landmarks, wide.dimension, std::mem::take(&mut wide.notes));
                (Form::Wide(wide), Some(landmarks), dimension, notes)
            }
        })
    };
    let (form, landmarks, dimension, notes) = parse().map_err(|located| file.error(located))?;
    let shapes = Shapes::new(file, form, landmarks, Some(dimension)).not_empty()?;
    Ok(Shapes { notes, ..shapes })
}

/// An array, see [`Array`].
pub(super) fn array(file: Opened, reading: &ShapeReading) -> Result<Shapes, ReadError> {
    let found =
        reading.refuse_columns().map_err(Into::into).and_then(|()| Array::find(file.bytes(), reading));
    let array = found.map_err(|located| file.error(located))?;
    let (landmarks, dimension) = (array.landmarks, array.dimension);
    Shapes::new(file, Form::Array(array), Some(landmarks), Some(dimension)).not_empty()
}

/// A file of 3D Slicer: one specimen; or a folder of them.
pub(super) fn specimens(file: Opened, reading: &ShapeReading) -> Result<Shapes, ReadError> {
    let found = reading.refuse_columns().and_then(|()| reading.size.check_dimension(3));
    let labels = found.and_then(|()| Labels::find(&file, reading)).map_err(|fault| file.error(fault))?;
    let (notes, landmarks) = (labels.notes.clone(), reading.size.known().or(labels.landmarks));
    let shapes = Shapes::new(file, Form::Slicer(labels), landmarks, Some(3)).not_empty()?;
    Ok(Shapes { notes, ..shapes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::RecordSize;
    use crate::io::read_shapes;

    fn of(name: &str, text: &str) -> Result<Vec<ShapeRecord>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        let shapes = read_shapes(&path, RecordSize::Content).and_then(|shapes| shapes.all());
        shapes.map_err(|e| e.problem())
    }

    #[test]
    fn tps_as_programs_write_it() {
        let text = "# a comment\r\nLM=2\r\n1 2\r\n3,4\r\nIMAGE=a.jpg\r\nID=one\r\nSCALE=0.5\r\n\r\nlm=1\r\n5\t6\r\nCURVES=1\r\nPOINTS=2\r\n7 8\r\n-1 -1\r\nVARIABLES=x\r\n";
        let shapes = of("a.tps", text).unwrap();
        assert_eq!(shapes[0].id.as_deref(), Some("one"));
        assert_eq!(shapes[0].coordinates(), [0.5, 1.0, 1.5, 2.0]);
        assert_eq!(shapes[1].coordinates(), [5.0, 6.0, 7.0, 8.0, -1.0, -1.0]);
        assert!(shapes[0].curves().is_empty() && shapes[1].curves().iter().eq([&(1..3)]));
        assert_eq!(shapes[1].missing(), 0);
    }

    #[test]
    fn missing_landmarks_are_seen() {
        let shapes = of("a.tps", "LM=2\nNA NA\n1 2\nID=a\nLM=2\n-1 -1\n1 2\nIMAGE=b.png\n").unwrap();
        assert_eq!((shapes[0].missing(), shapes[1].missing()), (1, 1));
        assert_eq!(shapes[1].id.as_deref(), Some("b.png"));
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line_with_its_place() {
        for (text, place, word) in [
            ("LM=3\n1 2\n3 4\nID=a\n", "line 4", "end early"),
            ("LM=2\n1 2\n3 4\n5 6\n", "line 4", "announces"),
            ("LM=2\n1 2\n3 x\n", "line 3", "not a number"),
            ("LM=2\n1 2\n3\n", "line 3", "missing"),
            ("LM=2\n1 2 3\n", "line 2", "two coordinates"),
            ("LM3=2\n1 2 3\n4 5\n", "line 3", "the z coordinate is missing"),
            ("LM3=1\n1 2 3 4\n", "line 2", "more than three"),
            ("LM=99999999\n1 2\n", "line 1", "promises"),
            ("ID=a\n", "line 1", "before any LM="),
            ("LM=one\n", "line 1", "not a number"),
            ("LM=1\n1 2\nSCALE=-1\n", "line 3", "SCALE"),
        ] {
            let problem = of("a.tps", text).unwrap_err();
            assert!(
                problem.contains(place) && problem.contains(word) && !problem.contains('\n'),
                "{problem}"
            );
        }
        assert!(of("a.tps", "# nothing\n").unwrap_err().contains("no shapes"));
        assert!(of("a.shp", "x").unwrap_err().contains(".tps"));
    }

    #[test]
    fn tables_long_and_wide() {
        let long = of("a.csv", "id,landmark,x,y\na,1,0,1\na,2,2,3\nb,1,4,5\nb,2,NA,7\n").unwrap();
        assert_eq!(long.len(), 2);
        assert_eq!(long[0].coordinates(), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(long[1].missing(), 1);
        for text in
            ["name,x1,y1,x2,y2\na,0,1,2,3\nb,4,5,6,7\n", "a;0;1;2;3\nb;4;5;6;7\n", "0 1 2 3\n4 5 6 7\n"]
        {
            let wide = of("a.csv", text).unwrap();
            assert_eq!((wide.len(), wide[1].coordinates()), (2, &[4.0, 5.0, 6.0, 7.0][..]), "{text}");
        }
        assert!(of("a.csv", "a,0,1\nb,0,1,2\n").unwrap_err().contains("line 2"));
    }

    #[test]
    fn landmarks_in_space() {
        let expected = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        for (name, text) in [
            ("a.tps", "LM3=2\n1 2 3\n4 5 6\nID=a\n"),
            ("a.tps", "LM3=1\n1 2 3\nCURVES=1\nPOINTS=1\n4 5 6\nID=a\n"),
            ("a.csv", "id,landmark,x,y,z\na,1,1,2,3\na,2,4,5,6\n"),
            ("a.csv", "id,x1,y1,z1,x2,y2,z2\na,1,2,3,4,5,6\n"),
            ("a.csv", "nasion.x,nasion.y,nasion.z,2x,2y,2z\n1,2,3,4,5,6\n"),
        ] {
            let shapes = of(name, text).unwrap();
            assert_eq!((shapes[0].dimension(), shapes[0].coordinates()), (3, &expected[..]), "{text}");
        }
        for (text, word) in [
            ("id,x1,y1,z1,x2,y2\na,1,2,3,4,5\n", "coordinates are missing"),
            ("x1,x2,y1,y1\n1,2,3,4\n", "two columns \"y1\""),
            ("a,b,c,d\n1,2,3,4\n", "does not tell which columns are coordinates"),
            ("x1,y1,z1\n1,2\n", "line 2"),
        ] {
            assert!(of("a.csv", text).unwrap_err().contains(word), "{text}");
        }
    }

    #[test]
    fn a_size_known_beforehand_tells_what_a_table_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.csv");
        std::fs::write(&path, "a,1,2,3,4,5,6\nb,1,2,3,4,5,6\n").unwrap();
        let solid = ShapeSize::of(2, 3);
        let shapes = read_shapes(&path, solid).unwrap();
        assert_eq!((shapes.landmarks(), shapes.dimension()), (Some(2), Some(3)));
        assert_eq!(shapes.all().unwrap()[0].dimension(), 3);
        assert!(read_shapes(&path, ShapeSize::of(2, 2)).unwrap().all().is_err());
        std::fs::write(&path, "x1,y1\n1,2\n").unwrap();
        assert!(read_shapes(&path, ShapeSize::of(1, 3)).is_err());
    }

    #[test]
    fn empty_fields_and_codes_are_missing() {
        let blank = of("a.csv", "id,x1,y1,x2,y2\na,,,1,2\nb,1,2,,\n").unwrap();
        assert_eq!((blank[0].missing(), blank[1].missing()), (1, 1));
        assert!(of("a.csv", "id,x1,y1,x2,y2\nb,1,2\n").unwrap_err().contains("line 2"));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.tps");
        std::fs::write(&path, "LM=2\n-999 -999\n1 2\nSCALE=0.5\n").unwrap();
        let read = |codes: &[f64]| {
            let shapes = read_shapes(&path, RecordSize::Content).unwrap().taking_as_missing(codes);
            shapes.all().unwrap().remove(0)
        };
        assert_eq!((read(&[]).missing(), read(&[-999.0]).missing()), (0, 1));
        assert_eq!(read(&[-999.0]).coordinates()[2..], [0.5, 1.0]);
    }

    #[test]
    fn a_round_trip_keeps_every_digit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.tps");
        let shapes = vec![
            ShapeRecord::planar(Some("a".into()), &[[0.1 + 0.2, -1e-300], [1e300, 2.0]]),
            ShapeRecord::solid(None, &[[1.0, 2.0, 3.0], [0.1 + 0.2, -1e-300, 5.0]])
                .with_curves(vec![0..1, 1..2]),
            ShapeRecord::planar(None, &[[1.0, 2.0]]),
        ];
        write_tps(&path, &shapes).unwrap();
        assert_eq!(read_shapes(&path, RecordSize::Content).unwrap().all().unwrap(), shapes);
    }
}
