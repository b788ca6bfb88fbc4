//! Which private mean of shapes, by name.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use visard::study::points::PointMechanism;

/// A mean of shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeChoice {
    /// In two rounds, in the plane or in space.
    Joint,
    /// One of the mechanisms that every space of points has, in the plane.
    Single(PointMechanism),
}

const JOINT: &str = "joint";

/// All of them.
pub(super) fn choices() -> impl TypedValueParser<Value = ShapeChoice> {
    let joint =
        PossibleValue::new(JOINT).help("Two rounds about a centre: the least noise, landmarks in space too");
    let single = PointMechanism::OF_SHAPES.iter().filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(std::iter::once(joint).chain(single)).try_map(|name| match name.as_str() {
        JOINT => Ok(ShapeChoice::Joint),
        name => PointMechanism::from_str(name, true).map(ShapeChoice::Single),
    })
}
