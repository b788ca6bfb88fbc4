//! Planar landmarks in TPS files (James Rohlf's format): `LP=k`, then k lines `x y`; other keys are passed over.

/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// The configurations of a file, in order.
///
/// # Errors
/// One line: which line is wrong and what was expected.
pub fn read(path: &std::path::Path) -> Result<Vec<Vec<[f64; 2]>>, String> {
    let name = path.display();
    let size = std::fs::metadata(path).map_err(|e| format!("{name}: {e}"))?.len();
    if size > LARGEST {
        return Err(format!("{name}: {size} bytes are more than the {LARGEST} that are read"));
    }
    let bytes = std::fs::read(path).map_err(|e| format!("{name}: {e}"))?;
    parse(&String::from_utf8_lossy(&bytes)).map_err(|e| format!("{name}: {e}"))
}

fn parse(text: &str) -> Result<Vec<Vec<[f64; 2]>>, String> {
    let mut shapes = Vec::new();
    let mut lines = text.lines().enumerate().map(|(k, l)| (k + 1, l.trim())).filter(|(_, l)| !l.is_empty());
    while let Some((at, line)) = lines.next() {
        let Some((key, value)) = line.split_once('=') else {
            return Err(format!("line {at}: expected LP=, another KEY=value or the end"));
        };
        if !key.trim().eq_ignore_ascii_case("LP") && !key.trim().eq_ignore_ascii_case("LM") {
            continue;
        }
        let count: usize =
            value.trim().parse().map_err(|_| format!("line {at}: LP= needs a whole number"))?;
        let mut shape = Vec::new();
        for k in 0..count {
            let (at, line) = lines.next().ok_or(format!("the file ends after {k} of {count} landmarks"))?;
            let numbers: Vec<f64> = line.split_whitespace().filter_map(|w| w.parse().ok()).collect();
            match numbers[..] {
                [x, y] if x.is_finite() && y.is_finite() => shape.push([x, y]),
                _ => return Err(format!("line {at}: expected two numbers (a landmark of the plane)")),
            }
        }
        shapes.push(shape);
    }
    shapes.retain(|s| !s.is_empty());
    if shapes.is_empty() { Err("holds no landmarks".to_owned()) } else { Ok(shapes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_in_order_and_remarks_passed_over() {
        let text = "LP=2\n1 2\n3.5 -4e-1\nID=one\nSCALE=0.5\n\nlm=1\r\n0 0\r\nIMAGE=a.jpg\n";
        let shapes = parse(text).unwrap();
        assert_eq!(shapes, vec![vec![[1.0, 2.0], [3.5, -0.4]], vec![[0.0, 0.0]]]);
    }

    #[test]
    fn damaged_files_are_refused_with_the_line() {
        for (text, needle) in [
            ("", "no landmarks"),
            ("LP=2\n1 2\n", "ends after 1 of 2"),
            ("LP=1\n1 2 3\n", "line 2"),
            ("LP=1\nnan 2\n", "line 2"),
            ("LP=x\n", "line 1"),
            ("1 2\n", "line 1"),
            ("LP=18446744073709551615\n", "ends after 0"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(needle), "{error}");
        }
    }
}
