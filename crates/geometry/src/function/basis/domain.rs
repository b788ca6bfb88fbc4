//! Where functions live.

/// Where functions live and at which points they are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Domain {
    /// m distinct points l/m of a closed curve.
    Circle {
        /// m.
        samples: usize,
    },
    /// m midpoints (l + ½)/m of an interval.
    Interval {
        /// m.
        samples: usize,
    },
    /// J circles of m distinct points each.
    Disk {
        /// J.
        curves: usize,
        /// m.
        samples: usize,
    },
}

impl Domain {
    /// Rows of cosines across, Fourier along: (J, m).
    pub(in crate::function) fn shape(self) -> (usize, usize) {
        match self {
            Domain::Circle { samples } => (1, samples),
            Domain::Interval { samples } => (samples, 1),
            Domain::Disk { curves, samples } => (curves, samples),
        }
    }

    /// Number of sample points.
    pub fn points(self) -> usize {
        let (j, m) = self.shape();
        j * m
    }
}
