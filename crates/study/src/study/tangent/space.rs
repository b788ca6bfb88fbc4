//! The tangent space at a centre, in which records are functions.

use super::accuracy::{accuracy, registration_sentence, sentence};
use super::terms::Terms;
use crate::estimate::{Band, Spread};
use crate::function::Basis;
use crate::io::write_npy;
use crate::job::ReleaseFolder;
use crate::job::copies::Kind;
use crate::job::layout::MEAN_NPY;
use crate::job::unusable::ZERO_DEVIATION;
use crate::mechanism::functional::{DifferenceMap, Estimate, FunctionGroups, Reach, TELLING};
use crate::privacy::{Price, PublicInput, Statement};
use crate::report::colour::short;
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::report::slider::Slider;
use crate::study::face::Correspondence;
use crate::study::points::{PointAccuracy, PointStudyError, Words};
use crate::study::{Counting, Unusable};
use nalgebra::DMatrix;
use serde_json::{Map, Value, json};
use std::fmt::Debug;
use std::sync::Arc;

/// What is public of a study beside its statistic.
#[derive(Debug, Clone)]
pub struct Circumstances {
    /// The public files.
    pub public_inputs: Vec<PublicInput>,
    /// What counts as a person.
    pub counting: Counting,
    /// What is done with records that cannot be used.
    pub unusable: Unusable,
}

/// What is known of public people beside their mean.
#[derive(Debug)]
pub struct Known {
    /// Samples of what they differ from it by.
    pub differences: Vec<Vec<f64>>,
    /// Those of the centre that a study would have without them, in case they are the wrong people.
    pub elsewhere: Vec<f64>,
}

impl Known {
    /// How far they lie from their mean, root mean square; `None` of too few.
    pub fn spread(&self) -> Option<f64> {
        let squares: f64 = self.differences.iter().flatten().map(|x| x * x).sum();
        let spread = (squares / (self.differences.len().max(2) - 1) as f64).sqrt();
        (self.differences.len() >= TELLING && spread > 0.0).then_some(spread)
    }
}

/// The tangent space at a centre, in which records are functions: samples `(points, channels)` whose root-mean-square distance from those of
/// the centre (over points, channels summed) is the distance that the public radius is in. All of it is public, or released: with a private
/// centre, the space at the centre of a release takes the place of that which a study opened.
pub trait TangentSpace: Debug + Send + Sync {
    /// What records are called.
    fn words(&self) -> Words;

    /// What results are called.
    fn terms(&self) -> Terms;

    /// Displacements, and what is expected of them.
    fn basis(&self) -> &Basis;

    /// The samples of the centre.
    fn centre(&self) -> &[f64];

    /// What is known of public people, where their mean is the centre.
    fn known(&self) -> Option<Arc<Known>> {
        None
    }

    /// Of a centre that was found and paid for, how far from the mean it can be at most; `None` for a public one.
    fn sought_within(&self) -> Option<f64> {
        None
    }

    /// What small displacements from these samples are in the distance of the space, over their size in the tangent space: root mean square over all
    /// directions.
    fn stretch(&self, _samples: &[f64]) -> f64 {
        1.0
    }

    /// Of a displacement's mean square, the share that its samples are expected not to have.
    fn unseen(&self) -> f64 {
        0.0
    }

    /// How far records may lie from the centre; what lies further is shortened.
    fn radius(&self) -> f64;

    /// The same as mechanisms take it.
    fn reach(&self) -> Reach {
        Reach::RootMeanSquare(self.radius())
    }

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

    /// Samples as the numbers of an array, with what no displacement has.
    fn numbers(&self, samples: &[f64]) -> Vec<f64> {
        samples.to_vec()
    }

    /// A border of a band about a mean as the numbers of an array, given as [`Self::entries`] make it of samples.
    fn border(&self, border: &[f64]) -> Vec<f64> {
        self.numbers(border)
    }

    /// What such a band is of.
    fn banded(&self) -> &'static str {
        "as a deviation from the centre in its tangent space"
    }

    /// The size of a displacement with these samples, in the distance.
    fn size(&self, samples: &[f64]) -> f64 {
        (samples.iter().map(|x| x * x).sum::<f64>() / self.basis().points() as f64).sqrt()
    }

    /// A size in the distance, on a page.
    fn length(&self, size: f64) -> String {
        short(size)
    }

    /// Half the width of a band over the numbers of an array: on average, and the largest.
    fn half_widths(&self, band: &Band) -> [f64; 2] {
        [band.mean_half_width(), band.largest_half_width()]
    }

    /// How far a difference stands out of its band, place by place: above 0 where the band excludes no difference.
    fn standing_out(&self, _: &FunctionGroups, _: &DifferenceMap, band: &Band) -> Vec<f64> {
        // At a sample of a function all channels together; a matrix or point has one place an entry.
        let places = if self.entries().is_none() { self.basis().points() } else { band.centre.len() };
        let excess = band.excess();
        let most = |place: &[f64]| place.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        excess.chunks(excess.len() / places.max(1)).map(most).collect()
    }

    /// How far a released mean lies from the mean without noise, as far as the release itself tells; `spread`: the records' mean square
    /// distance from their mean, where the release tells.
    fn accuracy(
        &self,
        estimate: &Estimate,
        _looked: Looked,
        price: &Price,
        spread: Option<Spread>,
    ) -> PointAccuracy {
        let moved = distance(self, &estimate.samples, self.centre());
        let stretch = self.stretch(&estimate.samples);
        let found = accuracy(
            estimate,
            (moved, stretch, self.unseen()),
            (self.basis().points(), self.radius(), self.sought_within()),
            price,
            spread,
        );
        let found = match self.known() {
            None => found,
            Some(known) => found.of_prior(distance(self, &estimate.samples, &known.elsewhere)),
        };
        PointAccuracy { registration: self.registration(found.template_rms), ..found }
    }

    /// What registration is expected to add to the error of a mean that lies so far from the centre, where records are registered scans.
    fn registration(&self, _from_centre: f64) -> Option<Correspondence> {
        None
    }

    /// The same in words, for terminal and report.
    fn sentence(&self, accuracy: &PointAccuracy) -> String {
        let text = sentence(self.words().distance, accuracy, self.sought_within().is_none());
        text + &accuracy.registration.map_or_else(String::new, registration_sentence)
    }

    /// What is special about the space, for the certificate.
    fn details(&self) -> Map<String, Value> {
        Map::new()
    }

    /// What every certificate of the kind states; `statistic`: what is noised.
    fn state(&self, circumstances: &Circumstances, statistic: &str, statement: &mut Statement) {
        let Circumstances { counting, unusable, .. } = circumstances;
        let words = self.words();
        let details = json!({
            "space": words.space,
            "record_kind": counting.kind(words.record),
            "coordinates": statistic,
            "public_radius": self.radius(),
            "radius_of": format!(
                "deviations from the centre, which are shortened to it in the first round ({}); the second round's radius, about the \
                 centre that the first one released, is counted below it or a share of it",
                words.distance
            ),
            "unusable_records": unusable.describe(ZERO_DEVIATION),
        });
        extend(&mut statement.details, details);
        statement.details.extend(counting.details(Kind::Numbers));
        statement.details.extend(self.details());
    }

    /// A mean, as an array, beside the centre: rows of pictures. `errors`: see [`Statistic::errors`](super::statistic::Statistic::errors).
    ///
    /// # Errors
    /// A picture that cannot be made.
    fn mean_figures(&self, mean: &[f64], errors: &[f64]) -> Result<Vec<Vec<Figure>>, PointStudyError>;

    /// A mean to turn and to move along displacements, all as arrays.
    ///
    /// # Errors
    /// A picture that cannot be made.
    fn surface(&self, _mean: &[f64], _dials: &[Dial<'_>]) -> Result<Option<Figure>, PointStudyError> {
        Ok(None)
    }

    /// Puts pictures of displacements on a page.
    fn show(&self, page: &mut Page, pictures: &[Figure]) {
        page.figures(pictures);
    }

    /// What becomes of a mean at two ends, all as arrays.
    ///
    /// # Errors
    /// A picture that cannot be made.
    fn displaced_figures(&self, displaced: &Displaced<'_>) -> Result<Vec<Figure>, PointStudyError>;

    /// Several means over one another: rows of pictures.
    ///
    /// # Errors
    /// A picture that cannot be made.
    fn means_figures(&self, means: &[(&str, Vec<f64>)]) -> Result<Vec<Vec<Figure>>, PointStudyError>;

    /// A difference of means, where it stands out: rows of pictures, beside the mean it is drawn on.
    ///
    /// # Errors
    /// A picture that cannot be made.
    fn difference_figures(&self, _: &Differing<'_>) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        Ok(Vec::new())
    }

    /// What else the table of how it was made has: name and value.
    fn parameters(&self) -> Vec<Vec<String>> {
        Vec::new()
    }

    /// Publishes the mean of a group, as an array.
    ///
    /// # Errors
    /// [`PointStudyError`]: a file that cannot be written.
    fn write_group(
        &self,
        folder: &mut ReleaseFolder,
        name: &str,
        mean: &[f64],
    ) -> Result<(), PointStudyError> {
        Ok(folder.write_with(&format!("mean_{name}.npy"), |path| write_npy(path, self.axes(), mean))?)
    }

    /// Publishes a mean, as an array; `errors`: the expected squared error of each of its samples, where these are stated.
    ///
    /// # Errors
    /// [`PointStudyError`]: a file that cannot be written.
    fn write_mean(
        &self,
        folder: &mut ReleaseFolder,
        mean: &[f64],
        _errors: Option<&[f64]>,
    ) -> Result<(), PointStudyError> {
        Ok(folder.write_with(MEAN_NPY, |path| write_npy(path, self.axes(), mean))?)
    }

    /// What goes with every release beside the arrays.
    ///
    /// # Errors
    /// [`PointStudyError`]: a file that cannot be written.
    fn write_beside(&self, _folder: &mut ReleaseFolder) -> Result<(), PointStudyError> {
        Ok(())
    }
}

/// What an estimate of a mean has looked at.
#[derive(Debug, Clone, Copy)]
pub enum Looked {
    /// The first coordinates: how many, and which share of a record's variance they are expected to have.
    First(usize, f64),
    /// All, of records within this radius.
    All {
        /// Root mean square from the centre.
        radius: f64,
    },
}

/// A mean and what it becomes at two ends, as arrays, for pictures.
#[derive(Debug, Clone, Copy)]
pub struct Displaced<'a> {
    /// The mean.
    pub mean: &'a [f64],
    /// From it to either end.
    pub to: [&'a [f64]; 2],
    /// What the ends are.
    pub ends: [&'a str; 2],
    /// What is shown.
    pub caption: &'a str,
}

impl Displaced<'_> {
    /// Half the way from one end to the other: where these lie to both sides of the mean, from it to the second.
    pub fn half_way(&self) -> Vec<f64> {
        let [less, more] = self.to;
        less.iter().zip(more).map(|(less, more)| 0.5 * (more - less)).collect()
    }
}

/// A control that moves a mean.
#[derive(Debug, Clone)]
pub struct Dial<'a> {
    /// Where it can stand, and how much of each displacement it then adds; it has none of a surface.
    pub slider: Slider,
    /// These displacements, as arrays, with their names.
    pub moved: Vec<(String, &'a [f64])>,
}

/// A difference of two means, as arrays, for pictures.
#[derive(Debug, Clone, Copy)]
pub struct Differing<'a> {
    /// The mean it is drawn on.
    pub mean: &'a [f64],
    /// The shrunk difference.
    pub by: &'a [f64],
    /// Place by place, how far it stands out of its band ([`TangentSpace::standing_out`]).
    pub standing: &'a [f64],
    /// What is shown.
    pub caption: &'a str,
}

/// The root-mean-square distance of two functions by their samples.
pub(super) fn distance<S: TangentSpace + ?Sized>(space: &S, a: &[f64], b: &[f64]) -> f64 {
    let points = space.basis().points() as f64;
    (a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / points).sqrt()
}

/// Adds the entries of an object.
pub(super) fn extend(details: &mut Map<String, Value>, more: Value) {
    if let Value::Object(more) = more {
        details.extend(more);
    }
}
