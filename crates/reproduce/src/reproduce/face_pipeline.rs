//! Soto et al. 2024, Figures 1, 2, 3, 7, 9 and 10: from a cloud of points to face radial curves, and the seconds of A.2.

use super::picture::{BLUE, Camera, INK, disk_picture};
use super::population::{CURVES, SAMPLES, points};
use super::{AnyError, Context, Finding};
use crate::conformal::{Complex, DiskMap, Quality, disk_map};
use crate::function::FaceCurves;
use crate::io::npy;
use crate::mesh::{DiskMesh, Point, RepairSettings, Similarity, make_disk, mesh_from_points};
use crate::report::chart::{Axis, Line, line_chart};
use crate::report::render::{CLAY, Image, View, render};
use crate::study::face::{TemplateSource, load_template};
use crate::surface::registration::{Elastic, ElasticSettings, Srnf, SrnfSettings};
use crate::surface::{DiskSurface, Template, recentred};
use crate::synth::{FaceParameters, ScanConditions, simulate_scan};
use rand::SeedableRng;
use std::time::Instant;

const SIZE: usize = 380;
const FRONT: View = View { yaw: 0.0, pitch: 0.0, size: SIZE };
const TURNED: View = View { yaw: 28.0, pitch: 4.0, size: SIZE };

/// One scan on its way, with the seconds of each stage.
struct Journey {
    cloud: Vec<Point>,
    pose: Similarity,
    disk: DiskMesh,
    map: DiskMap,
    centred: DiskMap,
    quality: Quality,
    /// Where the template's vertices lie on the scan.
    registered: Vec<Point>,
    seconds: Vec<(&'static str, f64, &'static str)>,
}

/// A raw cloud of about 7150 points: a public face's vertices without their triangles, or a simulated scan.
fn cloud(context: &Context) -> Result<(Vec<Point>, &'static str), AnyError> {
    if let Some(file) = context.file("faces_simpop/simpop_vertices.npy") {
        let all = npy::read(&file)?;
        let one = all.data.len() / all.shape.first().copied().unwrap_or(1).max(1);
        return Ok((
            points(&all.data[..one]),
            "the 7160 points of a public simulated face (SIMPOP), as a bare cloud",
        ));
    }
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    let scan = simulate_scan(&FaceParameters::sample(&mut rng), &ScanConditions::demo(), &mut rng);
    Ok((scan.points, "a simulated scan of 7150 points (no shared data)"))
}

fn travel(cloud: Vec<Point>, template: &Template) -> Result<Journey, AnyError> {
    let mut seconds = Vec::new();
    let mut clock = Instant::now();
    let mut stage = |name, paper| {
        seconds.push((name, clock.elapsed().as_secs_f64(), paper));
        clock = Instant::now();
    };
    let pose = template.pose().find(&cloud)?;
    stage("pose and nose tip", "not stated");
    let mesh = mesh_from_points(&cloud)?;
    stage("mesh", "5");
    let disk = make_disk(mesh, Some(pose.nose_tip), &RepairSettings::default())?.mesh;
    stage("repair", "not stated");
    let map = disk_map(&disk)?;
    stage("disk map", "20");
    let nose = disk.mesh().nearest_vertex(&pose.nose_tip).unwrap_or(0);
    let upward = pose.similarity.apply(&template.upward());
    let centred = recentred(&map, &disk, nose, &upward)?;
    stage("Möbius recentring", "effectively none");
    let surface = DiskSurface::new(&disk, &centred);
    let srnf = Srnf::new(template, &SrnfSettings::default())?;
    stage("SRNF registration made ready (once a study)", "–");
    let towards = pose.similarity.rotation.inverse();
    srnf.fit(&surface, towards);
    stage("SRNF registration of the disk (the paper's way)", "180 and more");
    let elastic = Elastic::new(template, &ElasticSettings::default())?;
    stage("elastic template made ready (once a study)", "–");
    let registered = elastic.fit(&disk, &pose.similarity)?.positions;
    stage("elastic registration in space (default)", "180 and more");
    template.curves_of(&registered, CURVES, SAMPLES)?;
    stage("curves", "not stated");
    let quality = Quality::measure(&disk, &map)?;
    Ok(Journey { cloud, pose: pose.similarity, disk, map, centred, quality, registered, seconds })
}

/// Circles r = k/10 and rays every 15°, carried to the surface.
fn polar_lines(surface: &DiskSurface) -> Vec<Vec<Point>> {
    let at = |r: f64, angle: f64| surface.point(&surface.locate(Complex::from_polar(r, angle)));
    let turn = |k: usize, of: usize| std::f64::consts::TAU * k as f64 / of as f64;
    let circles = (1..10).map(|k| (0..=240).map(|i| at(0.1 * f64::from(k), turn(i, 240))).collect());
    let rays = (0..24).map(|k| (2..=100).map(|i| at(0.0098 * f64::from(i), turn(k, 24))).collect());
    circles.chain(rays).collect()
}

/// Curves as points in space.
fn in_space(curves: &FaceCurves) -> Vec<Vec<Point>> {
    points(curves.data()).chunks(curves.samples()).map(<[Point]>::to_vec).collect()
}

/// One curve's coordinates against the share of the way round.
fn coordinate(curves: &FaceCurves, j: usize, k: usize) -> Vec<(f64, f64)> {
    let values = curves.coordinate(j, k);
    let m = values.len() as f64;
    values.iter().chain(values.first()).enumerate().map(|(l, y)| (l as f64 / m, *y)).collect()
}

pub(super) fn run(context: &Context) -> Result<Finding, AnyError> {
    let template = load_template(&TemplateSource::Builtin)?.template;
    let (cloud, data) = cloud(context)?;
    // Three times, the fastest of each stage: on a shared machine the others measure the neighbours.
    let mut journey = travel(cloud.clone(), &template)?;
    for _ in 0..2 {
        let again = travel(cloud.clone(), &template)?;
        for (best, other) in journey.seconds.iter_mut().zip(&again.seconds) {
            best.1 = best.1.min(other.1);
        }
    }
    let mut finding = Finding::new(
        "gdp-faces, Figures 1, 2, 3, 7, 9, 10: from a cloud of points to curves",
        "A face as cloud, triangulated mesh, disk map before and after a Möbius transformation that puts the nose tip at the centre, \
         surface with radial curves, 16, 27 and 80 curves, coordinate curves of one hundred faces. 5 s to mesh, 20 s to parameterize, \
         upwards of 3 minutes to register a face (A.2).",
    );
    let panels = draw_maps(&mut finding, &journey)?;
    let last = draw_curves(&mut finding, &journey, &template, &panels[0])?;
    draw_hundred(&mut finding, context)?;
    let mut pipeline = panels;
    pipeline.push(last);
    finding.picture(
        "figure10_pipeline.png",
        "Figure 10: cloud → mesh → recentred disk map → registered surface with 23 radial curves",
        &Image::beside(&pipeline),
    )?;
    let mut csv = String::from("stage,seconds,paper's seconds (A.2)\n");
    for (name, seconds, paper) in &journey.seconds {
        csv.push_str(&format!("{name},{seconds:.4},{paper}\n"));
    }
    finding.tables.push(("seconds.csv".into(), csv));
    let srnf = journey.seconds.iter().find(|s| s.0.contains("(the paper's way)")).map_or(f64::NAN, |s| s.1);
    let elastic = journey.seconds.iter().find(|s| s.0.contains("(default)")).map_or(f64::NAN, |s| s.1);
    let all: f64 = journey.seconds.iter().filter(|s| !s.0.contains("(once a study)")).map(|s| s.1).sum();
    let (paper_way, ours) = (all - elastic, all - srnf);
    let flips = journey.quality.flipped_triangles;
    finding.same = format!(
        "disk map of {} triangles: mean angle distortion {:.2}°, {flips} flipped; cloud to curves with SRNF registration {paper_way:.2} s.",
        journey.disk.mesh().triangles().len(),
        journey.quality.angle_distortion_deg.mean,
    );
    finding.better = format!("elastic registration in space: cloud to curves {ours:.2} s a face.");
    finding.then = "205 s a face and more, 3 minutes of it on a supercomputer".into();
    finding.why = "The representation works as the paper says. Recentring by a Möbius transformation costs nothing next to the map.".into();
    finding.data = format!("{data}; one hundred {}", context.faces()?.source);
    let told = format!("{ours:.2} s");
    finding.tells("seconds from a raw cloud to registered curves, one face", "205 s", told, 205.0 / ours);
    Ok(finding)
}

/// Figures 1, 2 (left) and 7; the panels of the pipeline.
fn draw_maps(finding: &mut Finding, journey: &Journey) -> Result<Vec<Image>, AnyError> {
    let upright = |p: &Point| journey.pose.invert(p);
    let mesh = journey.disk.mesh();
    let mesh = mesh.with_vertices(mesh.vertices().iter().map(upright).collect())?;
    let camera = Camera::new(&mesh, TURNED);
    let mut dots = camera.paper();
    camera.dots(&mut dots, &journey.cloud.iter().map(upright).collect::<Vec<_>>(), 1.6, BLUE);
    let mut wire = render(&mesh, TURNED, CLAY);
    camera.edges(&mut wire, &mesh, 0.35, INK);
    let mut surfaces = Vec::new();
    for map in [&journey.map, &journey.centred] {
        let front = Camera::new(&mesh, FRONT);
        let mut image = render(&mesh, FRONT, CLAY);
        let lines: Vec<Vec<Point>> = polar_lines(&DiskSurface::new(&journey.disk, map))
            .iter()
            .map(|line| line.iter().map(upright).collect())
            .collect();
        front.curves(&mut image, &lines, false, 0.9, BLUE);
        surfaces.push(image);
    }
    let before = disk_picture(&mesh, &journey.map.z, SIZE);
    let after = disk_picture(&mesh, &journey.centred.z, SIZE);
    let [plain, centred] = [surfaces[0].clone(), surfaces[1].clone()];
    finding.picture(
        "figure1_mesh_and_surfaces.png",
        "Figure 1: triangulated mesh; the disk-parameterized surface, polar lines about the map's own centre; after the Möbius \
         transformation, about the nose tip",
        &Image::beside(&[wire.clone(), plain.clone(), centred.clone()]),
    )?;
    finding.picture(
        "figure7_disk_maps.png",
        "Figure 7: disk map and surface before (left pair) and after (right pair) the Möbius transformation",
        &Image::beside(&[before, plain, after.clone(), centred]),
    )?;
    Ok(vec![dots, wire, after])
}

/// Figures 2 (right) and 3; the surface with 23 curves.
fn draw_curves(
    finding: &mut Finding,
    journey: &Journey,
    template: &Template,
    cloud: &Image,
) -> Result<Image, AnyError> {
    let area = template.mesh().with_vertices(journey.registered.clone())?;
    // In the frame of the curves: centred, unit area, turned to the template.
    let (centre, size) = (area.area_centroid(), area.area().sqrt());
    let back = journey.pose.rotation.inverse();
    let face = area
        .with_vertices(area.vertices().iter().map(|p| Point::from(back * (p - centre) / size)).collect())?;
    let curves_of = |count| template.curves_of(&journey.registered, count, 240);
    let mut panels = Vec::new();
    let camera = Camera::new(&face, TURNED);
    for count in [16, 27, 80] {
        let mut image = camera.paper();
        camera.curves(&mut image, &in_space(&curves_of(count)?), true, 0.9, INK);
        panels.push(image);
    }
    let mut shown = render(&face, TURNED, CLAY);
    camera.curves(&mut shown, &in_space(&curves_of(CURVES)?), true, 1.1, BLUE);
    finding.picture(
        "figure2_cloud_and_curves.png",
        "Figure 2: the face as a cloud of points; the registered face with its 23 radial curves",
        &Image::beside(&[cloud.clone(), shown.clone()]),
    )?;
    finding.picture(
        "figure3_curves.png",
        "Figure 3: the same face as 16, 27 and 80 radial curves",
        &Image::beside(&panels),
    )?;
    let one = template.curves_of(&journey.registered, CURVES, SAMPLES)?;
    for (k, name) in ["x", "y", "z"].iter().enumerate() {
        let chart = line_chart(
            &format!("Figure 3, right: {name} of curve 12 of 23"),
            &Axis::linear("share of the way round"),
            &Axis::linear("unit-area coordinate"),
            &[Line::new("", coordinate(&one, 11, k))],
        );
        finding.figures.push((format!("figure3_{name}.svg"), chart));
    }
    Ok(shown)
}

/// Figure 9.
fn draw_hundred(finding: &mut Finding, context: &Context) -> Result<(), AnyError> {
    let faces = context.faces()?;
    for (k, name) in ["x", "y", "z"].iter().enumerate() {
        let lines: Vec<Line> = faces
            .records
            .iter()
            .flatten()
            .take(100)
            .map(|record| Line::new("", coordinate(record, 11, k)))
            .collect();
        let chart = line_chart(
            &format!("Figure 9: {name} of curve 12, one hundred faces"),
            &Axis::linear("share of the way round"),
            &Axis::linear("unit-area coordinate"),
            &lines,
        );
        finding.figures.push((format!("figure9_{name}.svg"), chart));
    }
    Ok(())
}
