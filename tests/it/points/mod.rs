//! Private means of shapes, matrices, directions and hyperbolic points from the command line, end to end.

mod first_record;
mod landmarks;
mod neighbours;
mod plain_means;
mod private_centres;
mod refusals;
mod releases;
mod support;
mod tables;
mod unusable;
