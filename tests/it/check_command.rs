//! `visard check`: a folder of sixty kinds of trouble, each told for what it is; and its exit codes.

use crate::command_line::visard;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use visard::io::{write_npy, write_ply};
use visard::mesh::TriMesh;
use visard::study::Place;
use visard::study::check::{CheckSettings, Report, check};
use visard::study::face::FaceInputs;
use visard::synth::{ScanConditions, person};

fn write_person(file: &Path, index: usize) {
    let cloud = TriMesh::new(person(7, index, &ScanConditions::demo()).points, Vec::new()).unwrap();
    write_ply(file, &cloud).unwrap();
}

fn checked(folder: &Path, change: impl Fn(&mut CheckSettings)) -> Report {
    let mut settings = CheckSettings {
        records: FaceInputs {
            curves: 6,
            samples: 16,
            ..FaceInputs::new([folder.to_owned()], Place::new(folder.join("out")))
        },
        recursive: false,
        full: false,
        budget: None,
        ledger: Default::default(),
    };
    change(&mut settings);
    check(&settings).unwrap()
}

/// Files that are passed over, whatever they hold.
const PASSED_OVER: [(&str, &str); 27] = [
    ("notes.txt", "text"),
    ("visit notes.txt", "text"),
    ("participants.csv", "people"),
    ("participants.tsv", "people"),
    ("Participants_2024.csv", "people"),
    ("covariates.csv", "people"),
    ("demographics.csv", "people"),
    ("questionnaire.tsv", "people"),
    ("metadata.csv", "people"),
    ("manifest.csv", "people"),
    ("groups.csv", "text"),
    ("people.csv", "text"),
    ("sub-01_scans.tsv", "table"),
    ("readme.txt", "text"),
    ("LICENSE.txt", "text"),
    ("CHANGES.txt", "text"),
    ("landmarks.csv", "landmarks"),
    ("README", "no ending"),
    ("README.md", ".md"),
    (".DS_Store", "hidden"),
    ("._good0.ply", "hidden"),
    ("Thumbs.db", ".db"),
    ("good0.ply.bak", ".bak"),
    ("good0.ply.gz", ".gz"),
    ("good0.mtl", ".mtl"),
    ("texture.png", ".png"),
    ("letter.docx", ".docx"),
];

/// Files that count by their names and cannot be read.
fn unreadable() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let ply = |n: usize, body: &str| {
        format!("ply\nformat ascii 1.0\nelement vertex {n}\nproperty float x\nproperty float y\nproperty float z\nend_header\n{body}").into_bytes()
    };
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("empty.ply", Vec::new(), "is empty"),
        ("void.obj", Vec::new(), "is empty"),
        ("picture.ply", text("\u{89}PNG"), "does not begin with the word ply"),
        ("header.ply", text("ply\nformat ascii 1.0\nelement vertex 3\n"), ""),
        ("short.ply", ply(3, "0 0 0\n1 1 1\n"), ""),
        ("huge.ply", ply(999_999_999, "0 0 0\n"), ""),
        ("nan.ply", ply(3, "nan 0 0\n1 nan 1\n2 2 nan\n"), "no point whose coordinates are numbers"),
        ("letters.ply", ply(2, "0 0 0\na b c\n"), ""),
        ("nothing.ply", ply(0, ""), "no points"),
        (
            "flat.ply",
            text(
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n",
            ),
            "",
        ),
        ("version.ply", text("ply\nformat ascii 7.0\nelement vertex 1\nend_header\n"), ""),
        ("facesonly.obj", text("f 1 2 3\n"), ""),
        ("index.obj", text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"), ""),
        ("zeroword.obj", text("v 0 0 zero\n"), ""),
        ("comments.obj", text("# nothing\n"), "no points"),
        ("stub.stl", vec![0; 90], ""),
        ("words.stl", text("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n"), ""),
        ("spelled.xyz", text("1 2 3\n4 five 6\n"), ""),
        ("column.xyz", text("1\n2\n3\n"), ""),
        ("remarks.xyz", text("# nothing\n"), "no points"),
        ("visits.csv", text("id,visit,age\na,1,30\nb,2,40\n"), ""),
        ("wide.csv", text("a,b,c,d\n1,2,3,4\n"), ""),
        ("utf16.txt", b"\xff\xfe1\x00 \x002\x00".to_vec(), ""),
        ("lines.npy", text("1 2 3\n"), ""),
        ("cut.npy", b"\x93NUMPY\x01\x00".to_vec(), ""),
    ]
}

#[test]
fn sixty_kinds_of_trouble_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    (0..4).for_each(|i| write_person(&path(&format!("good{i}.ply")), i));
    for (name, _) in PASSED_OVER {
        fs::write(path(name), "1 2 3\n4 5 6\n").unwrap();
    }
    let unreadable = unreadable();
    for (name, content, _) in &unreadable {
        fs::write(path(name), content).unwrap();
    }
    let mut passed_over: BTreeMap<String, String> =
        PASSED_OVER.iter().map(|(name, why)| ((*name).to_owned(), (*why).to_owned())).collect();
    let mut failed: BTreeMap<String, String> =
        unreadable.iter().map(|(name, _, problem)| ((*name).to_owned(), (*problem).to_owned())).collect();
    let also = |map: &mut BTreeMap<String, String>, name: &str, what: &str| {
        drop(map.insert(name.into(), what.into()))
    };
    // Arrays of other shapes and kinds.
    write_npy(&path("shape.npy"), &[2, 2], &[0.0; 4]).unwrap();
    write_npy(&path("infinite.npy"), &[1, 3], &[0.0, f64::INFINITY, 0.0]).unwrap();
    also(&mut failed, "shape.npy", "shape");
    also(&mut failed, "infinite.npy", "no point whose coordinates are numbers");
    // Folders.
    fs::create_dir(path("more")).unwrap();
    fs::create_dir(path("folder.ply")).unwrap();
    also(&mut passed_over, "more", "--recursive");
    also(&mut passed_over, "folder.ply", "is a folder");
    // Landmarks: one that is used, one that is broken, one without a nose.
    fs::write(path("good0.landmarks.csv"), "name,x,y,z\nnose tip,0,0,0\n").unwrap();
    also(&mut passed_over, "good0.landmarks.csv", "landmarks");
    write_person(&path("broken.ply"), 6);
    fs::write(path("broken_landmarks.csv"), "name,x,y,z\nnose tip,0,zero,0\n").unwrap();
    also(&mut passed_over, "broken_landmarks.csv", "landmarks");
    also(&mut failed, "broken.ply", "");
    write_person(&path("noseless.ply"), 7);
    fs::write(path("noseless_landmarks.csv"), "name,x,y,z\nelbow,0,0,0\n").unwrap();
    also(&mut passed_over, "noseless_landmarks.csv", "names no nose tip");
    // One scan in two formats; one file under two names; copies.
    fs::write(path("twice.obj"), "v 0 0 0\n").unwrap();
    fs::write(path("twice.ply"), "v 0 0 0\n").unwrap();
    fs::copy(path("good3.ply"), path("copy.ply")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        fs::hard_link(path("good2.ply"), path("same.ply")).unwrap();
        symlink("nowhere.ply", path("dangling.ply")).unwrap();
        symlink("nowhere.doc", path("dangling.doc")).unwrap();
        symlink("more", path("linked")).unwrap();
        symlink("/dev/zero", path("zero.ply")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path("pipe.ply")).status().unwrap().success());
        also(&mut failed, "dangling.ply", "leads nowhere");
        also(&mut passed_over, "dangling.doc", "leads nowhere");
        also(&mut passed_over, "linked", "link to a folder");
        also(&mut passed_over, "zero.ply", "device");
        also(&mut passed_over, "pipe.ply", "pipe");
    }
    let kinds = passed_over.len() + failed.len() + 3;
    assert!(kinds >= 60, "{kinds}");
    let report = checked(dir.path(), |_| {});
    let name = |file: &Path| file.file_name().unwrap().to_string_lossy().into_owned();
    for (file, why) in &passed_over {
        let told = report.skipped.iter().find(|skipped| name(&skipped.file) == *file);
        assert!(told.is_some_and(|told| told.why.contains(why)), "{file}: {told:?}");
    }
    for (file, problem) in &failed {
        let told = report.failed.iter().find(|failed| name(&failed.file) == *file);
        assert!(
            told.is_some_and(|told| told.problem.contains(problem) && told.problem.len() > 10),
            "{file}: {told:?}"
        );
    }
    let stems = report.failed.iter().find(|f| name(&f.file).starts_with("twice")).unwrap();
    assert!(stems.problem.contains("but for the ending"));
    #[cfg(unix)]
    assert!(
        report.failed.iter().any(
            |f| ["good2.ply", "same.ply"].contains(&&*name(&f.file)) && f.problem.contains("given twice")
        )
    );
    // Nothing else is told of, and the good ones count; so do those that fail, as the template.
    assert_eq!(report.skipped.len(), passed_over.len());
    let good: Vec<String> =
        report.people.iter().filter(|p| p.status == "ok").map(|p| name(&p.file)).collect();
    assert!(
        good.len() == 7
            && good.iter().all(|file| [
                "good0.ply",
                "good1.ply",
                "good2.ply",
                "same.ply",
                "good3.ply",
                "noseless.ply",
                "twice.obj",
                "copy.ply"
            ]
            .contains(&&**file)),
        "{good:?}"
    );
    assert_eq!(report.n, report.people.len());
    let mut alike: Vec<Vec<String>> =
        report.duplicates.iter().map(|group| group.iter().map(|f| name(f)).collect()).collect();
    alike.sort();
    // Two that hold nothing are alike too; one by its name and by a link to it is told of as given twice.
    let expected = [["comments.obj", "remarks.xyz"], ["copy.ply", "good3.ply"]];
    assert_eq!(alike, expected);
    let landmarks = report.people.iter().find(|p| name(&p.file) == "good0.ply").unwrap().landmarks.as_deref();
    assert_eq!(landmarks.map(name).as_deref(), Some("good0.landmarks.csv"));
    assert_eq!(report.units.guess, Some("mm"));
    assert!(!report.is_fine() && report.seconds.unwrap() > 0.0 && report.price.is_none());
}

#[test]
fn what_only_processing_finds_is_found_by_full() {
    let dir = tempfile::tempdir().unwrap();
    write_person(&dir.path().join("good.ply"), 1);
    fs::write(dir.path().join("few.xyz"), "0 0 0\n1 0 0\n0 1 0\n0 0 1\n5 5 5\n").unwrap();
    fs::write(dir.path().join("one place.xyz"), "1 1 1\n".repeat(500)).unwrap();
    assert!(checked(dir.path(), |_| {}).failed.is_empty());
    let report = checked(dir.path(), |settings| settings.full = true);
    assert_eq!(report.failed.len(), 2, "{:?}", report.failed);
    assert!(report.units.odd.len() == 1 && report.n == 3);
}

#[test]
fn exit_codes_and_manifests_are_for_workflows() {
    let dir = tempfile::tempdir().unwrap();
    for (i, scan) in ["sub-01/ses-1/a.ply", "sub-01/ses-2/a.ply", "sub-02/a.ply"].iter().enumerate() {
        let file = dir.path().join("bids").join(scan);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        write_person(&file, i);
    }
    fs::write(dir.path().join("bids/participants.tsv"), "participant_id\tage\nsub-01\t3\n").unwrap();
    let json = |words: &str| {
        let (code, out, err) = visard(dir.path(), words);
        (code, serde_json::from_str::<serde_json::Value>(&out).unwrap_or_else(|e| panic!("{e}: {out} {err}")))
    };
    let (code, flat) = json("--json check bids");
    assert_eq!(
        (code, flat["people"].as_array().unwrap().len()),
        (Some(1), 0),
        "no scans in the folder itself"
    );
    let (code, deep) = json("--json check bids --recursive --save all.csv --mu 1");
    assert_eq!(
        (code, &deep["n"], deep["people"].as_array().unwrap().len()),
        (Some(0), &2.into(), 3),
        "{deep}"
    );
    assert_eq!(deep["price"]["loss"]["mu"], 1.0);
    let manifest = fs::read_to_string(dir.path().join("all.csv")).unwrap();
    assert_eq!(manifest.lines().nth(1), Some("\"bids/sub-01/ses-1/a.ply\",\"sub-01\""));
    let (code, listed) = json("--json check --manifest all.csv bids");
    assert_eq!((code, &listed["n"]), (Some(0), &2.into()), "{listed}");
    // A ledger without room, a scan that the manifest does not have, one that is copied.
    fs::write(dir.path().join("all.csv"), "file,group\nbids/sub-01/ses-1/a.ply,a\nbids/sub-02/a.ply,b\n")
        .unwrap();
    let (code, listed) = json("--json check --manifest all.csv bids --recursive");
    assert_eq!((code, &listed["n"], &listed["groups"]["a"]), (Some(0), &2.into(), &1.into()));
    assert!(
        listed["skipped"]
            .as_array()
            .unwrap()
            .iter()
            .any(|s| s["why"].as_str().unwrap().contains("not in the manifest"))
    );
    fs::copy(dir.path().join("bids/sub-02/a.ply"), dir.path().join("bids/sub-01/ses-2/a.ply")).unwrap();
    let (code, copied) = json("--json check bids --recursive");
    assert_eq!((code, copied["duplicates"].as_array().unwrap().len()), (Some(1), 1));
    assert_eq!(json("--json check bids --recursive --allow-identical").0, Some(0));
    let (code, _, err) = visard(dir.path(), "check");
    assert!(code == Some(2), "{err}");
    // For people.
    let (_, text, _) = visard(dir.path(), "check bids --recursive");
    assert!(text.contains("3 files that count, 2 people") && text.contains("identical files"), "{text}");
}
