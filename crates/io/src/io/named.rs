//! Tables about records: a heading with the column `record` (or `file`, in a manifest), a line for each record, other columns by their names.

use super::columns::{RecordSize, Table};
use super::error::{Fault, Parsed, ReadError};
use super::open::{Limit, Opened, open};
use super::text::is_missing;
use std::path::Path;

/// A table about records.
#[derive(Debug, Clone)]
pub struct NamedTable {
    file: Opened,
    heading: Vec<String>,
    lines: Vec<NamedLine>,
}

/// One of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedLine {
    /// Its number, counted from 1.
    pub line: usize,
    /// The record it is about.
    pub record: String,
    /// Its fields, one a column; `None` where there is no value (an empty field, NA, NaN and the like).
    pub fields: Vec<Option<String>>,
    /// Of fields that are words for "no value" the words, by column.
    words: Vec<(usize, String)>,
}

impl NamedLine {
    /// What stands in a column, be it a word for "no value"; nothing where nothing does.
    pub fn told(&self, column: usize) -> Option<&String> {
        let word = self.words.iter().find(|(at, _)| *at == column).map(|(_, word)| word);
        self.fields.get(column)?.as_ref().or(word)
    }
}

impl NamedTable {
    /// Reads the file.
    ///
    /// # Errors
    /// [`ReadError`] with the line.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let file = open(path, Limit::TABLE)?;
        let (heading, lines) = parse(&file).map_err(|located| file.error(located))?;
        Ok(Self { file, heading, lines })
    }

    /// The file.
    pub fn file(&self) -> &Opened {
        &self.file
    }

    /// Its columns' names, in small letters.
    pub fn heading(&self) -> &[String] {
        &self.heading
    }

    /// The columns of this name, whatever its capitals.
    pub fn columns(&self, name: &str) -> Vec<usize> {
        let name = name.to_lowercase();
        (0..self.heading.len()).filter(|&i| self.heading[i] == name).collect()
    }

    /// Its lines, in order.
    pub fn lines(&self) -> &[NamedLine] {
        &self.lines
    }
}

const NO_HEADING: Fault = Fault::Malformed("has no heading with the column record (or file); add that line");

fn parse(file: &Opened) -> Parsed<(Vec<String>, Vec<NamedLine>)> {
    let table = Table::begin(file.bytes(), file.path(), RecordSize::Heading)?;
    let heading = table.heading.clone().ok_or(NO_HEADING)?;
    let named = |name: &str| heading.iter().position(|column| column == name);
    // A manifest names its records by their files.
    let record = named("record").or_else(|| named("file")).ok_or(NO_HEADING)?;
    let read = |(line, text)| -> Parsed<NamedLine> {
        let fields = table.fields(text, heading.len());
        if fields.found > heading.len() {
            return Err(table.misfit(&fields, heading.len()).at_line(line));
        }
        let text = |column: usize| fields.text(column).filter(|text| !text.is_empty());
        let name = text(record).ok_or_else(|| Fault::MissingValue { what: "the record" }.at_line(line))?;
        let (mut all, mut words) = (Vec::with_capacity(heading.len()), Vec::new());
        for column in 0..heading.len() {
            let (missing, found) = match text(column) {
                Some(text) if is_missing(text.as_bytes()) => (Some(text), None),
                Some(text) if table.has_decimal_commas() => (None, Some(with_point(text))),
                other => (None, other),
            };
            words.extend(missing.map(|word| (column, word)));
            all.push(found);
        }
        Ok(NamedLine { line, record: name, fields: all, words })
    };
    let lines = table.records(file.bytes()).map(read).collect::<Parsed<_>>()?;
    Ok((heading, lines))
}

/// A number with a decimal comma as one with a point.
fn with_point(text: String) -> String {
    let plain = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b',' | b'e' | b'E'));
    if plain && text.matches(',').count() == 1 { text.replace(',', ".") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<NamedTable, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("covariates.csv");
        std::fs::write(&path, text).unwrap();
        NamedTable::read(&path).map_err(|e| e.problem())
    }

    #[test]
    fn columns_are_found_by_name_and_missing_values_told() {
        let table = read("Record,Age,sex\na.ply,3.5,F\nb.ply,NA\n\nc.ply,,M\n").unwrap();
        assert_eq!(table.columns("AGE"), [1]);
        assert!(table.columns("bmi").is_empty());
        let told: Vec<_> =
            table.lines().iter().map(|l| (l.line, l.fields[1].is_some(), l.fields[2].is_some())).collect();
        assert_eq!(told, [(2, true, true), (3, false, false), (5, false, true)]);
        assert_eq!(table.lines()[0].fields[1].as_deref(), Some("3.5"));
        for (text, problem) in [
            ("0,3\n", "has no heading"),
            ("name,age\na,3\n", "has no heading"),
            ("record,age\n,3\n", "line 2: the record is missing"),
            ("record,age\na,3,4\n", "line 2: has 3 fields"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with(problem), "{text}: {found}");
        }
    }
}
