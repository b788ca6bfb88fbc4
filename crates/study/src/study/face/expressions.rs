//! Public expressions, and what takes them out of faces that are registered to a template.

use super::record::{ScanRegistrar, ScanRow, default_crop_radius};
use crate::io::{Content, ReadError, Scan, list_scans, open_as, scan_of};
use crate::mesh::{DiskMesh, MeshError, NearestPoint, Point, Similarity, TriMesh, Vector};
use crate::privacy::PublicInput;
use crate::study::public_input;
use crate::surface::registration::{PosedScan, Registration, RegistrationError};
use crate::surface::{Neutral, Template, TemplateError};
use crate::synth::{self, untorn};
use nalgebra::DVector;
use std::path::{Path, PathBuf};
use visard_base::parallel;

/// Where public expressions come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpressionSource {
    /// The built-in ones.
    Builtin,
    /// A mesh with the template's vertices and triangles, or a folder of such meshes: each the template with one expression.
    Meshes(PathBuf),
}

/// Why expressions cannot be taken out of faces.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionError {
    /// A file.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Expressions that are none.
    #[error("expressions: {0}")]
    Mesh(#[from] MeshError),
    /// The template does not suit the registration.
    #[error("template: {0}")]
    Registration(#[from] RegistrationError),
    /// An expression that is none of the template.
    #[error(
        "{file}: {what}; a mesh of an expression has the template's vertices and triangles, in their order and place"
    )]
    Another {
        /// Which file.
        file: String,
        /// What is wrong with it.
        what: String,
    },
}

/// How the names of expressions begin among a certificate's public inputs.
pub(super) const EXPRESSIONS: &str = "expressions: ";

/// A mesh farther than this from the template (root mean square over its size) is another face, or lies elsewhere.
const FARTHEST: f64 = 0.1;

/// What takes these expressions out of faces registered to a template, and what they are. `from_builtin` takes the built-in face to the template: by it
/// the built-in ways in which people differ are known there.
pub(super) fn neutral(
    template: &Template,
    from_builtin: &Similarity,
    source: &ExpressionSource,
) -> Result<(Neutral, PublicInput), ExpressionError> {
    let mesh = template.mesh();
    let points: Vec<Point> = mesh.vertices().iter().map(|p| from_builtin.invert(p)).collect();
    let there = |field: Vec<Vector>| -> Vec<Vector> { field.iter().map(|v| from_builtin.turn(v)).collect() };
    let people: Vec<_> = synth::face_differences(&points).into_iter().map(there).collect();
    let (fields, input): (Vec<Vec<Vector>>, _) = match source {
        ExpressionSource::Builtin => {
            let mouth = template.mouth().ok_or_else(|| ExpressionError::Another {
                file: "built-in expressions".into(),
                what: "the corners of the template's mouth are not known".into(),
            })?;
            let fields = synth::expressions(&mesh.with_vertices(points)?, mouth);
            let input = PublicInput::of_bytes(format!("{EXPRESSIONS}built-in"), &builtin_bytes());
            (fields.into_iter().map(|(_, field)| there(field)).collect(), input)
        }
        ExpressionSource::Meshes(path) => meshes(path, mesh)?,
    };
    let registrar = ScanRegistrar::new(template, Registration::Elastic, default_crop_radius(template))?;
    let seen = parallel::map_slice(&fields, |field| registered(&registrar, from_builtin, field));
    Ok((Neutral::new(mesh, &fields, &seen, &people)?, input))
}

/// What the built-in expressions are: their displacements of the built-in template to .01 mm, the same on every machine and for every template.
fn builtin_bytes() -> Vec<u8> {
    let fields = synth::expressions(synth::builtin_template(), synth::FaceMarks::builtin().mouth);
    let whole = |x: &f64| ((100.0 * x).round() as i32).to_le_bytes();
    fields.iter().flat_map(|(_, field)| field.iter().flatten().flat_map(whole)).collect()
}

/// What becomes of an expression where a face that has it is registered: the template with it goes the way of every scan. Registration follows the surface,
/// but along the skin only part of the way; so does what is taken out. Where that fails, the expression itself.
fn registered(registrar: &ScanRegistrar<'_>, from_builtin: &Similarity, field: &[Vector]) -> Vec<Vector> {
    let template = registrar.template();
    let rest = template.mesh().vertices();
    let vertices: Vec<Point> = rest.iter().zip(field).map(|(p, v)| p + v).collect();
    let mm = |points: &[Point]| -> Vec<Point> { points.iter().map(|p| from_builtin.invert(p)).collect() };
    let triangles = untorn(&mm(rest), template.mesh().triangles(), &mm(&vertices));
    let centre = |t: &[usize; 3]| Point::from(t.iter().map(|&i| vertices[i].coords).sum::<Vector>() / 3.0);
    // Points of a scan are no vertices of the template.
    let scan = Scan { vertices: triangles.iter().map(centre).collect(), ..Scan::default() };
    let mut row = ScanRow::named(String::new());
    let found = registrar
        .pose_of(scan, None, &mut row)
        .and_then(|posed| registrar.register(&posed, &mut row))
        .ok()
        .and_then(|positions| template.unit_positions(&positions).ok());
    let unit = template.mesh().area().sqrt();
    let moved = |(p, t): (&Point, &Point)| (p - t) * unit;
    found
        .map_or_else(|| field.to_vec(), |face| face.iter().zip(template.unit_vertices()).map(moved).collect())
}

/// Expressions of meshes: what they move the template's vertices by.
fn meshes(path: &Path, template: &TriMesh) -> Result<(Vec<Vec<Vector>>, PublicInput), ExpressionError> {
    let files = list_scans(&[path.to_owned()])?;
    let mut sums = String::new();
    let mut fields = Vec::with_capacity(files.len());
    for file in files {
        let file = open_as(&file, Content::Scan)?;
        sums += &public_input(&file)?.sha256;
        let scan = scan_of(&file)?;
        let no = |what: String| ExpressionError::Another { file: file.path().display().to_string(), what };
        if scan.vertices.len() != template.vertices().len() {
            let (found, wanted) = (scan.vertices.len(), template.vertices().len());
            return Err(no(format!("has {found} vertices, the template {wanted}")));
        }
        if scan.triangles.is_some_and(|triangles| triangles != template.triangles()) {
            return Err(no("has other triangles than the template".into()));
        }
        let field: Vec<Vector> = scan.vertices.iter().zip(template.vertices()).map(|(p, t)| p - t).collect();
        let square = field.iter().map(Vector::norm_squared).sum::<f64>() / field.len() as f64;
        let apart = square.sqrt() / template.area().sqrt();
        if !(apart > 0.0 && apart < FARTHEST) {
            return Err(no(format!("lies {:.0} % of a face's size from the template", 100.0 * apart)));
        }
        fields.push(field);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok((fields, PublicInput::of_bytes(format!("{EXPRESSIONS}{name}"), sums.as_bytes())))
}

/// Where the template's vertices would lie on a face at rest, given where they lie on its scan: the same places where its template takes no expressions out. Registration is pulled to the template, the more the
/// farther a face is: so the scan is bent back by what was found, registered again, and what is then left of the expression taken out (a step of Gauss and
/// Newton).
///
/// # Errors
/// [`TemplateError`] when the positions are not a surface.
pub fn at_rest(
    registrar: &ScanRegistrar<'_>,
    posed: &PosedScan,
    positions: Vec<Point>,
) -> Result<Vec<Point>, TemplateError> {
    let template = registrar.template();
    let Some(neutral) = template.neutral() else { return Ok(positions) };
    let away = |positions: &[Point]| -> Result<Vec<Vector>, TemplateError> {
        let face = template.unit_positions(positions)?;
        Ok(face.iter().zip(template.unit_vertices()).map(|(p, t)| p - t).collect())
    };
    let found = neutral.strengths(&away(&positions)?, &DVector::zeros(neutral.count()));
    let again = bent_back(template, posed, &positions, &neutral.moved(&found))
        .and_then(|bent| registrar.register(&bent, &mut ScanRow::named(String::new())).ok());
    let (positions, left) = match again {
        None => (positions, found),
        Some(positions) => {
            let left = neutral.strengths(&away(&positions)?, &found) - found;
            (positions, left)
        }
    };
    let face = template.unit_positions(&positions)?;
    let back = Similarity::fit(&face, &positions, &vec![1.0; face.len()]);
    let back = back.ok_or_else(|| MeshError::Degenerate("the positions have no extent".to_owned()))?;
    Ok(face.iter().zip(neutral.seen(&left)).map(|(p, v)| back.apply(&(p - v))).collect())
}

/// A scan whose vertices are moved back as the template's vertices next to them are moved by an expression; `None` where that leaves no disk.
fn bent_back(
    template: &Template,
    posed: &PosedScan,
    positions: &[Point],
    moved: &[Vector],
) -> Option<PosedScan> {
    let tree = NearestPoint::new(positions.iter()).ok()?;
    let unit = template.mesh().area().sqrt() * posed.similarity.scale;
    let back = |p: &Point| p - posed.similarity.rotation * moved[tree.find(p).0] * unit;
    let mesh = posed.disk.mesh();
    let vertices = mesh.vertices().iter().map(back).collect();
    let disk = DiskMesh::try_new(mesh.with_vertices(vertices).ok()?).ok()?;
    Some(PosedScan { disk, ..posed.clone() })
}

#[cfg(test)]
mod tests {
    use super::super::template::{TemplateSource, load_template};
    use super::*;
    use crate::function::FaceCurves;
    use crate::io::write_ply;
    use crate::study::face::record::{RecordMaker, RecordSettings};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use visard_geometry::synth::{FaceMarks, FaceParameters, Oddity, Sitter, builtin_template, odd_scan};

    fn with(source: ExpressionSource) -> TemplateSource {
        TemplateSource::Neutral(Box::new(TemplateSource::Builtin), source)
    }

    /// Scanned with an open mouth, people are at rest again; `measure expressions` says how well.
    #[test]
    fn the_mean_of_open_mouths_comes_to_lie_at_rest() {
        let loaded =
            [TemplateSource::Builtin, with(ExpressionSource::Builtin)].map(|s| load_template(&s).unwrap());
        let marks = FaceMarks::builtin();
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let mut sums = [vec![0.0; 300], vec![0.0; 300], vec![0.0; 300]];
        let makers = [0, 1].map(|k: usize| {
            let template = &loaded[k].template;
            let settings = RecordSettings {
                registration: Registration::Elastic,
                crop_radius: default_crop_radius(template),
                curves: 5,
                samples: 20,
            };
            RecordMaker::new(template, settings).unwrap()
        });
        let mut add = |k: usize, curves: &FaceCurves| {
            sums[k].iter_mut().zip(curves.data()).for_each(|(sum, x)| *sum += x / 2.0);
        };
        for _ in 0..2 {
            let vertices = FaceParameters::sample(&mut rng).vertices();
            add(2, &loaded[0].template.curves_of(&vertices, 5, 20).unwrap());
            let sitter = Sitter { vertices: &vertices, triangles: builtin_template().triangles(), marks };
            let scan = odd_scan(&sitter, Oddity::OpenMouth, &mut rng).unwrap();
            for (k, maker) in makers.iter().enumerate() {
                let scan = Scan { vertices: scan.points.clone(), ..Scan::default() };
                let record = maker.record_of("open".into(), scan, None);
                add(k, &record.curves.unwrap_or_else(|| panic!("{}", record.row.problem)));
            }
        }
        let apart = |k: usize| {
            let square: f64 = sums[k].iter().zip(&sums[2]).map(|(a, b)| (a - b).powi(2)).sum();
            200.0 * (square / 100.0).sqrt()
        };
        let (kept, out) = (apart(0), apart(1));
        assert!(kept > 3.0 && out < 0.35 * kept, "{kept:.2} mm with the mouth open, {out:.2} taken out");
    }

    #[test]
    fn meshes_of_expressions_are_told_by_their_sums_and_refused_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let template = builtin_template();
        let marks = FaceMarks::builtin();
        let path = |name: &str| folder.path().join(name);
        for (name, field) in synth::expressions(template, marks.mouth).into_iter().take(3).skip(1) {
            let moved = template.vertices().iter().zip(field).map(|(p, v)| p + v).collect();
            write_ply(&path(&format!("{name}.ply")), &template.with_vertices(moved).unwrap()).unwrap();
        }
        let meshes = || load_template(&with(ExpressionSource::Meshes(folder.path().to_owned())));
        let (loaded, plain) = (meshes().unwrap(), load_template(&TemplateSource::Builtin).unwrap());
        assert_eq!(loaded.template.neutral().map(Neutral::count), Some(2));
        assert_eq!((loaded.inputs().len(), plain.inputs().len()), (2, 1));
        assert_eq!(plain.sum(), plain.input.sha256);
        assert!(loaded.sum() != plain.sum() && loaded.input == plain.input);
        assert!(loaded.same_expressions(&loaded.inputs()) && plain.same_expressions(&plain.inputs()));
        assert!(!loaded.same_expressions(&plain.inputs()) && !plain.same_expressions(&loaded.inputs()));
        let far = template.vertices().iter().map(|p| p + Vector::new(90.0, 0.0, 0.0)).collect();
        let fewer = template.triangles()[1..].to_vec();
        for (name, mesh, said) in [
            ("a_same.ply", template.clone(), "lies 0 % of a face's size from the template"),
            ("a_far.ply", template.with_vertices(far).unwrap(), "of a face's size from the template"),
            ("a_torn.ply", TriMesh::new(template.vertices().to_vec(), fewer).unwrap(), "has other triangles"),
            (
                "a_other.ply",
                TriMesh::new(template.vertices()[..3].to_vec(), vec![[0, 1, 2]]).unwrap(),
                "has 3 vertices",
            ),
        ] {
            write_ply(&path(name), &mesh).unwrap();
            let refused = meshes().unwrap_err().to_string();
            assert!(refused.contains(name) && refused.contains(said), "{refused}");
            std::fs::remove_file(path(name)).unwrap();
        }
    }
}
