//! Rendered frames against stored ones: without a graphics adapter, and, asked for, on whatever adapter there is (in `.ci/run`: software
//! Vulkan, no display). Rewrite the stored ones with `VISARD_REWRITE_FRAMES=1` after a wanted change, and look at them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use visard::report::render::Image;

fn viewer(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_visard-viewer"));
    command.args(arguments).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap()
}

fn read(file: &Path) -> Image {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(file).unwrap())).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    Image { width: info.width as usize, height: info.height as usize, rgb }
}

/// Means over blocks of 3 × 3 pixels: what an eye sees from a little farther away, where a line moved by half a pixel or
/// another way of smoothing edges makes no difference.
fn blurred(image: &Image) -> Vec<f64> {
    let (w, h) = (image.width / 3, image.height / 3);
    let mut out = Vec::new();
    for y in 0..h {
        for x in 0..w {
            for k in 0..3 {
                let of =
                    |d: usize| f64::from(image.rgb[3 * ((3 * y + d / 3) * image.width + 3 * x + d % 3) + k]);
                out.push((0..9).map(of).sum::<f64>() / 9.0);
            }
        }
    }
    out
}

/// The mean difference of blurred pixels and the share that differs visibly (by more than 20 of 255).
fn difference(a: &Image, b: &Image) -> (f64, f64) {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let (a, b) = (blurred(a), blurred(b));
    let apart: Vec<f64> = a.iter().zip(&b).map(|(x, y)| (x - y).abs()).collect();
    let n = apart.len() as f64;
    (apart.iter().sum::<f64>() / n, apart.iter().filter(|d| **d > 20.0).count() as f64 / n)
}

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frames").join(name)
}

fn check(name: &str, arguments: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("frame.png");
    let mut all = arguments.to_vec();
    all.extend(["--size", "240x180", "--screenshot", file.to_str().unwrap()]);
    let output = viewer(&all);
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    if std::env::var_os("VISARD_REWRITE_FRAMES").is_some() {
        std::fs::copy(&file, stored(name)).unwrap();
    }
    let (mean, visible) = difference(&read(&file), &read(&stored(name)));
    assert!(
        mean < 2.0 && visible < 0.02,
        "{name}: mean difference {mean:.2}, visible {:.1} %",
        100.0 * visible
    );
}

#[test]
#[ignore = "needs a graphics adapter: mesa-vulkan-drivers has one in software"]
fn surfaces_fields_and_disk_maps_look_as_stored() {
    assert!(visard_viewer::card::has_adapter(), "no graphics adapter here: install mesa-vulkan-drivers");
    check("template.png", &["builtin", "--camera", "three-quarter"]);
    check("checker.png", &["builtin", "--field", "checker", "--with", "disk"]);
    check("polar.png", &["builtin", "--field", "polar", "--camera", "left"]);
    check("distortion.png", &["builtin", "--field", "distortion"]);
    // At a budget where noise is not seen: the frame is of the drawing, whatever the seed gives.
    check("synthetic.png", &["synthetic", "--mu", "20", "--with", "curves"]);
    check("outlines.png", &[stored("outlines.tps").to_str().unwrap()]);
}

#[test]
fn without_an_adapter_the_same_is_drawn() {
    check("software.png", &["builtin", "--software", "--camera", "three-quarter"]);
    check("software-distortion.png", &["builtin", "--software", "--field", "distortion"]);
    check("software-outlines.png", &[stored("outlines.tps").to_str().unwrap(), "--software"]);
}

#[test]
fn the_comparison_sees_a_turned_head_and_overlooks_a_shifted_grey() {
    let image = read(&stored("template.png"));
    let lighter = Image { rgb: image.rgb.iter().map(|c| c.saturating_add(1)).collect(), ..image.clone() };
    let (mean, visible) = difference(&image, &lighter);
    assert!(mean < 2.0 && visible == 0.0);
    let mut mirrored = image.clone();
    for row in mirrored.rgb.chunks_mut(3 * image.width) {
        let pixels: Vec<[u8; 3]> = row.chunks(3).map(|p| [p[0], p[1], p[2]]).rev().collect();
        row.copy_from_slice(pixels.as_flattened());
    }
    let (mean, visible) = difference(&image, &mirrored);
    assert!(mean > 2.0 && visible > 0.02, "{mean} {visible}");
}

#[test]
fn a_turntable_may_be_a_webp() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("turn.webp");
    let output = viewer(&["builtin", "--turntable", file.to_str().unwrap(), "--size", "64x48", "--software"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = std::io::BufReader::new(std::fs::File::open(&file).unwrap());
    let mut decoder = image_webp::WebPDecoder::new(read).unwrap();
    assert_eq!((decoder.dimensions(), decoder.num_frames(), decoder.loop_duration()), ((64, 48), 60, 3000));
    let mut first = vec![0; decoder.output_buffer_size().unwrap()];
    let mut second = first.clone();
    decoder.read_frame(&mut first).unwrap();
    decoder.read_frame(&mut second).unwrap();
    assert!(first != second);
}

#[test]
fn a_turntable_is_an_animation_of_the_size_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("turn.gif");
    let output = viewer(&["builtin", "--turntable", file.to_str().unwrap(), "--size", "64x48", "--software"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(std::fs::File::open(&file).unwrap()).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (64, 48));
    let (mut frames, mut first, mut differs) = (0, Vec::new(), false);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        frames += 1;
        if first.is_empty() {
            first = frame.buffer.to_vec();
        }
        differs |= frame.buffer != first;
    }
    assert!(frames > 20 && differs);
}
