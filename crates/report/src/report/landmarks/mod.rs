//! Landmark configurations as SVG, for a paper: the mean over a centre with its regions, the thin-plate deformation from one to the other,
//! modes of variation. In space two or three views along the axes.
//!
//! Whoever draws for a release hands over public and released values only.

mod panel;

use super::chart::PALETTE;
use crate::landmark::{Configuration, ThinPlate, centred};
use nalgebra::DMatrix;
use panel::{GREY, GRID, Panel, View};

/// Lines of a grid across the longer side.
const LINES: usize = 14;
/// Points on a grid's line between two others.
const FINE: usize = 4;

/// What is drawn: a mean, and what there is beside it.
#[derive(Debug, Clone)]
pub struct Drawing {
    mean: Configuration,
    centre: Option<Configuration>,
    half_axes: Option<Configuration>,
    /// Landmarks whose displacement is no chance; all where nothing is known.
    standing: Option<Vec<bool>>,
    links: Vec<[usize; 2]>,
    names: [String; 2],
}

impl Drawing {
    /// A configuration (k × 2 or k × 3) by itself.
    pub fn new(mean: &Configuration) -> Self {
        let names = ["mean".to_owned(), "centre".to_owned()];
        Self { mean: centred(mean), centre: None, half_axes: None, standing: None, links: Vec::new(), names }
    }

    /// Over another of the same size and pose.
    pub fn over(self, centre: &Configuration) -> Self {
        Self { centre: Some(centred(centre)), ..self }
    }

    /// What the two are called in the legend.
    pub fn named(self, mean: &str, centre: &str) -> Self {
        Self { names: [mean.to_owned(), centre.to_owned()], ..self }
    }

    /// With a region about every landmark: an ellipse along the axes with these half axes (k × d), say 2.45 standard errors for 95 % of a
    /// normal law in the plane.
    pub fn with_regions(self, half_axes: &Configuration) -> Self {
        Self { half_axes: Some(half_axes.clone()), ..self }
    }

    /// With the landmarks pale that may be displaced by chance: those for which `standing` does not hold (one a landmark).
    pub fn standing_out(self, standing: &[bool]) -> Self {
        Self { standing: Some(standing.to_vec()), ..self }
    }

    /// With lines between these landmarks, counted from 0; those of landmarks that do not exist are left out.
    pub fn linked(mut self, links: &[[usize; 2]]) -> Self {
        let k = self.mean.nrows();
        self.links.extend(links.iter().filter(|link| link.iter().all(|i| *i < k)));
        self
    }

    /// With a line around each of so many outlines, which have the landmarks one after the other and as many each: only the records' owner can
    /// declare them.
    pub fn outlined(self, outlines: usize) -> Self {
        let k = self.mean.nrows() / outlines.max(1);
        let around: Vec<[usize; 2]> = (0..outlines * k).map(|i| [i, i / k * k + (i % k + 1) % k]).collect();
        self.linked(&around)
    }

    /// Turned so that the longest extent of the centre (of the mean, where there is none) lies along x, the next along y: for shapes whose
    /// own rotation means nothing.
    pub fn upright(self) -> Self {
        let base = self.centre.as_ref().unwrap_or(&self.mean);
        let eigen = (base.transpose() * base).symmetric_eigen();
        let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
        order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
        let mut turn =
            DMatrix::from_columns(&order.iter().map(|i| eigen.eigenvectors.column(*i)).collect::<Vec<_>>());
        // A rotation, by the smallest angle of those that do.
        if turn[(0, 0)] < 0.0 {
            turn.column_mut(0).neg_mut();
        }
        if turn.determinant() < 0.0 {
            let last = turn.ncols() - 1;
            turn.column_mut(last).neg_mut();
        }
        // Axes of regions do not turn with the landmarks: the largest in every direction.
        let widest = |h: Configuration| Configuration::from_fn(h.nrows(), h.ncols(), |i, _| h.row(i).max());
        Self {
            mean: &self.mean * &turn,
            centre: self.centre.map(|centre| centre * &turn),
            half_axes: self.half_axes.map(widest),
            ..self
        }
    }

    fn views(&self) -> Vec<View> {
        let of = |across, up, title| View { across, up, title };
        match self.mean.ncols() {
            3 => vec![of(0, 1, "x across, y up"), of(0, 2, "x across, z up"), of(1, 2, "y across, z up")],
            _ => vec![of(0, 1, "")],
        }
    }

    fn all(&self) -> Vec<&Configuration> {
        std::iter::once(&self.mean).chain(&self.centre).collect()
    }
}

/// The pictures of a drawing.
#[derive(Debug, Clone, Copy)]
pub struct Figures;

impl Figures {
    /// The mean over the centre, with lines and regions: one picture in the plane, three in space.
    pub fn mean(drawing: &Drawing) -> Vec<String> {
        drawing.views().into_iter().map(|view| Self::mean_in(drawing, view)).collect()
    }

    fn mean_in(drawing: &Drawing, view: View) -> String {
        let mut panel = Panel::of(view, &drawing.all(), drawing.half_axes.as_ref());
        let mean = view.points(&drawing.mean);
        if let Some(h) = &drawing.half_axes {
            (0..mean.len()).for_each(|i| panel.ellipse(mean[i], view.of(|axis| h[(i, axis)])));
        }
        if let Some(centre) = &drawing.centre {
            panel.configuration(&view.points(centre), &drawing.links, GREY, &drawing.names[1]);
        }
        panel.displaced(&mean, &drawing.links, drawing.standing.as_deref(), &drawing.names[0]);
        panel.svg(&drawing.names[0])
    }

    /// The thin-plate spline from the centre to the mean as a deformed grid, enlarged by the factor given back where the two are so near
    /// that nothing would be seen (Bookstein 1989). Nothing where there is no centre, or where it has no spline.
    pub fn deformation(drawing: &Drawing) -> Option<(Vec<String>, f64)> {
        let centre = drawing.centre.as_ref()?;
        let moved = &drawing.mean - centre;
        let size = extent(centre);
        let most = moved.row_iter().map(|row| row.norm()).fold(0.0, f64::max) / size;
        let factor = [1.0, 2.0, 3.0, 5.0, 10.0].into_iter().find(|f| f * most >= 0.06).unwrap_or(10.0);
        let target = centre + moved * factor;
        let spline = ThinPlate::new(centre, &target).ok()?;
        let of = |view: View| Self::deformation_in(drawing, view, &spline, centre, &target);
        Some((drawing.views().into_iter().map(of).collect(), factor))
    }

    fn deformation_in(
        drawing: &Drawing,
        view: View,
        spline: &ThinPlate,
        centre: &Configuration,
        target: &Configuration,
    ) -> String {
        let lines: Vec<Configuration> = grid(view, centre).iter().map(|line| spline.map(line)).collect();
        let all: Vec<&Configuration> = lines.iter().chain([target]).collect();
        let mut panel = Panel::of(view, &all, None);
        lines.iter().for_each(|line| panel.line(&view.points(line), GRID, 0.6));
        panel.displaced(&view.points(target), &drawing.links, drawing.standing.as_deref(), "");
        panel.svg("deformation from the centre to the mean")
    }

    /// The mean less and plus a displacement (a mode times two standard deviations, say): two colours over the mean in grey, with a line
    /// from one end to the other for every landmark.
    pub fn mode(drawing: &Drawing, displacement: &Configuration, ends: [&str; 2]) -> Vec<String> {
        let (low, high) = (&drawing.mean - displacement, &drawing.mean + displacement);
        let of = |view: View| {
            let mut panel = Panel::of(view, &[&low, &high], None);
            let (from, to) = (view.points(&low), view.points(&high));
            from.iter().zip(&to).for_each(|(a, b)| panel.line(&[*a, *b], GRID, 0.8));
            panel.configuration(&view.points(&drawing.mean), &drawing.links, GREY, &drawing.names[0]);
            panel.configuration(&from, &drawing.links, PALETTE[0], ends[0]);
            panel.configuration(&to, &drawing.links, PALETTE[1], ends[1]);
            panel.svg("mode of variation")
        };
        drawing.views().into_iter().map(of).collect()
    }
}

/// The longest side of the box around a configuration.
fn extent(x: &Configuration) -> f64 {
    x.column_iter().map(|c| c.max() - c.min()).fold(f64::MIN_POSITIVE, f64::max)
}

/// The lines of a square grid in a view's plane, through the centroid in space, a little larger than the configuration.
fn grid(view: View, x: &Configuration) -> Vec<Configuration> {
    let range = |axis: usize| (x.column(axis).min(), x.column(axis).max());
    let axes = [view.across, view.up];
    let step =
        axes.map(range).iter().map(|(lo, hi)| hi - lo).fold(f64::MIN_POSITIVE, f64::max) / (LINES - 3) as f64;
    let along = |axis: usize| {
        let (lo, hi) = range(axis);
        let cells = ((hi - lo) / step).ceil() as usize + 2;
        let start = (lo + hi - cells as f64 * step) / 2.0;
        (start, cells)
    };
    let line = |fixed: usize, moving: usize, i: usize| {
        let ((at, _), (start, cells)) = (along(fixed), along(moving));
        Configuration::from_fn(cells * FINE + 1, x.ncols(), |j, axis| match axis {
            _ if axis == fixed => at + i as f64 * step,
            _ if axis == moving => start + j as f64 * step / FINE as f64,
            _ => 0.0,
        })
    };
    let all = |fixed: usize, moving: usize| {
        (0..=along(fixed).1).map(move |i| (fixed, moving, i)).collect::<Vec<_>>()
    };
    let lines = all(axes[0], axes[1]).into_iter().chain(all(axes[1], axes[0]));
    lines.map(|(fixed, moving, i)| line(fixed, moving, i)).collect()
}

#[cfg(test)]
mod tests {
    use super::panel::CHANCE;
    use super::*;

    fn shape(k: usize, d: usize) -> Configuration {
        Configuration::from_fn(k, d, |i, j| ((4 * i + 7 * j + i * j) as f64).sin() * (3.0 - j as f64))
    }

    /// Every number that places something, by the words before it.
    fn numbers(svg: &str, key: &str) -> Vec<f64> {
        svg.split(key).skip(1).filter_map(|rest| rest.split(['"', ' ', ',']).next()?.parse().ok()).collect()
    }

    #[test]
    fn all_that_is_drawn_lies_in_the_picture() {
        for d in [2, 3] {
            let (mean, centre) = (shape(9, d), shape(9, d) * 0.97);
            let drawing = Drawing::new(&mean)
                .over(&centre)
                .outlined(1)
                .with_regions(&Configuration::from_element(9, d, 0.3));
            let (grids, factor) = Figures::deformation(&drawing).unwrap();
            assert!(factor >= 1.0);
            let pictures =
                [Figures::mean(&drawing), grids, Figures::mode(&drawing, &(mean * 0.1), ["−2 sd", "+2 sd"])];
            for picture in pictures.iter().flatten() {
                let width = numbers(picture, " width=\"")[0];
                let height = numbers(picture, " height=\"")[0];
                assert!(width <= 400.0 && height <= 470.0, "{width} {height}");
                assert!(numbers(picture, "cx=\"").iter().all(|x| (0.0..=width).contains(x)));
                assert!(numbers(picture, "cy=\"").iter().all(|y| (0.0..=height).contains(y)));
                assert!(!picture.contains("NaN") && picture.ends_with("</svg>"));
            }
            assert!(pictures.iter().all(|p| p.len() == if d == 2 { 1 } else { 3 }));
            assert_eq!(numbers(&pictures[0][0], "rx=\"").len(), 9);
        }
    }

    #[test]
    fn what_may_be_chance_is_pale_and_said_so() {
        let drawing = Drawing::new(&shape(3, 2)).over(&shape(3, 2)).outlined(1);
        let of = |standing: [bool; 3]| {
            let svg = Figures::mean(&drawing.clone().standing_out(&standing))[0].clone();
            [CHANCE, PALETTE[0]].map(|colour| svg.matches(&format!("r=\"2.80\" fill=\"{colour}\"")).count())
        };
        assert_eq!((of([false; 3]), of([true, false, true]), of([true; 3])), ([3, 0], [1, 2], [0, 3]));
        assert!(Figures::mean(&drawing.standing_out(&[false; 3]))[0].contains("mean: may be chance"));
    }

    #[test]
    fn an_upright_shape_is_longest_across_and_not_turned_over() {
        for d in [2, 3] {
            let drawing = Drawing::new(&shape(8, d)).over(&(shape(8, d) * 1.1)).upright();
            let centre = drawing.centre.as_ref().unwrap();
            let spread = centre.transpose() * centre;
            assert!(
                (0..d)
                    .all(|i| (0..i).all(|j| spread[(i, j)].abs() < 1e-9 && spread[(j, j)] >= spread[(i, i)]))
            );
            let (_, t) = crate::landmark::rotation(&centred(&shape(8, d)), &drawing.mean);
            assert!((t - drawing.mean.norm_squared()).abs() < 1e-9, "a reflection");
        }
    }

    #[test]
    fn hostile_shapes_draw_something() {
        let nan = Configuration::from_element(4, 2, f64::NAN);
        let point = Configuration::zeros(4, 2);
        for x in [nan, point, shape(1, 2)] {
            let drawing = Drawing::new(&x).over(&x).linked(&[[0, 9]]).outlined(1);
            assert!(Figures::mean(&drawing)[0].ends_with("</svg>"));
            let _ = Figures::deformation(&drawing);
        }
    }
}
