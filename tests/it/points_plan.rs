//! `shape plan` and `spd plan`: forecasts beside what then happens.

use crate::command_line::visard;
use serde_json::Value;

fn rows(line: &str) -> Vec<Value> {
    let dir = tempfile::tempdir().unwrap();
    let (code, stdout, stderr) = visard(dir.path(), &format!("{line} --json"));
    assert_eq!(code, Some(0), "{line}: {stderr}");
    assert!(dir.path().read_dir().unwrap().next().is_none(), "a plan writes nothing");
    serde_json::from_str::<Value>(&stdout).unwrap().as_array().unwrap().clone()
}

#[test]
fn plans_have_the_keys_of_the_contract_and_scale_as_noise_does() {
    let found = rows("spd plan --order 3 --radius 1 --n 100 400 --mu 0.5 1");
    assert_eq!(found.len(), 4);
    for row in &found {
        for key in
            ["n", "mu", "epsilon", "delta", "error", "template_error", "sampling_error", "band", "worth"]
        {
            assert!(row.get(key).is_some(), "{key}: {row}");
        }
        let expected = 2.0 * 6.0f64.sqrt() / (row["n"].as_f64().unwrap() * row["mu"].as_f64().unwrap());
        assert!((row["error"].as_f64().unwrap() / expected - 1.0).abs() < 0.4, "{row} {expected}");
    }
    let shapes =
        rows("shape plan --landmarks 20 --radius 0.2 --public-center --n 50 1000 --epsilon 1 --delta 1e-6");
    assert_eq!(shapes[0]["delta"], 1e-6);
    assert!(shapes[0]["mu"].is_null() && shapes[0]["epsilon"] == 1.0);
    assert_eq!(shapes[1]["worth"], true);
    assert_eq!(shapes[0]["worth"], false);
    // No radius and no centre: both are found privately, or fall back.
    let private = rows("shape plan --landmarks 20 --dimensions 3 --n 60 1000 --mu 1");
    assert!(private.iter().all(|row| row["error"].as_f64().unwrap() > 0.0));
    for what in ["--modes", "--compare", "--regress 1"] {
        let found = rows(&format!("shape plan --landmarks 10 --n 300 --mu 1 {what}"));
        assert!(found[0]["n"] == 300 && found[0]["mu"] == 1.0, "{found:?}");
    }
    // Single mechanisms refuse where there are too few.
    let private = rows("shape plan --landmarks 20 --n 60 1000 --mu 1 --mechanism gaussian");
    assert!(private[0]["error"].is_null() && private[0]["refused"].as_str().unwrap().contains("records"));
    assert!(private[1]["error"].as_f64().unwrap() > 0.0);
    let wanted = rows("spd plan --order 3 --radius 1 --mu 1 --want 0.02");
    let n = wanted[0]["n"].as_u64().unwrap();
    // 2√6/n = .02.
    assert!((170..330).contains(&n), "{n}");
}

#[test]
fn nonsense_is_a_usage_error() {
    let dir = tempfile::tempdir().unwrap();
    for line in [
        "spd plan --order 3 --radius big --n 10",
        "spd plan --order 3 --radius 1",
        "shape plan --landmarks 2 --n 10",
        "shape plan --landmarks 20 --n 10 --mu -1",
        "shape plan --landmarks 20 --n 10 --spread 0",
        "spd plan --order 5 --radius descriptor --n 10",
        "shape plan --landmarks 20 --n 10 --mechanism none",
    ] {
        assert_eq!(visard(dir.path(), line).0, Some(2), "{line}");
    }
}
