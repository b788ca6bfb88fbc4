//! From the mask of an organ to its outline or its surface.
//!
//! All of it is done record by record, from a record's own file and public inputs alone: one record changes one outline. What an option has to
//! decide is refused for all before anything is charged; what is wrong with one record is said in its place.

#[cfg(feature = "readers")]
mod closed;
#[cfg(feature = "readers")]
mod contour;
#[cfg(feature = "readers")]
mod correspondence;
#[cfg(feature = "readers")]
mod elastic;
#[cfg(feature = "readers")]
mod extract;
#[cfg(feature = "readers")]
mod grid;
mod making;
#[cfg(feature = "readers")]
mod names;
#[cfg(feature = "readers")]
mod outlines;
#[cfg(feature = "readers")]
mod plane;
#[cfg(feature = "readers")]
mod read;
#[cfg(feature = "readers")]
mod records;
#[cfg(not(feature = "readers"))]
mod without;

#[cfg(feature = "readers")]
pub use elastic::{elastic_distance, elastic_distance_closed};
#[cfg(feature = "readers")]
pub use extract::extract;
pub use making::{Correspondence, Label, MaskMaking, Outlines, Slice, Surfaces};
#[cfg(feature = "readers")]
pub use outlines::outlines;
#[cfg(not(feature = "readers"))]
pub use without::{extract, outlines};
