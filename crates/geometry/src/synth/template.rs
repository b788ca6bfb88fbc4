//! The public template: a mesh of the mean face, and the places anatomists name on it.

use super::face::FaceSurface;
use super::implicit::smooth_step;
use super::triangulate::{HalfMesh, Target};
use crate::mesh::{Point, TriMesh};
use std::sync::OnceLock;

/// Vertices of the template (0-based) at places with a name. Left and right are the subject's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateLandmarks {
    /// Most protruding point of the nose (pronasale).
    pub nose_tip: usize,
    /// Deepest point of the root of the nose (sellion).
    pub nose_root: usize,
    /// Between the brows (glabella).
    pub glabella: usize,
    /// Top of the forehead, in the middle.
    pub forehead: usize,
    /// Inner corner of the right eye (endocanthion).
    pub right_eye_inner: usize,
    /// Outer corner of the right eye (exocanthion).
    pub right_eye_outer: usize,
    /// Inner corner of the left eye.
    pub left_eye_inner: usize,
    /// Outer corner of the left eye.
    pub left_eye_outer: usize,
    /// Outermost point of the right wing of the nose (alare).
    pub right_nose_wing: usize,
    /// Outermost point of the left wing of the nose.
    pub left_nose_wing: usize,
    /// Where the nose meets the upper lip (subnasale).
    pub nose_base: usize,
    /// Middle of the line between the lips (stomion).
    pub mouth_middle: usize,
    /// Right corner of the mouth (cheilion).
    pub right_mouth_corner: usize,
    /// Left corner of the mouth.
    pub left_mouth_corner: usize,
    /// Most prominent point of the chin (pogonion).
    pub chin: usize,
}

impl TemplateLandmarks {
    /// Names and vertices, in the order of `assets/template_landmarks.csv`.
    pub fn named(&self) -> [(&'static str, usize); 15] {
        [
            ("nose_tip", self.nose_tip),
            ("nose_root", self.nose_root),
            ("glabella", self.glabella),
            ("forehead", self.forehead),
            ("right_eye_inner", self.right_eye_inner),
            ("right_eye_outer", self.right_eye_outer),
            ("left_eye_inner", self.left_eye_inner),
            ("left_eye_outer", self.left_eye_outer),
            ("right_nose_wing", self.right_nose_wing),
            ("left_nose_wing", self.left_nose_wing),
            ("nose_base", self.nose_base),
            ("mouth_middle", self.mouth_middle),
            ("right_mouth_corner", self.right_mouth_corner),
            ("left_mouth_corner", self.left_mouth_corner),
            ("chin", self.chin),
        ]
    }

    /// The table of `assets/template_landmarks.csv`: number, name, position and vertex.
    pub fn to_csv(&self, mesh: &TriMesh) -> String {
        let mut table = String::from("landmark,name,x,y,z,vertex\n");
        for (i, (name, vertex)) in self.named().into_iter().enumerate() {
            let p = mesh.vertices()[vertex];
            table += &format!("{i},{name},{:.3},{:.3},{:.3},{vertex}\n", p.x, p.y, p.z);
        }
        table
    }

    /// The vertices nearest to where the sculpture has these features.
    fn locate(mesh: &TriMesh) -> Self {
        let near = |x: f64, y: f64, z: f64| mesh.nearest_vertex(&Point::new(x, y, z)).unwrap_or(0);
        Self {
            nose_tip: near(0.0, -0.5, 0.5),
            nose_root: near(0.0, 38.0, -23.0),
            glabella: near(0.0, 53.0, -21.0),
            forehead: near(0.0, 88.0, -30.0),
            right_eye_inner: near(-17.2, 30.5, -39.0),
            right_eye_outer: near(-45.0, 32.7, -46.0),
            left_eye_inner: near(17.2, 30.5, -39.0),
            left_eye_outer: near(45.0, 32.7, -46.0),
            right_nose_wing: near(-17.0, -6.0, -18.0),
            left_nose_wing: near(17.0, -6.0, -18.0),
            nose_base: near(0.0, -13.5, -17.0),
            mouth_middle: near(0.0, -35.5, -18.0),
            right_mouth_corner: near(-26.0, -36.5, -30.0),
            left_mouth_corner: near(26.0, -36.5, -30.0),
            chin: near(0.0, -67.0, -19.0),
        }
    }
}

/// A mesh of the mean face with its landmarks.
#[derive(Debug, Clone, PartialEq)]
pub struct SculptedTemplate {
    /// A topological disk, symmetric in x; millimetres; coordinates are exact in single precision.
    pub mesh: TriMesh,
    /// Named vertices.
    pub landmarks: TemplateLandmarks,
}

/// Makes the template from the sculpted face: the same vertices, bit for bit, on every machine. Takes seconds;
/// [`builtin_template`] is the same mesh out of the box.
pub fn sculpt_template() -> SculptedTemplate {
    let face = FaceSurface::new();
    let lines = face.feature_lines();
    let half =
        HalfMesh::new(&Target { surface: &|u| face.point(u), edge_length: &edge_length, lines: &lines });
    let mesh = mirrored(&half);
    let landmarks = TemplateLandmarks::locate(&mesh);
    SculptedTemplate { mesh, landmarks }
}

/// Wanted edge length in millimetres: fine at eyes, nose and mouth, coarse on forehead and cheeks.
fn edge_length(p: &Point) -> f64 {
    let x = p.x.abs();
    let near = |cx: f64, cy: f64, rx: f64, ry: f64| {
        let (s, t) = ((x - cx) / rx, (p.y - cy) / ry);
        let d = (s * s + t * t).sqrt();
        1.0 - smooth_step(0.75, 1.9, d)
    };
    let eye = near(31.0, 33.0, 19.0, 12.0);
    let mouth = near(0.0, -36.0, 31.0, 13.0);
    let nose = near(0.0, -4.0, 21.0, 16.0).max(0.6 * near(0.0, 20.0, 14.0, 24.0));
    let nostril = near(6.0, -10.0, 7.0, 5.0);
    let wanted = |fine: f64, here: f64| 3.6 * libm::pow(fine / 3.6, here);
    [wanted(1.05, eye), wanted(1.2, mouth), wanted(1.2, nose), wanted(0.95, nostril)]
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

/// Both halves, joined along the midline; rounded to single precision, as they are stored.
fn mirrored(half: &HalfMesh) -> TriMesh {
    let n = half.points.len();
    let mut vertices: Vec<Point> = half.points.clone();
    let mut twin = Vec::with_capacity(n);
    for (v, p) in half.points.iter().enumerate() {
        if half.on_midline(v) {
            vertices[v].x = 0.0;
            twin.push(v);
        } else {
            twin.push(vertices.len());
            vertices.push(Point::new(-p.x, p.y, p.z));
        }
    }
    let other = half.triangles.iter().map(|&[a, b, c]| [twin[a], twin[c], twin[b]]);
    let triangles = half.triangles.iter().copied().chain(other).collect();
    let rounded = vertices.iter().map(|p| p.map(|c| f64::from(c as f32))).collect();
    TriMesh::new(rounded, triangles).unwrap_or_default()
}

/// The built-in public template face (`assets/template_face.ply`): what [`sculpt_template`] makes.
///
/// A topological disk of about nine thousand vertices in millimetres; x to the subject's left, y up, z to the
/// front, the tip of the nose near the origin. It shows nobody: it is sculpted from published average
/// proportions, so it may serve as a public input of a private release.
pub fn builtin_template() -> &'static TriMesh {
    static MESH: OnceLock<TriMesh> = OnceLock::new();
    MESH.get_or_init(|| parse_own_ply(include_bytes!("../../../../assets/template_face.ply")))
}

/// The named vertices of [`builtin_template`].
pub fn builtin_landmarks() -> &'static TemplateLandmarks {
    static LANDMARKS: OnceLock<TemplateLandmarks> = OnceLock::new();
    LANDMARKS.get_or_init(|| TemplateLandmarks::locate(builtin_template()))
}

/// The file form of a template: binary little-endian PLY, float coordinates, triangles.
pub fn template_to_ply(mesh: &TriMesh) -> Vec<u8> {
    let (vertices, triangles) = (mesh.vertices(), mesh.triangles());
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\ncomment visard template face\nelement vertex {}\nproperty float x\n\
         property float y\nproperty float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        vertices.len(),
        triangles.len()
    )
    .into_bytes();
    for p in vertices {
        p.iter().for_each(|&c| bytes.extend((c as f32).to_le_bytes()));
    }
    for t in triangles {
        bytes.push(3);
        t.iter().for_each(|&i| bytes.extend((i as i32).to_le_bytes()));
    }
    bytes
}

/// Reads what [`template_to_ply`] wrote (our own asset, checked by a test; not for foreign files).
fn parse_own_ply(bytes: &[u8]) -> TriMesh {
    let marker = b"end_header\n";
    let body =
        bytes.windows(marker.len()).position(|w| w == marker).map_or(bytes.len(), |i| i + marker.len());
    let header = String::from_utf8_lossy(&bytes[..body]);
    let count = |key: &str| {
        header
            .lines()
            .find_map(|l| l.strip_prefix(key))
            .and_then(|n| n.trim().parse::<usize>().ok())
            .unwrap_or(0)
    };
    let (vertices, faces) = bytes[body..].split_at(12 * count("element vertex"));
    let word = |w: &[u8]| [w[0], w[1], w[2], w[3]];
    let vertices = vertices
        .chunks_exact(12)
        .map(|v| Point::from([0, 4, 8].map(|k| f64::from(f32::from_le_bytes(word(&v[k..]))))))
        .collect();
    let triangles =
        faces.chunks_exact(13).map(|f| [1, 5, 9].map(|k| i32::from_le_bytes(word(&f[k..])) as usize));
    TriMesh::new(vertices, triangles.collect()).unwrap_or_default()
}
