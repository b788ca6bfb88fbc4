//! What a kind of record has to say of itself for statistics in a tangent space.

use crate::function::Basis;
use crate::job::ReleaseFolder;
use crate::privacy::PublicInput;
use crate::report::figure::Figure;
use crate::study::points::{PointStudyError, Read, Words};
use crate::study::{Counting, People, Unusable};
use nalgebra::DMatrix;
use serde_json::{Map, Value};
use std::fmt::Debug;
use std::sync::Arc;

/// Records of one kind: their files are open and what is public has been read, but no value of a record.
pub(in crate::study) trait TangentRecords {
    /// Where they are seen from.
    fn space(&self) -> Arc<dyn TangentSpace>;

    /// Who gave which records: n.
    fn people(&self) -> &People;

    /// How many records there are; in tables they are called by their number from 0.
    fn count(&self) -> usize;

    /// What every certificate of theirs states.
    fn circumstances(&self) -> Circumstances;

    /// What was passed over in their file, for the data holder.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// SHA-256 of what is read: the records, and who gave them.
    fn sums(&self) -> Vec<[u8; 32]>;

    /// Every person's samples ([`TangentSpace::centre`]): secret. What a record becomes depends on that record and on public things only.
    ///
    /// # Errors
    /// [`PointStudyError`]: the first record that cannot be used, where the study stops at them.
    fn read(&self) -> Result<Read<Vec<f64>>, PointStudyError>;
}

/// What is public of a study beside its statistic.
#[derive(Debug, Clone)]
pub(in crate::study) struct Circumstances {
    pub public_inputs: Vec<PublicInput>,
    pub counting: Counting,
    pub unusable: Unusable,
}

/// The tangent space at a centre, in which records are functions: samples `(points, channels)` whose root-mean-square distance from those of
/// the centre (over points, channels summed) is the distance that the public radius is in. All of it is public, or released: with a private
/// centre, the space at the centre of a release takes the place of that which a study opened.
pub(in crate::study) trait TangentSpace: Debug + Send + Sync {
    /// What records are called.
    fn words(&self) -> Words;

    /// Displacements, and what is expected of them.
    fn basis(&self) -> &Basis;

    /// The samples of the centre.
    fn centre(&self) -> &[f64];

    /// How far records may lie from the centre; what lies further is shortened.
    fn radius(&self) -> f64;

    /// The axes of one record as an array.
    fn axes(&self) -> &[usize];

    /// The record with these samples, as an array.
    fn point(&self, samples: &[f64]) -> Vec<f64>;

    /// From the samples of a displacement, one a column, to its entries as an array; `None` where these are the same.
    fn entries(&self) -> Option<&DMatrix<f64>>;

    /// A displacement with these samples, as an array.
    fn displacement(&self, samples: &[f64]) -> Vec<f64> {
        match self.entries() {
            None => samples.to_vec(),
            Some(entries) => (entries * nalgebra::DVector::from_column_slice(samples)).as_slice().to_vec(),
        }
    }

    /// For the certificate.
    fn details(&self) -> Map<String, Value>;

    /// A mean, as an array, beside the centre.
    ///
    /// # Errors
    /// A picture that cannot be made.
    fn mean_figures(&self, mean: &[f64]) -> Result<Vec<Figure>, PointStudyError>;

    /// What a displacement does to a mean, less and plus, all as arrays.
    ///
    /// # Errors
    /// A picture that cannot be made.
    fn displaced_figures(&self, displaced: &Displaced<'_>) -> Result<Vec<Figure>, PointStudyError>;

    /// Several means over one another.
    ///
    /// # Errors
    /// A picture that cannot be made.
    fn means_figures(&self, means: &[(&str, Vec<f64>)]) -> Result<Vec<Figure>, PointStudyError>;

    /// What goes with every release beside the arrays.
    ///
    /// # Errors
    /// [`PointStudyError`]: a file that cannot be written.
    fn write_beside(&self, _folder: &mut ReleaseFolder) -> Result<(), PointStudyError> {
        Ok(())
    }
}

/// A mean and a displacement of it, for pictures.
#[derive(Debug, Clone, Copy)]
pub(in crate::study) struct Displaced<'a> {
    pub mean: &'a [f64],
    pub by: &'a [f64],
    /// What the ends are: mean less displacement, mean plus displacement.
    pub ends: [&'a str; 2],
    pub caption: &'a str,
}

/// The root-mean-square distance of two functions by their samples.
pub(super) fn distance(space: &dyn TangentSpace, a: &[f64], b: &[f64]) -> f64 {
    let points = space.basis().points() as f64;
    (a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / points).sqrt()
}
