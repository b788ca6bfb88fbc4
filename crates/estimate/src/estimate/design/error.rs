//! What is wrong with a design, or with a value of a covariate.

/// Why a design cannot be made: about public things only.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DesignError {
    /// No covariates, or too many.
    #[error(
        "a regression needs covariates (--bounds NAME=LOWER:UPPER for numbers, --levels \"NAME=A|B\" for words), {most} at most; {found} \
         were given"
    )]
    Count {
        /// How many there are.
        found: usize,
        /// The most.
        most: usize,
    },
    /// A name that is not plain.
    #[error("{name:?} is not a valid covariate name: use letters, digits, hyphens and underscores")]
    Name {
        /// The name.
        name: String,
    },
    /// A covariate given twice.
    #[error("{name} is given twice")]
    Twice {
        /// Its name.
        name: String,
    },
    /// Bounds that are no interval.
    #[error("{name}: the lower bound must be below the upper one, both finite")]
    Bounds {
        /// The covariate.
        name: String,
    },
    /// Levels that are too few, too many or alike.
    #[error(
        "{name}: 2 to {most} different levels are needed, as in \"sex=F|M\" (letters, digits, hyphens, underscores)"
    )]
    Levels {
        /// The covariate.
        name: String,
        /// The most.
        most: usize,
    },
    /// Too few or too many columns.
    #[error(
        "{name}: a spline has 2 to {most} columns (1 would be the straight line that --bounds alone gives)"
    )]
    Spline {
        /// The covariate.
        name: String,
        /// The most.
        most: usize,
    },
    /// A spline of something without bounds.
    #[error("--spline {name}: no bounds are given for it, and its knots come from the bounds alone")]
    NoBounds {
        /// The covariate.
        name: String,
    },
    /// An option that cannot be read.
    #[error("{text:?} is not of the form {form}")]
    Form {
        /// What was given.
        text: String,
        /// What is expected.
        form: &'static str,
    },
}

/// Why a text is no value of a covariate. It does not hold the text, which is a record's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// No number.
    #[error("is not a number; leave the field empty if there is none")]
    NotANumber,
    /// None of the levels.
    #[error("is not one of the levels {levels}; leave the field empty if there is none")]
    Level {
        /// The levels.
        levels: String,
    },
}

/// Why values asked for are none that a release tells something of: about what was asked for, and the release.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AtError {
    /// Not of the form NAME=VALUE.
    #[error(transparent)]
    Form(#[from] DesignError),
    /// No such covariate.
    #[error("{name}: the release has no such covariate; it has {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// No value of this covariate.
    #[error("{name}: {text:?} {why}")]
    Value {
        /// The covariate.
        name: String,
        /// What was asked for.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// Outside the bounds.
    #[error(
        "{name}: {value} is outside the bounds {lower} to {upper} of the release, beyond which nothing is known"
    )]
    Outside {
        /// The covariate.
        name: String,
        /// What was asked for.
        value: f64,
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
    /// A covariate twice.
    #[error("{name} is given twice")]
    Twice {
        /// The covariate.
        name: String,
    },
}
