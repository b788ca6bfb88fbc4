//! Landmark files of face scans: a CSV with a heading (name, x, y, z in any order), or 3D Slicer's `.fcsv`.

use super::error::{Parsed, ReadError, number, wrong};
use crate::mesh::Point;
use std::path::Path;

/// A named place on a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct Landmark {
    /// Its name, where the file gives one.
    pub name: Option<String>,
    /// Where it is, in the scan's coordinates.
    pub position: Point,
}

/// Reads a landmark file.
///
/// # Errors
/// [`ReadError`].
pub fn read(path: &Path) -> Result<Vec<Landmark>, ReadError> {
    let text = std::fs::read_to_string(path).map_err(|e| ReadError::new(path, e))?;
    parse(&text).map_err(|problem| ReadError::new(path, problem))
}

/// Where a heading says the columns are.
struct Columns {
    name: Option<usize>,
    axes: [usize; 3],
}

fn columns(words: &[String]) -> Option<Columns> {
    let find = |names: &[&str]| words.iter().position(|w| names.contains(&w.as_str()));
    let axes = [find(&["x"])?, find(&["y"])?, find(&["z"])?];
    let name = ["name", "label", "landmark"].iter().find_map(|n| find(&[n]));
    Some(Columns { name, axes })
}

fn parse(text: &str) -> Parsed<Vec<Landmark>> {
    let text = text.trim_start_matches('\u{feff}');
    let mut layout: Option<Columns> = None;
    let mut out = Vec::new();
    for (k, line) in text.lines().enumerate() {
        if let Some(comment) = line.strip_prefix('#') {
            // Slicer's fcsv names its columns in a comment: "# columns = id,x,y,z,ow,...,label,...".
            if let Some((_, list)) = comment.split_once("columns =") {
                layout = columns(&split(list));
            }
            continue;
        }
        let words = split(line);
        if words.iter().all(String::is_empty) {
            continue;
        }
        let Some(at) = &layout else {
            layout = Some(match columns(&words) {
                Some(found) => found,
                None => return wrong(format!("line {}: expected a heading with columns x, y and z", k + 1)),
            });
            continue;
        };
        let mut p = [0.0; 3];
        for (c, &column) in p.iter_mut().zip(&at.axes) {
            let Some(word) = words.get(column) else {
                return wrong(format!("line {}: too few columns for x, y and z", k + 1));
            };
            *c = number(word, k + 1)?;
        }
        let name = at.name.and_then(|c| words.get(c)).filter(|n| !n.is_empty()).cloned();
        out.push(Landmark { name, position: Point::from(p) });
    }
    if out.is_empty() { wrong("holds no landmarks") } else { Ok(out) }
}

fn split(line: &str) -> Vec<String> {
    line.split([',', ';', '\t']).map(|w| w.trim().trim_matches('"').to_lowercase()).collect()
}

/// The landmark that names the nose tip (`nose_tip`, `pronasale`, `prn`, …).
pub fn nose_tip(landmarks: &[Landmark]) -> Option<Point> {
    let is_tip = |name: &str| {
        let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        matches!(plain.as_str(), "nosetip" | "pronasale" | "prn" | "tipofnose" | "nose")
    };
    landmarks.iter().find(|l| l.name.as_deref().is_some_and(is_tip)).map(|l| l.position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_and_fcsv() {
        let csv = "landmark,name,x,y,z,nearest_vertex\n0,Inner_Eye,1,2,3,7\n2,nose_tip,1.5,-2,3e1,9\n";
        let found = parse(csv).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(nose_tip(&found), Some(Point::new(1.5, -2.0, 30.0)));
        let fcsv = "# Markups fiducial file version = 4.11\n# CoordinateSystem = LPS\n# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n1,1.5,-2,30,0,0,0,1,1,1,0,Pronasale,,\n";
        assert_eq!(nose_tip(&parse(fcsv).unwrap()), Some(Point::new(1.5, -2.0, 30.0)));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, start) in [
            ("a,b\n1,2\n", "line 1:"),
            ("x,y,z\n1,2\n", "line 2:"),
            ("x,y,z\n1,2,q\n", "line 2:"),
            ("x,y,z\n", "holds no"),
        ] {
            assert!(parse(text).unwrap_err().to_string().starts_with(start), "{text}");
        }
    }
}
