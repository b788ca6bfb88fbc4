//! What is shown: its geometry, whether it may be published, and what is known of it.

use crate::band::Band;
use crate::error::ArrayError;
use crate::groups::Start;
use crate::growth::Growth;
use crate::modes::Modes;
use std::path::PathBuf;
use std::sync::OnceLock;
use visard::mesh::{Point, TriMesh};
use visard::report::visibility::sky_visibility;
use visard::study::face::registrations::ToFront;
use visard::study::standing::Standing;

/// The geometry.
#[derive(Debug, Clone)]
pub enum Shape {
    /// Triangles.
    Surface(TriMesh),
    /// Bare points.
    Cloud(Vec<Point>),
    /// Closed curves in space.
    Curves(Vec<Vec<Point>>),
    /// Landmarks of the plane, the first record's drawn strongest.
    Landmarks {
        /// Those of each record.
        records: Vec<Vec<[f64; 2]>>,
        /// How many closed outlines they go around, one after the other and as many on each; 0 without an order.
        outlines: usize,
    },
}

impl Shape {
    /// What an array holds, by its shape.
    ///
    /// # Errors
    /// [`ArrayError`]: nothing that is shown.
    pub fn from_array(shape: &[usize], data: &[f64]) -> Result<Self, ArrayError> {
        if data.is_empty() {
            return Err(ArrayError::Empty);
        }
        if !data.iter().all(|x| x.is_finite()) {
            return Err(ArrayError::NotFinite);
        }
        let points = |values: &[f64]| -> Vec<Point> {
            values.chunks_exact(3).map(|c| Point::new(c[0], c[1], c[2])).collect()
        };
        let plane =
            |values: &[f64]| -> Vec<[f64; 2]> { values.chunks_exact(2).map(|c| [c[0], c[1]]).collect() };
        match shape {
            [_, 3] => Ok(Self::Cloud(points(data))),
            [_, m, 3] => Ok(Self::Curves(data.chunks(3 * m).map(points).collect())),
            [_, 2] => Ok(Self::outline(vec![plane(data)])),
            [_, k, 2] => Ok(Self::outline(data.chunks(2 * k).map(plane).collect())),
            _ => Err(ArrayError::Shape(shape.to_owned())),
        }
    }

    /// Landmarks of the plane of which nobody says otherwise: each record's go around one outline.
    pub fn outline(records: Vec<Vec<[f64; 2]>>) -> Self {
        Self::Landmarks { records, outlines: 1 }
    }

    /// All points; those of the plane lie at z = 0.
    pub fn points(&self) -> Vec<Point> {
        match self {
            Self::Surface(mesh) => mesh.vertices().to_vec(),
            Self::Cloud(points) => points.clone(),
            Self::Curves(curves) => curves.concat(),
            Self::Landmarks { records, .. } => {
                records.iter().flatten().map(|p| Point::new(p[0], p[1], 0.0)).collect()
            }
        }
    }

    /// What it is, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Surface(m) => format!("{} vertices, {} triangles", m.vertices().len(), m.triangles().len()),
            Self::Cloud(p) => format!("{} points", p.len()),
            Self::Curves(c) => format!("{} curves", c.len()),
            Self::Landmarks { records, outlines } => match (&records[..], outlines) {
                ([one], 0) => format!("{} landmarks", one.len()),
                ([one], 1) => format!("an outline of {} landmarks", one.len()),
                ([one], k) => format!("{k} outlines of {} landmarks each", one.len() / k),
                (all, 0) => format!("landmarks of {} records", all.len()),
                (all, k) => format!("{} outlines", k * all.len()),
            },
        }
    }
}

/// More triangles than this have no soft light.
const MOST_SHADED: usize = 500_000;
/// From so many directions light comes.
const DIRECTIONS: usize = 60;

/// What is shown.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Its name, for titles.
    pub name: String,
    /// The file it came from.
    pub path: PathBuf,
    /// Whether it may be published.
    pub standing: Standing,
    /// The geometry.
    pub shape: Shape,
    /// Root-mean-square error at each vertex, where the release has it.
    pub errors: Option<Vec<f64>>,
    /// The curves of the same release, to draw over its surface.
    pub curves: Vec<Vec<Point>>,
    /// A number at every vertex, from a file or a measurement.
    pub values: Option<Values>,
    /// How a raw scan was turned to the viewer.
    pub posed: Option<ToFront>,
    /// What its release says of how faces differ.
    pub modes: Modes,
    /// The band of its release.
    pub band: Option<Band>,
    /// What its release says of faces at other values of the covariates.
    pub growth: Option<Growth>,
    /// Where a morph begins; the fitted template without.
    pub start: Option<Start>,
    /// What is wrong with it or with what lies beside it, in sentences.
    pub notices: Vec<String>,
    /// The soft light in its hollows, once it has been worked out.
    pub(crate) light: OnceLock<Vec<f32>>,
}

impl Subject {
    /// A shape of which nothing else is known.
    pub fn new(name: impl Into<String>, path: impl Into<PathBuf>, standing: Standing, shape: Shape) -> Self {
        Self {
            name: name.into(),
            path: path.into(),
            standing,
            shape,
            errors: None,
            curves: Vec::new(),
            values: None,
            posed: None,
            modes: Modes::default(),
            band: None,
            growth: None,
            start: None,
            notices: Vec::new(),
            light: OnceLock::new(),
        }
    }

    /// Works out what is worked out once.
    pub fn prepare(&self) {
        if let Shape::Surface(mesh) = &self.shape
            && mesh.triangles().len() <= MOST_SHADED
        {
            self.light.get_or_init(|| sky_visibility(mesh, DIRECTIONS));
        }
    }

    /// The soft light in the hollows of its surface. It is worked out once, and stays what it is while the surface is bent, so that a slider
    /// is followed at once.
    pub fn light(&self, mesh: &TriMesh) -> Vec<f32> {
        // Millions of triangles shade themselves finely enough.
        if mesh.triangles().len() > MOST_SHADED {
            return vec![1.0; mesh.vertices().len()];
        }
        let known = self.light.get_or_init(|| sky_visibility(mesh, DIRECTIONS));
        if known.len() == mesh.vertices().len() { known.clone() } else { sky_visibility(mesh, DIRECTIONS) }
    }
}

/// A number at every vertex.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// What it is.
    pub name: String,
    /// Its unit; empty for pure numbers.
    pub unit: String,
    /// One a vertex; NaN where there is none.
    pub values: Vec<f64>,
}
