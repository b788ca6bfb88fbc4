//! Lists of points: XYZ, CSV, TXT, PTS, ASC, NumPy arrays.

use super::error::{Fault, Parsed};
use super::npy;
use super::scan::Scan;
use super::table::Layout;
use super::text::{Lines, plain};
use crate::mesh::Point;

/// The bytes of `0 0 0` and its line's end.
const SHORTEST: usize = 6;

/// Parses a whole list of points.
pub(super) fn parse(bytes: &[u8]) -> Parsed<Scan> {
    let mut lines = Lines::new(plain(bytes)?);
    // Counted first: room that grows as it is needed would be three times too much at times.
    let mut vertices: Vec<Point> = Vec::with_capacity(lines.clone().count().min(bytes.len() / SHORTEST + 1));
    if let Some(layout) = Layout::find(&mut lines, false)? {
        for (number, line) in lines {
            let Some((p, _)) = layout.row(line, number)? else { continue };
            vertices.push(Point::from(p));
        }
        layout.check_first_column(vertices.iter().map(|p| p.x))?;
        check_announced(layout.announced, vertices.len())?;
    }
    Ok(Scan::cloud(vertices))
}

/// An array of shape (p, 3).
pub(super) fn array(bytes: &[u8]) -> Parsed<Scan> {
    let points = npy::points(bytes, "a scan is p × 3, a row for each point")?;
    Ok(Scan::cloud(points.into_iter().map(Point::from).collect()))
}

fn check_announced(announced: Option<usize>, found: usize) -> Parsed<()> {
    match announced {
        Some(promised) if promised > found => {
            Err(Fault::Truncated { what: "points", promised, found }.into())
        }
        Some(promised) if promised < found => {
            Err(Fault::Surplus { what: "points", surplus: found - promised }.into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        let error = parse(text.as_bytes()).unwrap_err().in_file("p.xyz".as_ref());
        error.to_string()
    }

    #[test]
    fn one_cloud_in_many_dresses() {
        let expected = vec![Point::new(1.5, -2.0, 3.0), Point::new(4.0, 5e-3, 6.0)];
        for text in [
            "1.5 -2 3\n4 5e-3 6\n",
            "1.5 -2 3\r\n4 5e-3 6",
            "1.5 -2 3\r4 5e-3 6\r",
            "\u{feff}x,y,z\n1.5,-2,3\n4,5e-3,6",
            "\u{feff}1.5,-2,3\n4,5e-3,6",
            "1,5;-2;3\n4;5e-3;6",
            "1,5 -2 3\n4 0,005 6",
            "1.5\t-2\t3\t0\t0\t1\n4\t5e-3\t6\t0\t0\t1\n",
            "# made by hand\n\n  1.5   -2 3 255 0 0\n% half way\n 4 5e-3 6\n\n",
            "2\n1.5 -2 3 77\n4 5e-3 6 88\n",
            "\"id\",\"X\",\"Y\",\"Z\"\n\"1\",\"1.5\",\"-2\",\"3\"\n\"2\",\"4\",\"5e-3\",\"6\"\n",
            "//X Y Z R G B\n1.5 -2 3 1 1 1\n4 5e-3 6 1 1 1",
            "nx,ny,nz,x,y,z\n0,0,1,1.5,-2,3\n0,0,1,4,5e-3,6\n",
            "1.5, -2, 3,\n4, 5e-3, 6,\n",
        ] {
            let scan = parse(text.as_bytes()).unwrap();
            assert_eq!(scan, Scan { vertices: expected.clone(), ..Scan::default() }, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_where() {
        for (text, expected) in [
            ("1 2 3\n4 secret 6\n", "p.xyz, line 2: the y coordinate is not a number; "),
            ("1 2 3\n4 5\n", "p.xyz, line 2: the z coordinate is missing; "),
            ("1,2,3\n4,,6\n", "p.xyz, line 2: the y coordinate is missing; "),
            ("secret 2 3\n4 5 6\n", "p.xyz, line 1: the x coordinate is not a number; "),
            ("a b c\nd e f\n1 2 3", "p.xyz, line 2: the x coordinate is not a number; "),
            ("3\n1 2 3\n4 5 6\n", "p.xyz: the points end early (2 of 3 are there); "),
            ("1\n1 2 3\n4 5 6\n", "p.xyz: there are 1 more points than the file itself announces; "),
            ("1 2 3 4\n2 2 3 4\n3 2 3 4\n", "p.xyz: has a first column that only counts the rows; "),
            ("id,px,py,pz\n0,1,2,3\n", "p.xyz, line 1: is a heading without columns x, y and z; "),
            ("1 2 3\n\0\0", "p.xyz: holds binary data where text is expected; "),
        ] {
            let message = message(text);
            assert!(message.starts_with(expected), "{message}");
            assert!(!message.contains("secret"));
        }
        let utf16 = parse(b"\xff\xfe1\0 \0").unwrap_err().fault.to_string();
        assert_eq!(utf16, "is text in UTF-16; save it as UTF-8");
    }

    #[test]
    fn rows_that_count_are_fine_where_they_are_coordinates() {
        // Three columns only, or named, or too few rows to tell.
        for text in ["0 2 3\n1 2 3\n2 2 3\n", "x,y,z,i\n0,2,3,4\n1,2,3,4\n2,2,3,4\n", "0 2 3 4\n1 2 3 4\n"] {
            assert_eq!(parse(text.as_bytes()).unwrap().vertices[1].x, 1.0);
        }
    }
}
