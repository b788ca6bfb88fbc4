//! Covariates of the records of a study, from a table: for the data holder, before anything is charged.

use super::labelled::{FROM_ONE, Mismatch, Mistake, join};
use crate::estimate::design::{Design, Kind, ValueError};
use crate::io::{NamedTable, Place, ReadError, RecordError};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What a table says of the records: secret.
#[derive(Debug, Clone)]
pub struct Covariates {
    /// Of every record, in the order of the records, the value of every covariate of the design.
    pub values: Vec<Vec<Option<f64>>>,
    /// How many values of every covariate lie outside its bounds, and are clipped.
    pub outside: Vec<usize>,
    /// How many records have no value of it, and count as in the middle.
    pub missing: Vec<usize>,
    /// How many records have no line in the table.
    pub absent: usize,
    /// SHA-256 of the table.
    pub table: [u8; 32],
}

/// Why covariates cannot be taken from a table. For the data holder, before anything is charged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CovariateError {
    /// The table cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A covariate that the table does not have.
    #[error("{}: there is no column {name}; the columns are {columns}", file.display())]
    NoColumn {
        /// The table.
        file: PathBuf,
        /// The covariate.
        name: String,
        /// What there is.
        columns: String,
    },
    /// Two columns of one name.
    #[error("{}: there are two columns {name}; rename one", file.display())]
    TwoColumns {
        /// The table.
        file: PathBuf,
        /// The covariate.
        name: String,
    },
    /// A line that does not go with the records.
    #[error("{}: {about}{fault}", file.display())]
    Line {
        /// The table.
        file: PathBuf,
        /// The line and the record.
        about: String,
        /// What is wrong.
        fault: CovariateFault,
    },
    /// A covariate that tells nothing.
    #[error(
        "{}: {name} is the same for all records, so nothing can be learnt of what it does; leave it out (this says something of the \
         data: do not publish it)",
        file.display()
    )]
    Constant {
        /// The table.
        file: PathBuf,
        /// The covariate.
        name: String,
    },
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CovariateFault {
    /// No such record.
    #[error(
        "is not a record of this study; records are scans by file name or path, rows of arrays by number from 0"
    )]
    Unknown,
    /// Two lines about one record.
    #[error("has its covariates in line {line} already; give every record once")]
    Doubled {
        /// The line before.
        line: usize,
    },
    /// Several records of this name.
    #[error("matches more than one record; give scans by their paths")]
    Ambiguous,
    /// Row 0 without a line, while later ones have one.
    #[error("{FROM_ONE}")]
    FromOne,
    /// A value.
    #[error("its {name} {fault}")]
    Value {
        /// The covariate.
        name: String,
        /// What is wrong with it.
        fault: ValueError,
    },
}

impl From<Mistake> for CovariateFault {
    fn from(mistake: Mistake) -> Self {
        match mistake {
            Mistake::Unknown | Mistake::Missing(_) => Self::Unknown,
            Mistake::Doubled(line) => Self::Doubled { line },
            Mistake::Ambiguous => Self::Ambiguous,
            Mistake::FromOne => Self::FromOne,
        }
    }
}

impl Covariates {
    /// Of `n` records of which `names` are all names of one. A covariate that is the same for all is refused.
    pub fn read(
        path: &Path,
        design: &Design,
        n: usize,
        names: &dyn Fn(usize) -> Vec<String>,
    ) -> Result<Self, CovariateError> {
        let all = Self::read_part(path, design, n, names)?;
        refuse_constant(path, design, &all.values)?;
        Ok(all)
    }

    /// The same for some of a study's records, in which a covariate may well be the same for all.
    pub fn read_part(
        path: &Path,
        design: &Design,
        n: usize,
        names: &dyn Fn(usize) -> Vec<String>,
    ) -> Result<Self, CovariateError> {
        let table = NamedTable::read(path)?;
        let columns = columns(&table, design)?;
        let fail = |place, record: &str, fault| {
            let about = RecordError::label(place, Some(record));
            CovariateError::Line { file: path.to_owned(), about, fault }
        };
        let mut lines = table.lines().iter().map(|line| (line.line, line.record.as_str()));
        let lines = join(&mut lines, n, names)
            .map_err(|Mismatch { place, record, what }| fail(place, &record, what.into()))?;
        let mut values: Vec<Option<Vec<Option<f64>>>> = vec![None; n];
        for (record, line) in lines.into_iter().enumerate() {
            let Some(line) = line.and_then(|line| table.lines().get(line)) else { continue };
            let value = |(covariate, column): (&crate::estimate::design::Covariate, &usize)| {
                // A level that is called NA was declared, and is one.
                let told = line.told(*column);
                let declared = matches!(&covariate.kind, Kind::Levels { levels } if levels.iter().any(|level| Some(level) == told));
                let text = if declared { told } else { line.fields[*column].as_ref() };
                let Some(text) = text else { return Ok(None) };
                let wrong = |fault| {
                    let fault = CovariateFault::Value { name: covariate.name.clone(), fault };
                    fail(Place::Line(line.line), &line.record, fault)
                };
                covariate.value(text).map(Some).map_err(wrong)
            };
            values[record] =
                Some(design.covariates().iter().zip(&columns).map(value).collect::<Result<_, _>>()?);
        }
        let absent = values.iter().filter(|row| row.is_none()).count();
        let none = vec![None; columns.len()];
        let values: Vec<_> = values.into_iter().map(|row| row.unwrap_or_else(|| none.clone())).collect();
        let count = |is: &dyn Fn(usize, Option<f64>) -> bool| -> Vec<usize> {
            (0..columns.len()).map(|i| values.iter().filter(|row| is(i, row[i])).count()).collect()
        };
        let outside = count(&|i, value| value.is_some_and(|value| !design.covariates()[i].holds(value)));
        let missing = count(&|_, value| value.is_none());
        Ok(Self { outside, missing, absent, table: table.file().sha256(), values })
    }

    /// What the data holder should know: how many records have no line, and how many others no value of a covariate.
    pub fn remarks(&self, design: &Design) -> Vec<String> {
        let n = self.values.len();
        let have = |count: usize| if count == 1 { "has" } else { "have" };
        let mut remarks = Vec::new();
        if self.absent > 0 {
            remarks.push(format!(
                "{} of {n} records {} no line in the table of covariates, and count as in the middle of all bounds: where the others' values lie to one \
                 side of it, fields are too small by up to that share, and their stated error leaves this out",
                self.absent,
                have(self.absent)
            ));
        }
        for (covariate, missing) in design.covariates().iter().zip(&self.missing) {
            let empty = missing.saturating_sub(self.absent);
            if empty > 0 {
                let name = &covariate.name;
                remarks.push(format!(
                    "{empty} of {n} records {} no value of {name}, and count as in its middle",
                    have(empty)
                ));
            }
        }
        remarks
    }

    /// How many values are outside the bounds, where some are.
    pub fn outside_remark(&self) -> Option<String> {
        let outside: usize = self.outside.iter().sum();
        let (values, are) = if outside == 1 { ("value", "is") } else { ("values", "are") };
        let remark =
            || format!("{outside} {values} of covariates {are} outside the bounds, and set to the bound");
        (outside > 0).then(remark)
    }

    /// How many values of each covariate are outside its bounds, and how many are missing, as JSON: secret.
    pub fn counted(&self, design: &Design) -> String {
        let of = |(i, covariate): (usize, &crate::estimate::design::Covariate)| json!({"name": covariate.name, "outside_bounds": self.outside[i], "missing": self.missing[i]});
        json!(design.covariates().iter().enumerate().map(of).collect::<Vec<_>>()).to_string()
    }

    /// Of `n` records without a table.
    pub fn none(n: usize) -> Self {
        let values = vec![Vec::new(); n];
        Self { values, outside: Vec::new(), missing: Vec::new(), absent: 0, table: [0; 32] }
    }

    /// Adds the last covariate of a design, by the value of every record.
    pub fn extend(&mut self, design: &Design, last: Vec<Option<f64>>) {
        let is_outside = |x: &f64| design.covariates().last().is_some_and(|covariate| !covariate.holds(*x));
        self.outside.push(last.iter().flatten().filter(|x| is_outside(x)).count());
        self.missing.push(last.iter().filter(|x| x.is_none()).count());
        self.values.iter_mut().zip(last).for_each(|(values, x)| values.push(x));
    }

    /// A row of the design for every person: the average of those of their records.
    pub fn rows(&self, design: &Design, members: &[Vec<usize>]) -> Vec<Vec<f64>> {
        let row = |own: &Vec<usize>| {
            let mut sum = vec![0.0; design.columns()];
            for values in own.iter().filter_map(|&i| self.values.get(i)) {
                sum.iter_mut().zip(design.row(values)).for_each(|(s, x)| *s += x / own.len() as f64);
            }
            sum
        };
        members.iter().map(row).collect()
    }
}

/// Where every covariate stands.
fn columns(table: &NamedTable, design: &Design) -> Result<Vec<usize>, CovariateError> {
    let of = |covariate: &crate::estimate::design::Covariate| {
        let (file, name) = (table.file().path().to_owned(), covariate.name.clone());
        match table.columns(&name)[..] {
            [column] => Ok(column),
            [] => Err(CovariateError::NoColumn { file, name, columns: table.heading().join(", ") }),
            _ => Err(CovariateError::TwoColumns { file, name }),
        }
    };
    design.covariates().iter().map(of).collect()
}

/// Columns that are alike for all records after they were clipped. (A single record has nothing to differ from.)
fn refuse_constant(path: &Path, design: &Design, values: &[Vec<Option<f64>>]) -> Result<(), CovariateError> {
    let rows: Vec<Vec<f64>> = values.iter().map(|row| design.row(row)).collect();
    for (i, covariate) in design.covariates().iter().enumerate() {
        let columns = design.first_column(i)..design.first_column(i + 1);
        if rows.windows(2).all(|pair| pair[0][columns.clone()] == pair[1][columns.clone()]) {
            return Err(CovariateError::Constant { file: path.to_owned(), name: covariate.name.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCANS: [&[&str]; 3] = [&["x/a.ply", "a.ply"], &["y/a.ply", "a.ply"], &["b.ply", "b.ply"]];

    fn read(text: &str) -> Result<Covariates, String> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("covariates.csv");
        std::fs::write(&file, text).unwrap();
        let design = Design::parse(&["age=0:10".into()], &["sex=F|M".into()], &[]).unwrap();
        let own = |i: usize| SCANS[i].iter().map(|&name| name.to_owned()).collect();
        Covariates::read(&file, &design, 3, &own).map_err(|e| e.to_string())
    }

    #[test]
    fn values_go_with_their_records_and_what_is_clipped_is_counted() {
        let found = read("record,SEX,note,age\nb.ply,M,x,12\n./x/a.ply,F,,3\n").unwrap();
        assert_eq!(found.values[2], [Some(12.0), Some(1.0)]);
        assert_eq!(found.values[0], [Some(3.0), Some(-1.0)]);
        assert_eq!(found.values[1], [None, None]);
        assert_eq!((&found.outside, &found.missing, found.absent), (&vec![1, 0], &vec![1, 1], 1));
        let design = Design::parse(&["age=0:10".into()], &["sex=F|M".into()], &[]).unwrap();
        assert!(found.remarks(&design).concat().starts_with("1 of 3 records has no line"));
    }

    #[test]
    fn a_level_called_na_is_one_where_it_was_declared() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("c.csv");
        std::fs::write(&file, "record;region;age\n0;NA;1,5\n1;EU;NA\n2;EU;2,5\n").unwrap();
        let design = Design::parse(&["age=0:10".into()], &["region=EU|NA".into()], &[]).unwrap();
        let found = Covariates::read(&file, &design, 3, &|i| vec![i.to_string()]).unwrap();
        assert_eq!(found.values[0], [Some(1.5), Some(1.0)]);
        assert_eq!(found.values[1], [None, Some(-1.0)]);
    }

    #[test]
    fn of_more_levels_none_is_taken_for_a_constant() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("c.csv");
        let design = Design::parse(&[], &["site=A|B|C|D".into()], &[]).unwrap();
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Covariates::read(&file, &design, 2, &|i| vec![i.to_string()])
        };
        let found = read("record,site\n0,C\n1,D\n").unwrap();
        assert_eq!((&found.values, &found.outside), (&vec![vec![Some(3.0)], vec![Some(4.0)]], &vec![0]));
        let members = found.rows(&design, &[vec![0, 1]]);
        let middle = |i: usize| 0.5 * (design.row(&found.values[0])[i] + design.row(&found.values[1])[i]);
        assert!((0..4).all(|i| (members[0][i] - middle(i)).abs() < 1e-15));
        assert!(read("record,site\n0,C\n1,C\n").is_err());
    }

    #[test]
    fn what_does_not_go_with_the_records_is_refused() {
        let head = "record,age,sex\n";
        for (text, problem) in [
            ("record,age\nb.ply,3\n", "there is no column sex"),
            ("record,age,age,sex\nb.ply,3,4,F\n", "two columns age"),
            (&format!("{head}c.ply,3,F\n"), "line 2, \"c.ply\": is not a record"),
            (&format!("{head}a.ply,3,F\n"), "matches more than one record"),
            (&format!("{head}b.ply,3,F\nb.ply,3,F\n"), "in line 2 already"),
            (&format!("{head}b.ply,old,F\n"), "its age is not a number"),
            (&format!("{head}b.ply,inf,F\n"), "its age is not a number"),
            (&format!("{head}b.ply,3,X\n"), "not one of the levels F and M"),
            (&format!("{head}b.ply,5,F\nx/a.ply,5,M\ny/a.ply,,M\n"), "age is the same for all records"),
            (&format!("{head}b.ply,11,F\nx/a.ply,12,M\ny/a.ply,50,M\n"), "age is the same for all records"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.contains(problem), "{text}: {found}");
            // Never the value, which is a record's.
            let said = found.split_once(".csv: ").map_or("", |(_, said)| said);
            assert!(!["old", "inf ", "X"].iter().any(|value| said.contains(value)), "{found}");
        }
    }

    #[test]
    fn persons_have_the_average_of_their_rows() {
        let found = read("record,age,sex\nx/a.ply,0,F\nb.ply,10,M\n").unwrap();
        let design = Design::parse(&["age=0:10".into()], &["sex=F|M".into()], &[]).unwrap();
        let rows = found.rows(&design, &[vec![0, 2], vec![1]]);
        assert_eq!(rows, [[0.5, 0.0, 0.0], [0.5, 0.0, 0.0]]);
    }
}
