//! Covariates as numbers of public size: what a regression is told before it reads a record.

mod error;
mod levels;
mod parse;
mod spline;

pub use error::{AtError, DesignError, ValueError};

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use spline::Bends;

/// The intercept's column. After recentring the mean is near 0, so it needs little of the budget: a half, not one.
pub const INTERCEPT: f64 = 0.5;

/// What kind of number a covariate is, with what must be known of it beforehand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub enum Kind {
    /// A number between public bounds, mapped to [−1, 1] and clipped there: one column.
    Linear {
        /// Mapped to −1.
        lower: f64,
        /// Mapped to 1.
        upper: f64,
    },
    /// The same with a natural cubic spline through equally spaced knots from bound to bound: the linear column, and bends.
    Spline {
        /// Mapped to −1, the first knot.
        lower: f64,
        /// Mapped to 1, the last knot.
        upper: f64,
        /// K columns; K + 1 knots.
        columns: usize,
    },
    /// One of several words: the corners of a regular simplex, so that none is set apart (`levels::corner`).
    Levels {
        /// The words, 2 to [`MOST_LEVELS`].
        levels: Vec<String>,
    },
}

/// A covariate, with all that is public about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Covariate {
    /// Its name: letters, digits, hyphens and underscores.
    pub name: String,
    /// What it is.
    #[serde(flatten)]
    pub kind: Kind,
}

/// The columns of a regression: an intercept of one half and those of the covariates, in order. Everything about it follows from public
/// numbers; it is written into certificates, from which predictions are made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Covariate>", into = "Vec<Covariate>")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Design {
    covariates: Vec<Covariate>,
    /// Of every covariate that has some.
    bends: Vec<Option<Bends>>,
}

/// The most columns of one spline.
const MOST_BENDS: usize = 6;
/// The most levels of one covariate: with 12, a twelfth of the records tells of each.
pub const MOST_LEVELS: usize = 12;
/// The most covariates of one design.
const MOST: usize = 32;

impl TryFrom<Vec<Covariate>> for Design {
    type Error = DesignError;
    fn try_from(covariates: Vec<Covariate>) -> Result<Self, DesignError> {
        Self::new(covariates)
    }
}

impl From<Design> for Vec<Covariate> {
    fn from(design: Design) -> Self {
        design.covariates
    }
}

impl Covariate {
    /// Its value in the middle of the bounds, or between the levels: what a record without one has, and where the mean is shown.
    pub fn reference(&self) -> f64 {
        self.bounds().map_or(0.0, |(lower, upper)| 0.5 * (lower + upper))
    }

    /// Its bounds, if it is a number.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        match self.kind {
            Kind::Linear { lower, upper } | Kind::Spline { lower, upper, .. } => Some((lower, upper)),
            Kind::Levels { .. } => None,
        }
    }

    /// How many columns it has.
    pub fn columns(&self) -> usize {
        match self.kind {
            Kind::Spline { columns, .. } => columns,
            Kind::Linear { .. } => 1,
            Kind::Levels { ref levels } => levels.len() - 1,
        }
    }

    /// The number that a text stands for: itself, or that of a level ([`Self::level`]). It may lie outside the bounds.
    ///
    /// # Errors
    /// [`ValueError`], without the text.
    pub fn value(&self, text: &str) -> Result<f64, ValueError> {
        match &self.kind {
            Kind::Levels { levels } => match levels.iter().position(|level| level == text) {
                Some(level) => Ok(self.level(level)),
                None => Err(ValueError::Level { levels: levels.join(" and ") }),
            },
            _ => text.parse().ok().filter(|x: &f64| x.is_finite()).ok_or(ValueError::NotANumber),
        }
    }

    /// The number of a level, counted from 0: −1 and 1 of two, 1, 2, 3 and on of more; 0 is between all of them.
    pub fn level(&self, level: usize) -> f64 {
        match &self.kind {
            Kind::Levels { levels } if levels.len() == 2 => 2.0 * level as f64 - 1.0,
            _ => level as f64 + 1.0,
        }
    }

    /// Whether a value lies within what is known beforehand.
    pub fn holds(&self, value: f64) -> bool {
        match &self.kind {
            Kind::Levels { levels } => (0..levels.len()).any(|level| self.level(level) == value),
            Kind::Linear { lower, upper } | Kind::Spline { lower, upper, .. } => {
                (*lower..=*upper).contains(&value)
            }
        }
    }

    /// The names of its columns: of a spline the linear one has the covariate's own; of more than two levels each sets one against those before.
    fn names(&self) -> Vec<String> {
        let name = &self.name;
        match &self.kind {
            Kind::Levels { levels } if levels.len() > 2 => {
                let against =
                    |k: usize| format!("{name} {} against {}", levels[k], levels[..k].join(" and "));
                (1..levels.len()).map(against).collect()
            }
            _ => {
                let column = |k: usize| if k == 0 { name.clone() } else { format!("{name} bend {k}") };
                (0..self.columns()).map(column).collect()
            }
        }
    }

    /// A value on the scale from −1 to 1, clipped.
    fn unit(&self, value: f64) -> f64 {
        let unit = self.bounds().map_or(value, |(lower, upper)| {
            // Halves, so that no difference overflows.
            (0.5 * value - 0.25 * lower - 0.25 * upper) / (0.25 * upper - 0.25 * lower)
        });
        if unit.is_nan() { 0.0 } else { unit.clamp(-1.0, 1.0) }
    }
}

impl Design {
    /// Of these covariates.
    ///
    /// # Errors
    /// [`DesignError`] for none or too many, names that are not plain or given twice, bounds that are not in order, levels that are too few, too many or alike.
    pub fn new(covariates: Vec<Covariate>) -> Result<Self, DesignError> {
        if covariates.is_empty() || covariates.len() > MOST {
            return Err(DesignError::Count { found: covariates.len(), most: MOST });
        }
        for (i, covariate) in covariates.iter().enumerate() {
            let name = covariate.name.clone();
            if !is_plain(&name) {
                return Err(DesignError::Name { name });
            }
            let twice = |other: &Covariate| other.name.eq_ignore_ascii_case(&name);
            if covariates[..i].iter().any(twice) {
                return Err(DesignError::Twice { name });
            }
            check(covariate)?;
        }
        let bends = covariates.iter().map(|covariate| match covariate.kind {
            Kind::Spline { columns, .. } => Some(Bends::new(columns)),
            _ => None,
        });
        let bends = bends.collect();
        Ok(Self { covariates, bends })
    }

    /// The covariates, in order.
    pub fn covariates(&self) -> &[Covariate] {
        &self.covariates
    }

    /// q: the intercept and the columns of all covariates.
    pub fn columns(&self) -> usize {
        1 + self.covariates.iter().map(Covariate::columns).sum::<usize>()
    }

    /// The columns' names, without the intercept.
    pub fn names(&self) -> Vec<String> {
        self.covariates.iter().flat_map(Covariate::names).collect()
    }

    /// The place of a covariate's first column.
    pub fn first_column(&self, covariate: usize) -> usize {
        1 + self.covariates.iter().take(covariate).map(Covariate::columns).sum::<usize>()
    }

    /// Whether a column is a bend of a spline, of which less is expected than of a straight line.
    pub fn is_bend(&self, column: usize) -> bool {
        let bent = |i: usize| {
            self.bends[i].is_some() && (self.first_column(i) + 1..self.first_column(i + 1)).contains(&column)
        };
        (0..self.covariates.len()).any(bent)
    }

    /// x̃ of a record: one half, then its columns. A value that is missing is in the middle, one outside the bounds at the bound.
    pub fn row(&self, values: &[Option<f64>]) -> Vec<f64> {
        let mut row = vec![INTERCEPT];
        for ((covariate, bends), i) in self.covariates.iter().zip(&self.bends).zip(0..) {
            let value = values.get(i).copied().flatten();
            if let Kind::Levels { levels } = &covariate.kind
                && levels.len() > 2
            {
                row.extend(levels::corner(levels.len(), value.unwrap_or(0.0)));
                continue;
            }
            let unit = value.map_or(0.0, |value| covariate.unit(value));
            row.push(unit);
            row.extend(bends.iter().flat_map(|bends| bends.at(unit)));
        }
        row
    }

    /// x̃ minus that of the reference values: what the columns' fields are multiplied with to move the mean at the reference values.
    pub fn from_reference(&self, values: &[Option<f64>]) -> Vec<f64> {
        let reference = self.row(&[]);
        self.row(values).iter().zip(reference).map(|(x, r)| x - r).collect()
    }

    /// X: no row is longer.
    pub fn reach(&self) -> f64 {
        let of = |bends: &Option<Bends>| bends.as_ref().map_or(1.0, |bends| bends.largest_square());
        (INTERCEPT * INTERCEPT + self.bends.iter().map(of).sum::<f64>()).sqrt()
    }

    /// S₀, the second moments that are expected before any record is read: numbers uniform between their bounds, levels equally
    /// frequent, all independent.
    pub fn expected_moments(&self) -> DMatrix<f64> {
        let mut diagonal = vec![INTERCEPT * INTERCEPT];
        for (covariate, bends) in self.covariates.iter().zip(&self.bends) {
            let columns = covariate.columns();
            match covariate.kind {
                Kind::Levels { .. } => diagonal.extend(vec![1.0 / columns as f64; columns]),
                _ => diagonal.push(1.0 / 3.0),
            }
            diagonal.extend(bends.iter().flat_map(|bends| bends.squares().to_vec()));
        }
        DMatrix::from_diagonal(&diagonal.into())
    }

    /// What the columns of a covariate with levels are at each of them.
    pub fn level_columns(&self, covariate: usize) -> Option<Vec<Vec<f64>>> {
        let about = self.covariates.get(covariate)?;
        let Kind::Levels { levels } = &about.kind else { return None };
        let columns = self.first_column(covariate)..self.first_column(covariate + 1);
        let at = |level: usize| {
            let mut values = vec![None; self.covariates.len()];
            values[covariate] = Some(about.level(level));
            self.row(&values)[columns.clone()].to_vec()
        };
        Some((0..levels.len()).map(at).collect())
    }

    /// The knots of a spline, in its own units.
    pub fn knots(&self, covariate: usize) -> Option<Vec<f64>> {
        let covariate = self.covariates.get(covariate)?;
        match covariate.kind {
            Kind::Spline { lower, upper, columns } => {
                let knot = |i| lower + (upper - lower) * i as f64 / columns as f64;
                Some((0..=columns).map(knot).collect())
            }
            _ => None,
        }
    }
}

/// Letters, digits, hyphens and underscores.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.len() <= 60 && name.chars().all(plain)
}

fn check(covariate: &Covariate) -> Result<(), DesignError> {
    let name = || covariate.name.clone();
    if let Some((lower, upper)) = covariate.bounds()
        && !(lower < upper && lower.is_finite() && upper.is_finite())
    {
        return Err(DesignError::Bounds { name: name() });
    }
    match &covariate.kind {
        Kind::Spline { columns, .. } if !(2..=MOST_BENDS).contains(columns) => {
            Err(DesignError::Spline { name: name(), most: MOST_BENDS })
        }
        Kind::Levels { levels }
            if !(2..=MOST_LEVELS).contains(&levels.len())
                || levels.iter().enumerate().any(|(i, level)| levels[..i].contains(level))
                || !levels.iter().all(|l| is_plain(l)) =>
        {
            Err(DesignError::Levels { name: name(), most: MOST_LEVELS })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
