//! Registered scans on disk, so that an interrupted study continues where it stopped: one by one, named by a hash of the scan, of its marks and
//! of all that shapes a record.

use super::row::SurfaceRow;
use crate::io::{Limit, WriteError, internal, npy, open, write_bytes};
use crate::mesh::Point;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The records of a study.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
    making: [u8; 32],
    vertices: usize,
}

/// A registered scan, or why it is none.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub row: SurfaceRow,
    /// In the template's frame.
    pub vertices: Option<Vec<Point>>,
}

impl Cache {
    /// In `folder`, of surfaces of so many vertices; `making` is any text that changes whenever a record would.
    pub fn new(folder: PathBuf, making: &str, vertices: usize) -> Self {
        Self { folder, making: Sha256::digest(making).into(), vertices }
    }

    /// The name of the record of these bytes.
    pub fn key(&self, parts: &[[u8; 32]]) -> String {
        let mut hash = Sha256::new();
        hash.update(self.making);
        parts.iter().for_each(|part| hash.update(part));
        let sum: [u8; 32] = hash.finalize().into();
        hex::encode(&sum[..16])
    }

    /// The record of this name, if it is whole.
    pub fn load(&self, key: &str) -> Option<Made> {
        let row = open(&self.folder.join(format!("{key}.json")), Limit::SMALL).ok()?;
        let row: SurfaceRow = serde_json::from_slice(row.bytes()).ok()?;
        if !row.problem.is_empty() {
            return Some(Made { row, vertices: None });
        }
        let array = npy::read(&self.folder.join(format!("{key}.surface.npy"))).ok()?;
        let whole = array.shape == [self.vertices, 3] && array.data.iter().all(|x| x.is_finite());
        let points = || array.data.chunks_exact(3).map(|p| Point::new(p[0], p[1], p[2])).collect();
        whole.then(|| Made { row, vertices: Some(points()) })
    }

    /// Keeps a record; the row is written last, so that a torn write is never taken for one.
    ///
    /// # Errors
    /// Whatever writing reports.
    pub fn store(&self, key: &str, made: &Made) -> Result<(), WriteError> {
        if let Some(vertices) = &made.vertices {
            let data: Vec<f64> = vertices.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
            internal::write_npy(
                &self.folder.join(format!("{key}.surface.npy")),
                &[vertices.len(), 3],
                &data,
            )?;
        }
        let row = serde_json::to_vec(&made.row).unwrap_or_default();
        write_bytes(&self.folder.join(format!("{key}.json")), &row)
    }
}
