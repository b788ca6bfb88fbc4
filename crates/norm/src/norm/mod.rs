//! A release of how faces vary, and what is made of it: [`people`] reads it, [`rest`] is the public model of what its modes do not hold,
//! [`mod@sample`] draws synthetic people, [`fidelity`] forecasts what these are good for; [`shapes`] does so for landmarks.
//! [`law`] is how people are expected to vary along released modes, [`assess`] holds a patient against that, part by part in [`face_parts`], [`patient`] writes what is
//! found; [`shape_assess`] and [`shape_patient`] do so for landmarks, [`matrix_assess`] for matrices,
//! [`surface_assess`] and [`surface_sample`] for surfaces of any kind.

pub mod assess;
mod assess_page;
mod drawn;
pub mod face_parts;
pub mod fidelity;
mod folds;
pub mod law;
pub mod map;
pub mod matrix_assess;
pub mod patient;
pub mod people;
mod release;
pub mod rest;
pub mod sample;
pub mod shape_assess;
pub mod shape_patient;
pub mod shapes;
pub mod surface_assess;
pub mod surface_sample;
mod surfaces;

pub use people::People;
pub use sample::{MOST_FACES, SampleRequest, Sampled, sample};
