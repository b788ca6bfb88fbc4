//! STL, ASCII and binary. STL stores every triangle's corners anew; equal corners become one vertex.

use super::error::{Parsed, number, wrong};
use super::scan::Scan;
use crate::mesh::Point;
use std::collections::HashMap;

/// Parses a whole STL file. Binary is told by its length (84 + 50 n), since some binary files begin with "solid".
pub(super) fn parse(bytes: &[u8]) -> Parsed<Scan> {
    let count = bytes.get(80..84).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as u64);
    let corners = match count {
        Some(n) if 84 + 50 * n == bytes.len() as u64 => binary(&bytes[84..])?,
        _ if bytes.trim_ascii_start().starts_with(b"solid") => ascii(bytes)?,
        Some(_) => {
            return wrong(
                "its length does not fit the number of triangles it promises; it is cut off or damaged",
            );
        }
        None => return wrong("too short to be an STL file"),
    };
    Ok(weld(&corners))
}

fn binary(body: &[u8]) -> Parsed<Vec<[f64; 3]>> {
    let mut corners = Vec::with_capacity(body.len() / 50 * 3);
    for (t, record) in body.chunks_exact(50).enumerate() {
        for corner in record[12..48].chunks_exact(12) {
            let mut p = [0.0; 3];
            for (c, raw) in p.iter_mut().zip(corner.chunks_exact(4)) {
                *c = f32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]) as f64;
            }
            if !p.iter().all(|c| c.is_finite()) {
                return wrong(format!(
                    "triangle {t} has a coordinate that is NaN or infinite; repair the file"
                ));
            }
            corners.push(p);
        }
    }
    Ok(corners)
}

fn ascii(bytes: &[u8]) -> Parsed<Vec<[f64; 3]>> {
    let text = String::from_utf8_lossy(bytes);
    let mut corners = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        if words.next() != Some("vertex") {
            continue;
        }
        let mut p = [0.0; 3];
        for c in &mut p {
            let Some(word) = words.next() else {
                return wrong(format!("line {}: a vertex needs three coordinates", k + 1));
            };
            *c = number(word, k + 1)?;
        }
        corners.push(p);
    }
    if corners.is_empty() || corners.len() % 3 != 0 {
        return wrong("the number of corners is not three per triangle; the file is cut off");
    }
    Ok(corners)
}

fn weld(corners: &[[f64; 3]]) -> Scan {
    let mut index: HashMap<[u64; 3], usize> = HashMap::with_capacity(corners.len() / 5);
    let mut vertices = Vec::new();
    let ids: Vec<usize> = corners
        .iter()
        .map(|p| {
            // +0.0 makes the two zeros equal.
            *index.entry(p.map(|c| (c + 0.0).to_bits())).or_insert_with(|| {
                vertices.push(Point::from(*p));
                vertices.len() - 1
            })
        })
        .collect();
    let triangles = ids.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    Scan { vertices, triangles: Some(triangles) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_triangles() -> Vec<u8> {
        let mut b = b"solid but binary".to_vec();
        b.resize(80, b' ');
        b.extend(2u32.to_le_bytes());
        for t in [[[0., 0.], [1., 0.], [1., 1.]], [[0., 0.], [1., 1.], [0., 1.]]] {
            b.extend([0; 12]);
            for [x, y] in t {
                for c in [x as f32, y as f32, 0.0] {
                    b.extend(c.to_le_bytes());
                }
            }
            b.extend([0; 2]);
        }
        b
    }

    #[test]
    fn binary_that_begins_with_solid_is_welded() {
        let scan = parse(&two_triangles()).unwrap();
        assert_eq!(scan.vertices.len(), 4);
        assert_eq!(scan.triangles, Some(vec![[0, 1, 2], [0, 2, 3]]));
        for n in 0..two_triangles().len() {
            assert!(parse(&two_triangles()[..n]).is_err());
        }
    }

    #[test]
    fn ascii() {
        let text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
        let scan = parse(text.as_bytes()).unwrap();
        assert_eq!((scan.vertices.len(), scan.triangles.unwrap().len()), (3, 1));
        assert!(
            parse(text.replace("vertex 1 0 0", "vertex 1 NaN 0").as_bytes())
                .unwrap_err()
                .to_string()
                .starts_with("line 5:")
        );
    }
}
