//! The extension module under the Python package `visard`: arrays in, the library's own functions called, arrays out.
//!
//! Names, arguments and what they mean are settled in the package's Python files; they hand over what has been looked at: contiguous
//! `float64` arrays of the right shape, or the words of a command. Nothing here is statistics or privacy: that is the library's.

mod failure;
mod geometry;
mod manifolds;
mod options;
mod privacy;
mod run;
mod work;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
mod _visard {
    #[pymodule_export]
    use super::geometry::{Template, cloud_mesh, disk_of, list_scans, read_scan, write_ply};
    #[pymodule_export]
    use super::manifolds::Space;
    #[pymodule_export]
    use super::privacy::{
        audit, audit_names, calibrate_gaussian, calibrate_riemannian, compose, convert, explain, ledger,
        verify,
    };
    #[pymodule_export]
    use super::run::{main, run};
    #[pymodule_export]
    use super::work::set_threads;

    use pyo3::prelude::*;

    /// The version of the library.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
