//! Kinds of odd scans, and who sits for them.

use crate::mesh::Point;
use crate::synth::template::{builtin_landmarks, builtin_template};

/// What is odd about a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// Nothing: a cloud of points with fine noise.
    Nothing,
    /// A child of about six: smaller, with more forehead, less jaw and less nose.
    Child,
    /// A mouth open by about 20 mm; the mouth's inside is not seen.
    OpenMouth,
    /// A full beard of some millimetres, uneven.
    Beard,
    /// Frames of glasses before the eyes, with temples; what lies beneath them is not seen.
    Glasses,
    /// Hair on the forehead, in strands.
    Fringe,
    /// Seen from 55 degrees to the side only.
    OneSide,
    /// A phone's scan: 1 mm of noise in each coordinate, on a surface with bumps.
    Coarse,
    /// The same with 2 mm.
    Coarser,
    /// A mesh in three charts that share no vertices, as textured photographs are.
    Seams,
    /// The same, the charts .1 mm apart.
    OpenSeams,
}

impl Oddity {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Nothing,
        Self::Child,
        Self::OpenMouth,
        Self::Beard,
        Self::Glasses,
        Self::Fringe,
        Self::OneSide,
        Self::Coarse,
        Self::Coarser,
        Self::Seams,
        Self::OpenSeams,
    ];

    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing odd",
            Self::Child => "child",
            Self::OpenMouth => "open mouth",
            Self::Beard => "beard",
            Self::Glasses => "glasses",
            Self::Fringe => "hair on the forehead",
            Self::OneSide => "one side",
            Self::Coarse => "1 mm noise and bumps",
            Self::Coarser => "2 mm noise and bumps",
            Self::Seams => "seams",
            Self::OpenSeams => "open seams",
        }
    }

    /// Standard deviation of the noise in each coordinate, in millimetres.
    pub(super) fn noise(self) -> f64 {
        match self {
            Self::Coarse => 1.0,
            Self::Coarser => 2.0,
            // Random points of a mesh are triangulated by the maker; a good scanner's noise.
            _ => 0.15,
        }
    }
}

/// A whole face: millimetres, x to the person's left, y up, z forward.
#[derive(Debug, Clone, Copy)]
pub struct Sitter<'a> {
    /// The points that are looked for.
    pub vertices: &'a [Point],
    /// Triangles of the skin, counted from 0.
    pub triangles: &'a [[usize; 3]],
    /// Where its features are.
    pub marks: FaceMarks,
}

/// Vertices at features of a face.
#[derive(Debug, Clone, Copy)]
pub struct FaceMarks {
    /// Tip of the nose.
    pub nose_tip: usize,
    /// Middles of the right and the left eye.
    pub eyes: [usize; 2],
    /// Corners of the mouth, right and left.
    pub mouth: [usize; 2],
}

impl FaceMarks {
    /// Those of [`builtin_template`].
    pub fn builtin() -> Self {
        let (l, mesh) = (builtin_landmarks(), builtin_template());
        let eye = |inner: usize, outer: usize| {
            let middle = nalgebra::center(&mesh.vertices()[inner], &mesh.vertices()[outer]);
            mesh.nearest_vertex(&middle).unwrap_or(inner)
        };
        let eyes = [eye(l.right_eye_inner, l.right_eye_outer), eye(l.left_eye_inner, l.left_eye_outer)];
        Self { nose_tip: l.nose_tip, eyes, mouth: [l.right_mouth_corner, l.left_mouth_corner] }
    }
}

/// What a scan shows of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// Its skin.
    Skin,
    /// What covers it: hair, glasses.
    Covered,
    /// Nothing.
    Unseen,
}
