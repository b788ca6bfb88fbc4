//! Records on disk: what stage one of a study writes (`face prepare`), and how every second stage reads it.
//!
//! A folder of records has
//!
//! * `records.json`: how all of them were made ([`Making`]: version, template, settings). A folder holds records of one making only.
//! * `index-k-of-N.jsonl`, one a shard: a [`Line`] for every row of the manifest that is the shard's, with the name of its record, its status
//!   and the hashes of scan and curves.
//! * `<record>.curves.npy` and `<record>.json`: the curves of a face of unit area, and what is known of the scan. A record is named by the
//!   hash of its scan's bytes and of its making, so whoever makes it, and how often, makes the same.
//!
//! **How to read one**: [`Manifest::read`](crate::io::Manifest::read), then [`RecordFolder::open`], then [`RecordFolder::faces`], which gives
//! one [`FaceRecord`] for each row of the manifest in its order, with its [`Status`]. n is the number of rows (or of their persons), whatever
//! the folder holds: a row without a record contributes zero. No scan is opened, and one record is in memory at a time.
//!
//! ```no_run
//! use visard_io::io::Manifest;
//! use visard_study::study::records::{RecordFolder, Status};
//! let manifest = Manifest::read("all.csv".as_ref())?;
//! let records = RecordFolder::open("records".as_ref(), &manifest)?;
//! for record in records.faces() {
//!     match (record.status, record.curves) {
//!         (Status::Made, Some(face)) => assert_eq!(face.curves(), records.making().curves),
//!         // Failed or lost: it contributes zero.
//!         _ => {}
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod folder;
mod index;
mod making;
mod shard;

pub use error::RecordsError;
pub use folder::{FaceRecord, RecordFolder, Status};
pub use index::{Line, LineStatus};
pub(super) use index::{read as read_index, write as write_index};
pub use making::Making;
pub use shard::{Shard, ShardError};
