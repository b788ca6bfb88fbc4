//! Frames of a mesh of 20 000 vertices, and what opening a large study costs. `cargo bench --profile dist -p visard-viewer`.

use std::sync::OnceLock;
use visard::mesh::{Point, TriMesh, Vector};
use visard::study::layout::{MEAN_PLY, RELEASE, SCANS};
use visard::study::standing::Standing;
use visard_viewer::band::Band;
use visard_viewer::display_settings::DisplaySettings;
use visard_viewer::drawing::Drawing;
use visard_viewer::listing::entries;
use visard_viewer::look::Look;
use visard_viewer::modes::Modes;
use visard_viewer::pane::draw;
use visard_viewer::picking::pick;
use visard_viewer::source;
use visard_viewer::stage::{Stage, has_adapter};
use visard_viewer::subject::{Shape, Subject};

fn main() {
    if has_adapter() {
        // The graphics library's context does not outlive its last surface: one stays for all measurements.
        let kept = kiss3d::pollster::block_on(Stage::new(8, 8));
        divan::main();
        drop(kept);
    } else {
        eprintln!("NOT MEASURED: no graphics adapter here; install mesa-vulkan-drivers");
    }
}

/// Vertices along a side of the sheet that is measured: 20 164 in all.
const SIDE: usize = 142;
/// Of one of 200 704.
const FINE_SIDE: usize = 448;
/// And of a million.
const LARGE_SIDE: usize = 1000;

/// A wavy sheet of n × n vertices.
fn sheet(n: usize) -> Subject {
    let at = |i: usize| -1.0 + 2.0 * i as f64 / (n - 1) as f64;
    let height = |x: f64, y: f64| 0.3 * (5.0 * x).sin() * (4.0 * y).cos();
    let vertices = (0..n * n).map(|k| (at(k % n), at(k / n))).map(|(x, y)| Point::new(x, y, height(x, y)));
    let cell = |k: usize| [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]];
    let triangles = (0..n * (n - 1)).filter(|k| k % n < n - 1).flat_map(cell).collect();
    let mesh = TriMesh::new(vertices.collect(), triangles).unwrap_or_default();
    Subject::new("sheet", "sheet", Standing::Public, Shape::Surface(mesh))
}

/// A mean of 200 704 vertices with a band and a mode.
fn fine_mean() -> &'static Subject {
    static MEAN: OnceLock<Subject> = OnceLock::new();
    MEAN.get_or_init(|| {
        let mut mean = sheet(FINE_SIDE);
        let vertices = FINE_SIDE * FINE_SIDE;
        mean.band = Some(Band::new(vec![Vector::repeat(0.01); vertices]));
        let along = |k: usize| Vector::z() * (0.1 * (k as f64 / vertices as f64).sin());
        mean.modes = Modes::new(vec![(0..vertices).map(along).collect()]);
        mean
    })
}

fn drawing() -> &'static Drawing {
    static DRAWING: OnceLock<Drawing> = OnceLock::new();
    DRAWING.get_or_init(|| draw(&sheet(SIDE), &DisplaySettings::default()).expect("a sheet can be drawn"))
}

fn stage(width: u32, height: u32, drawing: &Drawing) -> Stage {
    let mut stage = kiss3d::pollster::block_on(Stage::new(width, height));
    stage.set(drawing);
    stage
}

fn turned(step: &mut f64) -> Look {
    *step += 3.0;
    Look { yaw: *step, ..Look::default() }
}

/// A million vertices, until the pixels have been read back.
#[divan::bench(sample_count = 10)]
fn whole_frame_of_a_million(bencher: divan::Bencher) {
    let Ok(drawing) = draw(&sheet(LARGE_SIDE), &DisplaySettings::default()) else { return };
    let (mut stage, mut step) = (stage(1200, 900, &drawing), 0.0);
    bencher.bench_local(|| {
        kiss3d::pollster::block_on(stage.render(&turned(&mut step), None));
        stage.picture()
    });
}

/// Until the pixels have been read back: rendering by whatever adapter there is, and a copy that the window does not make.
#[divan::bench(args = [(1200, 900), (600, 450)])]
fn whole_frame(bencher: divan::Bencher, size: (u32, u32)) {
    let (mut stage, mut step) = (stage(size.0, size.1, drawing()), 0.0);
    bencher.bench_local(|| {
        kiss3d::pollster::block_on(stage.render(&turned(&mut step), None));
        stage.picture()
    });
}

/// A mean of 200 704 vertices within its band, turned, as the window draws it: nothing is read back.
#[divan::bench(sample_count = 20)]
fn turn_a_fine_mean_in_its_band(bencher: divan::Bencher) {
    let display = DisplaySettings { band: true, ..DisplaySettings::default() };
    let Ok(drawing) = draw(fine_mean(), &display) else { return };
    let (mut stage, mut step) = (stage(1200, 900, &drawing), 0.0);
    bencher.bench_local(|| {
        kiss3d::pollster::block_on(stage.render(&turned(&mut step), None));
        stage.finish();
    });
}

/// The same while a slider bends it: every frame has other vertices.
#[divan::bench(sample_count = 20)]
fn bend_a_fine_mean_in_its_band(bencher: divan::Bencher) {
    let mut stage = kiss3d::pollster::block_on(Stage::new(1200, 900));
    let mut along = 0.0;
    bencher.bench_local(|| {
        along += 0.01;
        let display = DisplaySettings { band: true, modes: vec![along], ..DisplaySettings::default() };
        if let Ok(drawing) = draw(fine_mean(), &display) {
            stage.set(&drawing);
        }
        kiss3d::pollster::block_on(stage.render(&Look::default(), None));
        stage.finish();
    });
}

/// Our part of a frame: camera, uniforms, commands handed over. Vertices rest on the adapter, so that their number makes no
/// difference; here it has one triangle and next to no pixels to draw.
#[divan::bench]
fn frame_but_for_rendering(bencher: divan::Bencher) {
    let one = Drawing { triangles: vec![[0, 1, SIDE as u32]], ..drawing().clone() };
    let (mut stage, mut step) = (stage(8, 8, &one), 0.0);
    bencher.bench_local(|| kiss3d::pollster::block_on(stage.render(&turned(&mut step), None)));
}

#[divan::bench]
fn pick_under_the_mouse(bencher: divan::Bencher) {
    let drawing = drawing();
    bencher.bench(|| pick(drawing, &Look::default(), [0.5, 0.5], 4.0 / 3.0));
}

/// Vertices, normals, sky visibility: once for every subject, on a thread of its own.
#[divan::bench(args = [SIDE, FINE_SIDE])]
fn prepare_a_subject(bencher: divan::Bencher, side: usize) {
    let display = DisplaySettings::default();
    bencher.with_inputs(|| sheet(side)).bench_values(|subject| draw(&subject, &display));
}

/// The same once it is known how much light its hollows have.
#[divan::bench]
fn bend_a_fine_mean(bencher: divan::Bencher) {
    let display = DisplaySettings { modes: vec![0.1], ..DisplaySettings::default() };
    bencher.bench(|| draw(fine_mean(), &display));
}

/// The list of a study of 1000 scans, and its first file read: what the window waits for.
#[divan::bench]
fn open_a_study_of_1000_scans(bencher: divan::Bencher) {
    let Ok(dir) = tempfile::tempdir() else { return };
    let (scans, release) = (dir.path().join(SCANS), dir.path().join(RELEASE));
    let made =
        std::fs::create_dir_all(&scans).and_then(|()| std::fs::create_dir_all(&release)).and_then(|()| {
            let ply = release.join(MEAN_PLY);
            visard::io::write_ply(&ply, visard::synth::builtin_template()).map_err(std::io::Error::other)?;
            (0..1000)
                .try_for_each(|k| std::fs::copy(&ply, scans.join(format!("person-{k:04}.ply"))).map(|_| ()))
        });
    if made.is_err() {
        return;
    }
    bencher.bench(|| entries(dir.path()).and_then(|found| source::load(&found[0].path)));
}
