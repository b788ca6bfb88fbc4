//! What is public of other people's faces: where their mean lies and how they differ.

use super::average::mean_of;
use super::error::StudyError;
use super::faces::Faces;
use super::prepared::PreparedFile;
use crate::function::FaceCurves;
use crate::io::{Limit, npy, open};
use crate::job::layout::{CERTIFICATE, CURVES, MODES_NPY};
use crate::job::refuse_secret;
use crate::job::sum_of;
use crate::privacy::PublicInput;
use crate::study::{public_input, verify};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A prior for faces, from public ones or from an earlier release. Public, so that it costs no privacy: its mean is the public centre in
/// place of the template, its spread the shape that shrinkage expects. A wrong one costs accuracy only; one that was made of the study's own
/// records would void the guarantee.
#[derive(Debug, Clone)]
pub struct FacePrior {
    /// The files it was read from.
    pub inputs: Vec<PublicInput>,
    /// The public centre.
    pub mean: FaceCurves,
    /// Samples of what people, or modes of variation, differ by; nothing where only a mean is known.
    pub differences: Vec<Vec<f64>>,
    /// Hashes of single faces.
    sums: HashSet<[u8; 32]>,
}

impl FacePrior {
    /// From a file of public faces in the template's frame (n, J, m, 3), or the folder of an earlier private release of faces; `own`: the
    /// template's curves.
    ///
    /// # Errors
    /// [`StudyError::Prepared`] for faces in another frame, [`StudyError::Prior`] for a folder that is no private release of such curves.
    pub fn load(path: &Path, own: &FaceCurves) -> Result<Self, StudyError> {
        if path.is_dir() { Self::of_release(path, own) } else { Self::of_faces(path, own) }
    }

    fn of_faces(path: &Path, own: &FaceCurves) -> Result<Self, StudyError> {
        let file = open(path, Limit::TABLE)?;
        let input = public_input(&file)?;
        let file = PreparedFile::of(file, own.curves(), own.samples())?;
        let faces = file.all(own)?;
        let mean = mean_of(&faces)?;
        let differences: Vec<Vec<f64>> = faces.iter().map(|face| difference(face, &mean)).collect();
        let sums = faces.iter().map(|face| sum_of(face.data())).collect();
        Ok(Self { inputs: vec![input], mean, differences, sums })
    }

    fn of_release(path: &Path, own: &FaceCurves) -> Result<Self, StudyError> {
        let refused = |what: String| StudyError::Prior { path: path.to_owned(), what };
        let verified = verify(path, None, None).map_err(|e| refused(e.to_string()))?;
        if !verified.certificate.private {
            return Err(refused("its certificate does not say that it is private".into()));
        }
        let folder =
            [path.join("release"), path.to_owned()].into_iter().find(|f| f.join(CERTIFICATE).exists());
        let folder: PathBuf = folder.unwrap_or_else(|| path.to_owned());
        let certificate = open(&folder.join(CERTIFICATE), Limit::CERTIFICATE)?;
        let file = open(&folder.join(CURVES), Limit::TABLE)?;
        refuse_secret(&file)?;
        let array = npy::of(&file)?;
        if array.shape != [own.curves(), own.samples(), 3] {
            return Err(refused(format!(
                "its curves have the shape {:?}, those of this study ({}, {}, 3)",
                array.shape,
                own.curves(),
                own.samples()
            )));
        }
        let mean = FaceCurves::new(own.curves(), own.samples(), array.data)?;
        let modes = folder.join(MODES_NPY);
        let differences = if modes.exists() {
            let file = open(&modes, Limit::TABLE)?;
            refuse_secret(&file)?;
            let array = npy::of(&file)?;
            array.data.chunks_exact(own.data().len()).map(<[f64]>::to_vec).collect()
        } else {
            Vec::new()
        };
        Ok(Self { inputs: vec![public_input(&certificate)?], mean, differences, sums: HashSet::new() })
    }

    /// A record that is one of the prior's faces, to the last bit.
    ///
    /// # Errors
    /// [`StudyError::InPrior`] for the data holder: nothing is charged.
    pub(super) fn refuse_own_records(&self, faces: &Faces) -> Result<(), StudyError> {
        if self.sums.is_empty() {
            return Ok(());
        }
        let mut own = None;
        faces.for_each(|record, face| {
            if own.is_none() && face.is_some_and(|face| self.sums.contains(&sum_of(face.data()))) {
                own = Some(record);
            }
        });
        own.map_or(Ok(()), |record| Err(StudyError::InPrior { record }))
    }
}

fn difference(face: &FaceCurves, mean: &FaceCurves) -> Vec<f64> {
    face.data().iter().zip(mean.data()).map(|(x, m)| x - m).collect()
}
