//! Where points lie, how far they reach, and whether they are mirrored.

/// Centroid and size of points: what tells one frame from another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The centroid.
    pub centre: [f64; 3],
    /// The root-mean-square distance from it.
    pub size: f64,
}

impl Frame {
    /// Of `(points, 3)` coordinates; NaN without any.
    pub fn of(points: &[f64]) -> Self {
        let (points, _) = points.as_chunks::<3>();
        let n = points.len() as f64;
        let sum = points.iter().fold([0.0; 3], |sum, p| [sum[0] + p[0], sum[1] + p[1], sum[2] + p[2]]);
        let centre = sum.map(|sum| sum / n);
        let square: f64 =
            points.iter().map(|p| square(p[0] - centre[0], p[1] - centre[1], p[2] - centre[2])).sum();
        Self { centre, size: (square / n).sqrt() }
    }

    /// The distance of its centroid from another's.
    pub fn off(&self, other: &Self) -> f64 {
        let [a, b] = [self.centre, other.centre];
        square(a[0] - b[0], a[1] - b[1], a[2] - b[2]).sqrt()
    }
}

/// Whether `(points, 3)` coordinates are nearer to those of a template when x is turned round.
pub fn is_mirrored(points: &[f64], template: &[f64]) -> bool {
    let pairs = points.as_chunks::<3>().0.iter().zip(template.as_chunks::<3>().0);
    let (mut straight, mut turned) = (0.0, 0.0);
    for (p, q) in pairs {
        let [y, z] = [p[1] - q[1], p[2] - q[2]];
        straight += square(p[0] - q[0], y, z);
        turned += square(-p[0] - q[0], y, z);
    }
    turned < straight
}

fn square(x: f64, y: f64, z: f64) -> f64 {
    x * x + y * y + z * z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_move_and_grow_with_their_points() {
        let points = [1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, -2.0, 0.0];
        let frame = Frame::of(&points);
        assert_eq!(frame, Frame { centre: [0.0; 3], size: 2.5f64.sqrt() });
        let moved: Vec<f64> =
            points.iter().enumerate().map(|(i, x)| 3.0 * x + f64::from(u8::from(i % 3 == 2))).collect();
        let found = Frame::of(&moved);
        assert!((found.size / frame.size - 3.0).abs() < 1e-15 && (found.off(&frame) - 1.0).abs() < 1e-15);
        let lopsided = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let turned = [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        assert!(is_mirrored(&turned, &lopsided) && !is_mirrored(&lopsided, &lopsided));
        assert!(Frame::of(&[]).size.is_nan());
    }
}
