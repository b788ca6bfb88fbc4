//! Shapes of landmarks, in the plane or in space, made into tangent vectors at a centre: whatever is known to be noised of functions is then
//! noised of shapes.

mod centre;
mod likelihood;
mod records;
mod tangent;
#[cfg(test)]
mod tests;
mod worst_case;

pub use centre::{ShapeMoment, anywhere};
pub use records::ShapeRecords;
pub use tangent::Tangent;
pub use worst_case::ENTRY;

use super::MechanismError;
use super::functional::{FilledIn, OfSamples, priced_after};
use super::manifold::PrivateCentre;
use crate::function::Basis;
use crate::manifold::LandmarkShapes;
use crate::numeric::margins;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    Charge, ClipRadius, ClipSource, ClippedMean, Composition, Drawn, Mechanism, Mu, NoisedPart, Price,
    PrivacyLoss, Title,
};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

const TITLE: Title = Title {
    name: "landmark shapes in the tangent space of a centre",
    sentence: "Every shape is turned and scaled to match a centre, which is public or read off a noised average that needs none, and becomes \
               its deviation from that; nothing but the shape itself and the centre has a part in this.",
};

/// Most of μ² for a private centre: in the plane, where one direction has to be found, and in space, where there are three.
const CENTRE_SHARE: [f64; 2] = [0.15, 0.3];
/// Least of it.
const LEAST_CENTRE_SHARE: f64 = 0.08;
/// A centre that is expected to lie so near the mean is near enough, Riemannian distance: to pay more for it spoils the mean more than it spares.
/// (Of shares from .02 to .15, tried on corpora callosa, with and without their outline, and brains in the plane, macaques and brains in space.)
const NEAR_ENOUGH: f64 = 0.05;
/// μ over the whole for the vote on which of two mirror images is meant, in space.
const VOTE_SHARE: f64 = 0.15;
/// The most that a private centre's error adds to the public radius, Riemannian distance.
const MOST_ADDED: f64 = 0.4;

/// The centre that shapes are seen from.
#[derive(Debug, Clone)]
pub enum Centre {
    /// A public shape, centred and of unit norm.
    Public(DMatrix<f64>),
    /// One that is found and paid for first.
    Private,
}

/// What is known of shapes beforehand: all of it public.
#[derive(Debug, Clone)]
pub struct ShapeSetting {
    /// How many landmarks, in how many dimensions.
    pub space: LandmarkShapes,
    /// Where they are seen from.
    pub centre: Centre,
    /// How many closed outlines the landmarks go around, in order, one after the other and as many on each; 0 for landmarks without an order.
    pub outlines: usize,
    /// How far shapes may lie from a centre amid them (root mean square over a norm's coordinates, Riemannian distance): twice the largest
    /// distance is wide, half of it clips many.
    pub radius: f64,
    /// n.
    pub n: u64,
    /// The budget of the whole.
    pub mu: Mu,
}

/// The default of [`ShapeSetting::radius`]: it holds all shapes of eight of eleven public collections about their means (largest distances
/// .07 to .14; .25 for sand grains, .71 for handwritten digits), and one as far away again as these differ. Chosen on those.
pub const RADIUS: f64 = 0.18;

/// Makes a mechanism on functions: of a basis, the samples of the centre, what is expected of records about it, and μ. Its price must not depend on
/// the samples.
pub type Make<M> = Arc<dyn Fn(Basis, Vec<f64>, Expected, Mu) -> Result<M, MechanismError> + Send + Sync>;

/// What is expected about a centre: public.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// How far records may lie from it, compared with unit-area faces from theirs.
    pub scale: f64,
    /// How far a private centre lies from the mean, Riemannian distance, by its noise; `None` for a public one.
    pub centre_error: Option<f64>,
}

/// A statistic of shapes: that of their tangent vectors at a centre, public or private.
///
#[doc = include_str!("proof.md")]
///
/// # Failed records
/// A person without a usable shape contributes zero: no product to a private centre, no vote, the tangent vector zero at the centre.
#[derive(Clone)]
pub struct ShapeMechanism<M> {
    price: Price,
    space: LandmarkShapes,
    outlines: usize,
    centre: Source,
    /// What is left of the budget, and what is expected about the centre.
    left: (Mu, Expected),
    make: Make<M>,
    /// The tangent space that was asked for last: a basis of many landmarks takes long to make.
    last: Arc<Mutex<Tangent>>,
}

#[derive(Debug, Clone)]
enum Source {
    Public(DMatrix<f64>),
    Private(Arc<FirstPasses>),
}

/// What finds a private centre.
#[derive(Debug)]
struct FirstPasses {
    moment: ShapeMoment,
    pass: PrivateCentre<ShapeMoment>,
    /// On which of two mirror images is meant, in space.
    vote: Option<ClippedMean>,
}

/// What was released of shapes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReleasedShapes<V> {
    /// The centre, row by row: public, or noised and paid for.
    pub centre: Vec<f64>,
    /// Its expected squared error as a mean shape, told by the noised values alone; 0 for a public one.
    pub centre_error: f64,
    /// What records that are not whole may add to a mean's squared error, told by the noised values alone: they have what is missing, or all, from the
    /// centre, so its error times the square of their share is the most.
    #[serde(default)]
    pub filled_error: f64,
    /// The noised matrix that a private centre was read off, and the noised vote in space: as private as the centre, and not kept with it.
    #[serde(skip)]
    pub noised: Vec<f64>,
    /// What was released of the tangent vectors there.
    pub value: V,
}

/// A centre, and what is left of the payment.
struct FoundCentre {
    shape: DMatrix<f64>,
    /// Expected squared error.
    error: f64,
    /// See [`ReleasedShapes::filled_error`].
    filled: f64,
    noised: Vec<f64>,
    parts: Vec<NoisedPart>,
    left: Charge,
}

/// Records made ready: secret.
pub struct PreparedShapes<'a> {
    records: &'a ShapeRecords,
    moment: Vec<f64>,
}

impl<M: OfSamples> ShapeMechanism<M> {
    /// # Errors
    /// [`MechanismError`], about public numbers.
    pub fn new(setting: &ShapeSetting, make: Make<M>) -> Result<Self, MechanismError> {
        let ShapeSetting { space, ref centre, outlines, radius, n, mu } = *setting;
        let clip = ClipRadius::new(radius, ClipSource::Public)?;
        tangent::check(&space, outlines)?;
        let (centre, centre_error, left, parts) = match centre {
            Centre::Public(p) => {
                let (p, _) = space.preshape(p)?;
                (Source::Public(p), None, mu, Composition::new())
            }
            Centre::Private => private(space, outlines, n, mu)?,
        };
        let reach = clip.get().hypot(centre_error.unwrap_or(0.0).min(MOST_ADDED));
        // Faces' radii are in their own unit: what they are for 1 they are for shapes that differ so much more.
        let scale = reach / super::functional::Norm::White.face_radius();
        let expected = Expected { scale, centre_error };
        let placeholder = match &centre {
            Source::Public(p) => p.clone(),
            Source::Private(_) => anywhere(&space),
        };
        let about = Tangent::new(space, placeholder, outlines)?;
        let inner = make(about.basis().clone(), about.template(), expected, left)?;
        let what = "of shapes as tangent vectors at their centre";
        let price = priced_after(TITLE, what, inner.price_of(), parts, (n, mu))?;
        let last = Arc::new(Mutex::new(about));
        Ok(Self { price, space, outlines, centre, left: (left, expected), make, last })
    }

    /// Tangent space and mechanism at a centre: for what is made of a release.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] for a centre of another size.
    pub fn about(&self, centre: &[f64]) -> Result<(Tangent, M), MechanismError> {
        let (k, d) = (self.space.landmarks(), self.space.dimensions());
        if centre.len() != k * d {
            return Err(MechanismError::Shape("the centre is that of other shapes"));
        }
        let tangent = self.tangent(DMatrix::from_row_slice(k, d, centre))?;
        let (mu, expected) = self.left;
        let mechanism = (self.make)(tangent.basis().clone(), tangent.template(), expected, mu)?;
        Ok((tangent, mechanism))
    }

    fn tangent(&self, centre: DMatrix<f64>) -> Result<Tangent, MechanismError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.centre() != &centre {
            *last = Tangent::new(self.space, centre, self.outlines)?;
        }
        Ok(last.clone())
    }

    /// The shapes' space.
    pub fn space(&self) -> LandmarkShapes {
        self.space
    }

    /// How far shapes may lie from the centre, compared with unit-area faces from theirs.
    pub fn scale(&self) -> f64 {
        self.left.1.scale
    }

    /// What is left of the budget after the centre.
    pub fn left(&self) -> Mu {
        self.left.0
    }

    /// The public centre, if it is one.
    pub fn public_centre(&self) -> Option<&DMatrix<f64>> {
        match &self.centre {
            Source::Public(p) => Some(p),
            Source::Private(_) => None,
        }
    }

    /// The centre, drawn where it is private; and what is left of the payment.
    fn centre(
        &self,
        prepared: &PreparedShapes<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<FoundCentre, MechanismError> {
        let (moment, pass, vote) = match &self.centre {
            Source::Public(p) => {
                let (shape, noised) = (p.clone(), Vec::new());
                return Ok(FoundCentre {
                    shape,
                    error: 0.0,
                    filled: 0.0,
                    noised,
                    parts: Vec::new(),
                    left: paid,
                });
            }
            Source::Private(first) => (&first.moment, &first.pass, &first.vote),
        };
        let own = vote.as_ref().map(|vote| vote.price().loss);
        let left = PrivacyLoss::Gaussian(self.left.0);
        let losses: Vec<PrivacyLoss> =
            [Some(pass.price().loss), own, Some(left)].into_iter().flatten().collect();
        let mut paid = paid.split(&losses)?.into_iter();
        let mut next =
            || paid.next().ok_or(MechanismError::Shape("a payment has a part for every part of the release"));
        let Drawn { value, mut parts } = pass.draw(&prepared.moment, noise, next()?)?;
        let (mut shape, error) = moment.read(&value.noised);
        let filled = moment.share_not_whole(&value.noised).powi(2) * error;
        let mut noised = value.noised;
        if let Some(vote) = vote {
            let votes = prepared.records.votes(&shape);
            let drawn = vote.draw(&vote.prepare(&votes)?, noise, next()?)?;
            parts.extend(drawn.parts);
            noised.extend(&drawn.value);
            if drawn.value.first().is_some_and(|sum| *sum < 0.0) {
                shape.column_mut(0).neg_mut();
            }
        }
        Ok(FoundCentre { shape, error, filled, noised, parts, left: next()? })
    }
}

/// Share of μ² for a private centre of so many people: the most where it will be rough, less where less brings it near enough.
fn centre_share(space: LandmarkShapes, outlines: usize, n: u64, mu: Mu) -> Result<f64, MechanismError> {
    let most = CENTRE_SHARE[usize::from(space.dimensions() > 2)];
    let first = Mu::new(most.sqrt() * mu.get())?;
    let pass =
        PrivateCentre::new(ShapeMoment::new(space, outlines, n, first), n, PrivacyLoss::Gaussian(first))?;
    // Its error is in proportion to its noise.
    Ok((most * (pass.expected_error() / NEAR_ENOUGH).powi(2)).clamp(LEAST_CENTRE_SHARE.min(most), most))
}

/// The passes that find a centre, how far it is expected to lie from the mean, what is left of the budget, and the parts.
fn private(
    space: LandmarkShapes,
    outlines: usize,
    n: u64,
    mu: Mu,
) -> Result<(Source, Option<f64>, Mu, Composition), MechanismError> {
    let total = mu.get();
    let share = centre_share(space, outlines, n, mu)?;
    let first = Mu::new(share.sqrt() * total)?;
    let statistic = ShapeMoment::new(space, outlines, n, first);
    let pass = PrivateCentre::new(statistic.clone(), n, PrivacyLoss::Gaussian(first))?;
    let mut parts = Composition::new();
    parts.add(pass.price().mechanism.clone(), pass.price().loss);
    let mut spent = share * total * total;
    let vote = if space.dimensions() > 2 {
        let own = Mu::new(VOTE_SHARE * total)?;
        spent += own.get().powi(2);
        parts.add("vote on mirror images", PrivacyLoss::Gaussian(own));
        Some(ClippedMean::new(1, n, ClipRadius::new(1.0, ClipSource::Public)?, own)?)
    } else {
        None
    };
    let left = Mu::new((total * total - spent).sqrt() * (1.0 - margins::SPLIT))?;
    let error = pass.expected_error();
    let first = FirstPasses { moment: statistic, pass, vote };
    Ok((Source::Private(Arc::new(first)), Some(error), left, parts))
}

impl<M: OfSamples> Mechanism for ShapeMechanism<M> {
    type Records = ShapeRecords;
    type Prepared<'a>
        = PreparedShapes<'a>
    where
        Self: 'a;
    type Value = ReleasedShapes<M::Value>;
    type Error = MechanismError;

    fn price(&self) -> &Price {
        &self.price
    }

    fn prepare<'a>(&'a self, records: &'a ShapeRecords) -> Result<PreparedShapes<'a>, MechanismError> {
        records.check(&self.space, self.price.n)?;
        let moment = match &self.centre {
            Source::Public(_) => Vec::new(),
            Source::Private(first) => first.pass.prepare(&records.given())?,
        };
        // What can fail for want of data (covariates of another number) fails here, not after the charge.
        let (_, inner) = self.about(self.first_centre().transpose().as_slice())?;
        inner.check(records.people.len(), &records.rows)?;
        Ok(PreparedShapes { records, moment })
    }

    fn draw(
        &self,
        prepared: &PreparedShapes<'_>,
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<Self::Value>, MechanismError> {
        let FoundCentre { shape, error, filled, noised, mut parts, left } =
            self.centre(prepared, noise, paid)?;
        let centre = shape.transpose().as_slice().to_vec();
        let (tangent, inner) = self.about(&centre)?;
        let samples = tangent.functions(&prepared.records.filled(&self.space, &shape));
        let functions = FilledIn { samples, filled: prepared.records.shares() };
        let drawn = inner.draw_of(&inner.prepare_of(&functions, &prepared.records.rows)?, noise, left)?;
        parts.extend(drawn.parts);
        let (centre_error, filled_error) = (error, filled);
        let value = ReleasedShapes { centre, centre_error, filled_error, noised, value: drawn.value };
        Ok(Drawn { value, parts })
    }
}

impl<M: OfSamples> ShapeMechanism<M> {
    fn first_centre(&self) -> DMatrix<f64> {
        self.public_centre().cloned().unwrap_or_else(|| anywhere(&self.space))
    }
}

impl<M> std::fmt::Debug for ShapeMechanism<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShapeMechanism").field("price", &self.price).field("space", &self.space).finish()
    }
}
