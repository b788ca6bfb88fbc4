//! Studies of private Riemannian optimization: Fréchet means, eigenvectors and subspaces, from files of records to a release.
//!
//! For whoever runs such studies from a program of their own; what makes the steps private is `visard-optimize`.

pub mod optimize_study;

use visard_base::fault;
use visard_estimate::estimate;
use visard_io::io;
use visard_job::job;
use visard_manifold::manifold;
use visard_optimize::optimize;
use visard_privacy::privacy;
