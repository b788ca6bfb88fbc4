//! Leaks planted in what the command published: each is found.

use super::folders::{Rules, Run, leaks};
use super::studies::{poincare, run, write_table};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use visard::io::{npy, write_npy};

/// A copy of a run, changed.
fn doctored(run: &Run, change: impl FnOnce(&Path)) -> (tempfile::TempDir, Run) {
    let dir = tempfile::tempdir().unwrap();
    copy(&run.folder, dir.path());
    change(dir.path());
    let run = Run { folder: dir.path().to_owned(), stdout: run.stdout.clone() };
    (dir, run)
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

/// Changes a JSON file.
fn edit(file: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    change(&mut value);
    fs::write(file, serde_json::to_string(&value).unwrap()).unwrap();
}

/// The certificate lists the files as they are now: who leaks does not leave sums behind that tell.
fn sum_again(folder: &Path) {
    let release = folder.join("release");
    edit(&release.join("certificate.json"), |certificate| {
        let mut names: Vec<_> = fs::read_dir(&release).unwrap().map(|f| f.unwrap().file_name()).collect();
        names.retain(|name| name != "certificate.json");
        names.sort();
        let sum =
            |name: &std::ffi::OsString| hex::encode(Sha256::digest(fs::read(release.join(name)).unwrap()));
        certificate["files"] =
            names.iter().map(|name| json!({"name": name.to_str(), "sha256": sum(name)})).collect();
    });
}

fn append(file: &Path, text: &str) {
    let old = fs::read_to_string(file).unwrap();
    fs::write(file, old + text).unwrap();
}

#[test]
fn planted_leaks_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let zacharias = "zacharias,0.9,-0.3";
    for (side, last) in [("near", "somebody79,0.1,0.1"), ("far", zacharias), ("again", zacharias)] {
        fs::create_dir(dir.path().join(side)).unwrap();
        write_table(&dir.path().join(side), 80, last);
    }
    let line = "hyperbolic mean r.csv --radius 1 --mu 2";
    let (near, far) = (run(dir.path(), "near", line), run(dir.path(), "far", line));
    let rules = Rules {
        secrets: &["somebody", "zacharias"],
        pictures: true,
        point: Some(&poincare),
        ..Rules::default()
    };
    assert_eq!(leaks(&near, &far, &rules), Vec::<String>::new());

    let found = |expected: &str, change: &dyn Fn(&Path)| {
        let (_kept, far) = doctored(&far, |folder| {
            change(folder);
            sum_again(folder);
        });
        let found = leaks(&near, &far, &rules);
        assert!(found.iter().any(|leak| leak.contains(expected)), "{expected}: {found:?}");
    };
    let mean = |folder: &Path| folder.join("release/mean.npy");
    // The form of the release by the first record.
    found("mean.npy: another shape", &|folder| write_npy(&mean(folder), &[3], &[0.1, 0.1, 0.0]).unwrap());
    found("mean.npy: another shape", &|folder| write_npy(&mean(folder), &[1, 2], &[0.1, 0.1]).unwrap());
    found("files: ", &|folder| fs::write(folder.join("release/extra.csv"), "x\n").unwrap());
    // Low bits: of the published file, and of the stored draw.
    found("is not to the bit what the noised values make", &|folder| {
        let mut array = npy::read(&mean(folder)).unwrap();
        array.data[1] = array.data[1].next_up();
        write_npy(&mean(folder), &array.shape, &array.data).unwrap();
    });
    found("is not on the grid", &|folder| {
        edit(&folder.join("internal/drawn.json"), |drawn| {
            let x = &mut drawn["released"]["value"]["draws"][0]["noised"][0];
            *x = json!(x.as_f64().unwrap() * (1.0 + 1e-14));
        });
    });
    // A name, told by one release or by both; a person's as well as a file's.
    for name in ["zacharias", "somebody3"] {
        found(&format!("report.html: tells {}", name.trim_end_matches('3')), &|folder| {
            append(&folder.join("release/report.html"), &format!("<!-- {name} -->"));
        });
    }
    // A count: on the page, in the certificate, in what is printed.
    found("report.html: ", &|folder| {
        append(&folder.join("release/report.html"), "<p>1 record was unusable</p>")
    });
    found("certificate.json: /details/failed", &|folder| {
        edit(&folder.join("release/certificate.json"), |certificate| {
            certificate["details"]["failed"] = json!(1)
        });
    });
    let told = Run { stdout: far.stdout.replace("\"n\":80", "\"n\":80,\"failed\":1"), ..far.clone() };
    assert!(leaks(&near, &told, &rules).iter().any(|leak| leak.starts_with("standard output")));
    // A second draw that nobody paid for: in place of the first, beside it in one release, published apart.
    let other = run(dir.path(), "again", line);
    found("the stored draw is not the one that was redeemed", &|folder| {
        for file in ["internal/drawn.json", "release/mean.npy"] {
            fs::copy(other.folder.join(file), folder.join(file)).unwrap();
        }
    });
    found("ledger: 2 draws, of which 1 were paid for", &|folder| {
        edit(&folder.join("internal/drawn.json"), |drawn| {
            let draws = drawn["released"]["value"]["draws"].as_array_mut().unwrap();
            draws.push(draws[0].clone());
        });
    });
    let (_kept, second) = doctored(&near, |folder| {
        fs::copy(other.folder.join("release/mean.npy"), mean(folder)).unwrap();
        sum_again(folder);
    });
    assert!(leaks(&near, &second, &rules).contains(&"ledger: two draws on one charge".to_owned()));
    // A charge that was made and led to two results is told by the ledger alone.
    found("ledger: 1 charges, 2 results", &|folder| {
        let ledger = folder.join("visard.ledger.jsonl");
        let text = fs::read_to_string(&ledger).unwrap();
        let redeemed = text.lines().find(|line| line.contains("\"redeem\"")).unwrap().to_owned();
        append(&ledger, &format!("{redeemed}\n"));
    });
}
