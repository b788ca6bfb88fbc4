//! Wavefront OBJ: `v` and `f` lines; everything else is passed over. Vertices are never renumbered.

use super::error::{Parsed, number, wrong};
use super::scan::Scan;
use crate::mesh::Point;

/// Parses a whole OBJ file.
pub(super) fn parse(bytes: &[u8]) -> Parsed<Scan> {
    let text = String::from_utf8_lossy(bytes);
    let mut scan = Scan::default();
    let mut triangles = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((k, line)) = lines.next() {
        let mut line = line.to_owned();
        while line.ends_with('\\') {
            line.pop();
            line.push(' ');
            line.push_str(lines.next().map(|(_, l)| l).unwrap_or(""));
        }
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut p = [0.0; 3];
                for c in &mut p {
                    let Some(word) = words.next() else {
                        return wrong(format!("line {}: a vertex needs three coordinates", k + 1));
                    };
                    *c = number(word, k + 1)?;
                }
                scan.vertices.push(Point::from(p));
            }
            Some("f") => {
                let corners =
                    words.map(|w| corner(w, scan.vertices.len(), k + 1)).collect::<Parsed<Vec<usize>>>()?;
                if corners.len() < 3 {
                    return wrong(format!("line {}: a face needs at least three corners", k + 1));
                }
                triangles.extend((2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]));
            }
            _ => {}
        }
    }
    scan.triangles = (!triangles.is_empty()).then_some(triangles);
    Ok(scan)
}

/// `7`, `7/1`, `7//2`, `7/1/2`, or negative: counted back from the last vertex so far.
fn corner(word: &str, so_far: usize, line: usize) -> Parsed<usize> {
    let first = word.split('/').next().unwrap_or("");
    match first.parse::<i64>() {
        Ok(i) if i > 0 => Ok(i as usize - 1),
        Ok(i) if i < 0 && i.unsigned_abs() as usize <= so_far => Ok(so_far - i.unsigned_abs() as usize),
        _ => wrong(format!("line {line}: a face's vertex number is not a valid number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_negative_numbers_quads_and_colours() {
        let text = "# x\nv 0 0 0 0.1 0.2 0.3\nv 1 0 0\r\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1/1 2//1 3/1/1 4\nf -4 -3 \\\n-2\n";
        let scan = parse(text.as_bytes()).unwrap();
        assert_eq!(scan.vertices.len(), 4);
        assert_eq!(scan.triangles, Some(vec![[0, 1, 2], [0, 2, 3], [0, 1, 2]]));
    }

    #[test]
    fn errors_name_the_line_and_not_the_content() {
        for (text, line) in [
            ("v 0 0 0\nv 1 x 0\n", 2),
            ("v 1 2\n", 1),
            ("v 0 0 inf\n", 1),
            ("f 1 2 zebra\n", 1),
            ("f 1 2\n", 1),
        ] {
            let message = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(message.starts_with(&format!("line {line}:")), "{message}");
            assert!(!message.contains("zebra"));
        }
    }
}
