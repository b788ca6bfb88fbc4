//! Point location in a flattened mesh.

use nalgebra::Complex;

/// Why a flattened mesh cannot be searched.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// No triangle to search.
    #[error("the flattened mesh has no triangles; flatten a mesh first")]
    Empty,
    /// A flattened place is NaN or infinite.
    #[error("flattened vertex {vertex} is not a finite number; flatten the mesh again")]
    NotFinite {
        /// 0-based vertex number.
        vertex: usize,
    },
    /// A triangle names a vertex without a flattened place.
    #[error("triangle {triangle} names vertex {vertex}, but only {n_points} vertices were flattened")]
    IndexOutOfRange {
        /// 0-based triangle number.
        triangle: usize,
        /// The index it names.
        vertex: usize,
        /// How many places there are.
        n_points: usize,
    },
}

/// Where a query lies in a flattened mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Located {
    /// 0-based triangle number.
    pub triangle: usize,
    /// Barycentric weights of its corners; they sum to 1 and none is negative (beyond rounding).
    pub weights: [f64; 3],
    /// False when the query lay outside and the nearest boundary place was taken.
    pub inside: bool,
}

/// A planar triangulation prepared for point location: a uniform grid of triangle lists.
///
/// A query costs a handful of orientation tests; a query outside costs one pass over the border.
#[derive(Debug, Clone)]
pub struct PlanarLocator {
    points: Vec<Complex<f64>>,
    triangles: Vec<[usize; 3]>,
    /// Border edges as (triangle, corner): the edge from that corner to the next.
    border: Vec<(usize, usize)>,
    low: Complex<f64>,
    cell: f64,
    columns: usize,
    rows: usize,
    /// Triangles of cell c: `listed[starts[c]..starts[c + 1]]`.
    starts: Vec<usize>,
    listed: Vec<usize>,
}

/// Queries this far outside a triangle, in barycentric weight, still count as on its edge (rounding).
const EDGE_SLACK: f64 = 1e-12;

impl PlanarLocator {
    /// Prepares the triangulation (places in the plane, 0-based triangles).
    ///
    /// # Errors
    /// [`LocateError`], naming the first offender.
    pub fn new(points: &[Complex<f64>], triangles: &[[usize; 3]]) -> Result<Self, LocateError> {
        if triangles.is_empty() {
            return Err(LocateError::Empty);
        }
        if let Some(vertex) = points.iter().position(|p| !(p.re.is_finite() && p.im.is_finite())) {
            return Err(LocateError::NotFinite { vertex });
        }
        for (triangle, t) in triangles.iter().enumerate() {
            if let Some(&vertex) = t.iter().find(|&&i| i >= points.len()) {
                return Err(LocateError::IndexOutOfRange { triangle, vertex, n_points: points.len() });
            }
        }
        let mut out = Self {
            points: points.to_vec(),
            triangles: triangles.to_vec(),
            border: border_edges(triangles),
            low: Complex::new(f64::INFINITY, f64::INFINITY),
            cell: 1.0,
            columns: 1,
            rows: 1,
            starts: Vec::new(),
            listed: Vec::new(),
        };
        out.lay_grid();
        Ok(out)
    }

    /// The flattened places.
    pub fn points(&self) -> &[Complex<f64>] {
        &self.points
    }

    /// The triangles as 0-based vertex indices.
    pub fn triangles(&self) -> &[[usize; 3]] {
        &self.triangles
    }

    /// The triangle over `p`, or, outside, the nearest place of the border.
    pub fn locate(&self, p: Complex<f64>) -> Located {
        let listed = self.cell_of(p).map_or(&[][..], |c| &self.listed[self.starts[c]..self.starts[c + 1]]);
        let found = listed.iter().find_map(|&triangle| {
            let weights = self.weights(triangle, p)?;
            weights.iter().all(|&w| w >= -EDGE_SLACK).then_some(Located { triangle, weights, inside: true })
        });
        found.unwrap_or_else(|| self.nearest_on_border(p))
    }

    /// The value at `p` of the piecewise linear function with these values at the vertices.
    pub fn interpolate<T>(&self, values: &[T], p: Complex<f64>) -> T
    where
        T: Copy + std::ops::Mul<f64, Output = T> + std::ops::Add<Output = T>,
    {
        let at = self.locate(p);
        let [a, b, c] = self.triangles[at.triangle];
        values[a] * at.weights[0] + values[b] * at.weights[1] + values[c] * at.weights[2]
    }

    fn weights(&self, triangle: usize, p: Complex<f64>) -> Option<[f64; 3]> {
        let [a, b, c] = self.triangles[triangle].map(|i| self.points[i]);
        let area = cross(b - a, c - a);
        if area == 0.0 {
            return None;
        }
        let (u, v) = (cross(p - a, c - a) / area, cross(b - a, p - a) / area);
        Some([1.0 - u - v, u, v])
    }

    fn cell_of(&self, p: Complex<f64>) -> Option<usize> {
        let (x, y) = ((p.re - self.low.re) / self.cell, (p.im - self.low.im) / self.cell);
        let within = x >= 0.0 && y >= 0.0 && x < self.columns as f64 && y < self.rows as f64;
        within.then(|| y as usize * self.columns + x as usize)
    }

    fn nearest_on_border(&self, p: Complex<f64>) -> Located {
        let mut best = (f64::INFINITY, Located { triangle: 0, weights: [1.0, 0.0, 0.0], inside: false });
        for &(triangle, corner) in &self.border {
            let t = self.triangles[triangle];
            let (a, b) = (self.points[t[corner]], self.points[t[(corner + 1) % 3]]);
            let along = b - a;
            let length2 = along.norm_sqr();
            let s = if length2 > 0.0 { (((p - a) * along.conj()).re / length2).clamp(0.0, 1.0) } else { 0.0 };
            let distance2 = (p - a - along * s).norm_sqr();
            if distance2 < best.0 {
                let mut weights = [0.0; 3];
                weights[corner] = 1.0 - s;
                weights[(corner + 1) % 3] = s;
                best = (distance2, Located { triangle, weights, inside: false });
            }
        }
        best.1
    }

    fn lay_grid(&mut self) {
        let mut high = -self.low;
        for p in self.triangles.iter().flatten().map(|&i| self.points[i]) {
            self.low = Complex::new(self.low.re.min(p.re), self.low.im.min(p.im));
            high = Complex::new(high.re.max(p.re), high.im.max(p.im));
        }
        let size = high - self.low;
        // About two cells a triangle; the small margin keeps the highest vertices inside the grid.
        let area = (size.re * size.im).max(f64::MIN_POSITIVE);
        self.cell = (area / (2.0 * self.triangles.len() as f64)).sqrt().max(f64::MIN_POSITIVE);
        self.columns = ((size.re / self.cell) as usize + 1).min(4096);
        self.rows = ((size.im / self.cell) as usize + 1).min(4096);
        self.cell = (size.re / self.columns as f64).max(size.im / self.rows as f64).max(f64::MIN_POSITIVE)
            * (1.0 + 1e-9);

        let spans: Vec<[usize; 4]> = self.triangles.iter().map(|t| self.cells_under(t)).collect();
        let mut counts = vec![0usize; self.columns * self.rows + 1];
        let each_cell =
            |&[x0, x1, y0, y1]: &[usize; 4]| (y0..=y1).flat_map(move |y| (x0..=x1).map(move |x| (x, y)));
        for span in &spans {
            each_cell(span).for_each(|(x, y)| counts[y * self.columns + x + 1] += 1);
        }
        for i in 1..counts.len() {
            counts[i] += counts[i - 1];
        }
        self.starts = counts.clone();
        self.listed = vec![0; counts[counts.len() - 1]];
        for (triangle, span) in spans.iter().enumerate() {
            for (x, y) in each_cell(span) {
                let slot = &mut counts[y * self.columns + x];
                self.listed[*slot] = triangle;
                *slot += 1;
            }
        }
    }

    fn cells_under(&self, triangle: &[usize; 3]) -> [usize; 4] {
        let corners = triangle.map(|i| self.points[i] - self.low);
        let range = |part: fn(&Complex<f64>) -> f64, n: usize| {
            let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
            corners.iter().map(part).for_each(|c| (low, high) = (low.min(c), high.max(c)));
            [(low / self.cell) as usize, (high / self.cell) as usize].map(|i| i.min(n - 1))
        };
        let ([x0, x1], [y0, y1]) = (range(|c| c.re, self.columns), range(|c| c.im, self.rows));
        [x0, x1, y0, y1]
    }
}

/// z-component of the cross product of two plane vectors.
pub(crate) fn cross(a: Complex<f64>, b: Complex<f64>) -> f64 {
    a.re * b.im - a.im * b.re
}

fn border_edges(triangles: &[[usize; 3]]) -> Vec<(usize, usize)> {
    let mut sides: Vec<(usize, usize, usize, usize)> = Vec::with_capacity(3 * triangles.len());
    for (triangle, t) in triangles.iter().enumerate() {
        for corner in 0..3 {
            let (a, b) = (t[corner], t[(corner + 1) % 3]);
            sides.push((a.min(b), a.max(b), triangle, corner));
        }
    }
    sides.sort_unstable();
    let mut out: Vec<(usize, usize)> = sides
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter(|same| same.len() == 1)
        .map(|same| (same[0].2, same[0].3))
        .collect();
    out.sort_unstable();
    out
}

#[cfg(test)]
mod tests {
    use super::super::polar::PolarGrid;
    use super::*;
    use proptest::prelude::*;

    fn disk() -> PlanarLocator {
        let grid = PolarGrid::new(12, 40).unwrap();
        PlanarLocator::new(&grid.nodes(), &grid.triangles()).unwrap()
    }

    fn place(l: &PlanarLocator, at: &Located) -> Complex<f64> {
        let t = l.triangles()[at.triangle];
        (0..3).map(|k| l.points()[t[k]] * at.weights[k]).sum()
    }

    proptest! {
        #[test]
        fn a_query_inside_is_found_where_it_is(r in 0.0..0.995f64, angle in 0.0..std::f64::consts::TAU) {
            let l = disk();
            let p = Complex::from_polar(r, angle);
            let at = l.locate(p);
            prop_assert!(at.inside);
            prop_assert!((place(&l, &at) - p).norm() < 1e-13);
            prop_assert!((at.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }

        #[test]
        fn a_query_outside_goes_to_the_nearest_border_place(r in 1.001..50.0f64, angle in 0.0..std::f64::consts::TAU) {
            let l = disk();
            let p = Complex::from_polar(r, angle);
            let at = l.locate(p);
            prop_assert!(!at.inside);
            // The 40-gon lies between the circles of radius cos(π/40) and 1; so does the nearest place.
            let q = place(&l, &at);
            prop_assert!(q.norm() <= 1.0 + 1e-12 && q.norm() >= (std::f64::consts::PI / 40.0).cos() - 1e-12);
            let brute = (0..40_000).map(|i| {
                let s = i as f64 / 1000.0;
                let ray = |k: f64| Complex::from_polar(1.0, std::f64::consts::TAU * k / 40.0);
                (p - (ray(s.floor()) * (1.0 - s.fract()) + ray(s.floor() + 1.0) * s.fract())).norm()
            }).fold(f64::INFINITY, f64::min);
            prop_assert!((p - q).norm() <= brute + 1e-12 && (p - q).norm() >= brute - 1e-3);
        }
    }

    #[test]
    fn vertices_and_far_corners_are_found() {
        let l = disk();
        for p in l.points() {
            assert!((place(&l, &l.locate(*p)) - p).norm() < 1e-13);
        }
    }

    #[test]
    fn malformed_input_is_named() {
        let z = vec![Complex::new(0.0, 0.0), Complex::new(1.0, 0.0), Complex::new(f64::NAN, 1.0)];
        assert_eq!(PlanarLocator::new(&z, &[]).unwrap_err(), LocateError::Empty);
        assert_eq!(PlanarLocator::new(&z, &[[0, 1, 2]]).unwrap_err(), LocateError::NotFinite { vertex: 2 });
        let e = PlanarLocator::new(&z[..2], &[[0, 1, 2]]).unwrap_err();
        assert_eq!(e, LocateError::IndexOutOfRange { triangle: 0, vertex: 2, n_points: 2 });
        // A collapsed triangulation is searched without a panic.
        let flat = PlanarLocator::new(&[Complex::new(1.0, 1.0); 3], &[[0, 1, 2]]).unwrap();
        assert!(!flat.locate(Complex::new(1.0, 1.0)).inside);
    }
}
