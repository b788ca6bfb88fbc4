//! A real browser opens a report: the face is drawn, another view draws another picture, and nothing is asked of the network.
//! Tests with a browser are ignored unless asked for; asked for without it, they fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use visard::privacy::{Mu, PrivacyLoss, Statement};
use visard::report::colour::ColourScale;
use visard::report::figure::Figure;
use visard::report::guarantee::{certificate_section, guarantee_section, release_page};
use visard::report::render::{CLAY, Image, View, render};
use visard::report::surface_view::SurfaceView;
use visard::synth::builtin_template;

fn program(names: &[&str]) -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut all = std::env::split_paths(&folders).flat_map(|f| names.iter().map(move |n| f.join(n)));
    all.find(|p| p.is_file()).unwrap_or_else(|| panic!("this test needs one of {names:?} on the path"))
}

fn page() -> String {
    let statement = Statement::new("some mechanism", 100, PrivacyLoss::Gaussian(Mu::new(1.0).unwrap()));
    let certificate = statement.certify().unwrap();
    let face = builtin_template();
    let heights: Vec<f64> = face.vertices().iter().map(|p| p.z).collect();
    let view = SurfaceView::new("a face", face.clone())
        .with_field(ColourScale::signed("height", "mm", &heights), &heights);
    let mut page = release_page("A face", "average of 100 faces", &certificate);
    page.figures(&[Figure::surface(&view, "Turn it.")]);
    let still = render(face, View::FRONT, CLAY);
    page.figures(&[Figure::image(&still, "A still picture").unwrap()]);
    guarantee_section(&mut page, &certificate);
    certificate_section(&mut page, &certificate);
    page.to_html()
}

/// A screenshot of the page at an address fragment, and what the browser's network log says.
fn open(browser: &Path, page: &Path, fragment: &str, folder: &Path) -> (Image, String) {
    let (shot, log) = (folder.join("shot.png"), folder.join("net.json"));
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--no-first-run", "--disable-background-networking"])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--disable-extensions",
            "--disable-dev-shm-usage",
        ])
        .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"])
        .args(["--window-size=900,900", "--hide-scrollbars", "--virtual-time-budget=4000"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("--log-net-log={}", log.display()))
        .arg(format!("--screenshot={}", shot.display()))
        .arg(format!("file://{}{fragment}", page.display()))
        .output()
        .unwrap();
    assert!(shot.is_file(), "no screenshot: {}", String::from_utf8_lossy(&output.stderr));
    (read(&shot), std::fs::read_to_string(&log).unwrap_or_default())
}

fn read(shot: &Path) -> Image {
    let file = std::io::BufReader::new(std::fs::File::open(shot).unwrap());
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let channels = info.color_type.samples();
    let rgb = bytes.chunks(channels).flat_map(|p| [p[0], p[1], p[2]]).collect();
    Image { width: info.width as usize, height: info.height as usize, rgb }
}

/// Pixels of the material's hue: red over green over blue, neither grey nor a badge's or button's colour.
fn skin(image: &Image) -> usize {
    let is_skin = |p: &&[u8]| p[0] > 90 && p[0] > p[1] + 12 && p[1] > p[2] + 8 && p[0] < p[1] + 90;
    image.rgb.chunks(3).filter(is_skin).count()
}

#[test]
#[ignore = "needs Chromium"]
fn the_face_is_drawn_turns_and_nothing_is_loaded() {
    let browser = program(&["chromium", "chromium-browser", "google-chrome"]);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    std::fs::write(&file, page()).unwrap();
    let (front, log) = open(&browser, &file, "#view=0,0", dir.path());
    let (side, _) = open(&browser, &file, "#view=75,0", dir.path());
    let all = front.width * front.height;
    assert!(skin(&front) > all / 20, "{} of {all} pixels are skin", skin(&front));
    assert!(
        skin(&side) > all / 50 && skin(&side) < skin(&front) * 9 / 10,
        "{} {}",
        skin(&front),
        skin(&side)
    );
    assert!(
        log.contains("report.html") && asked_of_the_network(&log).is_empty(),
        "{:?}",
        asked_of_the_network(&log)
    );
    // The same look at the log sees a page that does ask.
    let leak = dir.path().join("leak.html");
    std::fs::write(&leak, "<img src=\"http://localhost:9/pixel.png\">").unwrap();
    let (_, log) = open(&browser, &leak, "", dir.path());
    assert!(!asked_of_the_network(&log).is_empty());
}

/// Firefox without a display may have no WebGL: then the still pictures are what is left, and the surface's empty frame must
/// not be.
#[test]
#[ignore = "needs Firefox"]
fn firefox_shows_the_face_too() {
    let firefox = program(&["firefox", "firefox-esr"]);
    let dir = tempfile::tempdir().unwrap();
    let (file, shot) = (dir.path().join("report.html"), dir.path().join("shot.png"));
    let profile = dir.path().join("profile");
    std::fs::create_dir(&profile).unwrap();
    std::fs::write(&file, page()).unwrap();
    let output = Command::new(firefox)
        .args(["--headless", "--no-remote", "--window-size=900,900"])
        .arg("--profile")
        .arg(&profile)
        .arg(format!("--screenshot={}", shot.display()))
        .arg(format!("file://{}#view=0,0", file.display()))
        .env("HOME", dir.path())
        .output()
        .unwrap();
    assert!(shot.is_file(), "no screenshot: {}", String::from_utf8_lossy(&output.stderr));
    let picture = read(&shot);
    let all = picture.width * picture.height;
    assert!(skin(&picture) > all / 20, "{} of {all} pixels are skin", skin(&picture));
}

/// Lines of the network log on requests by pages from files; the browser's own housekeeping has no such key.
fn asked_of_the_network(log: &str) -> Vec<&str> {
    log.lines().filter(|l| l.contains("_dk_file://") && l.contains(" http")).collect()
}

#[test]
fn the_page_forbids_itself_the_network_and_names_its_programs() {
    // The name of SVG's namespace is not an address anyone visits.
    let html = page().replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    let policy =
        html.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; img-src data:;"), "{policy}");
    assert!(
        policy.contains("script-src 'sha256-") && !policy.contains("connect-src") && !policy.contains('*')
    );
    for outside in ["http://", "https://", "src=\"//", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}");
    }
}
