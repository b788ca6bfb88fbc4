//! What a method of registration told of one scan.

use crate::surface::registration::Registration;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Numbers by the column of their [`Measure`](crate::surface::registration::Measure); in files an object. A study keeps one of these a scan, and
/// a map or a name of its own for each would be most of what it keeps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, f64>", into = "BTreeMap<String, f64>")]
pub struct Measured(Box<[(Cow<'static, str>, f64)]>);

impl Measured {
    /// The number in a column, where there is one.
    pub fn get(&self, column: &str) -> Option<f64> {
        self.0.iter().find(|(name, _)| name == column).map(|(_, value)| *value)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was told.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The name as the registry has it; other versions' may be unknown.
fn known(column: String) -> Cow<'static, str> {
    let all = Registration::ALL.iter().flat_map(|method| method.measures().all);
    let found = all.map(|measure| measure.column).find(|name| *name == column);
    found.map_or(Cow::Owned(column), Cow::Borrowed)
}

impl From<BTreeMap<String, f64>> for Measured {
    fn from(values: BTreeMap<String, f64>) -> Self {
        Self(values.into_iter().map(|(column, value)| (known(column), value)).collect())
    }
}

impl From<Measured> for BTreeMap<String, f64> {
    fn from(measured: Measured) -> Self {
        measured.0.into_iter().map(|(column, value)| (column.into_owned(), value)).collect()
    }
}

impl FromIterator<(String, f64)> for Measured {
    fn from_iter<I: IntoIterator<Item = (String, f64)>>(values: I) -> Self {
        BTreeMap::from_iter(values).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_an_object_whatever_the_columns() {
        let text = r#"{"energy_end":0.5,"misfit_end_mm":0.25,"of_another_version":3.0}"#;
        let measured: Measured = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&measured).unwrap(), text);
        assert_eq!((measured.len(), measured.get("misfit_end_mm")), (3, Some(0.25)));
        assert_eq!((measured.get("of_another_version"), measured.get("steps")), (Some(3.0), None));
        assert!(matches!(known("misfit_end_mm".into()), Cow::Borrowed(_)));
        assert!(Measured::default().is_empty());
    }
}
