//! The organ in a picture, or in one slice of a volume.

use super::closed::Closed;
use super::grid::Grid;
use super::making::{Label, MaskMaking, Slice};
use std::borrow::Cow;

/// Why a mask gives no outline or surface.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Problem {
    /// An option has to decide, for all records alike.
    Choice(String),
    /// Something is wrong with this record.
    Record(String),
}

impl Problem {
    pub fn record(what: impl Into<String>) -> Self {
        Self::Record(what.into())
    }

    pub fn into_text(self) -> String {
        match self {
            Self::Choice(what) | Self::Record(what) => what,
        }
    }
}

/// The organ on a plane: x along a row, y upwards.
#[derive(Debug, Clone, Default)]
pub(super) struct Plane {
    pub width: usize,
    pub height: usize,
    /// Row by row from below.
    pub inside: Vec<bool>,
    /// Length of a pixel along x and y, in mm, or 1 where it is not known.
    pub spacing: [f64; 2],
    /// Whether an organ that ends with the plane along x and y is whole.
    pub whole: [bool; 2],
    /// The largest of the contours that it was filled from, if they were drawn; counter-clockwise, in the units of the spacing.
    pub drawn: Option<Closed>,
}

/// The organ's label, all if none, and its voxels: those of the label that is asked for, or of the only one.
pub(super) fn organ(grid: &Grid, making: &MaskMaking) -> Result<(Option<u16>, Vec<bool>), Problem> {
    let present = grid.present();
    if present.is_empty() {
        return Err(Problem::record("is empty: every voxel is background (0)"));
    }
    if let (None, Some(first)) = (&making.label, present.first().filter(|_| present.len() > 1)) {
        return Err(Problem::Choice(format!(
            "holds the labels {}; say which is the organ, as --label {first}, or --label any for all that is not 0",
            grid.names.listed(present.iter().copied())
        )));
    }
    let label = grid.names.number(making.label.as_ref().unwrap_or(&Label::Any)).map_err(Problem::record)?;
    let organ = grid.organ(label);
    match label {
        Some(value) if !organ.contains(&true) => {
            Err(Problem::record(format!("holds no voxel of label {}", grid.names.shown(value))))
        }
        _ => Ok((label, organ)),
    }
}

/// The size of a voxel: the file's, else the option's; `None` where neither tells and lengths do not matter.
pub(super) fn spacing(grid: &Grid, making: &MaskMaking) -> Result<Option<[f64; 3]>, Problem> {
    match grid.spacing().or(making.spacing) {
        None if making.metric => Err(Problem::Choice(
            "does not tell the size of a pixel; give it in mm as --spacing MM (or 0.5x0.5x3, one for each axis), for all files that do not tell".into(),
        )),
        known => Ok(known),
    }
}

/// The voxels of all organs that are asked for, where there are several and a rule chooses the slice by them.
fn together<'a>(grid: &Grid, making: &MaskMaking, organ: &'a [bool]) -> Result<Cow<'a, [bool]>, Problem> {
    if making.beside.is_empty() || matches!(making.slice, None | Some(Slice::Number(_))) {
        return Ok(Cow::Borrowed(organ));
    }
    if !grid.covered.is_empty() {
        return Err(Problem::record(
            "has labels that overlap, so that the slice of all organs cannot be told by a rule; give --slice N",
        ));
    }
    let mut together = organ.to_vec();
    for label in making.asked() {
        let label = grid.names.number(label).map_err(Problem::record)?;
        together.iter_mut().zip(grid.organ(label)).for_each(|(all, own)| *all |= own);
    }
    Ok(Cow::Owned(together))
}

impl Plane {
    /// Of a mask.
    pub fn of(grid: &Grid, making: &MaskMaking) -> Result<Self, Problem> {
        let (label, organ) = organ(grid, making)?;
        let lengths = spacing(grid, making)?.unwrap_or([1.0; 3]);
        let body = grid.axes();
        let axes = body.unwrap_or([(0, false), (1, false), (2, false)]);
        let across = match (axes.iter().position(|(k, _)| grid.shape[*k] == 1), making.slice) {
            (Some(flat), _) => flat,
            (None, None) => {
                return Err(Problem::Choice(
                    "holds several slices; choose one by a rule for all: --slice mid-sagittal, --slice N (from 0, from the feet up), or --slice largest"
                        .into(),
                ));
            }
            (None, Some(Slice::MidSagittal)) if body.is_none() => {
                return Err(Problem::record(
                    "does not tell which side is left, so no slice of it is mid-sagittal; give --slice N, or files with an orientation",
                ));
            }
            (None, Some(Slice::MidSagittal)) => 0,
            (None, Some(Slice::Number(_) | Slice::Largest)) => 2,
        };
        let [x, y] = [[1, 2], [0, 2], [0, 1]][across].map(|d| axes[d]);
        let through = axes[across];
        let [a, b, _] = grid.shape;
        let step = [1, a, a * b];
        let at = |(axis, turned): (usize, bool), n: usize| {
            step[axis] * if turned { grid.shape[axis] - 1 - n } else { n }
        };
        let (width, height, depth) = (grid.shape[x.0], grid.shape[y.0], grid.shape[through.0]);
        let slice = |organ: &[bool], n: usize| {
            let rows = (0..height).flat_map(|j| (0..width).map(move |i| (i, j)));
            rows.map(|(i, j)| organ[at(x, i) + at(y, j) + at(through, n)]).collect::<Vec<bool>>()
        };
        // Several organs have one slice, by what all of them fill.
        let together = together(grid, making, &organ)?;
        let filled = |n: &usize| slice(&together, *n).iter().filter(|inside| **inside).count();
        let chosen = match making.slice.filter(|_| depth > 1) {
            None => 0,
            Some(Slice::Number(n)) if n >= depth => {
                return Err(Problem::record(format!("has {depth} slices, none of which is number {n}")));
            }
            Some(Slice::Number(n)) => n,
            Some(Slice::Largest) => (0..depth).rev().max_by_key(filled).unwrap_or_default(),
            Some(Slice::MidSagittal) => {
                let within = |n: &usize| filled(n) > 0;
                let first = (0..depth).find(within).unwrap_or_default();
                (first + (0..depth).rev().find(within).unwrap_or_default()) / 2
            }
        };
        let inside = slice(&organ, chosen);
        if !inside.contains(&true) {
            return Err(Problem::record("has nothing of the organ in that slice"));
        }
        let spacing = [lengths[x.0], lengths[y.0]];
        let whole = [x, y].map(|(axis, _)| grid.cropped && axis == 2);
        let is_asked = |own: u16| label.is_none_or(|label| label == own);
        let contours = grid.drawn.iter().filter(|contour| contour.slice == chosen && is_asked(contour.label));
        let curve = |points: &Vec<[f64; 2]>| {
            let along = |p: &[f64; 2], (axis, turned): (usize, bool), length: f64| {
                let at = if turned { (grid.shape[axis] - 1) as f64 - p[axis] } else { p[axis] };
                at * length
            };
            let curve = Closed::new(
                points.iter().map(|p| [along(p, x, spacing[0]), along(p, y, spacing[1])]).collect(),
            )?;
            if curve.area() < 0.0 { curve.reversed() } else { Some(curve) }
        };
        let curves = contours.filter(|_| through.0 == 2).filter_map(|contour| curve(&contour.points));
        let drawn = curves.max_by(|a, b| a.area().total_cmp(&b.area()));
        Ok(Self { width, height, inside, spacing, whole, drawn })
    }

    /// The same with two pixels of background around it.
    pub fn padded(&self) -> Self {
        let (width, height) = (self.width + 4, self.height + 4);
        let mut inside = vec![false; width * height];
        for (j, row) in self.inside.chunks_exact(self.width).enumerate() {
            let from = (j + 2) * width + 2;
            inside[from..from + self.width].copy_from_slice(row);
        }
        Self { width, height, inside, spacing: self.spacing, whole: self.whole, drawn: None }
    }

    /// Whether the organ reaches the border.
    pub fn touches_border(&self) -> bool {
        let on_border = |n: usize| {
            let (i, j) = (n % self.width, n / self.width);
            let [x, y] = self.whole.map(|whole| !whole);
            x && (i == 0 || i + 1 == self.width) || y && (j == 0 || j + 1 == self.height)
        };
        (0..self.inside.len()).any(|n| self.inside[n] && on_border(n))
    }

    /// Pixels that hang together through their sides (or corners too), of the organ or of the background, each piece by its pixels.
    pub fn pieces(&self, of: bool, corners: bool) -> Vec<Vec<usize>> {
        let (width, height) = (self.width as i64, self.height as i64);
        let mut seen: Vec<bool> = self.inside.iter().map(|inside| *inside != of).collect();
        let mut pieces = Vec::new();
        for start in 0..seen.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let (mut piece, mut next) = (vec![start], 0);
            while let Some(&here) = piece.get(next) {
                next += 1;
                let (i, j) = (here as i64 % width, here as i64 / width);
                for (di, dj) in (-1..=1).flat_map(|di| (-1..=1).map(move |dj| (di, dj))) {
                    let (x, y) = (i + di, j + dj);
                    let is_near = corners || di == 0 || dj == 0;
                    if is_near && (0..width).contains(&x) && (0..height).contains(&y) {
                        let there = (y * width + x) as usize;
                        if !std::mem::replace(&mut seen[there], true) {
                            piece.push(there);
                        }
                    }
                }
            }
            pieces.push(piece);
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::grid::Place;
    use nalgebra::{Matrix3, Vector3};

    /// A step of the organ at every place of the body: as wide towards the front as it is far to the right, and higher at the front.
    fn is_inside([right, front, head]: [i64; 3]) -> bool {
        (1..6).contains(&right) && (1..2 + right).contains(&front) && (1..3 + front / 2).contains(&head)
    }

    /// A body of 8 places each way, 1, 2 and 3 mm apart, stored along these axes, each this or the other way.
    fn stored(axes: [(usize, bool); 3]) -> Grid {
        let lengths = [1.0, 2.0, 3.0];
        let mut steps = Matrix3::zeros();
        for (k, (axis, turned)) in axes.into_iter().enumerate() {
            steps[(axis, k)] = if turned { -lengths[axis] } else { lengths[axis] };
        }
        let value = |n: usize| {
            let mut at = [0; 3];
            for (k, (axis, turned)) in axes.into_iter().enumerate() {
                let along = [n % 8, n / 8 % 8, n / 64][k] as i64;
                at[axis] = if turned { 7 - along } else { along };
            }
            f64::from(u8::from(is_inside(at)))
        };
        Grid::new([8; 3], (0..512).map(value), Place::Body(steps, Vector3::zeros())).unwrap()
    }

    #[test]
    fn a_slice_is_the_same_however_the_volume_is_stored() {
        let orders = [
            [(0, false), (1, false), (2, false)],
            [(0, true), (1, true), (2, false)],
            [(1, true), (2, false), (0, true)],
            [(2, true), (0, false), (1, true)],
        ];
        for (slice, spacing, inside) in [
            // Of places 1 to 5 from left to right the middle one.
            (Slice::MidSagittal, [2.0, 3.0], (|x, y| is_inside([3, x, y])) as fn(i64, i64) -> bool),
            (Slice::Number(2), [1.0, 2.0], |x, y| is_inside([x, y, 2])),
            (Slice::Largest, [1.0, 2.0], |x, y| is_inside([x, y, 1])),
        ] {
            let expected: Vec<bool> = (0..64).map(|n| inside(n % 8, n / 8)).collect();
            for order in orders {
                let making = MaskMaking { slice: Some(slice), ..MaskMaking::default() };
                let plane = Plane::of(&stored(order), &making).unwrap();
                assert_eq!((plane.spacing, &plane.inside), (spacing, &expected), "{slice:?} {order:?}");
            }
        }
        let making = MaskMaking { slice: Some(Slice::Number(8)), ..MaskMaking::default() };
        assert!(matches!(Plane::of(&stored(orders[0]), &making), Err(Problem::Record(_))));
        assert!(matches!(Plane::of(&stored(orders[0]), &MaskMaking::default()), Err(Problem::Choice(_))));
    }
}
