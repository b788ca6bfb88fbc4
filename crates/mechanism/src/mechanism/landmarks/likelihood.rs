//! How much likelier a release of shapes is from one dataset than from its neighbour: the best statistic there is of a centre and what is noised
//! about it, but for what the rough second centre tells.

use super::{ReleasedShapes, ShapeMechanism, ShapeMoment, ShapeRecords};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{
    FunctionGroups, FunctionRegression, FunctionalMean, FunctionalModes, NoisedComparison, NoisedFunction,
    OfSamples, TwoRoundMean,
};
use crate::mechanism::manifold::CentreStatistic;
use crate::mechanism::vector::{NoisedModes, NoisedRegression, Recentred};
use crate::privacy::noise::NoisedSecond;
use crate::privacy::{ClipRadius, ClipSource, Mu};
use nalgebra::DMatrix;

/// A person's usable shapes, those with gaps, and covariates.
#[derive(Debug, Clone, Default)]
pub(super) struct Person {
    pub(super) shapes: Vec<DMatrix<f64>>,
    pub(super) incomplete: Vec<DMatrix<f64>>,
    pub(super) row: Vec<f64>,
}

/// Two datasets that differ in their first person, of few kinds of people.
pub(super) struct Pair {
    /// The one first person, the other, and kinds of others with how many there are of each.
    pub(super) first: [Person; 2],
    pub(super) others: Vec<(Person, usize)>,
}

fn records(people: &[&Person]) -> ShapeRecords {
    ShapeRecords {
        people: people.iter().map(|person| person.shapes.clone()).collect(),
        incomplete: people.iter().map(|person| person.incomplete.clone()).collect(),
        estimated: Vec::new(),
        rows: people.iter().map(|person| person.row.clone()).collect(),
    }
}

impl Pair {
    pub(super) fn data(&self) -> [ShapeRecords; 2] {
        self.first.each_ref().map(|first| {
            let others = self.others.iter().flat_map(|(person, times)| std::iter::repeat_n(person, *times));
            records(&std::iter::once(first).chain(others).collect::<Vec<_>>())
        })
    }

    /// All kinds, the two first people before the others, and how many there are of each among the first `of` of either dataset.
    fn kinds(&self, of: usize) -> (ShapeRecords, [Vec<f64>; 2]) {
        let others = self.others.iter().map(|(person, _)| person);
        let kinds = records(&self.first.iter().chain(others).collect::<Vec<_>>());
        let mut left = of.saturating_sub(1);
        let counts: Vec<f64> = self
            .others
            .iter()
            .map(|(_, times)| {
                let taken = left.min(*times);
                left -= taken;
                taken as f64
            })
            .collect();
        let weights = [[1.0, 0.0], [0.0, 1.0]].map(|own| own.into_iter().chain(counts.clone()).collect());
        (kinds, weights)
    }
}

/// What was noised of vectors, each in the ball.
pub(super) struct Noised<'a> {
    mean: Option<(&'a [f64], f64)>,
    second: &'a NoisedSecond,
    /// Of all kinds of people.
    vectors: Vec<Vec<f64>>,
}

/// A statistic of shapes of which it is known what is noised.
pub(super) trait Noises: OfSamples {
    /// Of these functions about the public samples; with the rows of covariates.
    fn noises<'a>(
        &self,
        functions: &[Option<Vec<f64>>],
        rows: &[Vec<f64>],
        value: &'a Self::Value,
    ) -> Option<Noised<'a>>;
}

fn clipped(mut x: Vec<f64>, radius: f64) -> Vec<f64> {
    let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > radius {
        x.iter_mut().for_each(|x| *x *= radius / length);
    }
    x
}

fn about(recentred: &Recentred, vectors: impl Iterator<Item = Option<Vec<f64>>>) -> Vec<Vec<f64>> {
    vectors.map(|u| clipped(recentred.about(u.as_deref()), recentred.radius.get())).collect()
}

impl Noises for TwoRoundMean {
    fn noises<'a>(
        &self,
        functions: &[Option<Vec<f64>>],
        _: &[Vec<f64>],
        value: &'a NoisedFunction,
    ) -> Option<Noised<'a>> {
        let (second, centre) = (value.moments.as_ref()?, value.centre.clone());
        let norm = value.norm.unwrap_or(self.norm());
        let radius = ClipRadius::new(second.radius, ClipSource::Public).ok()?;
        let mean = FunctionalMean::in_norm(norm, self.basis().clone(), centre, radius, Mu::new(1.0).ok()?, 1)
            .ok()?;
        let vector = |x: &Option<Vec<f64>>| {
            clipped(mean.coordinates(x.as_deref().unwrap_or(self.template())), second.radius)
        };
        let mean = Some((&value.coordinates[..], value.sigma));
        Some(Noised { mean, second, vectors: functions.iter().map(vector).collect() })
    }
}

impl Noises for FunctionalModes {
    fn noises<'a>(
        &self,
        functions: &[Option<Vec<f64>>],
        _: &[Vec<f64>],
        value: &'a NoisedModes,
    ) -> Option<Noised<'a>> {
        let NoisedModes { recentred, moments } = value;
        let of = |x: &Option<Vec<f64>>| Some(self.coordinates().coordinates(x.as_deref()?));
        let vectors = about(recentred, functions.iter().map(of));
        Some(Noised { mean: Some((&moments.mean, moments.mean_sigma)), second: &moments.second, vectors })
    }
}

/// Of the first group.
impl Noises for FunctionGroups {
    fn noises<'a>(
        &self,
        functions: &[Option<Vec<f64>>],
        _: &[Vec<f64>],
        value: &'a NoisedComparison,
    ) -> Option<Noised<'a>> {
        let (coordinates, _) = self.map_parts()?;
        let noised = value.map.as_ref()?;
        let group = noised.groups.first()?;
        let of = |x: &Option<Vec<f64>>| Some(coordinates.coordinates(x.as_deref()?));
        let vectors = about(&noised.recentred, functions.iter().map(of));
        Some(Noised { mean: Some((&group.mean, group.mean_sigma)), second: &group.second, vectors })
    }
}

impl Noises for FunctionRegression {
    fn noises<'a>(
        &self,
        functions: &[Option<Vec<f64>>],
        rows: &[Vec<f64>],
        value: &'a NoisedRegression,
    ) -> Option<Noised<'a>> {
        let of = |x: &Option<Vec<f64>>| Some(self.coordinates().coordinates(x.as_deref()?));
        let vectors = about(&value.recentred, functions.iter().map(of));
        let (half, radius) = (0.5f64.sqrt(), value.recentred.radius.get());
        let joined = |(row, vector): (&Vec<f64>, Vec<f64>)| {
            let row = clipped(row.clone(), value.reach).into_iter().map(|x| half * x / value.reach);
            row.chain(vector.into_iter().map(|x| half * x / radius)).collect()
        };
        Some(Noised {
            mean: None,
            second: &value.moments,
            vectors: rows.iter().zip(vectors).map(joined).collect(),
        })
    }
}

/// The logarithm of the ratio of two normal densities of the same deviation.
fn ratio(seen: f64, means: [f64; 2], sigma: f64) -> f64 {
    ((seen - means[1]).powi(2) - (seen - means[0]).powi(2)) / (2.0 * sigma * sigma)
}

impl Noised<'_> {
    /// The logarithm of the likelihood ratio, for so many people of each kind in either dataset.
    fn ratio(&self, weights: &[Vec<f64>; 2]) -> f64 {
        let expected = |of: &dyn Fn(&[f64]) -> f64| {
            weights.each_ref().map(|weights| {
                let sum: f64 = self.vectors.iter().zip(weights).map(|(v, w)| w * of(v)).sum();
                sum / weights.iter().sum::<f64>()
            })
        };
        let mut total = 0.0;
        if let Some((mean, sigma)) = self.mean {
            for (j, seen) in mean.iter().enumerate() {
                total += ratio(*seen, expected(&|v| v[j]), sigma);
            }
        }
        let (chosen, mut entries) = (&self.second.chosen, self.second.entries.iter());
        for (place, &i) in chosen.iter().enumerate() {
            for (&j, seen) in chosen[place..].iter().zip(&mut entries) {
                let sigma = if i == j { self.second.sigma } else { self.second.sigma * 0.5f64.sqrt() };
                total += ratio(*seen, expected(&|v| v[i] * v[j]), sigma);
            }
        }
        total
    }
}

/// The logarithms of the likelihood ratio of all that was noised, of the matrix, of the vote, and of the rest.
pub(super) struct Likelihood<M> {
    mechanism: ShapeMechanism<M>,
    pair: Pair,
    moments: [Vec<f64>; 2],
    sigma: f64,
    vote_sigma: f64,
    kinds: ShapeRecords,
    weights: [Vec<f64>; 2],
    own: [Vec<f64>; 2],
}

impl<M: Noises> Likelihood<M> {
    /// Of these; the rest of what is noised is of the first `of` people. The private centre costs `first`, the vote `vote`.
    pub(super) fn new(
        mechanism: ShapeMechanism<M>,
        pair: Pair,
        of: usize,
        [first, vote]: [f64; 2],
    ) -> Result<Self, MechanismError> {
        let data = pair.data();
        let n = data[0].people.len();
        let moment = ShapeMoment::new(mechanism.space(), 0, n as u64, Mu::new(first)?);
        let moments = [moment.statistic(&data[0].given())?, moment.statistic(&data[1].given())?];
        let sigma = std::f64::consts::SQRT_2 / (n as f64 * first);
        let ((kinds, weights), (_, own)) = (pair.kinds(n), pair.kinds(of));
        let vote_sigma = 2.0 / (n as f64 * vote);
        Ok(Self { mechanism, pair, moments, sigma, vote_sigma, kinds, weights, own })
    }

    pub(super) fn data(&self) -> [ShapeRecords; 2] {
        self.pair.data()
    }

    pub(super) fn of(&self, released: &ReleasedShapes<M::Value>) -> Option<Vec<f64>> {
        let ReleasedShapes { centre, noised, value, .. } = released;
        let (tangent, inner) = self.mechanism.about(centre).ok()?;
        let matrix: f64 = noised
            .iter()
            .zip(self.moments[0].iter().zip(&self.moments[1]))
            .map(|(seen, (a, b))| ratio(*seen, [*a, *b], self.sigma))
            .sum();
        let mut vote = 0.0;
        if let Some(&seen) = noised.get(self.moments[0].len()) {
            // The centre that was voted on.
            let mut shape = tangent.centre().clone();
            if seen < 0.0 {
                shape.column_mut(0).neg_mut();
            }
            let votes = self.kinds.votes(&shape);
            let means = self.weights.each_ref().map(|weights| {
                let votes =
                    votes.iter().zip(weights).map(|(vote, w)| vote.as_ref().map_or(0.0, |v| w * v[0]));
                votes.sum::<f64>() / weights.iter().sum::<f64>()
            });
            vote = ratio(seen, means, self.vote_sigma);
        }
        let people = self.kinds.filled(&self.mechanism.space(), tangent.centre());
        let functions = tangent.functions(&people);
        let rest = inner.noises(&functions, &self.kinds.rows, value)?.ratio(&self.own);
        Some(vec![matrix + vote + rest, matrix, vote, rest])
    }
}
