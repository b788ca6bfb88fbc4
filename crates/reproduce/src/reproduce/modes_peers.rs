//! Private modes of variation beside Analyze Gauss and noisy subspace iteration, at equal privacy.

use super::{AnyError, Context, Finding, Verdict};
use crate::function::{Basis, FaceCurves};
use crate::mechanism::Mechanism;
use crate::mechanism::functional::{FunctionalModes, LeadingCoordinates, Norm};
use crate::mechanism::vector::Recentred;
use crate::mesh::Point;
use crate::privacy::noise::NoiseSource;
use crate::privacy::{Ledger, Mu, draw, pay};
use crate::report::chart::{Axis, Line, line_chart};
use crate::study::face::modes::{Explained, mechanism};
use crate::study::face::{TemplateSource, load_template};
use crate::study::tangent::SampledModes;
use crate::synth::FaceParameters;
use nalgebra::{DMatrix, SymmetricEigen};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// How many modes are compared.
const MODES: usize = 5;
const NAMES: [&str; 3] = ["two rounds", "Analyze Gauss", "subspace iteration"];

/// Deviations clipped to a radius, one row each.
fn clipped(deviations: Vec<Vec<f64>>, radius: f64) -> DMatrix<f64> {
    let k = deviations.first().map_or(0, Vec::len);
    let mut rows = DMatrix::from_fn(deviations.len(), k, |i, j| deviations[i][j]);
    for mut row in rows.row_iter_mut() {
        let norm = row.norm();
        if norm > radius {
            row *= radius / norm;
        }
    }
    rows
}

/// Analyze Gauss (Dwork, Talwar, Thakurta and Zhang 2014): the second moment of 300 coefficients about the template with symmetric normal noise,
/// σ = √2 τ²/(nμ), and `count` of its leading eigenvectors as displacements of the samples. Floating point: for figures, not for releases.
///
/// # Errors
/// Records of another length than the template's curves.
pub fn analyze_gauss(
    own: &FaceCurves,
    records: &Vec<Option<Vec<f64>>>,
    count: usize,
    mu: f64,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Vec<f64>>, Failure> {
    let (coefficients, radius) = (300, 0.045);
    let basis = Basis::of_faces(own.curves(), own.samples(), true);
    let leading = LeadingCoordinates::new(basis, own.data().to_vec(), Norm::White, coefficients)?;
    let rows = clipped(leading.of_records(records)?.into_iter().flatten().collect(), radius);
    let n = rows.nrows() as f64;
    let mut matrix = rows.transpose() * &rows / n;
    let sigma = 2.0f64.sqrt() * radius * radius / (n * mu);
    for i in 0..coefficients {
        for j in i..coefficients {
            let z: f64 = StandardNormal.sample(rng);
            matrix[(i, j)] += if i == j { sigma * z } else { sigma * z / 2.0f64.sqrt() };
            matrix[(j, i)] = matrix[(i, j)];
        }
    }
    let eigen = SymmetricEigen::new(matrix);
    let mut order: Vec<usize> = (0..coefficients).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let mode = |&i: &usize| leading.displacement(eigen.eigenvectors.column(i).as_slice());
    Ok(order.iter().take(count).map(mode).collect())
}

/// Noisy subspace iteration (Hardt and Price 2014) with our coefficients, centre and radius: two steps Q ← orth(C Q + noise) from the leading coordinates, each with noise for √2 τ²/n at μ₂/√2. Floating point: for figures, not
/// for releases.
///
/// # Errors
/// Records of another length than the mechanism's functions.
pub fn subspace_iteration(
    mechanism: &FunctionalModes,
    recentred: &Recentred,
    records: &Vec<Option<Vec<f64>>>,
    count: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Vec<f64>>, Failure> {
    let (leading, steps) = (mechanism.coordinates(), 2);
    let vectors = leading.of_records(records)?;
    let radius = recentred.radius.get();
    let rows = clipped(vectors.iter().map(|u| recentred.about(u.as_deref())).collect(), radius);
    let (n, mu) = (rows.nrows() as f64, mechanism.vectors().recentring().second().get());
    let sigma = 2.0f64.sqrt() * radius * radius / n * f64::from(steps).sqrt() / mu;
    let across = rows.transpose();
    let k = rows.ncols();
    let mut block = DMatrix::identity(k, count.min(k));
    for _ in 0..steps {
        let mut next = &across * (&rows * block) / n;
        next.iter_mut().for_each(|x| *x += sigma * Distribution::<f64>::sample(&StandardNormal, rng));
        block = next.qr().q();
    }
    Ok(block.column_iter().map(|column| leading.displacement(column.into_owned().as_slice())).collect())
}

/// Made-up people, and how well any five directions explain how they differ.
struct People {
    own: FaceCurves,
    faces: Vec<Vec<f64>>,
    judged: Explained,
}

impl People {
    fn new(count: usize, curves: usize, samples: usize) -> Result<Self, Failure> {
        let template = load_template(&TemplateSource::Builtin)?.template;
        let mut rng = ChaCha8Rng::seed_from_u64(20);
        let mean = FaceParameters::elsewhere();
        let face = |vertices: &[Point]| Ok(template.curves_of(vertices, curves, samples)?.into_data());
        let faces = FaceParameters::sample_vertices(&mean, count, &mut rng, face);
        let faces = faces.into_iter().collect::<Result<Vec<_>, Failure>>()?;
        let judged = Explained::by(&faces).ok_or("nobody")?;
        Ok(Self { own: template.own_curves(curves, samples)?, faces, judged })
    }

    /// Variance explained by private modes of n of them over that by modes without privacy: ours, and the peers'.
    fn run(&self, n: usize, mu: f64, seed: u64) -> Result<[f64; 3], Failure> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut order: Vec<usize> = (0..self.faces.len()).collect();
        order.shuffle(&mut rng);
        let sample: Vec<Vec<f64>> = order.iter().take(n).map(|&i| self.faces[i].clone()).collect();
        let plain: Vec<_> = Explained::of_sample(&sample, MODES).into_iter().map(|(_, mode)| mode).collect();
        let records: Vec<Option<Vec<f64>>> = sample.into_iter().map(Some).collect();
        let mechanism = mechanism(&self.own, n as u64, Mu::new(mu)?)?;
        let prepared = mechanism.prepare(&records)?;
        let paid = pay(mechanism.price(), &mut Ledger::in_memory(None))?;
        let released = draw(&mechanism, &prepared, &mut NoiseSource::seeded(seed), paid)?;
        let ours = SampledModes::of(&mechanism, &released.value, MODES)?.fields;
        let gauss = analyze_gauss(&self.own, &records, MODES, mu, &mut rng)?;
        let iterated = subspace_iteration(&mechanism, &released.value.recentred, &records, MODES, &mut rng)?;
        let whole = self.judged.variance(&plain);
        Ok([ours, gauss, iterated].map(|modes| self.judged.variance(&modes) / whole))
    }
}

/// The item.
pub(super) fn run(context: &Context) -> Result<Finding, AnyError> {
    compare(context).map_err(|e| -> AnyError { e })
}

fn compare(context: &Context) -> Result<Finding, Failure> {
    let (count, replicates) = context.pick((700, 4), (3000, 12));
    let sizes: &[usize] = if context.quick { &[100, 300] } else { &[100, 300, 1000, 2000] };
    let (curves, samples) = context.pick((10, 24), (23, 80));
    let people = People::new(count, curves, samples)?;
    let mut csv = format!("n,mu,{}\n", NAMES.join(","));
    let mut lines = Vec::new();
    let mut last = [0.0; 3];
    for mu in [1.0, 3.0] {
        let mut drawn: [Vec<(f64, f64)>; 3] = Default::default();
        for &n in sizes {
            context.step(&format!("{replicates} samples of {n} at mu = {mu}"));
            let cell = (0..replicates)
                .into_par_iter()
                .map(|k| people.run(n, mu, 1000 * n as u64 + k))
                .collect::<Result<Vec<_>, _>>()?;
            let mean: [f64; 3] =
                std::array::from_fn(|k| cell.iter().map(|row| row[k]).sum::<f64>() / cell.len() as f64);
            csv.push_str(&format!("{n},{mu},{:.4},{:.4},{:.4}\n", mean[0], mean[1], mean[2]));
            drawn.iter_mut().zip(mean).for_each(|(line, y)| line.push((n as f64, y)));
            if mu == 1.0 {
                last = mean;
            }
        }
        for (name, points) in NAMES.iter().zip(drawn) {
            let name = format!("{name}, μ = {mu}");
            lines.push(if mu == 1.0 { Line::new(name, points) } else { Line::dashed(name, points) });
        }
    }
    Ok(finding(sizes[sizes.len() - 1], last, csv, &lines))
}

fn finding(n: usize, last: [f64; 3], csv: String, lines: &[Line]) -> Finding {
    let mut finding = Finding::new(
        "Private principal components: Analyze Gauss and noisy subspace iteration",
        "Dwork, Talwar, Thakurta and Zhang 2014: normal noise on the second moment of records clipped about a public point. Hardt and Price 2014: \
         power iteration with noise in every step.",
    );
    finding.same = format!(
        "five modes of faces, variance explained over that of five modes without privacy, n = {n}, μ = 1: Analyze Gauss {:.3}; subspace iteration, two \
         steps from our coefficients, centre and radius, {:.3}.",
        last[1], last[2]
    );
    finding.better = format!(
        "mean and second moment about a private centre with a counted radius, weighted coefficients, eigenvalues shrunk at the noise's edge: {:.3}.",
        last[0]
    );
    finding.tells(
        &format!("variance that five private modes miss, n = {n}, μ = 1: Analyze Gauss; two rounds"),
        format!("{:.3} (run here)", 1.0 - last[1]),
        format!("{:.3}", 1.0 - last[0]),
        (1.0 - last[1]) / (1.0 - last[0]),
    );
    finding.verdict = Verdict::Yes;
    finding.why = "Both are private and explain most of the variance where records are many; clip and centre are what they lose by at the sizes of \
                   studies of people."
        .into();
    finding.data = "synthetic faces whose mean is not the template; samples drawn without replacement, judged on all of them".into();
    let svg =
        line_chart("Five private modes", &Axis::log("n"), &Axis::linear("explained, over no privacy"), lines);
    finding.figures.push(("modes_peers.svg".into(), svg));
    finding.tables.push(("modes_peers.csv".into(), csv));
    finding
}
