//! What a study of points finds out for the data holder only.

use super::{Exploration, PointStudyError};
use crate::manifold::Manifold;
use crate::mechanism::manifold::PublicBall;
use std::fmt::Write as _;

/// Records with their distances from a centre, the farthest first, as a table.
pub(in crate::study) fn distances_csv(distances: &[(String, f64)]) -> String {
    let far = outliers(distances).len();
    let mut sorted: Vec<&(String, f64)> = distances.iter().collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut text = "record,distance,far\n".to_owned();
    for (i, (name, distance)) in sorted.into_iter().enumerate() {
        let name = name.replace([',', '"', '\n', '\r'], " ");
        let _ = writeln!(text, "{name},{distance},{}", i < far);
    }
    text
}

/// The records that lie beyond the upper quartile by more than one and a half times the distance between the quartiles (Tukey's fence),
/// the farthest first.
pub(super) fn outliers(distances: &[(String, f64)]) -> Vec<(String, f64)> {
    let mut values: Vec<f64> = distances.iter().map(|(_, d)| *d).collect();
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return Vec::new() };
    let quartile = |q: usize| values[last * q / 4];
    let fence = quartile(3) + 1.5 * (quartile(3) - quartile(1));
    let mut far: Vec<(String, f64)> = distances.iter().filter(|(_, d)| *d > fence).cloned().collect();
    far.sort_by(|a, b| b.1.total_cmp(&a.1));
    far
}

/// What only the data holder may see.
#[derive(Debug, Clone)]
pub struct Internal<P> {
    /// The Fréchet mean of the records in the ball.
    pub mean: P,
    /// How many records there are, how many had to be brought into the ball, and how many could not be used or brought there.
    pub counts: [usize; 3],
    /// How far each record lies from the ball's centre, by its name; without those that are no points.
    pub distances: Vec<(String, f64)>,
    /// Draws on made-up records, where they were asked for.
    pub exploration: Option<Exploration>,
}

impl<P> Internal<P> {
    pub(super) fn of<M: Manifold<Point = P>>(
        ball: &PublicBall<M>,
        records: &[Option<P>],
        names: &[String],
    ) -> Result<Self, PointStudyError> {
        let located = ball.locate(records, records.len() as u64)?;
        // Where persons have several records, names are of records and say nothing.
        let name = |i: usize| match names.get(i) {
            Some(name) if names.len() == records.len() => name.clone(),
            _ => i.to_string(),
        };
        let points = records.iter().enumerate().filter_map(|(i, p)| Some((name(i), p.as_ref()?)));
        let distances = points.map(|(name, p)| (name, ball.manifold().dist(ball.centre(), p))).collect();
        let counts = [records.len(), located.bounded.projected, located.bounded.failed];
        Ok(Self { mean: located.mean, counts, distances, exploration: None })
    }

    /// The same of the records that can be used: where nothing is released the others are left out.
    pub(super) fn without_unusable<M: Manifold<Point = P>>(
        ball: &PublicBall<M>,
        records: &[Option<P>],
        names: &[String],
    ) -> Result<Self, PointStudyError>
    where
        P: Clone,
    {
        let known = names.len() == records.len();
        let name = |i: usize| if known { names[i].clone() } else { i.to_string() };
        let usable =
            records.iter().enumerate().filter_map(|(i, p)| Some((name(i), Some(p.as_ref()?.clone()))));
        let (names, usable): (Vec<String>, Vec<Option<P>>) = usable.unzip();
        let mut internal = Self::of(ball, &usable, &names)?;
        internal.counts[2] += records.len() - usable.len();
        internal.counts[0] = records.len();
        Ok(internal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_far_out_is_listed_first() {
        let mut distances: Vec<(String, f64)> =
            (0..9).map(|i| (format!("r{i}"), 0.1 + 0.01 * f64::from(i))).collect();
        assert!(outliers(&distances).is_empty());
        distances.push(("odd, one".into(), 0.9));
        assert_eq!(outliers(&distances), [("odd, one".to_owned(), 0.9)]);
        assert!(distances_csv(&distances).starts_with("record,distance,far\nodd  one,0.9,true\nr8,"));
    }
}
