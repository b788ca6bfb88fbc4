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
            let bare = words.len() == 3 && words.iter().all(|w| w.parse::<f64>().is_ok());
            layout = Some(match columns(&words) {
                Some(found) => found,
                None if bare => {
                    out.push(Landmark { name: None, position: point(&words, [0, 1, 2], k + 1)? });
                    Columns { name: None, axes: [0, 1, 2] }
                }
                None => return wrong(format!("line {}: expected a heading with columns x, y and z", k + 1)),
            });
            continue;
        };
        let position = point(&words, at.axes, k + 1)?;
        let name = at.name.and_then(|c| words.get(c)).filter(|n| !n.is_empty()).cloned();
        out.push(Landmark { name, position });
    }
    if out.is_empty() { wrong("holds no landmarks") } else { Ok(out) }
}

fn point(words: &[String], axes: [usize; 3], line: usize) -> Parsed<Point> {
    let mut p = [0.0; 3];
    for (c, column) in p.iter_mut().zip(axes) {
        let Some(word) = words.get(column) else {
            return wrong(format!("line {line}: too few columns for x, y and z"));
        };
        *c = number(word, line)?;
    }
    Ok(Point::from(p))
}

fn split(line: &str) -> Vec<String> {
    line.split([',', ';', '\t']).map(|w| w.trim().trim_matches('"').to_lowercase()).collect()
}

/// The landmark that names the nose tip (`nose_tip`, `pronasale`, `prn`, …); of five without names the third, as
/// MeshMonk orders them (inner eye corners, nose tip, mouth corners).
pub fn nose_tip(landmarks: &[Landmark]) -> Option<Point> {
    let is_tip = |name: &str| {
        let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        matches!(plain.as_str(), "nosetip" | "pronasale" | "prn" | "tipofnose" | "nose")
    };
    let named = landmarks.iter().find(|l| l.name.as_deref().is_some_and(is_tip));
    let unnamed = landmarks.len() == 5 && landmarks.iter().all(|l| l.name.is_none());
    named.or_else(|| if unnamed { landmarks.get(2) } else { None }).map(|l| l.position)
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
    fn five_bare_rows_have_the_nose_third() {
        let found = parse("1,2,3\n4,5,6\n7,8,9\n1,1,1\n2,2,2\n").unwrap();
        assert_eq!(nose_tip(&found), Some(Point::new(7.0, 8.0, 9.0)));
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
