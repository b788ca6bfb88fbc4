use super::*;
use crate::io::write_npy;
use crate::privacy::noise::StreamNoise;
use crate::privacy::{Certificate, Ledger};
use crate::study::face::{TemplateSource, load_template};
use crate::study::{Binding, LedgerChoice, verify};
use crate::synth::FaceParameters;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::fs;
use std::path::Path;

/// A room with the faces of so many years, and a plan.
struct Room(tempfile::TempDir);

impl Room {
    fn new(plan: &str) -> Self {
        let room = Self(tempfile::tempdir().unwrap());
        fs::write(room.path("stream.json"), plan).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        (1..=4).for_each(|year| room.write_year(year, &mut rng, 0.0));
        room
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Three faces of a year; the last moved by so much in one place.
    fn write_year(&self, year: usize, rng: &mut ChaCha8Rng, moved: f64) {
        let loaded = load_template(&TemplateSource::Builtin).unwrap();
        let face = |rng: &mut ChaCha8Rng| {
            let face = FaceParameters::sample_about(&FaceParameters::elsewhere(), rng).vertices();
            loaded.template.curves_of(&face, 4, 8).unwrap().data().to_vec()
        };
        let mut faces: Vec<f64> = (0..3).flat_map(|_| face(rng)).collect();
        *faces.last_mut().unwrap() += moved;
        write_npy(&self.path(&format!("{year}.npy")), &[3, 4, 8, 3], &faces).unwrap();
    }

    fn settings(&self, out: &str, year: usize) -> StreamSettings {
        let prepared = Some(self.path(&format!("{year}.npy")));
        let place = Place::new(self.path(out));
        let records = FaceInputs { prepared, curves: 4, samples: 8, ..FaceInputs::new(Vec::new(), place) };
        StreamSettings { plan: self.path("stream.json"), step: None, records }
    }

    fn run(&self, out: &str, year: usize) -> Result<FaceOutcome, String> {
        go(&self.settings(out, year))
    }

    /// People by name, one for each face of a year.
    fn matched(&self, out: &str, year: usize, names: [&str; 3]) -> StreamSettings {
        let table = self.path(&format!("{year}.csv"));
        let rows: String = names.iter().enumerate().map(|(i, name)| format!("{i},{name}\n")).collect();
        fs::write(&table, format!("record,person\n{rows}")).unwrap();
        let mut settings = self.settings(out, year);
        settings.records.counting.people = Some(Whose::Table(table));
        settings
    }
}

fn go(settings: &StreamSettings) -> Result<FaceOutcome, String> {
    run_stream(settings, &|_| ()).map_err(|error| error.to_string())
}

fn refused(settings: &StreamSettings, words: &str) {
    let error = go(settings).unwrap_err();
    assert!(error.contains(words), "{words}: {error}");
}

fn certificate(outcome: &FaceOutcome) -> Certificate {
    outcome.released.as_ref().unwrap().certificate.clone()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn steps_follow_each_other_under_one_charge() {
    let room = Room::new(r#"{"steps": 3, "mu": 1}"#);
    let mut before = None;
    for year in 1..=3 {
        let outcome = room.run("out", year).unwrap();
        let found = certificate(&outcome);
        assert_eq!((outcome.people, found.n), (3 * year, 3 * year as u64));
        let stream = &found.details["stream"];
        assert_eq!((stream["step"].as_u64(), stream["steps"].as_u64()), (Some(year as u64), Some(3)));
        assert!(stream["noise_ratio"].as_f64().unwrap() < 1.4 && found.private, "{stream}");
        assert!(found.caveats.iter().any(|caveat| format!("{caveat:?}").contains("not matched across")));
        for name in ["mean.ply", "curves.npy", "error.npy", "report.html"] {
            assert!(room.path("out/release").join(name).exists(), "{name}");
        }
        assert_eq!(verify(&room.path("out"), None, None).unwrap().binding, Binding::Certificate);
        if let Some(earlier) = before {
            let path = room.path(&format!("out/release-{:02}", year - 1));
            let verified = verify(&path, None, None).unwrap();
            assert_eq!((verified.binding, verified.certificate), (Binding::Certificate, earlier));
        }
        before = Some(found);
    }
    let history = Ledger::history(&room.path("out/visard.ledger.jsonl")).unwrap();
    let mu = history.spent().mu().unwrap().unwrap().get();
    assert!(history.charges.len() == 1 && (mu - 1.0).abs() < 1e-12);
    assert_eq!((history.charges[0].redeemed_parts.len(), history.charges[0].published.len()), (3, 3));
    refused(&room.settings("out", 4), "the plan has no such step");
}

#[test]
fn a_step_is_drawn_once() {
    let room = Room::new(r#"{"steps": 3, "mu": 1}"#);
    let at = |step, year| StreamSettings { step: Some(step), ..room.settings("out", year) };
    refused(&at(2, 1), "comes after one that was not released");
    refused(&at(0, 1), "counted from 1");
    assert!(!room.path("out").exists(), "nothing is left of what was refused");
    let first = certificate(&room.run("out", 1).unwrap());
    // The same once more: without its number it would be another step, with the same people in it.
    refused(&room.settings("out", 1), "counted in step 1 already");
    assert_eq!(certificate(&go(&at(1, 1)).unwrap()), first);
    refused(&at(1, 2), "drawn from other records");
    refused(&at(3, 2), "comes after one that was not released");
    let second = certificate(&go(&at(2, 2)).unwrap());
    assert_eq!(certificate(&go(&at(2, 2)).unwrap()), second);
    refused(&at(1, 1), "it was released, and so was a later one");
    // Another plan, also by a blank, another making, and giving up.
    fs::write(room.path("stream.json"), r#"{"steps": 3,  "mu": 1}"#).unwrap();
    refused(&at(3, 3), "not of this stream");
    fs::write(room.path("stream.json"), r#"{"steps": 3, "mu": 1}"#).unwrap();
    let mut other = at(3, 3);
    other.records.crop_radius = Some(90.0);
    refused(&other, "not of this stream");
    let mut other = at(3, 3);
    other.records.place.replace = true;
    refused(&other, "a stream is not replaced");
    let mut other = at(3, 3);
    other.records.place.seed = Some(1);
    assert!(go(&other).is_err(), "a seeded step of a stream that is not");
    go(&at(3, 3)).unwrap();
}

#[test]
fn what_is_stored_is_what_the_ledger_knows() {
    let room = Room::new(r#"{"steps": 4, "mu": 1}"#);
    let ledger = Some(room.path("people.jsonl"));
    let at = |out, year| {
        let mut settings = room.settings(out, year);
        settings.records.place.ledger = LedgerChoice { file: ledger.clone(), ..LedgerChoice::default() };
        settings
    };
    go(&at("out", 1)).unwrap();
    copy(&room.path("out"), &room.path("old"));
    go(&at("out", 2)).unwrap();
    // An older copy, with other records for the step that was drawn meanwhile, or with the same.
    refused(&at("old", 3), "step 2 of this stream: what is stored of it is missing, older or changed");
    refused(&at("old", 2), "step 2 of this stream: what is stored of it is missing, older or changed");
    // A sum, or a name, that was changed; a step that is gone.
    let stored = room.path("out/internal/step-01.json");
    let text = fs::read_to_string(&stored).unwrap();
    assert!(text.contains("visard internal") && !text.contains("\"sum\":[]"));
    fs::write(&stored, text.replacen("\"sum\":[", "\"sum\":[1", 1)).unwrap();
    refused(&at("out", 3), "step 1 of this stream: what is stored of it is missing, older or changed");
    fs::remove_file(&stored).unwrap();
    refused(&at("out", 3), "step 1 of this stream: what is stored of it is missing, older or changed");
    fs::write(&stored, &text).unwrap();
    // Without its state, a folder is no stream's; a ledger without the charge pays for nothing.
    fs::rename(room.path("out/internal/job.json"), room.path("job.json")).unwrap();
    assert!(go(&at("out", 3)).is_err());
    fs::rename(room.path("job.json"), room.path("out/internal/job.json")).unwrap();
    fs::rename(room.path("people.jsonl"), room.path("kept.jsonl")).unwrap();
    assert!(go(&at("out", 3)).is_err());
    fs::rename(room.path("kept.jsonl"), room.path("people.jsonl")).unwrap();
    // Nobody else works there meanwhile.
    let busy = job::run(&Place { resume: true, ..Place::new(room.path("out")) }, |_| {
        refused(&at("out", 3), "another process is working");
        Ok::<_, StudyError>(())
    });
    busy.unwrap();
    go(&at("out", 3)).unwrap();
    let history = Ledger::history(&room.path("people.jsonl")).unwrap();
    assert_eq!((history.charges.len(), history.charges[0].redeemed_parts.len()), (1, 3));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(room.path("out/internal/step-02.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn people_count_in_as_many_steps_as_were_planned() {
    let room = Room::new(r#"{"steps": 3, "mu": 1, "visits": 2, "norm": "half"}"#);
    let people = |outcome: FaceOutcome| certificate(&outcome).details["stream"]["people"].clone();
    assert_eq!(people(go(&room.matched("out", 1, ["ann", "bob", "eve"])).unwrap()), serde_json::json!([3]));
    refused(&room.settings("out", 2), "in all steps of a stream or in none");
    let mut folders = room.settings("out", 2);
    folders.records.counting.people = Some(Whose::Folders);
    refused(&folders, "matched by a table");
    // Two records of one person are one.
    assert_eq!(
        people(go(&room.matched("out", 2, ["ann", "joe", "joe"])).unwrap()),
        serde_json::json!([3, 2])
    );
    let notes = std::sync::Mutex::new(Vec::new());
    let third = run_stream(&room.matched("out", 3, ["ann", "bob", "zoe"]), &|event| {
        if let FaceProgress::Remark { text } = event {
            notes.lock().unwrap().push(text);
        }
    });
    let third = third.unwrap();
    let found = certificate(&third);
    assert_eq!(people(third), serde_json::json!([3, 2, 2]));
    assert_eq!(found.adjacency, crate::privacy::Adjacency::ReplaceOnePerson);
    assert!(!found.caveats.iter().any(|caveat| format!("{caveat:?}").contains("not matched")));
    let notes = notes.into_inner().unwrap();
    assert!(
        notes.iter().any(|text| text.starts_with(
            "2 of 3 people were in steps before, by their names in the table; the records of 1 of them"
        )),
        "{notes:?}"
    );
    // All of them have been there.
    let room = Room::new(r#"{"steps": 3, "mu": 1}"#);
    go(&room.matched("out", 1, ["ann", "bob", "eve"])).unwrap();
    refused(&room.matched("out", 2, ["eve", "ann", "bob"]), "nobody counts in this step");
}

#[test]
fn plans_that_are_none_are_refused() {
    let room = Room::new("");
    fs::remove_file(room.path("stream.json")).unwrap();
    refused(&room.settings("out", 1), r#"for instance {"steps": 20, "mu": 1}"#);
    for (plan, words) in [
        ("[]", "not a plan of a stream"),
        (r#"{"steps": 3}"#, "missing field `mu`"),
        (r#"{"steps": 0, "mu": 1}"#, "1 to 64 steps"),
        (r#"{"steps": 65, "mu": 1}"#, "1 to 64 steps"),
        (r#"{"steps": 3, "mu": 1, "visits": 4}"#, "1 step to all"),
        (r#"{"steps": 3, "mu": 1, "radius": 4}"#, "unknown field"),
        (r#"{"steps": 3, "mu": -1}"#, "mu"),
        (r#"{"steps": 3, "mu": 50}"#, "mu"),
    ] {
        fs::write(room.path("stream.json"), plan).unwrap();
        refused(&room.settings("out", 1), words);
        assert!(!room.path("out").exists(), "{plan}");
    }
}

/// One person is replaced in the first step: with the same seed, all certificates are the same but for sums of files and what is noised.
#[test]
fn certificates_of_neighbours_differ_in_noised_values_only() {
    let all = |moved: f64| -> Vec<serde_json::Value> {
        let room = Room::new(r#"{"steps": 2, "mu": 1}"#);
        room.write_year(1, &mut ChaCha8Rng::seed_from_u64(9), moved);
        let one = |year| {
            let mut settings = room.settings("out", year);
            settings.records.place.seed = Some(3);
            let outcome = go(&settings).unwrap();
            let mut value = serde_json::to_value(certificate(&outcome)).unwrap();
            value["files"].as_array_mut().unwrap().iter_mut().for_each(|file| file["sha256"] = "".into());
            value["details"]["accuracy"] = "".into();
            value["ledger"] = "".into();
            value
        };
        vec![one(1), one(2)]
    };
    assert_eq!(all(0.0), all(0.01));
}

/// What the certificate says of the noise is what the mechanism has.
#[test]
fn twenty_steps_have_twice_the_noise_of_one() {
    let shape = KnownPlan {
        plan: serde_json::from_str(r#"{"steps": 20, "mu": 1}"#).unwrap(),
        input: crate::privacy::PublicInput::of_bytes("stream.json", b""),
    }
    .shape()
    .unwrap();
    let noise = StreamNoise::new(5520, shape.radius, shape.steps, shape.visits, shape.mu).unwrap();
    assert!(noise.running_sigma(20) / noise.once_sigma() < 2.1);
}

/// The line of docs/measurements.md: squared errors after 20 steps of 50 people, and of single releases of all of them.
#[test]
#[ignore = "needs minutes; prints the line of docs/measurements.md"]
fn errors_beside_those_of_single_releases() {
    use crate::study::face::{CURVES, FaceMechanism, FaceStudySettings, SAMPLES, run};
    let (years, each) = (20, 50);
    let loaded = load_template(&TemplateSource::Builtin).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let room = Room(tempfile::tempdir().unwrap());
    let form = |settings: FaceInputs| FaceInputs { curves: CURVES, samples: SAMPLES, ..settings };
    let mut all = Vec::new();
    for year in 1..=years {
        let face = |rng: &mut ChaCha8Rng| {
            let face = FaceParameters::sample_about(&FaceParameters::elsewhere(), rng).vertices();
            loaded.template.curves_of(&face, CURVES, SAMPLES).unwrap().data().to_vec()
        };
        let faces: Vec<f64> = (0..each).flat_map(|_| face(&mut rng)).collect();
        write_npy(&room.path(&format!("{year}.npy")), &[each, CURVES, SAMPLES, 3], &faces).unwrap();
        all.extend(faces);
    }
    write_npy(&room.path("all.npy"), &[years * each, CURVES, SAMPLES, 3], &all).unwrap();
    for norm in ["half", "white"] {
        let plan = format!(r#"{{"steps": {years}, "mu": 1, "norm": "{norm}"}}"#);
        fs::write(room.path("stream.json"), plan).unwrap();
        for year in 1..=years {
            let settings = room.settings(norm, year);
            let outcome = go(&StreamSettings { records: form(settings.records), ..settings }).unwrap();
            if year % 5 == 0 {
                let stated = outcome.released.as_ref().unwrap().accuracy.rms.powi(2);
                println!(
                    "{norm}, {} people: {:.2e}, stated {stated:.2e}",
                    outcome.people,
                    outcome.mean_square_error.unwrap()
                );
            }
        }
    }
    for (mechanism, out) in [(FaceMechanism::Joint, "joint"), (FaceMechanism::JointOnce, "once")] {
        let prepared = Some(room.path("all.npy"));
        let inputs = FaceInputs { prepared, ..FaceInputs::new(Vec::new(), Place::new(room.path(out))) };
        let mu = crate::privacy::Mu::new(1.0).unwrap();
        let settings = FaceStudySettings {
            records: form(inputs),
            mechanism,
            ..FaceStudySettings::new([], Place::new("x"), mu)
        };
        println!("{mechanism:?}: {:.2e}", run(&settings, &|_| ()).unwrap().mean_square_error.unwrap());
    }
}
