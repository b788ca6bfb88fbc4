//! Kulkarni and Soto 2025: private geodesic regression by KNG, on S² and on planar shapes, and regression by noised moments beside it.

use super::{AnyError, Context, Finding, Verdict};
use crate::estimate::design::{Covariate, Design, Kind};
use crate::estimate::{Regression, moments::Weights};
use crate::manifold::{Kendall, Linear, Manifold, Sphere};
use crate::mechanism::vector::{RegressionRecord, VectorRegression};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Epsilon, Ledger, Mu, release};
use crate::report::chart::{Axis, Line as Drawn, line_chart};
use nalgebra::{Complex, DVector, dvector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A geodesic x ↦ exp_p(x v), x in [0, 1].
#[derive(Debug, Clone)]
struct Path<M: Manifold> {
    p: M::Point,
    v: M::Tangent,
}

/// Responses near a geodesic of a symmetric space; all but the records is public.
struct Setting<M: Manifold> {
    space: M,
    name: &'static str,
    /// A public point, and how far from it responses may lie.
    centre: M::Point,
    radius: f64,
    truth: Path<M>,
    /// τ: no residual is longer.
    residual: f64,
    /// The unit vector in whose plane with a unit vector the curvature is 4, not 1, where there is one.
    turned: fn(&M::Tangent) -> Option<M::Tangent>,
}

/// Where predictions are compared.
const AT: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl<M: Manifold> Setting<M> {
    fn at(&self, path: &Path<M>, x: f64) -> M::Point {
        self.space.exp(&path.p, &self.space.scale(x, &path.v))
    }

    /// Root-mean-square distance of two predictions.
    fn apart(&self, a: impl Fn(f64) -> M::Point, b: impl Fn(f64) -> M::Point) -> f64 {
        let square = AT.iter().map(|&x| self.space.dist(&a(x), &b(x)).powi(2)).sum::<f64>();
        (square / AT.len() as f64).sqrt()
    }

    fn records(&self, n: usize, rng: &mut ChaCha8Rng) -> Vec<(f64, M::Point)> {
        let mut one = || {
            let x: f64 = rng.random();
            let q = self.at(&self.truth, x);
            let direction = self.space.random_direction(&q, rng);
            let length = self.residual * rng.random::<f64>();
            (x, self.space.exp(&q, &self.space.scale(length, &direction)))
        };
        (0..n).map(|_| one()).collect()
    }

    /// Minus the gradients of (1/2n) Σ d²(exp_p(x v), y) at p and at v: residuals carried back along the geodesic by Jacobi fields. Residuals
    /// are shortened to τ, so that one record moves the pair by at most 2√2 τ/n.
    fn gradients(&self, path: &Path<M>, records: &[(f64, M::Point)]) -> (M::Tangent, M::Tangent) {
        let (space, speed) = (&self.space, self.space.norm(&path.p, &path.v));
        let unit = space.scale(1.0 / speed.max(1e-12), &path.v);
        let turned = (self.turned)(&unit);
        let (mut at_p, mut at_v) = (space.zero(&path.p), space.zero(&path.p));
        let share = 1.0 / records.len() as f64;
        for (x, y) in records {
            let q = self.at(path, *x);
            let Ok(residual) = space.log(&q, y) else { continue };
            let length = space.norm(&q, &residual);
            let residual = space.scale((self.residual / length).min(1.0), &residual);
            let Ok(mut rest) = space.transport(&q, &path.p, &residual) else { continue };
            let mut add = |part: &M::Tangent, curvature: f64| {
                let root = curvature.sqrt();
                let angle = root * x * speed;
                let moved = if angle.abs() > 1e-9 { angle.sin() / (root * speed) } else { *x };
                at_p.add_scaled(share * angle.cos(), part);
                at_v.add_scaled(share * moved, part);
            };
            for (direction, curvature) in std::iter::once((&unit, 0.0)).chain(turned.iter().map(|t| (t, 4.0)))
            {
                let part = space.scale(space.inner(&path.p, direction, &rest), direction);
                add(&part, curvature);
                rest.add_scaled(-1.0, &part);
            }
            add(&rest, 1.0);
        }
        (at_p, at_v)
    }

    /// The path moved by tangent vectors at its foot point.
    fn moved(&self, path: &Path<M>, p: &M::Tangent, v: &M::Tangent) -> Option<Path<M>> {
        let foot = self.space.exp(&path.p, p);
        let mut speed = path.v.clone();
        speed.add_scaled(1.0, v);
        let v = self.space.transport(&path.p, &foot, &speed).ok()?;
        Some(Path { p: foot, v })
    }

    /// Without privacy, by descent.
    fn fit(&self, records: &[(f64, M::Point)]) -> Path<M> {
        let mut path = self.truth.clone();
        for _ in 0..200 {
            let (p, v) = self.gradients(&path, records);
            match self.moved(&path, &p, &v) {
                Some(next) => path = next,
                None => break,
            }
        }
        path
    }

    /// A draw from the KNG law of (p, v), density e^{−‖∇E‖ε/(2Δ)}, by a chain of so many steps from the fit: longer than it needs in the peer's
    /// favour, though where a chain stops is no draw from its law.
    fn by_kng(
        &self,
        fit: &Path<M>,
        records: &[(f64, M::Point)],
        epsilon: f64,
        steps: usize,
        rng: &mut ChaCha8Rng,
    ) -> Path<M> {
        let delta = 2.0 * 2.0f64.sqrt() * self.residual / records.len() as f64;
        let sigma = 2.0 * delta / epsilon;
        let score = |path: &Path<M>| {
            let (p, v) = self.gradients(path, records);
            self.space.norm(&path.p, &p).hypot(self.space.norm(&path.p, &v)) / sigma
        };
        let inside = |path: &Path<M>| {
            self.space.dist(&self.centre, &path.p) <= self.radius
                && self.space.norm(&path.p, &path.v) <= 2.0 * self.radius
        };
        let (mut path, mut now) = (fit.clone(), score(fit));
        let mut step = (1.5 * sigma).min(0.3 * self.radius);
        for k in 0..steps {
            let p = self.space.tangent_gaussian(&path.p, step, rng);
            let v = self.space.tangent_gaussian(&path.p, step, rng);
            let next = self.moved(&path, &p, &v).filter(inside);
            let accepted = next.is_some_and(|next| {
                let then = score(&next);
                let accepted = rng.random::<f64>().ln() < now - then;
                if accepted {
                    (path, now) = (next, then);
                }
                accepted
            });
            // A quarter accepted is near the best for walks; the second half keeps its step.
            if k < steps / 2 {
                step *= (0.05 * (if accepted { 1.0 } else { 0.0 } - 0.25f64)).exp();
            }
        }
        path
    }

    /// Ours: moments of (1, x) and logarithms at the public centre, noised together; predictions at x.
    fn by_moments(
        &self,
        records: &[(f64, M::Point)],
        mu: Mu,
        seed: u64,
    ) -> Result<impl Fn(f64) -> M::Point, Failure> {
        let kind = Kind::Linear { lower: 0.0, upper: 1.0 };
        let design = Design::new(vec![Covariate { name: "x".into(), kind }])?;
        let (d, n) = (self.space.dim(), records.len() as u64);
        let clip = ClipRadius::new(self.radius, ClipSource::Public)?;
        let mechanism = VectorRegression::new(vec![1.0; d], clip, design.columns(), design.reach(), n, mu)?;
        let vector = |y: &M::Point| {
            let log = self.space.log(&self.centre, y).ok()?;
            Some(self.space.coordinates(&self.centre, &log))
        };
        let record = |(x, y): &(f64, M::Point)| RegressionRecord {
            covariates: design.row(&[Some(*x)]),
            vector: vector(y),
            filled: 0.0,
        };
        let records: Vec<RegressionRecord> = records.iter().map(record).collect();
        let mut noise = NoiseSource::seeded(seed);
        let released = release(&mechanism, &records[..], &mut Ledger::in_memory(None), &mut noise)?.value;
        let ones = vec![1.0; d];
        // Fields of faces are some .02 of their unit area.
        let weights = Weights { spectrum: &ones, roots: &ones, scale: self.radius / 0.02 };
        let found = released.moments().and_then(|moments| {
            let kept = if mechanism.clips_at_median() { moments.kept_at_median() } else { 1.0 };
            Regression::new(&moments, &design, weights, (released.recentred.error, n), (kept, 0.0))
        });
        let found = found.ok_or("moments of another regression")?;
        let (space, centre, about) = (self.space.clone(), self.centre.clone(), released.recentred.centre);
        Ok(move |x: f64| {
            let mut u = about.clone();
            for (row, x) in found.fields.iter().zip(design.row(&[Some(x)])) {
                u.iter_mut().zip(&row.values).for_each(|(u, value)| *u += x * value);
            }
            space.exp(&centre, &space.from_coordinates(&centre, &u))
        })
    }

    /// Mean over replicates of the distance from the fit without privacy: KNG, ours, the public centre unread; and of that fit from the truth.
    fn errors(&self, n: usize, replicates: u64, steps: usize) -> Result<[f64; 4], Failure> {
        let epsilon = 1.0;
        let mu = Mu::of_pure(Epsilon::new(epsilon)?)?;
        let one = |replicate: u64| -> Result<[f64; 4], Failure> {
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            rng.set_stream(replicate * 100_000 + n as u64);
            let records = self.records(n, &mut rng);
            let fit = self.fit(&records);
            let kng = self.by_kng(&fit, &records, epsilon, steps, &mut rng);
            let ours = self.by_moments(&records, mu, replicate)?;
            let fitted = |x| self.at(&fit, x);
            Ok([
                self.apart(|x| self.at(&kng, x), fitted),
                self.apart(ours, fitted),
                self.apart(|_| self.centre.clone(), fitted),
                self.apart(|x| self.at(&self.truth, x), fitted),
            ])
        };
        let all = (0..replicates).into_par_iter().map(one).collect::<Result<Vec<_>, _>>()?;
        Ok(std::array::from_fn(|k| all.iter().map(|row| row[k]).sum::<f64>() / replicates as f64))
    }
}

/// On S²: residuals up to π/16 about an arc of π/8 that begins .1 from the public point.
fn sphere() -> Result<Setting<Sphere>, Failure> {
    let (space, centre) = (Sphere::unit(2)?, dvector![0.0, 0.0, 1.0]);
    let p = dvector![0.1f64.sin(), 0.0, 0.1f64.cos()];
    let v = space.project_tangent(&p, &dvector![0.3, 1.0, 0.0]);
    let v = space.scale(std::f64::consts::PI / 8.0 / v.norm(), &v);
    let (residual, turned) = (std::f64::consts::PI / 16.0, (|_| None) as fn(&DVector<f64>) -> _);
    Ok(Setting { space, name: "S2", centre, radius: 0.7, truth: Path { p, v }, residual, turned })
}

/// Outlines of twelve landmarks: residuals up to .1 about a geodesic of length .15 that begins .05 from a public ellipse.
fn shapes() -> Result<Setting<Kendall>, Failure> {
    let space = Kendall::new(12)?;
    let corner = |k: usize| {
        let a = std::f64::consts::TAU * k as f64 / 12.0;
        [1.6 * a.cos(), a.sin()]
    };
    let centre = space.preshape(&(0..12).map(corner).collect::<Vec<_>>())?;
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let off = space.random_direction(&centre, &mut rng);
    let p = space.exp(&centre, &space.scale(0.05, &off));
    let v = space.random_direction(&p, &mut rng);
    let v = space.scale(0.15, &v);
    let turned: fn(&DVector<Complex<f64>>) -> _ = |u| Some(u.map(|z| z * Complex::i()));
    Ok(Setting { space, name: "shapes", centre, radius: 0.3, truth: Path { p, v }, residual: 0.1, turned })
}

/// The item.
pub(super) fn run(context: &Context) -> Result<Finding, AnyError> {
    compare(context).map_err(|e| -> AnyError { e })
}

fn compare(context: &Context) -> Result<Finding, Failure> {
    let (replicates, steps) = context.pick((6, 4000), (20, 10_000));
    let sizes: &[usize] = if context.quick { &[60, 300] } else { &[30, 100, 300, 1000] };
    let mut csv = String::from("space,n,kng,moments,public point unread,sampling\n");
    let (mut lines, mut last) = (Vec::new(), Vec::new());
    let (sphere, shapes) = (sphere()?, shapes()?);
    for on_sphere in [true, false] {
        let name = if on_sphere { sphere.name } else { shapes.name };
        let mut columns: [Vec<(f64, f64)>; 4] = Default::default();
        for &n in sizes {
            context.step(&format!("{replicates} replicates at n = {n} ({name})"));
            let found = if on_sphere {
                sphere.errors(n, replicates, steps)?
            } else {
                shapes.errors(n, replicates, steps)?
            };
            csv.push_str(&format!("{name},{n}"));
            for (column, error) in columns.iter_mut().zip(found) {
                column.push((n as f64, error));
                csv.push_str(&format!(",{error:.4e}"));
            }
            csv.push('\n');
            if n == sizes[sizes.len() - 1] {
                last.push((name, found));
            }
        }
        let [kng, ours, ..] = columns;
        lines.push(Drawn::dashed(format!("KNG, {name}"), kng));
        lines.push(Drawn::new(format!("moments, {name}"), ours));
    }
    Ok(finding(&last, sizes[sizes.len() - 1], csv, &lines))
}

fn finding(last: &[(&str, [f64; 4])], n: usize, csv: String, lines: &[Drawn]) -> Finding {
    let mut finding = Finding::new(
        "Kulkarni and Soto 2025: differentially private geodesic regression",
        "Foot point and velocity of a geodesic by KNG on the sphere, positive definite matrices and planar shapes; the sensitivity is \
         2τ/n times Jacobi fields, τ the longest residual. (Read in its abstract and reviews only; the numbers are not compared with its own.)",
    );
    let list =
        |k: usize| last.iter().map(|(name, e)| format!("{name} {:.2e}", e[k])).collect::<Vec<_>>().join(", ");
    finding.same = format!(
        "n = {n}, ε = 1, foot point and velocity at once, residuals shortened to τ so that the bound holds whatever the records are: distance of \
         private from non-private predictions, root mean square over x: {}. Publishing a public point unread: {}; people as a sample: {}.",
        list(0),
        list(2),
        list(3)
    );
    finding.better = format!(
        "moments of (1, x) and logarithms at the public point, noised together in two rounds, at the μ that ε = 1 implies (a weaker guarantee): {}. \
         No chain, no bound on residuals, no domain for the velocity.",
        list(1)
    );
    for (name, errors) in last {
        finding.tells(
            &format!("private regression on {name}, n = {n}, ε = 1: KNG by a chain; noised moments"),
            format!("{:.2e} (run here)", errors[0]),
            format!("{:.2e}", errors[1]),
            errors[0] / errors[1],
        );
    }
    finding.verdict = Verdict::Partly;
    finding.why = "KNG carries over to regression as said. But its published sensitivity takes it that no residual is longer than τ at any \
                   candidate, which must be enforced, and the chain's end is no draw from the law; both were repaired in the peer's favour here."
        .into();
    finding.data = "responses at distances uniform up to τ about a geodesic, x uniform on [0, 1], new for every replicate".into();
    let svg = line_chart(
        "Private geodesic regression at ε = 1",
        &Axis::log("n"),
        &Axis::log("root-mean-square distance of predictions"),
        lines,
    );
    finding.figures.push(("geodesic_regression.svg".into(), svg));
    finding.tables.push(("geodesic_regression.csv".into(), csv));
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradients against differences of the energy, in both spaces: residuals are below τ.
    #[test]
    fn gradients_are_those_of_the_energy() {
        fn check<M: Manifold>(setting: &Setting<M>) {
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let records = setting.records(20, &mut rng);
            let energy = |path: &Path<M>| {
                let square = |(x, y): &(f64, M::Point)| setting.space.dist(&setting.at(path, *x), y).powi(2);
                0.5 * records.iter().map(square).sum::<f64>() / 20.0
            };
            let path = &setting.truth;
            let (at_p, at_v) = setting.gradients(path, &records);
            let none = setting.space.zero(&path.p);
            for k in 0..4 {
                let direction = setting.space.random_direction(&path.p, &mut rng);
                let by = |h: f64, foot: bool| {
                    let step = setting.space.scale(h, &direction);
                    let (p, v) = if foot { (&step, &none) } else { (&none, &step) };
                    energy(&setting.moved(path, p, v).unwrap())
                };
                for (foot, gradient) in [(true, &at_p), (false, &at_v)] {
                    let slope = (by(1e-4, foot) - by(-1e-4, foot)) / 2e-4;
                    let expected = -setting.space.inner(&path.p, gradient, &direction);
                    assert!((slope - expected).abs() < 1e-6, "{k} {foot}: {slope} {expected}");
                }
            }
        }
        check(&sphere().unwrap());
        check(&shapes().unwrap());
    }
}
