//! Comparisons pass by pass: those of the map, then those of the test.

use super::{FunctionGroups, Half, NoisedComparison};
use crate::mechanism::functional::passes::{InPasses, PassOf, SomeRecords};
use crate::mechanism::pass_sum::OTHER_PASS;
use crate::mechanism::vector::{AboutCentre, AboutPass, NoisedGroups};
use crate::mechanism::{MechanismError, PassSum};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Charge, Drawn, Mechanism, Price};

/// The passes of one half.
type HalfPasses<'a> = Vec<&'a AboutPass<NoisedGroups>>;

impl FunctionGroups {
    /// Which half the pass after these is of, and its own passes so far.
    fn half_after<'a>(&self, before: &[&'a PassOf]) -> Result<(&Half, HalfPasses<'a>, bool), MechanismError> {
        let of = |half: &Option<Half>| half.as_ref().map_or(0, |half| half.groups.passes());
        let [maps, tests] = [&self.map, &self.test].map(of);
        let is_map = before.len() < maps;
        let own = if is_map { before } else { &before[maps..] };
        let half = if is_map { &self.map } else { &self.test };
        let one = |pass: &&'a PassOf| match *pass {
            PassOf::Map(pass) if is_map => Ok(pass),
            PassOf::Test(pass) if !is_map => Ok(pass),
            _ => Err(OTHER_PASS),
        };
        let passes = own.iter().map(one).collect::<Result<HalfPasses<'a>, _>>()?;
        let half = half.as_ref().filter(|_| is_map || own.len() < tests);
        Ok((half.ok_or(OTHER_PASS)?, passes, is_map))
    }

    /// What was released, of all passes.
    pub fn of_passes(&self, passes: &[&PassOf]) -> Option<NoisedComparison> {
        let mut all = NoisedComparison { map: None, test: None };
        for pass in passes {
            match pass {
                PassOf::Map(AboutPass::Moments(groups)) => all.map = Some((**groups).clone()),
                PassOf::Test(AboutPass::Moments(groups)) => all.test = Some((**groups).clone()),
                _ => {}
            }
        }
        ((all.map.is_some(), all.test.is_some()) == (self.map.is_some(), self.test.is_some())).then_some(all)
    }
}

impl InPasses for FunctionGroups {
    fn whole_price(&self) -> &Price {
        self.price()
    }

    fn passes(&self) -> Result<usize, MechanismError> {
        Ok([&self.map, &self.test].into_iter().flatten().map(|half| half.groups.passes()).sum())
    }

    fn sum_pass(&self, before: &[&PassOf], some: SomeRecords<'_>) -> Result<PassSum, MechanismError> {
        let (half, passes, _) = self.half_after(before)?;
        half.groups.pass_sum(&passes, &half.coordinates.vectors(some.samples, 0)?, some.first)
    }

    fn check_pass(&self, before: &[&PassOf], sum: &PassSum) -> Result<(), MechanismError> {
        let (half, passes, _) = self.half_after(before)?;
        half.groups.pass_check(&passes, sum)
    }

    fn draw_pass(
        &self,
        (before, sum): (&[&PassOf], &PassSum),
        noise: &mut NoiseSource,
        paid: Charge,
    ) -> Result<Drawn<PassOf>, MechanismError> {
        let (half, passes, is_map) = self.half_after(before)?;
        // That of the map comes first.
        let mut paid = paid.split(&self.losses())?.into_iter();
        let paid = if is_map { paid.next() } else { paid.last() }.ok_or(OTHER_PASS)?;
        let Drawn { value, parts } = half.groups.pass_draw((&passes, sum), noise, paid)?;
        Ok(Drawn { value: if is_map { PassOf::Map(value) } else { PassOf::Test(value) }, parts })
    }
}
