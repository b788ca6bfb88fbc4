//! From masks of organs to outlines, meshes and private means: whole runs through files, neighbours, hostile input.

use crate::command_line::visard;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use visard::io::{RecordSize, npy, read_scan, read_shapes, write_npy};
use visard::mesh::{TriMesh, TriangleTree, topology};

/// A lopsided blob in a picture of 64 pixels, the `i`-th of them turned by an angle.
fn picture(i: usize, turn: f64, value: f64) -> Vec<f64> {
    let wave = |k: usize| 0.06 * ((k * i * i + 5 * i + k) as f64).sin();
    let inside = |row: usize, column: usize| {
        let (x, y) = (column as f64 - 31.0, 33.0 - row as f64);
        let t = y.atan2(x) - turn;
        let bump = (1..4).map(|k| wave(k) * (k as f64 * t).cos() + wave(k + 7) * (k as f64 * t).sin());
        x.hypot(y) < 16.0 * (1.0 + 0.35 * t.cos() + 0.2 * (2.0 * t).sin() + bump.sum::<f64>())
    };
    (0..64 * 64).map(|n| value * f64::from(u8::from(inside(n / 64, n % 64)))).collect()
}

/// A folder of so many masks, each turned another way, and an atlas of none of them; `change` may write others.
fn masks(dir: &Path, n: usize, change: &dyn Fn(&Path)) {
    let folder = dir.join("masks");
    fs::create_dir_all(&folder).unwrap();
    for i in 0..n {
        write_npy(&folder.join(format!("m{i}.npy")), &[64, 64], &picture(i + 1, 0.7 * i as f64, 1.0))
            .unwrap();
    }
    change(&folder);
    fs::create_dir_all(dir.join("atlas")).unwrap();
    write_npy(&dir.join("atlas/public.npy"), &[64, 64], &picture(0, 0.0, 1.0)).unwrap();
    let (code, _, stderr) =
        visard(dir, "shape outlines atlas --landmarks 24 --spacing 1 --out atlas.tps --force");
    assert_eq!(code, Some(0), "{stderr}");
}

fn run(dir: &Path, line: &str) -> String {
    let (code, stdout, stderr) = visard(dir, line);
    assert_eq!(code, Some(0), "{line}: {stderr}");
    stdout + &stderr
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read =
        |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    fs::read_dir(folder).unwrap().map(|entry| read(entry.unwrap())).collect()
}

#[test]
fn a_folder_of_masks_is_a_study_and_the_same_as_its_outlines() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    masks(dir, 30, &|_| {});
    for how in ["arclength", "elastic"] {
        let masks = format!("--spacing 0.5 --atlas atlas.tps --correspondence {how}");
        run(dir, &format!("shape mean masks {masks} --mu 1 --seed 1 --out {how}"));
        run(dir, &format!("shape outlines masks {masks} --landmarks 24 --out {how}.tps"));
        run(
            dir,
            &format!("shape mean {how}.tps --outline --center atlas.tps --mu 1 --seed 1 --out {how}-two"),
        );
        let mean = |study: &str| npy::read(&dir.join(study).join("release/mean.npy")).unwrap().data;
        let (one, two) = (mean(how), mean(&format!("{how}-two")));
        assert!(one.iter().zip(&two).all(|(a, b)| (a - b).abs() < 1e-9), "{how}");
        let certificate = fs::read_to_string(dir.join(how).join("release/certificate.json")).unwrap();
        assert_eq!(certificate.matches("\"atlas.tps\"").count(), 1);
        run(dir, &format!("shape modes masks {masks} --mu 5 --modes 2 --out {how}-modes"));
    }
    run(dir, "shape mean masks --landmarks 24 --mechanism none --out plain");
}

/// Whatever a record's file holds, every other outline stays what it was, to the last byte; and a release differs in its noised values only.
#[test]
fn one_mask_changes_one_outline_and_a_release_in_its_noised_values_only() {
    let told = |change: &dyn Fn(&Path)| {
        let dir = tempfile::tempdir().unwrap();
        masks(dir.path(), 12, change);
        let line = "masks --spacing 1 --atlas atlas.tps --correspondence elastic";
        run(dir.path(), &format!("shape mean {line} --mu 1 --seed 3 --out study"));
        visard(dir.path(), &format!("shape outlines {line} --landmarks 24 --out all.tps"));
        let shapes = read_shapes(&dir.path().join("all.tps"), RecordSize::Content).unwrap().all().unwrap();
        let outlines: BTreeMap<_, _> =
            shapes.iter().map(|s| (s.id.clone().unwrap(), s.coordinates().to_vec())).collect();
        (outlines, files(&dir.path().join("study/release")))
    };
    let (one, release) = told(&|_| {});
    let other = |folder: &Path| write_npy(&folder.join("m5.npy"), &[64, 64], &picture(40, 2.0, 1.0)).unwrap();
    let broken = |folder: &Path| fs::write(folder.join("m5.npy"), "no array").unwrap();
    let empty = |folder: &Path| write_npy(&folder.join("m5.npy"), &[64, 64], &picture(9, 0.0, 0.0)).unwrap();
    let changes: [&dyn Fn(&Path); 3] = [&other, &broken, &empty];
    for change in changes {
        let (outlines, files) = told(change);
        assert!(one.iter().filter(|(name, _)| *name != "m5").all(|(name, points)| outlines[name] == *points));
        assert_ne!(one.get("m5"), outlines.get("m5"));
        assert!(files.keys().eq(release.keys()));
        let keys = |files: &BTreeMap<String, Vec<u8>>| {
            let text = String::from_utf8(files["certificate.json"].clone()).unwrap();
            text.chars().filter(|c| !c.is_ascii_hexdigit() && !"-+.".contains(*c)).collect::<String>()
        };
        assert_eq!(keys(&files), keys(&release));
    }
}

#[test]
fn what_an_option_has_to_decide_is_refused_before_anything_is_charged() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    masks(dir, 4, &|folder| {
        let mut two = picture(3, 0.0, 1.0);
        two[0] = 7.0;
        write_npy(&folder.join("m9.npy"), &[64, 64], &two).unwrap();
    });
    fs::create_dir(dir.join("volumes")).unwrap();
    let slab = [picture(1, 0.0, 1.0), picture(1, 0.0, 1.0), picture(1, 0.0, 0.0)].concat();
    write_npy(&dir.join("volumes/v.npy"), &[3, 64, 64], &slab).unwrap();
    for (line, word) in [
        ("shape mean masks --atlas atlas.tps --mu 1 --out s", "--label 1, or --label any"),
        ("shape mean masks --label 1 --landmarks 2 --mu 1 --out s", "--landmarks K"),
        ("shape mean masks --label 1 --landmarks 24 --correspondence elastic --mu 1 --out s", "--atlas FILE"),
        ("shape mean masks --label 1 --landmarks 20 --atlas atlas.tps --mu 1 --out s", "24 landmarks"),
        ("shape mean volumes --atlas atlas.tps --mu 1 --out s", "--slice mid-sagittal"),
        (
            "shape mean volumes --atlas atlas.tps --slice mid-sagittal --unusable refuse --mu 1 --out s",
            "side is left",
        ),
        ("shape mean atlas.tps --label 1 --landmarks 24 --mu 1 --out s", "holds no masks"),
        ("shape outlines masks --label 1 --landmarks 24 --out s.tps", "--spacing MM"),
        ("surface extract volumes --out s", "--spacing MM"),
    ] {
        let (code, _, stderr) = visard(dir, line);
        assert!(code == Some(1) && stderr.contains(word), "{line}: {stderr}");
        assert!(!dir.join("s").join("visard.ledger.jsonl").exists(), "{line}");
        let _ = fs::remove_dir_all(dir.join("s"));
    }
    let told = run(dir, "shape mean masks --label any --atlas atlas.tps --mu 1 --out any");
    assert!(told.contains("taken to be square") && told.contains("touches the border"), "{told}");
}

/// A lopsided blob (1) and a disk (2) beside it in a picture of 128 pixels, turned together.
fn two_organs(turn: f64) -> Vec<f64> {
    let label = |row: usize, column: usize| {
        let (x, y) = (column as f64 - 63.5, 63.5 - row as f64);
        let (x, y) = (x * turn.cos() + y * turn.sin(), y * turn.cos() - x * turn.sin());
        let t = y.atan2(x + 12.0);
        if (x + 12.0).hypot(y) < 22.0 * (1.0 + 0.2 * t.cos() + 0.15 * (2.0 * t + 0.5).sin()) {
            1.0
        } else if (x - 36.0).hypot(y - 14.0) < 9.0 {
            2.0
        } else {
            0.0
        }
    };
    (0..128 * 128).map(|n| label(n / 128, n % 128)).collect()
}

/// Where a disk begins cannot be told from its outline: what lies beside it tells.
#[test]
fn several_labels_are_outlines_of_one_picture_and_are_put_by_what_they_are_together() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for folder in ["public", "masks"] {
        fs::create_dir(dir.join(folder)).unwrap();
    }
    write_npy(&dir.join("public/atlas.npy"), &[128, 128], &two_organs(0.0)).unwrap();
    let turn = |i: usize| 0.53 * i as f64;
    for i in 0..12 {
        write_npy(&dir.join(format!("masks/m{i}.npy")), &[128, 128], &two_organs(turn(i))).unwrap();
    }
    let both = "--label 1 --label 2 --spacing 1";
    run(dir, &format!("shape outlines public {both} --landmarks 30 --out atlas.tps"));
    run(dir, &format!("shape outlines masks {both} --landmarks 30 --atlas atlas.tps --out all.tps"));
    let shapes = |file: &str| read_shapes(&dir.join(file), RecordSize::Content).unwrap().all().unwrap();
    let (atlas, all) = (shapes("atlas.tps"), shapes("all.tps"));
    assert_eq!((atlas[0].plane().unwrap().len(), all.len()), (60, 12));
    for shape in all {
        let i: usize = shape.id.as_ref().unwrap()[1..].parse().unwrap();
        let (sin, cos) = turn(i).sin_cos();
        // Turned back about the middle of the picture.
        let back = |p: &[f64; 2]| {
            let (x, y) = (p[0] - 64.0, p[1] - 64.0);
            [64.0 + cos * x + sin * y, 64.0 + cos * y - sin * x]
        };
        for (k, (p, q)) in shape.plane().unwrap().iter().zip(atlas[0].plane().unwrap()).enumerate() {
            let [x, y] = back(p);
            assert!((x - q[0]).hypot(y - q[1]) < 2.5, "mask {i}, landmark {k}: {x} {y} where {q:?} was");
        }
    }
    let study = format!("shape mean masks {both} --atlas atlas.tps --landmarks 60 --mu 1");
    run(dir, &format!("{study} --seed 1 --out study"));
    let mean = |study: &str| npy::read(&dir.join(study).join("release/mean.npy")).unwrap();
    assert_eq!(mean("study").shape, [60, 2]);
    // Each outline is smooth by itself: as where that is declared of landmarks.
    let certificate = fs::read_to_string(dir.join("study/release/certificate.json")).unwrap();
    assert!(certificate.contains("\"2 outlines, each in order (declared)\""), "{certificate}");
    run(dir, "shape mean all.tps --outline=2 --center atlas.tps --mu 1 --seed 1 --out declared");
    assert_eq!(mean("declared"), mean("study"));
    for (line, code, word) in [
        (format!("{study} --outline --out s"), 1, "as many outlines each, not 1"),
        (
            "shape mean all.tps --landmarks 60 --dimensions 2 --outline=7 --mu 1 --out s".into(),
            1,
            "are not that many outlines",
        ),
        ("shape mean all.tps --outline=0 --mu 1 --out s".into(), 2, "--outline"),
        ("shape plan --landmarks 60 --outline=7 --n 50 --mu 1".into(), 1, "are not that many outlines"),
        (
            "shape plan --landmarks 60 --outline=7 --modes --n 50 --mu 1".into(),
            1,
            "are not that many outlines",
        ),
        (format!("{study} --label 2 --out s"), 1, "each must be another one"),
        (format!("shape mean masks {both} --atlas public/atlas.npy --mu 1 --out s"), 1, "folder of its own"),
        (format!("shape mean masks {both} --landmarks 61 --mu 1 --out s"), 1, "as many on each"),
        (
            format!("shape outlines masks {both} --landmarks 20 --atlas atlas.tps --out s.tps"),
            1,
            "60 landmarks",
        ),
        ("surface extract masks --label 1 --label 2 --out s".to_owned(), 2, "once for each"),
    ] {
        let (found, _, stderr) = visard(dir, &line);
        assert!(found == Some(code) && stderr.contains(word), "{line}: {stderr}");
    }
}

/// A segmentation as 3D Slicer writes it: a blob, and a square in a corner, with names and numbers.
fn segmentation(blob: u8, square: u8) -> Vec<u8> {
    let header = format!(
        "NRRD0004\ntype: unsigned char\ndimension: 3\nsizes: 64 64 1\nencoding: raw\nspace: left-posterior-superior\n\
         space directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (0,0,0)\nSegment0_Name:=Hip\nSegment0_LabelValue:={blob}\n\
         Segment1_Name:=Marker\nSegment1_LabelValue:={square}\n\n"
    );
    let organ = picture(1, 0.0, f64::from(blob)).into_iter().map(|value| value as u8);
    let marked = organ.enumerate().map(|(n, value)| if n / 64 < 5 && n % 64 < 5 { square } else { value });
    header.into_bytes().into_iter().chain(marked).collect()
}

#[test]
fn an_organ_is_found_by_its_name_whatever_its_number_is_in_each_file() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir(dir.join("masks")).unwrap();
    for (i, (blob, square)) in [(1, 2), (2, 1), (7, 3)].into_iter().enumerate() {
        fs::write(dir.join(format!("masks/m{i}.seg.nrrd")), segmentation(blob, square)).unwrap();
    }
    let told = run(dir, "shape outlines masks --landmarks 24 --label hip --out hips.tps");
    assert!(!told.contains("different names"), "{told}");
    let text = fs::read_to_string(dir.join("hips.tps")).unwrap();
    let outlines: Vec<&str> = text.split("LM=").skip(1).map(|one| one.split("ID=").next().unwrap()).collect();
    assert!(outlines.len() == 3 && outlines.iter().all(|one| *one == outlines[0]), "{text}");
    // By number, organs are mixed up: that is told, and what is missing.
    let (code, _, told) = visard(dir, "shape outlines masks --landmarks 24 --label 1 --out mixed.tps");
    assert_eq!(code, Some(1));
    for part in ["hip: 1 (m0); marker: 1 (m1)", "--label NAME", "m2", "holds no voxel of label 1"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let (_, _, told) = visard(dir, "shape outlines masks --landmarks 24 --out none.tps");
    assert!(told.contains("1 (Hip), 2 (Marker); say which is the organ"), "{told}");
    let (_, _, told) = visard(dir, "shape outlines masks --landmarks 24 --label knee --out none.tps");
    assert!(told.contains("has no label called \"knee\"; it has 1 (Hip), 2 (Marker)"), "{told}");
}

/// A lopsided solid, in mm towards left, back and head; the `i`-th person's.
fn is_inside([x, y, z]: [f64; 3], i: usize) -> bool {
    let wave = |k: usize| 0.08 * ((k * i * i + 3 * i + k) as f64).sin();
    let (x, y, z) = ((x - 20.0) / 40.0, (y + 10.0) / 28.0, (z - 5.0) / 20.0);
    let bent = z - 0.5 * x * x + 0.2 * x * y + wave(1) * y;
    (x + 0.25 * y * y + wave(2)).powi(2) + (y - 0.3 * x * x * x + wave(3)).powi(2) + bent.powi(2)
        < 1.0 + wave(4) * x
}

/// A NIfTI volume of 2 mm voxels; its axes run along these of the body (left, back, head), each this or the other way.
fn volume(axes: [(usize, f64); 3], i: usize) -> Vec<u8> {
    let n = 60usize;
    let mut out = vec![0u8; 352];
    out[..4].copy_from_slice(&348u32.to_le_bytes());
    for (at, value) in [(40, 3), (42, n), (44, n), (46, n), (70, 2), (254, 1)] {
        out[at..at + 2].copy_from_slice(&(value as i16).to_le_bytes());
    }
    let float = |at: usize, value: f64, out: &mut Vec<u8>| {
        out[at..at + 4].copy_from_slice(&(value as f32).to_le_bytes())
    };
    let middle = [20.0, -10.0, 8.0];
    // NIfTI's own frame is towards right, front and head.
    let sign = [-1.0, -1.0, 1.0];
    let mut first = middle;
    for (k, (axis, way)) in axes.into_iter().enumerate() {
        first[axis] -= way * (n as f64 - 1.0);
        float(280 + 16 * axis + 4 * k, sign[axis] * way * 2.0, &mut out);
        float(80 + 4 * k, 2.0, &mut out);
    }
    (0..3).for_each(|d| float(280 + 16 * d + 12, sign[d] * first[d], &mut out));
    float(108, 352.0, &mut out);
    out[123] = 2;
    out[344..348].copy_from_slice(b"n+1\0");
    let voxel = |v: usize| {
        let mut p = first;
        for (k, (axis, way)) in axes.into_iter().enumerate() {
            p[axis] += way * 2.0 * ([v % n, v / n % n, v / (n * n)][k] as f64);
        }
        u8::from(is_inside(p, i))
    };
    out.extend((0..n * n * n).map(voxel));
    out
}

const LPS: [(usize, f64); 3] = [(0, 1.0), (1, 1.0), (2, 1.0)];

#[test]
fn volumes_in_every_orientation_become_closed_surfaces_that_a_study_takes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir_all(dir.join("volumes")).unwrap();
    fs::create_dir_all(dir.join("public")).unwrap();
    fs::write(dir.join("public/atlas.nii"), volume(LPS, 0)).unwrap();
    let orientations = [
        LPS,
        [(0, -1.0), (1, -1.0), (2, 1.0)],
        [(0, -1.0), (1, 1.0), (2, 1.0)],
        [(1, 1.0), (2, -1.0), (0, 1.0)],
        [(2, 1.0), (0, -1.0), (1, -1.0)],
    ];
    for (k, axes) in orientations.into_iter().enumerate() {
        fs::write(dir.join(format!("volumes/p{k}.nii")), volume(axes, k + 1)).unwrap();
        fs::write(dir.join(format!("same{k}.nii")), volume(axes, 0)).unwrap();
    }
    run(dir, "surface extract public --smooth --out public");
    let told = run(dir, "surface extract volumes --smooth --out meshes");
    assert!(
        told.contains("LPS: 1 (p0)") && told.contains("RAS: 1 (p1)") && told.contains("RPS: 1 (p2)"),
        "{told}"
    );
    let mesh = |name: &str| read_scan(&dir.join(name)).unwrap();
    // The same organ is in the same place, however its volume is stored.
    run(dir, "surface extract same0.nii same1.nii same2.nii same3.nii same4.nii --smooth --out same");
    let solid = mesh("public/atlas.ply");
    let solid = TriMesh::new(solid.vertices, solid.triangles.unwrap()).unwrap();
    let tree = TriangleTree::new(&solid).unwrap();
    for k in 0..5 {
        let found = mesh(&format!("same/same{k}.ply"));
        let far = found.vertices.iter().map(|p| tree.distance(p)).fold(0.0, f64::max);
        assert!(far < 0.2, "{k}: {far} mm");
        let found = TriMesh::new(found.vertices, found.triangles.unwrap()).unwrap();
        let report = topology(&found);
        assert_eq!((report.genus, report.boundary_loops.len()), (Some(0), 0));
    }
    run(dir, "surface mean meshes --template public/atlas.ply --mu 1 --out study");
    let scans = fs::read_to_string(dir.join("study/internal/scans.csv")).unwrap();
    assert!(scans.lines().skip(1).all(|line| line.contains(",ok,")), "{scans}");
    let certificate = fs::read_to_string(dir.join("study/release/certificate.json")).unwrap();
    assert!(certificate.contains("\"registration_skin_rms\""), "{certificate}");
}
