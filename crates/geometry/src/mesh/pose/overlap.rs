//! How well a template and a scan agree where both are.
//!
//! A residual that leaves out the worst quarter forgives a pose that lays half a face on a forehead: what is left fits. Asked instead is, of
//! the points of either that lie over the other, how many lie close to it and face the same way. A point lies over the other surface where the
//! way to its nearest point there goes along the normal; beyond a rim, or over a hole, it goes across, and tells nothing.

use super::super::{Point, Vector};
use super::finder::PoseFinder;
use super::sampled::Sampled;
use super::similarity::Similarity;

/// The way across the surface up to which a point lies over it, in distances between neighbouring points.
const RIM: f64 = 1.5;
/// Distance at which agreement has fallen to e^(−½), as a fraction of the template's size: another person's face is about .03 off.
const CLOSE: f64 = 0.04;

/// Agreement, and over how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Mean agreement of the points that lie over the other surface, in both directions: 1 where all of them lie on it.
    pub agreement: f64,
    /// The share of the template that lies over the scan.
    pub template: f64,
    /// The share of the scan that lies over the template.
    pub scan: f64,
}

impl PoseFinder {
    /// Of the template in this pose.
    pub(super) fn overlap(&self, pose: &Similarity, scan: &Sampled) -> Overlap {
        let back = pose.rotation.inverse();
        let there = self.template.points.iter().zip(&self.template.normals).map(|(p, n)| {
            let (j, _) = scan.nearest(&pose.apply(p));
            // Both in the template's frame and units.
            let (q, m) = (pose.invert(&scan.points[j]), back * scan.normals[j]);
            self.agreement((p, n), (&q, &m), scan.spacing / pose.scale)
        });
        let back = scan.points.iter().zip(&scan.normals).map(|(q, m)| {
            let q = pose.invert(q);
            let (i, _) = self.template.nearest(&q);
            let other = (&self.template.points[i], &self.template.normals[i]);
            self.agreement((&q, &(back * m)), other, self.template.spacing)
        });
        let (there, back) = (tally(there), tally(back));
        Overlap { agreement: 0.5 * (there.1 + back.1), template: there.0, scan: back.0 }
    }

    /// `None` for a point that does not lie over the other surface.
    fn agreement(&self, (p, n): (&Point, &Vector), (q, m): (&Point, &Vector), spacing: f64) -> Option<f64> {
        let offset = p - q;
        if !is_over(&offset, m, spacing) {
            return None;
        }
        let close = (-0.5 * (offset.dot(m) / (CLOSE * self.size)).powi(2)).exp();
        Some(close * n.dot(m).abs())
    }
}

/// Whether the way from a surface's nearest point, with this normal, goes along that rather than across.
pub(super) fn is_over(offset: &Vector, normal: &Vector, spacing: f64) -> bool {
    (offset - normal * offset.dot(normal)).norm() <= RIM * spacing
}

/// The share of those that lie over the other surface, and their mean agreement.
fn tally(all: impl ExactSizeIterator<Item = Option<f64>>) -> (f64, f64) {
    let n = all.len() as f64;
    let (count, sum) = all.flatten().fold((0.0, 0.0), |(count, sum), one| (count + 1.0, sum + one));
    (count / n, sum / f64::max(count, 1.0))
}
