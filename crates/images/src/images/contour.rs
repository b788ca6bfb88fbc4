//! The outer contour of an organ on a plane, finer than its pixels: marching squares on the mask smoothed by a binomial filter.

use super::closed::Closed;
use super::plane::{Plane, Problem};

/// Where the smoothed mask is the organ: one half; a shade less, so that lines of one pixel do not vanish.
const LEVEL: f64 = 0.4999;
/// Rounds of the binomial filter along the contour, at half a pixel: a standard deviation of one pixel.
const ROUNDS: usize = 8;
/// Rounds in which the contour is held against that of its own mask, and how far a point is moved by it, in pixels.
const BACK: usize = 3;
const REACH: f64 = 1.5;
/// Points of a contour, at half a pixel each between these: the time they take grows with their square, and so many are finer than any landmarks need.
const POINTS: (usize, usize) = (64, MOST_CORNERS);
const MOST_CORNERS: usize = 8192;

/// The contour of the largest piece, counter-clockwise, in the units of the spacing; and what the data holder should know. Where it was drawn it is
/// as it was drawn.
pub(super) fn contour(plane: &Plane) -> Result<(Closed, Vec<String>), Problem> {
    let mut remarks = Vec::new();
    if plane.touches_border() {
        remarks.push("touches the border of the picture, where it may be cut off".to_owned());
    }
    let mut padded = plane.padded();
    let mut pieces = padded.pieces(true, false);
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    if let [_, others @ ..] = &pieces[..]
        && !others.is_empty()
    {
        let left: usize = others.iter().map(Vec::len).sum();
        let all = left + pieces[0].len();
        remarks.push(format!(
            "is in {} pieces; the largest was taken, {:.1} % of its pixels left out",
            pieces.len(),
            100.0 * left as f64 / all as f64
        ));
        others.iter().flatten().for_each(|&n| padded.inside[n] = false);
    }
    // The first piece of the background is what lies around.
    let holes = &padded.pieces(false, true)[1..];
    let pixel = padded.spacing[0] * padded.spacing[1];
    let hollow = holes.iter().map(Vec::len).sum::<usize>() as f64 * pixel;
    if !holes.is_empty() {
        remarks.push(format!("has {} holes, which its outer outline does not show", holes.len()));
        holes.iter().flatten().for_each(|&n| padded.inside[n] = true);
    }
    let Some(curve) = extracted(&padded) else {
        return Err(Problem::record("is too thin or too small to have an outline"));
    };
    let covered = padded.inside.iter().filter(|inside| **inside).count() as f64 * pixel;
    if curve.area() < 0.8 * covered {
        remarks.push("hangs together by necks of one pixel, at which its outline is cut".to_owned());
    }
    let drawn = plane.drawn.as_ref().filter(|drawn| {
        // One that runs into a hole and out again, or is one of several that meet, is not.
        let off = (drawn.area() - covered).abs();
        off <= 0.25 * pixel.sqrt() * drawn.length() && (hollow == 0.0 || off < 0.5 * hollow)
    });
    let as_drawn = |drawn: &Closed| match drawn.points().len() {
        0..=MOST_CORNERS => drawn.clone(),
        _ => drawn.resampled(MOST_CORNERS),
    };
    Ok((drawn.map(as_drawn).unwrap_or_else(|| restored(curve, &padded)), remarks))
}

/// The longest contour of a mask, smoothed.
fn extracted(plane: &Plane) -> Option<Closed> {
    let scaled = |points: &Vec<[f64; 2]>| {
        let [sx, sy] = plane.spacing;
        Closed::new(points.iter().map(|[x, y]| [(x - 2.0) * sx, (y - 2.0) * sy]).collect())
    };
    let loops = loops(&smoothed(plane), plane.width, plane.height);
    let curves = loops.iter().filter_map(scaled);
    let largest = curves.max_by(|a, b| a.area().total_cmp(&b.area())).filter(|curve| curve.area() > 0.0)?;
    let pixel = (plane.spacing[0] * plane.spacing[1]).sqrt();
    let points = ((2.0 * largest.length() / pixel).ceil() as usize).clamp(POINTS.0, POINTS.1);
    largest.resampled(points).smoothed(ROUNDS)
}

/// The contour whose own mask has this one: what pixels and smoothing take off at tips is put back (Van Cittert's iteration).
fn restored(curve: Closed, plane: &Plane) -> Closed {
    let reach = REACH * plane.spacing[0].max(plane.spacing[1]);
    let mut found = curve.clone();
    for _ in 0..BACK {
        let again = Plane { inside: drawn(&found, plane), ..plane.clone() };
        let Some(again) = extracted(&again) else { return found };
        let moved = curve.points().iter().zip(found.points()).map(|(seen, p)| {
            let q = again.nearest(*p);
            let d = [q[0] - p[0], q[1] - p[1]];
            let back = (reach / d[0].hypot(d[1]).max(f64::MIN_POSITIVE)).min(1.0);
            [seen[0] - back * d[0], seen[1] - back * d[1]]
        });
        match Closed::new(moved.collect()) {
            Some(next) => found = next,
            None => return found,
        }
    }
    found
}

/// The pixels whose middles are within a curve.
fn drawn(curve: &Closed, plane: &Plane) -> Vec<bool> {
    let points: Vec<[f64; 2]> =
        curve.points().iter().map(|p| [0, 1].map(|c| p[c] / plane.spacing[c] + 2.0)).collect();
    fill([&points[..]].into_iter(), plane.width, plane.height)
}

/// The pixels whose middles are within an odd number of polygons, corners in pixels.
pub(super) fn fill<'a>(
    polygons: impl Iterator<Item = &'a [[f64; 2]]>,
    width: usize,
    height: usize,
) -> Vec<bool> {
    let mut inside = vec![false; width * height];
    for points in polygons {
        for (a, b) in points.iter().zip(points.iter().cycle().skip(1)) {
            // Rows that the side crosses: from the lower end, without the upper one.
            let (low, high) = if a[1] <= b[1] { (a[1], b[1]) } else { (b[1], a[1]) };
            let rows = [low, high].map(|y| y.ceil().clamp(0.0, height as f64) as usize);
            for j in rows[0]..rows[1] {
                let x = a[0] + (j as f64 - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
                let from = x.ceil().max(0.0) as usize;
                if from < width {
                    inside[j * width + from] ^= true;
                }
            }
        }
    }
    // So far every crossing is marked; each changes all that follows in its row.
    for row in inside.chunks_exact_mut(width) {
        row.iter_mut().fold(false, |odd, pixel| {
            *pixel ^= odd;
            *pixel
        });
    }
    inside
}

/// The mask as numbers, smoothed along both axes.
fn smoothed(plane: &Plane) -> Vec<f64> {
    let mut field: Vec<f64> = plane.inside.iter().map(|inside| f64::from(u8::from(*inside))).collect();
    for step in [1, plane.width] {
        let before = field.clone();
        for n in step..before.len() - step {
            field[n] = 0.25 * before[n - step] + 0.5 * before[n] + 0.25 * before[n + step];
        }
    }
    field
}

/// Sides of a cell: below, right, above, left.
type Side = usize;

/// From which side to which the contour runs through a cell, the organ on its left, by its corners inside (below left 1, below right 2, above
/// right 4, above left 8); `middle`: whether the middle is inside, which decides where two corners across are.
fn ways(corners: usize, middle: bool) -> &'static [(Side, Side)] {
    match (corners, middle) {
        (1, _) => &[(0, 3)],
        (2, _) => &[(1, 0)],
        (3, _) => &[(1, 3)],
        (4, _) => &[(2, 1)],
        (5, true) => &[(0, 1), (2, 3)],
        (5, false) => &[(0, 3), (2, 1)],
        (6, _) => &[(2, 0)],
        (7, _) => &[(2, 3)],
        (8, _) => &[(3, 2)],
        (9, _) => &[(0, 2)],
        (10, true) => &[(3, 0), (1, 2)],
        (10, false) => &[(1, 0), (3, 2)],
        (11, _) => &[(1, 2)],
        (12, _) => &[(3, 1)],
        (13, _) => &[(0, 1)],
        (14, _) => &[(3, 0)],
        _ => &[],
    }
}

/// All closed contours of a field, in pixels; corners of cells are the middles of pixels.
fn loops(field: &[f64], width: usize, height: usize) -> Vec<Vec<[f64; 2]>> {
    // A side by the pixel it begins at: 2n to the right of it, 2n + 1 upwards.
    let mut next = vec![usize::MAX; 2 * field.len()];
    for n in (0..height - 1).flat_map(|j| (0..width - 1).map(move |i| j * width + i)) {
        let corners = [n, n + 1, n + width + 1, n + width];
        let inside = corners.iter().enumerate().filter(|(_, c)| field[**c] >= LEVEL);
        let inside: usize = inside.map(|(k, _)| 1 << k).sum();
        let middle = corners.iter().map(|&c| field[c]).sum::<f64>() / 4.0 >= LEVEL;
        let sides = [2 * n, 2 * (n + 1) + 1, 2 * (n + width), 2 * n + 1];
        for (from, to) in ways(inside, middle) {
            next[sides[*from]] = sides[*to];
        }
    }
    let place = |side: usize| {
        let n = side / 2;
        let upwards = side % 2 == 1;
        let (a, b) = (field[n], field[if upwards { n + width } else { n + 1 }]);
        let t = (LEVEL - a) / (b - a);
        let (x, y) = ((n % width) as f64, (n / width) as f64);
        if upwards { [x, y + t] } else { [x + t, y] }
    };
    let mut found = Vec::new();
    for start in 0..next.len() {
        let (mut points, mut side) = (Vec::new(), start);
        while next[side] != usize::MAX {
            points.push(place(side));
            side = std::mem::replace(&mut next[side], usize::MAX);
        }
        if !points.is_empty() {
            found.push(points);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(in crate::images) fn drawn(
        size: usize,
        spacing: [f64; 2],
        inside: impl Fn(f64, f64) -> bool,
    ) -> Plane {
        let at = |n: usize| [(n % size) as f64 * spacing[0], (n / size) as f64 * spacing[1]];
        let inside = (0..size * size).map(|n| inside(at(n)[0], at(n)[1])).collect();
        Plane { width: size, height: size, inside, spacing, ..Plane::default() }
    }

    #[test]
    fn a_disk_has_its_area_and_length_whatever_its_pixels() {
        for spacing in [[1.0, 1.0], [0.5, 1.0], [0.7, 0.4]] {
            let plane = drawn(100, spacing, |x, y| (x - 20.0).hypot(y - 18.3) < 12.0);
            let (curve, remarks) = contour(&plane).unwrap();
            let (area, length) = (std::f64::consts::PI * 144.0, std::f64::consts::TAU * 12.0);
            assert!((curve.area() / area - 1.0).abs() < 0.01, "{}", curve.area() / area);
            assert!((curve.length() / length - 1.0).abs() < 0.01, "{}", curve.length() / length);
            assert_eq!(remarks, Vec::<String>::new());
        }
    }

    #[test]
    fn a_tip_is_put_back() {
        // A wedge of 40 degrees, of which two pixels' worth is lost at the tip without.
        let plane = drawn(80, [1.0, 1.0], |x, y| {
            x > 10.3 && x < 60.0 && (y - 40.2).abs() < (x - 10.3) * 20f64.to_radians().tan()
        });
        let tip = |curve: &Closed| curve.points().iter().map(|p| p[0]).fold(f64::INFINITY, f64::min);
        let (found, plain) = (contour(&plane).unwrap().0, extracted(&plane.padded()).unwrap());
        assert!(tip(&found) < tip(&plain) - 0.5 && tip(&found) > 9.8, "{} {}", tip(&plain), tip(&found));
    }

    #[test]
    fn pieces_holes_and_borders_are_told() {
        let plane = drawn(60, [1.0, 1.0], |x, y| {
            ((x - 30.0).hypot(y - 30.0) < 15.0 && (x - 30.0).hypot(y - 30.0) > 4.0) || (x < 5.0 && y < 5.0)
        });
        let (curve, remarks) = contour(&plane).unwrap();
        assert!((curve.area() / (std::f64::consts::PI * 225.0) - 1.0).abs() < 0.02);
        assert_eq!(remarks.len(), 3, "{remarks:?}");
        for (remark, word) in remarks.iter().zip(["border", "2 pieces", "1 holes"]) {
            assert!(remark.contains(word), "{remark}");
        }
        let point = drawn(9, [1.0, 1.0], |x, y| x == 4.0 && y == 4.0);
        assert!(matches!(contour(&point), Err(Problem::Record(_))));
    }
}
