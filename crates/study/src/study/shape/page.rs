//! Pictures of shapes on release pages.

use crate::report::figure::Figure;
use crate::report::landmarks::{Drawing, Figures};
use nalgebra::DMatrix;

/// How shapes are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pictures<'a> {
    /// How many outlines the landmarks go around.
    pub outlines: usize,
    pub links: &'a [[usize; 2]],
}

impl Pictures<'_> {
    /// A mean: over a public centre with the deformation from that, or, where the centre is private and so mostly noise without a pose of its
    /// own, by itself. `errors`: the standard error of every coordinate.
    pub fn mean(
        self,
        (name, mean): (&str, &DMatrix<f64>),
        centre: Option<&DMatrix<f64>>,
        errors: Option<&DMatrix<f64>>,
    ) -> Vec<Vec<Figure>> {
        let mut drawing = self.alone(mean);
        let mut regions = String::new();
        if let Some(errors) = errors {
            let reach = reach(errors.ncols());
            drawing = drawing.with_regions(&(errors * reach));
            regions = format!(
                " Shaded: where each landmark of the mean without noise lies with 95 % ({reach} standard errors of its coordinates); \
                 where nothing is seen, that is less than its dot."
            );
        }
        let Some(centre) = centre else {
            let what = format!("Centred, of unit size, laid along its longest extent.{regions}");
            return vec![charts(Figures::mean(&drawing.named(name, "").upright()), &what)];
        };
        let drawing = drawing.over(centre).named(name, "public centre");
        let what = format!("Centred, of unit size, in the pose of the public centre.{regions}");
        let from = format!("From the public centre to the {name}");
        let (over, moved) = (charts(Figures::mean(&drawing), &what), deformation(&drawing, &from));
        // In the plane one picture each.
        if mean.ncols() == 2 { vec![over.into_iter().chain(moved).collect()] } else { vec![over, moved] }
    }

    fn alone(self, shape: &DMatrix<f64>) -> Drawing {
        Drawing::new(shape).linked(self.links).outlined(self.outlines)
    }

    /// One shape over another of the same pose, and the thin-plate spline between them; pale the landmarks for which `standing` does not
    /// hold, since their difference may be chance.
    pub fn over(
        self,
        (name, shape): (&str, &DMatrix<f64>),
        (other, below): (&str, &DMatrix<f64>),
        standing: &[bool],
    ) -> Vec<Figure> {
        let drawing = self.alone(shape).over(below).named(name, other).standing_out(standing);
        let stand = standing.iter().filter(|s| **s).count();
        let known = match stand {
            0 => {
                "No landmark's difference can be told from none: all of what is seen may be chance".to_owned()
            }
            all if all == standing.len() => "All landmarks differ by more than chance".to_owned(),
            some => format!(
                "{some} of {} landmarks differ by more than chance; the others are pale",
                standing.len()
            ),
        };
        let caption = format!("{name} over {other}");
        let mut figures = charts(Figures::mean(&drawing), &format!("{caption}. {known} (95 % band)."));
        figures.extend(deformation(&drawing, &caption));
        figures
    }

    /// A mean less and plus a displacement.
    pub fn to_both_sides(
        self,
        mean: &DMatrix<f64>,
        displacement: &DMatrix<f64>,
        ends: [&str; 2],
        caption: &str,
    ) -> Vec<Figure> {
        charts(Figures::mode(&self.alone(mean), displacement, ends), caption)
    }
}

/// Standard errors that 95 % of a normal law's points lie within: √χ²₀.₉₅ with as many degrees of freedom as coordinates.
fn reach(dimensions: usize) -> f64 {
    if dimensions == 3 { 2.80 } else { 2.45 }
}

fn deformation(drawing: &Drawing, caption: &str) -> Vec<Figure> {
    let Some((grids, factor)) = Figures::deformation(drawing) else { return Vec::new() };
    let enlarged = if factor > 1.0 { format!(", {factor} times enlarged") } else { String::new() };
    charts(grids, &format!("{caption}: thin-plate spline{enlarged}. Noise is part of what is seen."))
}

fn charts(pictures: Vec<String>, caption: &str) -> Vec<Figure> {
    pictures.into_iter().map(|svg| Figure::chart(svg, caption)).collect()
}
