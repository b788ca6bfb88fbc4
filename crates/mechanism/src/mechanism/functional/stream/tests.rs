use super::*;
use crate::function::Domain;
use crate::mechanism::functional::Smoothing;
use crate::privacy::{ClipSource, Ledger, release};

fn shape(steps: usize, visits: usize) -> StreamShape {
    let radius = ClipRadius::new(0.16, ClipSource::Public).unwrap();
    StreamShape { steps, visits, mu: Mu::new(1.0).unwrap(), norm: Norm::Half, radius }
}

fn basis() -> Basis {
    Basis::new(Domain::Disk { curves: 4, samples: 8 }, 3)
}

fn centre() -> Vec<f64> {
    vec![0.1; basis().len()]
}

fn step(steps: usize, people: &[u64], answers: &[Vec<i128>]) -> StreamMean {
    let past = StreamPast { people: people.to_vec(), answers: answers.to_vec() };
    StreamMean::new(shape(steps, 1), basis(), centre(), past).unwrap()
}

fn records(n: u64, at: f64) -> Vec<Option<Vec<f64>>> {
    let one = |i: u64| {
        centre().iter().enumerate().map(|(j, c)| c + at * (1.0 + ((i + j as u64) % 3) as f64)).collect()
    };
    (0..n).map(|i| (i != 1).then(|| one(i))).collect()
}

#[test]
fn one_step_is_the_mean_about_the_template() {
    let mean = step(1, &[5], &[]);
    let StreamShape { mu, norm, radius, .. } = shape(1, 1);
    let once = FunctionalMean::in_norm(norm, basis(), centre(), radius, mu, 5).unwrap();
    let scale = once.price().scale.unwrap();
    assert!((mean.sigma() / scale - 1.0).abs() < 1e-6 && (mean.once_sigma() / scale - 1.0).abs() < 1e-6);
    assert!((mean.price().scale.unwrap() / scale - 1.0).abs() < 1e-6);
    let all = records(5, 1e-3);
    let (a, b) = (mean.prepare(&all).unwrap(), once.prepare(&all).unwrap());
    let exact = once.with_smoothing(Smoothing::None).finish(&b.nonprivate_mean(), 0.0).samples;
    mean.nonprivate(&a).iter().zip(&exact).for_each(|(a, b)| assert!((a - b).abs() < 1e-7));
}

#[test]
fn means_of_all_people_so_far_are_released() {
    let (mut people, mut answers, mut sums) = (Vec::new(), Vec::new(), Vec::new());
    let mut noise = NoiseSource::seeded(9);
    for t in 0..3u64 {
        people.push(200_000 * (t + 1));
        let mean = step(3, &people, &answers);
        let few = records(4, 1e-3 * (t + 1) as f64);
        // The same four again and again, without adding them up each time.
        let small = step(3, &[&people[..t as usize], &[4]].concat(), &answers);
        let mut four = small.prepared(sums.clone(), &few).unwrap();
        let last = four.0.last_mut().unwrap();
        last.iter_mut().for_each(|x| *x *= i128::from(people[t as usize] / 4));
        sums = four.0.clone();
        let paid = Ledger::in_memory(None).charge("stream", mean.price().loss).unwrap();
        let drawn = mean.draw(&four, &mut noise, paid).unwrap();
        assert_eq!(four.last(), sums.last().unwrap());
        let exact = mean.nonprivate(&four);
        let off = drawn.value.samples.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 2e-4, "step {t}: {off}");
        assert_eq!(drawn.value.sigma, mean.sigma());
        answers.push(drawn.value.exact.clone());
        // As it is stored.
        let text = serde_json::to_vec(&drawn).unwrap();
        assert_eq!(serde_json::from_slice::<Drawn<NoisedFunction>>(&text).unwrap(), drawn);
    }
}

/// Half of the people of two steps cannot be used; a stream that began without counting them goes on so.
#[test]
fn what_cannot_be_used_is_told() {
    let half = |n: u64| records(n, 1e-3).into_iter().enumerate().map(|(i, one)| one.filter(|_| i % 2 == 0));
    let n = 40_000;
    let (first, second): (Vec<_>, Vec<_>) = (half(n).collect(), half(n / 2).collect());
    let mut noise = NoiseSource::seeded(2);
    let mut draw = |mean: &StreamMean, sums: &StreamSums| {
        let paid = Ledger::in_memory(None).charge("stream", mean.price().loss).unwrap();
        mean.draw(sums, &mut noise, paid).unwrap().value
    };
    let one = step(2, &[n], &[]);
    let sums = one.prepare(&first).unwrap();
    let begun = draw(&one, &sums);
    let two = step(2, &[n, n / 2], std::slice::from_ref(&begun.exact));
    let went_on = draw(&two, &two.prepared(vec![sums.last().to_vec()], &second).unwrap());
    for value in [&begun, &went_on] {
        let told = value.unseen.unwrap();
        assert!((0.49..0.5).contains(&told.unusable) && told.filled == 0.0, "{told:?}");
        assert_eq!(value.coordinates.len(), basis().len());
        // The release is half as far from the template as those who were used.
        let off: f64 = value.samples.iter().zip(centre()).map(|(x, c)| (x - c).powi(2)).sum();
        let ratio = (value.errors.iter().sum::<f64>() / off).sqrt();
        assert!((0.9..1.2).contains(&ratio), "stated/true {ratio}");
    }
    let before = vec![vec![0; basis().len()]];
    let old = step(2, &[n, n / 2], &before);
    assert_eq!(draw(&old, &old.prepared(before, &second).unwrap()).unseen, None);
}

#[test]
fn steps_that_do_not_fit_are_refused() {
    let new = |steps, people: &[u64], answers: usize| {
        let past = StreamPast { people: people.to_vec(), answers: vec![vec![0; basis().len()]; answers] };
        StreamMean::new(shape(steps, 1), basis(), centre(), past)
    };
    for (steps, people, answers) in
        [(2, &[][..], 0), (2, &[3, 0], 1), (2, &[3, 3], 0), (2, &[3, 3, 3], 2), (65, &[3], 0)]
    {
        assert!(new(steps, people, answers).is_err(), "{steps} {people:?}");
    }
    let second = new(2, &[3, 2], 1).unwrap();
    // Without the sums of the step before, and for others than its records.
    assert!(second.prepare(&records(2, 0.0)).is_err());
    let before = vec![vec![0; basis().len()]];
    assert!(second.prepared(before.clone(), &records(3, 0.0)).is_err());
    assert!(second.prepared(vec![vec![0; 3]], &records(2, 0.0)).is_err());
    assert!(second.prepared(before, &records(2, 0.0)).is_ok());
    let whole = release(
        &step(1, &[3], &[]),
        &records(3, 0.0),
        &mut Ledger::in_memory(None),
        &mut NoiseSource::seeded(1),
    );
    assert_eq!(whole.unwrap().price.n, 3);
}
