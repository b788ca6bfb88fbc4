//! Differentially private shapes and surfaces.
//!
//! The house, in the order the data flows:
//!
//! * [`io`]: scans, landmarks and results, read and written without trusting a byte of them.
//! * [`mesh`]: triangle meshes, Delaunay meshes of point clouds, topology and its repair, pose.
//! * [`conformal`]: disk-conformal maps, Möbius recentring, their quality.
//! * [`surface`]: disk-parameterized surfaces, SRNF registration, face radial curves.
//! * [`function`]: Hilbert spaces on the circle and the disk: bases, kernels, smoothing, shrinkage.
//! * [`manifold`]: Riemannian manifolds as values: shapes, spheres, positive definite matrices, hyperbolic spaces.
//! * [`stats`]: Fréchet means and geodesic balls, without privacy.
//! * [`privacy`]: budgets, accountants, the ledger, certificates, noise.
//! * [`mechanism`]: statistics with a price: one folder per mechanism.
//! * [`optimize`]: private Riemannian gradient methods and their accounting.
//! * [`sparse`]: sparse symmetric systems, below everything.
//! * [`synth`]: synthetic populations made by our own generator.
//! * [`report`]: pictures, charts and the self-contained HTML report.
//! * [`study`]: whole jobs, resumable, record by record.
//! * [`reproduce`]: the papers' tables and figures, ours beside them.

pub mod conformal;
pub mod function;
pub mod io;
pub mod manifold;
pub mod mechanism;
pub mod mesh;
pub mod optimize;
pub mod privacy;
pub mod report;
pub mod reproduce;
pub mod sparse;
pub mod stats;
pub mod study;
pub mod surface;
pub mod synth;
