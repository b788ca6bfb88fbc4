//! A release of how surfaces vary about their mean, read back with its template: coefficients by the template's harmonics.

use super::law::{Law, Stated};
use super::people::NO_NOISE;
use super::release::ModesRelease;
use crate::estimate::prior::Prior;
use crate::function::{Basis, Harmonics};
use crate::mesh::{Point, TriMesh, Vector};
use crate::study::points::PointStudyError;
use crate::surface_study::PublicTemplate;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use std::path::Path;
use visard_base::numeric::elementary::{add_scaled, dot};

/// What a certificate of surfaces says of them.
const SURFACE: &str = "surface";
/// How many harmonics were looked at.
const HARMONICS: &str = "harmonics";

/// A release of surfaces: all of it published.
#[derive(Debug)]
pub(super) struct Surfaces {
    pub release: ModesRelease,
    pub template: PublicTemplate,
    harmonics: Harmonics,
    /// Coefficients of the modes, one standard deviation of each.
    modes: Vec<Vec<f64>>,
    /// The variance that is stated beyond the modes: mean square over the area.
    pub beyond: f64,
    /// Variances of coefficients by the public spectrum; with [`Self::modes`] out of them their sum is [`Self::beyond`].
    spectrum: Vec<f64>,
}

impl Surfaces {
    /// From the folder of a release of `surface modes` or `surface regress --residuals`, or of its study, and the template it was made with.
    ///
    /// # Errors
    /// [`PointStudyError`]: a release that cannot be read, has no modes, or was made about another template.
    pub fn open(named: &Path, template: &Path) -> Result<Self, PointStudyError> {
        let template = PublicTemplate::read(template)?;
        let release = ModesRelease::open(named, SURFACE, SURFACE)?;
        let no = |what: &str| PointStudyError::Input(format!("{}: {what}", named.display()));
        let is_of =
            |sha256: &str| release.certificate.public_inputs.iter().any(|input| input.sha256 == sha256);
        if !template.public_inputs.first().is_some_and(|mesh| is_of(&mesh.sha256)) {
            return Err(no("was made about another template; give that one with --template"));
        }
        let mesh = template.template.mesh();
        let count = release.certificate.details.get(HARMONICS).and_then(serde_json::Value::as_u64);
        let count = count.ok_or_else(|| no("its certificate does not state the number of harmonics"))?;
        if release.axes != [mesh.vertices().len(), 3] {
            return Err(no("its mean is not an array of the template's vertices"));
        }
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(mesh.vertices().len() / 4);
        let harmonics = Harmonics::new(mesh, count).map_err(|e| PointStudyError::OfKind(Box::new(e)))?;
        let modes: Vec<Vec<f64>> = release.modes.iter().map(|mode| harmonics.analyse(mode)).collect();
        let [_, whole] = release.variances()?;
        let seen: f64 = modes.iter().map(|mode| dot(mode, mode)).sum();
        let beyond = (whole - seen).max(0.0);
        let basis = Basis::of_harmonics(harmonics.frequencies());
        let mut spectrum = Prior::new(&basis, |_| 1.0).spectrum;
        let taken = |mode: &Vec<f64>| {
            let squares = mode.iter().zip(&spectrum).map(|(x, v)| x * x * v).sum::<f64>();
            squares / dot(mode, mode).max(f64::MIN_POSITIVE)
        };
        let left = spectrum.iter().sum::<f64>() - modes.iter().map(taken).sum::<f64>();
        let scale = if left > 0.0 { beyond / left } else { 0.0 };
        spectrum.iter_mut().for_each(|v| *v *= scale);
        Ok(Self { release, template, harmonics, modes, beyond, spectrum })
    }

    /// What the release states of how surfaces vary, in coefficients.
    ///
    /// # Errors
    /// [`PointStudyError`]: a certificate that does not state the noise in the variances.
    pub fn stated(&self) -> Result<Stated, PointStudyError> {
        let stated = self.release.stated(self.modes.clone(), 1.0, self.beyond);
        stated.ok_or_else(|| PointStudyError::Input(NO_NOISE.into()))
    }

    /// The variance of the modes: mean square over the area.
    pub fn seen(&self) -> f64 {
        self.modes.iter().map(|mode| dot(mode, mode)).sum()
    }

    /// Coefficients of a displacement of the vertices, (V, 3).
    pub fn coefficients(&self, displaced: &[f64]) -> Vec<f64> {
        self.harmonics.analyse(displaced)
    }

    /// The surface with these vertices, (V, 3).
    ///
    /// # Errors
    /// [`PointStudyError`]: vertices that make no surface.
    pub fn surface(&self, vertices: &[f64]) -> Result<TriMesh, PointStudyError> {
        let places = vertices.chunks_exact(3).map(|p| Point::new(p[0], p[1], p[2])).collect();
        let mesh = self.template.template.mesh().with_vertices(places);
        mesh.map_err(|e| PointStudyError::OfKind(Box::new(e)))
    }

    /// Displacements of the vertices, (V, 3), that a surface has from the mean: what the modes make of it, and a normal law of what they leave.
    /// `amounts`: standard deviations of each mode and of the rest, in units of the stated ones ([`super::law::deviations`]).
    pub fn deviation<R: Rng + ?Sized>(&self, amounts: (Vec<f64>, f64), rng: &mut R) -> [Vec<f64>; 2] {
        let mut seen = vec![0.0; self.spectrum.len()];
        for (mode, deviation) in self.modes.iter().zip(amounts.0) {
            let z = deviation * Distribution::<f64>::sample(&StandardNormal, rng);
            add_scaled(&mut seen, z, mode);
        }
        let mut drawn = rest(&self.spectrum, &self.modes, rng);
        drawn.iter_mut().for_each(|x| *x *= amounts.1);
        [seen, drawn].map(|coefficients| self.harmonics.synthesize(&coefficients))
    }

    /// How surfaces vary at every vertex by a law of them.
    pub fn variation(&self, law: &Law) -> Variation {
        let modes: Vec<(f64, &[f64])> =
            law.variances.iter().copied().zip(law.directions.iter().map(Vec::as_slice)).collect();
        let scale = if self.beyond > 0.0 { law.left / self.beyond } else { 0.0 };
        Variation::new(&self.harmonics, &self.spectrum, scale, &modes)
    }
}

/// Independent normal coefficients with these variances, without what lies along orthogonal modes.
fn rest<R: Rng + ?Sized>(spectrum: &[f64], modes: &[Vec<f64>], rng: &mut R) -> Vec<f64> {
    let mut rest: Vec<f64> = spectrum
        .iter()
        .map(|v| {
            let z: f64 = StandardNormal.sample(rng);
            v.sqrt() * z
        })
        .collect();
    for mode in modes {
        let along = dot(&rest, mode) / dot(mode, mode).max(f64::MIN_POSITIVE);
        add_scaled(&mut rest, -along, mode);
    }
    rest
}

/// How surfaces vary at every vertex, along any direction there: modes, and what they leave.
///
/// With unit directions D of the modes and the diagonal Λ of the spectrum, the rest's covariance is (I − DDᵀ)Λ(I − DDᵀ).
#[derive(Debug)]
pub(super) struct Variation {
    /// Of one coordinate by the spectrum alone.
    spectrum: Vec<f64>,
    /// Of every mode: its variance, its unit direction and ΛD as fields.
    modes: Vec<(f64, Vec<Vector>, Vec<Vector>)>,
    /// DᵀΛD.
    between: Vec<Vec<f64>>,
    /// What there is of the spectrum.
    scale: f64,
}

impl Variation {
    /// Of modes with these variances along unit directions, and of the rest: `scale` times what this spectrum leaves beside them.
    fn new(harmonics: &Harmonics, spectrum: &[f64], scale: f64, modes: &[(f64, &[f64])]) -> Self {
        let of_spectrum = |d: &[f64]| -> Vec<f64> { d.iter().zip(spectrum).map(|(x, v)| x * v).collect() };
        let field = |coefficients: &[f64]| vectors(&harmonics.synthesize(coefficients));
        let between = |d: &[f64]| modes.iter().map(|(_, e)| dot(&of_spectrum(d), e)).collect();
        Self {
            spectrum: harmonics.variances(spectrum).into_iter().map(|sum| sum / 3.0).collect(),
            between: modes.iter().map(|(_, d)| between(d)).collect(),
            modes: modes.iter().map(|(v, d)| (*v, field(d), field(&of_spectrum(d)))).collect(),
            scale,
        }
    }

    /// The variance at a vertex along a unit vector.
    pub fn along(&self, vertex: usize, n: &Vector) -> f64 {
        let of_modes: Vec<f64> = self.modes.iter().map(|(_, d, _)| n.dot(&d[vertex])).collect();
        let mut rest = self.spectrum[vertex];
        for (((_, _, l), own), row) in self.modes.iter().zip(&of_modes).zip(&self.between) {
            rest += own * (dot(row, &of_modes) - 2.0 * n.dot(&l[vertex]));
        }
        let seen: f64 = self.modes.iter().zip(&of_modes).map(|((v, ..), own)| v * own * own).sum();
        seen + self.scale * rest.max(0.0)
    }
}

/// A field (V, 3) as vectors.
pub(super) fn vectors(field: &[f64]) -> Vec<Vector> {
    field.chunks_exact(3).map(|d| Vector::new(d[0], d[1], d[2])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;

    /// A bent square of 9 × 9 vertices.
    fn sheet() -> TriMesh {
        let at = |i: usize| (i % 9) as f64 / 8.0;
        let point = |i: usize| Point::new(at(i), at(i / 9), 0.3 * at(i) * at(i / 9));
        let cell = |i: usize| [[i, i + 1, i + 10], [i, i + 10, i + 9]];
        let cells = (0..72).filter(|i| i % 9 < 8).flat_map(cell).collect();
        TriMesh::new((0..81).map(point).collect(), cells).unwrap()
    }

    /// 4000 draws: a variance is off by 2.2 % (one standard deviation), so that one of 40 is off by 9 % in one run of 1000.
    #[test]
    fn surfaces_vary_at_a_vertex_as_draws_do() {
        let harmonics = Harmonics::new(&sheet(), 12).unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(5);
        let spectrum: Vec<f64> = (0..36).map(|j| 1.0 / (1.0 + f64::from(j / 3)).powi(2)).collect();
        let flat = rest(&[1.0; 36], &[], &mut rng);
        let second = rest(&[1.0; 36], std::slice::from_ref(&flat), &mut rng);
        let unit = |d: &[f64]| d.iter().map(|x| x / dot(d, d).sqrt()).collect::<Vec<f64>>();
        let directions = [unit(&flat), unit(&second)];
        let modes = [(0.8, &directions[0][..]), (0.3, &directions[1][..])];
        let variation = Variation::new(&harmonics, &spectrum, 0.7, &modes);
        let n = Vector::new(0.6, -0.48, 0.64);
        let mut squares = [0.0; 40];
        for _ in 0..4000 {
            let mut drawn = rest(&spectrum, &directions, &mut rng);
            drawn.iter_mut().for_each(|x| *x *= 0.7_f64.sqrt());
            for (v, d) in modes {
                let z: f64 = StandardNormal.sample(&mut rng);
                add_scaled(&mut drawn, v.sqrt() * z, d);
            }
            let field = vectors(&harmonics.synthesize(&drawn));
            squares.iter_mut().enumerate().for_each(|(v, s)| *s += n.dot(&field[2 * v]).powi(2) / 4000.0);
        }
        for (v, found) in squares.iter().enumerate() {
            approx::assert_relative_eq!(variation.along(2 * v, &n), *found, max_relative = 0.09);
        }
    }
}
