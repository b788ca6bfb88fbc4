//! A study asked to stop by who started it, from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const RUNNING: u8 = 0;
const STOPPED: u8 = 1;
const PAYING: u8 = 2;

/// Asks a study to stop. It stops before its charge or not at all: which of the two came first is decided once, so that who was told that
/// nothing was charged can rely on it. Clones ask the same study.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    /// Asks. Whether it came in time: then nothing is charged. Otherwise the study goes on to its end, and its charge stands.
    pub fn ask(&self) -> bool {
        let seen = self.0.compare_exchange(RUNNING, STOPPED, Ordering::SeqCst, Ordering::SeqCst);
        seen != Err(PAYING)
    }

    /// Whether somebody asked in time.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::SeqCst) == STOPPED
    }

    /// From here on it is too late. Whether the study may go on.
    pub(super) fn too_late_from_here(&self) -> bool {
        let seen = self.0.compare_exchange(RUNNING, PAYING, Ordering::SeqCst, Ordering::SeqCst);
        seen != Err(STOPPED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_stop_and_charge_decides() {
        let stop = Stop::default();
        assert!(!stop.asked());
        assert!(stop.clone().ask() && stop.ask() && stop.asked());
        assert!(!stop.too_late_from_here());
        let paid = Stop::default();
        assert!(paid.too_late_from_here() && paid.too_late_from_here());
        assert!(!paid.clone().ask() && !paid.asked());
    }
}
