//! Every reader, and whole commands, on broken input: no panic, no hang, no more memory than is promised.
//!
//! A [`Target`](targets::Target) takes a file; [`seeds`] are small valid files of our own making; [`mutate`] breaks them, knowing what
//! numbers, words, lines and counts are; [`harness`] runs and measures. What ever failed is kept in `fuzz/corpus/TARGET/` and tried first,
//! every time.

pub mod dicom;
pub mod harness;
pub mod mutate;
pub mod seeds;
pub mod targets;

#[path = "../../tests/memory/counting.rs"]
pub mod counting;
