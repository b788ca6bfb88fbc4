//! Bad input: one line that says what is wrong, never a crash; and the band that nothing takes off.

use std::path::Path;
use std::process::{Command, Output};
use visard::io::{write_npy, write_ply};
use visard::mesh::{Point, TriMesh};
use visard::privacy::{FileSum, LEDGER_FILE, Ledger, Mu, PrivacyLoss, Statement};

fn viewer(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visard-viewer"));
    command.args(arguments).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Exit code 1, nothing on standard output, one line of error that holds `needle`.
fn refused(arguments: &[&str], needle: &str) {
    let output = viewer(arguments);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    let errors: Vec<&str> =
        message.lines().filter(|l| l.starts_with("error: ") && !l.contains("XDG_")).collect();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
    assert!(errors.len() == 1 && errors[0].contains(needle), "{arguments:?}: {message}");
    assert!(!message.contains("panicked") && output.stdout.is_empty(), "{message}");
}

#[test]
fn what_cannot_be_shown_is_refused_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let png = dir.path().join("out.png");
    let shot = |file: &Path, needle: &str| refused(&[text(file), "--screenshot", text(&png)], needle);
    let file = |name: &str, content: &str| {
        let file = dir.path().join(name);
        std::fs::write(&file, content).unwrap();
        file
    };
    shot(&dir.path().join("none.ply"), "none.ply: there is no such file");
    // Before a window is asked for, too.
    refused(&[text(&dir.path().join("nosuch"))], "nosuch: there is no such file");
    shot(&file("empty.ply", ""), "empty");
    shot(&file("notes.doc", "hello"), "notes.doc");
    shot(&file("cut.obj", "v 0 0 0\nv 1 0\n"), "cut.obj");
    shot(&file("outside.obj", "v 0 0 0\nf 1 2 3\n"), "outside.obj");
    shot(&file("cut.tps", "LM=3\n1 2\n"), "cut.tps");
    let array = dir.path().join("odd.npy");
    write_npy(&array, &[2, 7], &[0.0; 14]).unwrap();
    shot(&array, "shape [2, 7]");
    let folder = dir.path().join("nothing");
    std::fs::create_dir(&folder).unwrap();
    shot(&folder, "no release");
    assert!(!png.exists());
}

/// Nothing is waited for: a command that hangs is ended and fails the test.
#[cfg(unix)]
#[test]
fn special_files_are_named_for_what_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    for ending in ["ply", "tps", "npy", "csv", "json"] {
        let (pipe, zero) = (path(&format!("pipe.{ending}")), path(&format!("zero.{ending}")));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
        let png = path("out.png");
        for (special, expected) in [(&pipe, "is a pipe"), (&zero, "is a device")] {
            let shown = match ending {
                "json" => vec!["builtin", "--camera", text(special)],
                _ => vec![text(special)],
            };
            let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_visard-viewer"))
                .args([shown, vec!["--software", "--screenshot", text(&png)]].concat())
                .timeout(std::time::Duration::from_secs(100))
                .output()
                .unwrap();
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(1) && message.contains(expected), "{message}");
        }
    }
}

#[test]
fn wrong_wishes_are_refused_and_files_kept() {
    let dir = tempfile::tempdir().unwrap();
    let png = dir.path().join("out.png");
    let shot = ["builtin", "--software", "--size", "64x64", "--screenshot", text(&png)];
    let with = |more: &[&'static str]| [&shot[..], more].concat();
    refused(&with(&["--camera", "behind"]), "--camera behind");
    refused(&with(&["--field", "error"]), "error.npy");
    std::fs::write(&png, "mine").unwrap();
    refused(&shot, "--force");
    assert_eq!(std::fs::read(&png).unwrap(), b"mine");
    assert!(viewer(&with(&["--force"])).status.success());
    refused(&["builtin"], "no display");
    assert_eq!(viewer(&["builtin", "--size", "big"]).status.code(), Some(2));
}

#[test]
fn fields_that_do_not_fit_and_ranges_that_are_none_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let png = dir.path().join("out.png");
    let shot = |more: &[&str], needle: &str| {
        let all = ["builtin", "--software", "--size", "64x64", "--screenshot", text(&png)];
        refused(&[&all, more].concat(), needle);
    };
    let short = dir.path().join("short.npy");
    write_npy(&short, &[5], &[0.0; 5]).unwrap();
    shot(&["--field", text(&short)], "5 values");
    let odd = dir.path().join("odd.csv");
    std::fs::write(&odd, "thickness\n1\ntwo\n").unwrap();
    shot(&["--field", text(&odd)], "odd.csv");
    shot(&["--field", text(&dir.path().join("none.npy"))], "none.npy");
    for wrong in [["--field", "colourful"], ["--range", "2:1"], ["--range", "nan:1"], ["--map", "rainbow"]] {
        assert_eq!(viewer(&[&["builtin"], &wrong[..]].concat()).status.code(), Some(2), "{wrong:?}");
    }
    assert!(!png.exists());
}

#[test]
fn a_field_from_a_file_is_drawn_and_is_no_more_public_than_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let (png, field) = (dir.path().join("out.png"), dir.path().join("height.npy"));
    let heights: Vec<f64> = visard::synth::builtin_template().vertices().iter().map(|p| p.y).collect();
    write_npy(&field, &[heights.len()], &heights).unwrap();
    let output = viewer(&[
        "builtin",
        "--software",
        "--size",
        "96x96",
        "--field",
        text(&field),
        "--isolines",
        "--range",
        "-80:80",
        "--screenshot",
        text(&png),
    ]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(first_pixel(&png), visard::report::canvas::WARNING);
}

#[test]
fn the_workbench_wants_one_folder_of_scans_and_a_display() {
    let dir = tempfile::tempdir().unwrap();
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    refused(&["--workbench", text(&empty)], "empty");
    refused(&["--workbench", text(&empty), text(&empty)], "one folder");
    refused(&["--workbench", text(&dir.path().join("none"))], "none");
    let scans = dir.path().join("scans");
    std::fs::create_dir(&scans).unwrap();
    std::fs::write(scans.join("a.xyz"), "0 0 0\n1 0 0\n0 1 0\n").unwrap();
    refused(&[text(&scans)], "no display");
    assert!(!dir.path().join("scans-study").exists(), "looking writes nothing");
}

#[test]
fn a_display_that_is_not_there_is_no_crash() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visard-viewer"));
    let output =
        command.arg("builtin").env("DISPLAY", ":9876").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("--screenshot FILE") && !message.contains("panicked"), "{message}");
}

/// OpenGL is not asked for in its place: its pictures come back black where there is no display.
#[cfg(target_os = "linux")]
#[test]
fn without_vulkan_the_built_in_renderer_draws() {
    let dir = tempfile::tempdir().unwrap();
    let png = dir.path().join("out.png");
    let mut command = Command::new(env!("CARGO_BIN_EXE_visard-viewer"));
    let absent = dir.path().join("absent.json");
    let output = command
        .args(["builtin", "--size", "64x64", "--screenshot", text(&png)])
        .env("VK_ICD_FILENAMES", &absent)
        .env("VK_DRIVER_FILES", &absent)
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && message.contains("built-in renderer"), "{message}");
    assert!(first_pixel(&png).iter().all(|c| *c > 240));
}

/// The first pixel of a small screenshot.
fn corner(arguments: &[&str]) -> [u8; 3] {
    let dir = tempfile::tempdir().unwrap();
    let png = dir.path().join("out.png");
    let output = viewer(&[arguments, &["--size", "96x96", "--screenshot", text(&png)]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    first_pixel(&png)
}

fn first_pixel(png: &Path) -> [u8; 3] {
    let file = std::io::BufReader::new(std::fs::File::open(png).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut rgb).unwrap();
    [rgb[0], rgb[1], rgb[2]]
}

#[test]
fn pictures_of_what_is_not_released_carry_the_band_whatever_stands_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let v = vec![Point::origin(), Point::new(1.0, 0.0, 0.0), Point::new(0.0, 1.0, 0.0)];
    let mesh = TriMesh::new(v, vec![[0, 1, 2]]).unwrap();
    for folder in ["release", "internal", "elsewhere"] {
        let folder = dir.path().join(folder);
        std::fs::create_dir(&folder).unwrap();
        write_ply(&folder.join("mean.ply"), &mesh).unwrap();
    }
    // Charged, redeemed and recorded in the ledger of the study, as a release is.
    let loss = PrivacyLoss::Gaussian(Mu::new(1.0).unwrap());
    let mut ledger = Ledger::open(&dir.path().join(LEDGER_FILE), None).unwrap();
    let receipt = ledger.charge("m", loss).unwrap().receipt().cloned().unwrap();
    ledger.redeem(&receipt, &"0".repeat(64)).unwrap();
    let mut statement = Statement::new("m", 9, loss);
    statement.ledger = Some(receipt.clone());
    let mut certificate = statement.certify().unwrap();
    let released = std::fs::read(dir.path().join("release/mean.ply")).unwrap();
    certificate.files = vec![FileSum::of_bytes("mean.ply", &released)];
    let certificate = certificate.to_json().unwrap();
    ledger.publish(&receipt, &FileSum::of_bytes("", certificate.as_bytes()).sha256).unwrap();
    std::fs::write(dir.path().join("release/certificate.json"), &certificate).unwrap();
    std::fs::write(dir.path().join("internal/certificate.json"), &certificate).unwrap();
    let at = |folder: &str| dir.path().join(folder).join("mean.ply");
    let red = visard::report::canvas::WARNING;
    for extra in [&[][..], &["--software"][..]] {
        assert_ne!(corner(&[&[text(&at("release"))], extra].concat()), red);
        assert_eq!(corner(&[&[text(&at("internal"))], extra].concat()), red);
        assert_eq!(corner(&[&[text(&at("elsewhere"))], extra].concat()), red);
        assert_eq!(corner(&[&[text(&at("release")), text(&at("internal"))], extra].concat()), red);
    }
    // A folder of the same study shows its release.
    assert_ne!(corner(&[text(dir.path())]), red);
}

#[test]
fn degenerate_geometry_is_drawn_as_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let far = 1e300;
    for (name, content) in [
        ("point.xyz", "0 0 0\n".to_owned()),
        ("same.xyz", "1 1 1\n".repeat(5)),
        ("huge.xyz", format!("-{far:e} 0 0\n{far:e} 1 1\n0 {far:e} 0\n")),
        ("flat.obj", "v 0 0 0\nv 0 0 0\nv 1 0 0\nf 1 2 3\nf 1 1 1\n".to_owned()),
    ] {
        let file = dir.path().join(name);
        std::fs::write(&file, content).unwrap();
        corner(&[text(&file)]);
        corner(&[text(&file), "--software"]);
    }
}
