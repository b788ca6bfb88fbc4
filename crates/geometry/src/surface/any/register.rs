//! A scan registered to a template of any kind.

use super::error::SurfaceRegistrationError;
use super::kind::Ambiguity;
use super::pose::{self, Candidate, Posed};
use super::scan::{Ready, ScanNotes};
use super::template::SurfaceTemplate;
use crate::mesh::pose::thinned_to;
use crate::mesh::{FootFinder, MeshError, Point, Similarity, TriMesh, Vector};

/// What is wanted of a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct SurfaceSettings {
    /// Whether the scan's size is taken out of the registered vertices (default); if not, they are in the scan's units.
    pub remove_scale: bool,
    /// Whether a scan that only fits mirrored is registered mirrored; otherwise it is refused (default).
    pub allow_mirrored: bool,
}

impl Default for SurfaceSettings {
    fn default() -> Self {
        Self { remove_scale: true, allow_mirrored: false }
    }
}

/// Marks that fix the pose: pairs of a point of the template and the same of the scan, each in its own coordinates; at least three, not on a line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Correspondences(pub Vec<(Point, Point)>);

/// Distances from the scan to the registered surface, in the scan's units.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct SurfaceFit {
    /// Mean.
    pub mean: f64,
    /// 95 of 100 points of the scan are no farther.
    pub p95: f64,
    /// Largest.
    pub max: f64,
}

/// A template carried to a scan.
#[derive(Debug, Clone)]
pub struct RegisteredSurface {
    /// The template's vertices on the scan, in the template's frame: shift and turn are taken out against the template, and the size if so set.
    pub vertices: Vec<Point>,
    /// From the scan's coordinates to those of `vertices`; of a mirrored scan from those of its mirror image (x ↦ −x).
    pub pose: Similarity,
    /// √area of the registered surface over the template's, in the scan's units per the template's.
    pub size: f64,
    /// How far the scan lies from the registered surface.
    pub fit: SurfaceFit,
    /// Whether the scan was mirrored to fit.
    pub mirrored: bool,
    /// How well the next best pose fits, turned or mirrored: 0 where there is no other, 1 where both fit alike.
    pub doubt: f64,
    /// Whether a vertex was put on the scan; the others, where it has none, continue smoothly.
    pub landed: Vec<bool>,
    /// The share of the template's area about the others.
    pub filled: f64,
    /// Distance of every vertex to the scan, in the scan's units.
    pub distances: Vec<f64>,
    /// Smallest Jacobian determinant of the map from the template over its triangles, relative to the mean: positive, so that none is turned.
    pub min_jacobian: f64,
    /// What was passed over in the scan.
    pub notes: ScanNotes,
}

/// Poses beside the best whose displacement is looked at.
const RIVALS: usize = 3;
/// A displacement decides between poses if it costs at most this part of every other.
const CHEAPER: f64 = 0.7;

/// A pose that may be that of the scan, or of its mirror image.
#[derive(Clone, Copy)]
struct Guess {
    candidate: Candidate,
    mirrored: bool,
}

impl Guess {
    fn rivalled_by(&self, other: &Self) -> SurfaceRegistrationError {
        if self.mirrored == other.mirrored {
            let degrees = self.candidate.angle_to(&other.candidate).to_degrees();
            SurfaceRegistrationError::Ambiguous { degrees }
        } else {
            SurfaceRegistrationError::MirrorAmbiguous
        }
    }
}

/// The pose that is believed.
struct Believed {
    pose: Similarity,
    mirrored: bool,
    doubt: f64,
}

/// Points of the scan whose distances are measured.
const MEASURED: usize = 4000;

impl SurfaceTemplate {
    /// Registers a scan: pose, then displacement. The result depends on the template and this scan alone.
    ///
    /// With marks they fix the pose, and the scan is taken as it is: never as mirrored.
    ///
    /// # Errors
    /// [`SurfaceRegistrationError`]; the record is unusable.
    pub fn register(
        &self,
        scan: &TriMesh,
        marks: Option<&Correspondences>,
        settings: &SurfaceSettings,
    ) -> Result<RegisteredSurface, SurfaceRegistrationError> {
        if let (None, Some(ambiguity)) = (marks, self.ambiguity().filter(Ambiguity::needs_marks)) {
            return Err(SurfaceRegistrationError::Template(ambiguity));
        }
        let ready = Ready::new(scan, self.topology())?;
        let believed = match marks {
            Some(marks) => Believed { pose: pose_of(marks)?, mirrored: false, doubt: 0.0 },
            None => self.believed(&ready, settings)?,
        };
        let ready = if believed.mirrored { mirrored(&ready) } else { ready };
        self.fitted(&ready, &believed, settings)
    }

    /// Registers a scan of which a pose near its own is known, template to scan: none other is looked for.
    pub(super) fn register_from(
        &self,
        scan: &TriMesh,
        start: &Similarity,
        settings: &SurfaceSettings,
    ) -> Result<RegisteredSurface, SurfaceRegistrationError> {
        let ready = Ready::new(scan, self.topology())?;
        let posed = Posed::new(&ready.mesh, &ready.borders.concat())?;
        let pose = pose::near(&self.posed, &posed, start);
        self.fitted(&ready, &Believed { pose, mirrored: false, doubt: 0.0 }, settings)
    }

    /// The pose of a scan, if it is sure: one whose residual is clearly the least, or of several that of which the displacement is.
    fn believed(
        &self,
        ready: &Ready,
        settings: &SurfaceSettings,
    ) -> Result<Believed, SurfaceRegistrationError> {
        let border = ready.borders.concat();
        let guesses = |scan: &Ready, mirrored: bool| -> Result<Vec<Guess>, MeshError> {
            let all = pose::candidates(&self.posed, &Posed::new(&scan.mesh, &border)?);
            Ok(all.into_iter().map(|candidate| Guess { candidate, mirrored }).collect())
        };
        let image = mirrored(ready);
        let mut all = guesses(ready, false)?;
        if self.ambiguity().is_none() {
            all.extend(guesses(&image, true)?);
        }
        all.sort_by(|a, b| a.candidate.residual.total_cmp(&b.candidate.residual));
        let best = all.first().map_or(f64::INFINITY, |guess| guess.candidate.residual);
        if best > pose::LARGEST {
            return Err(SurfaceRegistrationError::NoFit { residual: best, limit: pose::LARGEST });
        }
        all.truncate(1 + RIVALS);
        let near = all.iter().filter(|guess| best > pose::CLEAR * guess.candidate.residual).count();
        let (first, doubt) = if near < 2 {
            (all[0], all.get(1).map_or(0.0, |next| best / next.candidate.residual))
        } else {
            let scans = [ready, &image];
            let scan = |guess: &Guess| scans[usize::from(guess.mirrored)];
            let cost = |guess: &Guess| self.cost(scan(guess), &guess.candidate.pose);
            let mut costs: Vec<(f64, Guess)> =
                all[..near].iter().map(|guess| (cost(guess), *guess)).collect();
            costs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let ((least, first), (next, second)) = (costs[0], costs[1]);
            if least > CHEAPER * next || !least.is_finite() {
                return Err(first.rivalled_by(&second));
            }
            // Mirrored is a scan only where the pose alone says so.
            if first.mirrored {
                return Err(SurfaceRegistrationError::MirrorAmbiguous);
            }
            (first, least / next)
        };
        if first.mirrored && !settings.allow_mirrored {
            return Err(SurfaceRegistrationError::Mirrored);
        }
        Ok(Believed { pose: first.candidate.pose, mirrored: first.mirrored, doubt })
    }

    /// What it takes to move the template from a pose onto the scan: the root of the displacement's mean square times the misfit left; infinite where
    /// it cannot be.
    fn cost(&self, scan: &Ready, pose: &Similarity) -> f64 {
        self.elastic
            .fit_surface(&scan.mesh, &scan.borders(), pose)
            .map_or(f64::INFINITY, |(found, energy)| {
                energy.sqrt() * found.report.misfit.last().copied().unwrap_or(f64::INFINITY)
            })
    }

    /// The share of the area about vertices that were not put on a scan.
    fn unlanded(&self, landed: &[bool]) -> f64 {
        let shares = self.mesh().vertex_shares();
        shares.iter().zip(landed).fold(0.0, |sum, (share, landed)| if *landed { sum } else { sum + share })
    }

    fn fitted(
        &self,
        ready: &Ready,
        believed: &Believed,
        settings: &SurfaceSettings,
    ) -> Result<RegisteredSurface, SurfaceRegistrationError> {
        let (found, _) = self.elastic.fit_surface(&ready.mesh, &ready.borders(), &believed.pose)?;
        if found.min_jacobian <= 0.0 {
            return Err(SurfaceRegistrationError::Folded);
        }
        let surface = self.mesh().with_vertices(found.positions)?;
        let size = (surface.area() / self.mesh().area()).sqrt();
        let pose = taken_out(&surface, self.mesh(), settings.remove_scale)
            .ok_or_else(|| MeshError::Degenerate("the registered surface has no extent".to_owned()))?;
        let vertices = surface.vertices().iter().map(|p| pose.apply(p)).collect();
        let finder = FootFinder::new(ready.mesh.clone())?;
        let distances = surface.vertices().iter().map(|p| (finder.closest(p).point - p).norm()).collect();
        Ok(RegisteredSurface {
            vertices,
            pose,
            size,
            fit: fit(ready, surface)?,
            mirrored: believed.mirrored,
            doubt: believed.doubt,
            filled: self.unlanded(&found.landed),
            landed: found.landed,
            distances,
            min_jacobian: found.min_jacobian,
            notes: ready.notes,
        })
    }
}

/// How far the scan lies from a surface.
fn fit(ready: &Ready, surface: TriMesh) -> Result<SurfaceFit, MeshError> {
    let finder = FootFinder::new(surface)?;
    let points = ready.mesh.vertices();
    let mut all: Vec<f64> = thinned_to(points, MEASURED)
        .into_iter()
        .map(|i| (finder.closest(&points[i]).point - points[i]).norm())
        .collect();
    all.sort_by(f64::total_cmp);
    let at = |share: f64| all[((all.len() - 1) as f64 * share) as usize];
    Ok(SurfaceFit { mean: all.iter().sum::<f64>() / all.len() as f64, p95: at(0.95), max: at(1.0) })
}

/// The similarity, or the motion, that brings a surface nearest to the template, vertex by vertex, by the template's area.
pub(super) fn taken_out(surface: &TriMesh, template: &TriMesh, with_scale: bool) -> Option<Similarity> {
    let weights = template.vertex_areas();
    let found = Similarity::fit(surface.vertices(), template.vertices(), &weights)?;
    if with_scale {
        return Some(found);
    }
    // Turn and centre are those of the similarity.
    let total: f64 = weights.iter().sum();
    let centre: Vector = surface.vertices().iter().zip(&weights).map(|(p, w)| p.coords * (*w / total)).sum();
    let to = found.apply(&Point::from(centre)).coords;
    Some(Similarity { scale: 1.0, rotation: found.rotation, translation: to - found.rotation * centre })
}

/// The pose that marks fix, template to scan.
fn pose_of(Correspondences(pairs): &Correspondences) -> Result<Similarity, SurfaceRegistrationError> {
    let (from, to): (Vec<Point>, Vec<Point>) = pairs.iter().copied().unzip();
    if from.len() < 3 || on_a_line(&from) || on_a_line(&to) {
        return Err(SurfaceRegistrationError::Marks);
    }
    Similarity::fit(&from, &to, &vec![1.0; from.len()]).ok_or(SurfaceRegistrationError::Marks)
}

fn on_a_line(points: &[Point]) -> bool {
    let away: Vec<_> = points.iter().map(|p| p - points[0]).collect();
    let longest = away.iter().max_by(|a, b| a.norm().total_cmp(&b.norm())).copied().unwrap_or_default();
    let across = away.iter().map(|v| v.cross(&longest).norm()).fold(0.0, f64::max);
    across <= 1e-6 * longest.norm_squared()
}

/// The mirror image of a scan, its sides still outwards.
fn mirrored(ready: &Ready) -> Ready {
    let vertices = ready.mesh.vertices().iter().map(|p| Point::new(-p.x, p.y, p.z)).collect();
    let triangles = ready.mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    Ready {
        mesh: TriMesh::from_checked(vertices, triangles),
        borders: ready.borders.iter().map(|b| b.iter().rev().copied().collect()).collect(),
        notes: ready.notes,
    }
}
