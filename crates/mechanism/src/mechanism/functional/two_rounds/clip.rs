//! How the second round clips, by the records' lengths about the private centre; and what is released of it.

use super::second::SecondRound;
use super::tail::{Excess, spread};
use super::{EXPECTED_DOUBT, Rough, TwoRoundMean, View};
use crate::function::shrink::Expectation;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionRecords, NoisedFunction, Norm};
use crate::mechanism::quantile::Lengths;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, ClipRadius, Drawn, Mechanism, NoisedPart};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use visard_base::parallel;

/// How the second round clips, and the square in the norm that this is expected to move the mean by: noised or public.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clip {
    norm: Norm,
    radius: ClipRadius,
    moved: f64,
}

impl TwoRoundMean {
    /// Whether the radius of the second round is counted.
    pub(super) fn counts(&self) -> bool {
        self.radius.is_some()
    }

    /// The records' distances from a released centre, in every norm that may be chosen; none where no radius is counted. A failed record lies
    /// at every centre.
    pub(super) fn lengths(
        &self,
        centre: &[f64],
        records: &dyn FunctionRecords,
    ) -> Result<Lengths, MechanismError> {
        if !self.counts() {
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
        let (Some(quantile), (Some(paid), excess)) = (&self.radius, paid) else {
            return Ok((self.public_clip()?, Vec::new()));
        };
        let Drawn { value: counted, mut parts } = quantile.draw(&quantile.prepare(lengths)?, noise, paid)?;
        let view = self.rougher.as_ref().filter(|_| counted.other).unwrap_or(&self.view);
        let radius = self.rounds.widened(counted.radius)?;
        let moved = match (self.rounds.excess, excess) {
            (Some(mu), Some(paid)) => {
                let excess = Excess::new(radius, self.price.n, mu)?;
                let lengths = if counted.other { &lengths.other } else { &lengths.first };
                let drawn = excess.draw(lengths, noise, paid)?;
                parts.extend(drawn.parts);
                excess.moved(drawn.value)
            }
            _ => 0.0,
        };
        Ok((Clip { norm: view.norm, radius, moved }, parts))
    }

    /// Where no radius is counted.
    pub(super) fn public_clip(&self) -> Result<Clip, MechanismError> {
        let radius = self.rounds.uncounted(self.view.public)?;
        Ok(Clip { norm: self.view.norm, radius, moved: 0.0 })
    }

    /// The second round about a released centre.
    pub(super) fn second(&self, centre: &NoisedFunction, clip: Clip) -> Result<SecondRound, MechanismError> {
        let energy = centre.mean_square_error(self.basis.points()).max(f64::MIN_POSITIVE);
        let expected = Expectation { energy, doubt: EXPECTED_DOUBT };
        let rough = Rough { samples: &centre.samples, size: centre.size, expected };
        self.expecting(&rough, (self.view_of(Some(clip.norm)), clip.radius))
    }

    /// What is released, of the second round's draw.
    pub(super) fn finished(
        &self,
        centre: NoisedFunction,
        clip: Clip,
        mut value: NoisedFunction,
    ) -> NoisedFunction {
        let view = self.view_of(Some(clip.norm));
        let moved = spread(clip.moved, &self.basis, &view.prior);
        value.errors.iter_mut().zip(moved).for_each(|(error, moved)| *error += moved);
        value.norm = Some(view.norm);
        if let Some(unseen) = centre.unseen {
            unseen.add_to(&mut value.errors, &value.samples, [&centre.samples, self.first.template()]);
        }
        NoisedFunction { centre: centre.samples, unseen: centre.unseen, ..value }
    }
}
