//! What an item may use, and the faces that items share.

use crate::function::FaceCurves;
use crate::surface::Template;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Told what a long item is about to do.
type Steps = Box<dyn Fn(&str) + Send + Sync>;

/// What an item may use.
pub struct Context {
    /// The folder of public data sets, where there is one; otherwise synthetic populations are used.
    pub data: Option<PathBuf>,
    /// Smaller sizes and fewer repetitions: everything within two minutes.
    pub quick: bool,
    /// Faces are made once and shared by the items that show them.
    pub(super) faces: OnceLock<Arc<Population>>,
    steps: Option<Steps>,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("data", &self.data)
            .field("quick", &self.quick)
            .finish_non_exhaustive()
    }
}

impl Context {
    /// With the folder of public data sets, if there is one; `quick` for smaller sizes.
    pub fn new(data: Option<PathBuf>, quick: bool) -> Self {
        Self { data, quick, faces: OnceLock::new(), steps: None }
    }

    /// Tells `steps` what a long item is about to do; possibly from several threads.
    pub fn with_steps(mut self, steps: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.steps = Some(Box::new(steps));
        self
    }

    pub(super) fn step(&self, what: &str) {
        if let Some(steps) = &self.steps {
            steps(what);
        }
    }

    /// A file of the data sets, if it is there.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        self.data.as_ref().map(|d| d.join(name)).filter(|p| p.is_file())
    }

    pub(super) fn pick<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// Homologous faces, and the public face they are clipped around.
#[derive(Debug)]
pub struct Population {
    /// The public face with its disk map.
    pub template: Arc<Template>,
    /// The template's own curves.
    pub own: FaceCurves,
    /// One record for each face: 23 curves of 80 samples.
    pub records: Vec<Option<FaceCurves>>,
    /// The faces' vertices, x y z of each in the template's order: centred, of unit area, turned to the template.
    pub dense: Vec<Option<Vec<f64>>>,
    /// Another public face: of one hundred others of the population the one farthest from the template. What a template is
    /// that does not happen to be near the mean.
    pub stranger: FaceCurves,
    /// Where they come from.
    pub source: &'static str,
}
