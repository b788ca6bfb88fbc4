//! What a column's name says of what is in it. Names are in small letters.

use super::error::printable_name;
/// What a column of a table of records can be, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It names records.
    Record,
    /// It names landmarks.
    Landmark,
    /// It names either.
    Either,
    /// It numbers the rows, as R and pandas write them.
    Row,
    /// It says something else of a record.
    Other,
    /// Its name says nothing.
    Unknown,
}

const RECORD: &[&str] = &[
    "record",
    "specimen",
    "individual",
    "ind",
    "indiv",
    "subject",
    "subj",
    "person",
    "participant",
    "patient",
    "proband",
    "case",
    "animal",
    "skull",
    "photo",
    "photograph",
    "picture",
    "pic",
    "image",
    "img",
    "file",
    "path",
    "filepath",
    "scan",
    "slide",
    "frame",
    "sample",
    "shape",
    "face",
    "video",
    "mesh",
    "object",
];
const LANDMARK: &[&str] = &[
    "landmark",
    "lm",
    "lmk",
    "ldmk",
    "semilandmark",
    "point",
    "pt",
    "pnt",
    "bodypart",
    "keypoint",
    "kp",
    "joint",
    "marker",
    "fiducial",
];
/// Words that go with others (`specimen id`, `landmark name`), and name either where they stand alone.
const EITHER: &[&str] = &["id", "name", "label", "no", "nr", "num", "number", "index", "code", "key", "#"];
const ROW: &[&str] = &["", "unnamed", "row", "rowname", "rownames", "rowid"];
const OTHER: &[&str] = &[
    "sex",
    "gender",
    "age",
    "mass",
    "weight",
    "height",
    "length",
    "size",
    "csize",
    "centroidsize",
    "bmi",
    "species",
    "genus",
    "family",
    "population",
    "site",
    "locality",
    "location",
    "place",
    "city",
    "country",
    "group",
    "treatment",
    "side",
    "session",
    "visit",
    "time",
    "timepoint",
    "date",
    "day",
    "year",
    "observer",
    "operator",
    "rater",
    "replicate",
    "rep",
    "trial",
    "confidence",
    "likelihood",
    "score",
    "visible",
    "visibility",
    "quality",
    "comment",
    "note",
    "notes",
    "remark",
    "scale",
    "category",
    "class",
    "type",
    "status",
];

/// What a column of this name can be.
pub(super) fn role(name: &str) -> Role {
    if ROW.contains(&name) || name.starts_with("unnamed:") {
        return Role::Row;
    }
    let words: Vec<&str> = if name == "#" { vec!["#"] } else { words(name).collect() };
    let telling: Vec<Role> = words.iter().filter_map(|word| role_of_word(word)).collect();
    let first = telling.iter().find(|role| **role != Role::Either);
    match first {
        // Two words that do not agree say nothing, but for what is told of a record or a landmark.
        Some(role) if telling.iter().all(|other| other == role || *other == Role::Either) => *role,
        Some(_) if telling.contains(&Role::Other) => Role::Other,
        None if telling.len() == words.len() && !words.is_empty() => Role::Either,
        _ => Role::Unknown,
    }
}

fn role_of_word(word: &str) -> Option<Role> {
    let of = |word: &str| {
        let is = |words: &[&str]| words.contains(&word);
        let kinds = [
            (RECORD, Role::Record),
            (LANDMARK, Role::Landmark),
            (EITHER, Role::Either),
            (OTHER, Role::Other),
        ];
        kinds.into_iter().find(|(words, _)| is(words)).map(|(_, role)| role)
    };
    // `specimenid`, `filename`, `landmarks`.
    let stem = |ending: &str| of(word.strip_suffix(ending).filter(|stem| stem.len() > 1)?);
    of(word).or_else(|| ["id", "name", "no", "nr", "s"].into_iter().find_map(stem))
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// A coordinate: which axis, and of which landmark (nothing where there is but one: in a table with a row for each landmark).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Coordinate {
    pub axis: usize,
    pub landmark: String,
}

/// Words beside an axis that say nothing of the landmark.
const FILLING: &[&str] = &["coord", "coords", "coordinate", "coordinates", "pos", "position", "axis", "raw"];
/// Units, after the axis.
const UNITS: &[&str] = &["mm", "cm", "m", "um", "px", "pixel", "pixels"];

/// The coordinate a column of this name holds: `x`, `x1`, `1_x`, `lm3_y (mm)`, `nasion.z`, `xcoord1`.
pub(super) fn coordinate(name: &str) -> Option<Coordinate> {
    let (mut axis, mut landmark) = (None, String::new());
    for part in parts(name) {
        match (axis_of(part), axis) {
            (Some(found), None) => axis = Some(found),
            (Some(_), Some(_)) => return None,
            (None, Some(_)) if UNITS.contains(&part) => {}
            (None, _) if FILLING.contains(&part) => {}
            _ => landmark.push_str(part),
        }
    }
    axis.map(|axis| Coordinate { axis, landmark })
}

/// Runs of letters and runs of digits.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    words(name).flat_map(|word| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let end = rest.find(|c: char| c.is_numeric() != first.is_numeric()).unwrap_or(rest.len());
            let (part, after) = rest.split_at(end);
            rest = after;
            Some(part)
        })
    })
}

fn axis_of(part: &str) -> Option<usize> {
    let bare = FILLING.iter().find_map(|word| part.strip_prefix(word).or_else(|| part.strip_suffix(word)));
    ["x", "y", "z"].iter().position(|axis| bare.unwrap_or(part) == *axis)
}

/// Whether two of these columns are rows and columns of a picture.
pub(super) fn are_pixels(heading: &[String]) -> bool {
    let has = |words: &[&str]| heading.iter().any(|name| parts(name).any(|part| words.contains(&part)));
    has(&["row"]) && has(&["col", "column"])
}

/// A name for a message, in quotation marks, in short.
pub(super) fn quoted(name: &str) -> String {
    const LONGEST: usize = 24;
    printable_name(&name.chars().take(LONGEST).collect::<String>())
}

/// Names for a message: `"age" and "mass"`, at most so many that it stays a line.
pub(super) fn listed(names: &[&str], between: &str) -> String {
    const MOST: usize = 8;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| quoted(name)).collect();
    match (&shown[..], names.len().saturating_sub(MOST)) {
        ([first @ .., last], 0) if !first.is_empty() => format!("{} {between} {last}", first.join(", ")),
        (all, 0) => all.concat(),
        (all, more) => format!("{} {between} {more} more", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_tell_their_roles() {
        for (names, expected) in [
            (
                &["specimen", "photo", "file", "filename", "image_id", "subject no", "specimens", "scan"][..],
                Role::Record,
            ),
            (&["landmark", "lm", "point", "pointid", "landmark_name", "bodyparts", "lm no"], Role::Landmark),
            (&["id", "name", "label", "#", "index", "id no"], Role::Either),
            (&["", "unnamed: 0", "row"], Role::Row),
            (&["age", "sex", "centroid size", "session", "specimen age", "side"], Role::Other),
            (&["turtle", "ort", "landmark_photo", "v1"], Role::Unknown),
        ] {
            for name in names {
                assert_eq!(role(name), expected, "{name}");
            }
        }
    }

    #[test]
    fn names_of_columns_tell_axis_and_landmark() {
        for (name, axis, landmark) in [
            ("x", 0, ""),
            ("y (mm)", 1, ""),
            ("pos_x", 0, ""),
            ("x1", 0, "1"),
            ("1x", 0, "1"),
            ("1_x", 0, "1"),
            ("z.12", 2, "12"),
            ("xcoord1", 0, "1"),
            ("y_coord_3", 1, "3"),
            ("lm3_y", 1, "lm3"),
            ("nasion.z", 2, "nasion"),
            ("m_x_mm", 0, "m"),
        ] {
            let found = coordinate(name).unwrap();
            assert_eq!((found.axis, found.landmark.as_str()), (axis, landmark), "{name}");
        }
        for name in ["age", "", "sex", "max", "index", "nx", "xyz", "v1", "x_y", "csize", "taxon"] {
            assert_eq!(coordinate(name), None, "{name}");
        }
    }

    #[test]
    fn lists_stay_short() {
        assert_eq!(listed(&["a"], "and"), "\"a\"");
        assert_eq!(listed(&["a", "b", "c"], "or"), "\"a\", \"b\" or \"c\"");
        let many = ["a"; 11];
        assert!(listed(&many, "and").ends_with("\"a\" and 3 more"));
    }
}
