//! How conformal a map to the sphere is.

use super::SphereMap;
use super::oriented::flipped;
use crate::conformal::ConformalError;
use crate::conformal::quality::{self, AngleDistortion, AreaDistortion, Beltrami};
use crate::mesh::{ClosedMesh, Point};
use serde::Serialize;

/// Conformal quality of a map to the sphere, by its flat triangles, in the definitions of [`Quality`](crate::conformal::Quality).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SphereQuality {
    /// Angle in the map less angle on the surface, over the 3 corners of all triangles, in degrees.
    pub angle_distortion_deg: AngleDistortion,
    /// |μ| = (σ₁ − σ₂)/(σ₁ + σ₂) of each triangle's singular values.
    pub beltrami: Beltrami,
    /// Triangles turned over, or of no area, seen from the centre.
    pub flipped_triangles: usize,
    /// How unevenly the map enlarges.
    pub area_distortion: AreaDistortion,
    /// How far the centre of the surface's area lies from the centre of the sphere, in radii.
    pub off_centre: f64,
}

impl SphereQuality {
    /// Measures a map.
    ///
    /// # Errors
    /// [`ConformalError::WrongLength`] unless the map has one place per vertex.
    pub fn measure(closed: &ClosedMesh, map: &SphereMap) -> Result<Self, ConformalError> {
        let mesh = closed.mesh();
        let expected = mesh.vertices().len();
        if map.x.len() != expected {
            return Err(ConformalError::WrongLength { what: "vertices", given: map.x.len(), expected });
        }
        let image = |t: usize| mesh.triangles()[t].map(|v| Point::from(map.x[v]));
        Ok(Self {
            angle_distortion_deg: quality::angle_distortion(mesh, &image),
            beltrami: quality::beltrami(mesh, &image),
            flipped_triangles: flipped(mesh.triangles(), &map.x).len(),
            area_distortion: quality::area_distortion(mesh, &image),
            off_centre: map.off_centre(closed),
        })
    }
}
