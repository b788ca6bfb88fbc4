//! Frames of a mesh of 20 000 vertices, and what opening a large study costs. `cargo bench --profile dist -p visard-viewer`.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;
use visard::mesh::{Point, TriMesh, Vector};
use visard::study::layout::{BAND, MEAN_PLY, MODES_NPY, RELEASE, SCANS};
use visard::study::standing::Standing;
use visard_viewer::band::Band;
use visard_viewer::card::{Card, has_adapter};
use visard_viewer::coarse::Coarse;
use visard_viewer::display_settings::DisplaySettings;
use visard_viewer::drawing::Drawing;
use visard_viewer::listing::entries;
use visard_viewer::look::Look;
use visard_viewer::modes::Modes;
use visard_viewer::pane::draw;
use visard_viewer::picking::pick;
use visard_viewer::source;
use visard_viewer::stage::Stage;
use visard_viewer::subject::{Shape, Subject};

/// Without words, every measurement; `study FOLDER` writes the fine mean with its band and a mode, `phases FILE` tells what the first picture of
/// a file waits for, `passes` how long the card takes for each pass over the fine mean.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["study", folder] => return write_study(Path::new(folder)),
        ["phases", file] => return phases(Path::new(file)),
        _ => {}
    }
    if !has_adapter() {
        eprintln!("NOT MEASURED: no graphics adapter here; install mesa-vulkan-drivers");
        return Ok(());
    }
    // The graphics library's context does not outlive its last surface: one stays for all measurements.
    let kept = kiss3d::pollster::block_on(Stage::new(8, 8));
    eprintln!("{}", kiss3d::context::Context::get().adapter.get_info().name);
    match words.first().map(String::as_str) {
        Some("passes") => passes()?,
        _ => divan::main(),
    }
    // kiss3d panics when its last window goes and nothing flat was drawn on it; the process ends here anyway.
    std::mem::forget(kept);
    Ok(())
}

fn write_study(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let Shape::Surface(mesh) = &fine_mean().shape else { return Ok(()) };
    std::fs::create_dir_all(folder)?;
    visard::io::write_ply(&folder.join(MEAN_PLY), mesh)?;
    let n = mesh.vertices().len();
    let band: Vec<f64> = [-0.01, 0.01].iter().flat_map(|side| std::iter::repeat_n(*side, 3 * n)).collect();
    visard::io::write_npy(&folder.join(BAND), &[2, n, 3], &band)?;
    let modes: Vec<f64> = (0..n).flat_map(|k| [0.0, 0.0, along(k)]).collect();
    Ok(visard::io::write_npy(&folder.join(MODES_NPY), &[1, n, 3], &modes)?)
}

/// What the first picture of a file waits for, one after the other.
fn phases(file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let begun = Instant::now();
    let tell = |what: &str| println!("{:6.0} ms  {what}", 1e3 * begun.elapsed().as_secs_f64());
    let subject = source::load(file)?;
    tell("read");
    subject.prepare();
    tell("the sky's light");
    let drawing = draw(&subject, &DisplaySettings { band: true, ..DisplaySettings::default() })?;
    tell("lists of triangles");
    let card = Card::find().ok_or("no graphics adapter")?;
    tell("the card found");
    card.install();
    let mut stage = kiss3d::pollster::block_on(Stage::new(2400, 1800));
    tell("the stage");
    stage.set(&drawing);
    kiss3d::pollster::block_on(stage.render(&Look::default(), None));
    tell("the picture asked for");
    stage.finish();
    tell("drawn");
    let picture = stage.picture();
    tell("read back");
    let picture = picture.reduced(2);
    tell("reduced");
    picture.to_png()?;
    tell("a PNG");
    Ok(())
}

/// How long the card takes for each pass over the fine mean in its band, seen from several sides.
fn passes() -> Result<(), Box<dyn std::error::Error>> {
    let display = DisplaySettings { band: true, ..DisplaySettings::default() };
    let drawing = draw(fine_mean(), &display)?;
    let mut stage = stage(1200, 900, &drawing);
    stage.show(drawing.into());
    for yaw in [0.0, 30.0, 60.0, 90.0, 180.0] {
        // The card's own times come with the frame after.
        for _ in 0..4 {
            let begun = Instant::now();
            kiss3d::pollster::block_on(stage.render(&Look { yaw, ..Look::default() }, None));
            let handed = begun.elapsed();
            stage.finish();
            println!("yaw {yaw}: handed over in {handed:.1?}, drawn in {:.1?}", begun.elapsed());
        }
        println!("{}", stage.timings());
        for _ in 0..4 {
            let begun = Instant::now();
            kiss3d::pollster::block_on(stage.render_shown(&Look { yaw, ..Look::default() }, None));
            let handed = begun.elapsed();
            stage.finish();
            println!("yaw {yaw}, quick: handed over in {handed:.1?}, drawn in {:.1?}", begun.elapsed());
        }
    }
    Ok(())
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

/// The fine mean's mode at a vertex.
fn along(k: usize) -> f64 {
    0.1 * (20.0 * k as f64 / (FINE_SIDE * FINE_SIDE) as f64).sin()
}

/// A mean of 200 704 vertices with a band and a mode.
fn fine_mean() -> &'static Subject {
    static MEAN: OnceLock<Subject> = OnceLock::new();
    MEAN.get_or_init(|| {
        let mut mean = sheet(FINE_SIDE);
        let vertices = FINE_SIDE * FINE_SIDE;
        mean.band = Some(Band::new(vec![Vector::repeat(0.01); vertices]));
        mean.modes = Modes::new(vec![(0..vertices).map(|k| Vector::z() * along(k)).collect()]);
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
    let (mut stage, mut step) = (kiss3d::pollster::block_on(Stage::new(1200, 900)), 0.0);
    stage.show(drawing.into());
    bencher.bench_local(|| {
        kiss3d::pollster::block_on(stage.render_shown(&turned(&mut step), None));
        stage.finish();
    });
}

/// What is drawn of it while it is turned where that takes longer than 40 ms: a coarser surface at fewer pixels.
#[divan::bench(sample_count = 20)]
fn turn_a_fine_mean_in_its_band_coarsely(bencher: divan::Bencher) {
    let display = DisplaySettings { band: true, ..DisplaySettings::default() };
    let Some((coarse, whole)) = Coarse::of(fine_mean()).zip(draw(fine_mean(), &display).ok()) else { return };
    let Some(drawing) = coarse.drawing(&whole, &display) else { return };
    let (mut stage, mut step) = (kiss3d::pollster::block_on(Stage::new(1200, 900)), 0.0);
    stage.set_coarse(&drawing);
    bencher.bench_local(|| {
        stage.render_coarse(&turned(&mut step), None);
        stage.finish();
    });
}

/// The same while a slider bends it.
#[divan::bench(sample_count = 20)]
fn bend_a_fine_mean_in_its_band_coarsely(bencher: divan::Bencher) {
    let mut display = DisplaySettings { band: true, modes: vec![0.0], ..DisplaySettings::default() };
    let Some((coarse, whole)) = Coarse::of(fine_mean()).zip(draw(fine_mean(), &display).ok()) else { return };
    let mut stage = kiss3d::pollster::block_on(Stage::new(1200, 900));
    bencher.bench_local(|| {
        display.modes[0] += 0.01;
        if let Ok(Some(drawing)) = coarse.bent(fine_mean(), &display, &whole) {
            stage.set_coarse(&drawing);
        }
        stage.render_coarse(&Look::default(), None);
        stage.finish();
    });
}

/// Which vertices of it are left: once, on the thread that reads.
#[divan::bench(sample_count = 10)]
fn coarsen_a_fine_mean(bencher: divan::Bencher) {
    bencher.bench(|| Coarse::of(fine_mean()));
}

/// The whole of it while a slider bends it: every frame has other vertices.
#[divan::bench(sample_count = 20)]
fn bend_a_fine_mean_in_its_band(bencher: divan::Bencher) {
    let mut stage = kiss3d::pollster::block_on(Stage::new(1200, 900));
    let mut along = 0.0;
    bencher.bench_local(|| {
        along += 0.01;
        let display = DisplaySettings { band: true, modes: vec![along], ..DisplaySettings::default() };
        if let Ok(drawing) = draw(fine_mean(), &display) {
            stage.show(drawing.into());
        }
        kiss3d::pollster::block_on(stage.render_shown(&Look::default(), None));
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
