//! Odd scans have the oddity, and the truth stays the skin's.

use super::{FaceMarks, OddScan, Oddity, Sight, Sitter, odd_scan};
use crate::mesh::Point;
use crate::synth::{builtin_landmarks, builtin_template};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn scan(oddity: Oddity) -> OddScan {
    let mesh = builtin_template();
    let sitter =
        Sitter { vertices: mesh.vertices(), triangles: mesh.triangles(), marks: FaceMarks::builtin() };
    odd_scan(&sitter, oddity, &mut ChaCha8Rng::seed_from_u64(5)).unwrap()
}

fn share(scan: &OddScan, sight: Sight) -> f64 {
    scan.sight.iter().filter(|&&s| s == sight).count() as f64 / scan.sight.len() as f64
}

#[test]
fn covers_and_shadows_are_where_they_belong_and_the_skin_stays() {
    let skin = builtin_template().vertices();
    // Shares of the vertices, of the built-in face: covered, unseen.
    for (oddity, covered, unseen) in [
        (Oddity::Nothing, 0.0..0.001, 0.0..0.001),
        (Oddity::Beard, 0.1..0.5, 0.0..0.001),
        (Oddity::Glasses, 0.04..0.25, 0.0..0.001),
        (Oddity::Fringe, 0.02..0.3, 0.0..0.001),
        (Oddity::OneSide, 0.0..0.001, 0.2..0.6),
        (Oddity::Coarser, 0.0..0.001, 0.0..0.001),
        (Oddity::Seams, 0.0..0.001, 0.0..0.001),
    ] {
        let scan = scan(oddity);
        assert_eq!(scan.truth, skin, "{}", oddity.name());
        assert!(
            covered.contains(&share(&scan, Sight::Covered)),
            "{}: {}",
            oddity.name(),
            share(&scan, Sight::Covered)
        );
        assert!(
            unseen.contains(&share(&scan, Sight::Unseen)),
            "{}: {}",
            oddity.name(),
            share(&scan, Sight::Unseen)
        );
        assert!(scan.points.len() >= 7000, "{}: {} points", oddity.name(), scan.points.len());
    }
}

#[test]
fn a_mouth_opens_and_a_child_is_smaller() {
    let l = builtin_landmarks();
    let skin = builtin_template().vertices();
    let chin = |v: &[Point]| v[l.nose_tip].y - v[l.chin].y;
    let open = scan(Oddity::OpenMouth);
    let drop = chin(&open.truth) - chin(skin);
    assert!((8.0..30.0).contains(&drop), "the chin goes down by {drop} mm");
    assert_eq!(open.truth[l.nose_tip], skin[l.nose_tip]);
    // Nothing is seen where the lips have parted.
    let line = nalgebra::center(&open.truth[l.right_mouth_corner], &open.truth[l.left_mouth_corner]);
    let gap = open
        .points
        .iter()
        .map(|p| (p.x - line.x).hypot(p.y - line.y + 0.4 * drop))
        .fold(f64::INFINITY, f64::min);
    assert!(gap > 2.0, "a point {gap} mm from the middle of the open mouth");
    let child = scan(Oddity::Child);
    assert!(chin(&child.truth) < 0.8 * chin(skin));
}

#[test]
fn charts_share_no_vertex_and_only_open_seams_gape() {
    for (oddity, apart) in [(Oddity::Seams, false), (Oddity::OpenSeams, true)] {
        let scan = scan(oddity);
        let mut places: Vec<[u64; 3]> =
            scan.points.iter().map(|p| [p.x, p.y, p.z].map(f64::to_bits)).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len() == scan.points.len(), apart, "{}", oddity.name());
        assert!(scan.points.len() > 7150, "copies at the seams");
    }
}
