//! The named ways in which faces differ, as displacements of space.

use super::implicit::{bell, bell2, smooth_step};
use crate::mesh::{Point, Vector};

macro_rules! shape_parameters {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// A named shape parameter. Values are in standard deviations; what one standard deviation does is said
        /// for each, in millimetres (positive value). Sizes follow the spread in Farkas, Anthropometry of the
        /// Head and Face (1994).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ShapeParameter {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl ShapeParameter {
            /// All parameters, in the order of their indices.
            pub const ALL: &'static [ShapeParameter] = &[$(ShapeParameter::$variant,)+];
            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();

            /// The parameter's name, as in tables and options.
            pub fn name(self) -> &'static str {
                match self {
                    $(ShapeParameter::$variant => $name,)+
                }
            }

            /// Position in [`ShapeParameter::ALL`].
            pub fn index(self) -> usize {
                self as usize
            }
        }
    };
}

shape_parameters! {
    /// Face wider by 5.0 mm at the cheekbones.
    FaceWidth = "face_width",
    /// Face higher by 5.5 mm from hairline to chin.
    FaceHeight = "face_height",
    /// Face deeper: the middle 2.5 mm further in front of the ears.
    FaceDepth = "face_depth",
    /// Jaw wider by 5 mm at its angles.
    JawWidth = "jaw_width",
    /// Angles of the jaw lower by 3 mm.
    JawAngle = "jaw_angle",
    /// Chin 2.6 mm further in front.
    ChinProjection = "chin_projection",
    /// Chin lower by 2.6 mm, the lips staying.
    ChinHeight = "chin_height",
    /// Chin broader (square) by 3 mm.
    ChinWidth = "chin_width",
    /// Nose longer: its tip and base 2.2 mm lower.
    NoseLength = "nose_length",
    /// Nose broader at the wings by 2.4 mm.
    NoseWidth = "nose_width",
    /// Tip of the nose 1.9 mm further out.
    NoseProtrusion = "nose_protrusion",
    /// Bridge of the nose convex by 1.2 mm.
    DorsumCurvature = "dorsum_curvature",
    /// Tip of the nose turned up by 5 degrees.
    TipRotation = "tip_rotation",
    /// Root of the nose higher (less deep) by 1.4 mm.
    NoseRoot = "nose_root",
    /// Ridge over the eyes stronger by 1.4 mm.
    BrowRidge = "brow_ridge",
    /// Eyes further apart: each 1.5 mm outwards.
    EyeSpacing = "eye_spacing",
    /// Eyes larger by 5 %.
    EyeSize = "eye_size",
    /// Eyes deeper by 1.3 mm.
    EyeDepth = "eye_depth",
    /// Outer corners of the eyes higher: eyes turned by 2.2 degrees.
    EyeTilt = "eye_tilt",
    /// Lips fuller by 13 % in height, and 0.6 mm further out.
    LipThickness = "lip_thickness",
    /// Mouth wider by 3.4 mm.
    MouthWidth = "mouth_width",
    /// Teeth and lips 1.5 mm further out.
    MouthProtrusion = "mouth_protrusion",
    /// Cheekbones more prominent by 1.8 mm.
    CheekboneProminence = "cheekbone_prominence",
    /// Cheeks fuller by 2.4 mm.
    CheekFullness = "cheek_fullness",
    /// Forehead leaning back: 3 mm at the hairline.
    ForeheadSlope = "forehead_slope",
    /// Forehead broader by 4 mm.
    ForeheadWidth = "forehead_width",
    /// Asymmetry: chin 0.9 mm to the left.
    ChinAsymmetry = "chin_asymmetry",
    /// Asymmetry: tip of the nose 0.7 mm to the left.
    NoseAsymmetry = "nose_asymmetry",
    /// Asymmetry: left eye and brow 0.6 mm higher, the right ones lower.
    EyeAsymmetry = "eye_asymmetry",
    /// Asymmetry: left corner of the mouth 0.6 mm higher, the right one lower.
    MouthAsymmetry = "mouth_asymmetry",
    /// Asymmetry: left cheek 0.7 mm fuller, the right one less full.
    CheekAsymmetry = "cheek_asymmetry",
}

/// The displacement field of one parameter at one standard deviation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mode(ShapeParameter);

impl Mode {
    pub(super) fn of(parameter: ShapeParameter) -> Self {
        Self(parameter)
    }

    /// Millimetres at the point `p` of the mean face.
    pub(super) fn displacement(&self, p: &Point) -> Vector {
        use ShapeParameter as S;
        let Point { coords } = *p;
        let (x, y, z) = (coords.x, coords.y, coords.z);
        let along_x = |d: f64| Vector::new(d, 0.0, 0.0);
        let along_y = |d: f64| Vector::new(0.0, d, 0.0);
        let along_z = |d: f64| Vector::new(0.0, 0.0, d);
        // Windows: in the middle; the same on both sides; opposite on both sides.
        let middle = |cy: f64, sx: f64, sy: f64| bell2(x, y - cy, [sx, sy]);
        let left = |cx: f64, cy: f64, sx: f64, sy: f64| bell2(x - cx, y - cy, [sx, sy]);
        let right = |cx: f64, cy: f64, sx: f64, sy: f64| bell2(x + cx, y - cy, [sx, sy]);
        let both = |cx: f64, cy: f64, sx: f64, sy: f64| left(cx, cy, sx, sy) + right(cx, cy, sx, sy);
        let opposite = |cx: f64, cy: f64, sx: f64, sy: f64| left(cx, cy, sx, sy) - right(cx, cy, sx, sy);
        // Outwards and to the front, as the cheeks face.
        let cheeks = |cx: f64, cy: f64, sx: f64, sy: f64| {
            Vector::new(0.7 * opposite(cx, cy, sx, sy), 0.0, 0.7 * both(cx, cy, sx, sy))
        };
        match self.0 {
            S::FaceWidth => along_x(0.036 * x),
            S::FaceHeight => along_y(0.031 * (y - 10.0)),
            S::FaceDepth => along_z(0.036 * (z + 80.0)),
            S::JawWidth => along_x(0.045 * x * (1.0 - smooth_step(-60.0, 10.0, y))),
            S::JawAngle => along_y(-3.0 * both(55.0, -45.0, 18.0, 22.0)),
            S::ChinProjection => along_z(2.6 * middle(-68.0, 24.0, 16.0)),
            S::ChinHeight => along_y(-2.6 * (1.0 - smooth_step(-78.0, -38.0, y))),
            S::ChinWidth => along_x(0.10 * x * middle(-72.0, 26.0, 14.0)),
            S::NoseLength => along_y(-2.2 * middle(-7.0, 19.0, 15.0)),
            S::NoseWidth => along_x(0.075 * x * middle(-6.0, 17.0, 13.0)),
            S::NoseProtrusion => along_z(1.9 * middle(-2.0, 15.0, 15.0)),
            S::DorsumCurvature => along_z(1.2 * middle(18.0, 9.0, 9.0)),
            S::TipRotation => {
                let turn = 5.0_f64.to_radians() * middle(-5.0, 14.0, 12.0);
                Vector::new(0.0, z + 20.0, -(y + 10.0)) * turn
            }
            S::NoseRoot => along_z(1.4 * middle(37.0, 12.0, 10.0)),
            S::BrowRidge => along_z(1.4 * (both(22.0, 49.0, 14.0, 7.0) + 0.8 * middle(52.0, 12.0, 8.0))),
            S::EyeSpacing => along_x(1.5 * opposite(31.0, 33.0, 16.0, 15.0)),
            S::EyeSize => {
                let scale = 0.05;
                let (l, r) = (left(31.0, 33.0, 15.0, 11.0), right(31.0, 33.0, 15.0, 11.0));
                Vector::new((x - 31.0) * l + (x + 31.0) * r, (y - 33.0) * (l + r), 0.0) * scale
            }
            S::EyeDepth => along_z(-1.3 * both(31.0, 33.0, 16.0, 12.0)),
            S::EyeTilt => {
                let (l, r) = (left(31.0, 33.0, 18.0, 14.0), right(31.0, 33.0, 18.0, 14.0));
                let turn = 2.2_f64.to_radians();
                Vector::new((33.0 - y) * (l - r), (x - 31.0) * l - (x + 31.0) * r, 0.0) * turn
            }
            S::LipThickness => {
                let window = middle(-36.0, 20.0, 9.0);
                Vector::new(0.0, 0.13 * (y + 35.5), 0.6) * window
            }
            S::MouthWidth => along_x(0.09 * x * middle(-36.0, 24.0, 13.0)),
            S::MouthProtrusion => along_z(1.5 * middle(-34.0, 24.0, 17.0)),
            S::CheekboneProminence => cheeks(47.0, 10.0, 19.0, 14.0) * 1.8,
            S::CheekFullness => cheeks(46.0, -24.0, 20.0, 20.0) * 2.4,
            S::ForeheadSlope => along_z(-3.0 * smooth_step(42.0, 105.0, y)),
            S::ForeheadWidth => along_x(0.03 * x * smooth_step(25.0, 75.0, y)),
            S::ChinAsymmetry => along_x(0.9 * middle(-70.0, 40.0, 26.0)),
            S::NoseAsymmetry => along_x(0.7 * middle(-2.0, 16.0, 20.0)),
            S::EyeAsymmetry => along_y(0.6 * opposite(31.0, 40.0, 18.0, 18.0)),
            S::MouthAsymmetry => along_y(0.6 * opposite(24.0, -36.0, 13.0, 13.0)),
            S::CheekAsymmetry => {
                along_z(0.7 * opposite(46.0, -10.0, 22.0, 26.0)) + along_x(0.5 * bell((y + 10.0) / 28.0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn move_of(parameter: ShapeParameter, x: f64, y: f64, z: f64) -> Vector {
        Mode::of(parameter).displacement(&Point::new(x, y, z))
    }

    #[test]
    fn names_are_distinct_and_indices_agree() {
        let mut names: Vec<_> = ShapeParameter::ALL.iter().map(|p| p.name()).collect();
        assert!(ShapeParameter::ALL.iter().enumerate().all(|(i, p)| p.index() == i));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ShapeParameter::COUNT);
    }

    #[test]
    fn one_standard_deviation_means_what_the_names_say() {
        let wider = move_of(ShapeParameter::FaceWidth, 69.0, 5.0, -85.0).x * 2.0;
        assert_relative_eq!(wider, 5.0, epsilon = 0.1);
        let higher = move_of(ShapeParameter::FaceHeight, 0.0, 98.0, -35.0)
            - move_of(ShapeParameter::FaceHeight, 0.0, -80.0, -30.0);
        assert_relative_eq!(higher.y, 5.5, epsilon = 0.1);
        assert_relative_eq!(move_of(ShapeParameter::NoseProtrusion, 0.0, -2.0, 0.0).z, 1.9, epsilon = 1e-12);
        assert_relative_eq!(
            2.0 * move_of(ShapeParameter::NoseWidth, 17.0, -6.0, -18.0).x,
            2.4,
            epsilon = 1.0
        );
        assert_relative_eq!(
            2.0 * move_of(ShapeParameter::MouthWidth, 26.0, -36.5, -30.0).x,
            3.4,
            epsilon = 1.0
        );
    }

    #[test]
    fn only_the_asymmetries_break_the_mirror() {
        for &parameter in ShapeParameter::ALL {
            let symmetric = !parameter.name().ends_with("asymmetry");
            for (x, y, z) in
                [(3.0, -5.0, -6.0), (30.0, 35.0, -36.0), (24.0, -38.0, -28.0), (50.0, 0.0, -45.0)]
            {
                let (l, r) = (move_of(parameter, x, y, z), move_of(parameter, -x, y, z));
                let mirrored = Vector::new(-r.x, r.y, r.z);
                if symmetric {
                    assert_relative_eq!(l, mirrored, epsilon = 1e-12);
                } else if l.norm() > 1e-3 {
                    assert!((l - mirrored).norm() > 1e-3, "{}", parameter.name());
                }
            }
        }
    }
}
