//! Differentially private shapes and surfaces.
//!
//! Average shapes of people, published with a guarantee: whoever sees the release, and knows everybody else's record, can hardly tell
//! what any one person's was. This is the library under the `visard` command; whatever the command does, these functions do.
//!
//! A study from its files to its release:
//!
//! ```
//! use visard::prelude::*;
//! use visard::io::shapes::{ShapeRecord, write_tps};
//! use visard::synth::{OUTLINE_RADIUS, outline_atlas, outline_population};
//!
//! // Two hundred made-up outlines, and a public one.
//! let folder = tempfile::tempdir()?;
//! let (records, atlas) = (folder.path().join("outlines.tps"), folder.path().join("atlas.tps"));
//! let people = outline_population(1, 200).into_iter();
//! let record = |landmarks: Vec<[f64; 2]>| ShapeRecord::planar(None, &landmarks);
//! write_tps(&records, &people.map(record).collect::<Vec<_>>())?;
//! write_tps(&atlas, &[record(outline_atlas())])?;
//!
//! // The private mean: μ-GDP with μ = 1, charged to the study's ledger before any noise is drawn.
//! let budget = PrivacyLoss::Gaussian(Mu::new(1.0)?);
//! let request = PointRequest::new(Place::new(folder.path().join("study")), PointMechanism::TangentGaussian, budget);
//! let (centre, radius) = (ShapeCentre::File(atlas), ShapeRadius::Public(OUTLINE_RADIUS));
//! let outcome = run_shapes(&ShapeStudy::new(records, centre, radius, request))?;
//!
//! // What may be published, and what it guarantees.
//! assert!(outcome.folder.release().join("mean.tps").exists());
//! let certificate = outcome.certificate.ok_or("nothing was released")?;
//! assert!(certificate.private && certificate.n == 200);
//! println!("{}", visard::privacy::explain(&certificate));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! And a mechanism by itself, on records in memory:
//!
//! ```
//! use visard::prelude::*;
//! use visard::privacy::ClippedMean;
//! let mean = ClippedMean::new(2, 3, ClipRadius::new(1.0, ClipSource::Public)?, Mu::new(1.0)?)?;
//! let records = [Some(vec![0.5, 0.5]), Some(vec![300.0, 0.0]), None];
//! let released = release(&mean, &records[..], &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
//! assert_eq!(released.value.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The house, in the order the data flows
//!
//! * [`io`]: scans, landmarks, tables and results, read and written without trusting a byte of them.
//! * [`mesh`]: triangle meshes, Delaunay meshes of point clouds, topology and its repair, pose.
//! * [`conformal`]: disk-conformal maps, Möbius recentring, their quality.
//! * [`surface`]: disk-parameterized surfaces, registration to the template, face radial curves.
//! * [`function`]: Hilbert spaces on the circle and the disk: bases, kernels, smoothing, shrinkage.
//! * [`manifold`]: Riemannian manifolds as values: shapes, spheres, positive definite matrices, hyperbolic spaces.
//! * [`landmark`]: configurations of landmarks one at a time: filled, slid, split by symmetry; Procrustes fits.
//! * [`stats`]: Fréchet means and geodesic balls, without privacy.
//! * [`images`]: masks of organs in medical images, made into outlines and surfaces.
//! * [`privacy`]: budgets, accountants, the ledger, certificates, noise, and [`privacy::release`], the one way out.
//! * [`estimate`]: what noised second moments tell, for free: single records' spread, confidence bands.
//! * [`mechanism`]: statistics with a price: one folder per mechanism, one line in [`mechanism::registry`].
//! * [`optimize`]: private Riemannian gradient methods and their accounting.
//! * [`numeric`]: sparse systems, integrals, margins for rounding: below everything.
//! * [`synth`]: synthetic populations made by our own generator.
//! * [`report`]: pictures, charts and the self-contained HTML report.
//! * [`study`]: whole jobs with one lifecycle, [`study::job`].
//! * [`norm`]: what follows, for free, from a release of how people vary: synthetic people.
//! * [`sites`]: one release of many sites' people, nothing pooled.
//! * [`parts`]: one mean of very many prepared faces, added up in parts by any engine.
//! * [`surface_study`]: studies of surfaces of any kind.
#![cfg_attr(
    feature = "cli",
    doc = "* [`command`]: what the command answers to the words of its line, in one process with a caller."
)]
#![cfg_attr(
    feature = "reproduce",
    doc = "* [`reproduce`]: the papers' tables and figures, ours beside them."
)]
//!
//! # Features
//! `cli` (default): what the command needs. `reproduce` (default): the papers and the peers. A library needs neither:
//! `default-features = false`.

// The command names the library as its users do.
#[cfg(feature = "cli")]
extern crate self as visard;

#[cfg(feature = "cli")]
mod cli;

#[doc(inline)]
pub use visard_base::numeric;
#[doc(inline)]
pub use visard_estimate::estimate;
#[doc(inline)]
pub use visard_geometry::{conformal, function, mesh, surface, synth};
#[doc(inline)]
pub use visard_images::images;
#[doc(inline)]
pub use visard_io::io;
#[doc(inline)]
pub use visard_landmark::landmark;
#[doc(inline)]
pub use visard_manifold::{manifold, stats};
#[doc(inline)]
pub use visard_mechanism::mechanism;
#[doc(inline)]
pub use visard_norm::norm;
#[doc(inline)]
pub use visard_optimize::optimize;
#[doc(inline)]
pub use visard_parts::parts;
#[doc(inline)]
pub use visard_privacy::privacy;
#[doc(inline)]
pub use visard_report::report;
#[cfg(feature = "reproduce")]
#[doc(inline)]
pub use visard_reproduce::reproduce;
#[doc(inline)]
pub use visard_sites::sites;
#[doc(inline)]
pub use visard_study::study;
#[doc(inline)]
pub use visard_surface::surface_study;

/// Vectors and matrices are those of this version of nalgebra.
pub use nalgebra;

/// The command `visard`: for its own process, and for others that ask as it is asked and are answered as with `--json`.
#[cfg(feature = "cli")]
pub mod command {
    #[doc(hidden)]
    pub use crate::cli::interface;
    pub use crate::cli::{Answer, Progress, Refusal, answer, main, main_of};
}

/// What most programs need.
pub mod prelude {
    pub use crate::manifold::Manifold;
    pub use crate::privacy::noise::NoiseSource;
    pub use crate::privacy::{
        Certificate, ClipRadius, ClipSource, Delta, Epsilon, Ledger, Mechanism, Mu, PrivacyLoss, release,
    };
    pub use crate::study::face::{FaceMechanism, FaceStudySettings};
    pub use crate::study::points::{
        PointMechanism, PointRequest, ShapeCentre, ShapeRadius, ShapeStudy, SpdCentre, SpdMetric, SpdStudy,
        VectorCentre, VectorSpace, VectorStudy, run_shapes, run_spd, run_vectors,
    };
    pub use crate::study::{Place, StudyFolder};
}
