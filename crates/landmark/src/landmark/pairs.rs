//! Bilateral objects: mirror images, and the symmetric and asymmetric part of a configuration.

use super::procrustes::{corresponding, rotated_onto};
use super::{Configuration, LandmarkError, centred, full_distance};

/// Which landmarks are each other's mirror images; those in no pair lie on the midline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairs {
    /// The partner of each landmark; its own on the midline.
    partner: Vec<usize>,
}

impl Pairs {
    /// Of (left, right), landmarks counted from 0, for configurations of so many.
    ///
    /// # Errors
    /// [`LandmarkError`]: a landmark that does not exist, or that is in two pairs.
    pub fn new(pairs: &[(usize, usize)], landmarks: usize) -> Result<Self, LandmarkError> {
        let mut partner: Vec<usize> = (0..landmarks).collect();
        let mut seen = vec![false; landmarks];
        for &(left, right) in pairs {
            for i in [left, right] {
                let place =
                    seen.get_mut(i).ok_or(LandmarkError::NoSuchLandmark { landmark: i + 1, landmarks })?;
                if std::mem::replace(place, true) {
                    return Err(LandmarkError::Twice(i + 1));
                }
            }
            (partner[left], partner[right]) = (right, left);
        }
        Ok(Self { partner })
    }

    /// The mirror image with left and right named again as they should be.
    fn mirrored(&self, x: &Configuration) -> Configuration {
        reflected(&x.select_rows(&self.partner))
    }

    /// The symmetric and the asymmetric part of a configuration: half the sum and half the difference of it and its relabelled mirror image,
    /// rotated to fit it best (object symmetry: Mardia, Bookstein & Moreton 2000; Klingenberg, Barluenga & Meyer 2002). They add up to the
    /// centred configuration, and are orthogonal. One record at a time: part of the record.
    ///
    /// # Errors
    /// Another number of landmarks, or missing ones.
    pub fn split(&self, x: &Configuration) -> Result<Split, LandmarkError> {
        let (found, found_dimension) = x.shape();
        if found != self.partner.len() {
            let (expected, expected_dimension) = (self.partner.len(), found_dimension);
            return Err(LandmarkError::Size { found, found_dimension, expected, expected_dimension });
        }
        if x.iter().any(|c| !c.is_finite()) {
            return Err(LandmarkError::NotFinite);
        }
        let x = centred(x);
        let mirror = rotated_onto(&self.mirrored(&x), &x)?;
        Ok(Split { symmetric: (&x + &mirror) * 0.5, asymmetric: (x - mirror) * 0.5 })
    }
}

/// A configuration in two parts.
#[derive(Debug, Clone)]
pub struct Split {
    /// Its own mirror image, relabelled: centred.
    pub symmetric: Configuration,
    /// What must be added to it to have the (centred) configuration: a displacement of each landmark.
    pub asymmetric: Configuration,
}

/// The mirror image: the first coordinate negated. Labels stay.
pub fn reflected(x: &Configuration) -> Configuration {
    let mut x = x.clone();
    x.column_mut(0).neg_mut();
    x
}

/// Whether a configuration lies nearer to the template's mirror image than to the template: a picture turned over, or an axis.
///
/// # Errors
/// Configurations that do not correspond, or one that has no shape.
pub fn is_nearer_mirrored(x: &Configuration, template: &Configuration) -> Result<bool, LandmarkError> {
    corresponding(x, template)?;
    Ok(full_distance(&reflected(x), template)? < full_distance(x, template)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Landmarks 0, 1 on the midline, 2 and 3, 4 and 5 pairs; symmetric about x = 0.
    fn symmetric(d: usize) -> (Configuration, Pairs) {
        let plane = [0., 1., 0., -2., -1., 0.5, 1., 0.5, -2., -1., 2., -1.];
        let depth = [0.3, -0.2, 0.8, 0.8, -0.5, -0.5];
        let x = Configuration::from_fn(6, d, |i, j| if j < 2 { plane[2 * i + j] } else { depth[i] });
        (x, Pairs::new(&[(2, 3), (4, 5)], 6).unwrap())
    }

    #[test]
    fn parts_add_up_are_orthogonal_and_each_its_own_image() {
        for d in [2, 3] {
            let (base, pairs) = symmetric(d);
            let turn = if d == 2 {
                vec![0.6, -0.8, 0.8, 0.6]
            } else {
                vec![0.6, -0.8, 0., 0.8, 0.6, 0., 0., 0., 1.]
            };
            let turn = Configuration::from_row_slice(d, d, &turn);
            let even = pairs.split(&(&base * &turn)).unwrap();
            assert!(even.asymmetric.amax() < 1e-12);
            assert!((&even.symmetric - centred(&(&base * &turn))).amax() < 1e-12);
            // One landmark of a pair moved by e along x: by symmetry half of it is symmetric.
            let mut odd = base.clone();
            odd[(2, 0)] -= 0.01;
            let split = pairs.split(&odd).unwrap();
            assert!((&split.symmetric + &split.asymmetric - centred(&odd)).amax() < 1e-12);
            assert!(split.symmetric.dot(&split.asymmetric).abs() < 1e-12);
            assert!(pairs.split(&split.symmetric).unwrap().asymmetric.amax() < 1e-12);
            assert!(split.asymmetric.norm() > 0.005 && split.asymmetric.norm() < 0.01);
        }
    }

    #[test]
    fn a_picture_turned_over_is_noticed() {
        for d in [2, 3] {
            let template = Configuration::from_fn(7, d, |i, j| {
                ((5 * i + 3 * j + i * j) as f64).sin() + 0.2 * (i + j) as f64
            });
            let mut x = &template * 20.0;
            x[(3, 1)] += 1.0;
            assert!(!is_nearer_mirrored(&x, &template).unwrap());
            assert!(is_nearer_mirrored(&reflected(&x), &template).unwrap());
        }
    }

    #[test]
    fn pairs_that_cannot_be_are_refused() {
        assert_eq!(
            Pairs::new(&[(0, 3)], 3),
            Err(LandmarkError::NoSuchLandmark { landmark: 4, landmarks: 3 })
        );
        assert_eq!(Pairs::new(&[(0, 1), (1, 2)], 3), Err(LandmarkError::Twice(2)));
        assert_eq!(Pairs::new(&[(1, 1)], 3), Err(LandmarkError::Twice(2)));
        let (x, pairs) = symmetric(2);
        assert!(pairs.split(&x.rows(0, 5).into_owned()).is_err());
        assert!(pairs.split(&Configuration::from_element(6, 2, f64::NAN)).is_err());
    }
}
