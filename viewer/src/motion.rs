//! What is drawn while something moves: all of it where that is fast enough to follow, otherwise less of it until the motion stops.

use std::time::{Duration, Instant};

/// A motion drawn at longer intervals is not followed.
const SLOW: Duration = Duration::from_millis(40);
/// What has not changed for so long is at rest.
const REST: Duration = Duration::from_millis(200);

/// How much is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Every triangle, at every pixel.
    Whole,
    /// A coarser surface, at fewer pixels.
    Coarse,
}

/// How much to draw of what moves or not, where a picture of the whole was last seen to take so long; `None` where that is not known. What is at
/// rest is always whole.
pub fn detail(moving: bool, whole: Option<Duration>) -> Detail {
    match whole {
        Some(time) if moving && time > SLOW => Detail::Coarse,
        _ => Detail::Whole,
    }
}

/// What is known of a pane when it is to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pane {
    /// It is turned, moved or enlarged.
    pub moving: bool,
    /// It is to be saved.
    pub saved: bool,
    /// There is a coarser surface.
    pub has_coarse: bool,
    /// Only the coarser surface is bent as a slider says; the whole one follows.
    pub ahead: bool,
    /// How long a picture of the whole takes.
    pub whole: Option<Duration>,
}

impl Pane {
    /// How much of it is drawn.
    pub fn detail(&self) -> Detail {
        match (self.has_coarse, self.ahead) {
            (false, _) => Detail::Whole,
            (true, true) => Detail::Coarse,
            (true, false) => detail(self.moving && !self.saved, self.whole),
        }
    }
}

/// Tells motion from rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion<T> {
    seen: Option<T>,
    changed: Option<Instant>,
    /// It changed since the button went down.
    dragged: bool,
}

impl<T> Default for Motion<T> {
    fn default() -> Self {
        Self { seen: None, changed: None, dragged: false }
    }
}

impl<T: PartialEq> Motion<T> {
    /// Whether it moves, as it is seen now; what is dragged rests only once the button is let go. What is seen first has not moved.
    pub fn see(&mut self, seen: T, held: bool, now: Instant) -> bool {
        let change = self.seen.as_ref().is_some_and(|before| *before != seen);
        self.dragged = held && (change || self.dragged);
        if change {
            self.changed = Some(now);
        }
        self.seen = Some(seen);
        self.dragged || self.changed.is_some_and(|at| now.saturating_duration_since(at) < REST)
    }
}

/// How long the whole takes to draw, from what was measured since it last changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// The least of the times.
    pub least: Option<Duration>,
    frames: u32,
}

impl Cost {
    /// Notes a time.
    pub fn note(&mut self, time: Duration) {
        self.frames += 1;
        self.least = Some(self.least.map_or(time, |least| least.min(time)));
    }

    /// Whether to draw it once more to know: the first picture also waits for the vertices to reach the card, which a fast card needs longer for.
    pub fn is_doubtful(&self) -> bool {
        self.frames == 1 && self.least.is_some_and(|time| time > SLOW && time < 10 * SLOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn only_what_moves_and_is_slow_is_coarse() {
        for time in [None, Some(Duration::ZERO), Some(40 * MS), Some(41 * MS), Some(3600 * 1000 * MS)] {
            assert_eq!(detail(false, time), Detail::Whole, "at rest, {time:?}");
            let coarse = time.is_some_and(|time| time > 40 * MS);
            assert_eq!(detail(true, time), if coarse { Detail::Coarse } else { Detail::Whole }, "{time:?}");
        }
    }

    #[test]
    fn a_still_picture_is_whole_whatever_else_holds() {
        for k in 0..16 {
            let [moving, saved, has_coarse, ahead] = [1, 2, 4, 8].map(|bit| k & bit != 0);
            let pane = Pane { moving, saved, has_coarse, ahead, whole: Some(1200 * MS) };
            let expected = has_coarse && (ahead || (moving && !saved));
            assert_eq!(pane.detail() == Detail::Coarse, expected, "{pane:?}");
            let at_rest = Pane { moving: false, ahead: false, ..pane };
            assert_eq!(at_rest.detail(), Detail::Whole, "after motion: {at_rest:?}");
        }
    }

    #[test]
    fn motion_ends_a_moment_after_the_last_change_and_not_while_a_button_is_down() {
        let (begun, mut motion) = (Instant::now(), Motion::default());
        let mut see = |seen: u32, held, ms: u32| motion.see(seen, held, begun + ms * MS);
        assert!(!see(1, false, 0) && !see(1, false, 5000), "what is seen first has not moved");
        assert!(!see(1, true, 5100), "a click is no motion");
        assert!(see(2, true, 5200) && see(2, true, 9000), "dragged, then held still");
        assert!(!see(2, false, 9100), "let go: at rest at once");
        assert!(see(3, false, 9200) && see(3, false, 9399) && !see(3, false, 9400), "a turn of the wheel");
        assert!(!see(3, true, 9500) && see(4, true, 9600) && see(4, false, 9700) && !see(4, false, 9800));
    }

    #[test]
    fn a_first_frame_that_waited_for_its_vertices_is_drawn_again() {
        let mut cost = Cost::default();
        assert!(!cost.is_doubtful() && cost.least.is_none());
        cost.note(90 * MS);
        assert!(cost.is_doubtful());
        cost.note(9 * MS);
        assert_eq!((cost.is_doubtful(), detail(true, cost.least)), (false, Detail::Whole));
        let mut slow = Cost::default();
        slow.note(1200 * MS);
        assert!(!slow.is_doubtful(), "so slow that uploading is not the reason");
    }
}
