//! Tables of planar landmark shapes: TPS as tpsDig and geomorph write it, CSV, NumPy arrays.

mod csv;
mod record;
mod tps;

pub use record::{ShapeIter, ShapeRecord};
pub use tps::write_tps;

use super::columns::RecordSize;
use super::error::{Fault, Parsed, Place, ReadError, RecordError};
use super::npy;
use super::open::Opened;
use csv::{Long, Wide};
use record::WHAT;

/// A table of shapes, taken from the file's bytes when they are asked for: nothing is kept twice.
#[derive(Debug, Clone)]
pub struct Shapes {
    file: Opened,
    form: Form,
    landmarks: Option<usize>,
}

#[derive(Debug, Clone)]
enum Form {
    Tps,
    Wide(Wide),
    Long(Long),
    /// (n, k, 2), its first axis the records.
    Array(npy::Form),
}

impl Shapes {
    /// The file they are in.
    pub fn file(&self) -> &Opened {
        &self.file
    }

    /// Landmarks of a shape, where something public tells: a heading with columns for each landmark, an array's shape, or
    /// the number that was known beforehand. `None` for TPS and for tables with a row for each landmark.
    pub fn landmarks(&self) -> Option<usize> {
        self.landmarks
    }

    /// The shapes, in the order of the file. They need not have [`landmarks`](Self::landmarks) landmarks each.
    pub fn iter(&self) -> ShapeIter<'_> {
        let bytes = self.file.bytes();
        match &self.form {
            Form::Tps => tps::specimens(bytes),
            Form::Wide(wide) => wide.shapes(bytes),
            Form::Long(long) => long.shapes(bytes),
            Form::Array(form) => {
                Box::new((0..form.records()).map(|i| Ok((Place::Whole, of_array(&form.record(bytes, i))))))
            }
        }
    }

    /// All shapes, where the file is public or nothing is released.
    ///
    /// # Errors
    /// [`ReadError`] for the first that cannot be read.
    pub fn all(&self) -> Result<Vec<ShapeRecord>, ReadError> {
        let located = |RecordError { place, fault, .. }| ReadError::at(self.file.path(), place, fault);
        self.iter().map(|shape| shape.map(|(_, shape)| shape).map_err(located)).collect()
    }
}

fn of_array(values: &[f64]) -> ShapeRecord {
    ShapeRecord { id: None, landmarks: values.chunks_exact(2).map(|p| [p[0], p[1]]).collect() }
}

fn finish(file: Opened, parsed: Parsed<(Form, Option<usize>)>) -> Result<Shapes, ReadError> {
    let (form, landmarks) = parsed.map_err(|located| file.error(located))?;
    let shapes = Shapes { file, form, landmarks };
    if shapes.iter().next().is_none() {
        return Err(shapes.file.error(Fault::Malformed("holds no shapes; export it again")));
    }
    Ok(shapes)
}

/// A TPS file. Each specimen tells its own number of landmarks.
pub(super) fn tps(file: Opened, size: RecordSize) -> Result<Shapes, ReadError> {
    let known = if let RecordSize::Known(k) = size { Some(k) } else { None };
    let parsed = tps::check(file.bytes()).map(|()| (Form::Tps, known));
    finish(file, parsed)
}

/// A table with a row for each landmark (columns x and y, and one that names the specimen), or one for each specimen (x1, y1, x2,
/// y2, …, perhaps a name first).
pub(super) fn table(file: Opened, size: RecordSize) -> Result<Shapes, ReadError> {
    let parse = || -> Parsed<(Form, Option<usize>)> {
        if let Some(long) = Long::find(file.bytes(), file.path(), size)? {
            let known = if let RecordSize::Known(k) = size { Some(k) } else { None };
            return Ok((Form::Long(long), known));
        }
        let wide = Wide::find(file.bytes(), file.path(), size)?;
        let landmarks = wide.landmarks();
        Ok((Form::Wide(wide), Some(landmarks)))
    };
    let parsed = parse();
    finish(file, parsed)
}

/// An array of shape (n, k, 2), (n, 2k) or, for one shape, (k, 2).
pub(super) fn array(file: Opened, size: RecordSize) -> Result<Shapes, ReadError> {
    let parse = || -> Parsed<(Form, Option<usize>)> {
        let form = npy::Form::parse(file.bytes())?;
        let (form, landmarks) = match form.shape[..] {
            [_, k, 2] => (form, k),
            [k, 2] => (form.into_one_record(), k),
            [_, c] if c % 2 == 0 => (form, c / 2),
            _ => return Err(form.unfit("shapes are (n, k, 2), (n, 2k) or, for one shape, (k, 2)")),
        };
        if landmarks == 0 {
            return Err(Fault::Malformed("holds shapes without landmarks; save it again").into());
        }
        size.check(landmarks, WHAT)?;
        Ok((Form::Array(form), Some(landmarks)))
    };
    let parsed = parse();
    finish(file, parsed)
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(shapes[0].landmarks, [[0.5, 1.0], [1.5, 2.0]]);
        assert_eq!(shapes[1].landmarks, [[5.0, 6.0], [7.0, 8.0], [-1.0, -1.0]]);
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
            ("LM3=2\n1 2 3\n", "line 1", "planar"),
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
        assert_eq!(long[0].landmarks, [[0.0, 1.0], [2.0, 3.0]]);
        assert_eq!(long[1].missing(), 1);
        for text in
            ["name,x1,y1,x2,y2\na,0,1,2,3\nb,4,5,6,7\n", "a;0;1;2;3\nb;4;5;6;7\n", "0 1 2 3\n4 5 6 7\n"]
        {
            let wide = of("a.csv", text).unwrap();
            assert_eq!((wide.len(), &wide[1].landmarks[..]), (2, &[[4.0, 5.0], [6.0, 7.0]][..]), "{text}");
        }
        assert!(of("a.csv", "a,0,1\nb,0,1,2\n").unwrap_err().contains("line 2"));
    }

    #[test]
    fn a_round_trip_keeps_every_digit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.tps");
        let shapes = vec![
            ShapeRecord { id: Some("a".into()), landmarks: vec![[0.1 + 0.2, -1e-300], [1e300, 2.0]] },
            ShapeRecord { id: None, landmarks: vec![[1.0, 2.0]] },
        ];
        write_tps(&path, &shapes).unwrap();
        assert_eq!(read_shapes(&path, RecordSize::Content).unwrap().all().unwrap(), shapes);
    }
}
