//! Registration under the SRNF metric: rotation and reparameterization of the whole disk (Jermyn et al. 2017;
//! Soto et al. 2024, A.3).

mod align;
mod basis;
mod gamma;

pub use align::{SrnfAlignment, SrnfSettings, align_surfaces};
pub use basis::{Field, tangential_fields};
pub use gamma::Reparameterization;

pub(crate) use align::{Flattened, align};
