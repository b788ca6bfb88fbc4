//! Landmarks of face scans: tables as CSV or text, 3D Slicer's `.fcsv` and `.mrk.json`, NumPy arrays.

use super::axes::Axes;
use super::error::{Fault, Parsed};
use super::npy;
use super::table::Layout;
use super::text::{Lines, plain};
use crate::mesh::Point;
use serde::Deserialize;

/// A named place on a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct Landmark {
    /// Its name, where the file gives one.
    pub name: Option<String>,
    /// Where it is, in the scan's coordinates.
    pub position: Point,
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

/// A table: columns headed x, y, z and name (or label, landmark) wherever they are; without a heading, the first three
/// columns, with a name before or after them or none.
pub(super) fn table(bytes: &[u8]) -> Parsed<Vec<Landmark>> {
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

/// 3D Slicer's `.fcsv`, in LPS.
pub(super) fn fiducials(bytes: &[u8]) -> Parsed<Vec<Landmark>> {
    let axes = Axes::of_fiducials(plain(bytes)?)?;
    let mut landmarks = table(bytes)?;
    landmarks.iter_mut().for_each(|l| l.position = axes.to_lps(l.position.coords.into()).into());
    Ok(landmarks)
}

/// An array of shape (k, 3), without names.
pub(super) fn array(bytes: &[u8]) -> Parsed<Vec<Landmark>> {
    let points = npy::points(bytes, "landmarks are k × 3, a row for each")?.into_iter().enumerate();
    Ok(points.map(|(k, p)| landmark(p, None, k)).collect::<Result<_, _>>()?)
}

/// A `.mrk.json` file of 3D Slicer; fields that are of no use here are passed over.
#[derive(Deserialize)]
struct Markups {
    markups: Vec<Markup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Markup {
    #[serde(default)]
    coordinate_system: Option<String>,
    #[serde(default)]
    control_points: Vec<ControlPoint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ControlPoint {
    label: Option<String>,
    #[serde(default)]
    position: Option<Vec<f64>>,
    #[serde(default)]
    position_status: Status,
}

#[derive(Deserialize, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Status {
    #[default]
    Defined,
    /// A point that is only planned, or was not found, has no position that counts.
    #[serde(other)]
    Other,
}

/// A control point.
pub(super) struct Marked {
    /// Its name.
    pub label: Option<String>,
    /// `None` where it is only planned, or was not found.
    pub position: Option<[f64; 3]>,
}

/// The control points of all markups in a `.mrk.json` file, in LPS.
pub(super) fn marked(bytes: &[u8]) -> Parsed<Vec<Marked>> {
    let file: Markups = serde_json::from_slice(plain(bytes)?).map_err(|e| {
        let text = match e.classify() {
            serde_json::error::Category::Data => UNPLACED,
            _ => "is not JSON from here on; export it again",
        };
        Fault::Malformed(text).at_line(e.line())
    })?;
    let mut systems = file.markups.iter().map(|markup| &markup.coordinate_system);
    let system = systems.next().cloned().flatten();
    if systems.any(|other| *other != system) {
        return Err(Fault::Malformed("mixes coordinate systems; save each list in its own file").into());
    }
    // Markups have been in LPS unless they say otherwise since there are any.
    let axes = system.as_deref().map_or(Ok(Axes::Lps), Axes::parse)?;
    let points = file.markups.into_iter().flat_map(|markup| markup.control_points);
    let point = |ControlPoint { label, position, position_status }| {
        let place = if position_status == Status::Defined {
            let values = position.unwrap_or_default();
            let place = <[f64; 3]>::try_from(values).map_err(|_| Fault::Malformed(UNPLACED))?;
            Some(axes.to_lps(place))
        } else {
            None
        };
        Ok(Marked { label: label.filter(|name: &String| !name.is_empty()), position: place })
    };
    Ok(points.map(point).collect::<Result<_, Fault>>()?)
}

const UNPLACED: &str = "is JSON, but not of 3D Slicer's markups with a position for every landmark; place or delete those without one, and save \
    as .mrk.json";

/// The control points of all markups in a `.mrk.json` file, in LPS.
pub(super) fn markups(bytes: &[u8]) -> Parsed<Vec<Landmark>> {
    let landmarks = marked(bytes)?.into_iter().enumerate().map(|(k, Marked { label, position })| {
        landmark(position.ok_or(Fault::Malformed(UNPLACED))?, label, k)
    });
    Ok(landmarks.collect::<Result<_, _>>()?)
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
        assert_eq!(fiducials(fcsv.as_bytes()).unwrap(), expected);
        assert_eq!(markups(MARKUPS.as_bytes()).unwrap(), expected);
        // RAS points the other way along the first two axes.
        let turned: Vec<Landmark> = expected
            .into_iter()
            .map(|l| Landmark { position: Point::new(-l.position.x, -l.position.y, l.position.z), ..l })
            .collect();
        for ras in ["RAS", "0"] {
            assert_eq!(fiducials(fcsv.replace("LPS", ras).as_bytes()).unwrap(), turned);
        }
        assert_eq!(fiducials(fcsv.replace("# CoordinateSystem = LPS\n", "").as_bytes()).unwrap(), turned);
        assert_eq!(markups(MARKUPS.replace("LPS", "RAS").as_bytes()).unwrap(), turned);
        assert!(markups(MARKUPS.replace("LPS", "IJK").as_bytes()).is_err());
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
    fn landmarks_that_cannot_be_read_say_where_without_showing_them() {
        let dir = tempfile::tempdir().unwrap();
        let message = |name: &str, content: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, content).unwrap();
            let message = crate::io::read_landmarks(&path).unwrap_err().to_string();
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
            ("l.json", "{\"secret\": []}", "l.json, line 1: is JSON, but not of 3D Slicer's markups "),
            ("l.json", "{\"markups\": []}", "l.json: holds no landmarks; "),
            (
                "l.json",
                &MARKUPS.replace("[4, 5, 6]", "[4, 5]"),
                "is JSON, but not of 3D Slicer's markups with a position for every landmark; ",
            ),
            (
                "l.json",
                &MARKUPS.replace("[4, 5, 6]", "[4, 5, \"secret\"]"),
                "is JSON, but not of 3D Slicer's markups with a position ",
            ),
            (
                "l.json",
                &MARKUPS.replace("\"defined\"", "\"undefined\""),
                "is JSON, but not of 3D Slicer's markups with a position ",
            ),
            ("l.json", &"[".repeat(100_000), "l.json, line 1: is JSON, but not of 3D Slicer's markups "),
        ] {
            let message = message(name, content.as_bytes());
            assert!(message.contains(expected), "{message}");
        }
        let mut bytes = Vec::new();
        npy::write_to(&mut bytes, &[3, 2], &[0.0; 6]).unwrap();
        assert!(message("l.npy", &bytes).contains("shape [3, 2], landmarks are k × 3"));
    }
}
