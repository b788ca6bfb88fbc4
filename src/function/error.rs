/// Why numbers do not describe a function on a domain.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FunctionError {
    /// The number of values does not fit the grid.
    #[error("{what}: {expected} values expected, got {got}")]
    WrongLength {
        /// Which list of values.
        what: &'static str,
        /// How many the grid needs.
        expected: usize,
        /// How many there were.
        got: usize,
    },
    /// A value is NaN or infinite.
    #[error("{what}: value {index} is not a finite number")]
    NotFinite {
        /// Which list of values.
        what: &'static str,
        /// 0-based position in the list.
        index: usize,
    },
    /// The grid cannot carry a basis; the text says why.
    #[error("{0}")]
    BadDomain(String),
    /// A parameter outside its range.
    #[error("{name} must be {range}, got {value}")]
    BadParameter {
        /// Which parameter.
        name: &'static str,
        /// What is allowed.
        range: &'static str,
        /// What was given.
        value: f64,
    },
}

/// Checks a list against the grid it belongs to.
pub(crate) fn check_values(what: &'static str, values: &[f64], expected: usize) -> Result<(), FunctionError> {
    if values.len() != expected {
        return Err(FunctionError::WrongLength { what, expected, got: values.len() });
    }
    match values.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(FunctionError::NotFinite { what, index }),
        None => Ok(()),
    }
}

/// Checks a parameter that must be a positive finite number.
pub(crate) fn check_positive(name: &'static str, value: f64) -> Result<f64, FunctionError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(FunctionError::BadParameter { name, range: "a positive finite number", value })
    }
}

/// Checks a number of samples: at least one, and few enough to be transformed.
pub(crate) fn check_samples(what: &str, samples: usize) -> Result<(), FunctionError> {
    const MOST: usize = 1 << 24;
    if (1..=MOST).contains(&samples) {
        Ok(())
    } else {
        Err(FunctionError::BadDomain(format!("{what} needs between 1 and {MOST} samples, got {samples}")))
    }
}
