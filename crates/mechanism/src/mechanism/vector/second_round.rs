//! What a second round adds up about a private centre, and how it is noised.

use crate::privacy::noise::{
    ClippedMoments, ClippedSecond, IncompleteMean, MomentSum, NoiseError, NoiseSource, NoisedMoments,
    NoisedSecond,
};
use crate::privacy::{Charge, ClipRadius, NoisedPart};

/// Moments that are added up in whole steps of a lattice.
pub(in crate::mechanism) trait SecondRound: Clone {
    /// What is released.
    type Noised;

    /// An empty sum.
    fn empty(&self) -> MomentSum;

    /// A sum that was written down.
    ///
    /// # Errors
    /// [`IncompleteMean`]: a sum of something else.
    fn read(&self, (given, steps): &(u64, Vec<i128>)) -> Result<MomentSum, IncompleteMean> {
        self.empty().read(*given, steps.clone())
    }

    /// Draws the noise of sums over disjoint sets of records against one charge.
    ///
    /// # Errors
    /// [`NoiseError`]; nothing has been drawn then.
    fn noised_all(
        sums: &[(Self, MomentSum)],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Vec<Self::Noised>, NoiseError>;

    /// How one draw is noised, of records within this radius of the centre.
    ///
    /// # Errors
    /// [`NoiseError`]: never for moments that exist.
    fn noised_part(&self, radius: ClipRadius) -> Result<NoisedPart, NoiseError>;
}

impl SecondRound for ClippedMoments {
    type Noised = NoisedMoments;

    fn empty(&self) -> MomentSum {
        self.sum()
    }

    fn noised_all(
        sums: &[(Self, MomentSum)],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Vec<NoisedMoments>, NoiseError> {
        Self::noised_in_groups(sums, noise, paid)
    }

    fn noised_part(&self, _: ClipRadius) -> Result<NoisedPart, NoiseError> {
        self.part()
    }
}

impl SecondRound for ClippedSecond {
    type Noised = NoisedSecond;

    fn empty(&self) -> MomentSum {
        self.sum()
    }

    /// Of one set only.
    fn noised_all(
        sums: &[(Self, MomentSum)],
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Vec<NoisedSecond>, NoiseError> {
        let [(second, sum)] = sums else { return Err(IncompleteMean::Mismatch.into()) };
        Ok(vec![second.noised(sum, noise, paid)?])
    }

    /// What it clips are vectors over their bounds.
    fn noised_part(&self, radius: ClipRadius) -> Result<NoisedPart, NoiseError> {
        Ok(NoisedPart { clip: Some(radius), ..self.part()? })
    }
}
