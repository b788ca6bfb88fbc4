//! Where the neighbourhood of a pixel is looked at for shade and shadow.

use crate::mesh::Vector;

/// Which of the four of its pixel.
pub(super) fn subpixel(x: usize, y: usize) -> usize {
    (x & 1) + 2 * (y & 1)
}

/// Places of a spiral looked at from each subpixel.
pub(super) const SPIRAL: usize = 8;
/// Steps towards the light from each subpixel.
pub(super) const MARCH: usize = 14;

/// Where the neighbourhood is looked at: four different sets for the four subpixels, which a pixel averages.
pub(super) struct Probes {
    /// One over the square of how far a spiral goes, in (large) pixels.
    pub(super) per_square_reach: f32,
    /// What facets may rise over one another.
    pub(super) facet: f32,
    pub(super) spirals: [Places<SPIRAL>; 4],
    /// Towards the key light; none so near that a facet would shade itself.
    pub(super) marches: [Places<MARCH>; 4],
}

/// Places looked at from the middle of a pixel.
pub(super) struct Places<const N: usize> {
    /// One over how far away they are, in (large) pixels.
    pub(super) per_away: [f32; N],
    /// How far to the right.
    pub(super) right: [f32; N],
    /// How far down.
    pub(super) down: [f32; N],
    /// The pixels they fall in, counted from the one looked from.
    pixel: [[isize; 2]; N],
    /// The same in a picture that is laid out row by row ([`Probes::lay_out`]).
    pub(super) offset: [isize; N],
}

impl<const N: usize> Places<N> {
    fn new(place: impl Fn(usize) -> (f64, [f64; 2])) -> Self {
        let all: [(f64, [f64; 2]); N] = std::array::from_fn(place);
        Self {
            per_away: all.map(|(away, _)| away.recip() as f32),
            right: all.map(|(_, step)| step[0] as f32),
            down: all.map(|(_, step)| step[1] as f32),
            pixel: all.map(|(_, step)| step.map(|s| (0.5 + s).floor() as isize)),
            offset: [0; N],
        }
    }
}

impl Probes {
    /// For pictures of so many (large) pixels on their shorter side, lit from this direction (x to the right, y up).
    pub(super) fn new(side: usize, light: &Vector) -> Self {
        const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
        let (reach, far) = (0.055 * side as f64, 0.30 * side as f64);
        let spiral = |first: usize, k: usize| {
            let radius = reach * (k as f64 + 0.25 * first as f64 + 0.125) / SPIRAL as f64;
            let angle = GOLDEN_ANGLE * k as f64 + first as f64 * std::f64::consts::FRAC_PI_8;
            (radius, [radius * angle.cos(), radius * angle.sin()])
        };
        let march = |first: usize, k: usize| {
            let away = (far * ((k as f64 + 0.3 + first as f64 / 4.0) / MARCH as f64).powi(2)).max(3.0);
            (away, [away * light.x, -away * light.y])
        };
        Self {
            per_square_reach: (reach * reach).recip() as f32,
            facet: 0.004 * side as f32,
            spirals: std::array::from_fn(|first| Places::new(|k| spiral(first, k))),
            marches: std::array::from_fn(|first| Places::new(|k| march(first, k))),
        }
    }

    /// How many pixels they look to the left, up, to the right and down.
    pub(super) fn reaches(&self) -> [usize; 4] {
        let spirals = self.spirals.iter().flat_map(|places| places.pixel);
        let all = spirals.chain(self.marches.iter().flat_map(|places| places.pixel));
        all.fold([0; 4], |far, [x, y]| {
            let own = [-x, -y, x, y].map(|far| usize::try_from(far).unwrap_or(0));
            std::array::from_fn(|k| far[k].max(own[k]))
        })
    }

    /// For a picture with so many pixels from one row to the next.
    pub(super) fn lay_out(&mut self, stride: usize) {
        let offset = |[x, y]: [isize; 2]| y * stride as isize + x;
        self.spirals.iter_mut().for_each(|places| places.offset = places.pixel.map(offset));
        self.marches.iter_mut().for_each(|places| places.offset = places.pixel.map(offset));
    }
}
