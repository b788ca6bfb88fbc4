//! Numbers of several types, one after the other.

/// A type of numbers, and the order of their bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub kind: Kind,
    pub big_endian: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Unsigned(usize),
    Signed(usize),
    Float(usize),
}

impl Number {
    /// Bytes of a number.
    pub fn width(self) -> usize {
        match self.kind {
            Kind::Unsigned(width) | Kind::Signed(width) | Kind::Float(width) => width,
        }
    }

    /// The numbers in these bytes; what is left over at the end is not one.
    pub fn values(self, bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
        bytes.chunks_exact(self.width()).map(move |raw| self.value(raw))
    }

    fn value(self, raw: &[u8]) -> f64 {
        let mut eight = [0; 8];
        eight[..raw.len()].copy_from_slice(raw);
        if self.big_endian {
            eight[..raw.len()].reverse();
        }
        let whole = u64::from_le_bytes(eight);
        let unused = 64 - 8 * raw.len() as u32;
        match self.kind {
            Kind::Unsigned(_) => whole as f64,
            Kind::Signed(_) => ((whole << unused) as i64 >> unused) as f64,
            Kind::Float(4) => f64::from(f32::from_bits(whole as u32)),
            Kind::Float(_) => f64::from_bits(whole),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type() {
        let of = |kind, big_endian, raw: &[u8]| Number { kind, big_endian }.values(raw).collect::<Vec<_>>();
        assert_eq!(of(Kind::Unsigned(2), false, &[1, 2, 9]), [513.0]);
        assert_eq!(of(Kind::Unsigned(2), true, &[1, 2]), [258.0]);
        assert_eq!(of(Kind::Signed(2), false, &[0xff, 0xff]), [-1.0]);
        assert_eq!(of(Kind::Signed(8), false, &[0xfe, 255, 255, 255, 255, 255, 255, 255]), [-2.0]);
        assert_eq!(of(Kind::Float(4), true, &1.5f32.to_be_bytes()), [1.5]);
        assert_eq!(of(Kind::Float(8), false, &(-2.25f64).to_le_bytes()), [-2.25]);
    }
}
