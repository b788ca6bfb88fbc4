//! Display geometry: centred, scaled, thinned where there is too much, points as small discs.

use visard::mesh::{Point, TriMesh, Vector, mesh_from_points};

/// More triangles than this are thinned for display.
pub const MOST_TRIANGLES: usize = 3_000_000;
/// More points of a cloud than this are thinned.
pub const MOST_POINTS: usize = 150_000;

/// Brings a subject to the origin and to half-diagonal one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Middle of the bounding box.
    pub centre: Point,
    /// One over half its diagonal.
    pub scale: f64,
}

impl Frame {
    /// Around points; around the origin where there are none.
    pub fn around(points: &[Point]) -> Self {
        let (mut lo, mut hi) = (Vector::repeat(f64::INFINITY), Vector::repeat(f64::NEG_INFINITY));
        for p in points {
            lo = lo.inf(&p.coords);
            hi = hi.sup(&p.coords);
        }
        if points.is_empty() {
            return Self { centre: Point::origin(), scale: 1.0 };
        }
        // Halved first: coordinates near the largest double must not overflow.
        let half = (hi / 2.0 - lo / 2.0).norm();
        let scale = if half > 0.0 && (1.0 / half).is_finite() { 1.0 / half } else { 1.0 };
        Self { centre: Point::from(lo / 2.0 + hi / 2.0), scale }
    }

    /// A point in display coordinates.
    pub fn place(&self, p: &Point) -> [f32; 3] {
        let v = (p - self.centre) * self.scale;
        [v.x as f32, v.y as f32, v.z as f32]
    }
}

/// Joins vertices that fall into one cell of a grid, coarser and coarser, until at most `most` triangles are left. The second
/// value tells which vertex each new one stands for.
pub fn thinned(mesh: &TriMesh, most: usize) -> (TriMesh, Vec<usize>) {
    joined(mesh, most, (700.0, 0.7), || 0..mesh.vertices().len())
}

/// As [`thinned`], from a grid of so many cells to half the diagonal, each grid by a factor coarser than the last. A cell keeps its first vertex in
/// this order of them all.
pub fn joined<I: Iterator<Item = usize>>(
    mesh: &TriMesh,
    most: usize,
    (mut cells, coarser): (f64, f64),
    order: impl Fn() -> I,
) -> (TriMesh, Vec<usize>) {
    let frame = Frame::around(mesh.vertices());
    let places: Vec<[f32; 3]> = mesh.vertices().iter().map(|p| frame.place(p)).collect();
    loop {
        let mut representative = std::collections::HashMap::new();
        let (mut kept, mut source) = (Vec::new(), Vec::new());
        let mut place = vec![0; places.len()];
        for i in order() {
            let cell = places[i].map(|c| (f64::from(c) * cells).round() as i32);
            place[i] = *representative.entry(cell).or_insert_with(|| {
                kept.push(mesh.vertices()[i]);
                source.push(i);
                kept.len() - 1
            });
        }
        let triangles: Vec<[usize; 3]> = mesh
            .triangles()
            .iter()
            .map(|t| t.map(|i| place[i]))
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .collect();
        if triangles.len() <= most || cells < 2.0 {
            return (TriMesh::new(kept, triangles).unwrap_or_default(), source);
        }
        cells *= coarser;
    }
}

/// Points as small hexagons lying in the surface where one can be found through them, otherwise facing the viewer.
/// Positions, unit normals, triangles.
pub fn discs(points: &[Point]) -> (Vec<Point>, Vec<Vector>, Vec<[u32; 3]>) {
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let points: Vec<Point> = points.iter().step_by(step).copied().collect();
    let surface = mesh_from_points(&points).ok().filter(|m| m.vertices().len() == points.len());
    let frame = Frame::around(&points);
    let (normals, area) = match surface {
        Some(mesh) => (mesh.vertex_normals(), mesh.area()),
        None => (vec![Vector::z(); points.len()], 4.0 / (frame.scale * frame.scale)),
    };
    let radius = (0.58 * (area / points.len().max(1) as f64).sqrt()).min(0.02 / frame.scale);
    let (mut places, mut directions, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for (p, n) in points.iter().zip(&normals) {
        let n = n.try_normalize(0.0).unwrap_or_else(Vector::z);
        let u = n.cross(&if n.x.abs() < 0.9 { Vector::x() } else { Vector::y() }).normalize();
        let v = n.cross(&u);
        let first = places.len() as u32;
        for k in 0..6 {
            let (sin, cos) = (std::f64::consts::FRAC_PI_3 * f64::from(k)).sin_cos();
            places.push(p + (u * cos + v * sin) * radius);
            directions.push(n);
        }
        triangles.extend((1..5).map(|k| [first, first + k, first + k + 1]));
    }
    (places, directions, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_fit_and_survive_extremes() {
        let frame = Frame::around(&[Point::new(-3.0, 1.0, 0.0), Point::new(3.0, 9.0, 0.0)]);
        assert_eq!(frame, Frame { centre: Point::new(0.0, 5.0, 0.0), scale: 0.2 });
        for points in [
            vec![],
            vec![Point::new(1e300, 0.0, 0.0); 3],
            vec![Point::new(1e308, 0., 0.), Point::new(-1e308, 0., 0.)],
        ] {
            let frame = Frame::around(&points);
            assert!(points.iter().all(|p| frame.place(p).iter().all(|c| c.is_finite())), "{points:?}");
        }
    }

    #[test]
    fn thinning_keeps_the_shape_and_halves_the_count() {
        let n = 60;
        let v = (0..n * n).map(|k| Point::new((k % n) as f64, (k / n) as f64, 0.0)).collect();
        let cell = |k: usize| [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]];
        let t = (0..n * (n - 1)).filter(|k| k % n < n - 1).flat_map(cell).collect();
        let mesh = TriMesh::new(v, t).unwrap();
        let (thin, source) = thinned(&mesh, 2000);
        assert!(thin.triangles().len() <= 2000 && thin.triangles().len() > 300, "{}", thin.triangles().len());
        assert!((thin.area() / mesh.area() - 1.0).abs() < 0.1);
        assert_eq!(thin.vertices()[7], mesh.vertices()[source[7]]);
    }

    #[test]
    fn discs_lie_on_the_points() {
        let points: Vec<Point> =
            (0..100).map(|k| Point::new((k % 10) as f64, (k / 10) as f64, 0.1)).collect();
        let (places, normals, triangles) = discs(&points);
        assert_eq!((places.len(), normals.len(), triangles.len()), (600, 600, 400));
        assert!(normals.iter().all(|n| n.z.abs() > 0.99));
        assert!(discs(&[Point::origin()]).0.iter().all(|p| p.coords.iter().all(|c| c.is_finite())));
        assert!(discs(&[]).0.is_empty());
    }
}
