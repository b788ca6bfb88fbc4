//! Many sites whose every step is a process that is killed at some moment and begun again: one result, and everybody has paid once.

use crate::command_line::visard;
use rand::SeedableRng;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use visard::io::{write_npy, write_ply};
use visard::mesh::TriMesh;
use visard::privacy::Ledger;
use visard::study::face::{TemplateSource, load_template};
use visard::synth::{FaceParameters, ScanConditions, person};

const FORM: &str = "--curves 4 --samples 8";

/// Two sites have arrays; the third has scans, of which `face prepare` made records.
fn people(dir: &Path) {
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
    for name in ["a", "b"] {
        let mut faces = Vec::new();
        for _ in 0..4 {
            let face = FaceParameters::sample_about(&FaceParameters::elsewhere(), &mut rng);
            faces.extend_from_slice(template.curves_of(&face.vertices(), 4, 8).unwrap().data());
        }
        write_npy(&dir.join(format!("{name}.npy")), &[4, 4, 8, 3], &faces).unwrap();
    }
    let mut manifest = String::from("file\n");
    for i in 0..3 {
        let scan = TriMesh::new(person(7, i, &ScanConditions::demo()).points, Vec::new()).unwrap();
        write_ply(&dir.join(format!("p{i}.ply")), &scan).unwrap();
        manifest += &format!("p{i}.ply\n");
    }
    fs::write(dir.join("c.csv"), manifest).unwrap();
    done(dir, &format!("face prepare --manifest c.csv --out c.records {FORM}"));
    (0..3).for_each(|i| fs::remove_file(dir.join(format!("p{i}.ply"))).unwrap());
}

fn done(dir: &Path, words: &str) {
    let (code, _, err) = visard(dir, words);
    assert_eq!(code, Some(0), "{words}: {err}");
}

/// Begun and killed after these milliseconds, one after the other; then left to end.
fn killed_and_done(dir: &Path, words: &str, waits: &[u64]) {
    for wait in waits {
        let mut command = Command::new(env!("CARGO_BIN_EXE_visard"));
        command.current_dir(dir).args(words.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(*wait));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    done(dir, words);
}

fn carry(dir: &Path, from: &str) {
    for entry in fs::read_dir(dir.join(from).join("outbox")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), dir.join("tray").join(entry.file_name())).unwrap();
    }
}

/// All rounds; every step is killed after each of these waits first. The curves that came out.
fn exchanged(dir: &Path, waits: &[u64]) -> Vec<u8> {
    for party in ["a", "b", "c", "x", "y"] {
        done(dir, &format!("site keys {party}.key"));
    }
    done(
        dir,
        &format!(
            "site plan public --mu 1 --site a=4,a.key.pub --site b=4,b.key.pub --site c=3,c.key.pub --aggregator x=x.key.pub --aggregator \
             y=y.key.pub {FORM}"
        ),
    );
    fs::create_dir(dir.join("tray")).unwrap();
    while !dir.join("study/release/certificate.json").exists() {
        for (site, records) in [
            ("a", "--prepared a.npy"),
            ("b", "--prepared b.npy"),
            ("c", "--records c.records --manifest c.csv"),
        ] {
            let words =
                format!("site share public --site {site} --key {site}.key {records} --out {site} --seed 3");
            killed_and_done(dir, &words, waits);
            carry(dir, site);
        }
        for adder in ["x", "y", "x"] {
            let words = format!(
                "site verify public --aggregator {adder} --key {adder}.key --inbox tray --out {adder} --seed 3"
            );
            killed_and_done(dir, &words, waits);
            carry(dir, adder);
        }
        killed_and_done(dir, "site unshare public tray --out study --seed 3", &[]);
    }
    fs::read(dir.join("study/release/curves.npy")).unwrap()
}

fn killed_anywhere(waits: &[u64]) {
    let [calm, rough] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    people(calm.path());
    people(rough.path());
    let expected = exchanged(calm.path(), &[]);
    assert!(exchanged(rough.path(), waits) == expected, "the result of a calm exchange");
    for party in ["a", "b", "c", "x", "y"] {
        let beside_key = rough.path().join(format!("{party}.key.ledger.jsonl"));
        let own = rough.path().join(party).join("visard.ledger.jsonl");
        let history = Ledger::history(if own.exists() { &own } else { &beside_key }).unwrap();
        // Seeded: there is nothing to redeem, for the noise can be made again.
        let seeded: Vec<bool> = history.charges.iter().map(|charge| charge.part.is_seeded()).collect();
        assert_eq!(seeded, [true], "{party} pays once");
    }
}

#[test]
fn every_party_killed_mid_round_pays_once_and_the_result_is_one() {
    killed_anywhere(&[45]);
}

#[test]
#[ignore = "needs minutes: the same, killed twelve times a step"]
fn every_party_killed_again_and_again_pays_once() {
    killed_anywhere(&[10, 20, 30, 40, 50, 60, 75, 90, 110, 140, 180, 240]);
}
