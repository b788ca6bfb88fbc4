//! Tables of planar landmark shapes: TPS as tpsDig and geomorph write it, CSV, NumPy arrays.

mod tps;

pub use tps::write_tps;

use super::error::{Fault, Parsed, ReadError};
use super::npy;
use super::source::load;
use super::text::{Lines, number, plain, words};
use std::path::Path;

/// One specimen's landmarks.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeRecord {
    /// Its name, where the file gives one.
    pub id: Option<String>,
    /// (x, y) of each landmark, in the file's units times its SCALE; NaN where a landmark is missing.
    pub landmarks: Vec<[f64; 2]>,
}

impl ShapeRecord {
    /// How many landmarks are missing.
    pub fn missing(&self) -> usize {
        self.landmarks.iter().filter(|p| p.iter().any(|c| c.is_nan())).count()
    }
}

/// The largest table that is read, in bytes.
const LARGEST: u64 = 1 << 30;

/// Reads planar shapes, in the order of the file:
///
/// * `.tps`: `LM=k` and k lines x y for each specimen; `CURVES=`/`POINTS=` are read as further landmarks; `ID=`, `IMAGE=`,
///   `SCALE=` (applied), comments and unknown keywords are understood or skipped; any line ends. `LM3=` is refused.
///   `NA` marks a missing landmark, and so do negative coordinates in files of digitized pictures (those with `IMAGE=`,
///   where they mean nothing else).
/// * `.csv .tsv .txt`: long (columns x and y, and one that names the specimen) or wide (a row for each specimen:
///   x1, y1, x2, y2, …, perhaps a name first).
/// * `.npy`: shape (n, k, 2), (k, 2) or (n, 2k).
///
/// # Errors
/// [`ReadError`]: one line naming the file, the place in it, what is wrong and what to do, never its content.
pub fn read(path: &Path) -> Result<Vec<ShapeRecord>, ReadError> {
    parse(path).map_err(|located| located.in_file(path))
}

fn parse(path: &Path) -> Parsed<Vec<ShapeRecord>> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let bytes = load(path, LARGEST)?;
    let shapes = match ending.as_str() {
        "tps" => tps::read(&bytes),
        "csv" | "tsv" | "txt" => table(&bytes),
        "npy" => array(&bytes),
        _ => Err(Fault::UnknownExtension { known: ".tps, .csv, .tsv, .txt and .npy for shapes" }.into()),
    }?;
    if shapes.is_empty() {
        return Err(Fault::Malformed("holds no shapes; export it again").into());
    }
    Ok(shapes)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// A number, or NaN for the ways of writing that a landmark is missing.
fn coordinate(word: &[u8], what: &'static str, line: usize) -> Parsed<f64> {
    let upper = word.to_ascii_uppercase();
    if matches!(upper.as_slice(), b"NA" | b"N/A" | b"NAN" | b"." | b"?") {
        return Ok(f64::NAN);
    }
    match number(word) {
        Some(x) if x.is_infinite() => Err(Fault::NotANumber { what }.at_line(line)),
        Some(x) => Ok(x),
        None => Err(Fault::NotANumber { what }.at_line(line)),
    }
}

/// Fields of a line: by commas, semicolons or tabs where there are any, by white space otherwise.
fn fields(line: &[u8]) -> Vec<&[u8]> {
    match [b',', b';', b'\t'].into_iter().find(|mark| line.contains(mark)) {
        Some(mark) => line.split(|b| *b == mark).map(|f| f.trim_ascii().trim_ascii()).map(unquoted).collect(),
        None => words(line).map(unquoted).collect(),
    }
}

fn unquoted(field: &[u8]) -> &[u8] {
    match field {
        [b'"', inner @ .., b'"'] => inner,
        _ => field,
    }
}

fn table(bytes: &[u8]) -> Parsed<Vec<ShapeRecord>> {
    let lines: Vec<(usize, Vec<&[u8]>)> = Lines::new(plain(bytes)?)
        .filter(|(_, line)| !line.trim_ascii().is_empty() && !line.starts_with(b"#"))
        .map(|(at, line)| (at, fields(line)))
        .collect();
    let Some((_, first)) = lines.first() else { return Ok(Vec::new()) };
    let names: Vec<String> = first.iter().map(|f| lossy(f).to_lowercase()).collect();
    let place = |name: &str| names.iter().position(|n| n == name);
    match (place("x"), place("y")) {
        (Some(x), Some(y)) => long(&lines, x, y, &names),
        _ => wide(&lines),
    }
}

fn long(lines: &[(usize, Vec<&[u8]>)], x: usize, y: usize, names: &[String]) -> Parsed<Vec<ShapeRecord>> {
    let known = ["id", "specimen", "shape", "name", "subject", "sample", "individual", "ind"];
    let id = known
        .iter()
        .find_map(|k| names.iter().position(|n| n == k))
        .or_else(|| (0..names.len()).find(|i| *i != x && *i != y));
    let mut shapes: Vec<ShapeRecord> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (at, row) in &lines[1..] {
        let field =
            |i: usize, what| row.get(i).copied().ok_or_else(|| Fault::MissingValue { what }.at_line(*at));
        let name = match id {
            Some(id) => Some(lossy(field(id, "the specimen's name")?)),
            None => None,
        };
        let p = [
            coordinate(field(x, "the x coordinate")?, "the x coordinate", *at)?,
            coordinate(field(y, "the y coordinate")?, "the y coordinate", *at)?,
        ];
        let place = *places.entry(name.clone()).or_insert_with(|| {
            shapes.push(ShapeRecord { id: name, landmarks: Vec::new() });
            shapes.len() - 1
        });
        shapes[place].landmarks.push(p);
    }
    Ok(shapes)
}

fn wide(lines: &[(usize, Vec<&[u8]>)]) -> Parsed<Vec<ShapeRecord>> {
    let is_value = |f: &[u8]| coordinate(f, "", 0).is_ok();
    // A heading is a first row in which nothing is a number.
    let heading = lines.first().is_some_and(|(_, row)| !row.iter().any(|f| number(f).is_some()));
    let rows = &lines[usize::from(heading)..];
    let named =
        rows.first().is_some_and(|(_, row)| row.first().is_some_and(|f| !is_value(f)) || row.len() % 2 == 1);
    rows.iter()
        .map(|(at, row)| {
            let (id, values) = if named {
                (row.first().map(|f| lossy(f)), &row[1.min(row.len())..])
            } else {
                (None, &row[..])
            };
            if values.len() % 2 == 1 || values.is_empty() {
                let odd =
                    "holds an odd number of coordinates; a row is x1, y1, x2, y2, … perhaps after a name";
                return Err(Fault::Malformed(odd).at_line(*at));
            }
            let landmarks = values
                .chunks_exact(2)
                .map(|p| {
                    Ok([coordinate(p[0], "an x coordinate", *at)?, coordinate(p[1], "a y coordinate", *at)?])
                })
                .collect::<Parsed<_>>()?;
            Ok(ShapeRecord { id, landmarks })
        })
        .collect()
}

fn array(bytes: &[u8]) -> Parsed<Vec<ShapeRecord>> {
    let array = npy::parse(bytes)?;
    let per_shape = match array.shape[..] {
        [_, k, 2] => k,
        [k, 2] => k,
        [_, c] if c % 2 == 0 && c > 2 => c / 2,
        _ => {
            let needed = "shapes are (n, k, 2), (n, 2k) or, for one shape, (k, 2)";
            return Err(Fault::Shape { shape: array.shape, needed }.into());
        }
    };
    if per_shape == 0 {
        return Err(Fault::Malformed("holds shapes without landmarks").into());
    }
    let shapes = array.data.chunks_exact(2 * per_shape).map(|shape| ShapeRecord {
        id: None,
        landmarks: shape.chunks_exact(2).map(|p| [p[0], p[1]]).collect(),
    });
    Ok(shapes.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, text: &str) -> Result<Vec<ShapeRecord>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        read(&path).map_err(|e| e.problem())
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
        assert_eq!(read(&path).unwrap(), shapes);
    }
}
