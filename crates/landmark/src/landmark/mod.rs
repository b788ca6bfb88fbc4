//! The geometry of one configuration of landmarks at a time, in the plane and in space: what is missing is filled, points of curves slide,
//! bilateral objects are split into their symmetric and asymmetric part; and Procrustes fits.
//!
//! A configuration is a k × d matrix, a row for each landmark, d = 2 or 3. What is done to a record here looks at that record and at a
//! template that is public (or noised already), at no other record: it is part of the record, and costs no privacy. [`generalized`] alone
//! looks at many: it is for public shapes, and for the data holder.

mod error;
mod fill;
mod pairs;
mod procrustes;
mod slide;
mod thin_plate;

pub use error::LandmarkError;
pub use fill::{fill, is_missing};
pub use pairs::{Pairs, Split, is_nearer_mirrored, reflected};
pub use procrustes::{
    Generalized, GeneralizedOptions, centred, centroid_size, full_distance, generalized, rotated_onto,
    rotation, unit_size,
};
pub use slide::{Slider, slide, sliders_along};
pub use thin_plate::{ThinPlate, bending_matrix};

use nalgebra::DMatrix;

/// k × d, a row for each landmark.
pub type Configuration = DMatrix<f64>;
