//! What is of the window and not of the study.

use visard::mesh::Point;

/// What the window keeps between two frames.
#[derive(Debug, Clone, Default)]
pub struct WindowState {
    /// A nose tip that was clicked and is not kept yet, in the scan's coordinates.
    pub nose: Option<Point>,
    /// The keys are on view.
    pub help: bool,
    /// Dark.
    pub dark: bool,
}
