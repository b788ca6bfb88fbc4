//! One draw of the mechanisms about a private mean, by space and dimension: distance and direction with digits on demand, released on a
//! grid. Beside them `floating_point`: the same move in doubles (direction and exponential, at a given distance), whose low bits tell where
//! it began.
//!
//! `cargo bench --profile dist --bench all -- safe_draws`

use divan::black_box;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use visard::manifold::{Kendall, Lorentz, PolarVolume, Sphere};
use visard::mechanism::MechanismError;
use visard::mechanism::manifold::{
    KNormGradient, NoisedPoint, PublicBall, RiemannianGaussian, RiemannianLaplace,
};
use visard::privacy::noise::NoiseSource;
use visard::privacy::{ClipRadius, ClipSource, Epsilon, Ledger, Mechanism, Mu, pay};

fn expect<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// Records of a study, and the radius of their ball.
const RECORDS: usize = 1000;
const RADIUS: f64 = 0.2;

const SPACES: [&str; 6] = ["S2", "S6", "H2", "H5", "CP8", "CP48"];

/// Something to do on a space.
trait Task {
    fn on<M: PolarVolume>(self, space: M, centre: M::Point);
}

fn at(name: &str, task: impl Task) {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let (kind, dim) = name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(0));
    let dim: usize = expect(dim.parse());
    match kind {
        "S" => {
            let space = expect(Sphere::unit(dim));
            task.on(space, visard::manifold::Manifold::random_point(&space, &mut rng));
        }
        "H" => {
            let space = expect(Lorentz::new(dim));
            task.on(space, space.origin());
        }
        _ => {
            let space = expect(Kendall::new(dim + 2));
            task.on(space, visard::manifold::Manifold::random_point(&space, &mut rng));
        }
    }
}

fn ball<M: PolarVolume>(space: M, centre: M::Point) -> PublicBall<M> {
    expect(PublicBall::new(space, centre, expect(ClipRadius::new(RADIUS, ClipSource::Public))))
}

/// Draws from records about the middle between the centre and the rim.
fn drawn<M, K>(bencher: divan::Bencher, ball: &PublicBall<M>, mechanism: &K)
where
    M: PolarVolume,
    K: Mechanism<Records = [Option<M::Point>], Value = NoisedPoint<M::Point>, Error = MechanismError>,
{
    let (space, centre, mut rng) = (ball.manifold(), ball.centre(), ChaCha20Rng::seed_from_u64(2));
    let near = space.exp(centre, &space.scale(0.2 * RADIUS, &space.random_direction(centre, &mut rng)));
    let spread = 0.3 * RADIUS / (space.dim() as f64).sqrt();
    let records: Vec<_> = (0..RECORDS)
        .map(|_| Some(space.exp(&near, &space.tangent_gaussian(&near, spread, &mut rng))))
        .collect();
    let prepared = expect(mechanism.prepare(&records));
    let mut noise = NoiseSource::seeded(3);
    let pay = || expect(pay(mechanism.price(), &mut Ledger::in_memory(None)));
    bencher.with_inputs(pay).bench_local_values(|paid| {
        expect(mechanism.draw(black_box(&prepared), &mut noise, paid)).value.point
    });
}

struct Laplace<'a, 'b>(divan::Bencher<'a, 'b>);
impl Task for Laplace<'_, '_> {
    fn on<M: PolarVolume>(self, space: M, centre: M::Point) {
        let ball = ball(space, centre);
        let mechanism =
            expect(RiemannianLaplace::new(ball.clone(), RECORDS as u64, expect(Epsilon::new(1.0))));
        drawn(self.0, &ball, &mechanism);
    }
}

struct Gaussian<'a, 'b>(divan::Bencher<'a, 'b>);
impl Task for Gaussian<'_, '_> {
    fn on<M: PolarVolume>(self, space: M, centre: M::Point) {
        let ball = ball(space, centre);
        let mechanism = expect(RiemannianGaussian::new(ball.clone(), RECORDS as u64, expect(Mu::new(1.0))));
        drawn(self.0, &ball, &mechanism);
    }
}

struct Kng<'a, 'b>(divan::Bencher<'a, 'b>);
impl Task for Kng<'_, '_> {
    fn on<M: PolarVolume>(self, space: M, centre: M::Point) {
        let ball = ball(space, centre);
        let mechanism = expect(KNormGradient::new(ball.clone(), RECORDS as u64, expect(Epsilon::new(1.0))));
        drawn(self.0, &ball, &mechanism);
    }
}

struct FloatingPoint<'a, 'b>(divan::Bencher<'a, 'b>);
impl Task for FloatingPoint<'_, '_> {
    fn on<M: PolarVolume>(self, space: M, centre: M::Point) {
        let mut rng = ChaCha20Rng::seed_from_u64(4);
        self.0.bench_local(|| {
            let direction = space.random_direction(black_box(&centre), &mut rng);
            space.exp(&centre, &space.scale(0.01, &direction))
        });
    }
}

#[divan::bench(args = SPACES, min_time = 0.2, max_time = 2.0)]
fn laplace(bencher: divan::Bencher, space: &str) {
    at(space, Laplace(bencher));
}

#[divan::bench(args = SPACES, min_time = 0.2, max_time = 2.0)]
fn gaussian(bencher: divan::Bencher, space: &str) {
    at(space, Gaussian(bencher));
}

#[divan::bench(args = SPACES, min_time = 0.2, max_time = 2.0)]
fn kng(bencher: divan::Bencher, space: &str) {
    at(space, Kng(bencher));
}

#[divan::bench(args = SPACES, min_time = 0.05)]
fn floating_point(bencher: divan::Bencher, space: &str) {
    at(space, FloatingPoint(bencher));
}
