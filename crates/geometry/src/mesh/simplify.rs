//! A coarser mesh of the same surface.

use super::edges::{EdgeTable, corner_fans};
use super::grid::Grid;
use super::topology::pinched;
use super::unite::Sets;
use super::{MeshError, Point, TriMesh, Vector};

/// Cells of a cubic grid that a surface meets, for a surface of the area of one side of a cell: 1.5 on average over all directions of a plane
/// (the mean of |x| + |y| + |z| over the unit sphere).
const CELLS_PER_SIDE: f64 = 1.5;

/// As many as one word has room for.
const MOST: usize = 1 << 31;

/// How often clusters that make no surface are given up.
const ROUNDS: usize = 4;

/// A mesh of about `wanted` vertices for every `area` of the surface: those that lie in one cell of a grid and hang together in it become one, at
/// their mean (Rossignac and Borrel 1993, but sheets that meet in a cell, as lips do, stay apart). Vertices on the border, or where
/// triangles do not agree on which side is out, stay as they are, so that holes, seams and the rim do; and so do those of a cell
/// where the coarse triangles would meet in threes or only at a point.
///
/// A mesh of more than 2³¹ triangles or vertices comes back as it is.
///
/// # Errors
/// [`MeshError`] never for a mesh whose coordinates are finite.
pub fn simplified(mesh: &TriMesh, area: f64, wanted: usize) -> Result<TriMesh, MeshError> {
    let size = (CELLS_PER_SIDE * area / wanted.max(1) as f64).sqrt();
    if size <= 0.0 || size.is_nan() || mesh.triangles().len().max(mesh.vertices().len()) > MOST {
        return Ok(mesh.clone());
    }
    let mut labels = clusters(mesh, size);
    let mut coarse = merged(mesh, &labels);
    for _ in 0..ROUNDS {
        let tangled = tangled(&coarse.triangles, coarse.places.len());
        let given_up: Vec<usize> =
            (0..labels.len()).filter(|&i| tangled[coarse.of[i] as usize] && labels[i] != i).collect();
        if given_up.is_empty() {
            break;
        }
        given_up.into_iter().for_each(|i| labels[i] = i);
        coarse = merged(mesh, &labels);
    }
    coarse.into_mesh()
}

/// The smallest member of the cluster of every vertex.
fn clusters(mesh: &TriMesh, size: f64) -> Vec<usize> {
    let points = mesh.vertices();
    let (grid, is_inner) = (Grid::new(points, size), inner(mesh));
    let cells: Vec<u64> = points.iter().map(|p| grid.number(p)).collect();
    let mut one = Sets::new(points.len());
    for [a, b, c] in mesh.triangles() {
        for (&i, &j) in [(a, b), (b, c), (c, a)] {
            if is_inner[i] && is_inner[j] && cells[i] == cells[j] {
                one.unite(i, j);
            }
        }
    }
    one.into_labels()
}

/// Clusters in place of vertices.
struct Merged {
    places: Vec<Point>,
    triangles: Vec<[usize; 3]>,
    /// The cluster of every vertex.
    of: Vec<u32>,
}

fn merged(mesh: &TriMesh, labels: &[usize]) -> Merged {
    let mut of = vec![0; labels.len()];
    let mut means: Vec<(Vector, f64)> = Vec::new();
    for (i, p) in mesh.vertices().iter().enumerate() {
        // The smallest member comes first.
        if labels[i] == i {
            of[i] = means.len() as u32;
            means.push((Vector::zeros(), 0.0));
        } else {
            of[i] = of[labels[i]];
        }
        let (sum, count) = &mut means[of[i] as usize];
        (*sum, *count) = (*sum + p.coords, *count + 1.0);
    }
    let places = means.into_iter().map(|(sum, count)| Point::from(sum / count)).collect();
    let renamed = mesh.triangles().iter().map(|&[a, b, c]| [of[a], of[b], of[c]]);
    let triangles = without_flaps(renamed.filter(|[a, b, c]| a != b && b != c && c != a));
    Merged { places, triangles, of }
}

impl Merged {
    /// Without the clusters in no triangle.
    fn into_mesh(mut self) -> Result<TriMesh, MeshError> {
        let mut renamed = vec![usize::MAX; self.places.len()];
        self.triangles.iter().flatten().for_each(|&i| renamed[i] = 0);
        let used = (0..renamed.len()).filter(|&i| renamed[i] == 0);
        let used: Vec<usize> = used.collect();
        used.iter().enumerate().for_each(|(k, &i)| renamed[i] = k);
        self.triangles.iter_mut().flatten().for_each(|i| *i = renamed[*i]);
        TriMesh::new(used.into_iter().map(|i| self.places[i]).collect(), self.triangles)
    }
}

/// Which vertices are on an edge of three sides or more, or hold triangles together only by themselves.
fn tangled(triangles: &[[usize; 3]], vertices: usize) -> Vec<bool> {
    let table = EdgeTable::new(triangles, vertices);
    let mut out = vec![false; vertices];
    let thick = table.edges().iter().filter(|edge| table.sides(edge).len() > 2);
    thick.flat_map(|edge| edge.ends).for_each(|i| out[i] = true);
    pinched(triangles, &corner_fans(triangles, &table), vertices).into_iter().for_each(|i| out[i] = true);
    out
}

/// Triangles with the same corners that face different ways cancel: where a vertex has two neighbours left, they hang on the rest like a flap.
fn without_flaps(triangles: impl Iterator<Item = [u32; 3]>) -> Vec<[usize; 3]> {
    // Turned to begin with the lowest, a triangle and its reverse differ in the order of the other two. In one word they sort as a number: the
    // corners, which triangle it is, whether it is reversed.
    let word = |(k, [a, b, c]): (usize, [u32; 3])| {
        let [low, next, last] = match a.min(b).min(c) {
            low if low == a => [a, b, c],
            low if low == b => [b, c, a],
            _ => [c, a, b],
        };
        let corners = u128::from(low) << 64 | u128::from(next.min(last)) << 32 | u128::from(next.max(last));
        corners << 32 | (k as u128) << 1 | u128::from(next > last)
    };
    let mut words: Vec<u128> = triangles.enumerate().map(word).collect();
    words.sort_unstable();
    let mut kept: Vec<u128> = Vec::with_capacity(words.len());
    for same in words.chunk_by(|a, b| a >> 32 == b >> 32) {
        let reversed = same.iter().filter(|word| *word & 1 == 1).count();
        let others = same.len() - reversed;
        let more = same.iter().filter(|word| (*word & 1 == 1) == (reversed > others));
        kept.extend(more.skip(reversed.min(others)));
    }
    // In the order they came in.
    kept.sort_unstable_by_key(|word| *word as u32);
    let corner = |word: u128, k: u32| (word >> (32 * k)) as u32 as usize;
    let triangle = |word: u128| {
        let [low, a, b] = [3, 2, 1].map(|k| corner(word, k));
        if word & 1 == 1 { [low, b, a] } else { [low, a, b] }
    };
    kept.into_iter().map(triangle).collect()
}

/// Which vertices have triangles all around them: going round, every side of the ring about such a vertex is left where the next begins, so that
/// ends less beginnings are nothing in sum. Each vertex counts by a number that is nearly at random, so that others come to nothing
/// once in 2⁶⁴.
fn inner(mesh: &TriMesh) -> Vec<bool> {
    // Vigna's splitmix64 at i.
    let code = |i: usize| {
        let mut z = (i as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let mut sums = vec![0u64; mesh.vertices().len()];
    for t in mesh.triangles() {
        let codes = t.map(code);
        for k in 0..3 {
            let side = codes[(k + 2) % 3].wrapping_sub(codes[(k + 1) % 3]);
            sums[t[k]] = sums[t[k]].wrapping_add(side);
        }
    }
    sums.into_iter().map(|sum| sum == 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{DiskMesh, FootFinder, topology};

    /// A wavy square of n² vertices and side 1.
    fn sheet(n: usize, z: f64) -> TriMesh {
        let at = |k: usize| k as f64 / (n - 1) as f64;
        let place = |k: usize| {
            let (x, y) = (at(k % n), at(k / n));
            Point::new(x, y, z + 0.05 * (5.0 * x).sin() * (4.0 * y).cos())
        };
        let cell = |k: usize| [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]];
        let triangles = (0..n * (n - 1)).filter(|k| k % n < n - 1).flat_map(cell).collect();
        TriMesh::new((0..n * n).map(place).collect(), triangles).unwrap()
    }

    #[test]
    fn a_fine_sheet_becomes_a_coarse_one_with_the_same_border_and_surface() {
        let fine = sheet(200, 0.0);
        let coarse = simplified(&fine, fine.area(), 2000).unwrap();
        let rim = 4 * 199;
        let inside = coarse.vertices().len() - rim;
        assert!((1500..2500).contains(&inside), "{inside}");
        let (before, after) = (DiskMesh::try_new(fine.clone()).unwrap(), DiskMesh::try_new(coarse).unwrap());
        let rim_of = |disk: &DiskMesh| {
            let mut places: Vec<[u64; 3]> = disk
                .boundary()
                .iter()
                .map(|&i| [0, 1, 2].map(|k| disk.mesh().vertices()[i][k].to_bits()))
                .collect();
            places.sort_unstable();
            places
        };
        assert_eq!(rim_of(&before), rim_of(&after));
        let finder = FootFinder::new(fine).unwrap();
        let off = |p: &Point| (finder.closest(p).point - p).norm();
        let farthest = after.mesh().vertices().iter().map(off).fold(0.0, f64::max);
        // A mean of places within a cell of 0.027 on a surface whose curvature is at most 1.25: h²/8 of that.
        assert!(farthest < 0.027f64.powi(2) * 1.25 / 8.0 * 2.0, "{farthest}");
    }

    /// Two sheets a tenth of a cell apart, as closed lips are.
    #[test]
    fn sheets_that_share_cells_stay_apart() {
        let (one, other) = (sheet(100, 0.0), sheet(100, 0.003));
        let (mut places, mut triangles) = one.clone().into_parts();
        let n = places.len();
        places.extend_from_slice(other.vertices());
        triangles.extend(other.triangles().iter().map(|t| t.map(|i| i + n)));
        let both = TriMesh::new(places, triangles).unwrap();
        let coarse = simplified(&both, one.area(), 1500).unwrap();
        let found = topology(&coarse);
        assert_eq!(found.components.len(), 2, "{found:?}");
    }

    #[test]
    fn border_vertices_are_told_from_inner_ones() {
        let mesh = sheet(30, 0.0);
        let disk = DiskMesh::try_new(mesh.clone()).unwrap();
        let on_border = disk.on_boundary();
        assert!(inner(&mesh).iter().zip(&on_border).all(|(inner, border)| inner != border));
        // A triangle turned over: its corners' neighbours disagree.
        let (places, mut triangles) = mesh.into_parts();
        let t = triangles.len() / 2 + 7;
        triangles[t].swap(0, 1);
        let corners = triangles[t];
        let found = inner(&TriMesh::new(places, triangles).unwrap());
        assert!(corners.iter().all(|&i| !found[i]));
    }

    #[test]
    fn nothing_comes_of_nothing() {
        let empty = simplified(&TriMesh::default(), 1.0, 10).unwrap();
        assert!(empty.vertices().is_empty() && empty.triangles().is_empty());
        let flat = simplified(&sheet(4, 0.0), 0.0, 0).unwrap();
        assert_eq!(flat.vertices().len(), 16);
    }
}
