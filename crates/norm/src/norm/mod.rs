//! A release of how faces vary, and what is made of it: [`people`] reads it, [`rest`] is the public model of what its modes do not hold,
//! [`sample`] draws synthetic people, [`fidelity`] forecasts what these are good for; [`shapes`] does so for landmarks.

pub mod fidelity;
pub mod people;
pub mod rest;
pub mod sample;
pub mod shapes;

pub use people::People;
pub use sample::{MOST_FACES, SampleRequest, Sampled, sample};
