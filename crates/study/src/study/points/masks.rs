//! Masks of organs as records of a shape study: each is made into an outline from its own file and public inputs alone.

use super::{PointStudyError, TableOptions};
use crate::images::{Correspondence, MaskMaking, outlines};
use crate::io::shapes::{ShapeReading, ShapeRecord, Shapes};
use crate::io::{Content, Opened, RecordSize, beside_masks, holds_masks, open_as, open_masks, read_shapes};
use crate::privacy::PublicInput;
use crate::study::public_input;
use std::path::{Path, PathBuf};

/// Landmarks that are put on outlines where neither an option nor a public outline says how many: public, like any number of them.
const LANDMARKS: usize = 50;

/// What is wrong with a file, as an error of a study.
fn unfit(path: &Path, what: &str) -> PointStudyError {
    PointStudyError::Input(format!("{}: {what}", path.display()))
}

/// Outlines of masks that are to be looked at.
#[derive(Debug, Clone)]
pub struct MaskOutlines {
    /// Those of the masks that have one.
    pub outlines: Vec<ShapeRecord>,
    /// What is wrong with each of the others.
    pub problems: Vec<String>,
    /// What the data holder should know.
    pub notes: Vec<String>,
}

/// The outlines of masks and folders of masks, with so many landmarks on each outline: as a study makes them. They are records, and not private.
///
/// # Errors
/// [`PointStudyError`]: a file that cannot be opened, or what an option has to decide.
pub fn outlines_of(
    paths: &[PathBuf],
    options: &TableOptions,
    landmarks: usize,
) -> Result<MaskOutlines, PointStudyError> {
    let (mut shapes, _) =
        options.of_masks(open_masks(paths)?, Some(landmarks * options.masks.curves()), None)?;
    shapes.note(paths.iter().filter_map(|path| beside_masks(path)));
    let (mut outlines, mut problems) = (Vec::new(), Vec::new());
    for shape in shapes.iter() {
        match shape {
            Ok((_, shape)) => outlines.push(shape),
            Err(error) => problems.push(error.to_string()),
        }
    }
    Ok(MaskOutlines { outlines, problems, notes: shapes.notes().to_vec() })
}

impl TableOptions {
    /// The records of a study: shapes of a table, or outlines of masks; and what public files were used for it. `landmarks` is how many are
    /// known; `centre`, where there is a public one, is the atlas of masks that are given no other.
    pub(super) fn records(
        &self,
        path: &Path,
        reading: ShapeReading,
        landmarks: Option<usize>,
        centre: Option<&ShapeRecord>,
    ) -> Result<(Shapes, Vec<PublicInput>), PointStudyError> {
        if !holds_masks(path) {
            if self.masks != MaskMaking::default() || self.atlas.is_some() {
                let what =
                    "holds no masks; --atlas, --correspondence, --label, --spacing and --slice are for masks";
                return Err(unfit(path, what));
            }
            return Ok((read_shapes(path, reading)?, Vec::new()));
        }
        let (mut shapes, inputs) = self.of_masks(open_as(path, Content::Masks)?, landmarks, centre)?;
        shapes.note(beside_masks(path));
        Ok((shapes, inputs))
    }

    /// The outlines of opened masks.
    fn of_masks(
        &self,
        file: Opened,
        landmarks: Option<usize>,
        centre: Option<&ShapeRecord>,
    ) -> Result<(Shapes, Vec<PublicInput>), PointStudyError> {
        let path = file.path().to_owned();
        let path = path.as_path();
        let atlas = self.atlas.as_ref().map(|atlas| self.outline(atlas, landmarks)).transpose()?;
        let (atlas, inputs) = match atlas {
            Some((shape, input)) => (Some(shape), vec![input]),
            None => (centre.cloned(), Vec::new()),
        };
        let points = atlas.as_ref().map(|shape| self.plane(path, shape)).transpose()?;
        let k = self.on_masks(path, landmarks.or(points.map(<[_]>::len)))?;
        if let Some(found) = points.map(<[_]>::len).filter(|found| *found != k) {
            return Err(unfit(path, &format!("the atlas has {found} landmarks where {k} are wanted")));
        }
        let curves = self.masks.curves();
        let mut made = outlines(&file, &self.masks, points, k / curves)?;
        made.notes.push(match curves {
            1 => format!("{k} landmarks were put on every outline (--landmarks K says how many)"),
            _ => format!(
                "{} landmarks were put on each of {curves} outlines of every mask (--landmarks K says how many together)",
                k / curves
            ),
        });
        Ok((Shapes::made(file, made.shapes, k, made.notes), inputs))
    }

    /// How many landmarks all outlines of a mask have together.
    fn on_masks(&self, path: &Path, known: Option<usize>) -> Result<usize, PointStudyError> {
        let curves = self.masks.curves();
        let k = known.unwrap_or(LANDMARKS * curves);
        if k < 3 * curves || !k.is_multiple_of(curves) {
            let together = if curves == 1 { "" } else { ", as many on each, all together" };
            return Err(unfit(
                path,
                &format!(
                    "an outline needs three landmarks or more{together}; give their number as --landmarks K"
                ),
            ));
        }
        Ok(k)
    }

    /// How many closed outlines the landmarks of a record go around: what is declared, one for each label of masks, 0 where nothing is known.
    pub fn outlines(&self, path: &Path, declared: Option<usize>) -> usize {
        declared.unwrap_or(if holds_masks(path) { self.masks.curves() } else { 0 })
    }

    /// Masks have one outline for each label.
    pub(in crate::study) fn check_outlines(
        &self,
        path: &Path,
        declared: usize,
    ) -> Result<(), PointStudyError> {
        let curves = self.masks.curves();
        if holds_masks(path) && declared > 0 && declared != curves {
            let what = format!("masks of {curves} labels have as many outlines each, not {declared}");
            return Err(unfit(path, &what));
        }
        Ok(())
    }

    /// What landmarks are put by on outlines of these masks.
    fn plane<'a>(&self, path: &Path, shape: &'a ShapeRecord) -> Result<&'a [[f64; 2]], PointStudyError> {
        let whole = shape.plane().filter(|_| shape.missing() == 0);
        whole.ok_or_else(|| {
            unfit(path, "the atlas of masks must be an outline in the plane without missing landmarks")
        })
    }

    /// A public outline: the only shape of a file of landmarks, or the only organ of a mask, on which so many landmarks are put evenly.
    pub(super) fn outline(
        &self,
        path: &Path,
        landmarks: Option<usize>,
    ) -> Result<(ShapeRecord, PublicInput), PointStudyError> {
        let is_mask = holds_masks(path);
        let file = open_as(path, if is_mask { Content::Masks } else { Content::Shapes })?;
        let input = public_input(&file)?;
        let shapes = if is_mask {
            let k = self.on_masks(path, landmarks)?;
            let making = MaskMaking { correspondence: Some(Correspondence::Index), ..self.masks.clone() };
            let made = outlines(&file, &making, None, k / self.masks.curves())?;
            Shapes::made(file, made.shapes, k, Vec::new())
        } else {
            let size = landmarks.map_or(RecordSize::Content, RecordSize::Known);
            self.public(file, size.into(), Some(2), true)?
        };
        let mut all = shapes.all()?;
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => Ok((only, input)),
            _ => Err(unfit(path, "holds several shapes where the public outline should be one")),
        }
    }
}
