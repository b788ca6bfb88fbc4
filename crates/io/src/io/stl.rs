//! STL, ASCII and binary. The format lists three corners for every triangle; equal ones are made one vertex.

use super::error::{Fault, Parsed};
use super::scan::Scan;
use super::text::{Lines, plain, three_numbers, words};
use crate::mesh::Point;

/// The header of 80 bytes and the number of triangles.
const START: usize = 84;
/// A normal, three corners and two bytes more.
const RECORD: usize = 50;
/// The bytes of `vertex 0 0 0`.
const SHORTEST_CORNER: usize = 12;

/// Parses a whole STL file.
///
/// Told apart by content, since binary files may begin with the word "solid" too: one of exactly the size its count
/// asks for is binary.
pub(super) fn parse(bytes: &[u8]) -> Parsed<Scan> {
    let count =
        bytes.get(80..START).and_then(<[u8]>::first_chunk).map(|raw| u32::from_le_bytes(*raw) as usize);
    let size = |count: usize| count.checked_mul(RECORD).and_then(|n| n.checked_add(START));
    let is_binary = count.is_some_and(|count| size(count) == Some(bytes.len()));
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let says_solid = text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    match count {
        _ if says_solid && !is_binary && !bytes.contains(&0) => parse_ascii(bytes),
        Some(count) => parse_binary(bytes, count),
        None => Err(Fault::Malformed("is too short for an STL file; copy or export it again").into()),
    }
}

/// The corners of all triangles, three for each, as one scan: those of equal coordinates are made one vertex (0 and −0 are
/// equal), numbered by first appearance.
fn weld(corners: &[[f64; 3]]) -> Scan {
    // A file of the largest size that is read has fewer than 2³² corners. Adding zero turns −0 into 0.
    let key = |i: u32| corners[i as usize].map(|c| (c + 0.0).to_bits());
    let mut sorted: Vec<u32> = (0..corners.len() as u32).collect();
    sorted.sort_unstable_by_key(|&i| (key(i), i));
    // For each corner the first one equal to it, then the vertex that this has become.
    let mut number = vec![0u32; corners.len()];
    let mut n_vertices = 0;
    for equal in sorted.chunk_by(|&a, &b| key(a) == key(b)) {
        equal.iter().for_each(|&i| number[i as usize] = equal[0]);
        n_vertices += 1;
    }
    drop(sorted);
    let mut vertices: Vec<Point> = Vec::with_capacity(n_vertices);
    for (i, corner) in corners.iter().enumerate() {
        let first = number[i] as usize;
        if first == i {
            number[i] = vertices.len() as u32;
            vertices.push(Point::from(*corner));
        } else {
            number[i] = number[first];
        }
    }
    let triangles = number.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(|i| i as usize)).collect();
    Scan { vertices, triangles: Some(triangles), not_finite: 0 }
}

fn parse_binary(bytes: &[u8], promised: usize) -> Parsed<Scan> {
    let body = &bytes[START..];
    let found = body.len() / RECORD;
    if found < promised {
        return Err(Fault::Truncated { what: "triangles", promised, found }.into());
    }
    let (records, rest) = body.split_at(promised * RECORD);
    if !rest.iter().all(|b| *b == 0 || b.is_ascii_whitespace()) {
        return Err(Fault::Surplus { what: "bytes", surplus: rest.len() }.into());
    }
    let mut corners = Vec::with_capacity(3 * promised);
    for record in records.chunks_exact(RECORD) {
        // Past the normal; two bytes remain.
        for corner in record[12..].chunks_exact(12) {
            let number = |axis: usize| {
                let raw = &corner[4 * axis..];
                f64::from(f32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]))
            };
            corners.push([0, 1, 2].map(number));
        }
    }
    Ok(weld(&corners))
}

fn parse_ascii(bytes: &[u8]) -> Parsed<Scan> {
    let text = plain(bytes)?;
    let is = |line: &[u8], name: &str| {
        words(line).next().is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
    };
    // Counted first: room that grows as it is needed would be three times too much at times.
    let n_corners = Lines::new(text).filter(|(_, line)| is(line, "vertex")).count();
    let mut corners = Vec::with_capacity(n_corners.min(bytes.len() / SHORTEST_CORNER + 1));
    let (mut in_facet, mut is_open) = (0, false);
    for (number, line) in Lines::new(text) {
        let mut words = words(line);
        let Some(keyword) = words.next() else { continue };
        let is = |name: &str| keyword.eq_ignore_ascii_case(name.as_bytes());
        if is("vertex") {
            corners.push(three_numbers(&mut words, number)?);
            in_facet += 1;
        } else if is("endfacet") {
            if in_facet != 3 {
                let text = "ends a facet that has not three corners; export the file again";
                return Err(Fault::Malformed(text).at_line(number));
            }
            in_facet = 0;
        } else if is("solid") || is("endsolid") {
            is_open = is("solid");
        } else if !(is("facet") || is("outer") || is("endloop")) {
            return Err(
                Fault::Malformed("is not understood in an ASCII STL file; export it again").at_line(number)
            );
        }
    }
    if is_open || in_facet > 0 {
        return Err(Fault::Malformed("ends without endsolid; it is cut off, copy or export it again").into());
    }
    Ok(weld(&corners))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASCII: &str = "solid two facets vertex\n facet normal nan nan nan\n  outer loop\n   vertex 0 0 0\n   \
        vertex 1 0 0\n   vertex 1 1 0.5\n  endloop\n endfacet\n FACET NORMAL 0 0 1\n  outer loop\n   \
        vertex -0 0 0\n   vertex 1 1 0.5\n   vertex 0 1e0 0\n  endloop\n endfacet\nendsolid two facets\n";

    fn binary(header: &[u8]) -> Vec<u8> {
        let mut out = header.to_vec();
        out.resize(80, b' ');
        out.extend(2u32.to_le_bytes());
        let corners = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.5], [-0., 0., 0.], [1., 1., 0.5], [0., 1., 0.]];
        for facet in corners.chunks(3) {
            out.extend([0; 12]);
            facet.iter().flatten().for_each(|c: &f32| out.extend(c.to_le_bytes()));
            out.extend([0; 2]);
        }
        out
    }

    #[test]
    fn equal_corners_become_one_vertex_in_order_of_appearance() {
        let scan = parse(ASCII.as_bytes()).unwrap();
        let expected = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.5], [0., 1., 0.]].map(Point::from);
        assert_eq!(scan.vertices, expected);
        assert_eq!(scan.triangles, Some(vec![[0, 1, 2], [0, 2, 3]]));
        assert_eq!(parse(ASCII.replace('\n', "\r\n").as_bytes()).unwrap(), scan);
        for header in [&b"made by a scanner"[..], b"solid but binary", b"", b"\0\0"] {
            assert_eq!(parse(&binary(header)).unwrap(), scan);
        }
        assert_eq!(parse(&[binary(b""), vec![0, b'\n']].concat()).unwrap(), scan);
    }

    #[test]
    fn several_solids_are_one_scan() {
        let twice = format!("{ASCII}\n{ASCII}");
        let scan = parse(twice.as_bytes()).unwrap();
        assert_eq!((scan.vertices.len(), scan.triangles.unwrap().len()), (4, 4));
    }

    #[test]
    fn what_cannot_be_read_says_where() {
        let message = |bytes: &[u8]| parse(bytes).unwrap_err().in_file("s.stl".as_ref()).to_string();
        for (from, to, expected) in [
            ("1 1 0.5", "1 secret 0.5", "s.stl, line 6: the y coordinate is not a number; "),
            ("1 1 0.5", "1 1", "s.stl, line 6: the z coordinate is missing; "),
            ("   vertex 1 0 0\n", "", "s.stl, line 7: ends a facet that has not three corners; "),
            ("  endloop", "  secret", "s.stl, line 7: is not understood in an ASCII STL file; "),
            ("endsolid two facets\n", "", "s.stl: ends without endsolid; "),
        ] {
            let message = message(ASCII.replacen(from, to, 1).as_bytes());
            assert!(message.starts_with(expected), "{message}");
            assert!(!message.contains("secret"));
        }
        let whole = binary(b"solid but binary");
        let cut = message(&whole[..whole.len() - 1]);
        assert!(cut.starts_with("s.stl: the triangles end early (1 of 2 are there); "), "{cut}");
        let mut hostile = whole.clone();
        hostile[80..84].fill(0xff);
        assert!(message(&hostile).contains("(2 of 4294967295 are there)"));
        let longer = [whole, vec![7; 3]].concat();
        assert!(message(&longer).contains("3 more bytes than the file itself announces"));
        assert!(message(b"sol").contains("too short for an STL file"));
    }
}
