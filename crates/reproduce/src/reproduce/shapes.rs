//! Soto et al. 2022, Figures 2 and 3: private corpus callosum outlines.

use super::{AnyError, Context, Finding, Verdict, drawn, scale};
use crate::io::{RecordSize, read_shapes};
use crate::manifold::{Kendall, Manifold};
use crate::mechanism::manifold::{KNormGradient, PublicBall, RiemannianGaussian, TangentMean};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{
    ClipRadius, ClipSource, Delta, Epsilon, L1Sensitivity, Ledger, Mechanism, Mu, PrivacyLoss,
};
use crate::report::outline::{Outline, Placement, outlines_at};
use crate::stats::{FrechetOptions, frechet_mean};
use crate::study::points::{local_linear, shrink_outline};
use crate::synth::outline_population;
use nalgebra::{Complex, DVector};
use rand::{RngExt, SeedableRng};

type Preshape = DVector<Complex<f64>>;
/// Configurations, one for each record.
pub(super) type Table = Vec<Vec<[f64; 2]>>;

pub(super) fn table(context: &Context) -> Result<(Table, &'static str), AnyError> {
    if let Some(file) = context.file("landmarks2d/corpus_callosum.tps") {
        let shapes = read_shapes(&file, RecordSize::Content)?.all()?;
        let shapes = shapes.iter().filter_map(|shape| shape.plane().map(<[_]>::to_vec)).collect();
        return Ok((
            shapes,
            "409 corpus callosum outlines of 50 landmarks; the first 30 are declared public",
        ));
    }
    Ok((
        outline_population(3, 409),
        "409 synthetic bent outlines of 50 landmarks (no shared data); the first 30 are declared public",
    ))
}

pub(super) fn run(context: &Context) -> Result<Finding, AnyError> {
    let (table, data) = table(context)?;
    let space = Kendall::new(table[0].len())?;
    let all = table.iter().map(|s| space.preshape(s)).collect::<Result<Vec<Preshape>, _>>()?;
    let (public, study) = all.split_at(30);
    let centre = frechet_mean(&space, public, None, None, FrechetOptions::default())?.point;
    let radius = ClipRadius::new(0.13, ClipSource::Public)?;
    let ball = PublicBall::new(space, centre.clone(), radius)?;
    let records: Vec<Option<Preshape>> = study.iter().cloned().map(Some).collect();
    let points = ball.bound(&records).points;
    let mean = frechet_mean(&space, &points, None, Some(&centre), FrechetOptions::default())?.point;
    let (n, k) = (points.len() as u64, space.landmarks() as f64);
    let epsilon = Epsilon::new(1.0)?;
    let pure = PrivacyLoss::Pure(epsilon);
    let mu = Mu::within(epsilon, Delta::new(1e-6)?)?;
    let mut noise = NoiseSource::seeded(8);
    let mut ledger = Ledger::in_memory(None);
    let draws = 6;
    let mut rows: Vec<(&str, Vec<Preshape>, f64)> = Vec::new();
    let mut timed =
        |name: &'static str, draw: &mut dyn FnMut(&mut NoiseSource) -> Result<Preshape, AnyError>| {
            let start = std::time::Instant::now();
            let shapes = (0..draws).map(|_| draw(&mut noise)).collect::<Result<Vec<_>, _>>()?;
            rows.push((name, shapes, start.elapsed().as_secs_f64() / f64::from(draws)));
            Ok::<(), AnyError>(())
        };
    let kng = KNormGradient::new(ball.clone(), n, epsilon)?;
    let sampler = kng.prepare(&records)?;
    let mut tries = 0;
    timed("KNG", &mut |noise| {
        let (shape, proposed) = sampler.draw(noise, ledger.charge("kng", pure)?)?;
        tries += proposed;
        Ok(shape)
    })?;
    // As the paper (B.5.2): coordinates of aligned, and of turned, configurations; ranges from the data, ε/(2k) each.
    let turned = at_random(study);
    let aligned = points.iter().map(|p| space.align(&mean, p)).collect::<Result<Vec<_>, _>>()?;
    for (name, shapes) in [("pointwise", &aligned), ("pointwise, unaligned", &turned)] {
        let (centre, reach) = coordinates(shapes);
        let scaled: Vec<f64> = centre.iter().zip(&reach).map(|(x, r)| x / r).collect();
        let sensitivity = L1Sensitivity::new(2.0 * k * 2.0 / n as f64)?;
        timed(name, &mut |noise| {
            let drawn =
                noise.laplace_vector(&scaled, sensitivity, epsilon, ledger.charge("pointwise", pure)?)?;
            let values: Vec<f64> = drawn.values.iter().zip(&reach).map(|(x, r)| x * r).collect();
            Ok(space.preshape(&values.chunks_exact(2).map(|p| [p[0], p[1]]).collect::<Vec<_>>())?)
        })?;
    }
    let riemannian = RiemannianGaussian::new(ball.clone(), n, mu)?;
    let located = riemannian.prepare(&records)?;
    timed("Riemannian Gaussian", &mut |noise| Ok(drawn(&riemannian, &located, noise)?.point))?;
    let tangent = TangentMean::gaussian(ball.clone(), n, mu)?;
    let statistic = tangent.prepare(&records)?;
    timed("tangent Gaussian", &mut |noise| Ok(drawn(&tangent, &statistic, noise)?.point))?;
    let smooth = |name: &str, how: &dyn Fn(&Preshape) -> Result<Preshape, AnyError>| {
        let (_, shapes, seconds) = rows.iter().find(|r| r.0 == name).ok_or("no such row")?;
        Ok::<_, AnyError>((shapes.iter().map(how).collect::<Result<Vec<_>, _>>()?, *seconds))
    };
    let (kng_smooth, s1) = smooth("KNG", &|p| Ok(local_linear(&space, p)?))?;
    let (point_smooth, s2) = smooth("pointwise", &|p| Ok(local_linear(&space, p)?))?;
    let sigma = scale(&tangent)?;
    let (shrunk, s3) = smooth("tangent Gaussian", &|p| Ok(shrink_outline(&space, &centre, p, sigma)?))?;
    rows.push(("KNG, smoothed", kng_smooth, s1));
    rows.push(("pointwise, smoothed", point_smooth, s2));
    rows.push(("tangent Gaussian, shrunk", shrunk, s3));
    let mut finding = Finding::new(
        "kng-shapes, Figures 2 and 3: private corpus callosa",
        "Six draws each at ε = 1: KNG keeps the shape, pointwise Laplace distorts it, without alignment it is destroyed; smoothed \
         by local linear regression KNG keeps the hook at the top, pointwise shapes show loops.",
    );
    let shown = |p: &Preshape, k: usize| -> Result<Outline, AnyError> {
        Ok(Outline::closed("", space.configuration(&space.align(&mean, p)?), k))
    };
    let ten = points
        .iter()
        .take(10)
        .map(|p| Ok(shown(p, 7)?.along_curve()))
        .collect::<Result<Vec<_>, AnyError>>()?;
    finding.figures.push((
        "figure2_ten.svg".into(),
        outlines_at("Figure 2, left: ten outlines", &ten, &Placement::of(&ten)),
    ));
    let alone = [shown(&mean, 7)?.along_curve()];
    finding.figures.push((
        "figure2_mean.svg".into(),
        outlines_at("Figure 2, middle: the Fréchet mean", &alone, &Placement::of(&alone)),
    ));
    let mut csv = String::from("mechanism,mean shape distance to the non-private mean,seconds a draw\n");
    let mut distance = std::collections::HashMap::new();
    for (name, shapes, seconds) in &rows {
        let d = shapes.iter().map(|p| space.dist(&mean, p)).sum::<f64>() / f64::from(draws);
        csv.push_str(&format!("{},{d:.4},{seconds:.2e}\n", name.replace(',', ";")));
        distance.insert(*name, d);
        let drawn = shapes
            .iter()
            .map(|p| Ok(space.configuration(&space.align(&mean, p)?)))
            .collect::<Result<Vec<_>, AnyError>>()?;
        let file = format!("{}.svg", name.replace([',', ' '], "_").replace("__", "_"));
        let title = format!("{name}: {d:.3} from the mean");
        finding.figures.push((file, row_of(&title, &space.configuration(&mean), &drawn)));
    }
    finding.tables.push(("distances.csv".into(), csv));
    let d = |name: &str| distance.get(name).copied().unwrap_or(f64::NAN);
    finding.same = format!(
        "ε = 1: shape distance to the mean {:.3} (KNG, r = 0.13 public, exact: {:.1} gradients a draw accepted), {:.3} (pointwise, ranges from the \
         data), {:.3} (unaligned); smoothed {:.3} (KNG) and {:.3} (pointwise).",
        d("KNG"),
        tries as f64 / f64::from(draws),
        d("pointwise"),
        d("pointwise, unaligned"),
        d("KNG, smoothed"),
        d("pointwise, smoothed")
    );
    finding.better = format!(
        "at (ε, δ) = (1, 1e-6), a weaker guarantee than ε = 1: Riemannian Gaussian {:.4}, tangent Gaussian {:.4}, shrunk along the outline {:.4}.",
        d("Riemannian Gaussian"),
        d("tangent Gaussian"),
        d("tangent Gaussian, shrunk")
    );
    finding.then = "a chain with 7500 steps of burn-in".into();
    finding.tells(
        "shape distance of a private mean outline, KNG at ε = 1 here; ours at (1, 1e-6)",
        format!("{:.3} (run here)", d("KNG")),
        format!("{:.4}", d("tangent Gaussian, shrunk")),
        d("KNG") / d("tangent Gaussian, shrunk"),
    );
    let order = d("KNG") < d("pointwise") && d("pointwise") < d("pointwise, unaligned");
    let smoothed = d("KNG, smoothed") < d("pointwise, smoothed");
    finding.verdict = if order && smoothed { Verdict::Yes } else { Verdict::Partly };
    finding.why = format!(
        "{} In 96 dimensions pure ε costs so much that KNG fills its ball; Gaussian privacy gives an outline one can use.",
        match (order, smoothed) {
            (true, true) =>
                "KNG keeps more of the shape than pointwise noise, before and after smoothing, and without alignment nothing is left.",
            (true, false) => "KNG keeps more of the shape than pointwise noise, though not after smoothing.",
            _ =>
                "Pointwise noise of ranges as small as these data's (read off the data: not private) keeps as much of the shape as KNG does; without alignment nothing is left.",
        }
    );
    finding.data = data.into();
    Ok(finding)
}

/// Every outline turned by an angle of its own: what an outline is that nobody has aligned.
fn at_random(shapes: &[Preshape]) -> Vec<Preshape> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(9);
    shapes.iter().map(|s| s * Complex::from_polar(1.0, std::f64::consts::TAU * rng.random::<f64>())).collect()
}

/// The mean of every coordinate (x and y of each landmark in turn), and how far one of the shapes is from it.
fn coordinates(shapes: &[Preshape]) -> (Vec<f64>, Vec<f64>) {
    let flat = |s: &Preshape| s.iter().flat_map(|z| [z.re, z.im]).collect::<Vec<f64>>();
    let all: Vec<Vec<f64>> = shapes.iter().map(flat).collect();
    let mut mean = vec![0.0; all.first().map_or(0, Vec::len)];
    for shape in &all {
        mean.iter_mut().zip(shape).for_each(|(m, x)| *m += x / all.len() as f64);
    }
    let mut reach = vec![f64::MIN_POSITIVE; mean.len()];
    for shape in &all {
        for ((r, x), m) in reach.iter_mut().zip(shape).zip(&mean) {
            *r = r.max((x - m).abs());
        }
    }
    (mean, reach)
}

/// Draws in a row, the mean pale behind each.
fn row_of(title: &str, mean: &[[f64; 2]], draws: &[Vec<[f64; 2]>]) -> String {
    let width = |shape: &[[f64; 2]]| {
        let (low, high) = shape.iter().fold((0.0_f64, 0.0_f64), |(a, b), p| (a.min(p[0]), b.max(p[0])));
        high - low
    };
    let widest = draws.iter().map(|d| width(d)).fold(width(mean), f64::max);
    let mut outlines = Vec::new();
    for (i, draw) in draws.iter().enumerate() {
        let shifted =
            |shape: &[[f64; 2]]| shape.iter().map(|p| [p[0] + 1.15 * widest * i as f64, p[1]]).collect();
        outlines.push(Outline::closed("", shifted(mean), 7).faint());
        outlines.push(Outline { width: 0.4, ..Outline::closed("", shifted(draw), 0) });
    }
    outlines_at(title, &outlines, &Placement::of(&outlines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_the_data() {
        let shape = |x: f64| Preshape::from_vec(vec![Complex::new(x, 1.0), Complex::new(-x, -1.0)]);
        let (mean, reach) = coordinates(&[shape(0.0), shape(1.0), shape(5.0)]);
        assert_eq!(mean, [2.0, 1.0, -2.0, -1.0]);
        assert_eq!(reach, [3.0, f64::MIN_POSITIVE, 3.0, f64::MIN_POSITIVE]);
        let turned = at_random(&[shape(1.0), shape(1.0)]);
        assert!((turned[0][0].norm() - 2f64.sqrt()).abs() < 1e-12 && turned[0] != turned[1]);
    }
}
