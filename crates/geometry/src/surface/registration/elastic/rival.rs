//! A second registration from another start, where the first leaves doubt.
//!
//! Of a face that was cropped tightly, a template of another size fits nearly as well: the pose is too small, and the fit stays there. Started from a
//! larger pose it comes back to the same place, or does not. Where the two lie apart, the one that fits much better is taken; where neither does, and
//! little of the face is seen, nobody can tell where it lies.

use super::fit::Fitted;
use super::target::Target;
use crate::mesh::{MeshError, Point, Similarity};

/// How much larger the second start is, about the nose tip: crops that lay wrong had a pose a tenth to a quarter too small, and from 1.2 two of twelve stayed there.
const LARGER: f64 = 1.3;
/// A fit with fewer of its nodes on the scan, or a larger misfit (nominal millimetres), is looked at twice. Whole scans of SIMPOP and ICT people have
/// .85 and .63.
const LEAST_MATCHED: f64 = 0.8;
const LARGEST_MISFIT: f64 = 0.7;
/// Fits lie alike up to this distance, root mean square, nominal millimetres.
const ALIKE: f64 = 3.0;
/// The second is taken whose misfit is less than so many times that of the first, and the first where it is more than so many: between
/// them nobody can tell. These, and the numbers above, from 180 crops of 30 SIMPOP and ICT people.
const MUCH_BETTER: f64 = 0.8;
const MUCH_WORSE: f64 = 1.33;

/// Which of two fits is to be believed.
pub(super) enum Better {
    First,
    Second,
}

/// Whether a fit is to be looked at twice.
pub(super) fn is_doubtful(fitted: &Fitted) -> bool {
    sees_little(fitted) || fitted.last_misfit() > LARGEST_MISFIT
}

fn sees_little(fitted: &Fitted) -> bool {
    (fitted.gaps.iter().flatten().count() as f64) < LEAST_MATCHED * fitted.gaps.len() as f64
}

/// The second start.
pub(super) fn larger(pose: &Similarity, nose: &Point) -> Similarity {
    let grown = Similarity { scale: LARGER * pose.scale, ..*pose };
    Similarity { translation: grown.translation + (pose.apply(nose) - grown.apply(nose)), ..grown }
}

/// Which fit of the same scan is to be believed.
///
/// # Errors
/// [`MeshError::Degenerate`] when they lie apart and fit nearly alike.
pub(super) fn judged(first: (&Target, &Fitted), second: (&Target, &Fitted)) -> Result<Better, MeshError> {
    let (own, other) = (&first.0.frames, &second.0.frames);
    let place = |node: &Point| own.work_of_scan(&other.scan_of_work(&second.1.motion.apply(node)));
    let pairs = first.1.nodes.iter().zip(&second.1.nodes);
    let square: f64 = pairs.map(|(a, b)| (first.1.motion.apply(a) - place(b)).norm_squared()).sum();
    let apart = (square / first.1.nodes.len() as f64).sqrt();
    // The second's working units are larger.
    let ratio = LARGER * second.1.last_misfit() / first.1.last_misfit();
    if apart >= ALIKE && ratio < MUCH_BETTER {
        return Ok(Better::Second);
    }
    // Rough scans fit nowhere well, and their whole outline says how large the face is.
    if apart < ALIKE || ratio > MUCH_WORSE || !sees_little(first.1) {
        return Ok(Better::First);
    }
    Err(MeshError::Degenerate(format!(
        "two registrations from different starts fit nearly alike and lie {apart:.1} mm of a face of ordinary size apart: too little of the face \
         was scanned; scan more of it"
    )))
}
