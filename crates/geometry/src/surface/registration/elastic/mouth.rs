//! Open mouths. A smooth displacement cannot part the lips: a scan with an open mouth is registered to the template with its jaw
//! turned, where that lies much closer to it.

use super::fit::Fitted;
use super::prepared::{Elastic, TURNS};
use super::target::Target;
use crate::mesh::{LipLine, MeshError, Point, Similarity, TriMesh, Vector};
use crate::surface::template::Template;
use nalgebra::Rotation3;
use std::borrow::Cow;

/// Where the jaw's hinge is from the tip of the nose, in nominal millimetres: at the height of the ear canal, ten centimetres behind.
const HINGE: Vector = Vector::new(0.0, 5.0, -95.0);
/// Over this depth before the hinge the skin comes to follow the jaw, nominal millimetres.
const FOLLOWING: f64 = 55.0;
/// Nodes within this distance of the middle of the mouth are its surroundings, nominal millimetres: mouth and chin.
const SURROUNDINGS: f64 = 35.0;
/// An open mouth is looked for where more than this part of the surroundings has no match on the scan: on closed mouths of made-up people mostly 0 to
/// 2 % have none (with 2 mm of noise up to 25 %, on half faces up to 54 %), on open ones 9 to 31 %.
const MISSED: f64 = 0.05;
/// And only if, with the jaw at the first of [`TURNS`], no more than this part of what had no match still has none: on open mouths 0 to 87 %, on ICT's
/// closed ones 105 to 135 %.
const HOPELESS: f64 = 1.0;
/// It is open where the misfit of the whole face falls below this part of what it was with a closed one.
const BETTER: f64 = 0.95;
/// And where that part times the part of what had no match and still has none is less than this: on open mouths 0 to .44, on noise, half faces and
/// caricatures .65 and more.
const FOUND: f64 = 0.5;

/// The template's mesh with its jaw turned by so many degrees; the skin of the lips spans the gap, as the filled hole of a scan does.
fn opened(
    template: &Template,
    corners: [usize; 2],
    to_work: &Similarity,
    degrees: f64,
) -> Result<TriMesh, MeshError> {
    let mesh = template.mesh();
    let places: Vec<Point> = mesh.vertices().iter().map(|p| to_work.apply(p)).collect();
    let line = LipLine::of(&places, mesh.triangles(), corners);
    let hinge = places[template.nose()] + HINGE;
    let turn = Rotation3::from_axis_angle(&Vector::x_axis(), degrees.to_radians());
    let moved = places.iter().map(|p| {
        let beyond = ((p.x - line.middle).abs() - 0.5 * line.width).max(0.0);
        let below = line.height(p.x) - p.y;
        // Between the corners lips part; beyond them the cheek is drawn out, the more softly the farther from the mouth.
        let share = if beyond > 0.0 { ramp(0.5 + 0.5 * below / beyond) } else { f64::from(below > 0.0) };
        let share = share * ramp((p.z - hinge.z) / FOLLOWING);
        to_work.invert(&(p + (hinge + turn * (p - hinge) - p) * share))
    });
    mesh.with_vertices(moved.collect())
}

/// From 0 at 0 to 1 at 1, without slope at either.
fn ramp(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

impl<'t> Elastic<'t> {
    /// The method for the template with its mouth open by the turn of this number, made when first wanted; none beyond the last turn, where it is
    /// not known where the mouth is, or where it cannot be opened.
    pub(super) fn opened(&self, turn: usize) -> Option<&Elastic<'t>> {
        let made = self.opened.get(turn)?.get_or_init(|| {
            let template = self.face()?;
            let shape = opened(template, template.mouth()?, self.frame(), TURNS[turn]).ok()?;
            Elastic::with_shape(template, Cow::Owned(shape), self.control.clone(), self.settings())
                .ok()
                .map(Box::new)
        });
        made.as_deref()
    }

    /// Where a face that was registered with its mouth open lies with its mouth closed, in scan coordinates: every vertex goes back by what opening
    /// the template's mouth moved it. As it is where its mouth is closed.
    pub(super) fn with_mouth_closed(&self, target: &Target, fitted: &Fitted, places: &[Point]) -> Vec<Point> {
        let laid = |p: &Point| target.frames.scan_of_work(&fitted.motion.apply(&self.to_work(p)));
        let Some(face) = self.face() else { return places.to_vec() };
        let shapes = face.mesh().vertices().iter().zip(self.shape().vertices());
        places.iter().zip(shapes).map(|(p, (closed, open))| p + (laid(closed) - laid(open))).collect()
    }

    /// The middle of the mouth, where it is known, in working coordinates.
    pub(super) fn middle_of_mouth(&self) -> Option<Point> {
        let [a, b] = self.face()?.mouth()?.map(|i| self.to_work(&self.shape().vertices()[i]));
        Some(nalgebra::center(&a, &b))
    }

    /// The part of the nodes about the mouth that have no match on the scan.
    fn missed(&self, fitted: &Fitted) -> f64 {
        let Some(middle) = self.middle_of_mouth() else { return 0.0 };
        let about = self.mesh.vertices().iter().zip(&fitted.gaps);
        let about: Vec<bool> = about
            .filter(|(p, _)| (*p - middle).norm() < SURROUNDINGS)
            .map(|(_, gap)| gap.is_none())
            .collect();
        let missed = about.iter().filter(|&&missed| missed).count();
        missed as f64 / about.len() as f64
    }

    /// The fit with the mouth open that is closest, from the first of these poses where it is so much closer than that with the mouth closed that the
    /// mouth is open.
    pub(super) fn open_fit(
        &self,
        closed: &Fitted,
        poses: [&Similarity; 2],
        fit: impl Fn(&Self, &Similarity) -> Result<(Target, Fitted), MeshError>,
    ) -> Option<(&Self, Target, Fitted)> {
        let missed = self.missed(closed);
        if missed <= MISSED {
            return None;
        }
        for pose in poses {
            let mut best: Option<(&Self, Target, Fitted)> = None;
            for (turn, open) in (0..).map_while(|k| self.opened(k)).enumerate() {
                // A scan that cannot be fitted so has no mouth so wide.
                let Ok((target, fitted)) = fit(open, pose) else { continue };
                if turn == 0 && open.missed(&fitted) > HOPELESS * missed {
                    return None;
                }
                if best.as_ref().is_none_or(|(_, _, so_far)| fitted.last_misfit() < so_far.last_misfit()) {
                    best = Some((open, target, fitted));
                }
            }
            let is_open = |(open, _, wider): &(&Self, Target, Fitted)| {
                let better = wider.last_misfit() / closed.last_misfit();
                better < BETTER && better * open.missed(wider) < FOUND * missed
            };
            if best.as_ref().is_some_and(is_open) {
                return best;
            }
        }
        None
    }
}
