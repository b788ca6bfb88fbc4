//! A template of any kind, checked and made ready.

use super::kind::{Ambiguity, Topology};
use super::pose::{self, Posed};
use crate::mesh::{MeshError, TopologyReport, TriMesh, topology};
use crate::surface::registration::{BorderModel, DisplacementKernel, Elastic, ElasticSettings};

/// Why a mesh cannot be a template.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceTemplateError {
    /// Neither a disk nor a closed surface without handles.
    #[error(
        "the template is neither a disk nor closed without handles: {}{borders} borders, {}; cut or fill it first",
        if *components == 1 { String::new() } else { format!("{components} pieces, ") },
        match genus { Some(genus) => format!("genus {genus}"), None => "no genus: pieces, or sides that do not fit".to_owned() }
    )]
    Topology {
        /// Number of handles, where it has one.
        genus: Option<usize>,
        /// Number of borders.
        borders: usize,
        /// Number of pieces.
        components: usize,
    },
    /// Edges or vertices where more than one sheet meets, sides that do not fit, vertices without triangles.
    #[error("the template is no clean surface: {0}; repair it first")]
    Unclean(String),
    /// Too small or too coarse.
    #[error("the template cannot be used: {0}")]
    Unusable(#[from] MeshError),
}

/// A public template: any disk or closed surface without handles.
#[derive(Debug)]
pub struct SurfaceTemplate {
    mesh: TriMesh,
    topology: Topology,
    boundary: Vec<usize>,
    ambiguity: Option<Ambiguity>,
    pub(super) elastic: Elastic<'static>,
    pub(super) posed: Posed,
}

/// Fewest vertices of a template.
const FEWEST: usize = 100;

impl SurfaceTemplate {
    /// Checks a mesh and makes it ready.
    ///
    /// # Errors
    /// [`SurfaceTemplateError`]: other topologies with their genus and number of borders, defects by name, fewer than 100 vertices.
    pub fn try_new(mesh: TriMesh) -> Result<Self, SurfaceTemplateError> {
        let report = topology(&mesh);
        let topology = kind(&report)?;
        if mesh.vertices().len() < FEWEST {
            let message = format!("{} vertices, at least {FEWEST} are needed", mesh.vertices().len());
            return Err(MeshError::Degenerate(message).into());
        }
        let boundary = report.boundary_loops.into_iter().next().map_or(Vec::new(), |l| l.vertices);
        let elastic = Elastic::of_surface(mesh.clone(), &boundary, &elastic_settings())?;
        let posed = Posed::new(&mesh, &boundary)?;
        let ambiguity = pose::ambiguity(&posed);
        Ok(Self { mesh, topology, boundary, ambiguity, elastic, posed })
    }

    /// The mesh.
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// Disk or sphere.
    pub fn topology(&self) -> Topology {
        self.topology
    }

    /// The vertices of the border in order, the surface on the left; none of a closed surface.
    pub fn boundary(&self) -> &[usize] {
        &self.boundary
    }

    /// What of its pose cannot be told: an angle before a mirror image.
    pub fn ambiguity(&self) -> Option<Ambiguity> {
        self.ambiguity
    }
}

/// Lengths in nominal millimetres, √area = 180. Organs differ more than faces, by a tenth of their size.
fn elastic_settings() -> ElasticSettings {
    ElasticSettings {
        nodes: 1300,
        kernel: DisplacementKernel {
            lengths: (12.0, 120.0),
            amplitude: 3.5,
            growth: 0.7,
            symmetry: 0.0,
            rank: (90, 90),
            coarse_rank: (30, 30),
        },
        steps: (5, 4),
        sigma: (8.0, 1.5),
        reach: (50.0, 10.0),
        normal_weight: 25.0,
        border: BorderModel { mean: 6.0, ..BorderModel::default() },
        ..ElasticSettings::default()
    }
}

fn kind(report: &TopologyReport) -> Result<Topology, SurfaceTemplateError> {
    let counts = [
        (report.non_manifold_edges.len(), "edges of three or more sides"),
        (report.non_manifold_vertices.len(), "pinched vertices"),
        (report.inconsistently_oriented_edges.len(), "edges whose sides do not fit"),
        (report.unused_vertices.len(), "vertices without triangles"),
        (report.degenerate_triangles.len(), "triangles without area"),
    ];
    let defects: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if !defects.is_empty() {
        return Err(SurfaceTemplateError::Unclean(defects.join(", ")));
    }
    match (report.components.len(), report.genus, report.boundary_loops.len()) {
        (1, Some(0), 0) => Ok(Topology::Sphere),
        (1, Some(0), 1) => Ok(Topology::Disk),
        (components, genus, borders) => Err(SurfaceTemplateError::Topology { genus, borders, components }),
    }
}
