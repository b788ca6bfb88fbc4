//! Surfaces that are drawn and must not fold.

use crate::mesh::{Point, TriMesh};

/// A surface may have this share of its triangles turned over against the mean: faces have at nostrils, lids and the rim, as real ones do.
const FOLDED: f64 = 0.005;
/// What is shortened where there are more, step by step: the rest, which is public expectation; at last the whole deviation from the mean.
const SHORTER: f64 = 0.85;
const STEPS: usize = 14;

/// The triangles of the mean: which way they look.
pub(super) struct Folds(Vec<[f64; 3]>);

impl Folds {
    /// Of the mean surface.
    pub fn of(mean: &TriMesh) -> Self {
        Self(normals(mean).collect())
    }

    /// A record about the mean whose surface does not fold: its numbers, the surface, and whether it was made smoother. `of` is what the modes make
    /// of it, and the rest.
    ///
    /// # Errors
    /// Those of `surface`.
    pub fn unfolded<E>(
        &self,
        mean: &[f64],
        of: [&[f64]; 2],
        surface: impl Fn(&[f64]) -> Result<TriMesh, E>,
    ) -> Result<(Vec<f64>, TriMesh, bool), E> {
        let steps = |from: f64| (0..STEPS).map(move |step| from * SHORTER.powi(step as i32));
        let ways = steps(1.0).map(|rest| (1.0, rest)).chain(steps(SHORTER).map(|seen| (seen, 0.0)));
        for (step, (of_seen, of_rest)) in ways.enumerate() {
            let moved = of[0].iter().zip(of[1]).map(|(s, r)| of_seen * s + of_rest * r);
            let data: Vec<f64> = mean.iter().zip(moved).map(|(m, d)| m + d).collect();
            let mesh = surface(&data)?;
            if self.is_smooth(&mesh) {
                return Ok((data, mesh, step > 0));
            }
        }
        Ok((mean.to_vec(), surface(mean)?, true))
    }

    /// Whether no more triangles than [`FOLDED`] look the other way than on the mean.
    fn is_smooth(&self, face: &TriMesh) -> bool {
        let turned = self.0.iter().zip(normals(face));
        let turned = turned.filter(|(a, b)| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() < 0.0).count();
        turned as f64 <= FOLDED * self.0.len() as f64
    }
}

fn normals(mesh: &TriMesh) -> impl Iterator<Item = [f64; 3]> + '_ {
    let at = |i: usize| -> &Point { &mesh.vertices()[i] };
    mesh.triangles().iter().map(move |&[a, b, c]| {
        let normal = (at(b) - at(a)).cross(&(at(c) - at(a)));
        [normal.x, normal.y, normal.z]
    })
}
