//! Regression of functions on covariates: the leading coefficients' moments with the covariates, and the fields made of them.

use super::{FunctionRecords, LeadingCoordinates, Norm, Reach};
use crate::estimate::design::Design;
use crate::estimate::law::Mapped;
use crate::estimate::moments::Weights;
use crate::estimate::{Band, Beside, Explained, Modes, Regression, Weighted, prior};
use crate::function::Basis;
use crate::mechanism::MechanismError;
use crate::mechanism::vector::{NoisedRegression, ScoreMoments, VectorRegression, Vectors};
use crate::privacy::noise::{NoisedMoments, NoisedSecond};
use crate::privacy::{ClipRadius, ClipSource, Mechanism, Mu, Price};
use nalgebra::DMatrix;
use std::borrow::Cow;

/// So many coefficients are looked at where little can be seen; from nμ = 500 on [`MORE`] √(nμ), up to [`MOST`]: fields of covariates are rougher
/// than modes, and coordinates that show nothing cost little, since they are shrunk on their own. Fitted on faces of a public model with
/// planted fields: 2.3 √(nμ), which is right for modes, leaves out up to a tenth of a field at nμ = 1000.
const FEW: (usize, f64) = (40, 500.0);
const MORE: f64 = 5.0;
const MOST: f64 = 200.0;

/// How many coefficients are looked at: follows from public numbers.
fn coefficients(n: u64, mu: f64) -> usize {
    let (few, enough) = FEW;
    let nmu = n as f64 * mu;
    if nmu < enough { few } else { (MORE * nmu.sqrt()).round().min(MOST) as usize }
}

/// nμ below which fields are hardly worth their budget: at 100 they are at three quarters of "saying nothing" or worse.
pub const WORTHWHILE: f64 = 100.0;

/// A regression of functions on covariates, by the leading coefficients of their deviation from a public template. What is noised are the
/// moments of a [`VectorRegression`]; everything else is public or post-processing.
#[derive(Debug, Clone)]
pub struct FunctionRegression {
    pub(super) leading: LeadingCoordinates,
    pub(super) design: Design,
    pub(super) moments: VectorRegression,
    /// What else is noised where variances may change with the covariates.
    pub(super) scores: Option<ScoreMoments>,
    pub(super) price: Price,
    pub(super) scale: f64,
    pub(super) n_mu: f64,
}

/// How records vary about what their covariates tell.
#[derive(Debug, Clone, PartialEq)]
pub struct ResidualModes {
    /// The directions, with variances and intervals about the fit.
    pub modes: Modes,
    /// Of how many leading coefficients, and their share of a record's variance by the public spectrum.
    pub looked: (usize, f64),
}

/// What a covariate's column does to a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The column's name.
    pub name: String,
    /// Samples `(points, channels)` of the displacement when the column grows by one: for a covariate, from the middle of its bounds to the
    /// upper one; shrunk.
    pub samples: Vec<f64>,
    /// The expected squared error of each sample against the field without noise, what shrinkage takes away included.
    pub errors: Vec<f64>,
    /// The root-mean-square displacement (over points, channels summed).
    pub rms: f64,
    /// Its expected root-mean-square error.
    pub error: f64,
    /// How far the field without noise lies from the population's, root mean square, as far as the release tells.
    pub sampling: Option<f64>,
}

impl Field {
    /// The error over that of saying nothing (a field of zeros): 1 where the noise hides the field.
    pub fn relative_error(&self) -> f64 {
        let nothing = (self.rms * self.rms + self.error * self.error).sqrt();
        if nothing > 0.0 { self.error / nothing } else { 1.0 }
    }
}

/// A regression as functions: post-processing of what was released.
#[derive(Debug, Clone, PartialEq)]
pub struct Fields {
    /// Samples of the mean at the reference values: every covariate in the middle of its bounds, between its levels.
    pub mean: Vec<f64>,
    /// The expected squared error of each of these samples.
    pub mean_errors: Vec<f64>,
    /// One a column, without the intercept.
    pub columns: Vec<Field>,
    /// What the covariates explain.
    pub explained: Explained,
}

impl FunctionRegression {
    /// For n functions about the public `template`, samples `(points, channels)`, at budget μ; `reach` tells how far records may lie from
    /// it, and how large fields are expected to be; a number is in units of unit-area faces.
    ///
    /// # Errors
    /// [`MechanismError`], about public things; [`MechanismError::Covariates`] where the noise would hide the covariates' own moments.
    pub fn new(
        basis: Basis,
        template: Vec<f64>,
        reach: impl Into<Reach>,
        design: Design,
        n: u64,
        mu: Mu,
    ) -> Result<Self, MechanismError> {
        check_columns(&design, n, mu.get())?;
        let count = coefficients(n, mu.get());
        let all = basis.len().max(1);
        let leading = LeadingCoordinates::new(basis, template, Norm::Quarter, all)?;
        let reach = reach.into();
        let public = ClipRadius::new(reach.radius_of(&leading, leading.face_radius()), ClipSource::Public)?;
        let moments =
            VectorRegression::new(leading.prior(), public, design.columns(), design.reach(), n, mu)?
                .looking_at(leading.first(count))?;
        let (price, n_mu) = (moments.price().clone(), n as f64 * mu.get());
        Ok(Self { leading, design, moments, scores: None, price, scale: reach.scale(), n_mu })
    }

    /// What is made of a release in which so many records took part, fewer than were planned for.
    pub(in crate::mechanism) fn of_records(&self, n: u64) -> Self {
        Self { moments: self.moments.of_records(n), ..self.clone() }
    }

    /// What it costs.
    pub fn price(&self) -> &Price {
        &self.price
    }

    /// The moments of covariates and coefficients.
    pub fn mechanism(&self) -> &VectorRegression {
        &self.moments
    }

    /// The covariates.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The coefficients that are looked at: the mean has all, fields the first ([`VectorRegression::dimension`]).
    pub fn coordinates(&self) -> &LeadingCoordinates {
        &self.leading
    }

    /// The coordinates of functions with the rows of the design ([`Design::row`]), in the same order.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] for other numbers of rows or samples.
    pub(super) fn vectors<'a>(
        &'a self,
        functions: &'a (dyn FunctionRecords + 'a),
        rows: impl Into<Cow<'a, [Vec<f64>]>>,
        held: usize,
    ) -> Result<Vectors<'a>, MechanismError> {
        let rows = rows.into();
        self.moments.check_rows(&rows, functions.count())?;
        Ok(self.leading.vectors(functions, held)?.with_covariates(rows))
    }

    /// The regression in coordinates.
    ///
    /// # Errors
    /// [`MechanismError::Shape`] for what another regression released.
    pub fn estimate(&self, released: &NoisedRegression) -> Result<Regression, MechanismError> {
        let k = self.moments.dimension();
        let (spectrum, roots) = (&self.leading.spectrum()[..k], &self.leading.roots()[..k]);
        let weights = Weights { spectrum, roots, scale: self.scale };
        let estimated = released.moments().and_then(|moments| {
            let kept = if self.moments.clips_at_median() { moments.kept_at_median() } else { 1.0 };
            let centre = (released.recentred.error, self.moments.recentring().n());
            Regression::new(&moments, &self.design, weights, centre, (kept, released.recentred.unseen.off()))
        });
        estimated.ok_or(MechanismError::Shape("the stored draw is not of this regression"))
    }

    /// The mean at the reference values, and every column's field.
    ///
    /// # Errors
    /// As [`Self::estimate`].
    pub fn fields(&self, released: &NoisedRegression) -> Result<Fields, MechanismError> {
        let found = self.estimate(released)?;
        let reference = self.design.row(&[]);
        let mut u = released.recentred.centre.clone();
        let mut errors = vec![0.0; u.len()];
        for (row, x) in found.fields.iter().zip(&reference) {
            u.iter_mut().zip(&row.values).for_each(|(u, value)| *u += x * value);
            errors.iter_mut().zip(&row.errors).for_each(|(e, error)| *e += x * x * error);
        }
        u.extend(&released.recentred.rest.values);
        errors.extend(&released.recentred.rest.errors);
        let mean = self.leading.samples(&u);
        let centre = self.leading.samples(&released.recentred.whole_centre());
        let mut mean_errors = self.errors(&u, &errors);
        let unseen = released.recentred.unseen;
        unseen.add_to(&mut mean_errors, &mean, [&centre, self.leading.template()]);
        let n = self.moments.recentring().n() as f64;
        let residual = found.explained.residual();
        let column = |(name, (row, sampling)): (String, (&_, &f64))| {
            let sampling = residual.map(|residual| (sampling * residual / n).sqrt());
            self.field(name, row, sampling)
        };
        let rows = found.fields.iter().zip(&found.sampling).skip(1);
        Ok(Fields {
            mean,
            mean_errors,
            columns: self.design.names().into_iter().zip(rows).map(column).collect(),
            explained: found.explained,
        })
    }

    /// At most `asked` modes of what the covariates leave: free, from the same noised moments, S_uu − S_ux S_xx⁻¹ S_xu of the leading coordinates
    /// u (as many as modes are made of at this nμ). With B the fields, its noise along a direction g is to first order that of the joint matrix
    /// along (−Bg/X, g/τ), so that Weyl's intervals are wider by 1 + X²‖B‖²/τ².
    ///
    /// # Errors
    /// As [`Self::estimate`].
    pub fn residual_modes(
        &self,
        released: &NoisedRegression,
        asked: usize,
    ) -> Result<ResidualModes, MechanismError> {
        let found = self.estimate(released)?;
        let other = MechanismError::Shape("the stored draw is not of this regression");
        let whole = released.moments().ok_or(other)?;
        let residual = &found.residual;
        let n = self.moments.recentring().n();
        let k = self.leading.first(prior::coefficients(n, self.n_mu / n as f64)).min(residual.size());
        let rows = (0..residual.size()).flat_map(|i| (i..residual.size()).map(move |j| (i, j)));
        let entries: Vec<f64> =
            rows.zip(&residual.entries).filter(|((_, j), _)| *j < k).map(|(_, x)| *x).collect();
        let second = NoisedSecond { chosen: (0..k).collect(), entries, ..residual.clone() };
        let own: f64 = (0..k)
            .scan(0, |at, i| {
                let x = second.entries[*at];
                *at += k - i;
                Some(x)
            })
            .sum();
        let fields = DMatrix::from_fn(found.fields.len(), k, |i, j| found.fields[i].values[j]);
        let square = fields.singular_values().max().powi(2);
        let beside = Beside {
            energy: (whole.uu.trace() - own).max(0.0),
            widened: 1.0 + (self.design.reach() / residual.radius).powi(2) * square,
        };
        // About the fit: there is no mean to take off.
        let moments = NoisedMoments { mean: vec![0.0; k], mean_sigma: 0.0, second };
        let weighted =
            Weighted { roots: &self.leading.roots()[..k], spectrum: &self.leading.spectrum()[..k] };
        let modes = Modes::of_part(&moments, weighted, self.n_mu, asked, beside);
        let modes = modes.ok_or(MechanismError::Shape("the stored draw is not of this regression"))?;
        let modes = modes.raised(1.0 / released.recentred.unseen.used()[0]);
        Ok(ResidualModes { modes, looked: (k, 1.0 / (1.0 + self.leading.beyond(k))) })
    }

    /// 95 % bands for the population's fields about the unshrunk ones, each simultaneous over all samples of its field, or over what `maps`
    /// makes of these.
    ///
    /// # Errors
    /// As [`Self::estimate`].
    pub fn bands(
        &self,
        released: &NoisedRegression,
        maps: Option<&DMatrix<f64>>,
    ) -> Result<Vec<Band>, MechanismError> {
        let found = self.estimate(released)?;
        let (known, n) = (self.leading.known(), self.moments.recentring().n());
        let band = |row: usize| {
            let law = found.law(row, &known, n)?;
            let mut u = found.unshrunk[row].clone();
            u.resize(known.len(), 0.0);
            let centre = self.leading.displacement(&u);
            Some(match maps {
                None => Band::about(centre, &law, &self.leading),
                Some(maps) => {
                    let mapped = Mapped { field: &self.leading, maps };
                    Band::about(mapped.of(&centre), &law, &mapped)
                }
            })
        };
        let bands: Option<Vec<Band>> = (1..found.unshrunk.len()).map(band).collect();
        bands.ok_or(MechanismError::Shape("the stored draw is not of this regression"))
    }

    fn field(&self, name: String, row: &crate::function::shrink::Shrunk, sampling: Option<f64>) -> Field {
        let points = self.leading.basis().points() as f64;
        let errors = self.errors(&row.values, &row.errors);
        let samples = self.leading.displacement(&row.values);
        let rms = (samples.iter().map(|x| x * x).sum::<f64>() / points).sqrt();
        let error = (errors.iter().sum::<f64>() / points).sqrt();
        Field { name, samples, errors, rms, error, sampling }
    }

    /// Expected squared errors of samples: of the coordinates looked at, and what the public spectrum lets expect of the others.
    fn errors(&self, values: &[f64], of_coordinates: &[f64]) -> Vec<f64> {
        let squares = values.iter().zip(of_coordinates).map(|(u, e)| u * u + e);
        let inverse = self.leading.roots().iter().map(|root| root.powi(-2));
        let energy: f64 = squares.zip(inverse).map(|(u, w)| u * w).sum();
        let basis = self.leading.basis();
        let channels = basis.len() as f64 / basis.points() as f64;
        let left_out = energy * self.leading.beyond(values.len()) / channels;
        self.leading.variances(of_coordinates).into_iter().map(|v| v + left_out).collect()
    }
}

/// The noise of a covariate's second moment, 2√2 X²/(nμ), is to be at most what a covariate spread evenly over its bounds has: a third.
fn check_columns(design: &Design, n: u64, mu: f64) -> Result<(), MechanismError> {
    let needed = 3.0 * 8.0f64.sqrt() * design.reach().powi(2);
    let have = n as f64 * mu;
    if have >= needed {
        return Ok(());
    }
    let (columns, records) = (design.columns() - 1, (needed / mu).ceil() as u64);
    Err(MechanismError::Covariates { columns, n, mu, records, times: needed / have.max(f64::MIN_POSITIVE) })
}
