//! The records of the three problems, from public files: covariance descriptors of image tiles, digits, a tree's embedding.

use crate::io::npy::{self, Array};
use crate::io::{Limit, open};
use crate::manifold::PoincareBall;
use crate::optimize::{Tree, TreeEmbedding, TreeError};
use crate::stats::covariance_descriptor;
use nalgebra::{DMatrix, DVector};
use rand::SeedableRng;
use std::path::Path;

/// Records that could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] crate::io::ReadError),
    /// A file of another shape.
    #[error("{0} does not have the expected shape")]
    Shape(String),
    /// The tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The embedding's space.
    #[error(transparent)]
    Manifold(#[from] crate::manifold::ManifoldError),
}

/// Digits as unit vectors, one a column: `images/mnist_digits_uint8.npy` where the label is in `digits` (all if empty).
///
/// # Errors
/// [`RecordsError`].
pub fn digits(data: &Path, digits: &[u32]) -> Result<DMatrix<f64>, RecordsError> {
    let images = npy::read(&data.join("images/mnist_digits_uint8.npy"))?;
    let labels = npy::read(&data.join("images/mnist_digits_labels.npy"))?;
    let pixels: usize = images.shape[1..].iter().product();
    let columns: Vec<DVector<f64>> = images
        .data
        .chunks_exact(pixels)
        .zip(&labels.data)
        .filter(|(_, label)| digits.is_empty() || digits.contains(&(**label as u32)))
        .map(|(image, _)| DVector::from_column_slice(image).normalize())
        .collect();
    Ok(DMatrix::from_columns(&columns))
}

/// Covariance descriptors of 28 × 28 colour tiles cut from a picture every `stride` pixels; the picture is put together from
/// the tiles in `images/<name>_tiles_uint8.npy` (tiles with missing pixels are left out). With a stride below 28 the tiles
/// overlap: as many records as the paper's set has, but not independent ones.
///
/// # Errors
/// [`RecordsError`].
pub fn tile_descriptors(data: &Path, name: &str, stride: usize) -> Result<Vec<DMatrix<f64>>, RecordsError> {
    let file = data.join(format!("images/{name}_tiles_uint8.npy"));
    let tiles = npy::read(&file)?;
    let wrong = || RecordsError::Shape(file.display().to_string());
    let [count, 28, 28, 3] = tiles.shape[..] else { return Err(wrong()) };
    let places = open(&data.join(format!("images/{name}_tiles.csv")), Limit::SMALL)?;
    let corners: Vec<(usize, usize)> = places
        .text()?
        .lines()
        .skip(1)
        .filter_map(|line| {
            let cells: Vec<usize> = line.split(',').filter_map(|cell| cell.trim().parse().ok()).collect();
            Some((*cells.get(3)?, *cells.get(4)?))
        })
        .collect();
    if corners.len() != count || count == 0 {
        return Err(wrong());
    }
    let picture = Picture::assemble(&tiles, &corners);
    let mut descriptors = Vec::new();
    for top in (0..=picture.height - TILE).step_by(stride) {
        for left in (0..=picture.width - TILE).step_by(stride) {
            descriptors.extend(
                picture.tile(top, left).map(|tile| covariance_descriptor(tile.as_flattened(), TILE, TILE, 3)),
            );
        }
    }
    Ok(descriptors)
}

const TILE: usize = 28;

struct Picture {
    height: usize,
    width: usize,
    /// Colours in [0, 1], NaN where nothing is known.
    pixels: Vec<[f64; 3]>,
}

impl Picture {
    fn assemble(tiles: &Array, corners: &[(usize, usize)]) -> Self {
        let height = corners.iter().map(|c| c.0).max().unwrap_or(0) + TILE;
        let width = corners.iter().map(|c| c.1).max().unwrap_or(0) + TILE;
        let mut pixels = vec![[f64::NAN; 3]; height * width];
        for (tile, (top, left)) in tiles.data.chunks_exact(TILE * TILE * 3).zip(corners) {
            for (i, rgb) in tile.chunks_exact(3).enumerate() {
                let place = (top + i / TILE) * width + left + i % TILE;
                pixels[place] = [rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0];
            }
        }
        Self { height, width, pixels }
    }

    fn tile(&self, top: usize, left: usize) -> Option<Vec<[f64; 3]>> {
        let tile: Vec<[f64; 3]> = (0..TILE)
            .flat_map(|row| {
                let start = (top + row) * self.width + left;
                self.pixels[start..start + TILE].iter().copied()
            })
            .collect();
        tile.iter().all(|rgb| rgb[0].is_finite()).then_some(tile)
    }
}

/// The WordNet mammals in the Poincaré ball of dimension `dim`, trained on the transitive closure; with the mean rank of
/// ancestors, which says how well. `quick`: a fifth of the passes.
///
/// # Errors
/// [`RecordsError`].
pub fn mammals(data: &Path, dim: usize, quick: bool) -> Result<(Vec<DVector<f64>>, f64), RecordsError> {
    let tree = Tree::from_csv(open(&data.join("hyperbolic/mammals_closure.csv"), Limit::SMALL)?.text()?)?;
    let ball = PoincareBall::new(dim)?;
    let trainer = TreeEmbedding { epochs: if quick { 20 } else { 100 }, ..TreeEmbedding::default() };
    let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(1);
    let points = trainer.train(&ball, &DVector::zeros(dim), &tree, &mut rng);
    let rank = tree.mean_rank(&ball, &points);
    Ok((points, rank))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::DESCRIPTOR_RIDGE;

    #[test]
    fn descriptors_of_known_tiles() {
        // A ramp of slope 0.02 a pixel to the right: I_x is 4·¼·... = 0.04 inside, I_y zero, colours fully correlated with x.
        let ramp: Vec<[f64; 3]> = (0..784).map(|i| [0.02 * (i % 28) as f64; 3]).collect();
        let cov = covariance_descriptor(ramp.as_flattened(), 28, 28, 3);
        let variance_x = (28.0f64 * 28.0 - 1.0) / 12.0 / 27.0f64.powi(2);
        assert!((cov[(0, 0)] - DESCRIPTOR_RIDGE - variance_x).abs() < 1e-12);
        assert!((cov[(2, 0)] - 0.02 * 27.0 * variance_x).abs() < 1e-12 && cov[(0, 1)].abs() < 1e-12);
        assert!((cov[(2, 3)] - (0.54f64).powi(2) * variance_x).abs() < 1e-12);
        assert!(
            (cov[(6, 6)] - DESCRIPTOR_RIDGE).abs() < 1e-12 && (cov[(8, 8)] - DESCRIPTOR_RIDGE).abs() < 1e-12,
            "nothing along y"
        );
        // |I_x| is 0.04 but at the two borders, where it is half of that.
        let p = 2.0 / 28.0;
        assert!(
            (cov[(5, 5)] - DESCRIPTOR_RIDGE - 0.02f64.powi(2) * p * (1.0 - p)).abs() < 1e-12,
            "{}",
            cov[(5, 5)]
        );
        // A constant tile: only positions vary.
        let flat = covariance_descriptor(&[0.3; 3 * 784], 28, 28, 3);
        assert!((flat[(4, 4)] - DESCRIPTOR_RIDGE).abs() < 1e-12 && flat.clone().cholesky().is_some());
    }
}
