//! Masks of organs in medical images, read with spacing and orientation and made into outlines and surfaces, one record at a time.
//!
//! For whoever has segmentations and wants shapes: PNG, TIFF, NumPy, NIfTI-1, NRRD and DICOM (SEG, RT STRUCT).
//!
//! * [`images`]: readers, contours, elastic correspondence of outlines, surfaces of volumes.

pub mod images;

use visard_geometry::mesh;
use visard_io::io;
