//! Square matrices of one order, one for each record.

use super::error::{Fault, Parsed, ReadError};
use super::npy;
use super::open::Opened;

/// Matrices in an array, taken from the file's bytes when they are asked for.
#[derive(Debug, Clone)]
pub struct Matrices {
    file: Opened,
    form: npy::Form,
    order: usize,
}

impl Matrices {
    /// The file they are in.
    pub fn file(&self) -> &Opened {
        &self.file
    }

    /// k: a public fact about the file, since the array's header tells it.
    pub fn order(&self) -> usize {
        self.order
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.form.records()
    }

    /// Each matrix row by row, k² numbers as they stand: neither finite nor symmetric need they be.
    pub fn iter(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        (0..self.count()).map(|i| self.form.record(self.file.bytes(), i))
    }
}

/// An array of shape (n, k, k) or (k, k).
pub(super) fn array(file: Opened) -> Result<Matrices, ReadError> {
    let form = |bytes: &[u8]| -> Parsed<(npy::Form, usize)> {
        let form = npy::Form::parse(bytes)?;
        let form = if form.shape.len() == 2 { form.into_one_record() } else { form };
        let [n, k, l] = form.shape[..] else { return Err(form.unfit(NEEDED)) };
        if k != l || k == 0 {
            return Err(form.unfit(NEEDED));
        }
        if n == 0 {
            return Err(Fault::Malformed("holds no matrices; save it again").into());
        }
        Ok((form, k))
    };
    let (form, order) = form(file.bytes()).map_err(|located| file.error(located))?;
    Ok(Matrices { file, form, order })
}

const NEEDED: &str = "matrices are (n, k, k)";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Limit, open, write_npy};

    fn matrices(shape: &[usize], data: &[f64]) -> Result<Matrices, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npy");
        write_npy(&path, shape, data).unwrap();
        array(open(&path, Limit::TABLE).unwrap()).map_err(|e| e.problem())
    }

    #[test]
    fn one_or_many() {
        let data: Vec<f64> = (0..8).map(f64::from).collect();
        let many = matrices(&[2, 2, 2], &data).unwrap();
        assert_eq!(many.order(), 2);
        assert_eq!(many.iter().collect::<Vec<_>>(), [&data[..4], &data[4..]]);
        let one = matrices(&[2, 2], &data[..4]).unwrap();
        assert_eq!(one.iter().collect::<Vec<_>>(), [&data[..4]]);
        for (shape, expected) in [
            (&[2, 2, 1][..], "matrices are (n, k, k)"),
            (&[4], "matrices are (n, k, k)"),
            (&[0, 2, 2], "holds no matrices"),
            (&[0, 0], "matrices are (n, k, k)"),
        ] {
            let n = shape.iter().product();
            assert!(matrices(shape, &data[..n]).unwrap_err().contains(expected), "{shape:?}");
        }
    }
}
