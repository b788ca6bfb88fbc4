//! That a registration is one-to-one: the orientation of the template's triangles, on the scan and in its disk chart.

use super::landing::Landed;
use crate::conformal::{Complex, DiskMap};
use crate::mesh::{Foot, MeshError, Point, Vector};
use crate::surface::template::Template;

/// What became of the orientation of the template's triangles that lie on the scan.
///
/// A piecewise linear map from disk to disk whose Jacobian determinants are all positive has no folds; with a border that
/// does not cross itself it is one-to-one.
#[derive(Debug, Clone, PartialEq)]
pub struct Bijectivity {
    /// Triangles with all three corners on the scan.
    pub covered: usize,
    /// Of these, turned over on the scan's surface or in its disk chart.
    pub turned: Vec<usize>,
    /// Smallest Jacobian determinant on the surface (area of the triangle seen along the scan's normal, over its area on
    /// the template), relative to the mean; 1 when nothing is covered.
    pub min_surface: f64,
    /// Smallest Jacobian determinant from the template's disk to the scan's, relative to the mean; 1 when nothing is covered.
    pub min_chart: f64,
}

impl Bijectivity {
    /// The smaller of the two determinants: positive exactly when no covered triangle is turned.
    pub fn least(&self) -> f64 {
        self.min_surface.min(self.min_chart)
    }
}

/// In a meshed cloud triangles with a side so many times as long as the longest sides of all are on average span holes, at eyes, mouth or where
/// the scan had none: what lies there is not on the scan.
const GAP: f64 = 3.0;

fn longest_side([a, b, c]: &[Point; 3]) -> f64 {
    (b - a).norm().max((c - b).norm()).max((a - c).norm())
}

/// The template's vertices in a disk chart of the scan.
struct Charted<'a> {
    template: &'a Template,
    positions: &'a [Point],
    /// For vertices on the scan: place in the chart, and the scan's normal.
    places: Vec<Option<(Complex, Vector)>>,
}

impl<'a> Charted<'a> {
    fn new(template: &'a Template, landed: &Landed<'a>, chart: &DiskMap) -> Result<Self, MeshError> {
        let Landed { scan, positions, finder, feet } = landed;
        let mesh = finder.mesh();
        if positions.len() != template.mesh().vertices().len() {
            return Err(MeshError::Degenerate(format!(
                "{} positions given for the template's {} vertices",
                positions.len(),
                template.mesh().vertices().len()
            )));
        }
        if chart.z.len() != mesh.vertices().len() {
            return Err(MeshError::Degenerate("the chart is not that of the scan".to_owned()));
        }
        let mut is_gap = vec![false; mesh.triangles().len()];
        for &t in &scan.filled {
            *is_gap.get_mut(t).ok_or_else(|| {
                MeshError::Degenerate("a filled triangle that the scan does not have".to_owned())
            })? = true;
        }
        let longest: Vec<f64> = (0..mesh.triangles().len()).map(|t| longest_side(&mesh.corners(t))).collect();
        let ordinary = longest.iter().sum::<f64>() / longest.len().max(1) as f64;
        let normals = mesh.vertex_normals();
        let place = |(p, foot): (&Point, &Option<Foot>)| {
            let on_scan = |foot: &&Foot| {
                (foot.point - p).norm() < ordinary
                    && !is_gap[foot.triangle]
                    && longest[foot.triangle] < GAP * ordinary
            };
            let foot = foot.as_ref().filter(on_scan)?;
            Some((finder.blend(foot, &chart.z), finder.blend(foot, &normals)))
        };
        let places = positions.iter().zip(feet).map(place).collect();
        Ok(Self { template, positions, places })
    }

    /// Triangles with all corners on the scan.
    fn covered(&self) -> Vec<usize> {
        let triangles = self.template.mesh().triangles();
        (0..triangles.len()).filter(|&t| triangles[t].iter().all(|&i| self.places[i].is_some())).collect()
    }

    fn measure(&self) -> Bijectivity {
        let covered = self.covered();
        let (mut surface, mut chart) = (Vec::with_capacity(covered.len()), Vec::with_capacity(covered.len()));
        let z = self.template.surface().z();
        for &t in &covered {
            let corners = self.template.mesh().triangles()[t];
            let [a, b, c] = corners.map(|i| self.positions[i]);
            let seen = corners.map(|i| self.places[i].unwrap_or_default());
            let normal = (seen[0].1 + seen[1].1 + seen[2].1).try_normalize(1e-300).unwrap_or_default();
            let own = self.template.mesh().area_vector(t).norm();
            surface.push(0.5 * (b - a).cross(&(c - a)).dot(&normal) / own.max(1e-300));
            chart.push(signed_area(seen.map(|s| s.0)) / signed_area(corners.map(|i| z[i])));
        }
        let turned = (0..covered.len())
            .filter(|&k| !(surface[k] > 0.0 && chart[k] > 0.0))
            .map(|k| covered[k])
            .collect();
        Bijectivity {
            covered: covered.len(),
            turned,
            min_surface: least_relative(&surface),
            min_chart: least_relative(&chart),
        }
    }
}

/// Whether a registration keeps the orientation of every triangle of the template that lies on the scan, on the scan's
/// surface and from the template's disk to the scan's.
///
/// `landed` are the template's vertices registered to the scan, `chart` any one-to-one map of that to a disk (the more conformal, the less a rough
/// mesh folds in it by itself). What lies in filled holes, beyond the border or off the scan is not looked at.
///
/// # Errors
/// [`MeshError::Degenerate`] when the numbers of positions, vertices and places do not fit.
pub fn certify(template: &Template, landed: &Landed<'_>, chart: &DiskMap) -> Result<Bijectivity, MeshError> {
    Ok(Charted::new(template, landed, chart)?.measure())
}

fn signed_area([a, b, c]: [Complex; 3]) -> f64 {
    let (e, f) = (b - a, c - a);
    0.5 * (e.re * f.im - e.im * f.re)
}

fn least_relative(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 1.0;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().copied().fold(f64::INFINITY, f64::min) / mean.abs().max(1e-300)
}

#[cfg(test)]
mod tests {
    use super::super::method::PosedScan;
    use super::*;
    use crate::conformal::disk_chart;
    use crate::mesh::{DiskMesh, RepairSettings, Similarity, make_disk};
    use crate::synth;
    use std::sync::LazyLock;

    fn posed(disk: DiskMesh, filled: Vec<usize>) -> PosedScan {
        PosedScan { disk, nose: 0, similarity: Similarity::identity(), filled }
    }

    static FACE: LazyLock<(Template, PosedScan, DiskMap)> = LazyLock::new(|| {
        let disk = DiskMesh::try_new(synth::builtin_template().clone()).unwrap();
        let map = disk_chart(&disk).unwrap();
        let nose = synth::builtin_landmarks().nose_tip;
        let template = Template::new(disk.clone(), nose, Vector::z(), Vector::y()).unwrap();
        (template, posed(disk, Vec::new()), map)
    });

    fn certified(scan: &PosedScan, chart: &DiskMap, positions: &[Point]) -> Result<Bijectivity, MeshError> {
        certify(&FACE.0, &Landed::new(scan, positions)?, chart)
    }

    /// A vertex well inside, and one beside it.
    fn neighbours() -> (usize, usize) {
        let nose = synth::builtin_landmarks().nose_tip;
        let t = FACE.0.mesh().triangles().iter().find(|t| t.contains(&nose)).unwrap();
        let other = t.iter().copied().find(|&i| i != nose).unwrap();
        (nose, other)
    }

    #[test]
    fn the_template_on_itself_is_certified_with_determinants_of_one() {
        let (template, scan, map) = &*FACE;
        let disk = &scan.disk;
        let found = certified(scan, map, disk.mesh().vertices()).unwrap();
        assert!(found.turned.is_empty());
        // Only triangles with a corner on the border do not count.
        assert!(found.covered > template.mesh().triangles().len() * 9 / 10, "{}", found.covered);
        assert!(found.min_surface > 0.5 && found.min_chart > 0.0);
    }

    #[test]
    fn a_planted_fold_is_found_where_it_is() {
        let (template, scan, map) = &*FACE;
        let disk = &scan.disk;
        let (a, b) = neighbours();
        let mut folded = disk.mesh().vertices().to_vec();
        folded.swap(a, b);
        let found = certified(scan, map, &folded).unwrap();
        assert!(found.least() < 0.0 && !found.turned.is_empty());
        // Exactly the triangles about the two vertices are concerned.
        let about = |t: &usize| template.mesh().triangles()[*t].iter().any(|i| *i == a || *i == b);
        assert!(found.turned.iter().all(about));
    }

    #[test]
    fn a_mirrored_face_is_turned_everywhere() {
        let (_, scan, map) = &*FACE;
        let disk = &scan.disk;
        let mirrored = DiskMap { z: map.z.iter().map(|z| z.conj()).collect() };
        let found = certified(scan, &mirrored, disk.mesh().vertices()).unwrap();
        assert_eq!(found.turned.len(), found.covered);
    }

    /// A hole cut about the mouth and filled: what lies there does not count.
    #[test]
    fn filled_holes_are_left_out() {
        let (_, scan, _) = &*FACE;
        let disk = &scan.disk;
        let v = disk.mesh().vertices();
        let mouth = v[synth::builtin_landmarks().mouth_middle];
        let kept = |t: &&[usize; 3]| t.iter().all(|&i| (v[i] - mouth).norm() > 12.0);
        let triangles = disk.mesh().triangles().iter().filter(kept).copied().collect();
        let holed = crate::mesh::TriMesh::new(v.to_vec(), triangles).unwrap();
        let repaired = make_disk(holed, None, &RepairSettings::default()).unwrap();
        let map = disk_chart(&repaired.mesh).unwrap();
        let source = &repaired.triangle_source;
        let new = (0..source.len()).filter(|&t| source[t].is_none()).collect();
        let filled = posed(repaired.mesh, new);
        let whole = certified(scan, &FACE.2, v).unwrap();
        let found = certified(&filled, &map, v).unwrap();
        assert!(found.turned.is_empty(), "{:?}", found.turned);
        let lost = whole.covered - found.covered;
        let inside = disk.mesh().triangles().iter().filter(|t| !kept(t)).count();
        assert!(lost > inside / 2 && lost < 3 * inside, "{lost} of {inside}");
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let (_, scan, map) = &*FACE;
        let disk = &scan.disk;
        assert!(certified(scan, map, &[]).is_err());
        let short = DiskMap { z: map.z[1..].to_vec() };
        assert!(certified(scan, &short, disk.mesh().vertices()).is_err());
        let beyond = PosedScan { filled: vec![disk.mesh().triangles().len()], ..scan.clone() };
        assert!(certified(&beyond, map, disk.mesh().vertices()).is_err());
    }
}
