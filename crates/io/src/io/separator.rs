//! What stands between the values of a line of a table, and the values between.

use super::text::{self, ending, words};
use std::path::Path;

/// What stands between the values of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Semicolon,
    Tab,
    /// Any run of white space.
    Blank,
}

impl Separator {
    /// As the first line says that spreadsheets write for each other: `sep=;`.
    pub fn declared(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
        match line.strip_prefix(b"sep=").or_else(|| line.strip_prefix(b"SEP="))? {
            b"," => Some(Separator::Comma),
            b";" => Some(Separator::Semicolon),
            // A tab at the end was trimmed.
            b"\t" | b"" => Some(Separator::Tab),
            _ => None,
        }
    }

    /// As a line of numbers shows it.
    pub fn of(line: &[u8]) -> Self {
        if line.contains(&b';') {
            return Separator::Semicolon;
        }
        // Tabs in a row are for alignment: then no value is missing between them.
        let between_tabs: Vec<_> = line.trim_ascii_end().split(|&b| b == b'\t').collect();
        if between_tabs.len() >= 3 && between_tabs.iter().all(|field| !field.trim_ascii().is_empty()) {
            return Separator::Tab;
        }
        // In `1,5 2,5 3,5` the commas are decimal marks.
        let has_decimal_comma = |word: &[u8]| {
            let commas = word.iter().filter(|&&b| b == b',').count();
            commas == 0 || commas == 1 && !word.starts_with(b",") && !word.ends_with(b",")
        };
        if !line.contains(&b',') || words(line).count() >= 3 && words(line).all(has_decimal_comma) {
            return Separator::Blank;
        }
        Separator::Comma
    }

    /// As a line of words shows it, and the ending of the file's name.
    pub fn of_heading(line: &[u8], path: &Path) -> Self {
        match Self::of_ending(path) {
            Separator::Tab => Separator::Tab,
            _ if line.contains(&b';') => Separator::Semicolon,
            _ if line.contains(&b',') => Separator::Comma,
            _ if line.contains(&b'\t') => Separator::Tab,
            _ => Separator::Blank,
        }
    }

    /// As the ending of the file's name says where there is no heading: commas in `.csv`, tabs in `.tsv`, else blanks.
    pub fn of_ending(path: &Path) -> Self {
        match ending(path).as_str() {
            "csv" => Separator::Comma,
            "tsv" => Separator::Tab,
            _ => Separator::Blank,
        }
    }

    /// What messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Separator::Comma => "commas",
            Separator::Semicolon => "semicolons",
            Separator::Tab => "tabs",
            Separator::Blank => "blanks",
        }
    }

    fn byte(self) -> Option<u8> {
        match self {
            Separator::Comma => Some(b','),
            Separator::Semicolon => Some(b';'),
            Separator::Tab => Some(b'\t'),
            Separator::Blank => None,
        }
    }

    pub fn fields(self, line: &[u8]) -> Fields<'_> {
        Fields { rest: Some(line), separator: self.byte() }
    }

    /// The number in a field; with a decimal comma too where commas do not separate.
    pub fn number(self, field: &[u8]) -> Option<f64> {
        text::number(field).or_else(|| {
            let comma = field.iter().position(|&b| b == b',')?;
            if self == Separator::Comma || field.contains(&b'.') {
                return None;
            }
            let mut with_point = field.to_vec();
            with_point[comma] = b'.';
            text::number(&with_point)
        })
    }
}

/// The fields of a line, without the blanks and quotation marks around them.
pub(super) struct Fields<'a> {
    rest: Option<&'a [u8]>,
    separator: Option<u8>,
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let ends = |b: &u8| self.separator.map_or(b.is_ascii_whitespace(), |separator| *b == separator);
        let rest = self.rest?;
        let blanks =
            rest.iter().take_while(|&b| b.is_ascii_whitespace() && (self.separator.is_none() || !ends(b)));
        let rest = &rest[blanks.count()..];
        if rest.is_empty() && self.separator.is_none() {
            return None;
        }
        if let Some(quoted) = rest.strip_prefix(b"\"")
            && let Some(close) = closing_quote(quoted)
        {
            let after = &quoted[close + 1..];
            self.rest = after.iter().position(ends).map(|end| &after[end + 1..]);
            return Some(quoted[..close].trim_ascii());
        }
        match rest.iter().position(ends) {
            Some(end) => {
                self.rest = Some(&rest[end + 1..]);
                Some(rest[..end].trim_ascii_end())
            }
            None => {
                self.rest = None;
                Some(rest.trim_ascii_end())
            }
        }
    }
}

/// Where a quoted text ends: two quotation marks are one of its own.
fn closing_quote(quoted: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += quoted.get(at..)?.iter().position(|&b| b == b'"')?;
        if quoted.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Vec<&str> {
        let line = line.as_bytes();
        Separator::of(line).fields(line).map(|f| std::str::from_utf8(f).unwrap()).collect()
    }

    #[test]
    fn separators_are_told_by_the_line() {
        assert_eq!(fields("1,2,3"), ["1", "2", "3"]);
        assert_eq!(fields(" 1 ,  2,3,"), ["1", "2", "3", ""]);
        assert_eq!(fields("1;2;;3"), ["1", "2", "", "3"]);
        assert_eq!(fields("1,5;2,5;3,5"), ["1,5", "2,5", "3,5"]);
        assert_eq!(fields("1\t2\t 3"), ["1", "2", "3"]);
        assert_eq!(fields("a b\tc d\te f"), ["a b", "c d", "e f"]);
        assert_eq!(fields("1\t\t2\t\t3"), ["1", "2", "3"]);
        assert_eq!(fields("  1   2 3  "), ["1", "2", "3"]);
        assert_eq!(fields("1,5 2,5 3"), ["1,5", "2,5", "3"]);
        assert_eq!(fields("1, 2, 3"), ["1", "2", "3"]);
        assert_eq!(fields("1,2,3 255,0,0"), ["1", "2", "3 255", "0", "0"]);
        assert_eq!(fields("\"a, b\",\"1\",2, \"\" ,3"), ["a, b", "1", "2", "", "3"]);
        assert_eq!(fields("\"nose tip\" 1 2 3"), ["nose tip", "1", "2", "3"]);
        assert_eq!(fields("\"open,1,2"), ["\"open", "1", "2"]);
        assert_eq!(fields("\"5\"\" rock, 1\",2"), ["5\"\" rock, 1", "2"]);
        for (line, expected) in [
            ("sep=;", Some(Separator::Semicolon)),
            ("\"sep=,\"", Some(Separator::Comma)),
            ("sep=x", None),
            ("a", None),
        ] {
            assert_eq!(Separator::declared(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn decimal_commas_only_where_commas_do_not_separate() {
        assert_eq!(Separator::Blank.number(b"-1,5"), Some(-1.5));
        assert_eq!(Separator::Semicolon.number(b"1,5e2"), Some(150.0));
        assert_eq!(Separator::Comma.number(b"1,5"), None);
        for text in ["1,500.0", "1,2,3", ","] {
            assert_eq!(Separator::Blank.number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn headings_and_endings_tell_separators() {
        for (heading, path, expected) in [
            ("name,x,y", "a.csv", Separator::Comma),
            ("first name,x,y", "a.txt", Separator::Comma),
            ("name;x;y", "a.csv", Separator::Semicolon),
            ("name\tx, mm\ty", "a.TSV", Separator::Tab),
            ("name\tx\ty", "a.txt", Separator::Tab),
            ("name x y", "a.csv", Separator::Blank),
        ] {
            assert_eq!(Separator::of_heading(heading.as_bytes(), path.as_ref()), expected, "{heading}");
        }
        for (path, expected) in
            [("a.CSV", Separator::Comma), ("a.tsv", Separator::Tab), ("a.txt", Separator::Blank)]
        {
            assert_eq!(Separator::of_ending(path.as_ref()), expected);
        }
    }
}
