//! Registration: where the vertices of the public template lie on a scan.
//!
//! A method is a folder with a type that implements [`RegistrationMethod`], and one line in the registry at the end of this
//! file. It is made ready for a template once ([`Registration::prepare`]) and then serves any number of scans. Nothing is
//! learned from scans, and one scan is registered without another. What a method tells of a scan beside the positions are
//! [`Measures`]: tables, charts and reports take their columns and captions from there.
//!
//! # Example
//! ```
//! use visard_geometry::mesh::{DiskMesh, Similarity, Vector};
//! use visard_geometry::surface::Template;
//! use visard_geometry::surface::registration::{PosedScan, Registration};
//! use visard_geometry::synth::{builtin_landmarks, builtin_template};
//! let disk = DiskMesh::try_new(builtin_template().clone())?;
//! let nose = builtin_landmarks().nose_tip;
//! let template = Template::new(disk.clone(), nose, Vector::z(), Vector::y())?;
//! // The template itself, seen 2 mm further to the left, is the scan.
//! let moved = Similarity { translation: Vector::new(2.0, 0.0, 0.0), ..Similarity::identity() };
//! let places = disk.mesh().vertices().iter().map(|p| moved.apply(p)).collect();
//! let scan = PosedScan { disk: disk.with_vertices(places)?, nose, similarity: moved, filled: Vec::new() };
//! let method = Registration::Elastic.prepare(&template)?;
//! let found = method.register(&scan)?.without_folds()?;
//! assert!((found.positions[nose] - moved.apply(&disk.mesh().vertices()[nose])).norm() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bijectivity;
mod elastic;
mod landing;
#[cfg(test)]
mod made_up;
mod measure;
mod method;
mod srnf;
#[cfg(test)]
mod tests;

pub use bijectivity::{Bijectivity, certify};
pub use elastic::{BorderModel, DisplacementKernel, Elastic, ElasticReport, ElasticSettings, Following};
pub use landing::{Landed, Landing};
pub use measure::{Measure, MeasureChart, Measures};
pub use method::{PosedScan, Registered, RegistrationError, RegistrationMethod, RegistrationReport};
pub use srnf::{Srnf, SrnfLevel, SrnfReport, SrnfSettings};

use super::template::Template;

macro_rules! registry {
    ($($(#[$attribute:meta])+ $variant:ident = $name:literal => $method:ident,)+) => {
        /// Method of registration to the template: the registry of methods.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "cli", derive(clap::ValueEnum, schemars::JsonSchema))]
        pub enum Registration {
            $($(#[$attribute])+ #[serde(rename = $name)] #[cfg_attr(feature = "cli", value(name = $name))] $variant,)+
        }

        impl Registration {
            /// All methods.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Its name on the command line and in certificates.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// What it tells of every scan.
            pub fn measures(self) -> &'static Measures {
                match self {
                    $(Self::$variant => $method::measures(),)+
                }
            }

            /// Makes it ready for a template, with its default settings.
            ///
            /// # Errors
            /// [`RegistrationError`] when the template does not suit the method.
            pub fn prepare(
                self,
                template: &Template,
            ) -> Result<Box<dyn RegistrationMethod + '_>, RegistrationError> {
                match self {
                    $(Self::$variant => $method::prepare(template),)+
                }
            }
        }
    };
}

registry! {
    /// A similarity and a smooth displacement of the template; the scan may end anywhere.
    #[default]
    Elastic = "elastic" => Elastic,
    /// The scan continued to the template's border, flattened, rotated and reparameterized under the SRNF metric.
    Srnf = "srnf" => Srnf,
}
