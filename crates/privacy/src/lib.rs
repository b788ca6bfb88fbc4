//! Differential privacy from a budget to a certificate: accountants, a ledger on disk, noise drawn exactly, audits.
//!
//! For whoever releases statistics of their own, of any records: this knows nothing of shapes.
//!
//! ```
//! use visard_privacy::privacy::noise::NoiseSource;
//! use visard_privacy::privacy::{ClipRadius, ClipSource, ClippedMean, Ledger, Mu, release};
//! let mean = ClippedMean::new(2, 3, ClipRadius::new(1.0, ClipSource::Public)?, Mu::new(1.0)?)?;
//! let records = [Some(vec![0.5, 0.5]), Some(vec![300.0, 0.0]), None];
//! let released = release(&mean, &records[..], &mut Ledger::in_memory(None), &mut NoiseSource::from_os()?)?;
//! assert_eq!(released.value.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`privacy`]: all of it, with [`privacy::release`], the one way out.

pub mod privacy;

#[cfg(test)]
#[path = "../../../tests/it/shared_data.rs"]
mod shared_data;

use visard_base::{fault, numeric};
