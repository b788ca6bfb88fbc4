//! What is said of results, where kinds of records differ in it.

/// What results of a kind are called.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// What variances are, as in "squared Riemannian distance".
    pub squared: &'static str,
    /// What differences are.
    pub displacements: &'static str,
    /// What a band is simultaneous over.
    pub numbers: &'static str,
    /// What it excludes no difference at.
    pub places: &'static str,
    /// How far pictures of modes go, in standard deviations.
    pub reach: (f64, &'static str),
    /// Of a regression.
    pub fields: FieldTerms,
}

/// What is said of a regression.
#[derive(Debug, Clone, Copy)]
pub struct FieldTerms {
    /// What is drawn of a field.
    pub at_ends: &'static str,
    /// What the file of fields holds.
    pub layout: &'static str,
}

/// How far pictures of modes go.
pub const REACH: (f64, &str) = (2.0, "two");

/// About a centre.
const FIELDS: FieldTerms = FieldTerms {
    at_ends: "the mean at the ends of what was declared",
    layout: "the mean at the reference values, then one displacement a column: the mean at other values lies from the centre by the \
             displacement of the first plus, for every column, (its value there - its value at the reference) times its displacement. A number \
             is mapped linearly from its bounds to [-1, 1], so its displacement is that from the middle to the upper bound; levels are -1 \
             and 1; bends of a spline are functions of that number, made of the bounds alone. Fields are shrunk: what the noise hides is zero.",
};

impl Terms {
    /// Of points about a centre.
    pub const POINTS: Self = Self {
        squared: "squared distance in the tangent space at the centre",
        displacements: "tangent vectors at the centre",
        numbers: "entries",
        places: "entries",
        reach: REACH,
        fields: FIELDS,
    };
    /// Of functions.
    pub const FUNCTIONS: Self =
        Self { displacements: "samples", numbers: "samples", places: "samples", ..Self::POINTS };
}
