//! Tables that give records a label: who gave them, which group they are in.

use super::columns::{RecordSize, Table};
use super::error::{Fault, Parsed, ReadError};
use super::open::{Limit, Opened, open};
use super::text::is_missing;
use std::path::Path;

/// A line of such a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The line, counted from 1.
    pub line: usize,
    /// The record it is about.
    pub record: String,
    /// What is said of it.
    pub label: String,
}

/// The table that tells who gave which record: a heading with the columns `record` (or `file`, as in a manifest) and `person`, in any order, and
/// a line for each record. Other columns are passed over.
///
/// # Errors
/// [`ReadError`] with the line.
pub fn read_people(path: &Path) -> Result<(Opened, Vec<Label>), ReadError> {
    read(path, &PERSON)
}

/// The table that tells which record is in which group: a heading with the columns `record` and `group`, otherwise as [`read_people`].
///
/// # Errors
/// [`ReadError`] with the line.
pub fn read_groups(path: &Path) -> Result<(Opened, Vec<Label>), ReadError> {
    read(path, &GROUP)
}

/// A column of labels.
struct Column {
    name: &'static str,
    no_heading: &'static str,
    missing: &'static str,
    unclear: &'static str,
}

const PERSON: Column = Column {
    name: "person",
    no_heading: "has no heading with the columns record and person; add that line",
    missing: "the person",
    unclear: "has NA or the like for a person: fill in who it is, or rename the person if that is the name",
};
const GROUP: Column = Column {
    name: "group",
    no_heading: "has no heading with the columns record and group; add that line",
    missing: "the group",
    unclear: "has NA or the like for a group: fill it in, or rename the group if that is its name (every record has a group)",
};

fn read(path: &Path, column: &Column) -> Result<(Opened, Vec<Label>), ReadError> {
    let file = open(path, Limit::TABLE)?;
    let lines = labels(&file, column).map_err(|located| file.error(located))?;
    Ok((file, lines))
}

fn labels(file: &Opened, wanted: &Column) -> Parsed<Vec<Label>> {
    let table = Table::begin(file.bytes(), file.path(), RecordSize::Heading)?;
    let heading = table.heading.as_ref().ok_or(Fault::Malformed(wanted.no_heading))?;
    let column = |name: &str| {
        heading.iter().position(|column| column == name).ok_or(Fault::Malformed(wanted.no_heading))
    };
    // A manifest names its records by their files.
    let (record, label) = (column("record").or_else(|_| column("file"))?, column(wanted.name)?);
    let line = |(line, text)| -> Parsed<Label> {
        let fields = table.fields(text, heading.len());
        if fields.found > heading.len() {
            return Err(table.misfit(&fields, heading.len()).at_line(line));
        }
        let field = |column, what| {
            let text = fields.text(column).filter(|text| !text.is_empty());
            text.ok_or_else(|| Fault::MissingValue { what }.at_line(line))
        };
        let found =
            Label { line, record: field(record, "the record")?, label: field(label, wanted.missing)? };
        match is_missing(found.label.as_bytes()) {
            true => Err(Fault::Malformed(wanted.unclear).at_line(line)),
            false => Ok(found),
        }
    };
    table.records(file.bytes()).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(text: &str) -> Result<Vec<(usize, String, String)>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("people.csv");
        std::fs::write(&path, text).unwrap();
        let (_, lines) = read_people(&path).map_err(|e| e.problem())?;
        Ok(lines.into_iter().map(|l| (l.line, l.record, l.label)).collect())
    }

    #[test]
    fn columns_are_found_by_their_heading() {
        let lines = people("# who\nPerson;sex;Record\nann;f;\"a; 1.ply\"\n\nbob;m;b.ply\n").unwrap();
        assert_eq!(lines[0], (3, "a; 1.ply".into(), "ann".into()));
        assert_eq!(lines[1], (5, "b.ply".into(), "bob".into()));
        let lines = people("sep=;\nperson;record\nann;\"5\"\" rock\"\nbob;\"#1\"\n#2;x\n# remark\n").unwrap();
        assert_eq!(lines.iter().map(|line| &line.1[..]).collect::<Vec<_>>(), ["5\" rock", "#1", "x"]);
        for (text, problem) in [
            ("a.ply,ann\n", "has no heading"),
            ("record,name\na.ply,ann\n", "has no heading"),
            ("0,ann\n", "has no heading"),
            ("record,person\na.ply,\n", "line 2: the person is missing"),
            ("record,person\n,ann\n", "line 2: the record is missing"),
            ("record,person\na.ply,ann,x\n", "line 2: has 3 fields"),
            ("record,person\na.ply,NA\n", "line 2: has NA or the like"),
        ] {
            assert!(people(text).unwrap_err().starts_with(problem), "{text}: {:?}", people(text));
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("groups.csv");
        std::fs::write(&path, "group,record\nF,a.ply\n").unwrap();
        assert_eq!(read_groups(&path).unwrap().1[0].label, "F");
        assert!(read_people(&path).unwrap_err().problem().starts_with("has no heading"));
    }
}
