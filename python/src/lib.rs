//! The extension module under the Python package `visard`: arrays in, the library's own functions called, arrays out.
//!
//! Names, arguments and what they mean are settled in the package's Python files; they hand over what has been looked at: contiguous
//! `float64` arrays of the right shape. Nothing here is statistics or privacy: that is the library's.

mod failure;
mod functions;
mod geometry;
mod manifolds;
mod optimize;
mod options;
mod plans;
mod privacy;
mod rows;
mod shapes;
mod sites;
mod studies;
mod work;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
mod _visard {
    #[pymodule_export]
    use super::functions::functional_mean;
    #[pymodule_export]
    use super::geometry::{Template, cloud_mesh, disk_of, list_scans, read_scan, write_ply};
    #[pymodule_export]
    use super::manifolds::Space;
    #[pymodule_export]
    use super::optimize::optimize;
    #[pymodule_export]
    use super::plans::face_plan;
    #[pymodule_export]
    use super::privacy::{
        audit, audit_names, calibrate_gaussian, calibrate_riemannian, compose, convert, explain, ledger,
        verify,
    };
    #[pymodule_export]
    use super::shapes::{shape_compare, shape_mean, shape_modes, shape_regress};
    #[pymodule_export]
    use super::sites::{site_answer, site_close, site_key, site_plan, site_verify};
    #[pymodule_export]
    use super::studies::{
        face_compare, face_mean, face_modes, face_predict, face_regress, face_sample, spd_mean, vector_mean,
    };
    #[pymodule_export]
    use super::work::set_threads;

    use pyo3::prelude::*;

    /// The version of the library.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
