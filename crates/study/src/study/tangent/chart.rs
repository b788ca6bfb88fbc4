//! The tangent space of a manifold at a point, public or released, in an orthonormal frame: matrices, directions, hyperbolic points.

use super::space::{Displaced, TangentSpace};
use super::terms::Terms;
use crate::function::Basis;
use crate::manifold::{Manifold, TangentFrame};
use crate::privacy::{ClipRadius, ClipSource};
use crate::report::figure::Figure;
use crate::report::values::{in_circle, matrix};
use crate::study::points::{Array, PointStudyError, Words};
use nalgebra::DMatrix;
use serde_json::{Map, Value, json};

/// Most coordinates of a record: all are looked at, and of more no second moment is seen through its noise.
const MOST: usize = 400;
/// The largest rounding error that numbers within the public radius may have, relatively.
const ROUNDING: f64 = 1e-4;

/// How far points are moved to see how the space stretches displacements, as a share of the public radius.
const STEP: f64 = 1e-4;

/// Where a centre comes from that was found and paid for.
pub(super) const FOUND: &str = "private, paid from the budget";

/// A manifold about a point. The samples of a record are the coordinates of its logarithm there, whose Euclidean norm is the distance
/// from the centre; those of the centre are zero.
#[derive(Debug, Clone)]
pub(super) struct Chart<M: Manifold> {
    space: M,
    centre: M::Point,
    /// Where it comes from.
    centre_is: &'static str,
    /// Of a private centre, how far from the mean it can be at most.
    sought_within: Option<f64>,
    frame: TangentFrame<M>,
    radius: f64,
    words: Words,
    basis: Basis,
    zero: Vec<f64>,
    axes: Vec<usize>,
    entries: DMatrix<f64>,
}

impl<M> Chart<M>
where
    M: Manifold<Tangent = <M as Manifold>::Point> + 'static,
    for<'a> Array: From<&'a M::Point>,
{
    /// About this point; records further than `radius` are shortened.
    ///
    /// # Errors
    /// [`PointStudyError`], about public things: a point or a radius of no use, too many coordinates.
    pub(super) fn new(
        space: M,
        (centre, centre_is): (M::Point, &'static str),
        radius: f64,
        words: Words,
    ) -> Result<Self, PointStudyError> {
        space.check(&centre)?;
        let radius = ClipRadius::new(radius, ClipSource::Public)?.get();
        let input = |what: String| Err(PointStudyError::Input(what));
        let own = space.injectivity_radius();
        if radius > own {
            return input(format!(
                "no two of these {} are further than {own:.4} apart, so the radius {radius} bounds nothing; give a smaller --radius",
                words.records
            ));
        }
        if space.rounding_growth(radius) * f64::EPSILON > ROUNDING {
            return input(format!(
                "records at a distance of {radius} from the centre have numbers that a computer cannot tell apart; give a smaller --radius"
            ));
        }
        let d = space.dim();
        if d > MOST {
            return input(format!(
                "one of these {} has {d} coordinates; modes, regressions and comparisons take {MOST} at most, since all of them share the noise: \
                 leave some of them out",
                words.records
            ));
        }
        let (basis, zero) = (Basis::of_coordinates(d), vec![0.0; d]);
        Ok(Self::around(space, (centre, centre_is), radius, (words, basis, zero)))
    }

    fn around(
        space: M,
        (centre, centre_is): (M::Point, &'static str),
        radius: f64,
        (words, basis, zero): (Words, Basis, Vec<f64>),
    ) -> Self {
        let frame = TangentFrame::new(space.clone(), centre.clone());
        let mut unit = vec![0.0; zero.len()];
        let columns = (0..zero.len()).map(|j| {
            unit[j] = 1.0;
            let array = Array::from(&frame.vector(&unit));
            unit[j] = 0.0;
            nalgebra::DVector::from_column_slice(array.data())
        });
        let entries = DMatrix::from_columns(&columns.collect::<Vec<_>>());
        let axes = Array::from(&centre).shape().to_vec();
        Self {
            space,
            centre,
            centre_is,
            sought_within: None,
            frame,
            radius,
            words,
            basis,
            zero,
            axes,
            entries,
        }
    }

    /// The same about a point that was found, within another radius; it can lie so far from the mean at most.
    pub(super) fn found(&self, centre: M::Point, radius: f64, sought_within: f64) -> Self {
        let same = (self.words, self.basis.clone(), self.zero.clone());
        let around = Self::around(self.space.clone(), (centre, self.centre_is), radius, same);
        Self { sought_within: Some(sought_within), ..around }
    }

    /// The manifold.
    pub(super) fn manifold(&self) -> &M {
        &self.space
    }

    /// The coordinates of a record, which depend on it and on public things only; or why it has none.
    pub(super) fn coordinates(&self, record: &M::Point) -> Result<Vec<f64>, String> {
        let log = self.space.log(&self.centre, record);
        let log = log.map_err(|e| format!("has no place in the tangent space at the centre: {e}"))?;
        let coordinates = self.frame.coordinates(&log);
        if coordinates.len() != self.zero.len() || !coordinates.iter().all(|x| x.is_finite()) {
            return Err("lies too far from the centre to be told where; repair or remove it".into());
        }
        Ok(coordinates)
    }

    /// One array as a picture.
    fn picture(&self, name: &str, array: &[f64], caption: &str) -> Vec<Figure> {
        match (&self.axes[..], array) {
            ([k, _], _) => vec![Figure::chart(matrix(name, *k, array), caption)],
            (_, [x, y, ..]) if x.hypot(*y) <= 1.0 + 1e-9 => {
                let centre = Array::from(&self.centre);
                let place = |i: usize| centre.data().get(i).copied().unwrap_or(f64::NAN);
                let picture = in_circle(name, [*x, *y], ("centre", [place(0), place(1)]));
                vec![Figure::chart(
                    picture,
                    format!("{caption} The first two coordinates, within the unit circle."),
                )]
            }
            _ => Vec::new(),
        }
    }
}

impl<M> TangentSpace for Chart<M>
where
    M: Manifold<Tangent = <M as Manifold>::Point> + 'static,
    for<'a> Array: From<&'a M::Point>,
{
    fn words(&self) -> Words {
        self.words
    }

    fn terms(&self) -> Terms {
        Terms::POINTS
    }

    fn basis(&self) -> &Basis {
        &self.basis
    }

    fn centre(&self) -> &[f64] {
        &self.zero
    }

    fn radius(&self) -> f64 {
        self.radius
    }

    fn axes(&self) -> &[usize] {
        &self.axes
    }

    fn point(&self, samples: &[f64]) -> Vec<f64> {
        Array::from(&self.space.exp(&self.centre, &self.frame.vector(samples))).data().to_vec()
    }

    fn entries(&self) -> Option<&DMatrix<f64>> {
        Some(&self.entries)
    }

    fn sought_within(&self) -> Option<f64> {
        self.sought_within
    }

    fn stretch(&self, samples: &[f64]) -> f64 {
        let exp = |u: &[f64]| self.space.exp(&self.centre, &self.frame.vector(u));
        let from = exp(samples);
        let step = STEP * self.radius;
        let mut u = samples.to_vec();
        let square = |j: usize| {
            u[j] += step;
            let moved = self.space.dist(&from, &exp(&u)) / step;
            u[j] = samples[j];
            moved * moved
        };
        let found = ((0..samples.len()).map(square).sum::<f64>() / samples.len().max(1) as f64).sqrt();
        // A mean beyond what numbers can tell apart has no distance.
        if found.is_finite() { found } else { 1.0 }
    }

    fn details(&self) -> Map<String, Value> {
        let details = json!({
            "distance": self.words.distance,
            (if self.sought_within.is_none() { "public_centre" } else { "centre" }): self.centre_is,
            "means": "points: the exponential map at the centre of the mean in the tangent space there",
            "displacements": "modes, fields and differences: tangent vectors at the centre, of the records' form",
            "units": format!("{}; entries are those of the records", self.words.distance),
        });
        if let Value::Object(details) = details { details } else { Map::new() }
    }

    fn mean_figures(&self, mean: &[f64], _: &[f64]) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        Ok(vec![self.picture("private mean", mean, "The private mean.")])
    }

    fn displaced_figures(&self, displaced: &Displaced<'_>) -> Result<Vec<Figure>, PointStudyError> {
        // A tangent vector of a direction or point says nothing as a picture; the file has its numbers.
        if self.axes.len() < 2 {
            return Ok(Vec::new());
        }
        let caption = format!(
            "{}. The tangent vector that is added for \"{}\" and taken off for \"{}\".",
            displaced.caption, displaced.ends[1], displaced.ends[0]
        );
        Ok(self.picture(displaced.caption, &displaced.half_way(), &caption))
    }

    fn means_figures(&self, means: &[(&str, Vec<f64>)]) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        let one = |(name, mean): &(&str, Vec<f64>)| self.picture(name, mean, &format!("The mean of {name}."));
        Ok(vec![means.iter().flat_map(one).collect()])
    }
}
