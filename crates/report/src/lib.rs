//! Charts, pictures and self-contained HTML pages: a browser opens them anywhere, and nothing is fetched.
//!
//! For whoever shows meshes, landmarks or series of numbers without a server; and what a release's page says of privacy.
//!
//! ```
//! use visard_report::report::page::Page;
//! let mut page = Page::new("Lengths");
//! page.heading("Of the nose").paragraph("All of them in millimetres.");
//! ```
//!
//! * [`report`]: the page, and the figures that stand in it.

pub mod report;

use visard_geometry::mesh;
use visard_landmark::landmark;
use visard_privacy::privacy;
