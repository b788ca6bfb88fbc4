//! The state of a run on disk, so that an interrupted one continues where it stopped, under the charge it made.
//!
//! The file is written before the ledger is charged (its name is in the charge) and removed when the release is whole. What
//! it holds is as private as the result (iterates) or for the data holder only (counts): it stays in `internal/`.

use super::data::PointArray;
use crate::io::npy::Array;
use crate::io::{WriteError, write_text};
use crate::optimize::{State, StopReason};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// Hash of the data and of everything public about the run.
    pub fingerprint: String,
    /// The ledger's name for this run.
    pub charge: String,
    start: Stored,
    point: Stored,
    selected: Option<(Stored, u64)>,
    step: u64,
    stage: u32,
    gradient_calls: u64,
    /// The trace so far.
    pub trace: String,
    /// Why the run ended, once it has: what is left is to publish the state, and nothing is drawn again.
    #[serde(default)]
    pub finished: Option<StopReason>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    shape: Vec<usize>,
    data: Vec<f64>,
}

impl Stored {
    fn of<T: PointArray>(point: &T) -> Self {
        let Array { shape, data } = point.to_array();
        Self { shape, data }
    }

    fn restore<T: PointArray>(&self) -> Option<T> {
        if self.shape.iter().product::<usize>() != self.data.len() {
            return None;
        }
        T::from_array(&Array { shape: self.shape.clone(), data: self.data.clone() })
    }
}

impl Checkpoint {
    pub fn new<T: PointArray>(fingerprint: &str, charge: &str, state: &State<T>, trace: &str) -> Self {
        Self {
            fingerprint: fingerprint.into(),
            charge: charge.into(),
            start: Stored::of(&state.start),
            point: Stored::of(&state.point),
            selected: state.selected.as_ref().map(|(point, seen)| (Stored::of(point), *seen)),
            step: state.step,
            stage: state.stage,
            gradient_calls: state.gradient_calls,
            trace: trace.into(),
            finished: None,
        }
    }

    /// The same, of a run that has ended.
    pub fn finished(self, stop: StopReason) -> Self {
        Self { finished: Some(stop), ..self }
    }

    /// The state, if it is whole.
    pub fn state<T: PointArray>(&self) -> Option<State<T>> {
        let selected = match &self.selected {
            Some((point, seen)) => Some((point.restore()?, *seen)),
            None => None,
        };
        Some(State {
            start: self.start.restore()?,
            point: self.point.restore()?,
            step: self.step,
            stage: self.stage,
            gradient_calls: self.gradient_calls,
            selected,
        })
    }

    pub fn path(internal: &Path) -> PathBuf {
        internal.join("run.json")
    }

    /// The checkpoint in this folder, if there is a whole one.
    pub fn load(internal: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(Self::path(internal)).ok()?).ok()
    }

    pub fn store(&self, internal: &Path) -> Result<(), WriteError> {
        let path = Self::path(internal);
        let text = serde_json::to_string(self)
            .map_err(|e| WriteError { path: path.clone(), source: std::io::Error::other(e) })?;
        write_text(&path, &text)
    }
}
