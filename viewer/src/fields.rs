//! What can be painted on a surface: scalar fields with their scales, and the disk map itself.

use crate::error::ViewerError;
use crate::looking::Lengths;
use crate::material::Paint;
use crate::palette::Palette;
use crate::subject::{Shape, Subject, Values};
use crate::template::fitted_template;
use clap::ValueEnum;
use visard::conformal::{Complex, disk_map};
use visard::mesh::{DiskMesh, Point, TriMesh, Vector};
use visard::report::colour::ColourScale;
use visard::surface::recentred;
use visard::synth::builtin_landmarks;

/// Colours on the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum FieldName {
    /// Face-like clay
    #[default]
    None,
    /// A checkerboard of the disk map
    Checker,
    /// Rings and spokes of the disk map around its centre
    Polar,
    /// Signed distance from the built-in template, fitted (the template's vertices needed)
    Distance,
    /// Angle distortion of the disk map, degrees
    Distortion,
    /// Root-mean-square error of the release, as it states it
    Error,
    /// Numbers from a file or a measurement
    #[value(skip)]
    Values,
}

impl FieldName {
    /// All of them, with names for buttons.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::None, "surface"),
        (Self::Checker, "checkerboard"),
        (Self::Polar, "polar grid"),
        (Self::Distance, "distance to template"),
        (Self::Distortion, "angle distortion"),
        (Self::Error, "error of the release"),
        (Self::Values, "given values"),
    ];
}

/// Paint, texture coordinates (one per vertex) and, for scalar fields, the scale.
#[derive(Debug, Clone)]
pub struct Colouring {
    /// What the coordinates mean.
    pub paint: Paint,
    /// The field's place on its scale and 0, or the disk coordinate.
    pub uvs: Vec<[f32; 2]>,
    /// What the colour bar says.
    pub scale: Option<ColourScale>,
}

impl Colouring {
    fn field(scale: ColourScale, values: &[f64]) -> Self {
        let uvs =
            values.iter().map(|v| [if v.is_nan() { -1.0 } else { scale.place(*v) as f32 }, 0.0]).collect();
        Self { paint: Paint::Field(scale.map), uvs, scale: Some(scale) }
    }

    fn disk(paint: Paint, z: &[Complex]) -> Self {
        Self { paint, uvs: z.iter().map(|z| [z.re as f32, z.im as f32]).collect(), scale: None }
    }
}

/// The colours of a subject's surface under a field.
///
/// # Errors
/// [`ViewerError`]: why the subject has no such field.
pub fn colouring(name: FieldName, subject: &Subject) -> Result<Colouring, ViewerError> {
    match &subject.shape {
        Shape::Surface(mesh) => {
            surface_colouring(name, subject, mesh, Lengths::of(subject, None), &Palette::default())
        }
        _ if name == FieldName::None => Ok(Colouring { paint: Paint::Skin, uvs: Vec::new(), scale: None }),
        _ => Err(ViewerError::NoSurface { subject: subject.name.clone() }),
    }
}

/// The colours of a subject's mesh, or of what it was thinned to; `lengths` says what one unit of the mesh is.
///
/// # Errors
/// [`ViewerError`]: why the subject has no such field.
pub fn surface_colouring(
    name: FieldName,
    subject: &Subject,
    mesh: &TriMesh,
    lengths: Lengths,
    palette: &Palette,
) -> Result<Colouring, ViewerError> {
    let field = |own: ColourScale, values: &[f64]| Colouring::field(palette.applied(own, values), values);
    match name {
        FieldName::None => {
            Ok(Colouring { paint: Paint::Skin, uvs: vec![[0.0; 2]; mesh.vertices().len()], scale: None })
        }
        FieldName::Checker => Ok(Colouring::disk(Paint::Checkerboard, &disk_coordinates(mesh)?)),
        FieldName::Polar => Ok(Colouring::disk(Paint::PolarGrid, &disk_coordinates(mesh)?)),
        FieldName::Distortion => {
            let values = angle_distortion(mesh, &disk_coordinates(mesh)?);
            Ok(field(ColourScale::magnitude("angle distortion", "degrees", &values), &values))
        }
        FieldName::Distance => {
            let template = fitted_template(mesh)
                .ok_or_else(|| ViewerError::OtherVertices { subject: subject.name.clone() })?;
            let normals = mesh.vertex_normals();
            let along = |((p, q), n): ((&Point, &Point), &Vector)| (p - q).dot(n);
            let values: Vec<f64> = mesh.vertices().iter().zip(&template).zip(&normals).map(along).collect();
            let (values, unit) = in_unit(&values, lengths);
            Ok(field(ColourScale::signed("distance to template", unit, &values), &values))
        }
        FieldName::Values => {
            let none = || ViewerError::NoValues { subject: subject.name.clone() };
            let Values { name, unit, values } = subject.values.as_ref().ok_or_else(none)?;
            let signed = values.iter().any(|v| *v < 0.0);
            let make = if signed { ColourScale::signed } else { ColourScale::magnitude };
            Ok(field(make(name.clone(), unit.clone(), values), values))
        }
        FieldName::Error => {
            let none = || ViewerError::NoError { subject: subject.name.clone() };
            let values = subject.errors.as_ref().ok_or_else(none)?;
            let (values, unit) = in_unit(values, lengths);
            Ok(field(ColourScale::magnitude("error, root mean square", unit, &values), &values))
        }
    }
}

/// Lengths with their unit: millimetres where one unit of the mesh is known to be so many, otherwise as they are.
fn in_unit(values: &[f64], lengths: Lengths) -> (Vec<f64>, &'static str) {
    match lengths {
        Lengths::Millimetres(_) => (values.iter().map(|v| lengths.said(*v)).collect(), lengths.unit()),
        Lengths::UnitArea => (values.to_vec(), "face of area 1"),
        Lengths::Unknown => (values.to_vec(), lengths.unit()),
    }
}

/// Conformal coordinates on the unit disk, one per vertex; for the template's vertices with the nose tip at 0 and up upwards.
///
/// # Errors
/// [`ViewerError::NotADisk`], or [`ViewerError::NoDiskMap`] for one too damaged to flatten.
pub fn disk_coordinates(mesh: &TriMesh) -> Result<Vec<Complex>, ViewerError> {
    let disk = DiskMesh::try_new(mesh.clone()).map_err(ViewerError::NotADisk)?;
    let map = disk_map(&disk)?;
    if fitted_template(mesh).is_none() {
        return Ok(map.z);
    }
    let nose = builtin_landmarks().nose_tip;
    let tip = mesh.vertices()[nose];
    let upward = tip + Vector::y() * (0.40 * mesh.area().sqrt());
    Ok(recentred(&map, &disk, nose, &upward)?.z)
}

/// Mean absolute difference of the angles at each vertex between surface and map, degrees.
fn angle_distortion(mesh: &TriMesh, z: &[Complex]) -> Vec<f64> {
    let mut sum = vec![(0.0, 0.0); z.len()];
    for (k, t) in mesh.triangles().iter().enumerate() {
        let there = angles(&mesh.corners(k));
        let here = angles(&t.map(|i| Point::new(z[i].re, z[i].im, 0.0)));
        for c in 0..3 {
            let difference = (here[c] - there[c]).abs().to_degrees();
            if difference.is_finite() {
                sum[t[c]].0 += difference;
                sum[t[c]].1 += 1.0;
            }
        }
    }
    sum.into_iter().map(|(s, n)| if n > 0.0 { s / n } else { f64::NAN }).collect()
}

fn angles(p: &[Point; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| (p[(k + 1) % 3] - p[k]).angle(&(p[(k + 2) % 3] - p[k])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use visard::study::standing::Standing;
    use visard::synth::builtin_template;

    fn subject(mesh: TriMesh) -> Subject {
        Subject::new("s", "s.ply", Standing::Public, Shape::Surface(mesh))
    }

    #[test]
    fn a_bump_is_seen_where_it_is() {
        let builtin = builtin_template();
        let normals = builtin.vertex_normals();
        let nose = builtin_landmarks().nose_tip;
        let mut v = builtin.vertices().to_vec();
        v[nose] += normals[nose] * 5.0;
        let found = colouring(FieldName::Distance, &subject(builtin.with_vertices(v).unwrap())).unwrap();
        let largest =
            (0..found.uvs.len()).max_by(|&a, &b| found.uvs[a][0].total_cmp(&found.uvs[b][0])).unwrap();
        assert_eq!(largest, nose);
    }

    #[test]
    fn a_scale_is_in_millimetres_where_the_scale_bar_is() {
        let mesh = builtin_template();
        let of = |mesh: &TriMesh, lengths| {
            let s = Subject { errors: Some(vec![0.5; mesh.vertices().len()]), ..subject(mesh.clone()) };
            let found = surface_colouring(FieldName::Error, &s, mesh, lengths, &Palette::default()).unwrap();
            let scale = found.scale.unwrap();
            (scale.high, scale.unit)
        };
        let own = Lengths::of(&subject(mesh.clone()), None);
        let (high, unit) = of(mesh, own);
        assert_eq!(unit, "mm");
        let (of_centimetres, unit) = of(mesh, Lengths::Millimetres(10.0));
        assert!((of_centimetres - 10.0 * high).abs() < 1e-9 && unit == "mm");
        assert_eq!(of(mesh, Lengths::Unknown).1, "units of the file");
    }

    #[test]
    fn the_disk_map_of_the_template_has_its_nose_at_the_centre() {
        let z = disk_coordinates(builtin_template()).unwrap();
        assert!(z[builtin_landmarks().nose_tip].norm() < 1e-9 && z.iter().all(|z| z.norm() < 1.0 + 1e-9));
        let distortion = colouring(FieldName::Distortion, &subject(builtin_template().clone())).unwrap();
        assert!(distortion.scale.unwrap().high < 10.0);
    }

    #[test]
    fn what_has_no_field_says_why() {
        let tetra = TriMesh::new(
            vec![Point::origin(), Point::new(1., 0., 0.), Point::new(0., 1., 0.), Point::new(0., 0., 1.)],
            vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
        )
        .unwrap();
        let s = subject(tetra);
        assert!(colouring(FieldName::Checker, &s).unwrap_err().to_string().contains("not a disk"));
        assert!(colouring(FieldName::Distance, &s).unwrap_err().to_string().contains("template"));
        assert!(colouring(FieldName::Error, &s).unwrap_err().to_string().contains("error.npy"));
        let released = Subject { errors: Some(vec![0.5; 4]), ..s.clone() };
        assert!(colouring(FieldName::Error, &released).unwrap().scale.unwrap().high >= 0.5);
        let cloud = Subject { shape: Shape::Cloud(vec![Point::origin()]), ..s };
        assert!(colouring(FieldName::Error, &cloud).is_err() && colouring(FieldName::None, &cloud).is_ok());
    }
}
