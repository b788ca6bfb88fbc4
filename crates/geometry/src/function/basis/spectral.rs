//! Coefficients of functions in ℝ³ by functions whose frequencies are known.

use crate::function::shrink::SpectralPlace;

/// Coefficients `(functions, 3)`.
#[derive(Debug, Clone)]
pub(super) struct Spectral {
    frequencies: Vec<f64>,
}

impl Spectral {
    pub(super) fn new(frequencies: &[f64]) -> Self {
        Self { frequencies: frequencies.to_vec() }
    }

    pub(super) fn len(&self) -> usize {
        3 * self.frequencies.len()
    }

    pub(super) fn place(&self, i: usize) -> SpectralPlace {
        SpectralPlace::from((i % 3, self.frequencies[i / 3]))
    }
}

#[cfg(test)]
mod tests {
    use crate::function::Basis;

    #[test]
    fn samples_are_the_coefficients() {
        let basis = Basis::of_harmonics(&[0.0, 2.5]);
        let values = [0.1, -2.0, 3.0, 0.0, 5.0, 1.0];
        assert_eq!((basis.points(), basis.len()), (1, 6));
        assert_eq!(basis.analyse(&values), values);
        assert_eq!(basis.synthesize(&values), values);
        assert_eq!(basis.variances(&values), values);
        let place = basis.place(4);
        assert_eq!((place.class, place.channel, place.frequency), (0, 1, 2.5));
        assert_eq!(basis.with_mirror(0).place(4), place);
    }
}
