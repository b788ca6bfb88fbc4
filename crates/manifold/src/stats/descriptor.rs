//! Covariance descriptors of images.

use nalgebra::DMatrix;

/// The ridge added to covariance descriptors (Utpala et al. 2023).
pub const DESCRIPTOR_RIDGE: f64 = 1e-6;

/// The covariance descriptor of an image: 9 × 9 for one channel, 11 × 11 for three (Tuzel et al. 2006; Utpala et al. 2023, stencils
/// corrected). `image`: row by row, the channels of a pixel together, values in [0, 1].
///
/// Features of a pixel: x, y ∈ [0, 1], intensity (or red, green, blue), |I_x|, |I_y|, |I_xx|, |I_yy|, √(I_x² + I_y²),
/// arctan(|I_x|/|I_y|); covariance with 1/pixels, plus 1e-6 on the diagonal. Derivatives are Sobel-type stencils
/// normalized to [−1, 1], borders continued; those of colour images are of the mean of the three channels.
pub fn covariance_descriptor(image: &[f64], height: usize, width: usize, channels: usize) -> DMatrix<f64> {
    let (h, w, c) = (height, width, channels);
    let grey: Vec<f64> = image.chunks_exact(c).map(|p| p.iter().sum::<f64>() / c as f64).collect();
    let dim = 8 + c;
    let mut sum = vec![0.0; dim];
    let mut product = DMatrix::<f64>::zeros(dim, dim);
    let along = |i: usize, n: usize| if n > 1 { i as f64 / (n - 1) as f64 } else { 0.5 };
    for row in 0..h {
        for column in 0..w {
            let stencil = |kernel: &dyn Fn(i64, i64) -> f64, reach: i64| -> f64 {
                let mut total = 0.0;
                for dy in -reach..=reach {
                    for dx in -reach..=reach {
                        let k = kernel(dx, dy);
                        if k != 0.0 {
                            let y = (row as i64 + dy).clamp(0, h as i64 - 1) as usize;
                            let x = (column as i64 + dx).clamp(0, w as i64 - 1) as usize;
                            total += k * grey[y * w + x];
                        }
                    }
                }
                total
            };
            let first = |along: i64, across: i64| {
                f64::from(-along as i32) * [2.0, 1.0][across.unsigned_abs() as usize] / 4.0
            };
            let second = |along: i64, across: i64| {
                [-2.0, 0.0, 1.0][along.unsigned_abs() as usize]
                    * [6.0, 4.0, 1.0][across.unsigned_abs() as usize]
                    / 32.0
            };
            let ix = stencil(&|dx, dy| first(dx, dy), 1).abs();
            let iy = stencil(&|dx, dy| first(dy, dx), 1).abs();
            let ixx = stencil(&|dx, dy| second(dx, dy), 2).abs();
            let iyy = stencil(&|dx, dy| second(dy, dx), 2).abs();
            let mut f = vec![along(column, w), along(row, h)];
            f.extend_from_slice(&image[(row * w + column) * c..(row * w + column + 1) * c]);
            f.extend([ix, iy, ixx, iyy, ix.hypot(iy), ix.atan2(iy)]);
            for i in 0..dim {
                sum[i] += f[i];
                for j in 0..=i {
                    product[(i, j)] += f[i] * f[j];
                }
            }
        }
    }
    let pixels = (h * w) as f64;
    DMatrix::from_fn(dim, dim, |i, j| {
        let (a, b) = (i.max(j), i.min(j));
        let ridge = if i == j { DESCRIPTOR_RIDGE } else { 0.0 };
        product[(a, b)] / pixels - sum[a] / pixels * (sum[b] / pixels) + ridge
    })
}
