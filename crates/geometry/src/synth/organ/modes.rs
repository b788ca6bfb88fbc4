//! How organs differ: twenty smooth displacements of space for every kind, in standard deviations.

use crate::mesh::{Point, Vector};

/// Traits of an organ.
pub const ORGAN_TRAITS: usize = 20;

/// A displacement of space. Global ones are about the origin of their centre, over a length.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mode {
    /// Longer along an axis by this share.
    Stretch(usize, f64),
    /// Places slide along the first axis by this share of the second.
    Shear(usize, usize, f64),
    /// Bent: along the first axis by so many millimetres at the ends of the second.
    Bend(usize, usize, f64),
    /// Turned about an axis by so many degrees at its ends, one against the other.
    Twist(usize, f64),
    /// A place and what is within a width of it moves by a vector.
    Move([f64; 3], f64, [f64; 3]),
    /// A place swells: what is within a width of it moves away by at most so much.
    Swell([f64; 3], f64, f64),
}

/// The modes of a kind of organ, and the box about which the global ones are.
pub(super) struct Modes {
    pub centre: [f64; 3],
    pub half: [f64; 3],
    pub modes: [Mode; ORGAN_TRAITS],
}

impl Modes {
    /// Where a point of the mean organ goes, less itself.
    pub fn displacement(&self, traits: &[f64; ORGAN_TRAITS], p: &Point) -> Vector {
        self.modes.iter().zip(traits).map(|(mode, z)| self.one(mode, p) * *z).sum()
    }

    fn one(&self, mode: &Mode, p: &Point) -> Vector {
        let from = p - Point::from(self.centre);
        let along = |axis: usize| from[axis] / self.half[axis];
        let mut out = Vector::zeros();
        match *mode {
            Mode::Stretch(axis, share) => out[axis] = share * from[axis],
            Mode::Shear(to, by, share) => out[to] = share * from[by],
            Mode::Bend(to, by, most) => out[to] = most * (along(by).powi(2) - 0.33),
            Mode::Twist(axis, degrees) => {
                let mut turn = Vector::zeros();
                turn[axis] = degrees.to_radians() * along(axis);
                out = turn.cross(&from);
            }
            Mode::Move(at, width, by) => out = Vector::from(by) * bell(p, at, width),
            Mode::Swell(at, width, most) => {
                out = (p - Point::from(at)) * (1.65 * most / width * bell(p, at, width));
            }
        }
        out
    }
}

fn bell(p: &Point, at: [f64; 3], width: f64) -> f64 {
    libm::exp(-(p - Point::from(at)).norm_squared() / (2.0 * width * width))
}

use Mode::{Bend, Move, Shear, Stretch, Swell, Twist};

pub(super) const FEMUR: Modes = Modes {
    centre: [0.0, 0.0, 40.0],
    half: [45.0, 40.0, 75.0],
    modes: [
        Stretch(0, 0.05),
        Stretch(1, 0.05),
        Stretch(2, 0.06),
        Shear(0, 2, 0.05),
        Shear(1, 2, 0.04),
        Bend(1, 2, 4.0),
        Bend(0, 2, 3.0),
        Twist(2, 5.0),
        Swell([-24.0, -8.0, 0.0], 18.0, 2.2),
        Swell([23.0, -5.0, 2.0], 18.0, 2.2),
        Move([-24.0, -36.0, 0.0], 16.0, [0.0, -2.8, 0.0]),
        Move([23.0, -36.0, 0.0], 16.0, [0.0, -2.6, 0.0]),
        Move([-24.0, 0.0, -22.0], 15.0, [0.0, 0.0, -2.2]),
        Move([23.0, 0.0, -18.0], 15.0, [0.0, 0.0, -2.0]),
        Move([-40.0, -4.0, 14.0], 12.0, [-2.2, 0.0, 0.0]),
        Move([38.0, -6.0, 12.0], 12.0, [1.8, 0.0, 0.0]),
        Move([1.0, 28.0, 4.0], 13.0, [0.0, 1.9, 0.0]),
        Move([0.0, -12.0, -4.0], 12.0, [0.0, 1.8, 0.8]),
        Swell([0.0, 0.0, 30.0], 26.0, 2.0),
        Swell([3.0, 0.0, 95.0], 32.0, 1.5),
    ],
};

pub(super) const LIVER: Modes = Modes {
    centre: [0.0, 0.0, 0.0],
    half: [110.0, 60.0, 75.0],
    modes: [
        Stretch(0, 0.07),
        Stretch(1, 0.06),
        Stretch(2, 0.07),
        Shear(0, 2, 0.06),
        Shear(2, 0, 0.06),
        Shear(1, 0, 0.05),
        Bend(1, 0, 5.0),
        Bend(2, 0, 6.0),
        Twist(0, 6.0),
        Swell([-45.0, 0.0, 0.0], 50.0, 6.0),
        Swell([50.0, 15.0, 25.0], 38.0, 5.0),
        Move([100.0, 20.0, 30.0], 34.0, [9.0, 0.0, 0.0]),
        Move([-70.0, 0.0, -80.0], 30.0, [0.0, 0.0, -8.0]),
        Move([-30.0, 0.0, 65.0], 36.0, [0.0, 0.0, 5.0]),
        Move([-90.0, 0.0, 10.0], 36.0, [-5.0, 0.0, 0.0]),
        Move([-30.0, 48.0, 0.0], 36.0, [0.0, 5.0, 0.0]),
        Move([-45.0, -45.0, -10.0], 30.0, [0.0, -4.5, 0.0]),
        Move([4.0, -34.0, 18.0], 24.0, [0.0, -4.5, 0.0]),
        Move([-12.0, 20.0, -40.0], 24.0, [0.0, 0.0, 4.5]),
        Move([40.0, 0.0, -5.0], 28.0, [0.0, 0.0, 4.0]),
    ],
};

pub(super) const HIPPOCAMPUS: Modes = Modes {
    centre: [2.0, 0.0, 1.0],
    half: [10.0, 25.0, 12.0],
    modes: [
        Stretch(0, 0.07),
        Stretch(1, 0.06),
        Stretch(2, 0.07),
        Shear(0, 1, 0.06),
        Shear(2, 1, 0.06),
        Bend(0, 1, 1.4),
        Bend(2, 1, 1.6),
        Twist(1, 8.0),
        Swell([0.5, 17.0, -3.0], 7.0, 0.7),
        Swell([4.0, 0.0, -2.0], 7.0, 0.6),
        Swell([5.0, -14.0, 5.0], 6.0, 0.5),
        Move([0.0, -23.0, 14.0], 6.0, [-0.9, -0.6, 1.0]),
        Move([0.0, 25.0, -2.0], 7.0, [0.0, 1.0, 0.0]),
        Move([-8.0, 15.0, 0.0], 5.0, [-0.8, 0.0, 0.3]),
        Move([0.0, 20.0, 4.0], 5.0, [0.0, 0.2, 0.7]),
        Move([8.0, 14.0, 0.0], 5.0, [0.7, 0.0, 0.2]),
        Move([9.0, 2.0, -2.0], 6.0, [0.7, 0.0, 0.0]),
        Move([2.0, 6.0, -8.0], 6.0, [0.0, 0.0, -0.7]),
        Move([4.0, -4.0, 4.0], 6.0, [0.0, 0.0, 0.6]),
        Move([7.0, -14.0, 3.0], 6.0, [0.6, -0.4, -0.4]),
    ],
};

pub(super) const MANDIBLE: Modes = Modes {
    centre: [0.0, 0.0, 15.0],
    half: [55.0, 50.0, 38.0],
    modes: [
        Stretch(0, 0.05),
        Stretch(1, 0.06),
        Stretch(2, 0.06),
        Shear(1, 2, 0.07),
        Shear(0, 1, 0.02),
        Bend(2, 1, 3.0),
        Bend(0, 1, 1.2),
        Twist(1, 2.5),
        Move([0.0, 50.0, -8.0], 16.0, [0.0, 3.0, 0.0]),
        Move([0.0, 45.0, -14.0], 18.0, [0.0, 0.0, -2.5]),
        Move([0.0, 42.0, 14.0], 18.0, [0.0, 1.0, 2.2]),
        Move([48.0, -38.0, 54.0], 15.0, [1.0, -1.0, 2.8]),
        Move([-48.0, -38.0, 54.0], 15.0, [-1.0, -1.0, 2.8]),
        Move([45.0, -12.0, 50.0], 12.0, [0.0, 1.5, 2.5]),
        Move([-45.0, -12.0, 50.0], 12.0, [0.0, 1.5, 2.5]),
        Move([45.0, -32.0, -8.0], 15.0, [1.8, -2.2, -1.5]),
        Move([-45.0, -32.0, -8.0], 15.0, [-1.8, -2.2, -1.5]),
        Move([36.0, 6.0, 4.0], 18.0, [2.2, 0.0, 0.0]),
        Move([-36.0, 6.0, 4.0], 18.0, [-2.2, 0.0, 0.0]),
        Swell([0.0, 38.0, 2.0], 24.0, 1.6),
    ],
};

pub(super) const HAND: Modes = Modes {
    centre: [0.0, 55.0, 8.0],
    half: [60.0, 110.0, 25.0],
    modes: [
        Stretch(0, 0.05),
        Stretch(1, 0.05),
        Stretch(2, 0.07),
        Shear(0, 1, 0.04),
        Bend(2, 1, 5.0),
        Bend(2, 0, 3.0),
        Twist(1, 4.0),
        Move([-39.0, 150.0, 28.0], 26.0, [-2.0, 1.0, 5.0]),
        Move([-12.0, 164.0, 30.0], 26.0, [0.0, 4.0, 1.0]),
        Move([19.0, 148.0, 32.0], 26.0, [1.5, -2.0, 5.0]),
        Move([46.0, 123.0, 27.0], 24.0, [4.0, 2.0, 2.0]),
        Move([-65.0, 92.0, 34.0], 28.0, [-5.0, 3.0, 2.0]),
        Move([-64.0, 85.0, 32.0], 28.0, [2.0, 0.0, 5.0]),
        Move([0.0, 125.0, 8.0], 45.0, [0.0, 5.0, 0.0]),
        Move([0.0, 140.0, 20.0], 45.0, [0.0, -2.0, 7.0]),
        Swell([-26.0, 26.0, 9.0], 26.0, 2.4),
        Swell([27.0, 26.0, 7.0], 26.0, 2.0),
        Swell([0.0, 70.0, 0.0], 36.0, 2.5),
        Swell([0.0, -20.0, 0.0], 40.0, 2.5),
        Move([0.0, 45.0, 14.0], 26.0, [0.0, 0.0, 2.0]),
    ],
};

pub(super) const EAR: Modes = Modes {
    centre: [0.0, 0.0, 8.0],
    half: [38.0, 50.0, 20.0],
    modes: [
        Stretch(0, 0.06),
        Stretch(1, 0.06),
        Shear(0, 1, 0.06),
        Shear(1, 0, 0.03),
        Move([16.0, 8.0, 21.0], 16.0, [0.5, 0.0, 2.6]),
        Move([8.0, 30.0, 17.0], 13.0, [0.0, 1.8, 0.0]),
        Move([20.0, 18.0, 21.0], 12.0, [1.6, 0.5, 0.0]),
        Move([20.0, -6.0, 19.0], 12.0, [1.5, 0.0, 0.6]),
        Move([-3.0, -32.0, 9.0], 11.0, [0.0, -2.4, 0.0]),
        Move([-3.0, -30.0, 9.0], 10.0, [0.0, 0.0, 1.3]),
        Swell([-3.0, -29.0, 9.0], 11.0, 1.1),
        Move([-15.0, -6.0, 9.0], 9.0, [1.2, 0.0, 1.1]),
        Move([-17.0, 20.0, 8.0], 11.0, [-1.4, 0.0, 0.8]),
        Move([6.0, 2.0, 17.0], 11.0, [-0.8, 0.0, 1.3]),
        Move([-5.0, -5.0, 6.0], 10.0, [0.0, 0.0, -1.5]),
        Swell([-5.0, -5.0, 10.0], 13.0, 1.2),
        Move([4.0, -16.0, 13.0], 10.0, [0.8, 0.0, 1.2]),
        Move([-28.0, 0.0, 0.0], 16.0, [0.0, 0.0, 1.6]),
        Move([26.0, 0.0, -1.0], 16.0, [0.0, 0.0, -1.5]),
        Move([0.0, 42.0, -1.0], 16.0, [0.0, 0.0, 1.5]),
    ],
};
