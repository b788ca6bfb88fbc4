//! Wavefront OBJ: vertices and faces; all else is passed over.

use super::error::{Fault, Parsed};
use super::scan::{Scan, push_fan};
use super::text::{Lines, plain, three_numbers, words};
use crate::mesh::Point;
use std::borrow::Cow;

/// Parses a whole OBJ file.
///
/// Vertices are numbered as in the file, whether a face uses them or not. What follows the three coordinates of a
/// vertex (a weight, a colour) and the texture and normal numbers of corners are passed over.
pub(super) fn parse(bytes: &[u8]) -> Parsed<Scan> {
    let mut lines = Lines::new(plain(bytes)?);
    let mut out = Reader::default();
    while let Some((number, line)) = lines.next() {
        let keyword = words(line).next().unwrap_or_default();
        if !matches!(keyword, b"v" | b"f") {
            continue;
        }
        // Only here are lines continued: elsewhere a backslash may end the name of a file.
        let line = continued(line, &mut lines);
        let statement = line.split(|&b| b == b'#').next().unwrap_or_default();
        let mut words = words(statement).skip(1);
        match keyword {
            b"v" => out.vertex(&mut words, number)?,
            _ => out.face(&mut words, number)?,
        }
    }
    out.finish()
}

/// The line joined with the next ones as long as it ends in a backslash.
fn continued<'a>(line: &'a [u8], lines: &mut Lines<'a>) -> Cow<'a, [u8]> {
    let mut line = Cow::Borrowed(line);
    while let Some(begun) = line.trim_ascii_end().strip_suffix(b"\\") {
        let Some((_, next)) = lines.next() else { break };
        line = [begun, b" ", next].concat().into();
    }
    line
}

#[derive(Default)]
struct Reader {
    vertices: Vec<Point>,
    triangles: Vec<[usize; 3]>,
    corners: Vec<usize>,
    faces: usize,
    highest: Highest,
}

/// The highest vertex number in a face: faces may come before their vertices.
#[derive(Default)]
struct Highest {
    index: usize,
    face: usize,
    line: usize,
}

impl Reader {
    fn vertex<'a>(&mut self, words: &mut impl Iterator<Item = &'a [u8]>, line: usize) -> Parsed<()> {
        let p = three_numbers(words, line)?;
        if !p.iter().all(|c| c.is_finite()) {
            return Err(Fault::NotFinite { what: "vertex", index: self.vertices.len() }.at_line(line));
        }
        self.vertices.push(Point::from(p));
        Ok(())
    }

    fn face<'a>(&mut self, words: &mut impl Iterator<Item = &'a [u8]>, line: usize) -> Parsed<()> {
        self.corners.clear();
        for word in words {
            let index = self.corner(word, line)?;
            if index > self.highest.index {
                self.highest = Highest { index, face: self.faces, line };
            }
            self.corners.push(index);
        }
        push_fan(&self.corners, &mut self.triangles);
        self.faces += 1;
        Ok(())
    }

    /// The 0-based vertex number of a corner such as `7`, `7/1`, `7//3`, `7/1/3` or `-1` (the last vertex so far).
    fn corner(&self, word: &[u8], line: usize) -> Parsed<usize> {
        let vertex = word.split(|&b| b == b'/').next().unwrap_or_default();
        let number: i64 = std::str::from_utf8(vertex)
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Fault::NotANumber { what: "a vertex number" }.at_line(line))?;
        let index = match number {
            1.. => usize::try_from(number - 1).ok(),
            0 => None,
            _ => usize::try_from(number.unsigned_abs())
                .ok()
                .and_then(|back| self.vertices.len().checked_sub(back)),
        };
        let fault = Fault::IndexOutOfRange { face: self.faces, n_vertices: self.vertices.len() };
        index.ok_or_else(|| fault.at_line(line))
    }

    fn finish(self) -> Parsed<Scan> {
        let n_vertices = self.vertices.len();
        // A file without any vertex is refused as such by the caller.
        if n_vertices > 0 && self.highest.index >= n_vertices {
            let Highest { face, line, .. } = self.highest;
            return Err(Fault::IndexOutOfRange { face, n_vertices }.at_line(line));
        }
        Ok(Scan { vertices: self.vertices, triangles: Some(self.triangles) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = "# a square\nmtllib a.mtl\no square\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0.5 0.2 0.3 0.4\nv 0 1 0\n\
        vt 0 0\nvn 0 0 1\ns off\nusemtl skin\nf 1 2 3 4\n";

    #[test]
    fn corners_are_written_in_many_ways() {
        let plain = parse(SQUARE.as_bytes()).unwrap();
        assert_eq!(plain.vertices[2], Point::new(1.0, 1.0, 0.5));
        assert_eq!(plain.triangles, Some(vec![[0, 1, 2], [0, 2, 3]]));
        for face in [
            "f 1/1 2/1 3/1 4/1",
            "f 1/1/1 2/1/1 3/1/1 4/1/1",
            "f 1//1 2//1 3//1 4//1",
            "f -4 -3 -2 -1",
            "f -4//-1 2/1 -2 4",
            "f 1 2 \\\n 3 \\\r\n 4",
            "f 1 2 3 4 # all of it",
            "\tf  1 2\t3 4  ",
            "f 1 2 3\nf 1 3 4",
        ] {
            let text = SQUARE.replace("f 1 2 3 4", face);
            assert_eq!(parse(text.as_bytes()).unwrap(), plain, "{face}");
            let text = SQUARE.replace('\n', "\r\n").replace("f 1 2 3 4", face);
            assert_eq!(parse(text.as_bytes()).unwrap(), plain, "{face}");
        }
    }

    #[test]
    fn faces_may_come_first_and_vertices_go_unused() {
        let scan = parse(b"f 1 2 4\nv 0 0 0\nv 1 0 0\nv 9 9 9\nv 0 1 0\n").unwrap();
        assert_eq!((scan.vertices.len(), scan.triangles), (4, Some(vec![[0, 1, 3]])));
    }

    #[test]
    fn a_backslash_after_a_name_swallows_no_vertex() {
        let scan = parse(b"mtllib C:\\scans\\\nv 1 2 3\n# C:\\\nv 4 5 6\nv 7 \\\n 8 9\nv 1 2 3 \\").unwrap();
        assert_eq!(scan.vertices[2], Point::new(7.0, 8.0, 9.0));
        assert_eq!(scan.vertices.len(), 4);
    }

    #[test]
    fn what_cannot_be_read_says_where() {
        for (text, expected) in [
            ("v 0 0 0\nv 1 secret 0\n", "s.obj, line 2: the y coordinate is not a number; "),
            ("v 0 0\n", "s.obj, line 1: the z coordinate is missing; "),
            (
                "v 0 0 0\nv nan 0 0\n",
                "s.obj, line 2: vertex 1 (counting from 0) has a coordinate that is NaN ",
            ),
            ("v 0 0 0\nf 1 secret 1\n", "s.obj, line 2: a vertex number is not a number; "),
            (
                "v 0 0 0\nf 1 1 0\n",
                "s.obj, line 2: face 0 (counting from 0) names a vertex that does not exist ",
            ),
            ("v 0 0 0\nf 1 1 -2\n", "s.obj, line 2: face 0 "),
            ("v 0 0 0\nf 1 1 1\nf 1 1 2\nf 1 1 1\n", "s.obj, line 3: face 1 "),
            ("v 0 0 0\nf 1 1 99999999999999999999\n", "s.obj, line 2: a vertex number is not a number; "),
            ("v 0 0 0\nf 1 1 9223372036854775807\n", "s.obj, line 2: face 0 "),
            ("v 0 0 0\nf 1 1 -9223372036854775808\n", "s.obj, line 2: face 0 "),
            ("v 0 0 0\0\n", "s.obj: holds binary data where text is expected; "),
        ] {
            let message = parse(text.as_bytes()).unwrap_err().in_file("s.obj".as_ref()).to_string();
            assert!(message.starts_with(expected), "{message}");
            assert!(!message.contains("secret"));
        }
    }
}
