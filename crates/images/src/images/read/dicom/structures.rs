//! Structure sets: organs by the contours that were drawn on planes (PS3.3, C.8.8.6). A structure's number is its label. Several contours of a
//! structure on a plane cut holes into one another (even-odd rule).
//!
//! Planes are filled onto a grid: as far apart as they were found, pixels of 0.5 mm, or of 1/512 of the largest extent if that is more.

use super::dataset::Dataset;
use super::names;
use super::stack::Stack;
use crate::images::closed::Closed;
use crate::images::contour::fill;
use crate::images::grid::{Drawn, Grid, Place};
use crate::images::making::Label;
use crate::io::Fault;
use nalgebra::Vector3;
use std::collections::{BTreeMap, BTreeSet};

/// Size of a pixel in mm, and the most of them along a side.
const PIXEL: f64 = 0.5;
const SIDE: f64 = 512.0;
/// Points of a contour may lie so far from its plane, in mm; planes nearer than this are one.
const FLAT: f64 = 0.05;
/// No place in a body is farther from the scanner's, in mm.
const FAR: f64 = 1e5;

/// Corners of a contour, in mm towards left, back and head.
type Corners = Vec<Vector3<f64>>;

/// The mask of the structure that is asked for; of all if that is any.
pub(super) fn read(dataset: Dataset, label: Option<&Label>) -> Result<Grid, Fault> {
    let names = names::structures(dataset)?;
    // A name that no structure has is an error that is told where the organ is taken.
    let chosen = label.map(|label| names.number(label));
    let asked = |number: u16| match &chosen {
        None | Some(Ok(None)) => true,
        Some(Ok(Some(chosen))) => *chosen == number,
        Some(Err(_)) => false,
    };
    let (contours, numbers, others) = contours(dataset, asked)?;
    let notes = if others {
        vec!["has structures whose numbers are not from 1 to 65535, which were passed over".to_owned()]
    } else {
        Vec::new()
    };
    // Which of several is meant has to be said first.
    let undecided = label.is_none() && numbers.len() > 1;
    if contours.is_empty() || undecided {
        let nothing = Grid::of([1; 3], vec![0], Place::Unknown);
        return Ok(Grid { names, covered: numbers, notes, ..nothing });
    }
    let grid = filled(contours)?;
    Ok(Grid { names, covered: numbers, notes, cropped: true, ..grid })
}

/// The contours of the labels that are asked for, all labels, and whether there are numbers that are none.
type Found = (Vec<(u16, Corners)>, BTreeSet<u16>, bool);

fn contours(dataset: Dataset, is_asked: impl Fn(u16) -> bool) -> Result<Found, Fault> {
    let (mut found, mut numbers, mut others) = (Vec::new(), BTreeSet::new(), false);
    let Some(structures) = dataset.find(0x3006_0039)? else {
        return Err(Fault::Malformed("is a structure set without contours; export it again"));
    };
    for structure in structures.items() {
        let structure = structure?;
        let Some(drawn) = structure.find(0x3006_0040)? else { continue };
        let number = structure.numbers::<1>(0x3006_0084)?.map(|[number]| number);
        let number = number.filter(|n| (1.0..=65535.0).contains(n) && n.fract() == 0.0);
        let Some(number) = number.map(|n| n as u16) else {
            others = true;
            continue;
        };
        for contour in drawn.items() {
            let contour = contour?;
            // Points and open lines have no inside.
            let kind = contour.text(0x3006_0042)?;
            if !matches!(kind, Some("CLOSED_PLANAR" | "CLOSEDPLANAR_XOR")) {
                continue;
            }
            numbers.insert(number);
            if is_asked(number) {
                found.push((number, corners(contour)?));
            }
        }
    }
    if numbers.is_empty() {
        return Err(Fault::Malformed(
            "has no structure with closed contours and a number from 1 to 65535; draw the organ's outline on every slice",
        ));
    }
    Ok((found, numbers, others))
}

fn corners(contour: Dataset) -> Result<Corners, Fault> {
    const BROKEN: Fault =
        Fault::Malformed("has a contour whose places are not numbers of mm; export it again");
    let Some(data) = contour.find(0x3006_0050)? else { return Err(BROKEN) };
    let count = data.numbers().count() / 3;
    let (mut corners, mut corner, mut at) = (Vec::with_capacity(count), [0.0; 3], 0);
    for number in data.numbers() {
        corner[at] = number.filter(|x| x.abs() < FAR).ok_or(BROKEN)?;
        at = (at + 1) % 3;
        if at == 0 {
            corners.push(Vector3::from(corner));
        }
    }
    match at {
        0 => Ok(corners),
        _ => Err(BROKEN),
    }
}

/// Twice the area of a polygon, along its normal (Newell).
fn area(corners: &Corners) -> Vector3<f64> {
    let Some(&first) = corners.first() else { return Vector3::zeros() };
    corners.windows(2).map(|pair| (pair[0] - first).cross(&(pair[1] - first))).sum()
}

/// Contours on even planes, and the pixels within.
fn filled(contours: Vec<(u16, Corners)>) -> Result<Grid, Fault> {
    let normals = contours.iter().map(|(_, corners)| area(corners));
    let largest = normals.max_by(|a, b| a.norm().total_cmp(&b.norm())).and_then(|n| n.try_normalize(0.01));
    let Some(normal) = largest else {
        return Err(Fault::Malformed("has contours with nothing in them; draw the organ's outline"));
    };
    // Towards left, back or head.
    let most = normal.iamax();
    let normal = normal * normal[most].signum();
    // Rows run towards the left, or where the planes look there towards the back.
    let axis = if most == 0 { Vector3::y() } else { Vector3::x() };
    let row = (axis - normal * axis.dot(&normal)).normalize();
    let column = normal.cross(&row);
    let mut along = Vec::with_capacity(contours.len());
    let mut labels = BTreeMap::<u16, Vec<usize>>::new();
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let mut flat = Vec::with_capacity(contours.len());
    for (label, corners) in contours {
        let Some(first) = corners.first() else { continue };
        let height = first.dot(&normal);
        if corners.iter().any(|p| (p.dot(&normal) - height).abs() > FLAT) {
            return Err(Fault::Malformed(
                "has contours that are not on parallel planes; draw them on one series",
            ));
        }
        let points: Vec<[f64; 2]> = corners.iter().map(|p| [p.dot(&row), p.dot(&column)]).collect();
        for (p, c) in points.iter().flat_map(|p| [(p, 0), (p, 1)]) {
            (low[c], high[c]) = (low[c].min(p[c]), high[c].max(p[c]));
        }
        along.push(height);
        flat.push((label, points));
    }
    let stack = Stack::of(&along, FLAT, None)?;
    for ((label, _), slice) in flat.iter().zip(&stack.numbers) {
        labels.entry(*label).or_default().push(*slice);
    }
    for slices in labels.values_mut() {
        slices.sort_unstable();
        if slices.windows(2).any(|pair| pair[1] > pair[0] + 1) {
            return Err(Fault::Malformed(
                "has a structure without a contour on a plane between others; draw it there (interpolate)",
            ));
        }
    }
    let extent = (0..2).map(|c| high[c] - low[c]).fold(0.0, f64::max);
    let pixel = PIXEL.max(extent / SIDE);
    // A pixel of background around.
    let [width, height] = [0, 1].map(|c| ((high[c] - low[c]) / pixel).ceil() as usize + 2);
    let shape = [width, height, stack.slices];
    let mut labels = vec![0u16; Grid::count(shape)?];
    let mut drawn: Vec<Drawn> = flat
        .into_iter()
        .zip(&stack.numbers)
        .map(|((label, points), slice)| {
            let point = |p: [f64; 2]| [0, 1].map(|c| (p[c] - low[c]) / pixel + 0.5);
            Drawn { label, slice: *slice, points: points.into_iter().map(point).collect() }
        })
        .collect();
    drawn.sort_by_key(|contour| (contour.label, contour.slice));
    for contours in drawn.chunk_by(|a, b| (a.label, a.slice) == (b.label, b.slice)) {
        let inside = fill(contours.iter().map(|contour| &contour.points[..]), width, height);
        let drawn = || contours.iter().filter_map(|contour| Closed::new(contour.points.clone()));
        if !inside.contains(&true) && drawn().any(|contour| contour.area().abs() > 4.0) {
            return Err(Fault::Malformed(
                "has contours that cancel out, as one that is there twice; draw them once",
            ));
        }
        let slice = &mut labels[contours[0].slice * width * height..][..width * height];
        slice.iter_mut().zip(inside).filter(|(_, inside)| *inside).for_each(|(l, _)| *l = contours[0].label);
    }
    let base = along.iter().copied().fold(f64::INFINITY, f64::min);
    let origin = row * (low[0] - 0.5 * pixel) + column * (low[1] - 0.5 * pixel) + normal * base;
    let place = Place::lps([row * pixel, column * pixel, normal * stack.step], origin);
    Ok(Grid { drawn, ..Grid::of(shape, labels, place) })
}
