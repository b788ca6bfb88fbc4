//! What is asked of masks, and what comes of them.

use crate::io::shapes::MadeShape;
use crate::mesh::TriMesh;
use std::str::FromStr;

/// Which label of a mask is the organ. Background is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Label {
    /// This one.
    Value(u16),
    /// That of this name, whatever its number in each file; upper and lower case are alike.
    Name(String),
    /// Everything that is not background.
    Any,
}

/// Which slice of a volume is looked at: a public rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slice {
    /// The slice across left and right that halves the organ's extent between them. The file must tell its orientation.
    MidSagittal,
    /// The slice of this number, from 0, along the axis towards the head; of files without orientation along the last axis.
    Number(usize),
    /// The slice with the most of the organ, along the same axis.
    Largest,
}

/// How landmarks are put on an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correspondence {
    /// Evenly by arc length from the outline's point farthest from its middle, whatever the atlas.
    Index,
    /// By arc length, from where the outline fits the atlas best; without an atlas as `Index`.
    ArcLength,
    /// By the elastic (square-root velocity) registration to the atlas, which is needed.
    Elastic,
}

/// How masks are made into outlines. All of it is public.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MaskMaking {
    /// The organ's label; needed where a file holds several.
    pub label: Option<Label>,
    /// Labels of further outlines in the same picture, in this order. Surfaces have none.
    pub beside: Vec<Label>,
    /// Size of a pixel or voxel along each axis in mm, for files that do not tell.
    pub spacing: Option<[f64; 3]>,
    /// Which slice of a volume; needed where a file holds several slices.
    pub slice: Option<Slice>,
    /// How landmarks are put; by default elastically with an atlas, and as `Index` without.
    pub correspondence: Option<Correspondence>,
    /// Whether lengths in mm matter: then a file that does not tell them needs `spacing`. Otherwise its pixels are taken to be square.
    pub metric: bool,
}

/// Outlines of records.
#[derive(Debug, Clone)]
pub struct Outlines {
    /// Every file's name without its ending, and its landmarks in mm (y upwards) or why it has none.
    pub shapes: Vec<MadeShape>,
    /// What the data holder should know of them.
    pub notes: Vec<String>,
}

/// Surfaces of records.
#[derive(Debug, Clone)]
pub struct Surfaces {
    /// Every file's name without its ending, and the surface of its organ in mm, or why it has none. Coordinates are towards left, back and head
    /// (LPS, as 3D Slicer writes meshes) where the file tells its orientation, otherwise along its axes.
    pub meshes: Vec<(String, Result<TriMesh, String>)>,
    /// What the data holder should know of them.
    pub notes: Vec<String>,
}

impl FromStr for Label {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "any" => Ok(Self::Any),
            _ if text.parse::<f64>().is_ok() || text.trim().is_empty() => match text.parse() {
                Ok(0) | Err(_) => {
                    Err("a label is a whole number from 1 to 65535, a name, or \"any\" for all that is not 0"
                        .into())
                }
                Ok(value) => Ok(Self::Value(value)),
            },
            _ => Ok(Self::Name(text.trim().to_owned())),
        }
    }
}

impl FromStr for Slice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "mid-sagittal" => Ok(Self::MidSagittal),
            "largest" => Ok(Self::Largest),
            _ => text
                .parse()
                .map(Self::Number)
                .map_err(|_| "a slice is mid-sagittal, largest or its number from 0".into()),
        }
    }
}

/// What only reading them asks for.
#[cfg(feature = "readers")]
impl MaskMaking {
    /// For each outline of a picture, how that one is made; the others stand beside it.
    pub(super) fn of_each(&self) -> Vec<Self> {
        let of = |label: &Label| Self {
            label: Some(label.clone()),
            beside: self.asked().filter(|other| *other != label).cloned().collect(),
            ..self.clone()
        };
        std::iter::once(self.clone()).chain(self.beside.iter().map(of)).collect()
    }

    /// Whether one of several labels is asked for twice, by itself or among all.
    pub(super) fn has_outline_twice(&self) -> bool {
        let asked: Vec<&Label> = self.asked().collect();
        let is_twice = |(k, label): (usize, &&Label)| {
            **label == Label::Any || asked[..k].iter().any(|other| other == label)
        };
        asked.len() > 1 && asked.iter().enumerate().any(is_twice)
    }

    /// The labels that are asked for.
    pub(super) fn asked(&self) -> impl Iterator<Item = &Label> {
        self.label.iter().chain(&self.beside)
    }
}

impl MaskMaking {
    /// How many outlines a picture has.
    pub fn curves(&self) -> usize {
        1 + self.beside.len()
    }

    /// A spacing in words: one number, or one for each axis between `x`: `0.5x0.5x3`.
    ///
    /// # Errors
    /// Anything else, and what is not positive.
    pub fn spacing_of(text: &str) -> Result<[f64; 3], String> {
        let wrong = || "a spacing is in mm: one number, or one for each axis as in 0.5x0.5x3".to_owned();
        let numbers: Vec<f64> =
            text.split('x').map(|word| word.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
        let spacing = match numbers[..] {
            [a] => [a; 3],
            [a, b] => [a, b, 1.0],
            [a, b, c] => [a, b, c],
            _ => return Err(wrong()),
        };
        spacing.iter().all(|s| s.is_finite() && *s > 0.0).then_some(spacing).ok_or_else(wrong)
    }
}
