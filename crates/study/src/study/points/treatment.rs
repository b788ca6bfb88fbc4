//! What is done to each record of landmarks by itself, against public things only: missing landmarks are filled, specimens taken from the
//! wrong side are turned over, semilandmarks slide.
//!
//! The template is the public centre. All of it is a function of one record and of public files: part of the record, so free.

use super::PointStudyError;
use crate::io::shapes::{ShapeRecord, Suspect, suspects};
use crate::io::{Content, RecordSize, open_as, rows_of};
use crate::landmark::{
    Configuration, GeneralizedOptions, LandmarkError, Pairs, Slider, fill, full_distance, generalized,
    is_nearer_mirrored, reflected, slide, sliders_along,
};
use crate::privacy::PublicInput;
use crate::study::public_input;
use nalgebra::DMatrix;
use std::path::{Path, PathBuf};

/// Which points slide.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sliding {
    /// None: points of curves stay where they were put.
    #[default]
    None,
    /// Those of a table: three columns before, slide, after, landmarks counted from 1, as geomorph's `define.sliders` writes it.
    File(PathBuf),
    /// All inner points of the curves that the public centre's file tells of (`CURVES=`).
    Curves,
}

/// What is asked to be done to each record.
#[derive(Debug, Clone, Default)]
pub struct Treatment {
    /// Numbers that stand for missing landmarks, beside NA and nothing.
    pub missing: Vec<f64>,
    /// Which points slide along their curves, to where they bend the public centre least.
    pub sliding: Sliding,
    /// Whether records nearer to the mirror image of the public centre are reflected.
    pub unmirror: bool,
    /// A table of pairs (left, right), landmarks counted from 1: the mean is published in its symmetric and asymmetric part too.
    pub pairs: Option<PathBuf>,
    /// A table of pairs of landmarks, counted from 1, that pictures join by lines.
    pub links: Option<PathBuf>,
}

/// Rounds of sliding: tangents hardly turn after these.
const ROUNDS: usize = 3;

/// A treatment with its public files read.
#[derive(Debug, Clone)]
pub(in crate::study) struct Treated {
    template: Option<Configuration>,
    curves: Vec<std::ops::Range<usize>>,
    sliders: Vec<Slider>,
    pub pairs: Option<Pairs>,
    /// Lines of pictures, landmarks counted from 0.
    pub links: Vec<[usize; 2]>,
    unmirror: bool,
    pub public_inputs: Vec<PublicInput>,
}

impl Treatment {
    /// Reads the tables, against a public template where there is one.
    pub(super) fn open(
        &self,
        template: Option<&ShapeRecord>,
        landmarks: usize,
    ) -> Result<Treated, PointStudyError> {
        let mut public_inputs = Vec::new();
        let curves = template.map(|shape| shape.curves().to_vec()).unwrap_or_default();
        let template = template.map(ShapeRecord::to_matrix);
        let needs = |option: &str| {
            Err(PointStudyError::Input(format!(
                "{option} needs a public shape to go by: give it as --center FILE"
            )))
        };
        if template.is_none() && self.sliding != Sliding::None {
            return needs("sliding");
        }
        if template.is_none() && self.unmirror {
            return needs("--unmirror");
        }
        let sliders = match &self.sliding {
            Sliding::None => Vec::new(),
            Sliding::Curves => match sliders_along(&curves) {
                none if none.is_empty() => {
                    let text = "--sliders curves: the public centre's file has no points of curves (CURVES=); give a table of sliders";
                    return Err(PointStudyError::Input(text.into()));
                }
                sliders => sliders,
            },
            Sliding::File(path) => {
                let (rows, input) = whole_numbers::<3>(path)?;
                public_inputs.push(input);
                let sliders: Vec<Slider> = rows
                    .into_iter()
                    .map(|[before, slides, after]| Slider { before, slides, after })
                    .collect();
                check_sliders(path, template.as_ref(), &sliders)?;
                sliders
            }
        };
        let pairs = match &self.pairs {
            None => None,
            Some(path) => {
                let (rows, input) = whole_numbers::<2>(path)?;
                public_inputs.push(input);
                let pairs: Vec<(usize, usize)> =
                    rows.into_iter().map(|[left, right]| (left, right)).collect();
                Some(Pairs::new(&pairs, landmarks).map_err(|problem| in_table(path, &problem))?)
            }
        };
        let links = match &self.links {
            None => Vec::new(),
            Some(path) => {
                let (links, input) = whole_numbers::<2>(path)?;
                public_inputs.push(input);
                if let Some(beyond) = links.iter().flatten().find(|i| **i >= landmarks) {
                    let problem = LandmarkError::NoSuchLandmark { landmark: beyond + 1, landmarks };
                    return Err(in_table(path, &problem));
                }
                links
            }
        };
        Ok(Treated { template, curves, sliders, pairs, links, unmirror: self.unmirror, public_inputs })
    }

    /// For the certificate: what was done, from the options alone.
    pub(in crate::study) fn details(&self) -> Vec<(&'static str, String)> {
        let mut details = Vec::new();
        if self.sliding != Sliding::None {
            let how = "semilandmarks slid along their tangents by bending energy against the public centre, record by record";
            details.push(("sliding", how.to_owned()));
        }
        if self.unmirror {
            let how = "records nearer to the mirror image of the public centre were reflected, record by record; how many is not published";
            details.push(("mirrored", how.to_owned()));
        }
        details
    }
}

fn in_table(path: &Path, problem: &LandmarkError) -> PointStudyError {
    PointStudyError::Input(format!("{}: {problem}; correct the table", path.display()))
}

/// Tried on the template itself: what is wrong with the table fails here, before a record is read.
fn check_sliders(
    path: &Path,
    template: Option<&Configuration>,
    sliders: &[Slider],
) -> Result<(), PointStudyError> {
    let Some(template) = template else { return Ok(()) };
    slide(template, template, sliders, 1).map(|_| ()).map_err(|problem| in_table(path, &problem))
}

/// Rows of N landmarks counted from 1, as indices from 0.
fn whole_numbers<const N: usize>(path: &Path) -> Result<(Vec<[usize; N]>, PublicInput), PointStudyError> {
    let file = open_as(path, Content::Rows)?;
    let input = public_input(&file)?;
    let rows = rows_of(file, RecordSize::Known(N))?;
    let fail = |problem: String| PointStudyError::Input(format!("{}: {problem}", path.display()));
    let index = |x: &f64| {
        let whole = (1.0..1e9).contains(x) && x.fract() == 0.0;
        whole
            .then_some(*x as usize - 1)
            .ok_or_else(|| fail(format!("{x} is not a landmark; landmarks are counted from 1")))
    };
    let row = |row: Result<Vec<f64>, _>| {
        let row = row.map_err(|e: crate::io::RecordError| fail(e.to_string()))?;
        let row = row.iter().map(index).collect::<Result<Vec<_>, _>>()?;
        row.try_into().map_err(|_| fail(format!("rows are of {N} landmarks")))
    };
    Ok((rows.iter().map(row).collect::<Result<_, _>>()?, input))
}

impl Treated {
    /// Whether missing landmarks can be filled.
    pub fn fills(&self) -> bool {
        self.template.is_some()
    }

    /// The record as it enters the mean.
    ///
    /// # Errors
    /// What is wrong with it and what to do, in words.
    pub fn apply(&self, shape: &ShapeRecord) -> Result<ShapeRecord, String> {
        if !self.curves.is_empty() && shape.curves() != self.curves {
            return Err("has points of curves where the public centre has landmarks, or the other way round; digitize it alike".into());
        }
        let Some(template) = &self.template else { return Ok(shape.clone()) };
        let mut x = fill(&shape.to_matrix(), template).map_err(|e| e.to_string())?;
        if self.unmirror && is_nearer_mirrored(&x, template).map_err(|e| e.to_string())? {
            x = reflected(&x);
        }
        let x = slide(&x, template, &self.sliders, ROUNDS).map_err(|e| e.to_string())?;
        let done =
            ShapeRecord::from_matrix(shape.id.clone(), &x).ok_or("has neither two nor three coordinates")?;
        Ok(done.with_curves(shape.curves().to_vec()))
    }

    /// What whoever holds the data should know of these records, as they were read; nothing is done about it.
    /// Records with missing landmarks cannot be used where `dropped`; a private centre fills them where it is to fill `gaps`.
    pub fn remarks<'a>(
        &self,
        shapes: impl Iterator<Item = &'a ShapeRecord> + Clone,
        dropped: bool,
        gaps: bool,
    ) -> Vec<String> {
        let mut remarks: Vec<String> = suspects(shapes.clone()).into_iter().take(3).map(of_suspect).collect();
        let negative: Vec<usize> =
            shapes.clone().map(ShapeRecord::negative).filter(|count| *count > 0).collect();
        if !negative.is_empty() {
            remarks.push(format!(
                "{} negative coordinates in {} landmarks, which count as missing (in TPS with IMAGE=, where pictures have none); if they are \
                 coordinates, give --negative valid",
                records_have(negative.len()),
                negative.iter().sum::<usize>()
            ));
        }
        let on_curves = shapes.clone().filter(|shape| !shape.curves().is_empty()).count();
        if on_curves > 0 && self.sliders.is_empty() {
            remarks.push(format!(
                "{} points of curves (CURVES=), which count as landmarks as they stand. To slide them along their curves, give --sliders curves \
                 with a public --center",
                records_have(on_curves)
            ));
        }
        let filled =
            shapes.clone().filter(|shape| (self.fills() || gaps) && !dropped && shape.missing() > 0).count();
        if filled > 0 {
            remarks.push(format!(
                "{} missing landmarks, which were estimated from the {} centre",
                records_have(filled),
                if self.fills() { "public" } else { "private" }
            ));
        }
        if let Some(names) = self.mirrored(shapes) {
            remarks.push(names);
        }
        remarks
    }

    fn mirrored<'a>(&self, shapes: impl Iterator<Item = &'a ShapeRecord> + Clone) -> Option<String> {
        let is_mirrored = |shape: &ShapeRecord, template: &Configuration| {
            let filled = fill(&shape.to_matrix(), template).ok();
            filled.is_some_and(|x| is_nearer_mirrored(&x, template).unwrap_or(false))
        };
        let which: Vec<bool> = match &self.template {
            Some(template) => shapes.clone().map(|shape| is_mirrored(shape, template)).collect(),
            None => mirrored_among(&shapes.clone().map(ShapeRecord::to_matrix).collect::<Vec<_>>()),
        };
        let found: Vec<String> = shapes
            .enumerate()
            .filter(|(i, _)| which.get(*i) == Some(&true))
            .map(|(i, shape)| shape.id.clone().unwrap_or_else(|| format!("record {}", i + 1)))
            .collect();
        let some = found.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = if found.len() > 5 { " and more" } else { "" };
        let (what, done) = match (&self.template, self.unmirror) {
            (Some(_), true) => ("the public centre", "reflected"),
            (Some(_), false) => ("the public centre", "check, and give --unmirror to reflect such records"),
            (None, _) => (
                "the other records",
                "check; with a public shape as --center, --unmirror reflects such records",
            ),
        };
        let count = found.len();
        let records = if count == 1 { "1 record is".to_owned() } else { format!("{count} records are") };
        (count > 0).then(|| format!("{records} nearer to the mirror image of {what} ({some}{more}): {done}"))
    }
}

/// As many records tell which side most are of.
const MOST_COMPARED: usize = 200;

/// Which of these shapes are the mirror images of most others: at least twice as near to the mirrored mean as to the mean.
fn mirrored_among(shapes: &[Configuration]) -> Vec<bool> {
    let alike = |x: &&Configuration| {
        Some(x.shape()) == shapes.first().map(DMatrix::shape) && x.iter().all(|c| c.is_finite())
    };
    let compared: Vec<&Configuration> = shapes.iter().filter(alike).take(MOST_COMPARED).collect();
    let [first, _, _, ..] = compared[..] else { return Vec::new() };
    let is_mirrored = |x: &Configuration, of: &Configuration| {
        let (own, mirrored) = (full_distance(x, of), full_distance(&reflected(x), of));
        matches!((own, mirrored), (Ok(own), Ok(mirrored)) if 2.0 * mirrored < own)
    };
    let one_side: Vec<Configuration> =
        compared.iter().map(|x| if is_mirrored(x, first) { reflected(x) } else { (*x).clone() }).collect();
    let Ok(fit) = generalized(&one_side, GeneralizedOptions::default()) else { return Vec::new() };
    let flags: Vec<[bool; 2]> = shapes
        .iter()
        .map(|x| {
            if alike(&x) {
                [is_mirrored(x, &fit.mean), is_mirrored(&reflected(x), &fit.mean)]
            } else {
                [false; 2]
            }
        })
        .collect();
    let count = |side: usize| flags.iter().filter(|flag| flag[side]).count();
    let rare = usize::from(count(0) > count(1));
    flags.into_iter().map(|flag| flag[rare]).collect()
}

/// What else to do about missing landmarks, where a negative coordinate made them so.
pub(super) fn or_are_negative(shape: &ShapeRecord) -> String {
    match shape.negative() {
        0 => String::new(),
        n => format!(
            " ({n} have a negative coordinate, which counts as missing with IMAGE=; if they are coordinates, give --negative valid)"
        ),
    }
}

/// "1 record has", "2 records have".
fn records_have(count: usize) -> String {
    if count == 1 { "1 record has".to_owned() } else { format!("{count} records have") }
}

fn of_suspect(Suspect { code, landmarks }: Suspect) -> String {
    let have =
        if landmarks == 1 { "1 landmark has".to_owned() } else { format!("{landmarks} landmarks have") };
    format!(
        "{have} {code} for every coordinate, and {code} was taken as a coordinate; if it stands for a missing landmark, give --missing {code}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(k: usize) -> ShapeRecord {
        let x = Configuration::from_fn(k, 2, |i, j| ((4 * i + 7 * j + i * j) as f64).sin() * 3.0);
        ShapeRecord::from_matrix(Some("s".into()), &x).unwrap()
    }

    fn in_file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table.csv");
        std::fs::write(&path, text).unwrap();
        (dir, path)
    }

    #[test]
    fn tables_of_landmarks_are_counted_from_one_and_checked_first() {
        let template = shape(6);
        let open = |text: &str| {
            let (_dir, path) = in_file(text);
            let treatment = Treatment { sliding: Sliding::File(path), ..Treatment::default() };
            treatment.open(Some(&template), 6).map_err(|e| e.to_string())
        };
        // As R's write.csv writes geomorph's table.
        let sliders =
            open("\"\",\"before\",\"slide\",\"after\"\n\"1\",1,2,3\n\"2\",2,3,4\n").unwrap().sliders;
        assert_eq!(sliders[1], Slider { before: 1, slides: 2, after: 3 });
        assert_eq!(open("1,2,3\n").unwrap().sliders.len(), 1);
        for (text, word) in [
            ("0,1,2\n", "counted from 1"),
            ("1,2,7\n", "landmark 7"),
            ("1.5,2,3\n", "not a landmark"),
            ("1,2\n", "fields"),
        ] {
            let problem = open(text).unwrap_err();
            assert!(problem.contains(word) && problem.contains("table.csv"), "{problem}");
        }
        let (_dir, path) = in_file("left,right\n1,2\n2,3\n");
        let pairs = Treatment { pairs: Some(path), ..Treatment::default() };
        assert!(pairs.open(None, 6).unwrap_err().to_string().contains("named twice"));
        let unmirror = Treatment { unmirror: true, ..Treatment::default() };
        assert!(unmirror.open(None, 6).unwrap_err().to_string().contains("--center FILE"));
    }

    #[test]
    fn a_record_is_filled_turned_over_and_told_of() {
        let template = shape(7);
        let unmirror = Treatment { unmirror: true, ..Treatment::default() }.open(Some(&template), 7).unwrap();
        let mut x = reflected(&(template.to_matrix() * 30.0));
        x.row_mut(3).fill(f64::NAN);
        let record = ShapeRecord::from_matrix(Some("odd".into()), &x).unwrap();
        let done = unmirror.apply(&record).unwrap().to_matrix();
        assert!((done - template.to_matrix() * 30.0).amax() < 1e-9);
        let plain = Treatment::default().open(Some(&template), 7).unwrap();
        let remarks = plain.remarks([&record, &record].into_iter(), false, false).join("\n");
        assert!(
            remarks.contains("2 records are nearer")
                && remarks.contains("odd")
                && remarks.contains("--unmirror")
        );
        assert!(remarks.contains("2 records have missing landmarks"));
        assert!(plain.remarks([&template].into_iter(), false, false).is_empty());
        assert!(!plain.remarks([&record].into_iter(), true, true).join("").contains("missing"));
    }
}
