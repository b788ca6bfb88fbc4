//! What sites hand on for neighbouring people.

use super::consortium::{Consortium, What};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use visard::mechanism::functional::Sharing;
use visard::mechanism::vector::GroupAim;

/// All file names of a consortium that leave a party, with what in them is no ciphertext, noise or sum of a file.
fn shapes(consortium: &Consortium) -> BTreeMap<String, (usize, Value)> {
    let mut shapes = BTreeMap::new();
    for folder in ["tray", "public", "study/release"] {
        for entry in fs::read_dir(consortium.path(folder)).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            let end = bytes.iter().position(|b| *b == b'\n').unwrap_or(bytes.len());
            let whole = path.extension().is_some_and(|ending| ending == "json");
            let text = if whole { &bytes[..] } else { &bytes[..end] };
            let mut value: Value = serde_json::from_slice(text).unwrap_or(Value::Null);
            plain(&mut value);
            let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
            // Numbers have lengths of their own; messages are binary.
            let length = if whole || name.ends_with("report.html") { 0 } else { bytes.len() - end };
            shapes.insert(name, (length, value));
        }
    }
    shapes
}

/// What may differ between any two runs: hashes, keys, receipts, and noised values.
fn plain(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                match name.as_str() {
                    // A partition of a site's people is named by the plan, in which keys are.
                    "partitions" => *field = field.as_array().unwrap().len().into(),
                    "sha256" | "head" | "id" | "plan" | "before" | "key" => *field = Value::Null,
                    "accuracy" => {
                        field.as_object_mut().unwrap().values_mut().for_each(|x| *x = x.is_number().into())
                    }
                    "values" => *field = field.as_array().unwrap().len().into(),
                    "size" if field.is_u64() => *field = Value::Null,
                    _ => plain(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

#[test]
#[ignore = "slow: half a minute"]
fn neighbours_hand_on_the_same_but_for_ciphertext_and_noised_values() {
    let sites = Sharing::Sites { honest: 2 };
    for (what, noise) in [
        (What::Mean, sites),
        (What::Mean, Sharing::Each),
        (What::Mean, Sharing::Aggregators),
        (What::Modes(2), sites),
        (What::Modes(2), Sharing::Each),
        (What::Groups(GroupAim::Map), sites),
        (What::Groups(GroupAim::Map), Sharing::Each),
        (What::Regression, sites),
        (What::Regression, Sharing::Each),
    ] {
        let [a, b] = [false, true].map(|changed| {
            // A regression of so few needs more.
            let mu = if what == What::Regression { 2.0 } else { 1.0 };
            let consortium = Consortium::of(what, noise, mu, Some(5), changed);
            consortium.rounds(noise);
            consortium
        });
        let (left, right) = (shapes(&a), shapes(&b));
        assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>());
        // How many modes stand out of the noise, and how groups differ, is read off noised values.
        let noised =
            |name: &str| what != What::Mean && (name.starts_with("study/") || name.contains("round-2.json"));
        for (name, shape) in left.iter().filter(|(name, _)| !noised(name)) {
            assert_eq!(shape, &right[name], "{name}");
        }
        assert!(!a.certificate().private, "seeded");
        let file = if let What::Groups(_) = what { "difference.npy" } else { "curves.npy" };
        let curves = |c: &Consortium| fs::read(c.path("study/release").join(file)).unwrap();
        assert_ne!(
            curves(&a),
            curves(&b),
            "the studies are not neighbours but twins: the test tests nothing"
        );
    }
}
