//! The workbench: from a folder of scans to a private mean face, step by step. It makes nothing of its own: check, plan, study and release
//! are the library's, and the study's folder is the one that the command would write.
//!
//! [`state`] is what is known and what is allowed when, without a window, and [`steps`] how it changes; [`engine`] does the work on a thread
//! of its own; [`panel`] draws, [`shop`] holds it all together.

pub mod account;
pub mod engine;
pub mod nose;
mod pages;
pub mod panel;
pub mod shop;
pub mod state;
pub mod steps;
pub mod window_state;

pub use engine::Engine;
pub use shop::{Workshop, is_folder_of_scans, places, screenshot};
pub use state::{Act, News, Refusal, Run, Step, Task, WorkbenchState};
