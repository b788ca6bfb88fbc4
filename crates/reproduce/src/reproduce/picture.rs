//! Drawings over rendered surfaces: curves, points and edges, those hidden by the surface left out.

use crate::conformal::Complex;
use crate::mesh::{Point, TriMesh, Vector};
use crate::report::canvas::Rgb;
use crate::report::render::{Image, View};
use nalgebra::Rotation3;

pub(super) const WHITE: Rgb = [255, 255, 255];
pub(super) const INK: Rgb = [38, 44, 60];
pub(super) const BLUE: Rgb = [0, 92, 175];
pub(super) const RED: Rgb = [200, 40, 20];

/// The projection of [`crate::report::render::render`] for one mesh and view, with the depth of what is seen.
pub(super) struct Camera {
    turn: Rotation3<f64>,
    centre: Point,
    scale: f64,
    size: usize,
    depth: Vec<f64>,
}

impl Camera {
    /// As the mesh is rendered.
    pub(super) fn new(mesh: &TriMesh, view: View) -> Self {
        let turn = Rotation3::from_axis_angle(&Vector::x_axis(), view.pitch.to_radians())
            * Rotation3::from_axis_angle(&Vector::y_axis(), view.yaw.to_radians());
        let (mut low, mut high) = (Vector::repeat(f64::INFINITY), Vector::repeat(f64::NEG_INFINITY));
        for p in mesh.vertices() {
            (low, high) = (low.inf(&p.coords), high.sup(&p.coords));
        }
        let centre = Point::from((low + high) / 2.0);
        let extent = mesh.vertices().iter().map(|p| (p - centre).norm()).fold(1e-300, f64::max);
        let depth = vec![f64::NEG_INFINITY; view.size * view.size];
        let scale = 0.48 * view.size as f64 / extent;
        let mut camera = Self { turn, centre, scale, size: view.size, depth };
        camera.fill(mesh);
        camera
    }

    /// Pixels to the right, pixels down, and pixels towards the viewer.
    fn place(&self, p: &Point) -> [f64; 3] {
        let v = self.turn * (p - self.centre) * self.scale;
        let half = self.size as f64 / 2.0;
        [half + v.x, half - v.y, v.z]
    }

    fn fill(&mut self, mesh: &TriMesh) {
        let places: Vec<[f64; 3]> = mesh.vertices().iter().map(|p| self.place(p)).collect();
        let end = self.size as f64 - 1.0;
        for t in mesh.triangles() {
            let [a, b, c] = t.map(|i| places[i]);
            let cross = |u: [f64; 3], v: [f64; 3], p: [f64; 2]| {
                (v[0] - u[0]) * (p[1] - u[1]) - (v[1] - u[1]) * (p[0] - u[0])
            };
            let area = cross(a, b, [c[0], c[1]]);
            if area.abs() < 1e-12 {
                continue;
            }
            let span = |k: usize| {
                let low = a[k].min(b[k]).min(c[k]).floor().clamp(0.0, end) as usize;
                low..=a[k].max(b[k]).max(c[k]).ceil().clamp(0.0, end) as usize
            };
            for y in span(1) {
                for x in span(0) {
                    let p = [x as f64 + 0.5, y as f64 + 0.5];
                    let w = [cross(b, c, p) / area, cross(c, a, p) / area, cross(a, b, p) / area];
                    if w.iter().all(|w| *w >= -0.02) {
                        let at = &mut self.depth[y * self.size + x];
                        *at = at.max(w[0] * a[2] + w[1] * b[2] + w[2] * c[2]);
                    }
                }
            }
        }
    }

    /// Whether a place is not hidden by more than a few pixels of surface.
    fn shows(&self, p: [f64; 3]) -> bool {
        let inside = |c: f64| (0.0..self.size as f64).contains(&c);
        let slack = 0.012 * self.size as f64;
        inside(p[0]) && inside(p[1]) && p[2] >= self.depth[p[1] as usize * self.size + p[0] as usize] - slack
    }

    /// Draws curves in space; `closed` joins the last point to the first.
    pub(super) fn curves(
        &self,
        image: &mut Image,
        curves: &[Vec<Point>],
        closed: bool,
        width: f64,
        ink: Rgb,
    ) {
        for curve in curves {
            let placed: Vec<[f64; 3]> = curve.iter().map(|p| self.place(p)).collect();
            let last = if closed { placed.len() } else { placed.len().saturating_sub(1) };
            for i in 0..last {
                let (a, b) = (placed[i], placed[(i + 1) % placed.len()]);
                if self.shows(a) && self.shows(b) {
                    image.line([a[0], a[1]], [b[0], b[1]], width, ink);
                }
            }
        }
    }

    /// Draws points as dots.
    pub(super) fn dots(&self, image: &mut Image, points: &[Point], width: f64, ink: Rgb) {
        for p in points.iter().map(|p| self.place(p)).filter(|p| self.shows(*p)) {
            image.line([p[0], p[1]], [p[0], p[1]], width, ink);
        }
    }

    /// Draws the edges of a mesh.
    pub(super) fn edges(&self, image: &mut Image, mesh: &TriMesh, width: f64, ink: Rgb) {
        let v = mesh.vertices();
        let edges: Vec<Vec<Point>> = edges(mesh).into_iter().map(|[a, b]| vec![v[a], v[b]]).collect();
        self.curves(image, &edges, false, width, ink);
    }

    /// An empty picture of the camera's size.
    pub(super) fn paper(&self) -> Image {
        Image::filled(self.size, self.size, WHITE)
    }
}

/// Every edge once.
fn edges(mesh: &TriMesh) -> Vec<[usize; 2]> {
    let mut all: Vec<[usize; 2]> = mesh
        .triangles()
        .iter()
        .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(|[a, b]| [a.min(b), a.max(b)]))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A disk map as its edges in the unit disk.
pub(super) fn disk_picture(mesh: &TriMesh, z: &[Complex], size: usize) -> Image {
    let mut image = Image::filled(size, size, WHITE);
    let half = 0.5 * size as f64;
    let place = |i: usize| [half + 0.97 * half * z[i].re, half - 0.97 * half * z[i].im];
    for [a, b] in edges(mesh) {
        image.line(place(a), place(b), 0.35, INK);
    }
    image
}
