//! Kendall's shape spaces: of planar landmarks as a manifold with everything known of it, and of landmarks in the plane or in space as seen
//! from one shape.

mod flat;
mod mean;
mod preshape;
mod rows;
mod shapes;
mod space;
mod turn;

pub use rows::MeanShape;
pub use shapes::LandmarkShapes;
pub use space::Kendall;
