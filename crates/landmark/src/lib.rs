//! Landmarks of one record at a time: filled, slid, split by symmetry; and Procrustes fits.
//!
//! For whoever works with landmarks in two or three dimensions, with no privacy in mind.
//!
//! ```
//! use nalgebra::dmatrix;
//! use visard_landmark::landmark::full_distance;
//! let triangle = dmatrix![0.0, 0.0; 1.0, 0.0; 0.0, 1.0];
//! let larger = dmatrix![5.0, 5.0; 5.0, 8.0; 2.0, 5.0];
//! assert!(full_distance(&triangle, &larger)? < 1e-7);
//! # Ok::<(), visard_landmark::landmark::LandmarkError>(())
//! ```

pub mod landmark;
