//! Text as files hold it: any line ending, a byte order mark or none, and numbers as programs print them.

use super::error::{Fault, Parsed};
use std::path::Path;

/// The text without its byte order mark, refused if it is no text in an encoding that contains ASCII.
pub(super) fn plain(bytes: &[u8]) -> Parsed<&[u8]> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(Fault::Malformed("is text in UTF-16; save it as UTF-8").into());
    }
    if bytes.contains(&0) {
        return Err(Fault::Malformed(
            "holds binary data where text is expected; check the ending of its name",
        )
        .into());
    }
    Ok(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// The text without its byte order mark, refused with the line where it is not UTF-8.
pub(super) fn utf8(bytes: &[u8]) -> Parsed<&str> {
    let bytes = plain(bytes)?;
    std::str::from_utf8(bytes).map_err(|e| {
        let line = Lines::new(&bytes[..=e.valid_up_to()]).count();
        Fault::Malformed("holds a letter that is not in UTF-8; save the file as UTF-8").at_line(line)
    })
}

/// The lines of a text, ended by LF, CR LF or CR alone, with their numbers from 1.
#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self::after(text, 0)
    }

    /// The lines of a text that stands after so many others.
    pub fn after(text: &'a [u8], number: usize) -> Self {
        Self { rest: text, number }
    }

    /// What follows the lines taken so far.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The number of the line taken last.
    pub fn number(&self) -> usize {
        self.number
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        // A byte 26 ended texts of old systems.
        if self.rest.is_empty() || is_end_mark(self.rest) {
            return None;
        }
        let end = self.rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = match rest {
            [b'\r', b'\n', after @ ..] | [_, after @ ..] => after,
            [] => rest,
        };
        self.number += 1;
        let line = if self.rest.is_empty() { line.strip_suffix(END_MARK).unwrap_or(line) } else { line };
        Some((self.number, line))
    }
}

const END_MARK: &[u8] = b"\x1a";

/// Whether nothing but marks of its end is left of a text.
fn is_end_mark(rest: &[u8]) -> bool {
    rest.starts_with(END_MARK) && rest.iter().all(|b| *b == 26 || b.is_ascii_whitespace())
}

/// Whether a line is for people: blank, or begun by `#`, `//` or `%`.
pub(super) fn is_remark(line: &[u8]) -> bool {
    matches!(line.trim_ascii(), [] | [b'#' | b'%', ..] | [b'/', b'/', ..] | [b'"', b'#', ..])
}

/// Whether a field is a way of writing that there is no value.
pub(super) fn is_missing(field: &[u8]) -> bool {
    matches!(field.to_ascii_uppercase().as_slice(), b"NA" | b"N/A" | b"NAN" | b"." | b"?")
}

/// Text of a file for people to read, whatever its encoding.
pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// Text of a field: two quotation marks are one.
pub(super) fn unquoted(field: &[u8]) -> String {
    lossy(field).replace("\"\"", "\"")
}

/// The ending of a file's name, in small letters; the whole of `.nii.gz`.
pub fn ending(path: &Path) -> String {
    let packed =
        path.file_name().is_some_and(|name| name.to_string_lossy().to_lowercase().ends_with(".nii.gz"));
    if packed {
        return "nii.gz".to_owned();
    }
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// What a specimen is called in a file of this name.
pub fn specimen_name(file: &str) -> &str {
    let without = |ending: &str| {
        let (stem, rest) = file.split_at_checked(file.len().checked_sub(ending.len())?)?;
        rest.eq_ignore_ascii_case(ending).then_some(stem)
    };
    [
        ".mrk.json",
        ".json",
        ".fcsv",
        ".png",
        ".tif",
        ".tiff",
        ".npy",
        ".nii.gz",
        ".nii",
        ".seg.nrrd",
        ".nrrd",
        ".dcm",
    ]
    .into_iter()
    .find_map(without)
    .unwrap_or(file)
}

/// The words of a line, between white space.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty())
}

/// The number a word spells; NaN also for the ways C libraries print it (`1.#QNAN`, `-nan(ind)`).
pub(super) fn number(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    text.parse().ok().or_else(|| {
        let bare = text.trim_start_matches(['-', '+']).to_ascii_lowercase();
        (bare.starts_with("1.#") || bare.starts_with("nan(")).then_some(f64::NAN)
    })
}

/// Three numbers from the words to come, or the fault of the first that is not one.
pub(super) fn three_numbers<'a>(words: &mut impl Iterator<Item = &'a [u8]>, line: usize) -> Parsed<[f64; 3]> {
    let mut p = [0.0; 3];
    for (c, name) in p.iter_mut().zip(COORDINATES) {
        let word = words.next().ok_or_else(|| Fault::MissingValue { what: name }.at_line(line))?;
        *c = number(word).ok_or_else(|| Fault::NotANumber { what: name }.at_line(line))?;
    }
    Ok(p)
}

/// What messages call the coordinates.
pub(super) const COORDINATES: [&str; 3] = ["the x coordinate", "the y coordinate", "the z coordinate"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways() {
        let lines: Vec<_> = Lines::new(b"a\nb\r\n\rc\r\rd").collect();
        let expected: [(usize, &[u8]); 6] = [(1, b"a"), (2, b"b"), (3, b""), (4, b"c"), (5, b""), (6, b"d")];
        assert_eq!(lines, expected);
    }

    #[test]
    fn other_encodings_are_named() {
        let message = |bytes: &[u8]| utf8(bytes).unwrap_err().in_file("a.txt".as_ref()).to_string();
        assert_eq!(utf8(b"\xef\xbb\xbfM\xc3\xbcller").unwrap(), "M\u{fc}ller");
        assert!(
            message(b"a\nM\xfcller\n").starts_with("a.txt, line 2: holds a letter that is not in UTF-8; ")
        );
        assert!(message(b"\xfcller").starts_with("a.txt, line 1: "));
        assert!(message(b"a\n\xfcller").starts_with("a.txt, line 2: "));
        assert!(message(b"\xff\xfea\0").contains("UTF-16"));
        assert!(message(b"a\0").contains("binary data"));
    }

    #[test]
    fn numbers_as_programs_print_them() {
        for (text, value) in [("1", 1.0), ("-.5", -0.5), ("+5.", 5.0), ("1E-3", 1e-3), ("0.1", 0.1)] {
            assert_eq!(number(text.as_bytes()), Some(value));
        }
        for text in ["nan", "-NaN", "1.#QNAN", "-1.#IND", "-nan(ind)"] {
            assert!(number(text.as_bytes()).unwrap().is_nan(), "{text}");
        }
        for text in ["", "1,5", "one", "0x10", "1d3", "--1", "1.0.0", "\u{661}"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
        assert_eq!(number(b"\xff1"), None);
    }
}
