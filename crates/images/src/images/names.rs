//! What files call their labels: segments and structures have names, and their numbers differ from file to file.

use super::making::Label;
use std::collections::BTreeMap;

/// The names of labels, as far as a file tells them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Names(BTreeMap<u16, String>);

impl Names {
    /// Takes in a name; one that is empty is none.
    pub fn add(&mut self, label: u16, name: &str) {
        let name = name.trim();
        if !name.is_empty() {
            self.0.insert(label, name.to_owned());
        }
    }

    /// The name of a label, in lower case: how it is told from others.
    pub fn key(&self, label: u16) -> Option<String> {
        self.0.get(&label).map(|name| name.to_lowercase())
    }

    /// A label with its name.
    pub fn shown(&self, label: u16) -> String {
        match self.0.get(&label) {
            Some(name) => format!("{label} ({})", short(name)),
            None => label.to_string(),
        }
    }

    /// The number of the label that is asked for; `None` for all.
    ///
    /// # Errors
    /// A name that no label has, or several.
    pub fn number(&self, label: &Label) -> Result<Option<u16>, String> {
        let wanted = match label {
            Label::Any => return Ok(None),
            Label::Value(value) => return Ok(Some(*value)),
            Label::Name(name) => name,
        };
        let key = wanted.trim().to_lowercase();
        let found: Vec<u16> =
            self.0.iter().filter(|(_, name)| name.to_lowercase() == key).map(|(label, _)| *label).collect();
        match found[..] {
            [one] => Ok(Some(one)),
            [] if self.0.is_empty() => {
                Err("does not name its labels; give the organ's number as --label N".to_owned())
            }
            [] => {
                Err(format!("has no label called {wanted:?}; it has {}", self.listed(self.0.keys().copied())))
            }
            _ => Err(format!(
                "has several labels called {wanted:?}: {}; rename all but one",
                self.listed(found.into_iter())
            )),
        }
    }

    /// Labels with their names, at most eight.
    pub fn listed(&self, labels: impl Iterator<Item = u16>) -> String {
        const MOST: usize = 8;
        let mut shown: Vec<String> = labels.take(MOST + 1).map(|label| self.shown(label)).collect();
        if shown.len() > MOST {
            shown[MOST] = "and more".to_owned();
        }
        shown.join(", ")
    }
}

/// Files may hold anything: control characters are left out, and names end after so many characters.
fn short(name: &str) -> String {
    const MOST: usize = 40;
    let shown: String = name.chars().filter(|c| !c.is_control()).take(MOST).collect();
    if shown.len() < name.len() { format!("{shown}...") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_number_or_why_not() {
        let mut names = Names::default();
        let of = |names: &Names, text: &str| names.number(&text.parse().unwrap());
        assert_eq!(of(&names, "7"), Ok(Some(7)));
        assert_eq!(of(&names, "any"), Ok(None));
        assert!(of(&names, "Liver").unwrap_err().contains("--label N"));
        for (label, name) in [(3, " Liver "), (5, "spleen"), (6, "Spleen"), (9, "")] {
            names.add(label, name);
        }
        assert_eq!(of(&names, "liver"), Ok(Some(3)));
        assert_eq!(
            of(&names, "kidney"),
            Err("has no label called \"kidney\"; it has 3 (Liver), 5 (spleen), 6 (Spleen)".into())
        );
        assert!(of(&names, "SPLEEN").unwrap_err().contains("5 (spleen), 6 (Spleen)"));
        names.add(10, &"\n".repeat(50));
        names.add(11, &"long".repeat(50));
        assert_eq!(names.shown(10), "10");
        assert_eq!(names.shown(11).len(), 4 + 40 + 3 + 1);
        assert_eq!(names.shown(12), "12");
    }
}
