//! How far in front a surface is at every place of a picture, without a graphics card.

use crate::drawing::Drawing;
use crate::looking::View;
use kiss3d::prelude::Vec3;

/// The foremost depth at every cell of a picture; larger is nearer.
pub struct Depth {
    width: usize,
    height: usize,
    cells: Vec<f32>,
}

/// A place inside a triangle on the picture.
pub struct Inside {
    /// Which cell.
    pub cell: usize,
    /// Its depth.
    pub depth: f32,
    /// Weights of the triangle's corners.
    pub weights: [f32; 3],
}

impl Depth {
    /// Of a drawing in a picture with so many cells a pixel, each way.
    pub fn of(drawing: &Drawing, view: &View, fineness: f64) -> Self {
        let [width, height] = view.size().map(|side| ((side * fineness).ceil() as usize).max(1));
        let mut depth = Self { width, height, cells: vec![f32::NEG_INFINITY; width * height] };
        let places = places(drawing, view, fineness);
        let mut cells = std::mem::take(&mut depth.cells);
        for t in &drawing.triangles {
            depth.inside(t.map(|i| places[i as usize]), |at| {
                let cell = &mut cells[at.cell];
                *cell = cell.max(at.depth);
            });
        }
        depth.cells = cells;
        depth
    }

    /// The foremost depth at a cell; −∞ where nothing is.
    pub fn at(&self, cell: usize) -> f32 {
        self.cells[cell]
    }

    /// Its columns and rows.
    pub fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }

    /// Every cell whose middle lies in a triangle.
    pub fn inside(&self, [a, b, c]: [Vec3; 3], mut found: impl FnMut(Inside)) {
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let range = |p: f32, q: f32, r: f32, most: usize| {
            let low = p.min(q).min(r).floor().max(0.0) as usize;
            low..(p.max(q).max(r).ceil().max(0.0) as usize).min(most)
        };
        for y in range(a.y, b.y, c.y, self.height) {
            for x in range(a.x, b.x, c.x, self.width) {
                let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
                let edge = |p: Vec3, q: Vec3| ((q.x - p.x) * (py - p.y) - (q.y - p.y) * (px - p.x)) / area;
                let weights = [edge(b, c), edge(c, a), edge(a, b)];
                if weights.iter().all(|w| *w >= 0.0) {
                    let depth = weights[0] * a.z + weights[1] * b.z + weights[2] * c.z;
                    found(Inside { cell: y * self.width + x, depth, weights });
                }
            }
        }
    }
}

/// Vertices in cells from the upper left corner, and their depth in the unit of the drawing.
pub fn places(drawing: &Drawing, view: &View, fineness: f64) -> Vec<Vec3> {
    let place = |p: &[f32; 3]| {
        let [x, y] = view.place(*p).map(|c| (c * fineness) as f32);
        Vec3::new(x, y, view.depth(*p))
    };
    drawing.positions.iter().map(place).collect()
}

/// A point this far behind a surface is hidden by it; half-diagonals of the subject: 2 to 3 mm of a face, so that a landmark in a corner of the
/// eye is not hidden by the lid beside it.
const SLACK: f32 = 0.02;

/// Which points of a drawing stand behind its surface.
pub fn hidden(drawing: &Drawing, view: &View, points: &[[f32; 3]]) -> Vec<bool> {
    let mut hidden = vec![false; points.len()];
    if points.is_empty() {
        return hidden;
    }
    let placed = places(drawing, view, 1.0);
    // From left to right, so that a triangle is asked about the points between its sides alone.
    let seen = |(k, p): (usize, &[f32; 3])| {
        let [x, y] = view.place(*p).map(|c| c as f32);
        (Vec3::new(x, y, view.depth(*p)), k)
    };
    let mut sought: Vec<(Vec3, usize)> = points.iter().enumerate().map(seen).collect();
    sought.sort_by(|a, b| a.0.x.total_cmp(&b.0.x));
    for t in &drawing.triangles {
        let [a, b, c] = t.map(|i| placed[i as usize]);
        let first = sought.partition_point(|(p, _)| p.x < a.x.min(b.x).min(c.x));
        let right = a.x.max(b.x).max(c.x);
        for (p, k) in sought[first..].iter().take_while(|(p, _)| p.x <= right) {
            hidden[*k] |= above(*p, [a, b, c]).is_some_and(|depth| depth > p.z + SLACK);
        }
    }
    hidden
}

/// The depth of a triangle at a place of the picture; `None` beside it, and for one that is seen edge on.
fn above(p: Vec3, [a, b, c]: [Vec3; 3]) -> Option<f32> {
    let edge = |q: Vec3, r: Vec3| (r.x - q.x) * (p.y - q.y) - (r.y - q.y) * (p.x - q.x);
    let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    let weights = [edge(b, c) / area, edge(c, a) / area, edge(a, b) / area];
    weights.iter().all(|w| *w >= 0.0).then(|| weights[0] * a.z + weights[1] * b.z + weights[2] * c.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display_settings::DisplaySettings;
    use crate::look::Look;
    use crate::pane::draw;
    use crate::subject::{Shape, Subject};
    use visard::mesh::{Point, TriMesh};
    use visard::study::standing::Standing;

    /// A square, and another as large half as far to the right before it.
    fn squares() -> Drawing {
        let square = |x: f64, z: f64| {
            [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[u, v]| Point::new(x + u, v, z))
        };
        let vertices = [square(0.0, 0.0), square(0.5, 0.4)].concat();
        let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]).unwrap();
        draw(&Subject::new("s", "s", Standing::Public, Shape::Surface(mesh)), &DisplaySettings::default())
            .unwrap()
    }

    #[test]
    fn what_is_behind_is_hidden_and_what_lies_on_the_surface_or_beside_it_is_not() {
        let drawing = squares();
        let place = |x, z| drawing.frame.place(&Point::new(x, 0.5, z));
        let points = [place(0.75, 0.0), place(0.25, 0.0), place(0.75, 0.4), place(9.0, 0.0)];
        let seen = |look: Look| hidden(&drawing, &View::new(look, 300.0, 200.0), &points);
        assert_eq!(seen(Look::default()), [true, false, false, false]);
        // From behind it is the other way round.
        assert_eq!(seen(Look { yaw: 180.0, ..Look::default() }), [false, false, true, false]);
    }

    #[test]
    fn the_foremost_is_in_the_map() {
        let drawing = squares();
        let view = View::new(Look::default(), 120.0, 80.0);
        let depth = Depth::of(&drawing, &view, 2.0);
        assert_eq!(depth.size(), [240, 160]);
        let at = |x: f64| {
            let p = drawing.frame.place(&Point::new(x, 0.4, 0.0));
            let [column, row] = view.place(p).map(|c| (2.0 * c) as usize);
            depth.at(row * 240 + column)
        };
        let z = |z: f64| drawing.frame.place(&Point::new(0.0, 0.0, z))[2];
        assert!((at(0.75) - z(0.4)).abs() < 1e-5 && (at(0.25) - z(0.0)).abs() < 1e-5);
        assert_eq!(depth.at(0), f32::NEG_INFINITY);
    }
}
