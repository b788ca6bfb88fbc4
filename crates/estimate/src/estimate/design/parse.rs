//! Designs as command lines give them.

use super::{AtError, Covariate, Design, DesignError, Kind};

impl Design {
    /// From `age=3:40,bmi=15:40` (bounds), `sex=F|M` (levels, two or more), `age=4` (columns of splines): items separated by commas, or given one by
    /// one. Numbers come before levels, each in the order given.
    ///
    /// # Errors
    /// [`DesignError`].
    pub fn parse(bounds: &[String], levels: &[String], splines: &[String]) -> Result<Self, DesignError> {
        let mut covariates = Vec::new();
        for (name, value) in items(bounds, BOUNDS)? {
            let form = || DesignError::Form { text: format!("{name}={value}"), form: BOUNDS };
            let (lower, upper) = value.split_once(':').ok_or_else(form)?;
            let number = |text: &str| text.trim().parse().map_err(|_| form());
            let kind = Kind::Linear { lower: number(lower)?, upper: number(upper)? };
            covariates.push(Covariate { name, kind });
        }
        for (name, value) in items(splines, SPLINES)? {
            let form = || DesignError::Form { text: format!("{name}={value}"), form: SPLINES };
            let columns = value.parse().map_err(|_| form())?;
            let found = covariates.iter_mut().find(|covariate| covariate.name == name);
            let Some(Covariate { kind, .. }) = found else { return Err(DesignError::NoBounds { name }) };
            match *kind {
                Kind::Linear { lower, upper } => *kind = Kind::Spline { lower, upper, columns },
                _ => return Err(DesignError::Twice { name }),
            }
        }
        for (name, value) in items(levels, LEVELS)? {
            let levels = value.split('|').map(|word| word.trim().to_owned()).collect();
            covariates.push(Covariate { name, kind: Kind::Levels { levels } });
        }
        Self::new(covariates)
    }

    /// Values from `age=8,sex=M`, one a covariate; those that are not named are `None`.
    ///
    /// # Errors
    /// [`AtError`]: an unknown name, a value twice, outside the bounds, or none of the levels.
    pub fn values(&self, at: &[String]) -> Result<Vec<Option<f64>>, AtError> {
        let mut values = vec![None; self.covariates().len()];
        for (name, text) in items(at, VALUES)? {
            let place = self.covariates().iter().position(|covariate| covariate.name == name);
            let Some(i) = place else {
                let known: Vec<&str> = self.covariates().iter().map(|c| c.name.as_str()).collect();
                return Err(AtError::Unknown { name, known: known.join(", ") });
            };
            let covariate = &self.covariates()[i];
            let value = match covariate.value(&text) {
                Ok(value) => value,
                Err(why) => return Err(AtError::Value { name, text, why: why.to_string() }),
            };
            if let Some((lower, upper)) = covariate.bounds().filter(|_| !covariate.holds(value)) {
                return Err(AtError::Outside { name, value, lower, upper });
            }
            if values[i].replace(value).is_some() {
                return Err(AtError::Twice { name });
            }
        }
        Ok(values)
    }
}

const BOUNDS: &str = "NAME=LOWER:UPPER, as in \"age=3:40\"";
const LEVELS: &str = "NAME=A|B, as in \"sex=F|M\"";
const SPLINES: &str = "NAME=COLUMNS, as in \"age=4\"";
const VALUES: &str = "NAME=VALUE, as in \"age=8\"";

/// `name=value` of every item.
fn items(texts: &[String], form: &'static str) -> Result<Vec<(String, String)>, DesignError> {
    let item = |text: &str| {
        let (name, value) =
            text.split_once('=').ok_or_else(|| DesignError::Form { text: text.to_owned(), form })?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    texts.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|t| !t.is_empty()).map(item).collect()
}
