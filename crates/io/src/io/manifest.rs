//! Manifests: the table that says which files are a study's scans, whose they are, and what else is known of them.

use super::error::{Fault, Place, ReadError};
use super::named::NamedTable;
use super::open::Opened;
use super::scans::check_named;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// A manifest: a table with a heading and the column `file` (relative to the manifest, or absolute), and, where wanted, `person`, `group` and
/// covariates. One line is one scan, whether its file is there or not: so n comes from the manifest alone.
#[derive(Debug, Clone)]
pub struct Manifest {
    table: NamedTable,
    scans: Vec<PathBuf>,
    called: Vec<Vec<String>>,
}

const NO_FILE: Fault = Fault::Malformed(
    "has no column file; a manifest is a table with a heading, of which the column file names the scans (relative to the manifest, or \
     absolute)",
);
const NO_LINES: Fault = Fault::Malformed("lists no scans; give a line to each");

impl Manifest {
    /// Reads the table. No scan is opened or looked for.
    ///
    /// # Errors
    /// [`ReadError`] with the line: no column `file`, no lines, a name that is no scan's, a file listed twice, a line without a person where
    /// there are persons.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let table = NamedTable::read(path)?;
        let fail = |fault: Fault| ReadError::new(path, fault);
        if table.columns("file").len() != 1 || !table.columns("record").is_empty() {
            return Err(fail(NO_FILE));
        }
        if table.lines().is_empty() {
            return Err(fail(NO_LINES));
        }
        let base = path.parent().unwrap_or(Path::new(""));
        let mut first: HashMap<PathBuf, usize> = HashMap::new();
        let mut scans = Vec::with_capacity(table.lines().len());
        for line in table.lines() {
            let file = without_dots(Path::new(&line.record));
            let misnamed =
                |e: ReadError| at_line(path, line.line, format!("{:?} {}", line.record, e.problem()));
            check_named(&file).map_err(misnamed)?;
            if let Some(before) = first.insert(file.clone(), line.line) {
                let what = format!("{:?} is in line {before} already; a scan has one line", line.record);
                return Err(at_line(path, line.line, what));
            }
            scans.push(base.join(file));
        }
        let manifest = Self { called: called(&table), table, scans };
        manifest.check_persons(path)?;
        Ok(manifest)
    }

    fn check_persons(&self, path: &Path) -> Result<(), ReadError> {
        let columns = self.table.columns("person");
        let nobodys = |line: &&super::NamedLine| columns.iter().any(|&column| line.fields[column].is_none());
        match self.table.lines().iter().find(nobodys) {
            None => Ok(()),
            Some(line) => {
                let what = format!(
                    "{:?} has no person; fill in the person column on every line, or leave the column out",
                    line.record
                );
                Err(at_line(path, line.line, what))
            }
        }
    }

    /// The same, with files that are not beside the manifest looked for in these folders. Only asks what is there; opens nothing.
    #[must_use]
    pub fn within(mut self, folders: &[PathBuf]) -> Self {
        for (scan, line) in self.scans.iter_mut().zip(self.table.lines()) {
            if !scan.exists() {
                let found = folders.iter().map(|folder| folder.join(&line.record)).find(|path| path.exists());
                *scan = found.unwrap_or_else(|| std::mem::take(scan));
            }
        }
        self
    }

    /// The file with the table.
    pub fn file(&self) -> &Opened {
        self.table.file()
    }

    /// How many scans it lists.
    pub fn len(&self) -> usize {
        self.scans.len()
    }

    /// Whether it lists none: never.
    pub fn is_empty(&self) -> bool {
        self.scans.is_empty()
    }

    /// Where the scans are, in the order of the lines.
    pub fn scans(&self) -> &[PathBuf] {
        &self.scans
    }

    /// A scan as it is listed.
    pub fn listed(&self, row: usize) -> &str {
        self.table.lines().get(row).map_or("", |line| &line.record)
    }

    /// The names that a scan goes by in other tables: as it is listed, and the name of its file where no other has it.
    pub fn names(&self, row: usize) -> &[String] {
        self.called.get(row).map_or(&[], Vec::as_slice)
    }

    /// Whether it has a column of this name.
    pub fn has(&self, column: &str) -> bool {
        !self.table.columns(column).is_empty()
    }

    /// What a row has in a column; nothing where it is empty, or there is no such column.
    pub fn value(&self, row: usize, column: &str) -> Option<&str> {
        let column = *self.table.columns(column).first()?;
        self.table.lines().get(row)?.fields.get(column)?.as_deref()
    }

    /// The first of some rows whose file is not there, and how many others there are: for whoever is about to read them.
    ///
    /// # Errors
    /// [`ReadError`] with the line.
    pub fn check_there(&self, rows: impl IntoIterator<Item = usize>) -> Result<(), ReadError> {
        let missing: Vec<usize> = rows.into_iter().filter(|&row| !self.scans[row].exists()).collect();
        let Some(&first) = missing.first() else { return Ok(()) };
        let others = match missing.len() - 1 {
            0 => String::new(),
            more => format!(", nor are {more} others of it"),
        };
        let what = format!(
            "{:?} is not there{others}; correct the manifest, or give the folder that the scans are in (a person whose scan is lost for good \
             stays: list an empty file)",
            self.listed(first)
        );
        Err(at_line(self.file().path(), self.table.lines()[first].line, what))
    }
}

fn at_line(path: &Path, line: usize, what: String) -> ReadError {
    ReadError::at(path, Place::Line(line), Fault::Listed { what })
}

/// A path without `.` in it.
fn without_dots(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

fn called(table: &NamedTable) -> Vec<Vec<String>> {
    let name = |record: &str| Path::new(record).file_name().map(|name| name.to_string_lossy().into_owned());
    let mut holders: HashMap<String, usize> = HashMap::new();
    for line in table.lines() {
        *holders.entry(line.record.clone()).or_default() += 1;
        if let Some(name) = name(&line.record).filter(|name| *name != line.record) {
            *holders.entry(name).or_default() += 1;
        }
    }
    let names = |line: &super::NamedLine| {
        let short = name(&line.record).filter(|name| *name != line.record && holders.get(name) == Some(&1));
        std::iter::once(line.record.clone()).chain(short).collect()
    };
    table.lines().iter().map(names).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Manifest, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("all.csv");
        std::fs::write(&path, text).unwrap();
        Manifest::read(&path).map_err(|e| e.to_string().replace(&format!("{}/", dir.path().display()), ""))
    }

    #[test]
    fn scans_are_the_lines_in_their_order() {
        let found = read("file,person,age\nsub-2/a.ply,two,3\n./sub-1/a.ply,one,\nb.obj,one,5\n").unwrap();
        assert_eq!(found.len(), 3);
        assert!(found.scans()[1].ends_with("sub-1/a.ply") && found.scans()[1].is_absolute());
        // The name of a file that two have is nobody's.
        assert_eq!(found.names(0), ["sub-2/a.ply"]);
        assert_eq!((found.names(2), found.listed(1)), (&["b.obj".to_owned()][..], "./sub-1/a.ply"));
        assert!(found.has("Age") && !found.has("group"));
        let missing = found.check_there(1..3).unwrap_err().to_string();
        assert!(missing.contains("line 3: \"./sub-1/a.ply\" is not there, nor are 1 others"), "{missing}");
    }

    #[test]
    fn files_beside_another_folder_are_found_there() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.ply"), "").unwrap();
        let found = read("file\na.ply\nc.ply\n").unwrap().within(&[dir.path().to_owned()]);
        assert_eq!(found.scans()[0], dir.path().join("a.ply"));
        assert!(found.check_there([0]).is_ok() && found.check_there([1]).is_err());
    }

    #[test]
    fn what_is_no_manifest_is_refused_with_the_line() {
        for (text, problem) in [
            ("record,age\na.ply,3\n", "has no column file"),
            ("file,file\na.ply,b.ply\n", "has no column file"),
            ("file,record\na.ply,b.ply\n", "has no column file"),
            ("file\n", "lists no scans"),
            ("file\na.ply\nb.ply\n./a.ply\n", "line 4: \"./a.ply\" is in line 2 already"),
            ("file\na.ply\nparticipants.csv\n", "line 3: \"participants.csv\" has the name of a table"),
            ("file\na.doc\n", "line 2: \"a.doc\" has a name with an unknown ending"),
            ("file,person\na.ply,x\nb.ply,\n", "line 3: \"b.ply\" has no person"),
            ("file,person\n,x\n", "line 2: the record is missing"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.contains(problem), "{text}: {found}");
        }
    }
}
