//! Which column of a table with a row for each landmark names the records, and which the landmarks: from the heading and from options,
//! never from what the rows hold. A record is what the guarantee is about: where two columns could name it, the table is refused.

use super::reading::{NO_COLUMN, ShapeColumns};
use crate::io::error::Fault;
use crate::io::heading::{Role, listed, quoted, role};

/// The columns, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Roles {
    /// That names the records; without one, all rows are of one.
    pub record: Option<usize>,
    /// That names the landmarks; without one, they are in the order of the rows.
    pub landmark: Option<usize>,
}

impl Roles {
    /// Of a heading of which these columns are coordinates.
    pub fn find(
        heading: &[String],
        axes: &[usize],
        given: &ShapeColumns,
        is_one: bool,
    ) -> Result<Self, Fault> {
        let others: Vec<usize> = (0..heading.len()).filter(|i| !axes.contains(i)).collect();
        let named = |name: &Option<String>, option| match name {
            None => Ok(None),
            Some(name) => column(heading, name, option).map(Some),
        };
        let record = named(&given.record, "--record-column")?;
        let landmark = named(&given.landmark, "--landmark-column")?;
        if let (Some(Some(record)), Some(Some(landmark))) = (record, landmark)
            && record == landmark
        {
            return Err(unclear("cannot have its records and its landmarks named by one column".into()));
        }
        let free = |i: &usize| Some(Some(*i)) != record && Some(Some(*i)) != landmark;
        let of = |wanted: &[Role]| -> Vec<usize> {
            others.iter().copied().filter(|i| free(i) && wanted.contains(&role(&heading[*i]))).collect()
        };
        let choice = Choice {
            heading,
            candidates: of(&[Role::Record, Role::Landmark, Role::Either, Role::Unknown, Role::Row]),
        };
        let (records, landmarks) = (of(&[Role::Record]), of(&[Role::Landmark]));
        let (either, unknown) = (of(&[Role::Either]), of(&[Role::Unknown]));
        let landmark = match (landmark, &landmarks[..]) {
            (Some(landmark), _) => landmark,
            (None, [only]) => Some(*only),
            (None, [_, _, ..]) => return Err(choice.of_landmarks()),
            (None, []) => {
                // Of a single column: it names the records, whose landmarks are in order; or, where there is but one, its landmarks.
                let rest = [&records[..], &either, &unknown].concat();
                return match (record, &rest[..]) {
                    (Some(record), []) => Ok(Self { record, landmark: None }),
                    (None, [only]) if is_one => Ok(Self { record: None, landmark: Some(*only) }),
                    (None, [only]) if role(&heading[*only]) != Role::Unknown || others.len() == 1 => {
                        Ok(Self { record: Some(*only), landmark: None })
                    }
                    (None, []) if others.is_empty() || is_one => Ok(Self { record: None, landmark: None }),
                    (Some(_), _) => Err(choice.of_landmarks()),
                    _ => Err(choice.of_both()),
                };
            }
        };
        let record = match (record, &records[..], &either[..], &unknown[..]) {
            (Some(record), ..) => record,
            (None, [only], ..) => Some(*only),
            (None, [], [only], []) => Some(*only),
            (None, [], [], []) if choice.candidates.iter().all(|i| Some(*i) == landmark) || is_one => None,
            _ if is_one => None,
            _ => return Err(choice.of_records(landmark)),
        };
        Ok(Self { record, landmark })
    }
}

/// The column of this name.
pub(super) fn column(heading: &[String], name: &str, option: &str) -> Result<Option<usize>, Fault> {
    let wanted = name.trim().to_lowercase();
    let found: Vec<usize> = (0..heading.len()).filter(|&i| heading[i] == wanted).collect();
    match found[..] {
        [only] => Ok(Some(only)),
        [] if wanted == NO_COLUMN => Ok(None),
        [] => {
            let columns: Vec<&str> = heading.iter().map(String::as_str).collect();
            Err(unclear(format!(
                "has no column {} ({option}); its columns are {}",
                quoted(name),
                listed(&columns, "and")
            )))
        }
        _ => Err(unclear(format!("has two columns {} ({option}); rename one", quoted(name)))),
    }
}

fn unclear(what: String) -> Fault {
    Fault::Unclear { what }
}

/// What a person has to choose from.
struct Choice<'a> {
    heading: &'a [String],
    candidates: Vec<usize>,
}

impl Choice<'_> {
    fn options(&self, option: &str, but: Option<usize>) -> String {
        let one = |i: &usize| format!("{option} {}", quoted(&self.heading[*i]));
        let all: Vec<String> = self.candidates.iter().filter(|i| Some(**i) != but).take(6).map(one).collect();
        match all.is_empty() {
            true => format!("{option} NAME"),
            false => all.join(" or "),
        }
    }

    fn of_records(&self, landmark: Option<usize>) -> Fault {
        unclear(format!(
            "has a row for each landmark, and its heading does not tell which column names the records (what is counted as one person each); give \
             {}, or --record-column {NO_COLUMN} if all rows are of one record",
            self.options("--record-column", landmark)
        ))
    }

    fn of_landmarks(&self) -> Fault {
        unclear(format!(
            "has a row for each landmark, and its heading does not tell which column names the landmarks; give {}, or --landmark-column {NO_COLUMN} \
             if the rows of every record are in the same order",
            self.options("--landmark-column", None)
        ))
    }

    fn of_both(&self) -> Fault {
        unclear(format!(
            "has a row for each landmark, and its heading does not tell which column names the records (what is counted as one person each) and which \
             the landmarks; give {}, and the other as --landmark-column (or --landmark-column {NO_COLUMN} if the rows of every record are in the same order)",
            self.options("--record-column", None)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(
        heading: &str,
        record: Option<&str>,
        landmark: Option<&str>,
        is_one: bool,
    ) -> Result<[Option<usize>; 2], String> {
        let heading: Vec<String> = heading.split(',').map(str::to_owned).collect();
        let axes: Vec<usize> =
            (0..heading.len()).filter(|&i| ["x", "y", "z"].contains(&&heading[i][..])).collect();
        let given = ShapeColumns { record: record.map(str::to_owned), landmark: landmark.map(str::to_owned) };
        let found = Roles::find(&heading, &axes, &given, is_one).map_err(|e| e.to_string())?;
        Ok([found.record, found.landmark])
    }

    #[test]
    fn one_column_of_each_role_decides() {
        for (heading, expected) in [
            ("specimen,landmark,x,y", [Some(0), Some(1)]),
            ("landmark,photo,x,y", [Some(1), Some(0)]),
            ("x,y,landmark,photo", [Some(3), Some(2)]),
            ("bodypart,frame,x,y", [Some(1), Some(0)]),
            ("id,landmark,x,y", [Some(0), Some(1)]),
            (",specimen,lm,x,y,z", [Some(1), Some(2)]),
            ("subject,session,landmark,x,y", [Some(0), Some(2)]),
            ("id,x,y", [Some(0), None]),
            ("specimen,sex,x,y", [Some(0), None]),
            ("turtle,x,y", [Some(0), None]),
            ("x,y", [None, None]),
            ("landmark,x,y", [None, Some(0)]),
            ("landmark,age,x,y", [None, Some(0)]),
        ] {
            assert_eq!(find(heading, None, None, false).unwrap(), expected, "{heading}");
        }
        assert_eq!(find("name,x,y", None, None, true).unwrap(), [None, Some(0)]);
    }

    #[test]
    fn what_could_be_two_things_is_asked_for() {
        for heading in [
            "file,name,x,y",
            "specimen,id,x,y",
            "id,name,x,y",
            "frame,id,x,y",
            "subject,photo,landmark,x,y",
            "turtle,landmark,x,y",
            ",landmark,x,y",
            "turtle,ort,x,y",
            "age,x,y",
        ] {
            let problem = find(heading, None, None, false).unwrap_err();
            assert!(problem.contains("--record-column"), "{heading}: {problem}");
        }
        for heading in ["specimen,landmark,point,x,y", "specimen,no,x,y"] {
            let problem = find(heading, None, None, false).unwrap_err();
            assert!(problem.contains("--landmark-column"), "{heading}: {problem}");
        }
        assert_eq!(find("file,name,x,y", Some("FILE"), Some("name"), false).unwrap(), [Some(0), Some(1)]);
        assert_eq!(find("specimen,no,x,y", None, Some("none"), false).unwrap(), [Some(0), None]);
        assert_eq!(
            find("subject,photo,landmark,x,y", Some("photo"), None, false).unwrap(),
            [Some(1), Some(2)]
        );
        for (record, landmark, problem) in [
            (Some("foto"), None, "no column \"foto\" (--record-column); its columns are \"file\", \"name\""),
            (Some("file"), Some("file"), "one column"),
        ] {
            assert!(find("file,name,x,y", record, landmark, false).unwrap_err().contains(problem));
        }
    }
}
