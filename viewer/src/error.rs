//! Why something cannot be shown, drawn or saved: one line that says what is wrong, where, and what to do.

use std::path::PathBuf;
use visard::conformal::ConformalError;
use visard::function::CurvesError;
use visard::io::{ReadError, WriteError};
use visard::mechanism::MechanismError;
use visard::mesh::MeshError;
use visard::privacy::{BudgetError, ReleaseError};
use visard::study::face::TemplateLoadError;
use visard::study::layout::ERROR;
use visard::surface::TemplateError;

/// Why the viewer does not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewerError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A picture or a camera cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file's triangles are not a surface.
    #[error("{}: {source}", file.display())]
    FileMesh {
        /// The file.
        file: PathBuf,
        /// What is wrong with them.
        source: MeshError,
    },
    /// A file's array is nothing that can be drawn.
    #[error("{}: {source}", file.display())]
    FileArray {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        source: ArrayError,
    },
    /// The workbench of several folders.
    #[error("the workbench takes one folder of scans")]
    OneFolder,
    /// A `plan.json` that is none of a mean face.
    #[error("{}: not a mean-face plan with a mu budget; use the command line", .0.display())]
    NoPlan(PathBuf),
    /// A scan that has landmarks of its own.
    #[error("{} has this scan's landmarks already; change its nose tip there, or move it away", .0.display())]
    OtherLandmarks(PathBuf),
    /// A scan that cannot be registered.
    #[error("{}: {reason}", file.display())]
    NotRegistered {
        /// The scan.
        file: PathBuf,
        /// At which stage it stopped, and what to do.
        reason: String,
    },
    /// The study whose registrations are wanted.
    #[error(transparent)]
    Study(#[from] visard::study::face::StudyError),
    /// A field that does not fit its surface.
    #[error(transparent)]
    Field(#[from] visard::study::subject::SubjectError),
    /// No field was given from a file.
    #[error("{subject}: no field was given; --field FILE colours by one")]
    NoValues {
        /// The subject's name.
        subject: String,
    },
    /// Outlines without a single landmark.
    #[error("{}: every landmark is missing", .0.display())]
    NoLandmarks(PathBuf),
    /// A folder that is no study, release or folder of scans.
    #[error("{}: no release, mean or scan in this folder", .0.display())]
    EmptyFolder(PathBuf),
    /// More values than the release has modes.
    #[error("{subject}: {there} modes to bend it by, {asked} values given")]
    TooManyModes {
        /// The subject's name.
        subject: String,
        /// How many values there are.
        asked: usize,
        /// How many modes.
        there: usize,
    },
    /// Values that no covariate of the release has.
    #[error("{subject}: {source}")]
    At {
        /// The subject's name.
        subject: String,
        /// What is wrong with them.
        source: visard::estimate::design::AtError,
    },
    /// Values of covariates for what is no regression.
    #[error("{subject}: no covariates; releases of visard face regress have them")]
    NoCovariates {
        /// The subject's name.
        subject: String,
    },
    /// An animation along a covariate that the release does not have.
    #[error("{subject}: no covariate {asked}; there are {there}")]
    NoCovariate {
        /// The subject's name.
        subject: String,
        /// What was asked for.
        asked: String,
        /// What there is.
        there: String,
    },
    /// A ruler from or to what the subject does not have.
    #[error("{subject}: there is no {end} to measure from; there are {there}")]
    NoSuchEnd {
        /// The subject's name.
        subject: String,
        /// The end that was asked for.
        end: String,
        /// What there is.
        there: String,
    },
    /// A path of nothing.
    #[error("{}: there is no such file or folder", .0.display())]
    Missing(PathBuf),
    /// Nothing lies behind a path.
    #[error("nothing to show")]
    NothingToShow,
    /// A picture's file is there already.
    #[error("{} exists; use --force to replace it", .0.display())]
    Exists(PathBuf),
    /// Neither a view's name nor a file.
    #[error("--camera {asked}: neither one of {known} nor a camera file")]
    UnknownCamera {
        /// What was asked for.
        asked: String,
        /// The names there are.
        known: String,
    },
    /// A file that holds no camera.
    #[error("{0}: not a camera file (save one in the window with S)")]
    NotACamera(String),
    /// A field on bare points, curves or outlines.
    #[error("{subject}: fields need a surface")]
    NoSurface {
        /// The subject's name.
        subject: String,
    },
    /// The distance to the template of a mesh with other triangles.
    #[error("{subject}: its vertices are not the built-in template's")]
    OtherVertices {
        /// The subject's name.
        subject: String,
    },
    /// The error of what is no release, or of one without a map of its error.
    #[error("{subject}: no {ERROR} of a release beside it; distance and distortion may serve")]
    NoError {
        /// The subject's name.
        subject: String,
    },
    /// A surface that is not a disk.
    #[error("no disk map: {0}")]
    NotADisk(#[source] MeshError),
    /// A disk that cannot be flattened.
    #[error("no disk map: {0}")]
    NoDiskMap(#[from] ConformalError),
    /// A morph of a mesh with other triangles.
    #[error("morphing needs the built-in template's vertices")]
    CannotMorph,
    /// The surface on its way from the template to the subject.
    #[error(transparent)]
    Morph(MeshError),
    /// The built-in template, which the made-up people are made with.
    #[error("the built-in template cannot be prepared")]
    NoTemplate(#[source] TemplateLoadError),
    /// The made-up people's template, or the face through their mean.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The made-up people's budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The made-up people's mechanism.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// There is a mechanism by that name, but it releases nothing.
    #[error("no mechanism")]
    NoMechanism,
    /// The made-up people's release.
    #[error(transparent)]
    Release(#[from] ReleaseError<MechanismError>),
    /// The released curves of made-up people.
    #[error(transparent)]
    Curves(#[from] CurvesError),
    /// A picture cannot be encoded.
    #[error(transparent)]
    Png(#[from] png::EncodingError),
    /// An animation cannot be encoded.
    #[error(transparent)]
    Gif(#[from] gif::EncodingError),
    /// A WebP that cannot be encoded.
    #[error(transparent)]
    WebP(#[from] image_webp::EncodingError),
    /// The graphics library stopped while it made a picture.
    #[error(transparent)]
    Graphics(#[from] GraphicsPanic),
    /// The graphics adapter left a picture black, which nothing we draw is.
    #[error("it draws nothing")]
    Black,
    /// No screen.
    #[error("there is no display to open a window on; use --screenshot FILE")]
    NoDisplay,
    /// No graphics.
    #[error(
        "no graphics adapter found; install a Vulkan driver (Debian: mesa-vulkan-drivers), or use --screenshot FILE"
    )]
    NoAdapter,
    /// The graphics library stopped while the window was open, or before.
    #[error("the window cannot go on: {}; --screenshot FILE needs no display", .0.plainly())]
    Window(#[source] GraphicsPanic),
}

/// Why an array is nothing that can be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    /// It holds nothing.
    #[error("an empty array")]
    Empty,
    /// NaN or infinity.
    #[error("holds values that are not finite numbers")]
    NotFinite,
    /// Of another shape than points, curves and outlines have.
    #[error("an array of shape {0:?}; points are (p, 3), curves (J, m, 3), outlines (k, 2) or (n, k, 2)")]
    Shape(Vec<usize>),
}

/// The first line of what a graphics library said when it panicked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{said}")]
pub struct GraphicsPanic {
    said: String,
}

impl GraphicsPanic {
    /// From what [`std::panic::catch_unwind`] caught.
    pub fn of(cause: &(dyn std::any::Any + Send)) -> Self {
        let text =
            cause.downcast_ref::<String>().map(String::as_str).or(cause.downcast_ref::<&str>().copied());
        let said = text.unwrap_or("the graphics library stopped").lines().next().unwrap_or_default();
        Self { said: said.to_owned() }
    }

    /// What it says of a display, without the library's own source's places.
    fn plainly(&self) -> &str {
        if self.said.contains("event loop") { "the display cannot be reached" } else { &self.said }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panic(work: impl FnOnce() + std::panic::UnwindSafe) -> GraphicsPanic {
        GraphicsPanic::of(std::panic::catch_unwind(work).unwrap_err().as_ref())
    }

    #[test]
    fn a_panic_is_one_line_and_speaks_of_the_display_plainly() {
        let lost = panic(|| std::panic::panic_any("device lost\nat wgpu.rs:1"));
        assert_eq!(lost.to_string(), "device lost");
        assert_eq!(panic(|| std::panic::panic_any(7)).to_string(), "the graphics library stopped");
        let said = |cause| ViewerError::Window(cause).to_string();
        assert_eq!(said(lost), "the window cannot go on: device lost; --screenshot FILE needs no display");
        let display = panic(|| std::panic::panic_any("no event loop at x.rs:3".to_owned()));
        assert!(said(display).contains(": the display cannot be reached;"));
    }
}
