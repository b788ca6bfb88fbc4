//! Nothing in `release/` depends on the records except through the noised values: two neighbouring studies with the same noise
//! seed differ in these only.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use visard::io::write_ply;
use visard::mesh::TriMesh;
use visard::privacy::Mu;
use visard::study::Place;
use visard::study::face::prepare::{PrepareSettings, prepare};
use visard::study::face::{FaceInputs, FaceMechanism, FaceStudySettings, Units, run as run_study};
use visard::study::records::Shard;
use visard::synth::{ScanConditions, person};

fn write_person(folder: &Path, name: &str, index: usize) {
    let cloud = TriMesh::new(person(7, index, &ScanConditions::demo()).points, Vec::new()).unwrap();
    write_ply(&folder.join(name), &cloud).unwrap();
}

/// The same person, larger than any bound of sizes.
fn write_giant(folder: &Path, name: &str, index: usize) {
    let points = person(7, index, &ScanConditions::demo()).points.into_iter().map(|p| p * 3.0).collect();
    write_ply(&folder.join(name), &TriMesh::new(points, Vec::new()).unwrap()).unwrap();
}

/// Runs a study on five scans of which the last is made by `last`, and returns its release, file by file.
fn release(
    mechanism: FaceMechanism,
    [band, size]: [bool; 2],
    last: &dyn Fn(&Path),
) -> BTreeMap<String, Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    let scans = dir.path().join("scans");
    fs::create_dir(&scans).unwrap();
    (0..4).for_each(|i| write_person(&scans, &format!("scan{i}.ply"), i));
    last(&scans);
    let place = Place { seed: Some(11), ..Place::new(dir.path().join("study")) };
    let records = FaceInputs { curves: 6, samples: 16, ..FaceInputs::new([scans], place.clone()) };
    let settings = FaceStudySettings {
        records,
        mechanism,
        band,
        size: size.then_some(Units::Mm),
        ..FaceStudySettings::new([], place, Mu::new(2.0).unwrap())
    };
    run_study(&settings, &|_| {}).unwrap();
    files_of(&dir.path().join("study/release"))
}

/// The same of records in a folder, made in five shards; the second stage finds no scans. `last` may lose its record too.
fn release_of_records(last: &dyn Fn(&Path), lost: bool) -> BTreeMap<String, Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    let scans = dir.path().join("scans");
    fs::create_dir(&scans).unwrap();
    (0..4).for_each(|i| write_person(&scans, &format!("scan{i}.ply"), i));
    last(&scans);
    let mut names: Vec<String> =
        fs::read_dir(&scans).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    // The changed one is the last row, and a shard by itself.
    names.sort_by_key(|name| (!name.starts_with("scan") || name == "scan4.ply", name.clone()));
    let manifest = dir.path().join("all.csv");
    fs::write(&manifest, format!("file\nscans/{}\n", names.join("\nscans/"))).unwrap();
    let place = Place { seed: Some(11), ..Place::new(dir.path().join("study")) };
    let (out, manifest) = (dir.path().join("records"), Some(manifest));
    let records = FaceInputs { curves: 6, samples: 16, manifest, ..FaceInputs::new([], place.clone()) };
    for shard in [1, 2, 3, 4, 5].into_iter().filter(|k| !(lost && *k == 5)) {
        let shard = Shard::new(shard, 5).unwrap();
        prepare(&PrepareSettings { records: records.clone(), shard, out: out.clone() }, &|_| {}).unwrap();
    }
    fs::remove_dir_all(&scans).unwrap();
    let settings = FaceStudySettings {
        records: FaceInputs { records: Some(out), ..records },
        // So much that it is measured how far records lie beyond the public radius.
        ..FaceStudySettings::new([], place, Mu::new(7.0).unwrap())
    };
    run_study(&settings, &|_| {}).unwrap();
    files_of(&dir.path().join("study/release"))
}

#[test]
fn releases_of_neighbouring_folders_of_records_differ_in_noised_values_only() {
    let one = release_of_records(&|scans| write_person(scans, "scan4.ply", 4), false);
    compare(&one, &release_of_records(&|scans| write_giant(scans, "somebody-else.ply", 9), false));
    // A file that no stage can process; a record that is lost.
    let broken = |scans: &Path| fs::write(scans.join("scan4.ply"), "ply\nno scan").unwrap();
    compare(&one, &release_of_records(&broken, false));
    compare(&one, &release_of_records(&|scans| write_person(scans, "scan4.ply", 4), true));
}

fn files_of(release: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(release)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// A page without the checksums and names that belong to the ledger's line: long words of hexadecimal digits.
fn without_checksums(page: &str) -> String {
    let words = page.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let is_sum = |word: &str| word.len() > 32 && word[..32].bytes().all(|b| b.is_ascii_hexdigit());
    words.filter(|word| !is_sum(word)).collect()
}

/// A page without what is drawn from released numbers: charts, embedded pictures and meshes, and every digit.
fn without_numbers(page: &[u8]) -> String {
    let mut text = String::from_utf8(page.to_vec()).unwrap();
    while let Some(start) = text.find("<svg") {
        let end = start + text[start..].find("</svg>").unwrap() + 6;
        text.replace_range(start..end, "[chart]");
    }
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("base64,") {
        out.push_str(&rest[..at]);
        let payload = &rest[at + 7..];
        let end = payload.find(|c: char| !c.is_ascii_alphanumeric() && !"+/=".contains(c)).unwrap();
        rest = &payload[end..];
    }
    out.push_str(rest);
    let out = without_checksums(&out);
    let mut plain = String::new();
    for c in out.chars() {
        let c = if c.is_ascii_digit() || ".-+e, ML".contains(c) { '#' } else { c };
        if !(c == '#' && plain.ends_with('#')) {
            plain.push(c);
        }
    }
    plain
}

/// A certificate without the sums of the files beside it, its error statement, and without the checksum of the ledger's line (whose id and time are its
/// own).
fn without_sums(certificate: &[u8]) -> serde_json::Value {
    let mut value: serde_json::Value = serde_json::from_slice(certificate).unwrap();
    for file in value["files"].as_array_mut().unwrap() {
        file["sha256"] = "".into();
    }
    value["ledger"] = serde_json::Value::Null;
    // A function of the noised values.
    for number in value["details"]["accuracy"].as_object_mut().unwrap().values_mut() {
        *number = number.is_number().into();
    }
    value
}

fn compare(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    let certificates = [a, b].map(|files| without_band(without_sums(&files["certificate.json"])));
    assert_eq!(certificates[0], certificates[1]);
    // The array: header alike, values not.
    assert_eq!(a["curves.npy"].len(), b["curves.npy"].len());
    assert_eq!(a["curves.npy"][..128], b["curves.npy"][..128]);
    assert_ne!(
        a["curves.npy"], b["curves.npy"],
        "the studies are not neighbours but twins: the test tests nothing"
    );
    // The mesh: header, number of bytes and triangles alike.
    let (m, n) = (&a["mean.ply"], &b["mean.ply"]);
    assert_eq!(m.len(), n.len());
    let header = m.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    assert_eq!(m[..header], n[..header]);
    let triangles = m.len() - header - 13 * visard::synth::builtin_template().triangles().len();
    assert_eq!(m[header + triangles..], n[header + triangles..]);
    let (p, q) = (without_numbers(&a["report.html"]), without_numbers(&b["report.html"]));
    let differs = p.chars().zip(q.chars()).take_while(|(x, y)| x == y).count();
    let shown: String = p.chars().skip(differs.saturating_sub(60)).take(120).collect();
    assert!(p == q, "the pages differ at: {shown}");
}

/// A certificate without the numbers of its band and size, which are functions of the noised values.
fn without_band(mut certificate: serde_json::Value) -> serde_json::Value {
    for part in ["band", "size"] {
        let Some(part) = certificate["details"].get_mut(part) else { continue };
        let numbers = part.as_object_mut().unwrap().values_mut().filter(|value| value.is_number());
        numbers.for_each(|number| *number = "noised".into());
    }
    certificate
}

#[test]
fn releases_of_neighbours_differ_in_noised_values_only() {
    // With all that can be released beside a mean.
    differ_in_noised_values_only(&[(FaceMechanism::Joint, [true, true])]);
}

#[test]
#[ignore = "slow: a minute; releases_of_neighbours_differ_in_noised_values_only has the rest"]
fn releases_of_neighbours_by_other_means_differ_in_noised_values_only() {
    differ_in_noised_values_only(&[
        (FaceMechanism::Joint, [false, false]),
        (FaceMechanism::Joint, [true, false]),
        (FaceMechanism::Joint, [false, true]),
        (FaceMechanism::Curves, [false, false]),
    ]);
}

fn differ_in_noised_values_only(cases: &[(FaceMechanism, [bool; 2])]) {
    for &(mechanism, more) in cases {
        let one = release(mechanism, more, &|scans| write_person(scans, "scan4.ply", 4));
        // Another person under another name; a file that no stage can process.
        let other = release(mechanism, more, &|scans| write_giant(scans, "somebody-else.ply", 9));
        let broken =
            release(mechanism, more, &|scans| fs::write(scans.join("scan4.xyz"), "1 2 zwölf\n").unwrap());
        compare(&one, &other);
        compare(&one, &broken);
        for file in one.values().chain(broken.values()) {
            let text = String::from_utf8_lossy(file);
            for trace in ["scan4", "somebody", "zwölf", "failed\": 1"] {
                assert!(!text.contains(trace), "{trace} in release/");
            }
        }
    }
}
