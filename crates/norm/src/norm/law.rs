//! How people vary along released modes, as far as the release tells.

use crate::estimate::Design;
use crate::estimate::variance_function::{VarianceFunction, Variances};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The percentile is of modes whose variance has no more noise than this share of it (one standard deviation). Found on two public models of faces
/// at n = 1000, μ = 1: with all modes percentiles are off by half as much again.
const CLEAR: f64 = 0.1;
/// Of what the noise's turning of a mode would take from its variance if people did not vary in other directions, this much is lost. Found on the
/// same models, where it is .2 to .5.
const TURNED: f64 = 0.35;
/// By how much, as a share of all variances alike, a regression's are too small on average because the clip at the median of the lengths is undone
/// under a normal model, and how far they are off that (a standard deviation). Found on the same models.
const UNDONE: (f64, f64) = (0.045, 0.06);
/// What a mode's variance is off by itself beside its noise, as a share, where squared scores tell more.
const OWN: f64 = 0.05;
/// Draws of what the variances may be, and which: always the same.
const DRAWS: usize = 400;
const SEED: u64 = 0x1a3;
/// The least that a drawn variance is, as a share of the stated one.
const LEAST: f64 = 0.1;

/// Of normal intervals of 95 %.
const WIDE: f64 = 1.96;

/// What a release tells of how people vary.
#[derive(Debug, Clone)]
pub struct Stated {
    /// One standard deviation of each mode, orthogonal.
    pub modes: Vec<Vec<f64>>,
    /// Squares are means over so many points; 1 where they are sums.
    pub points: f64,
    /// The noise in each mode's variance, a standard deviation, in the unit of these squares.
    pub noise: Vec<f64>,
    /// How many coefficients the noised moments are of.
    pub looked: f64,
    /// The noise in the whole variance, as a share of it.
    pub whole_noise: f64,
    /// The variance that is stated beyond the modes.
    pub beyond: f64,
    /// Whether the public spectrum filled in what the people did not say.
    pub leans_on_prior: bool,
    /// Number of people.
    pub n: u64,
    /// Of a regression, its covariates.
    pub design: Option<Design>,
    /// How variances change with them, where that is told.
    pub variances: Option<VarianceFunction>,
}

/// The law of a person's coordinates along the released modes: independent and normal.
///
/// The noise of the second moment has turned the modes. Where an eigenvalue θ is found in noise whose own spectrum ends at 2t, people vary along
/// the direction that came out by θ − t²/θ on average, if they do not vary in others ([`crate::estimate::Components`]): `TURNED`. Of the mean's
/// error along them only the sample's is counted: what stands out of the noise of a second moment is far above that of the mean.
#[derive(Debug, Clone)]
pub struct Law {
    /// Unit directions of the modes, orthogonal, in the measure of [`Stated::points`].
    pub directions: Vec<Vec<f64>>,
    /// How a person is expected to vary along each, in the same measure.
    pub variances: Vec<f64>,
    /// Of how many modes, the first, the percentile is.
    pub clear: usize,
    /// What the law leaves of all variance that is stated beyond the modes.
    pub left: f64,
    points: f64,
    whole_noise: f64,
    /// What the variances of the clear modes may be, as shares of the stated ones: [`DRAWS`] times.
    shares: Vec<Vec<f64>>,
    /// What the variances are elsewhere.
    elsewhere: Option<Elsewhere>,
    has_covariates: bool,
}

/// How the law changes with covariates.
#[derive(Debug, Clone)]
struct Elsewhere {
    design: Design,
    variances: Variances,
    /// Those that are stated: of the modes, and beyond them.
    squares: Vec<f64>,
    beyond: f64,
}

/// A percentile: of 100 people of the norm, how many lie nearer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percentile {
    /// In [0, 100].
    pub value: f64,
    /// Where it lies with probability .95, by what the noise and the sample may have done to the variances.
    pub interval: (f64, f64),
}

/// Along one mode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Along {
    /// Which, from 1.
    pub mode: usize,
    /// Standard deviations from what is expected; the sign is that of the mode.
    pub z: f64,
    /// Displacement along it, in the measure of the deviation: not negative.
    pub length: f64,
}

/// What lies beyond the modes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct BeyondModes {
    /// Its square over what the noised variance leaves for it: about 1 for people of the norm, widely scattered. No percentile.
    pub ratio: Option<f64>,
    /// The ratio's 95 % interval by the noise in the released variance; no upper end where that may leave nothing.
    pub interval: (Option<f64>, Option<f64>),
}

/// How somebody compares.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Compared {
    /// Of 100 people of the norm, how many are less unusual along the clear modes: in [0, 100]. `None` where no mode is clear of the noise.
    pub percentile: Option<f64>,
    /// Where that lies with probability .95, by what the noise and the sample may have done to the variances.
    pub percentile_interval: Option<(f64, f64)>,
    /// Of how many modes it is: those whose variance is clear of the noise.
    pub modes_of_percentile: usize,
    /// The Mahalanobis distance it is of.
    pub distance: f64,
    /// All of the deviation.
    #[serde(skip)]
    pub deviation: f64,
    /// Along each mode, the most unusual first.
    #[serde(skip)]
    pub parts: Vec<Along>,
    /// Beyond them.
    pub beyond: BeyondModes,
}

impl Law {
    /// Of what a release states.
    pub fn of(stated: &Stated) -> Self {
        let points = stated.points;
        let squares: Vec<f64> = stated.modes.iter().map(|mode| square(mode) / points).collect();
        let columns = stated.design.as_ref().map_or(1, Design::columns) as f64;
        let n = stated.n as f64;
        let (short, common) = stated.design.as_ref().map_or((0.0, 0.0), |_| UNDONE);
        let turned = |(v, noise): (&f64, &f64)| {
            // Where the public spectrum filled in, the turning is in the estimate already.
            let lost =
                if stated.leans_on_prior { 0.0 } else { TURNED * noise * noise * 0.5 * stated.looked / v };
            (v - lost).max(LEAST * v) * (1.0 + columns / n + short)
        };
        let with_noise = || squares.iter().zip(&stated.noise);
        let variances: Vec<f64> = with_noise().map(turned).collect();
        let clear = with_noise().take_while(|(v, noise)| **noise <= CLEAR * **v).count();
        let doubts: Vec<f64> =
            with_noise().take(clear).map(|(v, noise)| ((noise / v).powi(2) + 2.0 / n).sqrt()).collect();
        let doubts: Vec<[f64; 2]> = doubts.into_iter().map(|doubt| [common, doubt]).collect();
        let unit = |(mode, v): (&Vec<f64>, &f64)| mode.iter().map(|x| x / v.sqrt()).collect();
        let directions = stated.modes.iter().zip(&squares).map(unit).collect();
        let left = stated.beyond + (squares.iter().sum::<f64>() - variances.iter().sum::<f64>()).max(0.0);
        let level =
            |((v, square), noise): ((&f64, &f64), &f64)| [v / square - 1.0, (noise / square).hypot(OWN)];
        let levels: Vec<[f64; 2]> = variances.iter().zip(&squares).zip(&stated.noise).map(level).collect();
        let of_all = stated.variances.as_ref().and_then(|v| v.drawn_to(&levels)).zip(stated.design.clone());
        let elsewhere =
            of_all.map(|(variances, design)| Elsewhere { design, variances, squares, beyond: stated.beyond });
        let (shares, whole_noise) = (shares(&doubts), stated.whole_noise);
        let has_covariates = stated.design.is_some();
        Self { directions, variances, clear, left, points, whole_noise, shares, elsewhere, has_covariates }
    }

    /// The law at these covariates, where variances change with them. Modes whose change was not asked for, and what lies beyond all, change as the others
    /// do on average.
    pub fn at(&self, values: &[Option<f64>]) -> Self {
        let Some(Elsewhere { design, variances, squares, .. }) = &self.elsewhere else {
            return self.clone();
        };
        let (here, reference) = (design.row(values), design.row(&[]));
        let grown = variances.common_at(&here) / variances.common_at(&reference);
        let asked = variances.modes();
        let changed = |(k, v): (usize, &f64)| {
            if k < asked { squares[k] * variances.at(&here, k).value } else { grown * v }
        };
        let doubt = |k: usize| {
            let share = variances.at(&here, k);
            share.doubt.map(|doubt| doubt / share.value)
        };
        Self {
            directions: self.directions.clone(),
            variances: self.variances.iter().enumerate().map(changed).collect(),
            left: grown * self.left,
            shares: shares(&(0..self.clear).map(doubt).collect::<Vec<_>>()),
            elsewhere: None,
            ..*self
        }
    }

    /// Of which covariates its variances are, in words, where there are any.
    pub fn note(&self) -> Option<&'static str> {
        match (self.has_covariates, &self.elsewhere) {
            (false, _) => None,
            (true, Some(_)) => Some("How much people vary is told at these covariates."),
            (true, None) => Some(
                "How much people vary at these covariates is not told by the release: it is taken to be the same at all of them.",
            ),
        }
    }

    /// Coordinates of a deviation along the directions.
    pub fn coordinates(&self, deviation: &[f64]) -> Vec<f64> {
        let dot = |d: &Vec<f64>| d.iter().zip(deviation).map(|(a, b)| a * b).sum::<f64>() / self.points;
        self.directions.iter().map(dot).collect()
    }

    /// Holds a deviation from the mean against the law; the mean has this error in the measure of the deviation, a root mean square.
    pub fn compare(&self, deviation: &[f64], error: f64) -> Compared {
        let coordinates = self.coordinates(deviation);
        let squares = self.squares(&coordinates);
        let percentile = self.percentile(&squares);
        let all = square(deviation) / self.points;
        let part =
            |(k, (c, v)): (usize, (&f64, &f64))| Along { mode: k + 1, z: c / v.sqrt(), length: c.abs() };
        let mut parts: Vec<Along> = coordinates.iter().zip(&self.variances).enumerate().map(part).collect();
        parts.sort_by(|a, b| b.z.abs().total_cmp(&a.z.abs()));
        Compared {
            percentile: percentile.map(|percentile| percentile.value),
            percentile_interval: percentile.map(|percentile| percentile.interval),
            modes_of_percentile: self.clear,
            distance: squares.iter().sum::<f64>().sqrt(),
            deviation: all.sqrt(),
            parts,
            beyond: self.beyond(all - coordinates.iter().map(|c| c * c).sum::<f64>(), error),
        }
    }

    fn beyond(&self, found: f64, error: f64) -> BeyondModes {
        let whole = self.left + self.variances.iter().sum::<f64>();
        let noise = WIDE * whole * self.whole_noise;
        let over =
            |expected: f64| Some(found.max(0.0) / (expected + error * error)).filter(|_| expected > 0.0);
        BeyondModes { ratio: over(self.left), interval: (over(self.left + noise), over(self.left - noise)) }
    }

    /// Squares of the coordinates along the clear modes over their variances: their sum is the squared Mahalanobis distance.
    pub fn squares(&self, coordinates: &[f64]) -> Vec<f64> {
        coordinates.iter().zip(&self.variances).take(self.clear).map(|(c, v)| c * c / v).collect()
    }

    /// The percentile of somebody with these squares: the mean over what the variances may be. `None` where no mode is clear.
    pub fn percentile(&self, squares: &[f64]) -> Option<Percentile> {
        let law = ChiSquared::new(self.clear as f64).ok()?;
        let among = |shares: &Vec<f64>| {
            100.0 * law.cdf(squares.iter().zip(shares).map(|(square, share)| square / share).sum())
        };
        let mut all: Vec<f64> = self.shares.iter().map(among).collect();
        all.sort_by(f64::total_cmp);
        let at = |share: f64| all[(share * (all.len() - 1) as f64).round() as usize];
        let value = all.iter().sum::<f64>() / all.len() as f64;
        Some(Percentile { value, interval: (at(0.025), at(0.975)) })
    }
}

/// The standard deviations at these covariates of somebody along each of so many modes and beyond all, in units of those that are stated: 1 where
/// variances are the same everywhere, or there is no law.
pub(super) fn deviations(law: Option<&Law>, modes: usize, values: &[Option<f64>]) -> (Vec<f64>, f64) {
    let Some((law, Elsewhere { squares, beyond, .. })) =
        law.and_then(|law| Some((law, law.elsewhere.as_ref()?)))
    else {
        return (vec![1.0; modes], 1.0);
    };
    let here = law.at(values);
    let share = |(v, square): (&f64, &f64)| (v / square).sqrt();
    let rest = if *beyond > 0.0 { (here.left / beyond).sqrt() } else { 0.0 };
    (here.variances.iter().zip(squares).map(share).collect(), rest)
}

/// What variances may be, as shares of the stated ones, by standard deviations of what all are off together and each on its own: [`DRAWS`] times.
fn shares(doubts: &[[f64; 2]]) -> Vec<Vec<f64>> {
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let mut drawn = |_| -> Vec<f64> {
        let all = normal();
        doubts.iter().map(|[common, own]| (1.0 + common * all + own * normal()).max(LEAST)).collect()
    };
    (0..DRAWS).map(&mut drawn).collect()
}

/// The sum of squares.
pub(super) fn square(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum()
}
