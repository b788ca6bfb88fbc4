//! What noised second moments and fields tell: modes, bands, tests, regression. It is post-processing, and costs no privacy.
//!
//! For whoever has values that a mechanism of visard-mechanism has noised, or asks what one would tell.
//!
//! ```
//! use visard_estimate::estimate::Design;
//! let design: Design = serde_json::from_str(r#"[{"name": "age", "kind": "linear", "lower": 3, "upper": 40}]"#)?;
//! assert_eq!(design.covariates().len(), 1);
//! # Ok::<(), serde_json::Error>(())
//! ```

pub mod estimate;

use visard_geometry::function;
use visard_privacy::privacy;
