//! Elastic registration of scans with known correspondence: synthetic people, and the benchmark scans of the shared data.

use nalgebra::Rotation3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};
use visard::io::{Scan, read_scan, write_ply};
use visard::mesh::{Point, PoseError, Similarity, TriMesh};
use visard::study::face::record::{
    RecordMaker, RecordSettings, ScanRegistrar, ScanRow, ScanStage, default_crop_radius,
};
use visard::study::face::{TemplateSource, load_template};
use visard::surface::Template;
use visard::surface::registration::Registration;
use visard::synth::{
    FaceMarks, FaceParameters, Oddity, ScanConditions, Sight, Sitter, builtin_landmarks, odd_scan, person,
    simulate_scan,
};

use crate::command_line::visard;
use crate::shared_data::shared;

fn registered(scan: &Path, template: &Template, registration: Registration) -> (Vec<Point>, ScanRow) {
    let mut row = ScanRow::default();
    let registrar = ScanRegistrar::new(template, registration, default_crop_radius(template)).unwrap();
    let posed = registrar.pose(scan, None, &mut row).unwrap();
    let positions = registrar.register(&posed, &mut row).unwrap();
    (positions, row)
}

/// Mean distance, in the template's millimetres, between where two scans of one and the same face put the template: other sampling,
/// noise, border, pose and size. No truth is needed for that.
fn disagreement(scans: [&Path; 2], template: &Template, registration: Registration) -> f64 {
    let [(clean, row), (noisy, other)] = scans.map(|scan| registered(scan, template, registration));
    assert!(row.min_jacobian > 0.0 && other.min_jacobian > 0.0);
    // Only the middle of the face, which no crop reaches.
    let vertices = template.mesh().vertices();
    let nose = vertices[template.nose()];
    let is_near = |p: &Point| (p - nose).norm() < 0.6 * template.reach();
    let near: Vec<f64> = vertices.iter().map(|p| if is_near(p) { 1.0 } else { 0.0 }).collect();
    let fit = Similarity::fit(&clean, &noisy, &near).unwrap();
    let back = Similarity::fit(&noisy, vertices, &near).unwrap();
    let apart = |((p, q), w): ((&Point, &Point), &f64)| w * (fit.apply(p) - q).norm() * back.scale;
    clean.iter().zip(&noisy).zip(&near).map(apart).sum::<f64>() / near.iter().sum::<f64>()
}

/// Averages over faces of [`disagreement`]: elastic, and under the SRNF metric.
fn disagreements(faces: &[[PathBuf; 2]], template: &Template) -> [f64; 2] {
    [Registration::Elastic, Registration::Srnf].map(|registration| {
        let of = |[a, b]: &[PathBuf; 2]| disagreement([a, b], template, registration);
        faces.iter().map(of).sum::<f64>() / faces.len() as f64
    })
}

#[test]
fn two_scans_of_a_synthetic_face_agree() {
    let folder = tempfile::tempdir().unwrap();
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let faces: Vec<[PathBuf; 2]> = (0..2)
        .map(|i| {
            let face = FaceParameters::sample(&mut rng);
            [("clean", ScanConditions::clean()), ("hard", ScanConditions::hard())].map(
                |(name, conditions)| {
                    let scan = simulate_scan(&face, &conditions, &mut rng);
                    write_scan(&folder.path().join(format!("{name}-{i}.ply")), scan.points)
                },
            )
        })
        .collect();
    let [elastic, srnf] = disagreements(&faces, &template);
    // Measured 0.40 mm and 0.31 mm; 0.78 mm where the SRNF method takes a scan's border for the template's.
    assert!(elastic < 0.48 && srnf < 0.40, "{elastic} mm, SRNF {srnf} mm");
}

#[test]
#[ignore = "needs VISARD_DATA: the benchmark scans"]
fn two_scans_of_a_benchmark_face_agree() {
    for pop in ["simpop", "ict"] {
        let folder = shared("correspondence").join(pop);
        let template = load_template(&TemplateSource::File(folder.join("template.ply"))).unwrap().template;
        let faces = ["s01", "s04"]
            .map(|face| ["clean", "std"].map(|level| folder.join(level).join(face).join("scan.ply")));
        let [elastic, srnf] = disagreements(&faces, &template);
        println!("{pop}: {elastic} mm, SRNF {srnf} mm");
        assert!(elastic < 0.6 && srnf < 0.6, "{pop}: {elastic} mm, SRNF {srnf} mm");
    }
}

/// Registers a scan with the built-in template; the positions found.
fn without_folds(scan: &Path, template: &Template) -> (Vec<Point>, f64) {
    let registrar =
        ScanRegistrar::new(template, Registration::Elastic, default_crop_radius(template)).unwrap();
    let mut row = ScanRow::default();
    let posed = registrar.pose(scan, None, &mut row).unwrap();
    let positions = registrar.register(&posed, &mut row).unwrap();
    assert!(row.min_jacobian > 0.0, "{}", scan.display());
    assert!(positions.iter().all(|p| p.coords.iter().all(|c| c.is_finite())), "{}", scan.display());
    (positions, posed.similarity.scale)
}

#[test]
fn careless_scans_are_registered_without_folds() {
    let folder = tempfile::tempdir().unwrap();
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    for i in 0..4 {
        let scan = person(5, i, &ScanConditions::hard());
        let file = write_scan(&folder.path().join(format!("{i}.ply")), scan.points);
        let (positions, scale) = without_folds(&file, &template);
        let error = mean_error(&positions, &scan.truth, &scan.covered) / scale;
        // Measured 0.83 to 1.21.
        assert!(error < 1.5, "person {i}: {error} mm");
    }
}

#[test]
#[ignore = "needs VISARD_DATA: the benchmark scans"]
fn the_builtin_template_registers_both_populations_without_folds() {
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    for scan in ["simpop/hard/s02", "ict/hard/s03"] {
        without_folds(&shared(&format!("correspondence/{scan}/scan.ply")), &template);
    }
}

/// Mean distance of positions from the truth where the scanner saw the face.
fn mean_error(positions: &[Point], truth: &[Point], covered: &[bool]) -> f64 {
    let seen = positions.iter().zip(truth).zip(covered).filter(|(_, seen)| **seen);
    let (sum, n) = seen.fold((0.0, 0.0), |(sum, n), ((p, q), _)| (sum + (p - q).norm(), n + 1.0));
    sum / n
}

fn write_scan(file: &Path, points: Vec<Point>) -> PathBuf {
    write_ply(file, &TriMesh::new(points, Vec::new()).unwrap()).unwrap();
    file.to_path_buf()
}

/// The scan of a synthetic person as a file; where the template's vertices truly lie on it, and which the scanner saw.
fn synthetic_scan(folder: &Path, i: usize) -> (PathBuf, Vec<Point>, Vec<bool>) {
    let scan = person(5, i, &ScanConditions::demo());
    let file = write_scan(&folder.join(format!("person-{i}.ply")), scan.points);
    (file, scan.truth, scan.covered)
}

#[test]
fn every_method_finds_synthetic_people() {
    let folder = tempfile::tempdir().unwrap();
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    // Measured 0.77 and 1.02 mm, and 1.43 and 1.26 mm.
    for (registration, limit) in [(Registration::Elastic, 1.2), (Registration::Srnf, 1.7)] {
        let registrar = ScanRegistrar::new(&template, registration, default_crop_radius(&template)).unwrap();
        for i in 0..2 {
            let (file, truth, covered) = synthetic_scan(folder.path(), i);
            let mut row = ScanRow::default();
            let posed = registrar.pose(&file, None, &mut row).unwrap();
            let positions = registrar.register(&posed, &mut row).unwrap();
            let error = mean_error(&positions, &truth, &covered) / posed.similarity.scale;
            println!("{registration:?}, person {i}: {error} mm");
            assert!(error < limit, "{registration:?}, person {i}: {error} mm");
            assert!(row.min_jacobian > 0.0 && row.on_scan > 0.9 && !row.was_mesh && row.points == 7150);
            // Every scan is asked whether it is registered one to one.
            let found = row.one_to_one.unwrap();
            assert!(found.covered > 13_000 && found.turned < 30, "{found:?}");
            let measures = registration.measures();
            assert_eq!(row.measured.len(), measures.all.len(), "{row:?}");
            assert!(row.measure(measures.left_over).unwrap() > 0.0);
            let seconds = |stage: ScanStage| row.seconds[stage as usize];
            assert_eq!(seconds(ScanStage::Flatten) > 0.0, registration == Registration::Srnf);
            assert!(seconds(ScanStage::Register) > 0.0 && seconds(ScanStage::Curves) == 0.0);
        }
    }
}

#[test]
fn a_record_is_made_of_every_scan_and_says_what_went_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let settings = RecordSettings {
        registration: Registration::default(),
        crop_radius: default_crop_radius(&template),
        curves: 6,
        samples: 16,
    };
    let maker = RecordMaker::new(&template, settings).unwrap();
    let (file, ..) = synthetic_scan(folder.path(), 0);
    let record = maker.record(&file, None);
    let curves = record.curves.unwrap();
    let own = template.own_curves(6, 16).unwrap();
    assert_eq!(record.row.deviation, Some(curves.mean_square_distance(&own).sqrt()));
    assert!(record.row.is_ok() && record.row.scan == "person-0.ply");
    let empty = folder.path().join("empty.ply");
    std::fs::write(&empty, "ply\n").unwrap();
    let flat = folder.path().join("flat.xyz");
    let line = |i: usize| format!("{} {} 0\n", i % 40, i / 40);
    std::fs::write(&flat, (0..1600).map(line).collect::<String>()).unwrap();
    for (scan, stage) in [(folder.path().join("none.ply"), "read: "), (empty, "read: "), (flat, "pose: ")] {
        let record = maker.record(&scan, None);
        assert!(record.curves.is_none() && record.row.problem.starts_with(stage), "{}", record.row.problem);
    }
}

/// As a user runs it: the face at rest lies beside the registered one, and what cannot be meant is refused.
#[test]
fn faces_at_rest_are_written_beside_registered_ones() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    synthetic_scan(dir, 0);
    let register = "face register person-0.ply --neutral builtin --out registered";
    let (code, _, stderr) = visard(dir, register);
    assert_eq!(code, Some(0), "{stderr}");
    let mesh = |what: &str| read_scan(&dir.join(format!("registered/person-0.{what}.ply"))).unwrap();
    let (rest, registered) = (mesh("rest"), mesh("registered"));
    assert!(rest.triangles == registered.triangles && rest.vertices != registered.vertices);
    let apart = rest.vertices.iter().zip(&registered.vertices).map(|(p, q)| (p - q).norm());
    // In the scan's coordinates; the person has no expression.
    let (mean, size) = (apart.sum::<f64>() / rest.vertices.len() as f64, 200.0);
    assert!(mean < 0.02 * size, "{mean}");
    for (line, code, said) in [
        (register, 1, "--force"),
        (
            "face register person-0.ply --neutral builtin --registration srnf --out no",
            2,
            "--registration elastic",
        ),
        ("face register person-0.ply --neutral registered --out no", 1, "lies"),
        ("face mean --prepared people.npy --neutral builtin --mu 1 --out no", 2, "--neutral"),
        ("face mean person-0.ply --neutral none --mu 1 --out no", 1, "none"),
    ] {
        let (found, _, stderr) = visard(dir, line);
        assert!(found == Some(code) && stderr.contains(said), "{line}: {found:?} {stderr}");
        assert!(!dir.join("no").exists(), "{line}");
    }
}

/// A release says that expressions were taken out, by which, and how well; records of another making are refused.
#[test]
#[ignore = "slow: a quarter of a minute; faces_at_rest_are_written_beside_registered_ones has the geometry"]
fn a_certificate_says_which_expressions_were_taken_out() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::create_dir(dir.join("scans")).unwrap();
    (0..3).for_each(|i| drop(synthetic_scan(&dir.join("scans"), i)));
    let table: String = (0..3).map(|i| format!("scans/person-{i}.ply\n")).collect();
    std::fs::write(dir.join("scans.csv"), format!("file\n{table}")).unwrap();
    let mean = "face mean --curves 6 --samples 16 --manifest scans.csv";
    let (code, stdout, stderr) = visard(dir, &format!("{mean} --neutral builtin --mu 20 --out study"));
    assert!(code == Some(0) && stdout.contains("taking expressions out"), "{stdout}{stderr}");
    let text = std::fs::read_to_string(dir.join("study/release/certificate.json")).unwrap();
    let certificate: serde_json::Value = serde_json::from_str(&text).unwrap();
    let at = |pointer: &str| certificate.pointer(pointer).unwrap_or_else(|| panic!("{pointer}: {text}"));
    assert_eq!(at("/public_inputs/1/name"), "expressions: built-in");
    assert_eq!(at("/details/expressions"), "taken out of every record by itself");
    let rms = at("/details/accuracy/expression_rms").as_f64().unwrap();
    // Half a millimetre to three on a face of 20 cm.
    assert!((0.0025..0.015).contains(&rms), "{rms}");
    let prepare = "face prepare --curves 6 --samples 16 --manifest scans.csv --out records";
    assert_eq!(visard(dir, prepare).0, Some(0));
    let (code, _, stderr) =
        visard(dir, &format!("{mean} --records records --neutral builtin --mu 20 --out no"));
    assert!(code == Some(1) && stderr.contains("template"), "{stderr}");
    let (code, _, stderr) = visard(dir, &format!("{mean} --records records --mu 20 --out plain"));
    assert_eq!(code, Some(0), "{stderr}");
    let text = std::fs::read_to_string(dir.join("plain/release/certificate.json")).unwrap();
    assert!(!text.contains("expression"), "{text}");
}

/// Half faces, cut beside the nose, and faces without a chin: one in six was laid on turned, forgiven by a trimmed residual, where each of
/// these has a cut of its own and any orientation.
#[test]
fn parts_of_faces_are_found_or_refused_but_never_turned() {
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let (finder, level) = (template.pose(), template.upright().inverse());
    let mut rng = ChaCha8Rng::seed_from_u64(77);
    let (mut found, mut refused) = (0, 0);
    for k in 0..16 {
        let face = FaceParameters::sample(&mut rng).vertices();
        let nose = face[template.nose()];
        let tilt = 0.6 * rng.random::<f64>() - 0.3;
        let mut angle = || std::f64::consts::TAU * rng.random::<f64>();
        let rotation = Rotation3::from_euler_angles(angle(), angle(), angle());
        // x to the left, y up.
        let is_seen = |p: &&Point| {
            let d = level * (*p - nose);
            match k % 4 {
                0 => d.x + tilt * d.y > -15.0,
                1 => d.x + tilt * d.y < 15.0,
                2 => d.y + tilt * d.x > -30.0,
                _ => d.norm() < 60.0 + 20.0 * tilt,
            }
        };
        let scan: Vec<Point> = face.iter().filter(is_seen).map(|p| rotation * p).collect();
        match finder.find(&scan) {
            Ok(pose) => {
                found += 1;
                let turn = pose.similarity.rotation.angle_to(&rotation).to_degrees();
                assert!(turn < 30.0, "{k}: turned by {turn:.0} degrees, agreement {:.2}", pose.agreement);
            }
            Err(PoseError::Doubtful { .. } | PoseError::NoFace { .. } | PoseError::NoNose { .. }) => {
                refused += 1
            }
            Err(e) => panic!("{k}: {e}"),
        }
    }
    assert!(found >= 10, "{found} found, {refused} refused");
}

/// An odd scan of a made-up person (seed 31) registered to the built-in face: what the row says, and the mean distance from the true places in
/// mm, of skin that was seen and lies more than 10 mm inside what was.
fn odd(oddity: Oddity) -> (ScanRow, f64) {
    let template = load_template(&TemplateSource::Builtin).unwrap().template;
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    let face = FaceParameters::sample(&mut rng).vertices();
    let l = builtin_landmarks();
    let mouth = [l.right_mouth_corner, l.left_mouth_corner];
    let eyes = [l.right_eye_outer, l.left_eye_outer];
    let marks = FaceMarks { nose_tip: l.nose_tip, eyes, mouth };
    let sitter = Sitter { vertices: &face, triangles: template.mesh().triangles(), marks };
    let scan = odd_scan(&sitter, oddity, &mut rng).unwrap();
    let registrar =
        ScanRegistrar::new(&template, Registration::Elastic, default_crop_radius(&template)).unwrap();
    let mut row = ScanRow::default();
    let posed = registrar
        .pose_of(Scan { vertices: scan.points, triangles: scan.triangles, ..Scan::default() }, None, &mut row)
        .unwrap();
    let places = registrar.register(&posed, &mut row).unwrap();
    let unseen = (0..scan.sight.len()).filter(|&i| scan.sight[i] == Sight::Unseen);
    let edge: Vec<Point> =
        template.disk().boundary().iter().copied().chain(unseen).map(|i| scan.truth[i]).collect();
    let judged: Vec<f64> = (0..places.len())
        .filter(|&i| scan.sight[i] == Sight::Skin)
        .filter(|&i| edge.iter().all(|e| (scan.truth[i] - e).norm() > 10.0))
        .map(|i| (places[i] - scan.truth[i]).norm())
        .collect();
    (row, judged.iter().sum::<f64>() / judged.len() as f64)
}

/// Bounds in mm: for this person .9 to 1.3 was found, 2.3 with coarse noise (docs/measurements.md has three populations).
#[test]
fn children_beards_glasses_hair_and_seams_are_registered() {
    for (oddity, most) in [
        (Oddity::Nothing, 1.6),
        (Oddity::Child, 1.6),
        (Oddity::Beard, 1.6),
        (Oddity::Glasses, 2.2),
        (Oddity::Fringe, 1.8),
        (Oddity::Coarse, 2.2),
        (Oddity::Coarser, 3.4),
        (Oddity::Seams, 1.6),
        (Oddity::OpenSeams, 1.6),
    ] {
        let (row, error) = odd(oddity);
        assert!(error < most, "{}: {error} mm", oddity.name());
        assert!(!row.repairs.contains("mouth"), "{}: {}", oddity.name(), row.repairs);
        let stitched = row.repairs.contains("stitched seams");
        assert_eq!(stitched, oddity == Oddity::OpenSeams, "{}: {}", oddity.name(), row.repairs);
    }
}

/// With a closed mouth for its template such a scan is 3 to 6 mm off, and 20 mm at the lower lip.
#[test]
fn an_open_mouth_is_registered_as_one_and_said() {
    let (row, error) = odd(Oddity::OpenMouth);
    assert!(error < 2.2, "{error} mm");
    assert!(row.repairs.contains("registered with its mouth open"), "{}", row.repairs);
}

/// Seen from 55 degrees to the side: the other side is filled in, and that is said.
#[test]
fn one_side_of_a_face_is_registered_and_the_other_filled_in() {
    let (row, error) = odd(Oddity::OneSide);
    assert!(error < 2.5, "{error} mm");
    assert!(row.repairs.contains(" % of the face filled in"), "{}", row.repairs);
    assert!((0.36..0.75).contains(&row.on_scan), "{}", row.on_scan);
}
