//! How far two surfaces lie apart, at every vertex of the first and over the second.

use super::subject::{LengthUnit, Subject};
use crate::mesh::{MeshError, TriMesh, TriangleTree};
use rayon::prelude::*;
use serde::Serialize;

/// Why two surfaces cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// One has no triangles.
    #[error("{name}: {source}")]
    Mesh {
        /// Which.
        name: String,
        /// What is wrong.
        source: MeshError,
    },
    /// One has no area that could be brought to 1.
    #[error("{name}: its triangles have no area, so that it cannot be compared with a face of area 1")]
    NoArea {
        /// Which.
        name: String,
    },
}

/// Distances between two surfaces A and B.
#[derive(Debug, Clone)]
pub struct Distances {
    /// From every vertex of A along its normal to B: positive where B lies outside; NaN where the normal's line does not meet B within a
    /// tenth of A's extent.
    pub along_normal: Vec<f64>,
    /// From every vertex of A to the closest point of B.
    pub to_second: Vec<f64>,
    /// From every vertex of B to the closest point of A.
    pub to_first: Vec<f64>,
    /// The unit of all of these.
    pub unit: LengthUnit,
    /// Areas of A and B that go with their vertices.
    areas: [Vec<f64>; 2],
}

/// Statistics of distances, weighted by the area that goes with each vertex.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Statistics {
    /// Mean.
    pub mean: f64,
    /// Root mean square.
    pub rms: f64,
    /// 95th percentile of the magnitudes.
    pub p95: f64,
    /// Largest magnitude.
    pub largest: f64,
    /// Share of the area that has a value.
    pub share: f64,
}

/// What is said of surfaces that were brought to area 1.
pub const BROUGHT: &str = "one of the two has no size: both were moved to their centres and brought to area 1, and distances are shares of the root of a face's area";

/// Two surfaces in one unit: where one is a face of area 1 and the other is not, both are moved to their centres and brought to area 1, as
/// records are. Whether they were.
///
/// # Errors
/// [`CompareError::NoArea`].
pub fn in_one_unit(a: Subject, b: Subject) -> Result<(Subject, Subject, bool), CompareError> {
    let sizeless = |s: &Subject| s.unit == LengthUnit::RootArea;
    // A file tells no unit: one that is as large as a face of area 1 may well be one.
    let fits = |s: &Subject| {
        sizeless(s) || (s.unit == LengthUnit::Unknown && (0.5..2.0).contains(&s.mesh.area().sqrt()))
    };
    if !(sizeless(&a) || sizeless(&b)) || (fits(&a) && fits(&b)) {
        return Ok((a, b, false));
    }
    Ok((of_unit_area(a)?, of_unit_area(b)?, true))
}

fn of_unit_area(s: Subject) -> Result<Subject, CompareError> {
    let (size, centre) = (s.mesh.area().sqrt(), s.mesh.area_centroid());
    let moved = s.mesh.vertices().iter().map(|p| ((p - centre) / size).into()).collect();
    match s.mesh.with_vertices(moved) {
        Ok(mesh) if size > 0.0 => Ok(Subject { mesh, unit: LengthUnit::RootArea, ..s }),
        _ => Err(CompareError::NoArea { name: s.name }),
    }
}

/// Measures two surfaces where they lie, in the unit that is known of one ([`in_one_unit`]): nothing is moved.
///
/// # Errors
/// [`CompareError`].
pub fn distances(a: &Subject, b: &Subject) -> Result<Distances, CompareError> {
    let tree = |s: &'_ Subject| -> Result<(), CompareError> {
        TriangleTree::new(&s.mesh)
            .map(|_| ())
            .map_err(|source| CompareError::Mesh { name: s.name.clone(), source })
    };
    tree(a)?;
    tree(b)?;
    let unit = if a.unit == LengthUnit::Unknown { b.unit } else { a.unit };
    measure(&a.mesh, &b.mesh, unit).map_err(|source| CompareError::Mesh { name: a.name.clone(), source })
}

fn measure(a: &TriMesh, b: &TriMesh, unit: LengthUnit) -> Result<Distances, MeshError> {
    let (in_a, in_b) = (TriangleTree::new(a)?, TriangleTree::new(b)?);
    let reach = 0.1 * extent(a);
    let normals = a.vertex_normals();
    let along = |(p, n)| in_b.along(p, n, reach).unwrap_or(f64::NAN);
    Ok(Distances {
        along_normal: a.vertices().par_iter().zip(&normals).map(along).collect(),
        to_second: a.vertices().par_iter().map(|p| in_b.distance(p)).collect(),
        to_first: b.vertices().par_iter().map(|p| in_a.distance(p)).collect(),
        unit,
        areas: [a.vertex_areas(), b.vertex_areas()],
    })
}

/// The diagonal of the box around a mesh.
fn extent(mesh: &TriMesh) -> f64 {
    let Some(first) = mesh.vertices().first() else { return 0.0 };
    let (low, high) = mesh.vertices().iter().fold((*first, *first), |(a, b), p| (a.inf(p), b.sup(p)));
    (high - low).norm()
}

impl Distances {
    /// Of the signed distances along the normal.
    pub fn signed(&self) -> Statistics {
        statistics(&self.along_normal, &self.areas[0])
    }

    /// Of the closest points, from the first surface to the second and back.
    pub fn closest(&self) -> [Statistics; 2] {
        [statistics(&self.to_second, &self.areas[0]), statistics(&self.to_first, &self.areas[1])]
    }

    /// The Hausdorff distance, over the vertices of both.
    pub fn hausdorff(&self) -> f64 {
        self.to_second.iter().chain(&self.to_first).copied().fold(0.0, f64::max)
    }

    /// The share of the first surface's area in each of `bins` equal steps from the least to the greatest signed distance: (middle, share).
    pub fn histogram(&self, bins: usize) -> Vec<(f64, f64)> {
        let values = || self.along_normal.iter().zip(&self.areas[0]).filter(|(v, _)| v.is_finite());
        let low = values().map(|(v, _)| *v).fold(f64::INFINITY, f64::min);
        let high = values().map(|(v, _)| *v).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = values().map(|(_, a)| a).sum();
        if bins == 0 || total <= 0.0 {
            return Vec::new();
        }
        let step = ((high - low) / bins as f64).max(1e-12 * high.abs().max(low.abs()).max(1e-300));
        let mut shares = vec![0.0; bins];
        for (v, area) in values() {
            shares[(((v - low) / step) as usize).min(bins - 1)] += area / total;
        }
        shares.into_iter().enumerate().map(|(k, s)| (low + (k as f64 + 0.5) * step, s)).collect()
    }
}

fn statistics(values: &[f64], areas: &[f64]) -> Statistics {
    let mut pairs: Vec<(f64, f64)> =
        values.iter().copied().zip(areas.iter().copied()).filter(|(v, _)| v.is_finite()).collect();
    let (all, area) = (areas.iter().sum::<f64>(), pairs.iter().map(|p| p.1).sum::<f64>());
    if area <= 0.0 {
        return Statistics { mean: f64::NAN, rms: f64::NAN, p95: f64::NAN, largest: f64::NAN, share: 0.0 };
    }
    let mean = pairs.iter().map(|(v, a)| v * a).sum::<f64>() / area;
    let rms = (pairs.iter().map(|(v, a)| v * v * a).sum::<f64>() / area).sqrt();
    pairs.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let mut below = 0.0;
    let at = pairs.iter().position(|(_, a)| {
        below += a;
        below >= 0.95 * area
    });
    let largest = pairs.last().map_or(f64::NAN, |p| p.0.abs());
    Statistics { mean, rms, p95: at.map_or(largest, |k| pairs[k].0.abs()), largest, share: area / all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Point;
    use crate::study::subject::Standing;

    fn subject(mesh: TriMesh, unit: LengthUnit) -> Subject {
        Subject {
            name: "s".into(),
            mesh,
            unit,
            standing: Standing::Public,
            why: None,
            errors: None,
            certificate: None,
        }
    }

    /// A sphere of latitudes and longitudes.
    fn sphere(radius: f64, n: usize) -> TriMesh {
        let mut vertices = Vec::new();
        for i in 0..=n {
            for j in 0..2 * n {
                let (t, p) =
                    (std::f64::consts::PI * i as f64 / n as f64, std::f64::consts::PI * j as f64 / n as f64);
                vertices.push(Point::new(
                    radius * t.sin() * p.cos(),
                    radius * t.sin() * p.sin(),
                    radius * t.cos(),
                ));
            }
        }
        let mut triangles = Vec::new();
        for i in 0..n {
            for j in 0..2 * n {
                let at = |i: usize, j: usize| i * 2 * n + j % (2 * n);
                if i > 0 {
                    triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                }
                if i + 1 < n {
                    triangles.push([at(i, j + 1), at(i + 1, j), at(i + 1, j + 1)]);
                }
            }
        }
        TriMesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn concentric_spheres_lie_their_radii_apart() {
        let (a, b) =
            (subject(sphere(1.0, 80), LengthUnit::Unknown), subject(sphere(1.05, 80), LengthUnit::Unknown));
        let found = distances(&a, &b).unwrap();
        let [there, back] = found.closest();
        // Chords of 80 steps sag by 1 − cos(π/160) < 2e-4; poles have no normal of their own.
        for value in
            [found.signed().mean, found.signed().rms, there.mean, back.mean, there.p95, found.hausdorff()]
        {
            assert!((value - 0.05).abs() < 1e-3, "{found:?}", found = (found.signed(), there, back));
        }
        let inward = distances(&b, &a).unwrap().signed();
        assert!((inward.mean + 0.05).abs() < 1e-3 && inward.share > 0.99, "{inward:?}");
    }

    #[test]
    fn translated_planes_have_exact_distances_and_no_value_beyond_the_edge() {
        let plane = |z: f64, side: f64| {
            let v =
                [[0., 0.], [side, 0.], [side, side], [0., side]].map(|[x, y]| Point::new(x, y, z)).to_vec();
            TriMesh::new(v, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
        };
        let (a, b) = (
            subject(plane(0.0, 1.0), LengthUnit::Millimetres),
            subject(plane(0.125, 0.5), LengthUnit::Millimetres),
        );
        let found = distances(&a, &b).unwrap();
        assert_eq!(found.along_normal[0], 0.125);
        assert!(found.along_normal[2].is_nan());
        assert!((found.to_second[2] - (0.5f64 + 0.125 * 0.125).sqrt()).abs() < 1e-15);
        assert_eq!((found.to_first[2], found.hausdorff()), (0.125, found.to_second[2]));
        let histogram = found.histogram(4);
        assert!((histogram.iter().map(|h| h.1).sum::<f64>() - 1.0).abs() < 1e-12);
        let cloud = || subject(TriMesh::new(vec![Point::origin()], vec![]).unwrap(), LengthUnit::Unknown);
        assert!(matches!(distances(&a, &cloud()), Err(CompareError::Mesh { .. })));
        // With a face of area 1 whatever has a size is brought there, and what has none at all cannot be.
        let sizeless = || subject(plane(0.0, 1.0), LengthUnit::RootArea);
        for (unit, side, brought) in [
            (LengthUnit::Millimetres, 190.0, true),
            (LengthUnit::Millimetres, 1.0, true),
            (LengthUnit::Unknown, 190.0, true),
            (LengthUnit::Unknown, 1.1, false),
        ] {
            let (a, b, was) = in_one_unit(sizeless(), subject(plane(7.0, side), unit)).unwrap();
            assert_eq!(was, brought, "{unit:?} {side}");
            let found = distances(&a, &b).unwrap();
            assert_eq!(found.unit, LengthUnit::RootArea);
            assert!(!brought || found.hausdorff() < 1e-12);
        }
        assert!(matches!(in_one_unit(sizeless(), cloud()), Err(CompareError::NoArea { .. })));
        assert!(!in_one_unit(subject(plane(0.0, 1.0), LengthUnit::Millimetres), cloud()).unwrap().2);
    }
}
