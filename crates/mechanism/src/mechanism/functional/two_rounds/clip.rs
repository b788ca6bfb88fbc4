//! How the second round clips, by the records' lengths about the private centre; and what is released of it.

use super::second::SecondRound;
use super::tail::{Excess, spread};
use super::{EXPECTED_DOUBT, Rough, TwoRoundMean, View};
use crate::function::shrink::Expectation;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionRecords, NoisedFunction, Norm};
use crate::mechanism::quantile::Lengths;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClipRadius, Mechanism, NoisedPart};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use visard_base::parallel;

/// How the second round clips, and what that moves the mean by: noised or public.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clip {
    norm: Norm,
    radius: ClipRadius,
    /// The square in the norm that it is expected to move the mean by, where the radius is counted.
    moved: f64,
    /// How many times as long as what is left of them records are, and which share of that may be wrong, where the radius is public.
    lengthened: Option<(f64, f64)>,
}

impl TwoRoundMean {
    /// Whether the radius of the second round is counted.
    pub(super) fn counts(&self) -> bool {
        self.radius.is_some()
    }

    /// Whether records are looked at between the two rounds.
    pub(super) fn looks(&self) -> bool {
        self.counts() || self.rounds.excess.is_some()
    }

    /// The records' distances from a released centre, in every norm that may be chosen; none where no radius is counted. A failed record lies
    /// at every centre.
    pub(super) fn lengths(
        &self,
        centre: &[f64],
        records: &dyn FunctionRecords,
    ) -> Result<Lengths, MechanismError> {
        if !self.looks() {
            return Ok(Lengths::default());
        }
        let other = self.rougher.as_ref().map(|view| self.lengths_in(centre, view, records)).transpose()?;
        Ok(Lengths { first: self.lengths_in(centre, &self.view, records)?, other: other.unwrap_or_default() })
    }

    fn lengths_in(
        &self,
        centre: &[f64],
        view: &View,
        records: &dyn FunctionRecords,
    ) -> Result<Vec<f64>, MechanismError> {
        let about = self.about(centre, (view, view.public))?;
        let length =
            |samples: Cow<'_, [f64]>| about.coordinates(&samples).iter().map(|u| u * u).sum::<f64>().sqrt();
        let one = |i| records.samples(i).map_or(0.0, length);
        Ok(parallel::map(records.count(), one))
    }

    /// Norm and radius by the records' lengths about a released centre, counted or public, and the square that the clip is expected to move
    /// the mean by.
    pub(super) fn clip_by(
        &self,
        lengths: &Lengths,
        noise: &mut NoiseSource,
        paid: (Option<Charge>, Option<Charge>),
    ) -> Result<(Clip, Vec<NoisedPart>), MechanismError> {
        let (mut clip, mut view, mut parts) = (self.public_clip()?, &self.view, Vec::new());
        let (radius, excess) = paid;
        if let (Some(quantile), Some(paid)) = (&self.radius, radius) {
            let counted = quantile.draw(&quantile.prepare(lengths)?, noise, paid)?;
            parts.extend(counted.parts);
            view = self.rougher.as_ref().filter(|_| counted.value.other).unwrap_or(view);
            clip = Clip { norm: view.norm, radius: self.rounds.widened(counted.value.radius)?, ..clip };
        }
        if let (Some(mu), Some(paid)) = (self.rounds.excess, excess) {
            let excess = Excess::new(clip.radius, self.price.n, mu)?;
            let lengths = if view.norm == self.view.norm { &lengths.first } else { &lengths.other };
            let drawn = excess.draw(lengths, noise, paid)?;
            parts.extend(drawn.parts);
            if self.counts() {
                clip.moved = excess.moved(drawn.value);
            } else {
                clip.lengthened = Some(excess.lengthened(drawn.value));
            }
        }
        Ok((clip, parts))
    }

    /// Where no radius is counted.
    pub(super) fn public_clip(&self) -> Result<Clip, MechanismError> {
        let radius = self.rounds.uncounted(self.view.public)?;
        Ok(Clip { norm: self.view.norm, radius, moved: 0.0, lengthened: None })
    }

    /// The second round about a released centre.
    pub(super) fn second(&self, centre: &NoisedFunction, clip: Clip) -> Result<SecondRound, MechanismError> {
        let energy = centre.mean_square_error(self.basis.points()).max(f64::MIN_POSITIVE);
        let expected = Expectation { energy, doubt: EXPECTED_DOUBT };
        let rough = Rough { samples: &centre.samples, size: centre.size, expected };
        Ok(self
            .expecting(&rough, (self.view_of(Some(clip.norm)), clip.radius))?
            .lengthening(clip.lengthened.map_or(1.0, |(times, _)| times)))
    }

    /// The squared distance of two functions in a norm.
    fn apart(&self, view: &View, [one, other]: [&[f64]; 2]) -> f64 {
        let difference: Vec<f64> = one.iter().zip(other).map(|(a, b)| a - b).collect();
        let x = self.basis.analyse(&difference);
        x.iter().zip(&view.prior.roots).map(|(x, root)| (x * root).powi(2)).sum()
    }

    /// What is released, of the second round's draw.
    pub(super) fn finished(
        &self,
        centre: NoisedFunction,
        clip: Clip,
        mut value: NoisedFunction,
    ) -> NoisedFunction {
        let view = self.view_of(Some(clip.norm));
        let (lengthened, doubt) = clip.lengthened.unwrap_or((1.0, 0.0));
        // What was multiplied is off as much as the factor.
        let factor = if doubt > 0.0 {
            doubt.powi(2) * self.apart(view, [&value.samples, &centre.samples])
        } else {
            0.0
        };
        let moved = spread(clip.moved + factor, &self.basis, &view.prior);
        value.errors.iter_mut().zip(moved).for_each(|(error, moved)| *error += moved);
        value.norm = Some(view.norm);
        value.lengthened = clip.lengthened.map(|_| lengthened);
        if let Some(unseen) = centre.unseen {
            unseen.add_to(&mut value.errors, &value.samples, [&centre.samples, self.first.template()]);
        }
        NoisedFunction { centre: centre.samples, unseen: centre.unseen, ..value }
    }
}
