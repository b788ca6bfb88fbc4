//! Secret sharing with range proofs: Prio3SumVec, the IETF's VDAF, for one round of one site.

use super::error::SitesError;
use prio::codec::{Decode, Encode, ParameterizedDecode};
use prio::field::Field128;
use prio::vdaf::prio3::{
    Prio3, Prio3InputShare, Prio3PublicShare, Prio3SumVec, Prio3VerifierShare, Prio3VerifyState,
    optimal_chunk_length,
};
use prio::vdaf::{AggregateShare, Aggregator as _, Client as _, OutputShare, VerifyTransition};
use rand::TryRng;

/// Aggregators' common secret for checking proofs, unknown to the sites.
pub(super) type VerifyKey = [u8; 32];

/// Vectors of integers in [−range, range], each shared out over two.
pub(super) struct Sharer {
    vdaf: Prio3SumVec,
    range: u128,
    /// What proofs are bound to: plan, round, earlier results, site.
    context: Vec<u8>,
}

/// A share of one site as it is sealed for an aggregator.
#[derive(Debug, Clone)]
pub(super) struct Share {
    nonce: [u8; 16],
    public: Vec<u8>,
    input: Vec<u8>,
}

/// What an aggregator has made of a share: its own state, and what it shows the other one.
pub(super) struct Prepared {
    state: Prio3VerifyState<Field128, 32>,
    share: Prio3VerifierShare<Field128, 32>,
}

/// Numbers that are random alone, and the sum with those of the other aggregator.
pub(super) type Sum = AggregateShare<Field128>;

fn refused(e: impl std::fmt::Display) -> SitesError {
    SitesError::Sharing(e.to_string())
}

/// Random bytes of the operating system.
pub(super) fn random<const N: usize>() -> Result<[u8; N], SitesError> {
    let mut bytes = [0; N];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes).map_err(|_| SitesError::Entropy)?;
    Ok(bytes)
}

impl Sharer {
    /// For vectors of this length with entries within ±`range`.
    pub(super) fn new(length: usize, range: u128, context: String) -> Result<Self, SitesError> {
        let most = range.checked_mul(2).ok_or_else(|| refused("sums are too large"))?;
        let bits = (u128::BITS - most.leading_zeros()) as usize;
        let chunk = optimal_chunk_length(length.saturating_mul(bits));
        let vdaf = Prio3::new_sum_vec(2, most, length, chunk).map_err(refused)?;
        Ok(Self { vdaf, range, context: context.into_bytes() })
    }

    /// Two shares of a vector, with proofs that its entries are in range.
    pub(super) fn shard(&self, steps: &[i128]) -> Result<[Share; 2], SitesError> {
        let offset = |k: &i128| {
            let inside = k.unsigned_abs() <= self.range;
            inside
                .then(|| (*k + self.range as i128) as u128)
                .ok_or_else(|| refused("a sum is out of its range"))
        };
        let measurement = steps.iter().map(offset).collect::<Result<Vec<_>, _>>()?;
        let nonce = random()?;
        let (public, inputs) = self.vdaf.shard(&self.context, &measurement, &nonce).map_err(refused)?;
        let public = public.get_encoded().map_err(refused)?;
        let share = |input: &Prio3InputShare<Field128, 32>| -> Result<Share, SitesError> {
            Ok(Share { nonce, public: public.clone(), input: input.get_encoded().map_err(refused)? })
        };
        match &inputs[..] {
            [first, second] => Ok([share(first)?, share(second)?]),
            _ => Err(refused("there are two aggregators")),
        }
    }

    /// Begins to check a share, as aggregator `index`.
    pub(super) fn prepare(
        &self,
        key: &VerifyKey,
        index: usize,
        share: &Share,
    ) -> Result<Prepared, SitesError> {
        let public = Prio3PublicShare::get_decoded_with_param(&self.vdaf, &share.public).map_err(refused)?;
        let input =
            Prio3InputShare::get_decoded_with_param(&(&self.vdaf, index), &share.input).map_err(refused)?;
        let (state, share) = self
            .vdaf
            .verify_init(key, &self.context, index, &(), &share.nonce, &public, &input)
            .map_err(refused)?;
        Ok(Prepared { state, share })
    }

    /// Checks the proof with what the other aggregator has shown, and adds the share to `sum`.
    pub(super) fn add(
        &self,
        index: usize,
        own: Prepared,
        other: &[u8],
        sum: &mut [Field128],
    ) -> Result<(), SitesError> {
        let other = Prio3VerifierShare::get_decoded_with_param(&own.state, other).map_err(refused)?;
        let both = if index == 0 { [own.share, other] } else { [other, own.share] };
        let message = self.vdaf.verifier_shares_to_message(&self.context, &(), both).map_err(refused)?;
        match self.vdaf.verify_next(&self.context, own.state, message).map_err(refused)? {
            VerifyTransition::Finish(output) => {
                let output: OutputShare<Field128> = output;
                if output.as_ref().len() != sum.len() {
                    return Err(refused("a share of another length"));
                }
                sum.iter_mut().zip(output.as_ref()).for_each(|(sum, k)| *sum += *k);
                Ok(())
            }
            VerifyTransition::Continue(..) => Err(refused("one round of checks is enough")),
        }
    }
}

impl Prepared {
    /// What the other aggregator is shown.
    pub(super) fn shown(&self) -> Result<Vec<u8>, SitesError> {
        self.share.get_encoded().map_err(refused)
    }
}

impl Share {
    /// As bytes.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let length = (self.public.len() as u32).to_le_bytes();
        [&self.nonce[..], &length, &self.public, &self.input].concat()
    }

    /// From bytes.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (nonce, rest) = bytes.split_at_checked(16)?;
        let (length, rest) = rest.split_at_checked(4)?;
        let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
        let (public, input) = rest.split_at_checked(length)?;
        Some(Self { nonce: nonce.try_into().ok()?, public: public.to_vec(), input: input.to_vec() })
    }
}

/// An aggregator's sum as bytes.
pub(super) fn sum_to_bytes(sum: Vec<Field128>) -> Result<Vec<u8>, SitesError> {
    Sum::from(sum).get_encoded().map_err(refused)
}

/// Adds integers to an aggregator's sum.
pub(super) fn add_steps(sum: &mut [Field128], steps: &[i128]) {
    for (sum, k) in sum.iter_mut().zip(steps) {
        let size = Field128::from(k.unsigned_abs());
        if *k < 0 { *sum -= size } else { *sum += size }
    }
}

/// The integers that two aggregators' sums are of, given the offset that all sites together have added; `None` for other lengths, or for
/// numbers beyond `most`, which damage makes of nearly every sum.
pub(super) fn opened(sums: [&[u8]; 2], length: usize, offset: u128, most: u128) -> Option<Vec<i128>> {
    const SIZE: usize = 16;
    if sums.iter().any(|sum| sum.len() != SIZE * length) {
        return None;
    }
    let element = |bytes: &[u8]| Field128::get_decoded(bytes).ok();
    sums[0]
        .chunks_exact(SIZE)
        .zip(sums[1].chunks_exact(SIZE))
        .map(|(a, b)| {
            let k = element(a)? + element(b)? - Field128::from(offset);
            // Residues stand for the integer next to zero.
            let (plus, minus) = (u128::from(k), u128::from(-k));
            let (size, sign) = if plus <= minus { (plus, 1) } else { (minus, -1) };
            (size <= most).then_some(sign * size as i128)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use prio::field::FieldElement;

    /// Vectors go through sharing, checks and sums as integers.
    #[test]
    fn shares_add_up_and_proofs_fail_for_other_contexts_keys_and_shares() {
        let (key, sharer) = ([7; 32], Sharer::new(6, 1000, "site a".into()).unwrap());
        let steps = [1000i128, -1000, 0, 17, -3, 999];
        let [first, second] = sharer.shard(&steps).unwrap();
        assert!(sharer.shard(&[1001, 0, 0, 0, 0, 0]).is_err());
        let add = |sharer: &Sharer, keys: [&VerifyKey; 2], shares: [&Share; 2]| {
            let prepared: Vec<Prepared> =
                (0..2).map(|i| sharer.prepare(keys[i], i, shares[i])).collect::<Result<_, _>>()?;
            let shown: Vec<Vec<u8>> = prepared.iter().map(|p| p.shown().unwrap()).collect();
            let mut sums = Vec::new();
            for (i, own) in prepared.into_iter().enumerate() {
                let mut sum = vec![Field128::zero(); 6];
                sharer.add(i, own, &shown[1 - i], &mut sum)?;
                sums.push(sum_to_bytes(sum)?);
            }
            Ok::<_, SitesError>(opened([&sums[0], &sums[1]], 6, 1000, 1000))
        };
        let round_trip = |share: &Share| Share::of_bytes(&share.to_bytes()).unwrap();
        assert_eq!(add(&sharer, [&key; 2], [&round_trip(&first), &second]).unwrap().unwrap(), steps);
        let elsewhere = Sharer::new(6, 1000, "site b".into()).unwrap();
        assert!(add(&elsewhere, [&key; 2], [&first, &second]).is_err());
        assert!(add(&sharer, [&key, &[8; 32]], [&first, &second]).is_err());
        let [_, other] = sharer.shard(&steps).unwrap();
        assert!(add(&sharer, [&key; 2], [&first, &other]).is_err());
        // What was shared out for a wider range is out of this one.
        let wide = Sharer::new(6, 100_000, "site a".into()).unwrap();
        let [a, b] = wide.shard(&[100_000; 6]).unwrap();
        assert!(add(&sharer, [&key; 2], [&a, &b]).is_err());
        assert!(Share::of_bytes(&[0; 10]).is_none() && opened([&[], &[]], 6, 0, 9).is_none());
    }
}
