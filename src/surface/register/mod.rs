//! Dense correspondence of a scan with the public template, one scan at a time.

pub mod elastic;
pub mod srnf;
