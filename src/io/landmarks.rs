//! Landmarks of face scans: tables as CSV or text, 3D Slicer's `.fcsv` and `.mrk.json`, NumPy arrays.

use super::error::{Fault, Parsed, ReadError};
use super::npy;
use super::source::load;
use super::table::Layout;
use super::text::{Lines, plain};
use crate::mesh::Point;
use serde_json::Value;
use std::path::Path;

/// A named place on a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct Landmark {
    /// Its name, where the file gives one.
    pub name: Option<String>,
    /// Where it is, in the scan's coordinates.
    pub position: Point,
}

/// The largest landmark file that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// Reads a landmark file, in the order of the file:
///
/// * `.csv .tsv .txt .xyz .asc .pts`: a table. Columns headed x, y, z and name (or label, landmark) are found
///   wherever they are; without a heading, the first three columns, with a name before or after them or none
///   (MeshMonk's files). A name in a column headed "landmark" that is only a number is not taken for a name.
/// * `.fcsv` (3D Slicer's markups): a table with its heading in a remark.
/// * `.json` (3D Slicer's `.mrk.json`): the control points of all markups.
/// * `.npy`: an array of shape (k, 3), without names.
///
/// Slicer's coordinates are taken as they stand (RAS in `.fcsv` before version 4.11, since then LPS), which is how
/// the same version of Slicer writes the scan's mesh; mixing versions turns x and y over.
///
/// # Errors
/// [`ReadError`]: one line naming the file, the place in it, what is wrong and what to do, never its content.
pub fn read(path: &Path) -> Result<Vec<Landmark>, ReadError> {
    parse(path).map_err(|located| located.in_file(path))
}

fn parse(path: &Path) -> Parsed<Vec<Landmark>> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let bytes = load(path, LARGEST)?;
    let landmarks = match ending.as_str() {
        "csv" | "tsv" | "txt" | "xyz" | "asc" | "pts" | "fcsv" => table(&bytes),
        "json" => markups(&bytes),
        "npy" => array(&bytes),
        _ => {
            let known = ".csv, .tsv, .txt, .xyz, .asc, .pts, .fcsv, .json and .npy for landmarks";
            Err(Fault::UnknownExtension { known }.into())
        }
    }?;
    match landmarks.is_empty() {
        true => Err(Fault::Malformed("holds no landmarks; export it again").into()),
        false => Ok(landmarks),
    }
}

/// The tip of the nose, if exactly one landmark is named so.
///
/// Understood are `nose_tip`, `Nose tip`, `tip of nose`, `nasal tip` in any spelling of capitals and signs, and the
/// anthropometric term `pronasale` or `prn`, also as one word among others (`Pronasale (prn)`).
pub fn nose_tip(landmarks: &[Landmark]) -> Option<Point> {
    let is_tip = |landmark: &&Landmark| landmark.name.as_deref().is_some_and(is_nose_tip);
    let mut tips = landmarks.iter().filter(is_tip);
    match (tips.next(), tips.next()) {
        (Some(tip), None) => Some(tip.position),
        _ => None,
    }
}

fn is_nose_tip(name: &str) -> bool {
    let name = name.to_lowercase();
    let joined: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    matches!(joined.as_str(), "nosetip" | "tipofnose" | "tipofthenose" | "nasaltip" | "apexnasi")
        || words.any(|word| matches!(word, "pronasale" | "prn"))
}

fn landmark(p: [f64; 3], name: Option<String>, index: usize) -> Result<Landmark, Fault> {
    match p.iter().all(|c| c.is_finite()) {
        true => Ok(Landmark { name, position: Point::from(p) }),
        false => Err(Fault::NotFinite { what: "landmark", index }),
    }
}

fn table(bytes: &[u8]) -> Parsed<Vec<Landmark>> {
    let mut lines = Lines::new(plain(bytes)?);
    let mut landmarks = Vec::new();
    let Some(layout) = Layout::find(&mut lines, true)? else { return Ok(landmarks) };
    for (number, line) in lines {
        let Some((p, name)) = layout.row(line, number)? else { continue };
        let name = name.map(|name| String::from_utf8_lossy(name).into_owned());
        landmarks.push(landmark(p, name, landmarks.len()).map_err(|fault| fault.at_line(number))?);
    }
    layout.check_first_column(landmarks.iter().map(|l| l.position.x))?;
    if layout.names_may_number() {
        let is_number = |name: &String| name.bytes().all(|b| b.is_ascii_digit());
        landmarks.iter_mut().for_each(|l| l.name = l.name.take().filter(|name| !is_number(name)));
    }
    Ok(landmarks)
}

fn array(bytes: &[u8]) -> Parsed<Vec<Landmark>> {
    let array = npy::parse(bytes)?;
    if !matches!(array.shape[..], [_, 3]) {
        let needed = "landmarks are k × 3, a row for each";
        return Err(Fault::Shape { shape: array.shape, needed }.into());
    }
    let rows = array.data.chunks_exact(3).enumerate();
    Ok(rows.map(|(k, row)| landmark([row[0], row[1], row[2]], None, k)).collect::<Result<_, _>>()?)
}

/// The control points in a `.mrk.json` file.
fn markups(bytes: &[u8]) -> Parsed<Vec<Landmark>> {
    let file: Value = serde_json::from_slice(plain(bytes)?)
        .map_err(|e| Fault::Malformed("is not JSON from here on; export it again").at_line(e.line()))?;
    let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned();
    let markups = list(&file, "markups")
        .ok_or(Fault::Malformed("is JSON, but not of 3D Slicer's markups; save them as .mrk.json"))?;
    let mut landmarks = Vec::new();
    for point in markups.iter().filter_map(|markup| list(markup, "controlPoints")).flatten() {
        let status = point.get("positionStatus").and_then(Value::as_str).unwrap_or("defined");
        let position: Option<Vec<f64>> =
            list(&point, "position").and_then(|p| p.iter().map(Value::as_f64).collect());
        let (Some([x, y, z]), "defined") = (position.as_deref(), status) else {
            return Err(Fault::Malformed(
                "holds a landmark without a position; place or delete it in 3D Slicer",
            )
            .into());
        };
        let name = point.get("label").and_then(Value::as_str).filter(|name| !name.is_empty());
        landmarks.push(landmark([*x, *y, *z], name.map(str::to_owned), landmarks.len())?);
    }
    Ok(landmarks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKUPS: &str = r#"{"@schema": "markups-schema-v1.0.3.json", "markups": [{"type": "Fiducial",
        "coordinateSystem": "LPS", "controlPoints": [
        {"id": "1", "label": "Pronasale", "position": [1.5, -2, 30.0], "positionStatus": "defined"},
        {"id": "2", "label": "", "position": [4, 5, 6]}]}]}"#;

    fn named(landmarks: &[Landmark]) -> Vec<Option<&str>> {
        landmarks.iter().map(|l| l.name.as_deref()).collect()
    }

    #[test]
    fn tables_with_and_without_names() {
        for (text, names) in [
            (
                "landmark,name,x,y,z,nearest_vertex\n0,eye,1,2,3,7\n2,nose_tip,1.5,-2,3e1,9\n",
                [Some("eye"), Some("nose_tip")],
            ),
            ("landmark,vertex,region,x,y,z\n0,1225,jaw,1,2,3\n1,1491,jaw,1.5,-2,30\n", [None, None]),
            ("landmark;x;y;z\nNose Tip;1;2;3\nChin;1,5;-2;30", [Some("Nose Tip"), Some("Chin")]),
            ("1,2,3\n1.5,-2,30\n", [None, None]),
            ("1 2 3\n1.5 -2 30\n", [None, None]),
            ("eye,1,2,3\r\n,1.5,-2,30\r\n", [Some("eye"), None]),
            ("1 2 3 eye\n1.5 -2 30 \"tip of nose\"\n", [Some("eye"), Some("tip of nose")]),
        ] {
            let found = table(text.as_bytes()).unwrap();
            assert_eq!(named(&found), names, "{text}");
            assert_eq!(found[1].position, Point::new(1.5, -2.0, 30.0), "{text}");
        }
    }

    #[test]
    fn slicer_old_and_new() {
        let fcsv = "# Markups fiducial file version = 4.11\n# CoordinateSystem = LPS\n# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n\
            1,1.5,-2,30,0,0,0,1,1,1,0,Pronasale,,\n2,4,5,6,0,0,0,1,1,1,0,,,\n";
        let expected = vec![
            Landmark { name: Some("Pronasale".into()), position: Point::new(1.5, -2.0, 30.0) },
            Landmark { name: None, position: Point::new(4.0, 5.0, 6.0) },
        ];
        assert_eq!(table(fcsv.as_bytes()).unwrap(), expected);
        assert_eq!(markups(MARKUPS.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn the_nose_tip_goes_by_many_names() {
        let at = |name: &str, x: f64| Landmark { name: Some(name.into()), position: Point::new(x, 0.0, 0.0) };
        for name in [
            "nose_tip",
            "NoseTip",
            "Nose tip",
            "PRN",
            "pronasale",
            "Pronasale (prn)",
            "Tip of the nose",
            "prn-1",
        ] {
            assert_eq!(
                nose_tip(&[at("chin", 1.0), at(name, 2.0)]),
                Some(Point::new(2.0, 0.0, 0.0)),
                "{name}"
            );
        }
        for name in ["nose", "subnasale", "tip", "nose_tip_left_wing", "prnasale", ""] {
            assert_eq!(nose_tip(&[at(name, 2.0)]), None, "{name}");
        }
        assert_eq!(nose_tip(&[at("prn", 1.0), at("nose tip", 2.0)]), None);
        assert_eq!(nose_tip(&[]), None);
    }

    #[test]
    fn what_cannot_be_read_says_where_without_showing_it() {
        let dir = tempfile::tempdir().unwrap();
        let message = |name: &str, content: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, content).unwrap();
            let message = read(&path).unwrap_err().to_string();
            assert!(!message.contains("secret") && !message.contains('\n'), "{message}");
            message
        };
        for (name, content, expected) in [
            ("l.csv", "x,y,z\n1,2,3\n1,secret,3\n", "l.csv, line 3: the y coordinate is not a number; "),
            ("l.csv", "name,x,y,z\na,1,2\n", "l.csv, line 2: the z coordinate is missing; "),
            ("l.csv", "x,y,z\n1,2,3\n1,nan,3\n", "l.csv, line 3: landmark 1 (counting from 0) "),
            ("l.csv", "x,y,z\n", "l.csv: holds no landmarks; "),
            ("l.csv", "0,1,2,3\n1,1,2,3\n2,1,2,3\n", "l.csv: has a first column that only counts the rows; "),
            ("l.doc", "1 2 3", "l.doc: has a name with an unknown ending; "),
            ("l.json", "{\n\"secret\": [1,}", "l.json, line 2: is not JSON from here on; "),
            ("l.json", "{\"secret\": []}", "l.json: is JSON, but not of 3D Slicer's markups; "),
            ("l.json", "{\"markups\": []}", "l.json: holds no landmarks; "),
            (
                "l.json",
                &MARKUPS.replace("[4, 5, 6]", "[4, 5]"),
                "l.json: holds a landmark without a position; ",
            ),
            (
                "l.json",
                &MARKUPS.replace("[4, 5, 6]", "[4, 5, \"secret\"]"),
                "l.json: holds a landmark without a ",
            ),
            (
                "l.json",
                &MARKUPS.replace("\"defined\"", "\"undefined\""),
                "l.json: holds a landmark without a ",
            ),
            ("l.json", &"[".repeat(100_000), "l.json, line 1: is not JSON from here on; "),
        ] {
            let message = message(name, content.as_bytes());
            assert!(message.contains(expected), "{message}");
        }
        let mut bytes = Vec::new();
        npy::write_to(&mut bytes, &[3, 2], &[0.0; 6]).unwrap();
        assert!(message("l.npy", &bytes).contains("shape [3, 2], landmarks are k × 3"));
    }
}
