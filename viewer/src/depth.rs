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
