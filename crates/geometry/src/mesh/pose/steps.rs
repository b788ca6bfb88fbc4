//! By which steps rough poses are refined.

use super::icp::Keep;

/// A stage in which rough poses are refined: with every so many of the template's points, in so many steps, after which the best are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage {
    pub(super) stride: usize,
    pub(super) steps: usize,
    pub(super) survivors: usize,
}

/// For a whole face, which is mostly found at once; and where the pose so found is not sure.
pub(super) const QUICKLY: [Stage; 2] =
    [Stage { stride: 20, steps: 2, survivors: 6 }, Stage { stride: 10, steps: 6, survivors: 1 }];
pub(super) const THOROUGHLY: [Stage; 2] =
    [Stage { stride: 10, steps: 8, survivors: 8 }, Stage { stride: 5, steps: 8, survivors: 3 }];
pub(super) const AT_TIPS: [Stage; 2] =
    [Stage { survivors: 16, ..THOROUGHLY[0] }, Stage { survivors: 10, ..THOROUGHLY[1] }];

/// How a pose is refined.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    /// At most so many.
    pub(super) most: usize,
    pub(super) keep: Keep,
    /// How many times small ones are lengthened.
    pub(super) stretch: f64,
    /// Whether the same points of the scan decide all of them: then they settle, but far from the end some get caught.
    pub(super) same: bool,
}

/// Where a face is smooth steps slide too little each, all the same way. Lengthened so many times, 20 bring the scale of 100 made-up faces to .6 % (standard
/// deviation) of where 400 do, without it to .8 %.
const STRETCH: f64 = 1.5;

impl Steps {
    /// By other points of the scan nearly every time.
    pub(super) fn afresh(most: usize, keep: Keep) -> Self {
        Self { most, keep, stretch: 1.0, same: false }
    }

    /// The last ones, for a pose that is mostly right.
    pub(super) fn quick() -> [Self; 2] {
        let first = Self { stretch: STRETCH, ..Self::afresh(12, Keep::Nearest) };
        [first, Self { most: 8, same: true, ..first }]
    }
}
