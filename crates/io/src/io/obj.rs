//! Wavefront OBJ: vertices and faces; all else is passed over.

use super::error::{Fault, Parsed};
use super::scan::{Fan, Scan, check_room, fan_size};
use super::text::{Lines, plain, three_numbers, words};
use crate::mesh::Point;

/// Parses a whole OBJ file.
///
/// Vertices are numbered as in the file, whether a face uses them or not. What follows the three coordinates of a
/// vertex (a weight, a colour) and the texture and normal numbers of corners are passed over.
pub(super) fn parse(bytes: &[u8]) -> Parsed<Scan> {
    let text = plain(bytes)?;
    // Counted first: room that grows as it is needed would be three times too much at times.
    let (mut n_vertices, mut n_triangles) = (0, 0);
    statements(text, |statement, words| {
        match statement {
            Statement::Vertex => n_vertices += 1,
            Statement::Face => n_triangles += fan_size(words.count()),
        }
        Ok(())
    })?;
    // A line that is no vertex although it begins as one is shorter, and an error below.
    let n_vertices = n_vertices.min(bytes.len() / SHORTEST_VERTEX + 1);
    check_room(bytes.len(), n_vertices, n_triangles)?;
    let mut out = Reader {
        vertices: Vec::with_capacity(n_vertices),
        triangles: Vec::with_capacity(n_triangles),
        faces: 0,
        highest: Highest::default(),
    };
    statements(text, |statement, words| match statement {
        Statement::Vertex => out.vertex(words),
        Statement::Face => out.face(words),
    })?;
    out.finish()
}

/// The bytes of `v 0 0 0`.
const SHORTEST_VERTEX: usize = 7;

/// What is read.
#[derive(Clone, Copy)]
enum Statement {
    Vertex,
    Face,
}

/// Runs `take` on the words after the keyword of every statement.
fn statements(text: &[u8], mut take: impl FnMut(Statement, &mut Words<'_, '_>) -> Parsed<()>) -> Parsed<()> {
    let mut lines = Lines::new(text);
    while let Some((number, line)) = lines.next() {
        let statement = match words(line).next() {
            Some(b"v") => Statement::Vertex,
            Some(b"f") => Statement::Face,
            _ => continue,
        };
        // Only here are lines continued: elsewhere a backslash may end the name of a file.
        let mut words = Words::begin(line, number, &mut lines);
        words.next();
        take(statement, &mut words)?;
        words.pass_over();
    }
    Ok(())
}

/// The words of a statement, up to a remark: of its line and, as long as that ends in a backslash, of the next.
struct Words<'a, 'b> {
    rest: &'a [u8],
    is_continued: bool,
    is_remark: bool,
    lines: &'b mut Lines<'a>,
    /// The number of the statement's first line.
    number: usize,
}

impl<'a, 'b> Words<'a, 'b> {
    fn begin(line: &'a [u8], number: usize, lines: &'b mut Lines<'a>) -> Self {
        let mut words = Self { rest: &[], is_continued: false, is_remark: false, lines, number };
        words.line(line);
        words
    }

    fn line(&mut self, line: &'a [u8]) {
        let begun = line.trim_ascii_end().strip_suffix(b"\\");
        // On the last line of the file a backslash continues nothing.
        self.is_continued = begun.is_some() && !self.lines.rest().is_empty();
        let line = if self.is_continued { begun.unwrap_or(line) } else { line };
        let end = line.iter().position(|&b| b == b'#').unwrap_or(line.len());
        self.rest = if self.is_remark { &[] } else { &line[..end] };
        self.is_remark |= end < line.len();
    }

    /// To the end of the statement, read or not.
    fn pass_over(mut self) {
        while self.next().is_some() {}
    }
}

impl<'a> Iterator for Words<'a, '_> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let rest = self.rest.trim_ascii_start();
            if !rest.is_empty() {
                let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
                let (word, rest) = rest.split_at(end);
                self.rest = rest;
                return Some(word);
            }
            if !self.is_continued {
                return None;
            }
            let (_, line) = self.lines.next()?;
            self.line(line);
        }
    }
}

struct Reader {
    vertices: Vec<Point>,
    triangles: Vec<[usize; 3]>,
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
    fn vertex(&mut self, words: &mut Words<'_, '_>) -> Parsed<()> {
        let line = words.number;
        self.vertices.push(Point::from(three_numbers(words, line)?));
        Ok(())
    }

    fn face(&mut self, words: &mut Words<'_, '_>) -> Parsed<()> {
        let line = words.number;
        let mut fan = Fan::default();
        for word in words {
            let index = self.corner(word, line)?;
            if index > self.highest.index {
                self.highest = Highest { index, face: self.faces, line };
            }
            self.triangles.extend(fan.corner(index));
        }
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
        Ok(Scan { vertices: self.vertices, triangles: Some(self.triangles), not_finite: 0 })
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
            "f 1 2\\\n3 4 # all \\\n 5 6",
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
    fn a_face_continued_over_a_million_lines_is_one_polygon() {
        let text = format!("v 0 0 0\nf 1 1{}", " \\\n1".repeat(1_000_000));
        assert_eq!(parse(text.as_bytes()).unwrap().triangles.unwrap().len(), 1_000_000);
    }

    #[test]
    fn what_cannot_be_read_says_where() {
        for (text, expected) in [
            ("v 0 0 0\nv 1 secret 0\n", "s.obj, line 2: the y coordinate is not a number; "),
            ("v 0 0\n", "s.obj, line 1: the z coordinate is missing; "),
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
