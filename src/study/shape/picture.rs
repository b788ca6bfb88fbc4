//! Shapes drawn over one another.

use crate::report::figure::Figure;
use crate::report::outline::{Outline, outlines};
use nalgebra::DMatrix;

/// A shape with its name and the place of its ink.
pub(super) struct Drawing<'a> {
    pub name: &'a str,
    pub shape: &'a DMatrix<f64>,
    pub ink: usize,
}

/// Over one another: in the plane as they are; in space from two sides, along the principal axes of the first.
pub(super) fn figures(title: &str, drawings: &[Drawing<'_>], outline: bool, caption: &str) -> Vec<Figure> {
    let Some(first) = drawings.first() else { return Vec::new() };
    let views = if first.shape.ncols() == 2 {
        vec![(String::new(), DMatrix::identity(2, 2))]
    } else {
        let axes = principal_axes(first.shape);
        let view = |i: usize, j: usize| DMatrix::from_columns(&[axes.column(i), axes.column(j)]);
        vec![(" (from the front)".to_owned(), view(0, 1)), (" (from above)".to_owned(), view(0, 2))]
    };
    let figure = |(side, view): &(String, DMatrix<f64>)| {
        let drawn: Vec<Outline> = drawings.iter().map(|drawing| draw(drawing, view, outline)).collect();
        Figure::chart(outlines(&format!("{title}{side}"), &drawn), format!("{caption}{side}"))
    };
    views.iter().map(figure).collect()
}

fn draw(drawing: &Drawing<'_>, view: &DMatrix<f64>, outline: bool) -> Outline {
    let points: Vec<[f64; 2]> = (drawing.shape * view).row_iter().map(|row| [row[0], row[1]]).collect();
    if outline {
        Outline { width: 0.7, ..Outline::closed(drawing.name, points, drawing.ink) }
    } else {
        // Landmarks are not joined by lines that nobody declared.
        Outline { width: 0.0, ..Outline::open(drawing.name, points, drawing.ink) }.with_dots()
    }
}

fn principal_axes(shape: &DMatrix<f64>) -> DMatrix<f64> {
    let eigen = shape.tr_mul(shape).symmetric_eigen();
    let mut order: Vec<usize> = (0..shape.ncols()).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    eigen.eigenvectors.select_columns(&order)
}
