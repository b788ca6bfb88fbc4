//! The schemas of what visard writes: those in `docs/` are the program's, and what tests write down here is held against them by a
//! validator that is not ours (`.ci/schema.py`).

use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The schema must take this certificate.
pub fn takes(name: &str, certificate: &Value) {
    write("certificates/taken", name, certificate);
}

/// The schema must refuse this certificate.
pub fn refuses(name: &str, certificate: &Value) {
    write("certificates/refused", name, certificate);
}

fn write(folder: &str, name: &str, value: &Value) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).unwrap();
    let name = name.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    fs::write(folder.join(format!("{name}.json")), value.to_string()).unwrap();
}

fn schema(of: &str) -> Value {
    let out = Command::cargo_bin("visard").unwrap().args(["schema", of]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

#[test]
fn schemas_in_the_documents_are_those_of_the_types() {
    for of in ["answers", "certificate", "plan", "site-plan"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/{of}.schema.json"));
        let kept: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        assert!(kept == schema(of), "make it anew: visard schema {of} > docs/{of}.schema.json");
    }
}

#[test]
fn every_command_states_its_answers() {
    fn leaves(command: &clap::Command, path: &str, all: &mut Vec<String>) {
        let below = |one: &clap::Command| format!("{path} {}", one.get_name()).trim().to_owned();
        let mut has_any = false;
        for one in command.get_subcommands().filter(|one| one.get_name() != "help") {
            has_any = true;
            leaves(one, &below(one), all);
        }
        if !has_any {
            all.push(path.to_owned());
        }
    }
    let mut commands = Vec::new();
    leaves(&visard::command::interface(), "", &mut commands);
    let answers = schema("answers");
    let stated = answers["properties"].as_object().unwrap();
    // The viewer answers nothing.
    let missing: Vec<_> =
        commands.iter().filter(|name| *name != "view" && !stated.contains_key(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let unknown: Vec<_> =
        stated.keys().filter(|name| *name != "any that is refused" && !commands.contains(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// A folder in which commands are run, and their answers written down.
struct Runs {
    folder: tempfile::TempDir,
    count: usize,
}

impl Runs {
    /// What stands in the line is told apart by blanks; `+` in the name of a command stands for one.
    fn run(&mut self, line: &str) {
        let mut words = line.split(' ');
        let name = words.next().unwrap().replace('+', " ");
        let words = name.split(' ').chain(words).chain(["--json", "--seed", "1"]);
        let out = Command::cargo_bin("visard")
            .unwrap()
            .args(words)
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stdout);
        let answer: Value = serde_json::from_str(&said)
            .unwrap_or_else(|e| panic!("{line}: {e}: {said}{}", String::from_utf8_lossy(&out.stderr)));
        let command = if answer["error"].is_object() { "any that is refused" } else { &name };
        assert_eq!(out.status.code() == Some(0), command == name, "{line}: {answer}");
        self.count += 1;
        write("answers", &format!("{:02} {name}", self.count), &json!({command: answer}));
    }

    fn at(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }
}

#[test]
fn answers_are_of_the_stated_form() {
    let _ = fs::remove_dir_all(Path::new(env!("CARGO_TARGET_TMPDIR")).join("answers"));
    let mut runs = Runs { folder: tempfile::tempdir().unwrap(), count: 0 };
    runs.run("shape+demo --shapes 60 --out first");
    let table = |heading: &str, row: fn(usize) -> String| {
        let rows: String = (1..=60).map(|i| format!("person-{i:04},{}\n", row(i))).collect();
        format!("{heading}\n{rows}")
    };
    let covariates = table("record,group,age", |i| format!("{},{}", i % 2, 20 + i % 30));
    fs::write(runs.at("people.csv"), covariates).unwrap();
    fs::write(runs.at("rows.csv"), table("id,x,y,z", |i| format!("1,{},0.1", 0.01 * i as f64))).unwrap();
    fs::write(runs.at("start.csv"), "x,y,z\n1,0,0\n").unwrap();
    let lines = "\
shape+mean first/outlines.tps --outline --mu 3 --out mean
shape+mean first/outlines.tps --mechanism none --out none
shape+mean first/outlines.tps --mu 3 --out dry --dry-run
shape+modes first/outlines.tps --outline --center first/atlas.tps --mu 3 --modes 2 --out modes
shape+regress first/outlines.tps --outline --center first/atlas.tps --covariates people.csv --bounds age=20:50 --mu 3 --out growth
shape+compare first/outlines.tps --outline --center first/atlas.tps --groups people.csv --mu 3 --out groups
shape+plan --landmarks 50 --outline --n 100 --mu 1
shape+plan --landmarks 50 --outline --n 100 --mu 1 --modes
shape+plan --landmarks 50 --outline --n 100 --mu 1 --regress 1
shape+plan --landmarks 50 --outline --mu 1 --want 0.05
shape+plan --landmarks 50 --outline --n 100 --mu 1 --save planned --accept 0.01
shape+sample modes --n 3 --out drawn
shape+assess first/outlines.tps --norm modes --out patient
sphere+mean rows.csv --radius 0.7 --center start.csv --mu 1 --out directions
sphere+mean rows.csv --mechanism none --out nothing
spd+plan --order 3 --radius 3 --n 200 --mu 1
optimize+eigenvector rows.csv --unit-records --method moment --mu 1 --out pc1
privacy+convert --mu 1 --delta 1e-6
privacy+compose --mu 1 2x5
privacy+compose --epsilon-delta 1,1e-6 --rho 0.1x3
privacy+calibrate --mechanism gaussian --epsilon 1 --delta 1e-6 --sensitivity 0.01
privacy+calibrate --mechanism riemannian-gaussian --manifold sphere --dim 2 --sensitivity 0.05 --mu 1
privacy+audit --mechanism gaussian --runs 1000
privacy+explain mean
privacy+verify mean
privacy+ledger mean
privacy+ledger groups
privacy+key key
face+plan --n 100 --mu 1
face+plan --n 100 --mu 1 --regress 1
site+keys berlin.key
site+plan sites --mu 1 --modes 3 --site berlin=100,berlin.key.pub --site lyon=80
site+plan sites-groups --mu 1 --groups f,m --site berlin=50+50 --site lyon=40+40
site+plan sites-growth --mu 1 --bounds age=3:40 --spline age=3 --levels sex=F|M --residuals --site berlin=100 --site lyon=80
synth+surface hippocampus --n 2 --out organs
surface+check organs/scans --template organs/template.ply
surface+register organs/scans --template organs/template.ply --out registered
surface+flatten organs/template.ply --out flat
compare organs/template.ply organs/template.ply --out apart
export organs/template.ply --out template.vtp
completions bash
man
schema plan
shape+mean nowhere.tps --mu 1 --out x
shape+mean first/outlines.tps --mu -1 --out x";
    lines.lines().for_each(|line| runs.run(line));
    for (kind, folder) in [
        ("plan", "planned"),
        ("site-plan", "sites"),
        ("site-plan", "sites-groups"),
        ("site-plan", "sites-growth"),
    ] {
        let plan: Value =
            serde_json::from_slice(&fs::read(runs.at(folder).join("plan.json")).unwrap()).unwrap();
        write(&format!("{kind}s/taken"), folder, &plan);
        for (field, value) in
            [("other", 1.0), ("n", -1.0), ("mu", -1.0), ("modes", 0.0), ("curves", 1.0), ("samples", 7.0)]
        {
            let mut changed = plan.clone();
            changed[field] = json!(value);
            write(&format!("{kind}s/refused"), &format!("{folder} {field}"), &changed);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_path_that_is_no_text_does_not_end_an_answer() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff");
    let visard = |first: &[&str]| {
        let mut command = Command::cargo_bin("visard").unwrap();
        command.args(first).arg(odd).arg("--json").current_dir(folder.path()).output().unwrap()
    };
    let key = visard(&["privacy", "key"]);
    let said: Value = serde_json::from_slice(&key.stdout).unwrap();
    assert!(key.status.success() && said["secret_key"] == "odd\u{fffd}", "{said}");
    // What is in such a folder cannot be told to a program.
    fs::remove_file(folder.path().join(odd)).unwrap();
    fs::create_dir(folder.path().join(odd)).unwrap();
    fs::write(folder.path().join(odd).join("a.xyz"), "0 0 0\n1 0 0\n0 1 0\n1 1 0\n").unwrap();
    let check = visard(&["check"]);
    let said: Value = serde_json::from_slice(&check.stdout).unwrap();
    assert!(check.status.code() == Some(1) && said["error"]["code"] == 1, "{said}");
}
