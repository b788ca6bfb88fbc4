//! Where the lips of a closed mouth meet.

use super::trimesh::Point;

/// The line along which the lips meet: a parabola through the corners of the mouth and the crease between the lips. x to the person's left, y up, z
/// forward, millimetres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LipLine {
    /// x of the middle between the corners.
    pub middle: f64,
    /// Between the corners.
    pub width: f64,
    corner: f64,
    crease: f64,
}

/// Where the crease is looked for: columns, as parts of half the width beside the middle.
const COLUMNS: [f64; 9] = [-0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4];
/// The rows are so far apart, and the crease is one of so many on either side of the height of the corners: 4.5 mm.
const STEP: f64 = 0.25;
const NEAR: usize = 18;
/// So many rows on either side are looked at, for the crests of the lips: 7.5 mm.
const ROWS: usize = 30;

impl LipLine {
    /// Of a face with these corners of the mouth.
    ///
    /// The crease is the groove that lies deepest beneath what is in front of it above and below, seen from the front: points farther back may be those
    /// of lips that go on into the mouth.
    pub fn of(vertices: &[Point], triangles: &[[usize; 3]], corners: [usize; 2]) -> Self {
        let [a, b] = corners.map(|i| vertices[i]);
        let corner = nalgebra::center(&a, &b);
        let width = (a - b).norm();
        let rows = front(vertices, triangles, |u| corner.x + 0.5 * u * width, corner.y);
        let mut heights: Vec<f64> = COLUMNS
            .iter()
            .zip(&rows)
            .filter_map(|(u, column)| Some(height_of(groove(column)?) / (1.0 - u * u)))
            .collect();
        heights.sort_by(f64::total_cmp);
        let crease = heights.get(heights.len() / 2).copied().unwrap_or(0.0);
        Self { middle: corner.x, width, corner: corner.y, crease: corner.y + crease }
    }

    /// Its height at an x.
    pub fn height(&self, x: f64) -> f64 {
        let across = (2.0 * (x - self.middle) / self.width).abs().min(1.0);
        self.corner + (self.crease - self.corner) * (1.0 - across * across)
    }
}

/// Of a row: above the corners.
fn height_of(row: usize) -> f64 {
    (row as f64 - ROWS as f64) * STEP
}

/// The foremost z in every row of every column; -∞ where there is nothing.
fn front(
    vertices: &[Point],
    triangles: &[[usize; 3]],
    x: impl Fn(f64) -> f64,
    corner: f64,
) -> [[f64; 2 * ROWS + 1]; COLUMNS.len()] {
    let mut depths = [[f64::NEG_INFINITY; 2 * ROWS + 1]; COLUMNS.len()];
    for t in triangles {
        let t = t.map(|i| vertices[i]);
        for (u, column) in COLUMNS.iter().zip(&mut depths) {
            let Some([p, q]) = across(&t, x(*u)) else { continue };
            let row = |y: f64| ((y - corner) / STEP + ROWS as f64).clamp(0.0, 2.0 * ROWS as f64 + 1.0);
            for (k, depth) in column
                .iter_mut()
                .enumerate()
                .take(row(q.0).floor() as usize + 1)
                .skip(row(p.0).ceil() as usize)
            {
                let along = ((corner + height_of(k) - p.0) / (q.0 - p.0).max(1e-12)).clamp(0.0, 1.0);
                *depth = depth.max(p.1 + along * (q.1 - p.1));
            }
        }
    }
    depths
}

/// Where a triangle meets the plane of an x: y and z of both ends, the lower first.
fn across(t: &[Point; 3], x: f64) -> Option<[(f64, f64); 2]> {
    let mut ends = [(0, 1), (1, 2), (2, 0)].into_iter().filter_map(|(i, j)| {
        let (p, q) = (t[i], t[j]);
        // A corner on the plane belongs to its right.
        ((p.x < x) != (q.x < x)).then(|| {
            let c = p + (q - p) * ((x - p.x) / (q.x - p.x));
            (c.y, c.z)
        })
    });
    let (p, q) = (ends.next()?, ends.next()?);
    Some(if p.0 <= q.0 { [p, q] } else { [q, p] })
}

/// The row near the corners' height that lies deepest beneath the crests above and below; the middle one of several that lie as deep.
fn groove(column: &[f64; 2 * ROWS + 1]) -> Option<usize> {
    let crest = |part: &[f64]| part.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let depth = |k: usize| crest(&column[..k]).min(crest(&column[k + 1..])) - column[k];
    let depths = (ROWS - NEAR..=ROWS + NEAR).map(|k| (k, depth(k))).filter(|(_, d)| *d > 0.0);
    let deepest = depths.clone().map(|(_, d)| d).max_by(f64::total_cmp)?;
    let tied: Vec<usize> = depths.filter(|&(_, d)| d >= deepest).map(|(k, _)| k).collect();
    tied.get(tied.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two lips that meet 1 mm above the corners in the middle, and go on into the mouth: farther back, lower and higher.
    fn lips() -> (Vec<Point>, Vec<[usize; 3]>, [usize; 2]) {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let columns = 41;
        let height = |x: f64| 1.0 - (x / 20.0).powi(2);
        for side in [1.0, -1.0] {
            let first = vertices.len();
            // From 12 mm off over the crest to the other lip, and behind it away again.
            let section: [(f64, f64); 8] = [
                (12.0, 0.0),
                (8.0, 1.0),
                (5.0, 3.0),
                (2.5, 2.5),
                (0.3, 0.0),
                (0.2, -2.0),
                (3.0, -6.0),
                (5.0, -9.0),
            ];
            for i in 0..columns {
                let x = i as f64 - 20.0;
                vertices.extend(section.map(|(y, z)| Point::new(x, height(x) + side * y, z)));
            }
            for i in 0..columns - 1 {
                for k in 0..section.len() - 1 {
                    let at = first + i * section.len() + k;
                    let next = at + section.len();
                    triangles.extend([[at, next, at + 1], [at + 1, next, next + 1]]);
                }
            }
        }
        let corners = [-20.0, 20.0].map(|x| {
            vertices.push(Point::new(x, 0.0, 0.0));
            vertices.len() - 1
        });
        (vertices, triangles, corners)
    }

    #[test]
    fn lips_meet_where_the_groove_is_and_not_where_they_are_farthest_back() {
        let (vertices, triangles, corners) = lips();
        let line = LipLine::of(&vertices, &triangles, corners);
        assert!((line.height(0.0) - 1.0).abs() <= 2.0 * STEP, "{line:?}");
        assert!((line.height(20.0)).abs() < 1e-9 && line.height(35.0).abs() < 1e-9);
        assert_eq!(line.width, 40.0);
    }

    /// Without skin at the mouth there is no crease, and the line is straight.
    #[test]
    fn without_skin_the_line_is_straight() {
        let (vertices, _, corners) = lips();
        assert_eq!(LipLine::of(&vertices, &[], corners).height(0.0), 0.0);
    }
}
