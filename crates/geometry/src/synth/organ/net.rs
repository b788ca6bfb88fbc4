//! Meshes of implicit surfaces: surface nets, whose vertices are moved along the surface until the triangles are even, and onto it.

use crate::mesh::{EdgeTable, Point, TriMesh, Vector, largest_piece, surface_net, topology};
use nalgebra::Rotation3;

/// A surface: where a function is 0, it is negative inside; and where another is negative.
pub(super) struct Implicit {
    pub solid: fn(&Point) -> f64,
    /// Negative where the surface is kept; `None` for a closed one.
    pub kept: Option<fn(&Point) -> f64>,
    /// A box that holds it: lowest and highest coordinates.
    pub low: [f64; 3],
    pub high: [f64; 3],
}

/// Rounds in which vertices move towards the mean of their neighbours.
const ROUNDS: usize = 9;
/// Tries with the grid shifted, where a mesh is no clean surface.
const TRIES: usize = 8;

impl Implicit {
    /// A mesh with edges of about this length, on a grid turned and shifted so. The last try where none is a clean surface.
    pub fn mesh(&self, spacing: f64, turn: &Rotation3<f64>, shift: &Vector) -> TriMesh {
        let mut mesh = TriMesh::default();
        for k in 0..TRIES {
            mesh = self.net(spacing, turn, &(shift + Vector::repeat(0.137 * k as f64)));
            if is_clean(&mesh, self.kept.is_some()) {
                break;
            }
        }
        mesh
    }

    fn net(&self, spacing: f64, turn: &Rotation3<f64>, shift: &Vector) -> TriMesh {
        let grid = Grid::new(self, spacing, turn, shift);
        let (vertices, triangles) = grid.net(self.solid);
        let mut mesh = largest_piece(vertices, triangles);
        if let Some(kept) = self.kept {
            let outside: Vec<bool> = mesh.vertices().iter().map(|p| kept(p) > 0.0).collect();
            let inside =
                mesh.triangles().iter().filter(|t| t.iter().all(|&i| !outside[i])).copied().collect();
            mesh = without_horns(mesh.vertices().to_vec(), inside);
        }
        self.even(mesh)
    }

    /// Vertices moved along the surface to the middle of their neighbours, those of a border along that.
    fn even(&self, mesh: TriMesh) -> TriMesh {
        let (mut places, triangles) = mesh.into_parts();
        let table = EdgeTable::new(&triangles, places.len());
        let (mut around, mut along) = (vec![Vec::new(); places.len()], vec![Vec::new(); places.len()]);
        for edge in table.edges() {
            let [a, b] = edge.ends;
            around[a].push(b);
            around[b].push(a);
            if table.sides(edge).len() == 1 {
                along[a].push(b);
                along[b].push(a);
            }
        }
        for round in 1..=ROUNDS {
            let moved = (0..places.len()).map(|i| {
                let on_border = !along[i].is_empty();
                let near = if on_border { &along[i] } else { &around[i] };
                let mean = near.iter().map(|&j| places[j].coords).sum::<Vector>() / near.len() as f64;
                let there = places[i] + (mean - places[i].coords) * 0.6;
                self.onto(&there, on_border, if round == ROUNDS { 4 } else { 1 })
            });
            places = moved.collect();
        }
        TriMesh::from_checked(places, triangles)
    }

    /// The point of the surface, or of its border, near a point.
    fn onto(&self, p: &Point, border: bool, steps: usize) -> Point {
        let mut p = *p;
        for _ in 0..steps {
            if let Some(kept) = self.kept.filter(|_| border) {
                p = newton(kept, &p);
            }
            p = newton(self.solid, &p);
        }
        p
    }
}

fn newton(f: fn(&Point) -> f64, p: &Point) -> Point {
    let (h, here) = (1e-4, f(p));
    let slope = Vector::from_fn(|k, _| {
        let mut step = Vector::zeros();
        step[k] = h;
        (f(&(p + step)) - here) / h
    });
    p - slope * (here / slope.norm_squared().max(1e-6)).clamp(-5.0, 5.0)
}

/// A cubic grid about a surface.
struct Grid {
    turn: Rotation3<f64>,
    corner: Vector,
    spacing: f64,
    counts: [usize; 3],
}

impl Grid {
    fn new(of: &Implicit, spacing: f64, turn: &Rotation3<f64>, shift: &Vector) -> Self {
        let middle = Vector::from_fn(|k, _| 0.5 * (of.low[k] + of.high[k]));
        let half = Vector::from_fn(|k, _| 0.5 * (of.high[k] - of.low[k]));
        // The turned box in a box along the grid's axes.
        let reach = turn.inverse().matrix().abs() * half + Vector::repeat(2.0 * spacing);
        let counts = [0, 1, 2].map(|k| (2.0 * reach[k] / spacing).ceil() as usize + 2);
        let corner = turn.inverse() * middle - reach + shift * spacing;
        Self { turn: *turn, corner, spacing, counts }
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.counts[1] + j) * self.counts[2] + k
    }

    fn at(&self, [x, y, z]: [f64; 3]) -> Point {
        Point::from(self.turn * (self.corner + Vector::new(x, y, z) * self.spacing))
    }

    fn net(&self, solid: fn(&Point) -> f64) -> (Vec<Point>, Vec<[usize; 3]>) {
        let [a, b, c] = self.counts;
        let corners = (0..a).flat_map(|i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])));
        let values: Vec<f64> = corners.map(|corner| solid(&self.at(corner.map(|x| x as f64)))).collect();
        surface_net(self.counts, |at| values[self.index(at)], |place| self.at(place))
    }
}

/// Without triangles that hang on by one side only.
fn without_horns(vertices: Vec<Point>, mut triangles: Vec<[usize; 3]>) -> TriMesh {
    loop {
        let table = EdgeTable::new(&triangles, vertices.len());
        let hangs = |t: &usize| (3 * t..3 * t + 3).filter(|&side| table.across(side).is_some()).count() < 2;
        let kept: Vec<_> = (0..triangles.len()).filter(|t| !hangs(t)).map(|t| triangles[t]).collect();
        let done = kept.len() == triangles.len();
        triangles = kept;
        if done {
            return largest_piece(vertices, triangles);
        }
    }
}

/// Whether a mesh is a disk, or closed without handles.
fn is_clean(mesh: &TriMesh, disk: bool) -> bool {
    let report = topology(mesh);
    report.genus == Some(0)
        && report.boundary_loops.len() == usize::from(disk)
        && report.degenerate_triangles.is_empty()
}
