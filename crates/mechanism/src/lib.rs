//! Private statistics of shapes, functions and points of manifolds, each with its proof, its noise and its worst cases.
//!
//! For whoever has records in memory and wants their mean, modes, regression or comparison, released through a ledger of visard-privacy.
//! Files and studies are above, in visard.
//!
//! ```
//! for entry in visard_mechanism::mechanism::registry::entries() {
//!     println!("{}: {}", entry.name, entry.title.sentence);
//! }
//! ```
//!
//! * [`mechanism`]: statistics with a price, one folder each; [`mechanism::registry`] lists them.

pub mod mechanism;

#[cfg(test)]
#[path = "../../../tests/it/shared_data.rs"]
mod shared_data;

use visard_base::numeric;
use visard_estimate::estimate;
use visard_geometry::function;
use visard_landmark::landmark;
use visard_manifold::{manifold, stats};
use visard_optimize::optimize;
use visard_privacy::privacy;
