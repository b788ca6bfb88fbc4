//! Pictures of registrations: a checkerboard carried from the template, an error map against the truth, misfit and Jacobians.
//!
//! `cargo run --release --example measure -- registration_gallery [FOLDER]` writes `registration.html` and PNG files to the folder (default:
//! a temporary one). Synthetic people, whose correspondence is known; nothing is downloaded.

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use visard::conformal::disk_map;
use visard::mesh::{Point, RepairSettings, TriMesh, make_disk, mesh_from_points};
use visard::report::chart::{Axis, Line, histogram, line_chart};
use visard::report::colour::{ColourMap, ColourScale};
use visard::report::figure::Figure;
use visard::report::page::Page;
use visard::report::render::{Colour, Image, View, render};
use visard::study::face::{TemplateSource, load_template};
use visard::surface::Template;
use visard::surface::registration::{Elastic, ElasticSettings, Landed, PosedScan, certify};
use visard::synth::{ScanConditions, person};

/// Squares of the checkerboard across the disk.
const SQUARES: f64 = 20.0;
const VIEW: View = View { yaw: 25.0, pitch: 4.0, size: 420 };

/// One person's scan put into correspondence with the template.
struct Exhibit {
    faces: [Image; 2],
    errors: Vec<f64>,
    misfit: Vec<f64>,
    jacobians: Vec<f64>,
    least: f64,
    /// Triangles turned over in the scan's disk chart or on its rough surface, of those on the scan.
    turned: (usize, usize),
}

/// Writes the pictures to the folder named first.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = words.first().map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let template = load_template(&TemplateSource::Builtin)?.template;
    let scale = ColourScale {
        name: "distance to the true place".to_owned(),
        unit: "mm".to_owned(),
        low: 0.0,
        high: 4.0,
        map: ColourMap::Sequential,
    };
    let elastic = Elastic::new(&template, &ElasticSettings::default())?;
    let results: Vec<Exhibit> =
        (0..3).map(|i| exhibit(&template, &elastic, i, &scale)).collect::<Result<_, _>>()?;
    write_page(&folder, &results, &scale)?;
    for (i, r) in results.iter().enumerate() {
        let mean = r.errors.iter().sum::<f64>() / r.errors.len() as f64;
        println!(
            "person {i}: mean error {mean:.2} mm, smallest Jacobian {:.3}, {} of {} triangles turned against the raw scan",
            r.least, r.turned.0, r.turned.1
        );
        assert!(mean < 2.0 && r.least > 0.0, "a synthetic face is registered to 2 mm without folds");
    }
    println!("{}", folder.join("registration.html").display());
    Ok(())
}

fn exhibit(
    template: &Template,
    elastic: &Elastic<'_>,
    i: usize,
    scale: &ColourScale,
) -> Result<Exhibit, Box<dyn Error>> {
    let scan = person(5, i, &ScanConditions::demo());
    let pose = template.pose().find(&scan.points)?;
    let cloud = mesh_from_points(&scan.points)?;
    let disk = make_disk(cloud, Some(pose.nose_tip), &RepairSettings::default())?.mesh;
    let found = elastic.fit(&disk, &pose.similarity)?;
    let map = disk_map(&disk)?;
    let posed = PosedScan { disk, nose: pose.nose, similarity: pose.similarity, filled: Vec::new() };
    let one_to_one = certify(template, &Landed::new(&posed, &found.positions)?, &map)?;
    let millimetres = 1.0 / pose.similarity.scale;
    let errors: Vec<f64> =
        found.positions.iter().zip(&scan.truth).map(|(p, q)| (p - q).norm() * millimetres).collect();
    // Drawn in the template's pose, beside one another.
    let upright = |points: &[Point]| -> Vec<Point> {
        points.iter().map(|p| template.upright().inverse() * pose.similarity.invert(p)).collect()
    };
    let face = template.mesh().with_vertices(upright(&found.positions))?;
    // Finer triangles, so that the squares have straight sides.
    let places: Vec<[f64; 2]> = template.surface().z().iter().map(|z| [z.re, z.im]).collect();
    let (fine, places) = divided(&face, &places)?;
    let (fine, places) = divided(&fine, &places)?;
    let checker: Vec<[f64; 3]> = places.iter().map(|z| square(z[0], z[1])).collect();
    let heat: Vec<[f64; 3]> = errors
        .iter()
        .zip(&scan.covered)
        .map(|(e, seen)| if *seen { scale.colour(*e) } else { [0.8; 3] })
        .collect();
    Ok(Exhibit {
        faces: [
            render(&fine, VIEW, Colour::PerVertex(&checker)),
            render(&face, VIEW, Colour::PerVertex(&heat)),
        ],
        errors: errors.iter().zip(&scan.covered).filter(|(_, seen)| **seen).map(|(e, _)| *e).collect(),
        misfit: found.report.misfit,
        jacobians: jacobians(template.mesh(), &face),
        least: found.min_jacobian,
        turned: (one_to_one.turned.len(), one_to_one.covered),
    })
}

/// A mesh with a place of the disk for every vertex.
type Placed = (TriMesh, Vec<[f64; 2]>);

/// Every triangle in four, with what is known at the vertices.
fn divided(mesh: &TriMesh, values: &[[f64; 2]]) -> Result<Placed, Box<dyn Error>> {
    let (mut vertices, mut values) = (mesh.vertices().to_vec(), values.to_vec());
    let mut middles = HashMap::new();
    let mut triangles = Vec::with_capacity(4 * mesh.triangles().len());
    for &[a, b, c] in mesh.triangles() {
        let [p, q, r] = [(a, b), (b, c), (c, a)].map(|(i, j)| {
            *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                vertices.push(nalgebra::center(&vertices[i], &vertices[j]));
                values.push([0, 1].map(|k| 0.5 * (values[i][k] + values[j][k])));
                vertices.len() - 1
            })
        });
        triangles.extend([[a, p, r], [p, b, q], [r, q, c], [p, q, r]]);
    }
    Ok((TriMesh::new(vertices, triangles)?, values))
}

/// The colour of the checkerboard at a place of the template's disk.
fn square(x: f64, y: f64) -> [f64; 3] {
    let index = |v: f64| (0.5 * SQUARES * (v + 1.0)).floor() as i64;
    if (index(x) + index(y)) % 2 == 0 { [0.86, 0.71, 0.61] } else { [0.28, 0.36, 0.50] }
}

/// Areas over the template's, relative to their mean; negative where a triangle is turned over.
fn jacobians(template: &TriMesh, face: &TriMesh) -> Vec<f64> {
    let ratios: Vec<f64> = (0..face.triangles().len())
        .map(|t| {
            let (now, before) = (face.area_vector(t), template.area_vector(t));
            (now.norm() / before.norm()).copysign(now.dot(&before))
        })
        .collect();
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    ratios.iter().map(|r| r / mean).collect()
}

fn write_page(folder: &Path, results: &[Exhibit], scale: &ColourScale) -> Result<(), Box<dyn Error>> {
    let row = |k: usize| Image::beside(&results.iter().map(|r| r.faces[k].clone()).collect::<Vec<_>>());
    let (checker, heat) = (row(0), row(1));
    std::fs::write(folder.join("registered_checker.png"), checker.to_png()?)?;
    std::fs::write(folder.join("registered_error.png"), heat.to_png()?)?;
    let lines: Vec<Line> = results
        .iter()
        .enumerate()
        .map(|(i, r)| {
            let points = r.misfit.iter().enumerate().map(|(k, e)| (k as f64, *e)).collect();
            Line::new(format!("person {i}"), points).with_dots()
        })
        .collect();
    let misfit = line_chart(
        "Distance to the matched planes",
        &Axis::linear("step"),
        &Axis::log("root mean square (mm)"),
        &lines,
    );
    let all: Vec<f64> = results.iter().flat_map(|r| r.jacobians.iter().copied()).collect();
    let spread = histogram(
        "Jacobian determinants of the registrations",
        &Axis::linear("area over the template's, relative to the mean"),
        &all,
        60,
        &[(1.0, "1")],
    );
    std::fs::write(folder.join("registration_misfit.svg"), &misfit)?;
    std::fs::write(folder.join("registration_jacobians.svg"), &spread)?;
    let mut page = Page::new("Registered faces");
    page.lead("Three synthetic people, scanned with noise, in random pose, with part of the border missing.");
    page.figures(&[
        Figure::image(
            &checker,
            "A checkerboard of the template's disk, carried to the scans by the registration",
        )?,
        Figure::image_with_bar(&heat, scale, "Distance to the true place; grey: not seen by the scanner")?,
        Figure::chart(misfit, "What is minimized, step by step"),
        Figure::chart(spread, "All are positive: no triangle is turned over"),
    ]);
    std::fs::write(folder.join("registration.html"), page.to_html())?;
    Ok(())
}
