//! Lists of points as text: one point a line, separated by spaces, tabs, commas or semicolons.

use super::error::{Parsed, number, wrong};
use super::scan::Scan;
use crate::mesh::Point;

/// Parses XYZ, CSV, TXT, PTS or ASC. One heading line (or a lone point count, as in PTS) may come first; `#`
/// begins a comment; columns after the third are passed over.
pub(super) fn parse(bytes: &[u8]) -> Parsed<Scan> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.contains(&0) {
        return wrong("is not a text file; points are written as lines of three numbers");
    }
    let text = String::from_utf8_lossy(bytes);
    let mut vertices = Vec::new();
    let mut heading = true;
    for (k, line) in text.split(['\n', '\r']).enumerate().map(|(k, l)| (k, l.split('#').next().unwrap_or("")))
    {
        let words: Vec<&str> =
            line.split([',', ';', '\t', ' ']).filter(|w| !w.is_empty()).take(3).map(unquoted).collect();
        if words.is_empty() {
            continue;
        }
        if std::mem::take(&mut heading)
            && (words.len() < 3 || words.iter().all(|w| w.parse::<f64>().is_err()))
        {
            continue;
        }
        let line_number = line_of(bytes, k);
        let [x, y, z] = words[..] else {
            return wrong(format!("line {line_number}: expected three numbers"));
        };
        vertices.push(Point::new(number(x, line_number)?, number(y, line_number)?, number(z, line_number)?));
    }
    Ok(Scan { vertices, triangles: None })
}

fn unquoted(word: &str) -> &str {
    word.trim_matches('"')
}

/// The line number an editor shows for the `k`-th piece between line ends (CR LF ends one line, not two).
fn line_of(bytes: &[u8], k: usize) -> usize {
    let mut pieces = 0;
    let mut line = 1;
    for (i, &b) in bytes.iter().enumerate() {
        if pieces == k {
            break;
        }
        if b == b'\n' || b == b'\r' {
            pieces += 1;
            line += usize::from(!(b == b'\n' && i > 0 && bytes[i - 1] == b'\r'));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_headings_comments_and_line_ends() {
        let expected = vec![Point::new(1.0, 2.0, 3.0), Point::new(-4.0, 5e-1, 6.0)];
        for text in [
            "1 2 3\n-4 0.5 6\n",
            "x,y,z,nx\r\n1,2,3,0\r\n-4,5e-1,6,0\r\n",
            "\u{feff}\"x\";\"y\";\"z\"\n1;2;3\n# a comment\n\n-4;0.5;6 # another",
            "2\n1\t2\t3\n-4\t0.5\t6",
            "1 2 3\r-4 0.5 6\r",
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap().vertices, expected, "{text:?}");
        }
    }

    #[test]
    fn errors_name_the_editors_line() {
        for (text, start) in [
            ("1 2 3\n4 abc 6\n", "line 2: expected a number"),
            ("1,2,3\r\n4,5,6\r\n7,8\r\n", "line 3: expected three"),
            ("1 2 3\n1 2 inf\n", "line 2: a coordinate is NaN"),
            ("1 2 3\n\u{0}", "is not a text file"),
        ] {
            let message = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(message.starts_with(start), "{message}");
        }
    }
}
