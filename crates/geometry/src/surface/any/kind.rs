//! What surfaces are, and what of their pose cannot be told.

/// What a surface is, topologically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Topology {
    /// One border, no handles.
    Disk,
    /// Closed, no handles.
    Sphere,
}

/// What of a template's pose cannot be told from its shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ambiguity {
    /// Turned by so many degrees it looks the same: no scan's pose can be found without marks.
    Turn {
        /// The smallest such angle that was found, above 20 degrees.
        degrees: f64,
        /// How far the turned template lies from itself: root mean square over √area.
        apart: f64,
    },
    /// Its mirror image looks the same: poses are found, but a mirrored scan is not noticed.
    Mirror {
        /// How far the mirror image lies from the template: root mean square over √area.
        apart: f64,
    },
}

impl Ambiguity {
    /// Whether no scan can be registered without marks.
    pub fn needs_marks(&self) -> bool {
        matches!(self, Self::Turn { .. })
    }
}

impl std::fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Turn { degrees, .. } => write!(f, "it looks the same when turned by {degrees:.0} degrees"),
            Self::Mirror { .. } => write!(f, "it looks like its mirror image"),
        }
    }
}
