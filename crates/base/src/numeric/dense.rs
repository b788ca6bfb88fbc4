//! Dense systems.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::{MatMut, Par};

/// Whether the lower triangle is that of a positive definite matrix; replaces it by its Cholesky factor.
#[doc(hidden)]
pub fn cholesky_in_place(matrix: MatMut<'_, f64>) -> bool {
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(matrix.nrows(), Par::Seq, Default::default());
    let Ok(mut memory) = MemBuffer::try_new(scratch) else { return false };
    let memory = MemStack::new(&mut memory);
    llt::factor::cholesky_in_place(matrix, Default::default(), Par::Seq, memory, Default::default()).is_ok()
}
