//! The public template: a face flattened and recentred once, that every scan is registered to.

use super::locate::{DiskSurface, Located};
use super::neutral::Neutral;
use crate::conformal::{Complex, ConformalError, DiskMap, SurfacePoint, disk_map};
use crate::function::{CurvesError, DiskField, FaceCurves};
use crate::mesh::{Areas, DiskMesh, MeshError, Point, PoseError, PoseFinder, TriMesh, Vector};
use nalgebra::{Matrix3, Rotation3};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Why a mesh cannot be a template, or positions cannot be turned into curves.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// The mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Its pose.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// Its flattening.
    #[error(transparent)]
    Conformal(#[from] ConformalError),
    /// The curves.
    #[error(transparent)]
    Curves(#[from] CurvesError),
}

/// The template face: its mesh, its disk map (nose tip at 0, up on the positive imaginary axis), its pose.
#[derive(Debug)]
pub struct Template {
    disk: DiskMesh,
    surface: DiskSurface,
    pose: PoseFinder,
    nose: usize,
    upward: Point,
    unit: Vec<Point>,
    upright: Rotation3<f64>,
    mouth: Option<[usize; 2]>,
    neutral: Option<Neutral>,
    places: Mutex<CurvePlaces>,
}

/// By numbers of curves and of samples of each, where these samples lie on the template: looked up once, asked for with every face.
type CurvePlaces = HashMap<(usize, usize), Arc<[Located]>>;

/// How far out the outermost curve lies: just inside the border, where scans are least reliable.
const OUTERMOST: f64 = 0.98;

impl Template {
    /// From a face mesh, its nose-tip vertex, and its direction up.
    ///
    /// # Errors
    /// [`TemplateError`].
    pub fn new(disk: DiskMesh, nose: usize, forward: Vector, up: Vector) -> Result<Self, TemplateError> {
        let upright = upright(&forward, &up).ok_or_else(|| {
            MeshError::Degenerate("the template's directions forward and up are parallel".to_owned())
        })?;
        let mesh = disk.mesh();
        let upward = upward_point(mesh, nose, &up).ok_or_else(|| {
            let vertices = mesh.vertices().len();
            MeshError::Degenerate(format!("the template's nose tip is vertex {nose} of {vertices}"))
        })?;
        let (map, pose) = rayon::join(|| disk_map(&disk), || PoseFinder::new(mesh, nose));
        let surface = DiskSurface::new(&disk, &recentred(&map?, &disk, nose, &upward)?);
        let pose = pose?;
        let unit = unit_area(mesh.vertices(), &mesh.areas())?;
        Ok(Self {
            disk,
            surface,
            pose,
            nose,
            upward,
            unit,
            upright,
            mouth: None,
            neutral: None,
            places: Mutex::default(),
        })
    }

    /// The same, knowing the corners of its mouth (the vertices nearest to these points): scans with an open mouth are then registered to it
    /// with its mouth open.
    pub fn with_mouth(mut self, corners: [Point; 2]) -> Self {
        let [a, b] = corners.map(|p| self.mesh().nearest_vertex(&p));
        self.mouth = a.zip(b).map(|(a, b)| [a, b]);
        self
    }

    /// The same, with what takes expressions out of the faces that are registered to it.
    pub fn with_neutral(mut self, neutral: Neutral) -> Self {
        self.neutral = Some(neutral);
        self
    }

    /// What takes expressions out of faces, where they are.
    pub fn neutral(&self) -> Option<&Neutral> {
        self.neutral.as_ref()
    }

    /// The vertices at the corners of the mouth, where they are known.
    pub fn mouth(&self) -> Option<[usize; 2]> {
        self.mouth
    }

    /// The mesh, in its file's units.
    pub fn mesh(&self) -> &TriMesh {
        self.disk.mesh()
    }

    /// The mesh as a disk.
    pub fn disk(&self) -> &DiskMesh {
        &self.disk
    }

    /// The flattened mesh.
    pub fn surface(&self) -> &DiskSurface {
        &self.surface
    }

    /// What poses are found with.
    pub fn pose(&self) -> &PoseFinder {
        &self.pose
    }

    /// The nose-tip vertex.
    pub fn nose(&self) -> usize {
        self.nose
    }

    /// The point on the forehead that fixes the rotation of disk maps.
    pub fn upward(&self) -> Point {
        self.upward
    }

    /// The rotation that takes (x, y, z) to (the subject's left, up, forward).
    pub fn upright(&self) -> &Rotation3<f64> {
        &self.upright
    }

    /// Distance from the nose tip to the farthest vertex, in the mesh's units.
    pub fn reach(&self) -> f64 {
        let v = self.mesh().vertices();
        v.iter().map(|p| (p - v[self.nose]).norm()).fold(0.0, f64::max)
    }

    /// The vertices, centred and scaled to unit area.
    pub fn unit_vertices(&self) -> &[Point] {
        &self.unit
    }

    /// Radii of J curves in the disk: equally spaced, the outermost at 0.98.
    pub fn radii(curves: usize) -> Vec<f64> {
        (1..=curves).map(|j| OUTERMOST * j as f64 / curves as f64).collect()
    }

    /// Square root of the surface's area when the template's vertices lie there; `None` when they are no surface.
    pub fn root_area(&self, positions: &[Point]) -> Option<f64> {
        let registered = self.disk.mesh().with_vertices(positions.to_vec()).ok()?;
        Some(registered.area().sqrt()).filter(|size| size.is_finite() && *size > 0.0)
    }

    /// The face radial curves of a scan, given where the template's vertices lie on it: centred, of unit area, rotated
    /// to the template. Invariant to the scan's position, rotation and scale.
    ///
    /// # Errors
    /// [`TemplateError`] when the positions are not a surface.
    pub fn curves_of(
        &self,
        positions: &[Point],
        curves: usize,
        samples: usize,
    ) -> Result<FaceCurves, TemplateError> {
        let unit = self.unit_positions(positions)?;
        let mut data = Vec::with_capacity(3 * curves * samples);
        for at in self.places(curves, samples).iter() {
            data.extend_from_slice(blend(self.mesh(), &unit, at).as_slice());
        }
        Ok(FaceCurves::new(curves, samples, data)?)
    }

    /// Where samples of curves lie, curve by curve.
    fn places(&self, curves: usize, samples: usize) -> Arc<[Located]> {
        let mut known = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let places = known.entry((curves, samples)).or_insert_with(|| {
            let angle = |l: usize| std::f64::consts::TAU * l as f64 / samples as f64;
            let one =
                |r: f64| (0..samples).map(move |l| self.surface.locate(Complex::from_polar(r, angle(l))));
            Self::radii(curves).into_iter().flat_map(one).collect()
        });
        places.clone()
    }

    /// The template's own curves.
    ///
    /// # Errors
    /// [`TemplateError`].
    pub fn own_curves(&self, curves: usize, samples: usize) -> Result<FaceCurves, TemplateError> {
        self.curves_of(self.mesh().vertices(), curves, samples)
    }

    /// A face with the template's triangles and the given curves: the template moved by the smooth field through the
    /// curves' deviations from its own. Post-processing: curves and template are all it sees.
    ///
    /// # Errors
    /// [`TemplateError`].
    pub fn face_through(&self, curves: &FaceCurves) -> Result<TriMesh, TemplateError> {
        let own = self.own_curves(curves.curves(), curves.samples())?;
        let deviation = curves.data().iter().zip(own.data()).map(|(a, b)| a - b).collect();
        let deviation = FaceCurves::new(curves.curves(), curves.samples(), deviation)?;
        let field = self.field_through(&deviation);
        let vertices = self.unit.iter().zip(field).map(|(p, v)| p + v).collect();
        Ok(self.mesh().with_vertices(vertices)?)
    }

    /// At every vertex, the smooth field that takes these values on the template's curves.
    pub fn field_through(&self, values: &FaceCurves) -> Vec<Vector> {
        let all: Vec<usize> = (0..self.surface.z().len()).collect();
        self.field_at(values, &all)
    }

    /// [`Template::field_through`] at these vertices.
    pub fn field_at(&self, values: &FaceCurves, vertices: &[usize]) -> Vec<Vector> {
        let (field, z) = (DiskField::new(&Self::radii(values.curves()), values), self.surface.z());
        vertices.iter().map(|v| Vector::from(field.evaluate(z[*v].norm(), z[*v].arg()))).collect()
    }

    /// Positions of the template's vertices on a scan, centred, of unit area, rotated to the template (least squares over the surface).
    ///
    /// # Errors
    /// [`TemplateError`] when the positions are not a surface.
    pub fn unit_positions(&self, positions: &[Point]) -> Result<Vec<Point>, TemplateError> {
        let areas = self.mesh().with_vertices(positions.to_vec())?.areas();
        let mut unit = unit_area(positions, &areas)?;
        let pairs = unit.iter().zip(&self.unit).zip(&areas.vertices);
        let cross: Matrix3<f64> = pairs.map(|((p, q), a)| *a * q.coords * p.coords.transpose()).sum();
        if let Some((rotation, _)) = crate::mesh::pose::nearest_rotation(&cross) {
            unit.iter_mut().for_each(|p| *p = rotation * *p);
        }
        Ok(unit)
    }
}

/// Right-handed axes: z forward, y as near to up as that allows.
fn upright(forward: &Vector, up: &Vector) -> Option<Rotation3<f64>> {
    let z = forward.try_normalize(1e-12)?;
    let x = up.cross(&z).try_normalize(1e-9)?;
    Some(Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, z.cross(&x), z])))
}

fn blend(mesh: &TriMesh, vertices: &[Point], at: &Located) -> Vector {
    let corners = mesh.triangles()[at.triangle];
    (0..3).map(|k| vertices[corners[k]].coords * at.weights[k]).sum()
}

/// Centroid of the surface at the origin, divided by √area.
fn unit_area(positions: &[Point], areas: &Areas) -> Result<Vec<Point>, MeshError> {
    let area = areas.total;
    if !(area > 0.0 && area.is_finite()) {
        return Err(MeshError::Degenerate("the surface has no area".to_owned()));
    }
    Ok(positions.iter().map(|p| Point::from((p - areas.centroid) / area.sqrt())).collect())
}

/// A vertex on the forehead: the nearest to the point above the nose tip by 0.4 of the face's size, √area.
fn upward_point(mesh: &TriMesh, nose: usize, up: &Vector) -> Option<Point> {
    let tip = mesh.vertices().get(nose)?;
    let above = tip + up.normalize() * (0.40 * mesh.area().sqrt());
    mesh.nearest_vertex(&above).map(|i| mesh.vertices()[i])
}

/// A disk map moved so that the nose-tip vertex is at 0 and the vertex nearest `upward` on the positive imaginary axis: the
/// public rule that fixes the Möbius freedom of a scan's map.
///
/// # Errors
/// [`ConformalError`] when the nose tip is no vertex inside, or so near the border that triangles would turn over.
pub fn recentred(
    map: &DiskMap,
    disk: &DiskMesh,
    nose: usize,
    upward: &Point,
) -> Result<DiskMap, ConformalError> {
    let v = disk.mesh().vertices();
    let top = (0..v.len())
        .filter(|&i| i != nose)
        .min_by(|&a, &b| (v[a] - upward).norm().total_cmp(&(v[b] - upward).norm()))
        .unwrap_or(nose);
    let mut moved = map.clone();
    moved.recentre(disk, &SurfacePoint::Vertex(nose), &SurfacePoint::Vertex(top))?;
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::{builtin_landmarks, builtin_template};

    fn builtin(nose: usize, up: Vector) -> Result<Template, TemplateError> {
        Template::new(DiskMesh::try_new(builtin_template().clone()).unwrap(), nose, Vector::z(), up)
    }

    #[test]
    fn a_nose_that_is_no_vertex_and_directions_that_are_parallel_are_refused() {
        let vertices = builtin_template().vertices().len();
        assert!(matches!(builtin(vertices, Vector::y()), Err(TemplateError::Mesh(_))));
        let nose = builtin_landmarks().nose_tip;
        for up in [Vector::z(), -2.0 * Vector::z(), Vector::zeros()] {
            assert!(matches!(builtin(nose, up), Err(TemplateError::Mesh(_))), "{up}");
        }
    }

    #[test]
    fn curves_do_not_depend_on_position_rotation_and_scale() {
        let template = builtin(builtin_landmarks().nose_tip, Vector::y()).unwrap();
        let turn = Rotation3::from_euler_angles(0.3, -1.2, 2.0);
        let moved: Vec<Point> = template
            .mesh()
            .vertices()
            .iter()
            .map(|p| turn * p * 0.02 + Vector::new(3.0, 1.0, -9.0))
            .collect();
        let (own, found) = (template.own_curves(5, 12).unwrap(), template.curves_of(&moved, 5, 12).unwrap());
        assert!(own.mean_square_distance(&found) < 1e-24);
        // Through its own curves goes the template.
        let face = template.face_through(&own).unwrap();
        let off = face.vertices().iter().zip(template.unit_vertices()).map(|(p, q)| (p - q).norm());
        assert!(off.fold(0.0, f64::max) < 1e-12);
        assert!(template.curves_of(&moved[1..], 5, 12).is_err());
    }
}
