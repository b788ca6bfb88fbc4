//! Pictures of shapes on release pages.

use crate::report::figure::Figure;
use crate::report::landmarks::{Drawing, Figures};
use nalgebra::DMatrix;

/// How shapes are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pictures<'a> {
    pub outline: bool,
    pub links: &'a [[usize; 2]],
}

impl Pictures<'_> {
    /// A mean: over a public centre with the deformation from that, or, where the centre is private and so mostly noise without a pose of its
    /// own, by itself.
    pub fn mean(self, name: &str, mean: &DMatrix<f64>, centre: Option<&DMatrix<f64>>) -> Vec<Vec<Figure>> {
        let Some(centre) = centre else {
            let drawing = self.alone(mean).named(name, "").upright();
            let what = "Centred, of unit size, laid along its longest extent.";
            return vec![charts(Figures::mean(&drawing), what)];
        };
        let drawing = self.alone(mean).over(centre).named(name, "public centre");
        let what = "Centred, of unit size, in the pose of the public centre.";
        let from = format!("From the public centre to the {name}");
        vec![charts(Figures::mean(&drawing), what), deformation(&drawing, &from)]
    }

    fn alone(self, shape: &DMatrix<f64>) -> Drawing {
        let drawing = Drawing::new(shape).linked(self.links);
        if self.outline { drawing.outlined() } else { drawing }
    }

    /// One shape over another of the same pose, and the thin-plate spline between them.
    pub fn over(
        self,
        (name, shape): (&str, &DMatrix<f64>),
        (other, below): (&str, &DMatrix<f64>),
    ) -> Vec<Figure> {
        let drawing = self.alone(shape).over(below).named(name, other);
        let caption = format!("{name} over {other}");
        let mut figures = charts(Figures::mean(&drawing), &caption);
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

fn deformation(drawing: &Drawing, caption: &str) -> Vec<Figure> {
    let Some((grids, factor)) = Figures::deformation(drawing) else { return Vec::new() };
    let enlarged = if factor > 1.0 { format!(", {factor} times enlarged") } else { String::new() };
    charts(grids, &format!("{caption}: thin-plate spline{enlarged}. Noise is part of what is seen."))
}

fn charts(pictures: Vec<String>, caption: &str) -> Vec<Figure> {
    pictures.into_iter().map(|svg| Figure::chart(svg, caption)).collect()
}
