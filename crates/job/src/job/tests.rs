//! A job that is stopped anywhere: one charge, one draw, one release.

use super::*;
use crate::fault::{self, Fault, Outcome};
use crate::job::layout::CERTIFICATE;
use crate::privacy::Mechanism;
use crate::privacy::noise::NoiseError;
use crate::privacy::{ClipRadius, ClipSource, ClippedMean, Ledger, LedgerError, Mu, PrivacyLoss, Statement};
use std::fs;
use std::path::Path;

const RECORDS: [Option<[f64; 2]>; 3] = [Some([0.5, 0.5]), Some([30.0, 0.0]), None];

fn mean(mu: f64) -> ClippedMean {
    let radius = ClipRadius::new(1.0, ClipSource::Public).unwrap();
    ClippedMean::new(2, RECORDS.len() as u64, radius, Mu::new(mu).unwrap()).unwrap()
}

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum TestError {
    Job(#[from] JobError),
    Noise(#[from] NoiseError),
}

/// Two files: the mean, and a page.
#[derive(Debug)]
struct TwoFiles;

impl Publication for TwoFiles {
    type Value = Vec<f64>;
    type Error = TestError;

    fn counts_persons(&self) -> bool {
        false
    }

    fn describe(&self, _: &Released<Vec<f64>>, statement: &mut Statement) {
        statement.details.insert("kind".into(), "test".into());
    }

    fn statistic(&self) -> String {
        "face mean".into()
    }

    fn write(
        &self,
        published: &Released<Vec<f64>>,
        _: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), TestError> {
        folder.write("mean.json", serde_json::to_string(&published.value).unwrap().as_bytes())?;
        Ok(folder.write("report.html", b"<p>a page</p>")?)
    }
}

/// A whole study: what was released.
fn study(place: &Place, mu: f64) -> Result<Vec<f64>, TestError> {
    run(place, |job| {
        let mechanism = mean(mu);
        let priced = job.price(mechanism.price(), TwoFiles)?;
        let records = RECORDS.map(|record| record.map(Vec::from));
        let prepared = mechanism.prepare(&records)?;
        let digest = Digest::of("test", mechanism.price(), [b"records"]);
        let mut noise = job.noise(0)?;
        let published =
            job.release::<_, _, TestError>(&priced, &mechanism, &prepared, &digest, &mut noise)?;
        job.publish(&priced, &published)?;
        job.finish()?;
        Ok(published.value.clone())
    })
}

fn released(folder: &StudyFolder) -> Vec<f64> {
    serde_json::from_slice(&fs::read(folder.release().join("mean.json")).unwrap()).unwrap()
}

fn stored(folder: &StudyFolder) -> Option<Vec<f64>> {
    let drawn: serde_json::Value = serde_json::from_slice(&fs::read(folder.drawn()).ok()?).unwrap();
    Some(drawn["released"]["value"].as_array()?.iter().filter_map(serde_json::Value::as_f64).collect())
}

fn charges(folder: &StudyFolder) -> usize {
    Ledger::history(&folder.own_ledger()).map_or(0, |history| history.charges.len())
}

fn resuming(place: &Place) -> Place {
    Place { resume: true, ..place.clone() }
}

/// Every file operation fails once, or is the last before the end: what is resumed afterwards is what was stored, at one charge.
#[test]
fn a_study_that_is_stopped_anywhere_pays_once_and_publishes_one_draw() {
    let mut steps = Vec::new();
    for kind in [Fault::Error(5), Fault::Full, Fault::Crash] {
        for k in 0.. {
            assert!(k < 200, "a study has no end");
            let dir = tempfile::tempdir().unwrap();
            let place = Place::new(dir.path().join("study"));
            let folder = StudyFolder::at(&place.out);
            let struck = match fault::with(kind, k, || study(&place, 1.0)) {
                Outcome::Whole(done) => {
                    assert_eq!(done.unwrap(), released(&folder));
                    assert!(k > 20, "{kind:?}: only {k} operations were tried");
                    break;
                }
                // Folders are synced as far as the system can: that may fail without harm.
                Outcome::Struck(what, Ok(_)) => {
                    assert!(what == "sync a folder" || what == "remove a folder", "{what}");
                    what
                }
                Outcome::Struck(what, Err(_)) | Outcome::Crashed(what) => what,
            };
            let context = format!("{kind:?} at operation {k}, {struck}");
            if kind == Fault::Crash {
                steps.push(struck);
            }
            let (before, paid) = (stored(&folder), charges(&folder));
            let result = study(&resuming(&place), 1.0).unwrap_or_else(|e| panic!("{context}: {e}"));
            assert_eq!(released(&folder), result, "{context}");
            if let Some(before) = before {
                assert_eq!(before, result, "{context}: another draw than the stored one");
            }
            let history = Ledger::history(&folder.own_ledger()).unwrap();
            assert_eq!(history.charges.len(), 1, "{context} ({paid} before)");
            let redeemed: Vec<_> =
                history.charges.iter().filter_map(|charge| charge.redeemed.clone()).collect();
            assert_eq!(redeemed.len(), 1, "{context}");
            let text = fs::read_to_string(folder.release().join(CERTIFICATE)).unwrap();
            let certificate = Certificate::from_json(&text).unwrap();
            assert!(certificate.private && certificate.files.len() == 2, "{context}: {text}");
            history.holds(&certificate.ledger.unwrap()).unwrap();
            // Once more: the same, and nothing is paid.
            assert_eq!(study(&resuming(&place), 1.0).unwrap(), result, "{context}");
            assert_eq!(charges(&folder), 1, "{context}");
        }
    }
    for what in ["write", "sync", "rename", "create", "rename a folder", "remove a folder"] {
        assert!(steps.contains(&what), "no crash was tried before: {what}");
    }
}

/// The same in a ledger that another study charges before this one is resumed: what that one finds half written, and completes, is this
/// one's charge all the same.
#[test]
fn a_charge_that_another_study_completed_is_made_once() {
    let mut completed = 0;
    for kind in [Fault::Short, Fault::Crash] {
        for k in 0.. {
            let dir = tempfile::tempdir().unwrap();
            let ledger = dir.path().join("people.jsonl");
            let place = |name: &str| Place {
                ledger: LedgerChoice { file: Some(ledger.clone()), ..LedgerChoice::default() },
                ..Place::new(dir.path().join(name))
            };
            let (first, second) = (place("first"), place("second"));
            if let Outcome::Whole(done) = fault::with(kind, k, || study(&first, 1.0)) {
                done.unwrap();
                break;
            }
            let torn = Ledger::history(&ledger)
                .is_ok_and(|history| history.charges.iter().any(|charge| charge.receipt.is_none()));
            completed += usize::from(torn);
            study(&second, 1.0).unwrap();
            study(&resuming(&first), 1.0).unwrap();
            let history = Ledger::history(&ledger).unwrap();
            assert_eq!(history.charges.len(), 2, "{kind:?} at {k}");
            assert!(history.charges.iter().all(|charge| charge.redeemed.is_some()), "{kind:?} at {k}");
            for place in [&first, &second] {
                let text =
                    fs::read_to_string(StudyFolder::at(&place.out).release().join(CERTIFICATE)).unwrap();
                history.holds(&Certificate::from_json(&text).unwrap().ledger.unwrap()).unwrap();
            }
        }
    }
    assert!(completed > 0, "no charge was ever half written");
}

/// A replaced release is there until the new one is, and never half of each.
#[test]
fn a_release_is_replaced_as_a_whole_wherever_it_stops() {
    for kind in [Fault::Error(13), Fault::Crash] {
        for k in 0.. {
            let dir = tempfile::tempdir().unwrap();
            let place = Place::new(dir.path().join("study"));
            let folder = StudyFolder::at(&place.out);
            let old = study(&place, 1.0).unwrap();
            let replacing = Place { replace: true, ..place.clone() };
            if let Outcome::Whole(done) = fault::with(kind, k, || study(&replacing, 2.0)) {
                assert_eq!(released(&folder), done.unwrap());
                assert_eq!(charges(&folder), 2);
                break;
            }
            // Between two renames there is none; otherwise it is one or the other, with its own certificate.
            if folder.release().exists() {
                let text = fs::read_to_string(folder.certificate()).unwrap();
                let certificate = Certificate::from_json(&text).unwrap();
                let mu = if released(&folder) == old { 1.0 } else { 2.0 };
                assert_eq!(certificate.loss, PrivacyLoss::Gaussian(Mu::new(mu).unwrap()), "{kind:?} {k}");
            }
            let result = study(&Place { resume: true, ..replacing }, 2.0).unwrap();
            assert_eq!(released(&folder), result);
            let history = Ledger::history(&folder.own_ledger()).unwrap();
            assert_eq!(history.charges.len(), 2, "{kind:?} {k}");
        }
    }
}

/// A run that was paid for is not begun anew by accident, nor gone on with as another.
#[test]
fn an_interrupted_run_waits_for_a_decision() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::new(dir.path().join("study"));
    let folder = StudyFolder::at(&place.out);
    // Stopped with the draw stored and the charge not yet redeemed.
    let stop = (0..).find(|&k| {
        let _ = fs::remove_dir_all(&place.out);
        let crashed = matches!(fault::with(Fault::Crash, k, || study(&place, 1.0)), Outcome::Crashed(_));
        crashed && stored(&folder).is_some()
    });
    assert!(stop.is_some());
    let refused = |place: &Place, mu: f64| study(place, mu).unwrap_err();
    assert!(matches!(refused(&place, 1.0), TestError::Job(JobError::Interrupted(_))));
    assert!(matches!(refused(&resuming(&place), 2.0), TestError::Job(JobError::OtherRun(_))));
    // Begun by another version, which may have drawn otherwise: refused by name.
    let job = fs::read_to_string(folder.job()).unwrap();
    let mut begun: serde_json::Value = serde_json::from_str(&job).unwrap();
    for (version, name) in [(Some("0.0.9"), "visard 0.0.9"), (None, "an earlier version")] {
        match version {
            Some(version) => begun["version"] = version.into(),
            None => drop(begun.as_object_mut().unwrap().remove("version")),
        }
        begun["digest"] = "0".repeat(64).into();
        fs::write(folder.job(), begun.to_string()).unwrap();
        let said = refused(&resuming(&place), 1.0);
        assert!(matches!(said, TestError::Job(JobError::OtherVersion { .. })), "{said:?}");
        assert!(said.to_string().contains(&format!("was begun by {name}, not by visard")), "{said}");
    }
    fs::write(folder.job(), job).unwrap();
    assert_eq!(charges(&folder), 1);
    // Given up: the charge stands, a new one is made, another draw is published.
    let first = stored(&folder).unwrap();
    let second = study(&Place { replace: true, ..place.clone() }, 1.0).unwrap();
    assert!(second != first && charges(&folder) == 2);
    assert!(matches!(refused(&place, 1.0), TestError::Job(JobError::HasRelease(_))));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Whoever puts back the state of before the draw gets no second draw under the same charge, whatever else they put back or change.
#[test]
fn a_checkpoint_that_is_put_back_gives_no_second_draw() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::new(dir.path().join("study"));
    let folder = StudyFolder::at(&place.out);
    // The state after the charge and before the draw.
    (0..)
        .find(|&k| {
            let _ = fs::remove_dir_all(&place.out);
            let _ = fault::with(Fault::Crash, k, || study(&place, 1.0));
            charges(&folder) == 1
        })
        .unwrap();
    assert!(stored(&folder).is_none());
    let kept = dir.path().join("kept");
    copy(&folder.internal(), &kept);
    let first = study(&resuming(&place), 1.0).unwrap();
    let drawn = fs::read(folder.drawn()).unwrap();
    let put_back = || {
        fs::remove_dir_all(folder.internal()).unwrap();
        copy(&kept, &folder.internal());
    };
    // Without the draw: refused, and the release stays.
    put_back();
    let refused = study(&resuming(&place), 1.0).unwrap_err();
    assert!(refused.to_string().contains("redeemed") || refused.to_string().contains("result"), "{refused}");
    assert_eq!(released(&folder), first);
    // With a draw of one's own: refused.
    let text = String::from_utf8(drawn.clone()).unwrap();
    let number = format!("{}", first[0]);
    assert!(text.contains(&number));
    fs::write(folder.drawn(), text.replacen(&number, "0.25", 1)).unwrap();
    assert!(study(&resuming(&place), 1.0).is_err());
    assert_eq!(released(&folder), first);
    // With the very draw: published once more.
    fs::write(folder.drawn(), drawn).unwrap();
    assert_eq!(study(&resuming(&place), 1.0).unwrap(), first);
    assert_eq!(charges(&folder), 1);
}

#[test]
fn one_process_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::new(dir.path().join("study"));
    run(&place, |_| {
        let second = study(&place, 1.0).unwrap_err();
        assert!(matches!(second, TestError::Job(JobError::Busy(_))), "{second}");
        Ok::<(), JobError>(())
    })
    .unwrap();
    study(&place, 1.0).unwrap();
}

/// What fails before it is paid for leaves nothing, and nothing of others is taken away.
#[test]
fn a_job_that_comes_to_nothing_leaves_what_was_there() {
    let dir = tempfile::tempdir().unwrap();
    let fail = |place: &Place| {
        run(place, |job| {
            job.price(mean(1.0).price(), TwoFiles)?;
            fs::write(job.folder().internal().join("records").join("half.tmp"), "").ok();
            fs::remove_file(job.folder().internal().join("records").join("half.tmp")).ok();
            Err::<(), JobError>(JobError::OtherPrice)
        })
        .unwrap_err()
    };
    let place = Place::new(dir.path().join("a/b/study"));
    fail(&place);
    assert!(!dir.path().join("a").exists(), "folders it made are gone");
    // In a folder with other people's things, only its own go.
    let home = dir.path().join("home");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("notes.txt"), "mine").unwrap();
    fail(&Place::new(&home));
    let names: Vec<_> = fs::read_dir(&home).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| name == "notes.txt" || name == ".visard.lock"), "{names:?}");
    // A ceiling is a decision for later runs too: it stays.
    let ceiling = Some(PrivacyLoss::Gaussian(Mu::new(0.5).unwrap()));
    let ledger = LedgerChoice { ceiling, ..LedgerChoice::default() };
    let low = Place { ledger, ..Place::new(dir.path().join("low")) };
    assert!(matches!(
        study(&low, 1.0),
        Err(TestError::Job(JobError::Ledger(LedgerError::AboveCeiling { .. })))
    ));
    assert!(StudyFolder::at(&low.out).own_ledger().exists());
    assert!(study(&Place::new(&low.out), 0.4).is_ok());
    // A finished study is not touched by one that fails.
    let done = Place::new(dir.path().join("done"));
    let result = study(&done, 1.0).unwrap();
    fail(&Place { replace: true, ..done.clone() });
    assert_eq!(released(&StudyFolder::at(&done.out)), result);
    assert_eq!(charges(&StudyFolder::at(&done.out)), 1);
}

/// A file where the folder should be; a ledger that is gone.
#[test]
fn what_is_in_the_way_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let place = Place::new(dir.path().join("file"));
    assert!(matches!(study(&place, 1.0), Err(TestError::Job(JobError::IsAFile(_)))));
    let place = Place::new(dir.path().join("study"));
    study(&place, 1.0).unwrap();
    let folder = StudyFolder::at(&place.out);
    let ledger = fs::read(folder.own_ledger()).unwrap();
    fs::remove_file(folder.own_ledger()).unwrap();
    let again = Place { replace: true, ..place.clone() };
    assert!(matches!(study(&again, 1.0), Err(TestError::Job(JobError::LedgerGone(_)))));
    assert!(!folder.own_ledger().exists(), "no ledger is begun in its place");
    // One of another study in its place does not hold the charge that the release names.
    let other = Place::new(dir.path().join("other"));
    study(&other, 1.0).unwrap();
    fs::copy(StudyFolder::at(&other.out).own_ledger(), folder.own_ledger()).unwrap();
    assert!(matches!(study(&again, 1.0), Err(TestError::Job(JobError::Ledger(LedgerError::Receipt(_))))));
    fs::write(folder.own_ledger(), ledger).unwrap();
    study(&again, 1.0).unwrap();
    assert_eq!(charges(&folder), 2);
    // A job file that is none.
    fs::write(folder.job(), "{").unwrap();
    assert!(matches!(study(&again, 1.0), Err(TestError::Job(JobError::State { .. }))));
}

/// Another mechanism than the one that was priced is not released.
#[test]
fn the_price_that_was_checked_is_the_price_that_is_paid() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::new(dir.path().join("study"));
    let refused = run(&place, |job| {
        let priced = job.price(mean(0.1).price(), TwoFiles)?;
        let dearer = mean(3.0);
        let prepared = dearer.prepare(&RECORDS.map(|record| record.map(Vec::from)))?;
        let digest = Digest::of("test", dearer.price(), [b"records"]);
        let mut noise = job.noise(0)?;
        job.release::<_, _, TestError>(&priced, &dearer, &prepared, &digest, &mut noise).map(|_| ())
    });
    assert!(matches!(refused, Err(TestError::Job(JobError::OtherPrice))));
    assert!(!place.out.exists());
}

#[test]
fn a_study_that_is_asked_to_stop_in_time_pays_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::new(dir.path().join("study"));
    let folder = StudyFolder::at(&place.out);
    assert!(place.stop.clone().ask());
    assert!(matches!(study(&place, 1.0), Err(TestError::Job(JobError::Stopped))));
    assert!(charges(&folder) == 0 && !folder.has_release() && stored(&folder).is_none());
    // A later run is not stopped by that, and after its charge it can no longer be.
    let again = Place::new(&place.out);
    study(&again, 1.0).unwrap();
    assert!(charges(&folder) == 1 && !again.stop.ask());
}

#[test]
fn a_plan_is_frozen_with_the_charge() {
    let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
    let plan = |accept| {
        crate::job::SavedPlan::new("face mean", (3, loss), Some(accept), serde_json::Value::Null).unwrap()
    };
    // The study crashes after the draw and before the release …
    let (_dir, place, hash, text) = (0..200)
        .find_map(|k| {
            let dir = tempfile::tempdir().unwrap();
            let place = Place::new(dir.path().join("study"));
            let folder = StudyFolder::at(&place.out);
            let hash = plan(0.1).save(&folder).unwrap();
            let text = fs::read(folder.plan()).unwrap();
            let crashed = matches!(fault::with(Fault::Crash, k, || study(&place, 1.0)), Outcome::Crashed(_));
            (crashed && stored(&folder).is_some()).then_some((dir, place, hash, text))
        })
        .unwrap();
    let folder = StudyFolder::at(&place.out);
    assert!(!folder.has_release());
    // … and somebody then lowers the bar.
    fs::write(folder.plan(), serde_json::to_string(&plan(10.0)).unwrap()).unwrap();
    study(&resuming(&place), 1.0).unwrap();
    let certificate = fs::read_to_string(folder.release().join(CERTIFICATE)).unwrap();
    let certificate = Certificate::from_json(&certificate).unwrap();
    assert_eq!(certificate.details["plan"]["sha256"], hash.as_str());
    assert_eq!(fs::read(folder.release().join("plan.json")).unwrap(), text);
    assert!(certificate.files.iter().any(|file| file.name == "plan.json" && file.sha256 == hash));
}
