//! The pose of a surface that may be turned any way: all rotations tried roughly, the best refined, their residuals compared.

use super::kind::Ambiguity;
use super::rotations;
use crate::mesh::pose::thinned_to;
use crate::mesh::pose::{angle_between, canonical, icp};
use crate::mesh::{FootFinder, MeshError, Point, Similarity, TriMesh, Vector};
use crate::numeric::search::SearchTree6;

/// The largest residual of a pose that is believed, over √area.
pub(super) const LARGEST: f64 = 0.12;
/// The best pose is believed if its residual is at most this part of that of every other.
pub(super) const CLEAR: f64 = 0.85;
/// A template whose turned or mirrored image lies no farther from it, over √area, looks the same.
const SAME: f64 = 0.012;
/// Poses turned against one another by less are the same, radians.
const APART: f64 = 0.35;
/// Rotations that are tried.
const TRIED: usize = 1000;
/// Points of a cloud.
const POINTS: usize = 800;
/// What a unit of difference between normals counts in the search for matches, in √area.
const NORMAL: f64 = 0.12;
/// Squared distance (place and normal) beyond which all is equally far.
const FAR: f64 = 0.09;

/// How many poses go on after each stage, how many points are matched each way, how many steps are taken, and whether the size moves.
const STAGES: [(usize, usize, usize, bool); 3] =
    [(40, 80, 6, false), (10, 200, 10, true), (4, 400, 15, true)];

/// A surface made ready to be posed: of area 1 in its own frame, searchable.
#[derive(Debug)]
pub(super) struct Posed {
    /// From its frame to its coordinates.
    frame: Similarity,
    points: Vec<Point>,
    normals: Vec<Vector>,
    /// Whether a point is near a border, beyond which there is nothing to be matched.
    at_border: Vec<bool>,
    tree: SearchTree6,
    exact: Exact,
}

struct Exact(FootFinder, Vec<bool>);

impl std::fmt::Debug for Exact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Exact")
    }
}

/// A pose, template to scan, and how well it fits: root mean square distance both ways over √area.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub pose: Similarity,
    pub residual: f64,
}

impl Candidate {
    /// The angle between two poses, radians.
    pub fn angle_to(&self, other: &Self) -> f64 {
        angle_between(&self.pose.rotation, &other.pose.rotation)
    }
}

fn key(p: &Point, n: &Vector) -> [f64; 6] {
    [p.x, p.y, p.z, NORMAL * n.x, NORMAL * n.y, NORMAL * n.z]
}

impl Posed {
    /// Of a mesh, with the vertices of its borders.
    pub fn new(mesh: &TriMesh, border: &[usize]) -> Result<Self, MeshError> {
        let flat = || MeshError::Degenerate("the surface has no extent".to_owned());
        let own = canonical::frame(mesh.vertices()).ok_or_else(flat)?;
        let scale = mesh.area().sqrt();
        let frame = Similarity { scale, translation: mesh.area_centroid().coords, ..own };
        let whole = mesh.with_vertices(mesh.vertices().iter().map(|p| frame.invert(p)).collect())?;
        let mut on_border = vec![false; whole.vertices().len()];
        border.iter().for_each(|&i| on_border[i] = true);
        let all = whole.vertex_normals();
        let chosen = thinned_to(whole.vertices(), POINTS);
        let points: Vec<Point> = chosen.iter().map(|&i| whole.vertices()[i]).collect();
        let normals: Vec<Vector> = chosen.iter().map(|&i| all[i]).collect();
        let near = (1.0 / points.len() as f64).sqrt();
        let rim: Vec<Point> = border.iter().map(|&i| whole.vertices()[i]).collect();
        let at_border = points.iter().map(|p| rim.iter().any(|q| (p - q).norm() < near)).collect();
        let keys: Vec<[f64; 6]> = points.iter().zip(&normals).map(|(p, n)| key(p, n)).collect();
        let tree = SearchTree6::new(&keys).ok_or_else(flat)?;
        let exact = Exact(FootFinder::new(whole)?, on_border);
        Ok(Self { frame, points, normals, at_border, tree, exact })
    }

    /// The point nearest in place and normal together, and the square of that distance.
    fn nearest(&self, p: &Point, n: &Vector) -> (usize, f64) {
        self.tree.nearest(&key(p, n))
    }

    fn every(&self, wanted: usize) -> impl Iterator<Item = usize> {
        let stride = (self.points.len() / wanted).max(1);
        (0..self.points.len()).step_by(stride)
    }
}

/// Distinct poses in which the template fits the scan, best first.
pub(super) fn candidates(template: &Posed, scan: &Posed) -> Vec<Candidate> {
    let start = |rotation| Similarity { rotation, ..Similarity::identity() };
    let rough = rotations::spread(TRIED).into_iter().map(start);
    let mut all: Vec<Candidate> =
        rough.map(|pose| Candidate { pose, residual: roughly(template, scan, &pose, 30) }).collect();
    for (kept, matched, steps, with_scale) in STAGES {
        all = distinct(all, kept);
        for c in &mut all {
            c.pose = refined(template, scan, c.pose, matched, steps, with_scale);
            c.residual = if kept == STAGES[2].0 {
                exactly(template, scan, &c.pose)
            } else {
                roughly(template, scan, &c.pose, 2 * matched)
            };
        }
    }
    let back = template.frame.inverse();
    distinct(all, STAGES[2].0)
        .into_iter()
        .map(|c| Candidate { pose: scan.frame.after(&c.pose).after(&back), ..c })
        .collect()
}

/// The pose, template to scan, that is reached from one near it.
pub(super) fn near(template: &Posed, scan: &Posed, start: &Similarity) -> Similarity {
    let mut pose = scan.frame.inverse().after(&start.after(&template.frame));
    for (_, matched, steps, with_scale) in &STAGES[1..] {
        pose = refined(template, scan, pose, *matched, *steps, *with_scale);
    }
    scan.frame.after(&pose).after(&template.frame.inverse())
}

/// The best, none turned by little against a better one.
fn distinct(mut all: Vec<Candidate>, most: usize) -> Vec<Candidate> {
    all.sort_by(|a, b| a.residual.total_cmp(&b.residual));
    let mut out: Vec<Candidate> = Vec::with_capacity(most);
    for c in all {
        if out.len() == most {
            break;
        }
        if out.iter().all(|better| better.angle_to(&c) > APART) {
            out.push(c);
        }
    }
    out
}

/// Mean square distance both ways between points, in place and normal, of `probes` points.
fn roughly(template: &Posed, scan: &Posed, pose: &Similarity, probes: usize) -> f64 {
    let back = pose.rotation.inverse();
    let mean = |squares: &mut dyn Iterator<Item = f64>| {
        let (sum, n) = squares.fold((0.0, 0.0), |(sum, n), s| (sum + s.min(FAR), n + 1.0));
        sum / f64::max(n, 1.0)
    };
    let there =
        mean(&mut template.every(probes).map(|i| {
            scan.nearest(&pose.apply(&template.points[i]), &(pose.rotation * template.normals[i])).1
        }));
    let here = mean(
        &mut scan
            .every(probes)
            .map(|j| template.nearest(&pose.invert(&scan.points[j]), &(back * scan.normals[j])).1),
    );
    there + here
}

/// Root mean square distance both ways, exactly, over √area.
fn exactly(template: &Posed, scan: &Posed, pose: &Similarity) -> f64 {
    let one_way = |from: &Posed, to: &Posed, pose: &Similarity| {
        let Exact(finder, on_border) = &to.exact;
        let squares = from.points.iter().map(|p| {
            let p = pose.apply(p);
            let foot = finder.closest(&p);
            ((p - foot.point).norm_squared(), finder.at_border(&foot, on_border))
        });
        let (sum, n) = squares.filter(|(_, at)| !at).fold((0.0, 0.0), |(sum, n), (s, _)| (sum + s, n + 1.0));
        // A pose in which little lies over the other surface is none.
        if n < 0.3 * from.points.len() as f64 { f64::INFINITY } else { sum / n }
    };
    let there = one_way(template, scan, pose) / pose.scale.powi(2);
    let here = one_way(scan, template, &pose.inverse());
    (0.5 * (there + here)).sqrt()
}

/// Part of the pairs, the nearest, that decide a step.
const KEPT: f64 = 0.9;
/// Size and turn settle below this.
const SETTLED: f64 = 1e-4;

fn refined(
    template: &Posed,
    scan: &Posed,
    mut pose: Similarity,
    matched: usize,
    steps: usize,
    with_scale: bool,
) -> Similarity {
    for _ in 0..steps {
        let Some(next) = icp::solve(&pose, &pairs(template, scan, &pose, matched), with_scale, 1.0) else {
            break;
        };
        let moved =
            angle_between(&next.rotation, &pose.rotation) + (next.translation - pose.translation).norm();
        pose = next;
        if moved < SETTLED {
            break;
        }
    }
    pose
}

/// Matches both ways, the farthest left out.
fn pairs(template: &Posed, scan: &Posed, pose: &Similarity, matched: usize) -> Vec<icp::Pair> {
    let back = pose.rotation.inverse();
    let there = template.every(matched).filter_map(|i| {
        let from = pose.apply(&template.points[i]);
        let (j, squared) = scan.nearest(&from, &(pose.rotation * template.normals[i]));
        let (to, normal) = (scan.points[j], scan.normals[j]);
        (!scan.at_border[j]).then_some(icp::Pair { from, to, normal, squared })
    });
    let here = scan.every(matched).filter_map(|j| {
        let to = scan.points[j];
        let (i, squared) = template.nearest(&pose.invert(&to), &(back * scan.normals[j]));
        let (from, normal) = (pose.apply(&template.points[i]), pose.rotation * template.normals[i]);
        (!template.at_border[i]).then_some(icp::Pair { from, to, normal, squared })
    });
    let mut pairs: Vec<icp::Pair> = there.chain(here).collect();
    pairs.sort_by(|a, b| a.squared.total_cmp(&b.squared));
    pairs.truncate((KEPT * pairs.len() as f64) as usize);
    pairs
}

/// What of a template's pose cannot be told: it is compared with itself, turned and mirrored.
pub(super) fn ambiguity(template: &Posed) -> Option<Ambiguity> {
    let own = candidates(template, template);
    let itself = own.first()?;
    let turned = own.iter().skip(1).filter(|c| c.residual < SAME);
    if let Some(c) = turned.min_by(|a, b| a.angle_to(itself).total_cmp(&b.angle_to(itself))) {
        return Some(Ambiguity::Turn { degrees: c.angle_to(itself).to_degrees(), apart: c.residual });
    }
    let image = template.mirrored()?;
    let best = *candidates(template, &image).first()?;
    (best.residual < SAME).then_some(Ambiguity::Mirror { apart: best.residual })
}

impl Posed {
    /// Its mirror image.
    fn mirrored(&self) -> Option<Self> {
        let Exact(finder, on_border) = &self.exact;
        let vertices = finder.mesh().vertices().iter().map(|p| Point::new(-p.x, p.y, p.z)).collect();
        let triangles = finder.mesh().triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        let border: Vec<usize> = (0..on_border.len()).filter(|&i| on_border[i]).collect();
        Self::new(&TriMesh::from_checked(vertices, triangles), &border).ok()
    }
}
