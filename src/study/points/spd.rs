//! Symmetric positive definite matrices: covariance descriptors of images, diffusion tensors, connectomes.

use super::PointStudyError;
use crate::io::{npy, write_npy};
use crate::stats::{DESCRIPTOR_RIDGE, covariance_descriptor};
use nalgebra::DMatrix;
use rayon::prelude::*;
use std::path::Path;

/// Matrices of one order.
#[derive(Debug, Clone)]
pub struct Matrices {
    /// k.
    pub order: usize,
    /// Each symmetric positive definite, or what is wrong with it.
    pub matrices: Vec<Result<DMatrix<f64>, String>>,
}

/// Reads matrices from an NPY file of shape (n, k, k) or (k, k), and checks that each is symmetric positive definite.
///
/// # Errors
/// [`PointStudyError`] for a file that holds no such array.
pub fn read_matrices(path: &Path) -> Result<Matrices, PointStudyError> {
    let array = npy::read(path)?;
    let k = match array.shape[..] {
        [_, k, l] | [k, l] if k == l && k > 0 => k,
        _ => {
            return Err(PointStudyError::Input(format!(
                "{}: holds an array of shape {:?}; matrices are (n, k, k)",
                path.display(),
                array.shape
            )));
        }
    };
    let matrices: Vec<_> =
        array.data.chunks_exact(k * k).map(|m| check(DMatrix::from_row_slice(k, k, m))).collect();
    match matrices.is_empty() {
        true => Err(PointStudyError::Input(format!("{}: holds no matrices", path.display()))),
        false => Ok(Matrices { order: k, matrices }),
    }
}

fn check(m: DMatrix<f64>) -> Result<DMatrix<f64>, String> {
    if !m.iter().all(|x| x.is_finite()) {
        return Err("has an entry that is NaN or infinite; repair or remove it".into());
    }
    let asymmetry = (&m - m.transpose()).amax();
    if asymmetry > 1e-8 * m.amax() {
        return Err("is not symmetric; symmetrize it before the study".into());
    }
    if m.clone().cholesky().is_none() {
        return Err("is not positive definite; add a multiple of the identity before the study".into());
    }
    Ok(m)
}

/// Writes matrices as `name.npy`: shape (k, k) for one, (draws, k, k) for several.
///
/// # Errors
/// [`PointStudyError`].
pub fn write_matrices(folder: &Path, name: &str, points: &[DMatrix<f64>]) -> Result<(), PointStudyError> {
    let k = points.first().map_or(0, DMatrix::nrows);
    let data: Vec<f64> = points
        .iter()
        .flat_map(|m| (0..k * k).map(move |i| 0.5 * (m[(i / k, i % k)] + m[(i % k, i / k)])))
        .collect();
    let shape = if points.len() == 1 { vec![k, k] } else { vec![points.len(), k, k] };
    Ok(write_npy(&folder.join(format!("{name}.npy")), &shape, &data)?)
}

/// Images of one size: `channels` is 1 (grey) or 3 (red, green, blue), values in [0, 1].
#[derive(Debug, Clone)]
pub struct Images {
    /// Rows of an image.
    pub height: usize,
    /// Columns of an image.
    pub width: usize,
    /// 1 or 3.
    pub channels: usize,
    /// One image after the other, row by row, channels together.
    pub data: Vec<f64>,
}

impl Images {
    /// From an NPY file of shape (n, h, w), (n, h, w, 1) or (n, h, w, 3); values from 0 to `white`.
    ///
    /// # Errors
    /// [`PointStudyError`].
    pub fn read_npy(path: &Path, white: f64) -> Result<Self, PointStudyError> {
        let array = npy::read(path)?;
        let (height, width, channels) = match array.shape[..] {
            [_, h, w] | [_, h, w, 1] => (h, w, 1),
            [_, h, w, 3] => (h, w, 3),
            _ => {
                return Err(PointStudyError::Input(format!(
                    "{}: holds an array of shape {:?}; images are (n, height, width) or (n, height, width, 3)",
                    path.display(),
                    array.shape
                )));
            }
        };
        if !array.data.iter().all(|x| (0.0..=white).contains(x)) {
            return Err(PointStudyError::Input(format!(
                "{}: has values outside 0 to {white}; give the value of white as --white",
                path.display()
            )));
        }
        let data = array.data.into_iter().map(|x| x / white).collect();
        Ok(Self { height, width, channels, data })
    }

    /// All PNG images of a folder, in the order of their names.
    ///
    /// # Errors
    /// [`PointStudyError`] naming the file: not a PNG, or of another size or colour than the first.
    pub fn read_folder(folder: &Path) -> Result<Self, PointStudyError> {
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .map_err(|e| crate::io::ReadError::new(folder, e))?
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")))
            .collect();
        files.sort();
        let mut all: Option<Self> = None;
        for file in &files {
            let fail = |problem: &str| PointStudyError::Input(format!("{}: {problem}", file.display()));
            let image = decode(file).map_err(|problem| fail(&problem))?;
            match &mut all {
                None => all = Some(image),
                Some(all) => {
                    if (all.height, all.width, all.channels) != (image.height, image.width, image.channels) {
                        return Err(fail(
                            "differs from the first image in size or colour; crop and convert all alike",
                        ));
                    }
                    all.data.extend(image.data);
                }
            }
        }
        all.ok_or_else(|| PointStudyError::Input(format!("{}: holds no .png images", folder.display())))
    }

    /// Number of images.
    pub fn len(&self) -> usize {
        self.data.len() / (self.height * self.width * self.channels).max(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The covariance descriptor of every image: 9 × 9 for grey, 11 × 11 for colour (Tuzel et al. 2006; Utpala et al. 2023,
    /// stencils corrected).
    ///
    /// See [`covariance_descriptor`].
    pub fn descriptors(&self) -> Vec<DMatrix<f64>> {
        let size = (self.height * self.width * self.channels).max(1);
        let (height, width) = (self.height, self.width);
        self.data
            .par_chunks_exact(size)
            .map(|image| covariance_descriptor(image, height, width, self.channels))
            .collect()
    }
}

/// A ball in the log-Euclidean metric that holds every covariance descriptor whatever the image: centre c·I and radius.
///
/// The eigenvalues lie in [η, T + η], T the largest trace: features in [0, 1] have variance at most ¼ (seven of them grey, nine
/// colour), the gradient norm in [0, √2] ½, the angle in [0, π/2] π²/16. ln of the eigenvalues therefore lies within half of
/// ln((T + η)/η) of its middle: radius √k/2 · ln((T + η)/η). No data are looked at.
pub fn descriptor_ball(order: usize) -> Option<(DMatrix<f64>, f64)> {
    let quarter = match order {
        9 => 7.0,
        11 => 9.0,
        _ => return None,
    };
    let trace = 0.25 * quarter + 0.5 + std::f64::consts::PI.powi(2) / 16.0;
    let (low, high) = (DESCRIPTOR_RIDGE.ln(), (trace + DESCRIPTOR_RIDGE).ln());
    let centre = DMatrix::from_diagonal_element(order, order, (0.5 * (low + high)).exp());
    Some((centre, 0.5 * (order as f64).sqrt() * (high - low)))
}

fn decode(file: &Path) -> Result<Images, String> {
    let reader = std::fs::File::open(file).map_err(|e| format!("cannot be read: {e}"))?;
    let mut decoder = png::Decoder::new(std::io::BufReader::new(reader));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let broken =
        |e: png::DecodingError| format!("is not a PNG image that can be read ({e}); export it again");
    let mut reader = decoder.read_info().map_err(broken)?;
    let size = reader.output_buffer_size().ok_or("is too large an image")?;
    let mut buffer = vec![0; size];
    let info = reader.next_frame(&mut buffer).map_err(broken)?;
    let (step, channels) = match info.color_type {
        png::ColorType::Grayscale => (1, 1),
        png::ColorType::GrayscaleAlpha => (2, 1),
        png::ColorType::Rgb => (3, 3),
        png::ColorType::Rgba => (4, 3),
        png::ColorType::Indexed => return Err("is a palette image that could not be expanded".into()),
    };
    let (width, height) = (info.width as usize, info.height as usize);
    let data = buffer[..width * height * step]
        .chunks_exact(step)
        .flat_map(|p| p[..channels].iter().map(|v| f64::from(*v) / 255.0))
        .collect();
    Ok(Images { height, width, channels, data })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images(channels: usize, value: impl Fn(usize) -> f64) -> Images {
        let data = (0..2 * 12 * 10 * channels).map(value).collect();
        Images { height: 12, width: 10, channels, data }
    }

    #[test]
    fn flat_images_have_position_variance_only() {
        let d = images(1, |_| 0.5).descriptors().remove(0);
        assert_eq!(d.shape(), (9, 9));
        // Var of i/(w−1), i = 0..w−1, is (w + 1)/(12 (w − 1)).
        assert!(
            (d[(0, 0)] - 11.0 / 108.0 - 1e-6).abs() < 1e-12
                && (d[(1, 1)] - 13.0 / 132.0 - 1e-6).abs() < 1e-12
        );
        assert!(d[(0, 1)].abs() < 1e-15 && (2..9).all(|i| (d[(i, i)] - 1e-6).abs() < 1e-15));
    }

    #[test]
    fn a_ramp_has_constant_derivatives() {
        // I = column/9: the Sobel stencil of slope s gives 8s/4 = 2s inside; borders halve it.
        let ramp = images(1, |i| (i % 10) as f64 / 9.0);
        let d = ramp.descriptors().remove(0);
        assert!((d[(2, 2)] - d[(0, 0)]).abs() < 1e-12 && (d[(0, 2)] - (d[(0, 0)] - 1e-6)).abs() < 1e-12);
        let expected = (2.0 / 9.0 - 1.0 / 9.0_f64).powi(2) * 0.2 * 0.8;
        assert!((d[(3, 3)] - 1e-6 - expected).abs() < 1e-12, "{} {expected}", d[(3, 3)]);
        assert!((d[(4, 4)] - 1e-6).abs() < 1e-12);
    }

    #[test]
    fn descriptors_lie_in_their_public_ball() {
        use crate::manifold::{Manifold, SpdLogEuclidean};
        for channels in [1, 3] {
            let noisy = images(channels, |i| ((i * 7919) % 257 % 2) as f64);
            for d in noisy.descriptors() {
                let (centre, radius) = descriptor_ball(d.nrows()).unwrap();
                assert!(SpdLogEuclidean::new(d.nrows()).unwrap().dist(&centre, &d) < radius);
            }
        }
        // The figures of theory.md: √k ln((T + η)/η) = 44.61 and 49.85.
        assert!((2.0 * descriptor_ball(9).unwrap().1 - 44.61).abs() < 0.01);
        assert!((2.0 * descriptor_ball(11).unwrap().1 - 49.85).abs() < 0.01);
    }
}
