//! The pixels of frames: plain, or packed by runs (RLE; PS3.5, annex G).

use super::dataset::{Dataset, Value};
use crate::io::Fault;
use std::borrow::Cow;

/// How pixels are packed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Packing {
    None,
    Rle,
    Other,
}

/// The pixels of all frames.
pub(super) struct Pixels<'a> {
    /// Plain ones together, or each frame packed.
    parts: Vec<&'a [u8]>,
    packed: bool,
    /// Of a pixel: 1, 8 or 16.
    bits: usize,
    /// In a frame.
    count: usize,
}

impl<'a> Pixels<'a> {
    /// Of so many frames of `count` pixels.
    ///
    /// # Errors
    /// Another packing, pixels of other types, fewer than there should be.
    pub fn of(
        dataset: Dataset<'a>,
        packing: Packing,
        bits: usize,
        count: usize,
        frames: usize,
    ) -> Result<Self, Fault> {
        let Some(value) = dataset.find(0x7fe0_0010)? else {
            return Err(Fault::Malformed("has no pixels; export it again"));
        };
        let is_plain = packing == Packing::None;
        match (packing, bits) {
            (Packing::None, 1 | 8 | 16) | (Packing::Rle, 8 | 16) => {}
            (Packing::Other, _) => {
                return Err(Fault::Malformed(
                    "has pixels packed in a way that is not read (only plain ones and RLE are); save it unpacked (explicit little endian)",
                ));
            }
            _ => return Err(Fault::Malformed("has pixels of a type that masks have not; export it again")),
        }
        let parts = if is_plain { vec![value.bytes] } else { fragments(value)? };
        let found = if is_plain { value.bytes.len() * 8 / bits / count } else { parts.len() };
        if found < frames {
            return Err(Fault::Truncated { what: "frames", promised: frames, found });
        }
        if !is_plain && found > frames {
            return Err(Fault::Malformed(
                "has frames in several pieces; save it unpacked (explicit little endian)",
            ));
        }
        Ok(Self { parts, packed: !is_plain, bits, count })
    }

    /// The values of a frame, row by row from the top.
    ///
    /// # Errors
    /// A frame whose runs do not give its pixels.
    pub fn frame(&self, n: usize) -> Result<impl Iterator<Item = u16>, Fault> {
        let bytes = self.bits.div_ceil(8);
        let (raw, first) = if self.packed {
            (Cow::Owned(unpacked(self.parts[n], bytes, self.count)?), 0)
        } else {
            (Cow::Borrowed(self.parts[0]), n * self.count)
        };
        let bits = self.bits;
        Ok((first..first + self.count).map(move |at| match bits {
            // Eight pixels in a byte, the lowest first, frames without a gap.
            1 => u16::from(raw[at / 8] >> (at % 8) & 1),
            8 => u16::from(raw[at]),
            _ => u16::from_le_bytes([raw[2 * at], raw[2 * at + 1]]),
        }))
    }
}

/// A fragment for each frame; before them is a table that is not needed.
fn fragments(value: Value<'_>) -> Result<Vec<&[u8]>, Fault> {
    value.items().skip(1).map(|item| Ok(item?.bytes)).collect()
}

/// Pixels of one or two bytes, low byte first.
fn unpacked(packed: &[u8], bytes: usize, count: usize) -> Result<Vec<u8>, Fault> {
    const BROKEN: Fault = Fault::Malformed("has pixels that cannot be unpacked (RLE); export it again");
    let number = |at: usize| Some(u32::from_le_bytes(*packed.get(at..)?.first_chunk()?) as usize);
    // Two bytes pack 128 at most.
    if number(0) != Some(bytes) || packed.len().saturating_mul(64) < count {
        return Err(BROKEN);
    }
    let mut out = vec![0; bytes * count];
    for part in 0..bytes {
        let mut rest = number(4 + 4 * part).and_then(|start| packed.get(start..)).ok_or(BROKEN)?;
        // The high byte comes first.
        let mut places = out.iter_mut().skip(bytes - 1 - part).step_by(bytes);
        let mut left = count;
        while left > 0 {
            let (&control, after) = rest.split_first().ok_or(BROKEN)?;
            rest = after;
            let copied = usize::from(control) + 1;
            let run = 257 - usize::from(control);
            match control {
                0..128 => {
                    let (values, after) = rest.split_at_checked(copied.min(rest.len())).ok_or(BROKEN)?;
                    if values.len() < copied.min(left) {
                        return Err(BROKEN);
                    }
                    values.iter().zip(&mut places).for_each(|(value, place)| *place = *value);
                    (rest, left) = (after, left.saturating_sub(copied));
                }
                128 => {}
                _ => {
                    let (&value, after) = rest.split_first().ok_or(BROKEN)?;
                    places.by_ref().take(run).for_each(|place| *place = value);
                    (rest, left) = (after, left.saturating_sub(run));
                }
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_unpacked_and_broken_ones_refused() {
        let head = |segments: &[u32]| {
            let mut out = (segments.len() as u32).to_le_bytes().to_vec();
            segments.iter().for_each(|start| out.extend(start.to_le_bytes()));
            out.resize(64, 0);
            out
        };
        // The standard's three kinds of control: as they are, nothing, a run.
        let packed = [head(&[64]), vec![2, 7, 8, 9, 128, 254, 5, 0, 1]].concat();
        assert_eq!(unpacked(&packed, 1, 7).unwrap(), [7, 8, 9, 5, 5, 5, 1]);
        // A run that goes on is cut; one that ends early is refused.
        assert_eq!(unpacked(&packed, 1, 5).unwrap(), [7, 8, 9, 5, 5]);
        for cut in [0, 3, 66, packed.len() - 1] {
            assert!(unpacked(&packed[..cut], 1, 7).is_err(), "{cut}");
        }
        assert!(unpacked(&packed, 1, 1 << 20).is_err());
        let two = [head(&[64, 66]), vec![255, 1, 1, 7, 8]].concat();
        assert_eq!(unpacked(&two, 2, 2).unwrap(), [7, 1, 8, 1]);
    }
}
