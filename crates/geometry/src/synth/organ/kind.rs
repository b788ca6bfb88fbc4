//! The kinds of made-up organs.

use super::modes::{self, Modes, ORGAN_TRAITS};
use super::net::Implicit;
use super::shapes;
use crate::mesh::{Point, TriMesh, Vector};
use nalgebra::Rotation3;
use std::sync::LazyLock;

/// A kind of made-up organ. Lengths are in millimetres.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum OrganKind {
    /// An ear on the side of a head, a disk
    Ear,
    /// A half open hand, closed at the wrist
    Hand,
    /// The lower end of a thigh bone, closed
    Femur,
    /// A liver, closed
    Liver,
    /// A hippocampus, closed
    Hippocampus,
    /// A lower jaw without teeth, closed; nearly its own mirror image
    Mandible,
}

impl OrganKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Ear, Self::Hand, Self::Femur, Self::Liver, Self::Hippocampus, Self::Mandible];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ear => "ear",
            Self::Hand => "hand",
            Self::Femur => "femur",
            Self::Liver => "liver",
            Self::Hippocampus => "hippocampus",
            Self::Mandible => "mandible",
        }
    }

    /// Its public template, made once: two to four thousand vertices. The population's mean is another.
    pub fn template(self) -> &'static TriMesh {
        static TEMPLATES: [LazyLock<TriMesh>; 6] = [
            LazyLock::new(|| OrganKind::Ear.made()),
            LazyLock::new(|| OrganKind::Hand.made()),
            LazyLock::new(|| OrganKind::Femur.made()),
            LazyLock::new(|| OrganKind::Liver.made()),
            LazyLock::new(|| OrganKind::Hippocampus.made()),
            LazyLock::new(|| OrganKind::Mandible.made()),
        ];
        &TEMPLATES[self as usize]
    }

    fn made(self) -> TriMesh {
        self.solid().mesh(self.spacing(), &Rotation3::identity(), &Vector::zeros())
    }

    /// Where a point of the template goes on the organ with these traits, less itself; millimetres.
    pub fn displacement(self, traits: &[f64; ORGAN_TRAITS], p: &Point) -> Vector {
        self.modes().displacement(traits, p)
    }

    /// About the edge length of the template, millimetres.
    pub(super) fn spacing(self) -> f64 {
        match self {
            Self::Ear => 2.2,
            Self::Hand => 3.8,
            Self::Femur => 3.6,
            Self::Liver => 6.5,
            Self::Hippocampus => 1.05,
            Self::Mandible => 3.2,
        }
    }

    pub(super) fn solid(self) -> Implicit {
        match self {
            Self::Ear => shapes::EAR,
            Self::Hand => shapes::HAND,
            Self::Femur => shapes::FEMUR,
            Self::Liver => shapes::LIVER,
            Self::Hippocampus => shapes::HIPPOCAMPUS,
            Self::Mandible => shapes::MANDIBLE,
        }
    }

    fn modes(self) -> &'static Modes {
        match self {
            Self::Ear => &modes::EAR,
            Self::Hand => &modes::HAND,
            Self::Femur => &modes::FEMUR,
            Self::Liver => &modes::LIVER,
            Self::Hippocampus => &modes::HIPPOCAMPUS,
            Self::Mandible => &modes::MANDIBLE,
        }
    }
}
