//! Which private mean is released, by name.

pub use super::average::nonprivate_mean;

use super::prior::FacePrior;
use crate::function::{Basis, FaceCurves};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{
    Aim, BlockRadii, CurveMean, FunctionalMean, Norm, PerCurveMean, PerCurveSettings, PointwiseMean,
    PointwiseRanges, PrivateRadiusMean, RangeScale, TwoRoundMean,
};
use crate::privacy::{ClipRadius, ClipSource, Mu};
use serde::{Deserialize, Serialize};
use visard_base::parallel;

/// Which mean is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum FaceMechanism {
    /// All curves at once, in two rounds: a rough private centre, then a tight clip about it; the least noise
    #[default]
    Joint,
    /// All curves at once around the template, in one round
    #[cfg_attr(feature = "cli", value(name = "joint-1"))]
    #[serde(rename = "joint-1")]
    JointOnce,
    /// Curve by curve with matched noise
    Curves,
    /// As published; not private unless a clip radius is given
    Paper,
    /// Noise on every coordinate; not private unless a clip radius is given
    Pointwise,
    /// Mean without noise, written under internal/ only
    None,
}

impl FaceMechanism {
    /// Its name among options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Joint => "joint",
            Self::JointOnce => "joint-1",
            Self::Curves => "curves",
            Self::Paper => "paper",
            Self::Pointwise => "pointwise",
            Self::None => "none",
        }
    }

    /// What a plan calls a mean face by this mechanism, with a band or without.
    pub fn statistic(self, band: bool) -> String {
        let mut text = "face mean".to_owned();
        if self != Self::default() {
            text += " --mechanism ";
            text += self.name();
        }
        if band { text + " --band" } else { text }
    }
}

/// Default public clip radius of [`FaceMechanism::JointOnce`]: root-mean-square deviation of a unit-area face's curves from the
/// template's. Chosen on public populations before any study's data: it clips none of 200 faces of the built-in synthetic
/// population (largest 0.0254), of 1000 drawn from a public face model (0.0390) and of 30 public simulated ones (0.0328).
pub const JOINT_RADIUS: f64 = 0.045;

/// Templates at most this far from their mirror image (root mean square, unit area) let the shrinkage expect symmetry of the mean.
pub const NEARLY_SYMMETRIC: f64 = 0.02;

/// Default public radius of [`FaceMechanism::Curves`] for each curve's each coordinate.
pub const CURVE_RADIUS: f64 = 0.060;

/// Where the clip radius comes from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ClipChoice {
    /// The mechanism's public default.
    #[default]
    Default,
    /// A radius declared public.
    Public(ClipRadius),
    /// A private quantile of the records' deviations, paid from the budget (joint mechanisms only).
    Private,
}

impl ClipChoice {
    /// The radius given, or the default; `None` for a private one.
    fn or(self, default: f64) -> Result<Option<ClipRadius>, MechanismError> {
        Ok(match self {
            Self::Default => Some(ClipRadius::new(default, ClipSource::Public)?),
            Self::Public(radius) => Some(radius),
            Self::Private => None,
        })
    }
}

const JOINT_ONLY: MechanismError =
    MechanismError::Shape("a private clip radius is for the joint mechanism; give this one a public radius");

/// Where deviations from this template are analysed: with mirror classes where it is nearly symmetric.
pub fn basis(template: &FaceCurves) -> Basis {
    let symmetric = template.mirror_asymmetry() < NEARLY_SYMMETRIC;
    Basis::of_faces(template.curves(), template.samples(), symmetric)
}

/// The mechanism of this name for n records, around the template's own curves; `None` for [`FaceMechanism::None`]. Without a public
/// radius `paper` and `pointwise` measure their bounds on the records, and are priced as not private.
///
/// # Errors
/// [`MechanismError`]: all of it is about public numbers.
pub fn mechanism(
    kind: FaceMechanism,
    template: &FaceCurves,
    n: u64,
    clip: ClipChoice,
    mu: Mu,
) -> Result<Option<CurveMean>, MechanismError> {
    let blocks = 3 * template.curves();
    let settings =
        |s: Option<PerCurveSettings>| s.ok_or(MechanismError::Shape("kernel parameters out of range"));
    let per_curve = |radii, chosen| -> Result<CurveMean, MechanismError> {
        Ok(CurveMean::PerCurve(PerCurveMean::new(template.clone(), radii, settings(chosen)?, mu, n)?))
    };
    Ok(Some(match kind {
        FaceMechanism::None => return Ok(None),
        FaceMechanism::Joint => {
            CurveMean::TwoRounds(Box::new(two_rounds(Aim::Mean, template, n, clip, mu, None)?))
        }
        FaceMechanism::JointOnce => {
            let (basis, centre) = (basis(template), template.data().to_vec());
            match clip.or(JOINT_RADIUS)? {
                None => CurveMean::PrivateRadius(PrivateRadiusMean::new(basis, centre, mu, n)?),
                Some(radius) => {
                    let mean = FunctionalMean::in_norm(Norm::White, basis, centre, radius, mu, n)?;
                    CurveMean::Joint(mean.counting_unseen()?)
                }
            }
        }
        FaceMechanism::Curves => {
            let radius = clip.or(CURVE_RADIUS)?.ok_or(JOINT_ONLY)?;
            per_curve(BlockRadii::Public(vec![radius; blocks]), PerCurveSettings::matched())?
        }
        FaceMechanism::Paper => {
            let radii = match clip {
                ClipChoice::Default => BlockRadii::Measured,
                ClipChoice::Public(radius) => BlockRadii::Public(vec![radius; blocks]),
                ClipChoice::Private => return Err(JOINT_ONLY),
            };
            per_curve(radii, PerCurveSettings::paper())?
        }
        FaceMechanism::Pointwise => {
            let ranges = match clip {
                ClipChoice::Default => PointwiseRanges::Measured,
                ClipChoice::Public(radius) => PointwiseRanges::Public(radius),
                ClipChoice::Private => return Err(JOINT_ONLY),
            };
            let centre = template.data().to_vec();
            CurveMean::Pointwise(PointwiseMean::new(centre, ranges, RangeScale::OfMean, mu, n)?)
        }
    }))
}

/// The joint mechanism in two rounds, set for the shrunk mean or for a band about the unshrunk one; about the mean of public faces in place
/// of the template, and shrunk by how these differ, where there is a prior.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn two_rounds(
    aim: Aim,
    template: &FaceCurves,
    n: u64,
    clip: ClipChoice,
    mu: Mu,
    prior: Option<&FacePrior>,
) -> Result<TwoRoundMean, MechanismError> {
    // In the mechanism's own norm: a radius given for deviations is understood as one for faces that vary that much more or less.
    let scale = match clip {
        ClipChoice::Default => 1.0,
        ClipChoice::Public(radius) => radius.get() / JOINT_RADIUS,
        ClipChoice::Private => {
            TwoRoundMean::check_private_radius(aim, n, mu)?;
            1.0
        }
    };
    let (basis, centre) = (basis(template), prior.map_or(template, |prior| &prior.mean).data().to_vec());
    let mean = TwoRoundMean::aiming(aim, basis.clone(), centre, scale, mu, n)?;
    Ok(match prior {
        None => mean,
        Some(prior) => {
            let people: Vec<_> =
                parallel::map_slice(&prior.people.differences, |person| basis.analyse(person));
            mean.knowing(&people, template.data().to_vec())
        }
    })
}
