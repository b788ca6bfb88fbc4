//! The method made ready for a template: control mesh in working coordinates, basis of its displacements.

use super::basis::DisplacementBasis;
use super::border::Border;
use super::control::ControlMesh;
use super::frames::WorkFrames;
use super::settings::ElasticSettings;
use super::smoother::Smoother;
use super::symmetry::to_mid_plane;
use crate::mesh::{MeshError, Point, Similarity, TriMesh, Vector};
use crate::surface::template::Template;
use nalgebra::Rotation3;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// √area of the template in working units.
const NOMINAL: f64 = 180.0;
/// The area whose node has the nominal standard deviation, working units: what is known of the surface does not depend on how
/// many nodes there are.
const NODE_AREA: f64 = 23.0;
/// Turns of the jaw that are tried, in degrees: lips parted by about 15, 8 and 22 mm. In between, the displacement serves.
pub(super) const TURNS: [f64; 3] = [11.0, 6.0, 16.0];

/// From a template to working coordinates, turned so.
fn nominal(whole: &TriMesh, rotation: Rotation3<f64>) -> Similarity {
    let scale = NOMINAL / whole.area().sqrt();
    let translation = -scale * (rotation * whole.area_centroid().coords);
    Similarity { scale, rotation, translation }
}

/// The elastic registration of any number of scans to one template.
pub struct Elastic<'t> {
    /// What is known of the template beside its shape, if it is a face.
    face: Option<&'t Template>,
    /// Its mesh, or the same with its mouth open.
    shape: Cow<'t, TriMesh>,
    /// The method for the template with its mouth open ([`super::mouth`]).
    pub(super) opened: [OnceLock<Option<Box<Elastic<'t>>>>; TURNS.len()],
    settings: ElasticSettings,
    to_work: Similarity,
    /// Which vertices carry the displacement.
    pub(super) control: Arc<ControlMesh>,
    /// The control mesh in working coordinates.
    pub(super) mesh: TriMesh,
    /// At the nodes: normals of the control mesh and of the whole template, in working coordinates.
    normals: Vec<(Vector, Vector)>,
    /// Weights of the nodes' equations: the root of the area each stands for, over [`NODE_AREA`]; 0 of those that are not matched.
    pub(super) weights: Vec<f64>,
    /// At the nodes, then at the vertices of the border.
    pub(super) basis: DisplacementBasis,
    pub(super) border: Border,
    /// Made with the first scan.
    smoother: OnceLock<Result<Smoother, MeshError>>,
}

impl std::fmt::Debug for Elastic<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Elastic({} nodes)", self.control.nodes.len())
    }
}

impl<'t> Elastic<'t> {
    /// The template's nose tip, in its coordinates, if it is a face.
    pub(super) fn nose(&self) -> Option<Point> {
        self.face.map(|face| face.mesh().vertices()[face.nose()])
    }

    /// Chooses nodes, finds the mid-plane, makes the basis.
    ///
    /// # Errors
    /// [`MeshError::Degenerate`] for a template without extent or settings that give no positive kernel.
    pub fn new(template: &'t Template, settings: &ElasticSettings) -> Result<Self, MeshError> {
        let control = Arc::new(ControlMesh::new(template, settings.nodes)?);
        Self::with_shape(template, Cow::Borrowed(template.mesh()), control, settings)
    }

    /// The same for another shape of the template.
    pub(super) fn with_shape(
        template: &'t Template,
        shape: Cow<'t, TriMesh>,
        control: Arc<ControlMesh>,
        settings: &ElasticSettings,
    ) -> Result<Self, MeshError> {
        let upright = nominal(&shape, template.upright().inverse());
        let to_work = to_mid_plane(&control.placed(&shape, &upright)?).after(&upright);
        Self::in_frame(Some(template), shape, template.disk().boundary(), to_work, control, settings)
    }

    /// For a surface of which nothing is known but its shape and its border, vertices in order (none of a closed one).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_surface(
        mesh: TriMesh,
        boundary: &[usize],
        settings: &ElasticSettings,
    ) -> Result<Elastic<'static>, MeshError> {
        let control = Arc::new(ControlMesh::whole(&mesh, boundary, settings.nodes));
        let to_work = nominal(&mesh, Rotation3::identity());
        Elastic::in_frame(None, Cow::Owned(mesh), boundary, to_work, control, settings)
    }

    fn in_frame(
        face: Option<&'t Template>,
        shape: Cow<'t, TriMesh>,
        boundary: &[usize],
        to_work: Similarity,
        control: Arc<ControlMesh>,
        settings: &ElasticSettings,
    ) -> Result<Self, MeshError> {
        let whole = shape.as_ref();
        let mesh = control.placed(whole, &to_work)?;
        let weights = control.areas(&mesh).into_iter().map(|area| (area / NODE_AREA).sqrt()).collect();
        let rim: Vec<Point> = boundary.iter().map(|&i| to_work.apply(&whole.vertices()[i])).collect();
        let carried: Vec<Point> = mesh.vertices().iter().chain(&rim).copied().collect();
        let basis = DisplacementBasis::new(&carried, mesh.vertices().len(), &settings.kernel)?;
        let fine = whole.vertex_normals();
        let fine = control.nodes.iter().map(|&i| to_work.rotation * fine[i]);
        let normals = mesh.vertex_normals().into_iter().zip(fine).collect();
        let border = Border::new(boundary, rim, &control, &settings.border);
        Ok(Self {
            face,
            shape,
            opened: Default::default(),
            settings: settings.clone(),
            to_work,
            control,
            mesh,
            normals,
            weights,
            basis,
            border,
            smoother: OnceLock::new(),
        })
    }

    /// Normals of the template at displaced nodes: its own, turned as the control mesh turns. Those of the coarse mesh itself
    /// are off by several degrees wherever the face is curved.
    pub(super) fn normals(&self, nodes: &[Point]) -> Result<Vec<Vector>, MeshError> {
        let now = self.mesh.with_vertices(nodes.to_vec())?.vertex_normals();
        let turned = |(n, (coarse, fine)): (&Vector, &(Vector, Vector))| {
            let (axis, cosine) = (coarse.cross(n), coarse.dot(n));
            // Rodrigues' formula, without the angle: the arc cosine of nearly 1 is inexact.
            if cosine > -0.5 {
                fine + axis.cross(fine) + axis.cross(&axis.cross(fine)) / (1.0 + cosine)
            } else {
                *n
            }
        };
        Ok(now.iter().zip(&self.normals).map(turned).collect())
    }

    /// The normal at an undisplaced node.
    pub(super) fn own_normal(&self, node: usize) -> &Vector {
        &self.normals[node].1
    }

    /// What smooths offsets of the template's vertices.
    pub(super) fn smoother(&self) -> Result<&Smoother, MeshError> {
        let made = self.smoother.get_or_init(|| Smoother::new(&self.shape, self.settings.stiffness));
        made.as_ref().map_err(Clone::clone)
    }

    /// What is known of the template, if it is a face.
    pub(super) fn face(&self) -> Option<&'t Template> {
        self.face
    }

    /// The mesh that is moved onto scans, in the template's coordinates.
    pub(super) fn shape(&self) -> &TriMesh {
        &self.shape
    }

    /// Whether that is the template with its mouth open.
    pub(super) fn is_open(&self) -> bool {
        self.face.is_some() && matches!(self.shape, Cow::Owned(_))
    }

    /// From the template's coordinates to the working ones.
    pub(super) fn frame(&self) -> &Similarity {
        &self.to_work
    }

    /// The settings it was prepared with.
    pub fn settings(&self) -> &ElasticSettings {
        &self.settings
    }

    /// The frames of a scan with this pose.
    pub(super) fn frames(&self, pose: &Similarity) -> WorkFrames {
        WorkFrames::new(pose, &self.to_work)
    }

    /// A working unit in the template's.
    pub(super) fn unit(&self) -> f64 {
        1.0 / self.to_work.scale
    }

    /// Template to working coordinates.
    pub(super) fn to_work(&self, p: &Point) -> Point {
        self.to_work.apply(p)
    }
}
