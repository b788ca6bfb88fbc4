//! Whether errors are as large as expected.

use super::classes::mean;
use visard::report::chart::{Axis, Line, line_chart};

/// Parts of the vertices, equally many in each, from the least error expected to the most.
const PARTS: usize = 10;

/// Mean expected and found errors (mm), by population and class and by what was expected.
#[derive(Default)]
pub struct Reliability {
    /// People, class, found over expected.
    ratios: Vec<(&'static str, &'static str, f64)>,
    /// People, and all their vertices of all classes: expected, found.
    vertices: Vec<(&'static str, Vec<(f64, f64)>)>,
}

impl Reliability {
    pub fn add(&mut self, people: &'static str, class: &'static str, expected: &[f64], found: &[f64]) {
        if found.is_empty() {
            return;
        }
        self.ratios.push((people, class, mean(found) / mean(expected)));
        let pairs = expected.iter().copied().zip(found.iter().copied());
        match self.vertices.iter_mut().find(|(name, _)| *name == people) {
            Some((_, all)) => all.extend(pairs),
            None => self.vertices.push((people, pairs.collect())),
        }
    }

    /// By tenths of the vertices of a population: mean expected, mean found.
    fn tenths(&self) -> impl Iterator<Item = (&'static str, Vec<(f64, f64)>)> {
        self.vertices.iter().map(|(name, all)| {
            let mut all = all.clone();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let part = |part: &[(f64, f64)]| {
                let of = |k: fn(&(f64, f64)) -> f64| mean(&part.iter().map(k).collect::<Vec<_>>());
                (of(|p| p.0), of(|p| p.1))
            };
            (*name, all.chunks(all.len().div_ceil(PARTS)).map(part).collect())
        })
    }

    pub fn print(&self) {
        for (people, tenths) in self.tenths() {
            let tenths: Vec<_> = tenths.iter().map(|(e, f)| format!("{e:.2}: {f:.2}")).collect();
            println!("{people}, expected: found (mm), by tenths of the vertices: {}", tenths.join(", "));
        }
        for (people, class, ratio) in &self.ratios {
            println!("{people}, {class}: found over expected {ratio:.2}");
        }
    }

    /// Found against expected, beside what would be right.
    pub fn chart(&self) -> String {
        let mut lines: Vec<Line> =
            self.tenths().map(|(people, tenths)| Line::new(people, tenths).with_dots()).collect();
        let most = lines.iter().flat_map(|l| &l.points).map(|p| p.0.max(p.1)).fold(0.0, f64::max);
        lines.push(Line::dashed("as expected", vec![(0.0, 0.0), (most, most)]));
        let (x, y) = (Axis::linear("error expected (mm)"), Axis::linear("error found (mm)"));
        line_chart("Errors of registration, all classes of scans", &x, &y, &lines)
    }
}
