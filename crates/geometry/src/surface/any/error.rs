//! Why a scan cannot be registered.

use super::kind::Ambiguity;
use crate::mesh::MeshError;

/// Why a scan cannot be registered: it is an unusable record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceRegistrationError {
    /// The template's pose cannot be told, and no marks were given.
    #[error("the template's pose cannot be told: {0}; give marks that fix the pose")]
    Template(Ambiguity),
    /// Two poses fit nearly alike.
    #[error(
        "the pose is ambiguous: turned by {degrees:.0} degrees the template fits nearly as well; give marks that fix the pose"
    )]
    Ambiguous {
        /// The angle between the two poses, degrees.
        degrees: f64,
    },
    /// The mirror image fits nearly as well.
    #[error("the scan and its mirror image fit nearly alike; give marks that fix the pose")]
    MirrorAmbiguous,
    /// The mirror image fits better.
    #[error(
        "the scan is mirrored: its mirror image fits the template, it does not; mirror it, or allow mirrored scans"
    )]
    Mirrored,
    /// Nothing fits.
    #[error(
        "the scan does not fit the template: {residual:.3} of its size off at best (at most {limit}); is it the same kind of surface, and whole?"
    )]
    NoFit {
        /// Root mean square distance over √area.
        residual: f64,
        /// The largest taken.
        limit: f64,
    },
    /// Fewer than three marks, or all on a line.
    #[error("the marks do not fix a pose: at least three are needed, not on a line")]
    Marks,
    /// A closed scan of a template with a border.
    #[error("the scan is closed, but the template has a border; cut the scan as the template is")]
    Closed,
    /// An open scan of a closed template.
    #[error("the scan is open, but the template is closed; close the scan's hole first")]
    Open,
    /// Several pieces.
    #[error("{pieces} surfaces in one scan, the largest {:.0} % of the area; keep one", 100.0 * share)]
    Pieces {
        /// How many large ones.
        pieces: usize,
        /// The share of the largest.
        share: f64,
    },
    /// Neighbouring triangles that face opposite ways.
    #[error("{edges} edges whose two triangles face opposite ways; turn them the same way first")]
    Sides {
        /// How many edges.
        edges: usize,
    },
    /// Too few points.
    #[error("{vertices} vertices, at least {fewest} are needed")]
    TooSmall {
        /// How many there are.
        vertices: usize,
        /// How many are needed.
        fewest: usize,
    },
    /// A triangle of the template would be turned over.
    #[error("the scan cannot be registered without folding")]
    Folded,
    /// The scan is no mesh to be searched, or too little of it lies near the template.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}
